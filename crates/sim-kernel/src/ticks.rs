//! From seconds and durations to ticks.

use core::time::Duration;

/// The greatest number of ticks that [`ticks_of_wait`] returns, 2^51: later than any simulation's end.
pub const MAX_TICKS: u64 = 1 << 51;

/// `wait / tick` rounded to the nearest whole number, halves to the even one, as CPython's `round(wait / tick)`.
///
/// `wait` and `tick` are in the same unit. The division is a true one, not a multiplication by the reciprocal. A quotient above
/// [`MAX_TICKS`], infinite or NaN gives [`MAX_TICKS`]; a negative one gives 0.
///
/// ```
/// use sim_kernel::{MAX_TICKS, ticks_of_wait};
///
/// assert_eq!(ticks_of_wait(0.014, 0.01), 1);
/// assert_eq!([0.5, 1.5, 2.5].map(|wait| ticks_of_wait(wait, 1.0)), [0, 2, 2]);
/// assert_eq!(ticks_of_wait(f64::INFINITY, 0.01), MAX_TICKS);
/// ```
#[inline]
#[must_use]
pub fn ticks_of_wait(wait: f64, tick: f64) -> u64 {
    /// From here to its double, neighbouring floats are 1 apart, so the processor's own rounding (nearest, ties to even) rounds a
    /// sum with it to a whole number, which then stands in the low bits. Every processor has that; a rounding instruction it may lack.
    const WHOLE: f64 = 4503599627370496.0;
    const MAX: f64 = MAX_TICKS as f64;
    let quotient = wait / tick;
    // Comparisons in this direction are one instruction each, and the first sends NaN to MAX.
    let quotient = if quotient < MAX { quotient } else { MAX };
    let quotient = if quotient > 0.0 { quotient } else { 0.0 };
    (quotient + WHOLE).to_bits() - WHOLE.to_bits()
}

/// Why a duration is no whole number of ticks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TickError {
    /// The tick is 0.
    #[error("a tick must be longer than 0")]
    ZeroTick,
    /// The duration lies between two ticks.
    #[error("{duration:?} must be a whole number of ticks of {tick:?}")]
    Between {
        /// The duration.
        duration: Duration,
        /// The tick.
        tick: Duration,
    },
}

/// `duration` as a number of ticks; a number above `u64::MAX` counts as that.
///
/// # Errors
/// A tick of 0, and a duration that is not a whole number of ticks.
///
/// ```
/// use core::time::Duration;
/// use sim_kernel::whole_ticks;
///
/// let tick = Duration::from_millis(10);
/// assert_eq!(whole_ticks(Duration::from_secs(1), tick), Ok(100));
/// assert!(whole_ticks(Duration::from_millis(15), tick).is_err());
/// ```
pub fn whole_ticks(duration: Duration, tick: Duration) -> Result<u64, TickError> {
    if tick.is_zero() {
        return Err(TickError::ZeroTick);
    }
    let (duration_ns, tick_ns) = (duration.as_nanos(), tick.as_nanos());
    if duration_ns % tick_ns != 0 {
        return Err(TickError::Between { duration, tick });
    }
    Ok(u64::try_from(duration_ns / tick_ns).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn halves_go_to_the_even_tick() {
        let halves: Vec<f64> = (0..8).map(|n| f64::from(n) + 0.5).collect();
        let rounded: Vec<u64> = halves.iter().map(|&w| ticks_of_wait(w, 1.0)).collect();
        assert_eq!(rounded, [0, 2, 2, 4, 4, 6, 6, 8]);
    }

    #[test]
    fn the_division_is_a_true_one() {
        // By the reciprocal both would lie at the half, and the second would go up.
        assert_eq!((0.295 / 0.01, 0.295 * 100.0), (29.499999999999996, 29.5));
        assert_eq!((0.235 / 0.01, 0.235 * 100.0), (23.499999999999996, 23.5));
        assert_eq!(ticks_of_wait(0.295, 0.01), 29);
        assert_eq!(ticks_of_wait(0.235, 0.01), 23);
    }

    #[test]
    fn what_is_no_number_of_ticks_is_late_or_now() {
        assert_eq!(ticks_of_wait(f64::INFINITY, 0.01), MAX_TICKS);
        assert_eq!(ticks_of_wait(f64::MAX, 0.01), MAX_TICKS);
        assert_eq!(ticks_of_wait(f64::NAN, 0.01), MAX_TICKS);
        assert_eq!(ticks_of_wait(1.0, 0.0), MAX_TICKS);
        assert_eq!(ticks_of_wait(0.0, 0.0), MAX_TICKS);
        assert_eq!(ticks_of_wait(-1.0, 0.01), 0);
        assert_eq!(ticks_of_wait(f64::NEG_INFINITY, 0.01), 0);
        assert_eq!(ticks_of_wait(-0.0, 0.01), 0);
        assert_eq!(ticks_of_wait(f64::MIN_POSITIVE, 0.01), 0);
        assert_eq!(ticks_of_wait(MAX_TICKS as f64, 1.0), MAX_TICKS);
        assert_eq!(ticks_of_wait(MAX_TICKS as f64 - 0.5, 1.0), MAX_TICKS);
        assert_eq!(ticks_of_wait(MAX_TICKS as f64 - 1.0, 1.0), MAX_TICKS - 1);
    }

    #[test]
    fn durations_are_whole_ticks_or_refused() {
        let tick = Duration::from_millis(10);
        assert_eq!(whole_ticks(Duration::ZERO, tick), Ok(0));
        assert_eq!(whole_ticks(tick, tick), Ok(1));
        assert_eq!(
            whole_ticks(Duration::MAX, Duration::from_nanos(1)),
            Ok(u64::MAX)
        );
        assert_eq!(whole_ticks(tick, Duration::ZERO), Err(TickError::ZeroTick));
        let between = whole_ticks(Duration::from_millis(15), tick).unwrap_err();
        assert_eq!(
            between.to_string(),
            "15ms must be a whole number of ticks of 10ms"
        );
    }

    proptest! {
        #[test]
        fn as_the_standard_library_rounds(wait in 0.0..1e9, tick in 1e-6..1e3) {
            prop_assert_eq!(ticks_of_wait(wait, tick), (wait / tick).round_ties_even() as u64);
        }

        #[test]
        fn halves_as_the_standard_library_rounds(n in 0_u64..1 << 50) {
            let wait = n as f64 + 0.5;
            prop_assert_eq!(ticks_of_wait(wait, 1.0), wait.round_ties_even() as u64);
        }
    }
}
