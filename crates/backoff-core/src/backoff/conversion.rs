//! Random bits to the unit interval, and waits to durations.

use core::time::Duration;

use crate::config::Unit;

/// A number uniform in [0, 1) from 64 uniform random bits: the upper 53 of them, times 2^-53.
///
/// ```
/// assert_eq!(backoff_core::backoff::unit_from_bits(0), 0.0);
/// assert_eq!(backoff_core::backoff::unit_from_bits(1 << 63), 0.5);
/// assert_eq!(backoff_core::backoff::unit_from_bits(u64::MAX), 1.0 - f64::EPSILON / 2.0);
/// ```
#[inline]
#[must_use]
#[expect(
    clippy::cast_possible_wrap,
    reason = "53 bits are never negative, and processors convert signed integers faster"
)]
pub fn unit_from_bits(bits: u64) -> f64 {
    const ULP: f64 = 1.0 / (1u64 << 53) as f64;
    (bits >> 11) as i64 as f64 * ULP
}

/// `wait` in `unit` as a duration: under 2^50 ns (13 days) to the nearest nanosecond but for the rounding of one product,
/// beyond as the standard library rounds; negative and NaN become zero, too large the greatest duration.
#[inline]
pub(super) fn to_duration(wait: f64, unit: Unit) -> Duration {
    const FAST_BELOW: f64 = (1u64 << 50) as f64;
    const INTEGERS_FROM: f64 = (1u64 << 52) as f64;
    const MANTISSA: u64 = (1 << 52) - 1;
    let nanos = match unit {
        Unit::Seconds => wait * 1e9,
        Unit::Millis => wait * 1e6,
    };
    // As integers, the bits of doubles in [0, 2^50) are less than those of 2^50, and those of all others, negative and NaN included, greater.
    if nanos.to_bits() < FAST_BELOW.to_bits() {
        // Between 2^52 and 2^53 doubles are the integers: adding 2^52 rounds, and leaves the integer in the mantissa.
        return Duration::from_nanos((nanos + INTEGERS_FROM).to_bits() & MANTISSA);
    }
    beyond_fast(wait, unit)
}

#[cold]
fn beyond_fast(wait: f64, unit: Unit) -> Duration {
    let seconds = match unit {
        Unit::Seconds => wait,
        Unit::Millis => wait / 1e3,
    };
    if seconds > 0.0 {
        Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)
    } else {
        Duration::ZERO
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same literals stand in `sim-kernel`, whose stream must make the same numbers of the same bits and can't depend on this crate.
    #[test]
    fn bits_give_the_numbers_that_the_simulators_draw() {
        for (bits, unit) in [
            (0, 0.0),
            (0x7ff, 0.0),
            (0x800, f64::EPSILON / 2.0),
            (1 << 63, 0.5),
            (0x0123_4567_89ab_cdef, f64::from_bits(0x3f72_3456_789a_bc80)),
            (0xfedc_ba98_7654_3210, f64::from_bits(0x3fef_db97_530e_ca86)),
            (u64::MAX, 1.0 - f64::EPSILON / 2.0),
        ] {
            assert_eq!(unit_from_bits(bits), unit, "{bits:#x}");
        }
    }
}
