//! Which client's message arrives next.

use core::cmp::Reverse;
use std::collections::BinaryHeap;

/// When each of a number of clients is due, at most once each; the earliest comes out first, and of equal times the one that was put in first.
///
/// A calendar queue: near times stand in buckets of equal width on a ring, each bucket in order; times beyond the ring's end stand in a heap.
/// The width is chosen for about one client a bucket, so that putting in and taking out cost the same for any number of clients. The order never
/// depends on the width.
#[derive(Debug, Default)]
pub(crate) struct Agenda {
    /// Buckets per millisecond.
    per_ms: f64,
    /// The ring begins at this bucket; no time before it is due any more.
    first: u64,
    /// By bucket: the client that is last in it, if its bit in `occupied` is set.
    last: Vec<u32>,
    occupied: Vec<u64>,
    on_ring: u32,
    /// By client: when it is due, and which client follows it in its bucket; the last is followed by the first.
    entries: Vec<Entry>,
    beyond: BinaryHeap<Reverse<(u64, u64, u32)>>,
    put_beyond: u64,
}

#[derive(Debug, Clone, Copy, Default)]
struct Entry {
    due_ms: f64,
    next: u32,
}

impl Agenda {
    /// Empties the agenda for clients 0, 1, …, `clients` - 1, whose messages take about `typical_ms`.
    pub(crate) fn reset(&mut self, clients: u32, typical_ms: f64) {
        let buckets = (clients as usize * 16).next_power_of_two().max(256);
        let per_ms = f64::from(clients) / typical_ms;
        self.per_ms = if per_ms.is_finite() { per_ms } else { 1.0 };
        self.first = 0;
        self.last.resize(buckets, 0);
        self.occupied.clear();
        self.occupied.resize(buckets / 64, 0);
        self.on_ring = 0;
        self.entries.resize(clients as usize, Entry::default());
        self.beyond.clear();
        self.put_beyond = 0;
    }

    /// Puts in a client that is not in the agenda, due at a time that is not before the one taken out last, and not NaN.
    #[inline]
    pub(crate) fn put(&mut self, client: u32, due_ms: f64) {
        // Saturates: beyond every ring.
        let bucket = (due_ms * self.per_ms) as u64;
        if bucket - self.first >= self.last.len() as u64 {
            self.put_beyond(client, due_ms);
            return;
        }
        let bucket = bucket as usize & (self.last.len() - 1);
        let bit = 1 << (bucket % 64);
        let word = &mut self.occupied[bucket / 64];
        self.on_ring += 1;
        if *word & bit == 0 {
            *word |= bit;
            self.last[bucket] = client;
            self.entries[client as usize] = Entry {
                due_ms,
                next: client,
            };
            return;
        }
        let last = self.last[bucket];
        let mut before = last;
        if due_ms >= self.entries[last as usize].due_ms {
            self.last[bucket] = client;
        } else {
            loop {
                let next = self.entries[before as usize].next;
                if self.entries[next as usize].due_ms > due_ms {
                    break;
                }
                before = next;
            }
        }
        let next = self.entries[before as usize].next;
        self.entries[client as usize] = Entry { due_ms, next };
        self.entries[before as usize].next = client;
    }

    #[cold]
    fn put_beyond(&mut self, client: u32, due_ms: f64) {
        // Times are not negative, so their bits are ordered as they are.
        self.beyond
            .push(Reverse((due_ms.to_bits(), self.put_beyond, client)));
        self.put_beyond += 1;
    }

    /// Takes out the client that is due next, and when.
    #[inline]
    pub(crate) fn take(&mut self) -> Option<(u32, f64)> {
        let Some(bucket) = self.first_occupied() else {
            return self.take_beyond();
        };
        let place = bucket as usize & (self.last.len() - 1);
        let last = self.last[place];
        let first = self.entries[last as usize].next;
        let Entry { due_ms, next } = self.entries[first as usize];
        // Of equal times the one beyond was put in first: when it was, the ring had not come so far.
        if let Some(Reverse((due_beyond, ..))) = self.beyond.peek()
            && *due_beyond <= due_ms.to_bits()
        {
            return self.take_beyond();
        }
        if first == last {
            self.occupied[place / 64] &= !(1 << (place % 64));
        } else {
            self.entries[last as usize].next = next;
        }
        self.on_ring -= 1;
        self.first = bucket;
        Some((first, due_ms))
    }

    #[cold]
    fn take_beyond(&mut self) -> Option<(u32, f64)> {
        let Reverse((due, _, client)) = self.beyond.pop()?;
        let due_ms = f64::from_bits(due);
        self.first = (due_ms * self.per_ms) as u64;
        Some((client, due_ms))
    }

    /// The first bucket on the ring that is not empty.
    #[inline]
    fn first_occupied(&self) -> Option<u64> {
        if self.on_ring == 0 {
            return None;
        }
        let words = self.occupied.len();
        let place = self.first as usize & (self.last.len() - 1);
        let start = place / 64;
        let ahead = self.occupied[start] >> (place % 64);
        if ahead != 0 {
            return Some(self.first + u64::from(ahead.trailing_zeros()));
        }
        // Once around; the last word looked at is the first again, for the buckets before `place`.
        let mut distance = 64 - (place % 64) as u64;
        for step in 1..=words {
            let word = self.occupied[(start + step) & (words - 1)];
            if word != 0 {
                return Some(self.first + distance + u64::from(word.trailing_zeros()));
            }
            distance += 64;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::Agenda;
    use proptest::prelude::*;

    /// What an agenda must do, with a search.
    #[derive(Default)]
    struct Searched {
        waiting: Vec<(f64, u64, u32)>,
        put: u64,
    }

    impl Searched {
        fn put(&mut self, client: u32, due_ms: f64) {
            self.waiting.push((due_ms, self.put, client));
            self.put += 1;
        }

        fn take(&mut self) -> Option<(u32, f64)> {
            let earliest = (0..self.waiting.len()).min_by(|&a, &b| {
                let key = |at: usize| (self.waiting[at].0, self.waiting[at].1);
                key(a).partial_cmp(&key(b)).unwrap()
            })?;
            let (due_ms, _, client) = self.waiting.swap_remove(earliest);
            Some((client, due_ms))
        }
    }

    fn delay() -> impl Strategy<Value = f64> {
        prop_oneof![
            3 => 0.0..30.0f64,
            2 => (0u32..5).prop_map(f64::from),
            1 => 0.0..5000.0f64,
            1 => Just(1e12),
            1 => Just(1e-300),
        ]
    }

    proptest! {
        #[test]
        fn comes_out_as_from_a_search(
            clients in 1u32..40,
            typical_ms in prop_oneof![Just(0.0), 1e-9..1e-3f64, 0.1..20.0f64, Just(1e9)],
            delays in prop::collection::vec(delay(), 40..400),
        ) {
            let mut agenda = Agenda::default();
            // An agenda that has been used for something else.
            agenda.reset(7, 1.0);
            agenda.put(3, 2.0);
            agenda.put(4, 1e9);
            agenda.reset(clients, typical_ms);
            let mut searched = Searched::default();
            let (first, later) = delays.split_at(clients as usize);
            for (client, &delay) in (0..).zip(first) {
                agenda.put(client, delay);
                searched.put(client, delay);
            }
            for &delay in later {
                let taken = agenda.take();
                prop_assert_eq!(taken, searched.take());
                let Some((client, now)) = taken else { break };
                agenda.put(client, now + delay);
                searched.put(client, now + delay);
            }
            for _ in 0..=clients {
                prop_assert_eq!(agenda.take(), searched.take());
            }
        }
    }
}
