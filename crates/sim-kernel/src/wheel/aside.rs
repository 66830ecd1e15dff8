//! What is due further ahead than a ring should reach.

use std::collections::BTreeMap;

/// Items by the tick at which they are due, each tick's in the order in which they came.
#[derive(Debug, Clone)]
pub(super) struct Aside<T> {
    by_tick: BTreeMap<u64, Vec<T>>,
    /// The first tick at which something is due; `u64::MAX` for none.
    next: u64,
}

impl<T: Copy> Aside<T> {
    pub(super) fn new() -> Self {
        Self {
            by_tick: BTreeMap::new(),
            next: u64::MAX,
        }
    }

    /// Keeps `item` `count` times for `tick`, which is below `u64::MAX`.
    pub(super) fn keep(&mut self, tick: u64, item: T, count: u64) {
        let items = self.by_tick.entry(tick).or_default();
        items.resize(items.len() + count as usize, item);
        self.next = self.next.min(tick);
    }

    /// Whether something is due at `tick`, if nothing is due before.
    #[inline]
    pub(super) fn is_due(&self, tick: u64) -> bool {
        self.next == tick
    }

    /// Moves what is due first to the end of `batch`.
    #[cold]
    #[inline(never)]
    pub(super) fn take_first(&mut self, batch: &mut Vec<T>) {
        if let Some((_, items)) = self.by_tick.pop_first() {
            batch.extend_from_slice(&items);
        }
        self.next = self.by_tick.keys().next().copied().unwrap_or(u64::MAX);
    }

    pub(super) fn kept(&self) -> u64 {
        self.by_tick.values().map(|items| items.len() as u64).sum()
    }
}
