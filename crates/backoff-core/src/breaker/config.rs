//! What a circuit breaker is made from, checked once.

use core::time::Duration;

use super::calls::{Calls, LastCalls};
use super::machine::Breaker;
use crate::budget::Ratio;
use crate::config::ConfigError;
use crate::window::{MAX_SLOTS, Span, Window};

/// The calls by which a closed breaker judges.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallWindow {
    /// The last so many calls, from 1 to 65,536.
    Calls(u32),
    /// The calls answered in [t − span, t], both ends included.
    Time {
        /// How long a call counts: a whole number of resolutions, from 1 to 65,536.
        span: Duration,
        /// The width of the slots into which time is cut, above 0. With times that are multiples of it the window is exact,
        /// other calls may count for up to one resolution longer.
        resolution: Duration,
    },
}

/// The numbers of a circuit breaker, not yet checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BreakerConfig {
    /// The calls by which it judges.
    pub window: CallWindow,
    /// The share of failed calls, in (0, 1], from which on it opens.
    pub failure_rate: Ratio,
    /// The calls that the window must hold before it is judged: at least 1, and at most the window's calls.
    pub minimum_calls: u32,
    /// How long it refuses everything.
    pub open_for: Duration,
    /// The probes that are let through half-open, and must all succeed; at least 1.
    pub half_open_permits: u32,
    /// How long probes may be out, without a break and without a success among them, before they count as failed; above 0, [`Duration::MAX`] for
    /// no limit.
    pub half_open_limit: Duration,
}

impl Default for BreakerConfig {
    /// At least 50 % of at least 10 calls in 1 s; open for 1 s; 3 probes within 10 s: the published experiment's, with a limit.
    fn default() -> Self {
        Self {
            window: CallWindow::Time {
                span: Duration::from_secs(1),
                resolution: Duration::from_millis(10),
            },
            failure_rate: Ratio::HALF,
            minimum_calls: 10,
            open_for: Duration::from_secs(1),
            half_open_permits: 3,
            half_open_limit: Duration::from_secs(10),
        }
    }
}

impl BreakerConfig {
    /// The closed breaker with no calls yet. This allocates its window; no call afterwards allocates.
    ///
    /// # Errors
    /// A window of 0 calls or more than 65,536, or of an impossible span; a failure rate outside (0, 1]; minimum calls of 0 or
    /// more than the window holds (it would never open); 0 permits; a half-open limit of 0.
    pub fn build(self) -> Result<Breaker, ConfigError> {
        let calls = match self.window {
            CallWindow::Calls(calls) => {
                require(
                    (1..=MAX_SLOTS).contains(&u64::from(calls)),
                    "window",
                    &calls,
                    "from 1 to 65536 calls",
                )?;
                require(
                    self.minimum_calls <= calls,
                    "minimum_calls",
                    &self.minimum_calls,
                    "at most the calls of the window",
                )?;
                Calls::Last(LastCalls::new(calls))
            }
            CallWindow::Time { span, resolution } => {
                let span = Span::new("window", span, "resolution", resolution)?;
                Calls::Within(Window::new(span))
            }
        };
        require(
            !self.failure_rate.is_zero() && !self.failure_rate.exceeds(1, 1),
            "failure_rate",
            &self.failure_rate.as_f64(),
            "in (0, 1]",
        )?;
        require(
            self.minimum_calls > 0,
            "minimum_calls",
            &self.minimum_calls,
            "at least 1",
        )?;
        require(
            self.half_open_permits > 0,
            "half_open_permits",
            &self.half_open_permits,
            "at least 1",
        )?;
        require(
            !self.half_open_limit.is_zero(),
            "half_open_limit",
            &"0s",
            "above 0",
        )?;
        Ok(Breaker::new(self, calls))
    }
}

fn require(
    holds: bool,
    field: &'static str,
    value: &dyn core::fmt::Display,
    allowed: &str,
) -> Result<(), ConfigError> {
    if holds {
        return Ok(());
    }
    Err(ConfigError {
        field,
        value: alloc::format!("{value}"),
        allowed: allowed.into(),
    })
}
