//! Distinct positions, in the order in which they are drawn.

use crate::Random;

/// CPython's pool for k up to 5.
const SMALL_POOL: u32 = 21;
/// Up to this many positions are searched faster than looked up in a table.
const FEW: u32 = 8;
/// Marks a free place in the table; no position is as high.
const FREE: u32 = u32::MAX;

impl Random {
    /// Puts k distinct positions among 0, 1, …, n - 1 into `positions` (cleared first), in the order drawn: `sample(range(n), k)`.
    ///
    /// For k above n, where CPython raises, all n positions are drawn, as for k = n. `positions` serves as work space too: nothing
    /// is allocated once its capacity suffices, which is at most 12 k + 32.
    ///
    /// As in CPython, a population of at most 21 (or 21 + 4^⌈log₄ 3k⌉ for k above 5) is a pool from which positions are taken out,
    /// one call of `randrange(what is left)` each; in a larger one, `randrange(n)` is drawn until it hits a position that is not taken.
    ///
    /// ```
    /// use cpython_random::Random;
    ///
    /// let mut positions = Vec::new();
    /// Random::new(0).sample(20, 5, &mut positions);
    /// assert_eq!(positions, [12, 13, 1, 8, 15]);
    /// Random::new(0).sample(1000, 5, &mut positions);
    /// assert_eq!(positions, [864, 394, 776, 911, 430]);
    /// ```
    pub fn sample(&mut self, n: u32, k: u32, positions: &mut Vec<u32>) {
        let k = k.min(n);
        positions.clear();
        if u64::from(n) <= largest_pool(k) {
            if n <= SMALL_POOL {
                self.take_from_small_pool(n, k, positions);
            } else {
                self.take_from_pool(n, k, positions);
            }
        } else if k <= FEW {
            self.hit_a_few(n, k, positions);
        } else {
            self.hit_and_look_up(n, k, positions);
        }
    }

    /// A pool in registers and one cache line: what is drawn is swapped to the end, a draw that misses swaps the last with itself, and
    /// so the only branch is the loop's.
    #[inline]
    fn take_from_small_pool(&mut self, n: u32, k: u32, positions: &mut Vec<u32>) {
        let mut pool: [u8; SMALL_POOL as usize + 1] =
            core::array::from_fn(|position| position as u8);
        let mut left = n;
        while left > n - k {
            let drawn = self.word() >> left.leading_zeros();
            let last = left - 1;
            pool.swap(drawn.min(last) as usize, last as usize);
            left -= u32::from(drawn <= last);
        }
        positions.extend(
            pool[left as usize..n as usize]
                .iter()
                .rev()
                .map(|&position| u32::from(position)),
        );
    }

    /// CPython moves the last of the pool to the place of the position it takes; a swap does that, and leaves the taken positions
    /// at the end of the pool, the first drawn last.
    fn take_from_pool(&mut self, n: u32, k: u32, positions: &mut Vec<u32>) {
        positions.extend(0..n);
        for left in (n - k + 1..=n).rev() {
            let drawn = self.below(left, left.leading_zeros());
            positions.swap(drawn as usize, left as usize - 1);
        }
        positions.reverse();
        positions.truncate(k as usize);
    }

    /// Every draw is written to the next place, which is passed only if it is a hit. Sixty-four marks tell most draws apart from what is
    /// taken without a search.
    #[inline]
    fn hit_a_few(&mut self, n: u32, k: u32, positions: &mut Vec<u32>) {
        let leading_zeros = n.leading_zeros();
        let mut hits = [0; FEW as usize];
        let mut count = 0;
        let mut marks = 0u64;
        while count < k as usize {
            let drawn = self.word() >> leading_zeros;
            if (marks >> (drawn % 64)) & 1 == 1 && hits[..count].contains(&drawn) {
                continue;
            }
            let hit = drawn < n;
            hits[count] = drawn;
            count += usize::from(hit);
            marks |= u64::from(hit) << (drawn % 64);
        }
        positions.extend_from_slice(&hits[..count]);
    }

    /// As [`Self::hit_a_few`], with a hash table of what is taken behind the positions.
    fn hit_and_look_up(&mut self, n: u32, k: u32, positions: &mut Vec<u32>) {
        let leading_zeros = n.leading_zeros();
        let k = k as usize;
        let places = (2 * k).next_power_of_two();
        positions.resize(k + places, FREE);
        let (drawn_so_far, taken) = positions.split_at_mut(k);
        for next in drawn_so_far {
            *next = loop {
                let drawn = self.below(n, leading_zeros);
                if insert(taken, drawn) {
                    break drawn;
                }
            };
        }
        positions.truncate(k);
    }
}

/// Whether `position` was not yet in the table, into which it is put. The table's length is a power of two, and half of it is free.
#[inline]
fn insert(table: &mut [u32], position: u32) -> bool {
    let mask = table.len() - 1;
    // Fibonacci hashing: the product's high bits are well mixed.
    let mut place =
        ((u64::from(position).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as usize) & mask;
    loop {
        if table[place] == FREE {
            table[place] = position;
            return true;
        }
        if table[place] == position {
            return false;
        }
        place = (place + 1) & mask;
    }
}

/// CPython's `setsize`. Its floating-point `ceil(log(3k, 4))` is exact for every k here: 3k is no power of 4, and one step away
/// from one the logarithm differs by far more than its error.
#[inline]
fn largest_pool(k: u32) -> u64 {
    if k <= 5 {
        return u64::from(SMALL_POOL);
    }
    let power_of_two = (3 * u64::from(k)).next_power_of_two();
    let is_power_of_four = power_of_two.trailing_zeros().is_multiple_of(2);
    u64::from(SMALL_POOL)
        + if is_power_of_four {
            power_of_two
        } else {
            2 * power_of_two
        }
}
