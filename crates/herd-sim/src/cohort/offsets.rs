//! How a cohort spreads over the ticks at which its clients are due.

use sim_kernel::Stream;

use super::binomial::binomial;
use super::scatter::{self, Parts, add};

/// The distribution of `⌊y⌋` for y uniform on [from, to), or a point, cut off at a horizon.
#[derive(Debug, Clone)]
pub(super) struct Offsets {
    /// The probability of an offset before the horizon.
    kept: f64,
    from: f64,
    width: f64,
    /// The least offset.
    first: usize,
    /// The number of offsets that may occur, from `first` on.
    bins: usize,
    /// The probability of the least offset.
    at_first: f64,
    /// The probability of the greatest offset, the least being excluded; all between are equally likely.
    at_last: f64,
    /// Equal parts of [from, to) that each lie within one offset, if there are such of length 1 or ½.
    parts: Option<Parts>,
}

impl Offsets {
    /// Always `offset`, lost unless below `horizon`.
    pub(super) fn point(offset: u64, horizon: usize) -> Self {
        let within = usize::try_from(offset).is_ok_and(|offset| offset < horizon);
        Self {
            kept: if within { 1.0 } else { 0.0 },
            from: 0.0,
            width: 0.0,
            first: if within { offset as usize } else { 0 },
            bins: 1,
            at_first: 1.0,
            at_last: 0.0,
            parts: None,
        }
    }

    /// `⌊y⌋` for y uniform on [from, to), 0 ≤ from < to ≤ ∞, lost unless below `horizon` ≤ 2^31.
    pub(super) fn uniform(from: f64, to: f64, horizon: usize) -> Self {
        let end = to.min(horizon as f64);
        let kept = (end - from) / (to - from);
        // Bounds that are not numbers are never reached either.
        if kept.is_nan() || kept <= 0.0 {
            return Self::point(u64::MAX, horizon);
        }
        let width = end - from;
        let first = from.floor();
        let bins = end.ceil() - first;
        let at_first = ((first + 1.0).min(end) - from) / width;
        let rest = end - (first + 1.0);
        Self {
            kept,
            from,
            width,
            first: first as usize,
            bins: bins as usize,
            at_first,
            at_last: if rest > 0.0 {
                (end - (end.ceil() - 1.0)) / rest
            } else {
                0.0
            },
            parts: [0, 1]
                .into_iter()
                .find_map(|shift| Parts::new(from, end, shift)),
        }
    }

    /// Whether every offset lies at the horizon or beyond.
    pub(super) fn is_lost(&self) -> bool {
        self.kept <= 0.0
    }

    /// One more than the greatest offset that may occur.
    pub(super) fn end(&self) -> usize {
        self.first + self.bins
    }

    /// Adds `count` clients to `cells`, a ring of 2^k cells, each at its own offset from the cell `origin`: a multinomial.
    pub(super) fn scatter<S: Stream>(
        &self,
        stream: &mut S,
        count: u64,
        cells: &mut [u64],
        origin: usize,
    ) {
        let count = if self.kept < 1.0 {
            binomial(stream, count, self.kept)
        } else {
            count
        };
        let start = origin + self.first;
        if self.bins == 1 {
            add(cells, start, count);
        } else if count <= scatter::SINGLY_PER_BIN * self.bins as u64 {
            match self.parts {
                Some(parts) => scatter::singly(stream, count, cells, origin, parts),
                None => self.singly(stream, count, cells, origin),
            }
        } else {
            let first = binomial(stream, count, self.at_first);
            let last = binomial(stream, count - first, self.at_last);
            add(cells, start, first);
            add(cells, start + self.bins - 1, last);
            if self.bins > 2 {
                scatter::evenly(
                    stream,
                    count - first - last,
                    cells,
                    start + 1,
                    self.bins - 2,
                );
            }
        }
    }

    fn singly<S: Stream>(&self, stream: &mut S, count: u64, cells: &mut [u64], origin: usize) {
        let greatest = self.end() - 1;
        for _ in 0..count {
            let offset = (self.from + self.width * stream.unit()) as usize;
            // The sum may round up to the end of the interval.
            add(cells, origin + offset.min(greatest), 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim_kernel::{Pcg64, ticks_of_wait};

    /// The probability of `offset`, put together again from what the draws use.
    fn probability(offsets: &Offsets, offset: usize) -> f64 {
        let last = offsets.end() - 1;
        let rest = 1.0 - offsets.at_first;
        offsets.kept
            * if offset < offsets.first || offset > last {
                0.0
            } else if offsets.bins == 1 {
                1.0
            } else if offset == offsets.first {
                offsets.at_first
            } else if offset == last {
                rest * offsets.at_last
            } else {
                rest * (1.0 - offsets.at_last) / (offsets.bins - 2) as f64
            }
    }

    /// Against the rounding that the exact engine does, at evenly spaced uniform numbers.
    #[test]
    fn probabilities_are_those_of_rounded_waits() {
        const STEPS: u32 = 1_000_000;
        let tick = 0.01;
        for (low, high) in [
            (0.0, 0.2),
            (0.0, 10.0),
            (0.1, 0.2),
            (0.08, 0.12),
            (0.0, 0.003),
            (0.004, 0.006),
            (0.0251, 0.0313),
            (0.0, 0.015),
        ] {
            let offsets = Offsets::uniform(low / tick + 0.5, high / tick + 0.5, 1 << 20);
            let mut counts = vec![0_u32; offsets.end() + 2];
            for step in 0..STEPS {
                let unit = (f64::from(step) + 0.5) / f64::from(STEPS);
                counts[ticks_of_wait(low + (high - low) * unit, tick) as usize] += 1;
            }
            for (offset, &count) in counts.iter().enumerate() {
                let share = f64::from(count) / f64::from(STEPS);
                let ours = probability(&offsets, offset);
                assert!(
                    (share - ours).abs() <= 2.1 / f64::from(STEPS),
                    "[{low}, {high}) {offset}: {share} {ours}"
                );
            }
        }
    }

    #[test]
    fn what_lies_beyond_the_horizon_is_lost() {
        for (from, to) in [(0.0, 20.0), (0.0, 40.5), (5.5, 12.25), (9.0, 11.0)] {
            let whole = Offsets::uniform(from, to, 1 << 20);
            let cut = Offsets::uniform(from, to, 10);
            assert_eq!(cut.end(), 10);
            for offset in 0..10 {
                let difference = probability(&whole, offset) - probability(&cut, offset);
                assert!(difference.abs() < 1e-15, "[{from}, {to}) {offset}");
            }
        }
        for (from, to) in [
            (10.0, 11.0),
            (0.0, f64::INFINITY),
            (f64::NAN, f64::INFINITY),
            (f64::NAN, f64::NAN),
        ] {
            assert!(Offsets::uniform(from, to, 10).is_lost(), "[{from}, {to})");
        }
        assert!(!Offsets::point(9, 10).is_lost());
        assert!(Offsets::point(10, 10).is_lost());
        assert!(Offsets::point(u64::MAX, 10).is_lost());
    }

    #[test]
    fn nobody_is_lost_before_the_horizon_and_nobody_lands_elsewhere() {
        let mut stream = Pcg64::for_unit("scatter", 0);
        for (from, to) in [
            (0.5, 20.5),
            (0.5, 1.25),
            (0.25, 0.75),
            (10.5, 20.5),
            (8.3, 11.9),
        ] {
            let offsets = Offsets::uniform(from, to, 1 << 20);
            for count in [0, 1, 5, 400, 1_000_000, 1 << 53] {
                let mut cells = [0; 32];
                offsets.scatter(&mut stream, count, &mut cells, 27);
                assert_eq!(cells.iter().sum::<u64>(), count);
                // The origin is cell 27.
                cells.rotate_left(27);
                for (offset, &cell) in cells.iter().enumerate() {
                    assert!(
                        cell == 0 || probability(&offsets, offset) > 0.0,
                        "[{from}, {to}) {offset}"
                    );
                }
            }
        }
    }
}
