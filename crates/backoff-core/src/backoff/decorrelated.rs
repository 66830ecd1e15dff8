//! Decorrelated jitter: each wait drawn from a range that the wait before it set.

use super::quadrature::Means;

/// `min(cap, U(base, max(base, 3 · previous)))`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Decorrelated {
    base: f64,
    cap: f64,
    greatest_reach: f64,
}

/// The mean wait after a failure, and the sum of the means up to it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Mean {
    pub(super) last: f64,
    pub(super) sum: f64,
}

impl Decorrelated {
    /// For 0 ≤ base ≤ cap < ∞.
    pub(crate) fn new(base: f64, cap: f64) -> Self {
        // From a base of 0 no wait ever rises, whatever the cap.
        let cap = if base == 0.0 { 0.0 } else { cap };
        Self {
            base,
            cap,
            greatest_reach: 3.0 * cap,
        }
    }

    /// A previous wait under the base (or NaN) counts as the base at most, one above the cap as the cap, so that the range is never empty or infinite.
    #[inline]
    pub(super) fn wait(&self, previous: f64, unit: f64) -> f64 {
        let reach = lesser(greater(3.0 * previous, self.base), self.greatest_reach);
        lesser(self.base + (reach - self.base) * unit, self.cap)
    }

    pub(super) fn base(&self) -> f64 {
        self.base
    }

    /// Whether every wait is the same.
    pub(super) fn is_constant(&self) -> bool {
        self.base == self.cap
    }

    /// The greatest wait after failure `failures`: the cap after at most 60 steps, since they triple.
    pub(super) fn greatest(&self, failures: u32) -> f64 {
        (0..failures)
            .try_fold(self.base, |greatest, _| self.next_below_cap(greatest))
            .unwrap_or(self.cap)
    }

    /// The greatest sum of the waits after failures 1..=`failures`.
    pub(super) fn total_greatest(&self, failures: u32) -> f64 {
        let (mut greatest, mut sum) = (self.base, 0.0);
        for done in 0..failures {
            match self.next_below_cap(greatest) {
                Some(next) => greatest = next,
                None => return sum + f64::from(failures - done) * self.cap,
            }
            sum += greatest;
        }
        sum
    }

    /// The greatest wait after one of at most `greatest`, unless that is the cap.
    fn next_below_cap(&self, greatest: f64) -> Option<f64> {
        Some(self.wait(greatest, 1.0)).filter(|next| *next < self.cap)
    }

    /// The mean wait after failure `failures`, and the sum of the means after 1..=`failures`.
    pub(super) fn mean(&self, failures: u32) -> Mean {
        if self.is_constant() {
            return Mean {
                last: self.base,
                sum: self.base * f64::from(failures),
            };
        }
        let ratio = self.cap / self.base;
        let mut mean = Mean {
            last: 1.0,
            sum: 0.0,
        };
        let mut done = 0;
        let mut reach = 1.0;
        while done < failures && reach * 3.0 <= ratio {
            reach *= 3.0;
            mean.last = f64::midpoint(1.0, 3.0 * mean.last);
            mean.sum += mean.last;
            done += 1;
        }
        if done < failures {
            let mut means = Means::new(ratio);
            for _ in 0..done {
                means.advance();
            }
            while done < failures && !means.settled() {
                mean.last = means.advance();
                mean.sum += mean.last;
                done += 1;
            }
        }
        Mean {
            last: mean.last * self.base,
            sum: (mean.sum + f64::from(failures - done) * mean.last) * self.base,
        }
    }
}

/// `x` if it is above `floor`, else `floor`, for NaN too: one instruction, where `f64::max` also asks whether the floor is NaN.
#[inline]
fn greater(x: f64, floor: f64) -> f64 {
    if x > floor { x } else { floor }
}

/// `x` if it is below `ceiling`, else `ceiling`.
#[inline]
fn lesser(x: f64, ceiling: f64) -> f64 {
    if x < ceiling { x } else { ceiling }
}
