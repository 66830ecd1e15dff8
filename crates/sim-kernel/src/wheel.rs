//! What is due at which tick.

mod aside;

use aside::Aside;

/// Items by the tick at which they are due, in a ring of buckets.
///
/// Within a tick the items keep the order in which they were scheduled. The buckets are chains of small blocks from one pool: a block goes
/// back to the pool when its tick is taken, so the memory is that of the items waiting at once, a block for each tick at the least, and 12
/// bytes for each tick of the longest wait. What waits for [`Wheel::RING`] ticks or longer is kept aside, in a sorted map, so that no wait makes
/// the ring longer. But for that nothing is allocated once the most items at once and the longest wait have been seen.
#[derive(Debug, Clone)]
pub struct Wheel<T> {
    now: u64,
    horizon: u64,
    beyond: u64,
    /// The most buckets that the ring may have.
    longest: u64,
    /// Waits of `longest` and more. They were scheduled before all that the ring has for the same tick, whose waits were shorter.
    aside: Aside<T>,
    /// All blocks, one after the other. Block 0 is never used.
    slots: Vec<T>,
    /// By block: the block that follows in its bucket or in the pool, or 0.
    following: Vec<u32>,
    /// The first block of the pool, or 0.
    spare: u32,
    /// By bucket: the slot for the next item, or 0 for an empty bucket. At a block's end it is the first slot after it, which
    /// is a multiple of the block's size like 0: either way the next item needs a new block.
    tails: Vec<usize>,
    /// By bucket: its first block; meaningless for an empty bucket.
    heads: Vec<u32>,
}

/// The ring's first size; it grows with the longest wait, up to a bound.
const FIRST_RING: usize = 64;

impl<T: Copy + Default> Wheel<T> {
    /// Items in a block: 256 bytes' worth, so that a bucket of a few items wastes little and a long one is read in order.
    const BLOCK: usize = {
        let size = size_of::<T>();
        if size == 0 || size >= 128 {
            2
        } else {
            (256 / size).next_power_of_two()
        }
    };

    /// The most ticks that the ring covers, unless another number is asked for: nearly three hours of 10 ms, in 12 MiB.
    pub const RING: u64 = 1 << 20;

    /// An empty wheel at tick 0. Items due at or after `horizon` need not be kept.
    #[must_use]
    pub fn new(horizon: u64) -> Self {
        Self::with_ring(horizon, Self::RING)
    }

    /// As [`Wheel::new`], with a ring of at most `ticks` ticks: rounded down to a power of two, at least 64, at most [`Wheel::RING`].
    #[must_use]
    pub fn with_ring(horizon: u64, ticks: u64) -> Self {
        let ticks = ticks.clamp(FIRST_RING as u64, Self::RING);
        Self {
            now: 0,
            horizon,
            beyond: 0,
            longest: 1 << ticks.ilog2(),
            aside: Aside::new(),
            slots: vec![T::default(); Self::BLOCK],
            following: vec![0],
            spare: 0,
            tails: vec![0; FIRST_RING],
            heads: vec![0; FIRST_RING],
        }
    }

    /// The present tick: the one that [`Wheel::take`] takes next.
    #[must_use]
    pub fn now(&self) -> u64 {
        self.now
    }

    /// How many items were not kept because they are due at or after the horizon. (Those due there whose wait was short may be kept.)
    #[must_use]
    pub fn beyond(&self) -> u64 {
        self.beyond
    }

    /// How many items are kept. Counts them block by block: not for a hot loop.
    #[must_use]
    pub fn kept(&self) -> u64 {
        let ring: u64 = (0..self.tails.len())
            .map(|bucket| self.length(bucket) as u64)
            .sum();
        ring + self.aside.kept()
    }

    /// Schedules an item `wait` ticks after the present one; 0 is the present tick.
    #[inline]
    pub fn schedule(&mut self, wait: u64, item: T) {
        if wait >= self.tails.len() as u64 && !self.make_room(wait) {
            self.keep_aside(wait, item, 1);
            return;
        }
        let bucket = (self.now + wait) as usize & (self.tails.len() - 1);
        let slot = self.tails[bucket];
        let slot = if slot.is_multiple_of(Self::BLOCK) {
            self.add_block(bucket)
        } else {
            slot
        };
        self.slots[slot] = item;
        self.tails[bucket] = slot + 1;
    }

    /// Schedules each item after the wait of the same place.
    pub fn schedule_each(&mut self, waits: &[u64], items: &[T]) {
        let (pairs_of_waits, last_wait) = waits.as_chunks();
        let (pairs_of_items, last_item) = items.as_chunks();
        let mut rest = pairs_of_waits.iter().zip(pairs_of_items);
        while let Some((waits, items)) = self.schedule_pairs(&mut rest) {
            self.schedule(waits[0], items[0]);
            self.schedule(waits[1], items[1]);
        }
        for (&wait, &item) in last_wait.iter().zip(last_item) {
            self.schedule(wait, item);
        }
    }

    /// Schedules pairs until one of them needs a new block or a longer ring, and returns that one.
    ///
    /// Both buckets are read before either is written: with one item at a time, processors that guess whether a read depends on the write
    /// before it take twice as long when there are few buckets.
    #[inline]
    fn schedule_pairs<'a>(
        &mut self,
        pairs: &mut impl Iterator<Item = (&'a [u64; 2], &'a [T; 2])>,
    ) -> Option<(&'a [u64; 2], &'a [T; 2])>
    where
        T: 'a,
    {
        let tails = &mut self.tails[..];
        let slots = &mut self.slots[..];
        let now = self.now;
        let mask = tails.len() - 1;
        for (waits, items) in pairs {
            let first = now.wrapping_add(waits[0]) as usize & mask;
            let second = now.wrapping_add(waits[1]) as usize & mask;
            let first_slot = tails[first];
            let second_slot = tails[second] + usize::from(first == second);
            if (waits[0] | waits[1]) > mask as u64
                || first_slot.is_multiple_of(Self::BLOCK)
                || second_slot.is_multiple_of(Self::BLOCK)
            {
                return Some((waits, items));
            }
            slots[first_slot] = items[0];
            slots[second_slot] = items[1];
            tails[first] = first_slot + 1;
            tails[second] = second_slot + 1;
        }
        None
    }

    /// Schedules the same item `count` times.
    pub fn schedule_many(&mut self, wait: u64, item: T, count: u64) {
        if wait >= self.tails.len() as u64 && !self.make_room(wait) {
            self.keep_aside(wait, item, count);
            return;
        }
        let bucket = (self.now + wait) as usize & (self.tails.len() - 1);
        let mut left = count as usize;
        while left > 0 {
            let slot = self.tails[bucket];
            let slot = if slot.is_multiple_of(Self::BLOCK) {
                self.add_block(bucket)
            } else {
                slot
            };
            let fits = left.min(Self::BLOCK - slot % Self::BLOCK);
            self.slots[slot..slot + fits].fill(item);
            self.tails[bucket] = slot + fits;
            left -= fits;
        }
    }

    /// Moves the items due at the present tick into `batch` (cleared first); then the next tick is the present one.
    #[inline]
    pub fn take(&mut self, batch: &mut Vec<T>) {
        batch.clear();
        if self.aside.is_due(self.now) {
            self.aside.take_first(batch);
        }
        let bucket = self.now as usize & (self.tails.len() - 1);
        self.now += 1;
        let tail = core::mem::take(&mut self.tails[bucket]);
        if tail != 0 {
            self.empty(self.heads[bucket], tail, batch);
        }
    }

    fn empty(&mut self, head: u32, tail: usize, batch: &mut Vec<T>) {
        let last = (tail - 1) / Self::BLOCK;
        let mut block = head as usize;
        while block != last {
            let start = block * Self::BLOCK;
            batch.extend_from_slice(&self.slots[start..start + Self::BLOCK]);
            block = self.following[block] as usize;
        }
        batch.extend_from_slice(&self.slots[last * Self::BLOCK..tail]);
        self.following[last] = self.spare;
        self.spare = head;
    }

    /// Puts a block at the end of a bucket and returns its first slot.
    #[cold]
    #[inline(never)]
    fn add_block(&mut self, bucket: usize) -> usize {
        let block = if self.spare == 0 {
            let block = self.following.len() as u32;
            self.slots
                .resize(self.slots.len() + Self::BLOCK, T::default());
            self.following.push(0);
            block
        } else {
            let block = self.spare;
            self.spare = self.following[block as usize];
            block
        };
        match self.tails[bucket] {
            0 => self.heads[bucket] = block,
            tail => self.following[tail / Self::BLOCK - 1] = block,
        }
        block as usize * Self::BLOCK
    }

    /// Whether the ring reaches, or now reaches, `wait` ticks ahead; it doesn't for what is due after the horizon or should be kept aside.
    #[cold]
    #[inline(never)]
    fn make_room(&mut self, wait: u64) -> bool {
        if wait >= self.longest || self.due(wait).is_none() {
            return false;
        }
        let length = (wait as usize + 1).next_power_of_two();
        let old = self.tails.len();
        let mut tails = vec![0; length];
        let mut heads = vec![0; length];
        for ahead in 0..old {
            let due = self.now as usize + ahead;
            tails[due & (length - 1)] = self.tails[due & (old - 1)];
            heads[due & (length - 1)] = self.heads[due & (old - 1)];
        }
        self.tails = tails;
        self.heads = heads;
        true
    }

    #[cold]
    #[inline(never)]
    fn keep_aside(&mut self, wait: u64, item: T, count: u64) {
        match self.due(wait) {
            Some(tick) => self.aside.keep(tick, item, count),
            None => self.beyond += count,
        }
    }

    /// The tick `wait` ticks after the present one, if it is before the horizon.
    fn due(&self, wait: u64) -> Option<u64> {
        let tick = self.now.checked_add(wait)?;
        (tick < self.horizon).then_some(tick)
    }

    fn length(&self, bucket: usize) -> usize {
        let tail = self.tails[bucket];
        if tail == 0 {
            return 0;
        }
        let last = (tail - 1) / Self::BLOCK;
        let mut block = self.heads[bucket] as usize;
        let mut length = tail - last * Self::BLOCK;
        while block != last {
            length += Self::BLOCK;
            block = self.following[block] as usize;
        }
        length
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_come_in_the_order_in_which_they_were_scheduled() {
        let mut wheel = Wheel::new(100);
        wheel.schedule(2, 'a');
        wheel.schedule(0, 'b');
        wheel.schedule_many(2, 'c', 2);
        wheel.schedule_each(&[1, 2, 2], &['d', 'e', 'f']);
        let mut batch = Vec::new();
        let mut taken = Vec::new();
        for _ in 0..4 {
            wheel.take(&mut batch);
            taken.push(batch.iter().collect::<String>());
        }
        assert_eq!(taken, ["b", "d", "accef", ""]);
        assert_eq!((wheel.now(), wheel.kept()), (4, 0));
    }

    #[test]
    fn what_is_due_at_the_horizon_is_counted_and_not_kept() {
        let mut wheel = Wheel::new(1000);
        wheel.schedule(999, 1_u8);
        wheel.schedule(1024, 2);
        wheel.schedule(u64::MAX, 3);
        wheel.schedule_many(5000, 4, 10);
        wheel.schedule_each(&[2000, 7, 8], &[5, 6, 7]);
        assert_eq!((wheel.kept(), wheel.beyond()), (3, 13));
        let mut batch = Vec::new();
        for _ in 0..999 {
            wheel.take(&mut batch);
        }
        wheel.take(&mut batch);
        assert_eq!(batch, [1]);
    }

    #[test]
    fn the_longest_wait_makes_no_ring_longer_than_the_bound() {
        let mut wheel = Wheel::new(u64::MAX);
        let waits = [
            Wheel::<u8>::RING - 1,
            Wheel::<u8>::RING,
            27_000_000 * 100,
            u64::MAX - 1,
        ];
        for (item, wait) in waits.into_iter().enumerate() {
            wheel.schedule(wait, item as u8);
            wheel.schedule_many(wait, item as u8, 2);
            wheel.schedule_each(&[wait, wait, wait], &[item as u8; 3]);
            assert!(wheel.tails.len() as u64 <= Wheel::<u8>::RING);
            assert!(wheel.slots.len() <= 2 * Wheel::<u8>::BLOCK);
        }
        assert_eq!((wheel.kept(), wheel.beyond()), (24, 0));
    }

    #[test]
    fn what_was_kept_aside_comes_before_what_was_scheduled_later() {
        let mut wheel = Wheel::with_ring(u64::MAX, 100);
        let mut batch = Vec::new();
        for (tick, item) in [(0, 'a'), (1, 'b'), (936, 'c'), (937, 'd'), (999, 'e')] {
            while wheel.now() < tick {
                wheel.take(&mut batch);
                assert!(batch.is_empty());
            }
            // Waits of 1,000, 999 and 64 ticks are kept aside; those of 63 and 1 ticks stand in the ring.
            wheel.schedule(1000 - tick, item);
            assert_eq!(wheel.tails.len(), 64);
        }
        wheel.take(&mut batch);
        assert!(batch.is_empty());
        wheel.take(&mut batch);
        assert_eq!(batch, ['a', 'b', 'c', 'd', 'e']);
    }

    #[test]
    fn a_herd_that_moves_together_keeps_the_memory_of_one_bucket() {
        const HERD: u64 = 10_000;
        let mut wheel = Wheel::new(u64::MAX);
        wheel.schedule_many(0, 0_u32, HERD);
        let mut batch = Vec::new();
        for _ in 0..1000 {
            wheel.take(&mut batch);
            assert_eq!(batch.len() as u64, HERD);
            wheel.schedule_many(99, 0, HERD);
            for _ in 0..99 {
                wheel.take(&mut batch);
                assert!(batch.is_empty());
            }
        }
        assert!(wheel.slots.len() as u64 <= HERD + 2 * Wheel::<u32>::BLOCK as u64);
        assert_eq!(wheel.tails.len(), 128);
    }

    #[test]
    fn nothing_is_allocated_once_warm() {
        let mut wheel = Wheel::new(u64::MAX);
        let mut batch = Vec::new();
        let mut sizes = Vec::new();
        wheel.schedule_many(0, 0_u64, 5000);
        for tick in 0..2000_u64 {
            wheel.take(&mut batch);
            let waits: Vec<u64> = (0..batch.len() as u64)
                .map(|n| n * 7 % 90 + tick % 3)
                .collect();
            wheel.schedule_each(&waits, &batch);
            sizes.push((wheel.slots.capacity(), wheel.tails.len()));
        }
        assert_eq!(sizes[1000], sizes[1999]);
        assert_eq!(wheel.kept(), 5000);
    }
}
