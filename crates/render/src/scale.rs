//! Scales: where a value lies between an axis' ends, and which values get ticks.

mod extent;
mod number;
mod ticks;

pub(crate) use extent::{Extent, Room};
pub(crate) use ticks::Tick;

/// Magnitudes beyond this can't be subtracted without overflow; such values are drawn nowhere.
const GREATEST: f64 = 1e300;

/// A straight or logarithmic scale between two ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Scale {
    low: f64,
    high: f64,
    log: bool,
    /// How much of a logarithmic scale, at its low end, lies between zero and the least of the other values: 0 unless zero has a place.
    gap: f64,
}

/// The share of a logarithmic scale that sets zero apart.
const GAP: f64 = 0.1;

impl Scale {
    /// A linear scale; `low` must be below `high`.
    pub(crate) fn linear(low: f64, high: f64) -> Self {
        debug_assert!(low < high);
        Self {
            low,
            high,
            log: false,
            gap: 0.0,
        }
    }

    /// A logarithmic scale between the powers of ten `low` and `high`, of which `low` must be the smaller.
    pub(crate) fn log(low: f64, high: f64) -> Self {
        debug_assert!(low < high);
        Self {
            low,
            high,
            log: true,
            gap: 0.0,
        }
    }

    /// The same logarithmic scale with a place for zero, at its low end.
    pub(crate) fn with_zero(self) -> Self {
        Self {
            gap: if self.log { GAP } else { 0.0 },
            ..self
        }
    }

    fn has_zero(&self) -> bool {
        self.gap > 0.0
    }

    /// Whether the value lies between the ends.
    fn holds(&self, value: f64) -> bool {
        let least = if value == 0.0 { 0.0 } else { self.gap };
        self.place(value)
            .is_some_and(|place| (least - 1e-9..=1.0 + 1e-9).contains(&place))
    }

    /// Where the value lies: 0 at the low end, 1 at the high end, at most a million beyond either. Nothing if it has no place on any such scale.
    pub(crate) fn place(&self, value: f64) -> Option<f64> {
        if value == 0.0 && self.has_zero() {
            return Some(0.0);
        }
        let value = measure(value, self.log)?;
        let share = ((value - self.low) / (self.high - self.low)).clamp(-1e6, 1e6);
        Some(self.gap + (1.0 - self.gap) * share)
    }

    /// Where a bar or whisker that reaches to the value ends: as [`Scale::place`], and the low end for what lies below a logarithmic scale.
    pub(crate) fn reach(&self, value: f64) -> Option<f64> {
        if self.log && value <= 0.0 {
            Some(0.0)
        } else {
            self.place(value)
        }
    }

    /// Where zero lies, or the low end if the scale is logarithmic.
    pub(crate) fn origin(&self) -> f64 {
        if self.log {
            0.0
        } else {
            self.place(0.0).unwrap_or(0.0).clamp(0.0, 1.0)
        }
    }
}

/// The value as it is measured along a scale; nothing if it has no place.
fn measure(value: f64, log: bool) -> Option<f64> {
    if !value.is_finite() || value.abs() > GREATEST || (log && value <= 0.0) {
        return None;
    }
    Some(if log { libm::log10(value) } else { value })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_shares_of_the_range() {
        let scale = Scale::linear(-10.0, 10.0);
        assert_eq!(scale.place(-10.0), Some(0.0));
        assert_eq!(scale.place(5.0), Some(0.75));
        assert_eq!(scale.place(30.0), Some(2.0));
        assert_eq!(scale.origin(), 0.5);
        let log = Scale::log(0.0, 4.0);
        assert_eq!(log.place(1.0), Some(0.0));
        assert_eq!(log.place(100.0), Some(0.5));
        assert_eq!(log.origin(), 0.0);
        let zero = log.with_zero();
        assert_eq!(
            [0.0, 1.0, 1e4].map(|value| zero.place(value)),
            [Some(0.0), Some(0.1), Some(1.0)]
        );
        assert_eq!(zero.place(-1.0), None);
        let linear = Scale::linear(-1.0, 1.0);
        assert_eq!(linear.with_zero(), linear);
    }

    #[test]
    fn what_has_no_place_is_skipped() {
        for scale in [Scale::linear(0.0, 1.0), Scale::log(0.0, 1.0)] {
            for value in [
                f64::NAN,
                f64::INFINITY,
                f64::NEG_INFINITY,
                f64::MAX,
                f64::MIN,
            ] {
                assert_eq!(scale.place(value), None, "{value}");
            }
        }
        let log = Scale::log(0.0, 1.0);
        assert_eq!((log.place(0.0), log.place(-1.0)), (None, None));
        assert_eq!((log.reach(0.0), log.reach(-1.0)), (Some(0.0), Some(0.0)));
    }

    #[test]
    fn a_place_far_outside_stays_finite() {
        assert_eq!(Scale::linear(0.0, 1e-300).place(1e300), Some(1e6));
        assert_eq!(Scale::linear(0.0, 1e-300).place(-1e300), Some(-1e6));
    }
}
