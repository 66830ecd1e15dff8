//! How a uniform number spreads the nominal wait.

use super::Curve;

/// Uniform from `least` to `least + width` of the nominal wait: all or nothing of it is random, or half.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Spread {
    pub(super) least: f64,
    pub(super) width: f64,
}

impl Spread {
    pub(crate) const NONE: Self = Self {
        least: 1.0,
        width: 0.0,
    };
    pub(crate) const FULL: Self = Self {
        least: 0.0,
        width: 1.0,
    };
    pub(crate) const EQUAL: Self = Self {
        least: 0.5,
        width: 0.5,
    };
}

impl Curve {
    /// `least · nominal + U(0, width · nominal)`.
    ///
    /// With shares of 0, 1/2 and 1 both products are exact: `nominal`, `nominal · unit` and `nominal / 2 + nominal / 2 · unit`,
    /// digit for digit. One formula for five strategies leaves [`Backoff::wait`](super::Backoff::wait) with three cases, which compile to
    /// predictable comparisons; seven became an indirect jump that cost more than the wait.
    #[inline]
    pub(super) fn spread(&self, failures: u32, spread: Spread, unit: f64) -> f64 {
        let nominal = self.nominal(failures);
        nominal * spread.least + nominal * spread.width * unit
    }

    /// `nominal · U(1 - factor, 1 + factor)`.
    #[inline]
    pub(super) fn proportional(&self, failures: u32, factor: f64, unit: f64) -> f64 {
        let (low, high) = (1.0 - factor, 1.0 + factor);
        self.nominal(failures) * (low + (high - low) * unit)
    }
}
