//! Which positions of a batch were chosen.

/// A set of positions in a batch, one bit each.
///
/// Reused from batch to batch: nothing is allocated once the longest batch has been seen.
#[derive(Debug, Clone, Default)]
pub struct Chosen {
    words: Vec<u64>,
}

impl Chosen {
    /// An empty set.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Makes this the set of `positions` in a batch of `len`. Positions outside the batch are left out.
    pub fn mark(&mut self, len: usize, positions: &[u32]) {
        self.words.clear();
        self.words.resize(len.div_ceil(64), 0);
        for &position in positions {
            if let Some(word) = self.words.get_mut(position as usize / 64) {
                *word |= 1 << (position % 64);
            }
        }
    }

    /// Whether `position` is in the set.
    #[inline]
    #[must_use]
    pub fn contains(&self, position: usize) -> bool {
        self.words
            .get(position / 64)
            .is_some_and(|word| word >> (position % 64) & 1 == 1)
    }

    /// Removes the chosen items from the batch, the others keeping their order.
    pub fn remove_from<T: Copy>(&self, batch: &mut Vec<T>) {
        let mut kept = 0;
        for start in (0..batch.len()).step_by(64) {
            let end = batch.len().min(start + 64);
            let word = self.words.get(start / 64).copied().unwrap_or(0);
            if word == 0 {
                batch.copy_within(start..end, kept);
                kept += end - start;
                continue;
            }
            for offset in 0..end - start {
                // Written in any case and kept or not: no branch to mispredict.
                batch[kept] = batch[start + offset];
                kept += usize::from(word >> offset & 1 == 0);
            }
        }
        batch.truncate(kept);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn positions_outside_the_batch_are_left_out() {
        let mut chosen = Chosen::new();
        chosen.mark(3, &[1, 64, u32::MAX]);
        assert_eq!(
            [0, 1, 2, 64].map(|p| chosen.contains(p)),
            [false, true, false, false]
        );
        let mut longer = vec![7; 130];
        chosen.remove_from(&mut longer);
        assert_eq!(longer.len(), 129);
    }

    proptest! {
        #[test]
        fn removes_the_chosen_and_keeps_the_order(
            len in 0_usize..300,
            positions in prop::collection::vec(0_u32..300, 0..100),
        ) {
            let mut batch: Vec<usize> = (0..len).collect();
            let mut chosen = Chosen::new();
            chosen.mark(500, &[0, 77, 499]);
            chosen.mark(len, &positions);
            chosen.remove_from(&mut batch);
            let kept: Vec<usize> = (0..len).filter(|&p| !positions.contains(&(p as u32))).collect();
            for position in 0..len {
                prop_assert_eq!(chosen.contains(position), !kept.contains(&position));
            }
            prop_assert_eq!(batch, kept);
        }
    }
}
