//! How a uniform number spreads the nominal wait.

use super::Curve;
use super::curve::TABULATED;

/// Uniform from `least` to `least + width` of the nominal wait: all or nothing of it is random, or half.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Spread {
    pub(super) least: f64,
    pub(super) width: f64,
    /// By failure number: the least wait, and how much more it may be.
    steps: [(f64, f64); TABULATED],
}

impl Spread {
    fn new(curve: &Curve, least: f64, width: f64) -> Self {
        Self {
            least,
            width,
            steps: core::array::from_fn(|failures| {
                let nominal = curve.nominal(failures as u32);
                (nominal * least, nominal * width)
            }),
        }
    }

    /// No jitter.
    pub(crate) fn none(curve: &Curve) -> Self {
        Self::new(curve, 1.0, 0.0)
    }

    /// Full jitter.
    pub(crate) fn full(curve: &Curve) -> Self {
        Self::new(curve, 0.0, 1.0)
    }

    /// Equal jitter.
    pub(crate) fn equal(curve: &Curve) -> Self {
        Self::new(curve, 0.5, 0.5)
    }
}

impl Curve {
    /// `least · nominal + U(0, width · nominal)`.
    ///
    /// With shares of 0, 1/2 and 1 both products are exact: `nominal`, `nominal · unit` and `nominal / 2 + nominal / 2 · unit`,
    /// digit for digit; the first of them are tabulated. One formula for five strategies leaves [`Backoff::wait`](super::Backoff::wait) with three cases, which compile to
    /// predictable comparisons; seven became an indirect jump that cost more than the wait.
    #[inline]
    pub(super) fn spread(&self, failures: u32, spread: &Spread, unit: f64) -> f64 {
        let (least, width) = match spread.steps.get(failures as usize) {
            Some(&step) => step,
            None => {
                let nominal = self.nominal(failures);
                (nominal * spread.least, nominal * spread.width)
            }
        };
        least + width * unit
    }

    /// `nominal · U(1 - factor, 1 + factor)`.
    #[inline]
    pub(super) fn proportional(&self, failures: u32, factor: f64, unit: f64) -> f64 {
        let (low, high) = (1.0 - factor, 1.0 + factor);
        self.nominal(failures) * (low + (high - low) * unit)
    }
}
