//! Which client's message arrives next.

use core::cmp::Reverse;
use std::collections::BinaryHeap;

/// When each of a number of clients is due, at most once each; the earliest comes out first, and of equal times the one that was put in first.
///
/// A calendar queue: near times stand in buckets of equal width on a ring, times beyond the ring's end in a heap. The width is chosen for a
/// quarter of a client a bucket, so that most buckets hold one or none, and the cost is the same for any number of clients. The
/// order never depends on the width.
#[derive(Debug, Default)]
pub(crate) struct Agenda {
    /// Buckets per millisecond.
    per_ms: f64,
    /// The ring begins at this bucket; nothing before it will be put in any more.
    begin: u64,
    /// By place on the ring: the earliest of a bucket, if its bit in `occupied` is set.
    heads: Vec<Head>,
    occupied: Vec<u64>,
    on_ring: u32,
    /// By place on the ring: the latest of a bucket, if there are several.
    tails: Vec<u32>,
    /// By client: the others of a bucket, in order.
    links: Vec<Link>,
    beyond: BinaryHeap<Reverse<(u64, u64, u32)>>,
    /// The bits of the first time in `beyond`; those of no time if it is empty.
    first_beyond: u64,
    put_beyond: u64,
}

#[derive(Debug, Clone, Copy, Default)]
struct Head {
    due_ms: f64,
    client: u32,
    next: u32,
}

#[derive(Debug, Clone, Copy, Default)]
struct Link {
    due_ms: f64,
    next: u32,
}

/// No client's number, which is at most [`crate::OccConfig::MAX_CLIENTS`].
const NONE: u32 = u32::MAX;

impl Agenda {
    /// Empties the agenda for clients 0, 1, …, `clients` - 1, whose messages take about `typical_ms`.
    pub(crate) fn reset(&mut self, clients: u32, typical_ms: f64) {
        let places = (clients as usize * 16).next_power_of_two().max(256);
        let per_ms = 4.0 * f64::from(clients) / typical_ms;
        self.per_ms = if per_ms.is_finite() { per_ms } else { 1.0 };
        self.begin = self.bucket(0.0);
        self.heads.resize(places, Head::default());
        self.tails.resize(places, NONE);
        self.occupied.clear();
        self.occupied.resize(places / 64, 0);
        self.on_ring = 0;
        self.links.resize(clients as usize, Link::default());
        self.beyond.clear();
        self.first_beyond = u64::MAX;
        self.put_beyond = 0;
    }

    /// The bucket of a time.
    ///
    /// Above 2^52 the numbers from one power of two to the next are the whole numbers, and their bits count them; farther up, the bits still
    /// never fall, which is all that the order needs.
    #[inline]
    fn bucket(&self, due_ms: f64) -> u64 {
        const TWO_TO_THE_52: f64 = 4503599627370496.0;
        (due_ms * self.per_ms + TWO_TO_THE_52).to_bits()
    }

    /// Puts in a client that is not in the agenda, due at a time that is not before the one taken out last, and not NaN.
    #[inline]
    pub(crate) fn put(&mut self, client: u32, due_ms: f64) {
        let bucket = self.bucket(due_ms);
        if bucket - self.begin >= self.heads.len() as u64 {
            self.put_beyond(client, due_ms);
            return;
        }
        let place = bucket as usize & (self.heads.len() - 1);
        let bit = 1 << (place % 64);
        let word = &mut self.occupied[place / 64];
        self.on_ring += 1;
        if *word & bit == 0 {
            *word |= bit;
            self.heads[place] = Head {
                due_ms,
                client,
                next: NONE,
            };
        } else {
            self.put_among(place, client, due_ms);
        }
    }

    fn put_among(&mut self, place: usize, client: u32, due_ms: f64) {
        let head = &mut self.heads[place];
        if due_ms < head.due_ms {
            if head.next == NONE {
                self.tails[place] = head.client;
            }
            self.links[head.client as usize] = Link {
                due_ms: head.due_ms,
                next: head.next,
            };
            *head = Head {
                due_ms,
                client,
                next: head.client,
            };
            return;
        }
        if head.next == NONE {
            head.next = client;
            self.tails[place] = client;
            self.links[client as usize] = Link { due_ms, next: NONE };
            return;
        }
        let tail = &mut self.links[self.tails[place] as usize];
        if due_ms >= tail.due_ms {
            tail.next = client;
            self.tails[place] = client;
            self.links[client as usize] = Link { due_ms, next: NONE };
            return;
        }
        let mut after = head.next;
        if due_ms < self.links[after as usize].due_ms {
            self.links[client as usize] = Link {
                due_ms,
                next: after,
            };
            head.next = client;
            return;
        }
        // Ends before the tail, which is later.
        loop {
            let next = self.links[after as usize].next;
            if due_ms < self.links[next as usize].due_ms {
                self.links[client as usize] = Link { due_ms, next };
                self.links[after as usize].next = client;
                return;
            }
            after = next;
        }
    }

    #[cold]
    fn put_beyond(&mut self, client: u32, due_ms: f64) {
        // Times are not negative, so their bits are ordered as they are.
        let due = due_ms.to_bits();
        self.beyond.push(Reverse((due, self.put_beyond, client)));
        self.first_beyond = self.first_beyond.min(due);
        self.put_beyond += 1;
    }

    /// Takes out the client that is due next, and when.
    #[inline]
    pub(crate) fn take(&mut self) -> Option<(u32, f64)> {
        if self.on_ring == 0 {
            return self.take_beyond();
        }
        let bucket = self.first_occupied();
        let place = bucket as usize & (self.heads.len() - 1);
        let Head {
            due_ms,
            client,
            next,
        } = self.heads[place];
        // Of equal times the one beyond was put in first: when it was, the ring had not come so far.
        if self.first_beyond <= due_ms.to_bits() {
            return self.take_beyond();
        }
        if next == NONE {
            self.occupied[place / 64] &= !(1 << (place % 64));
        } else {
            let link = self.links[next as usize];
            self.heads[place] = Head {
                due_ms: link.due_ms,
                client: next,
                next: link.next,
            };
        }
        self.on_ring -= 1;
        self.begin = bucket;
        Some((client, due_ms))
    }

    #[cold]
    fn take_beyond(&mut self) -> Option<(u32, f64)> {
        let Reverse((due, _, client)) = self.beyond.pop()?;
        self.first_beyond = self
            .beyond
            .peek()
            .map_or(u64::MAX, |Reverse((due, ..))| *due);
        let due_ms = f64::from_bits(due);
        self.begin = self.bucket(due_ms);
        Some((client, due_ms))
    }

    /// The first bucket of the ring that is not empty; there is one.
    #[inline]
    fn first_occupied(&self) -> u64 {
        let place = self.begin as usize & (self.heads.len() - 1);
        let ahead = self.occupied[place / 64] >> (place % 64);
        if ahead == 0 {
            return self.first_occupied_after(place);
        }
        self.begin + u64::from(ahead.trailing_zeros())
    }

    fn first_occupied_after(&self, place: usize) -> u64 {
        let mask = self.occupied.len() - 1;
        let mut word = (place / 64 + 1) & mask;
        let mut bucket = self.begin + 64 - (place % 64) as u64;
        while self.occupied[word] == 0 {
            word = (word + 1) & mask;
            bucket += 64;
        }
        bucket + u64::from(self.occupied[word].trailing_zeros())
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
