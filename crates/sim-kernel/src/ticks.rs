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
