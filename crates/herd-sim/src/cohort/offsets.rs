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
