//! How a uniform number spreads the nominal wait.

use super::Curve;

/// Uniform from `least` to `least + width` of the nominal wait.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Spread {
    pub(super) least: f64,
    pub(super) width: f64,
}

impl Spread {
    /// The nominal wait itself.
    pub(crate) const NONE: Self = Self {
        least: 1.0,
        width: 0.0,
    };

    /// From `1 - factor` to `1 + factor`.
    pub(crate) fn around(factor: f64) -> Self {
        let (least, greatest) = (1.0 - factor, 1.0 + factor);
        Self {
            least,
            width: greatest - least,
        }
    }
}

/// Each formula rounds as its published form does: one for all would differ from some in the last digit.
impl Curve {
    /// `nominal · unit`.
    #[inline]
    pub(super) fn full_jitter(&self, failures: u32, unit: f64) -> f64 {
        self.nominal(failures) * unit
    }

    /// `nominal / 2 + nominal / 2 · unit`.
    #[inline]
    pub(super) fn equal_jitter(&self, failures: u32, unit: f64) -> f64 {
        let half = self.nominal(failures) * 0.5;
        half + half * unit
    }

    /// `nominal · (least + width · unit)`.
    #[inline]
    pub(super) fn spread(&self, failures: u32, spread: Spread, unit: f64) -> f64 {
        self.nominal(failures) * (spread.least + spread.width * unit)
    }
}
