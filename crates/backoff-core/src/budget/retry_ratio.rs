//! Retries as a share of what was sent lately.

use core::time::Duration;

use super::{Attempt, Failure, Grant, Ratio, RetryBudget};
use crate::config::ConfigError;
use crate::window::{Span, Window};

/// Grants a retry while the retries sent within the window are strictly fewer than `ratio` of everything sent within it.
///
/// At time t the window is [t − window, t], both ends included. Only what was sent counts, so a retry that still waits for its
/// backoff doesn't: after a burst of failures more than `ratio` may be granted before the first of them is sent. That is the
/// published rule, and why it overshoots.
///
/// Time is cut into slots of `resolution`: with times that are multiples of it the window is exact, other sends may count for
/// up to one resolution longer. Memory is at most 24 bytes for each of `window / resolution + 1` slots, made when built.
///
/// Source: "Handling Overload", *Site Reliability Engineering* (a client retries while its ratio of retries to
/// requests is below 10 %); the window of one second is that of the published experiment.
///
/// ```
/// use backoff_core::budget::{Attempt, Failure, RetryBudget, RetryRatioConfig};
/// use core::time::Duration;
///
/// let mut budget = RetryRatioConfig::default().build()?;
/// assert!(budget.try_retry(Duration::ZERO, Failure::Transient, 0.0).is_none()); // 0 isn't below 10 % of 0
/// budget.sent(Duration::ZERO, &Attempt::First);
/// let grant = budget.try_retry(Duration::ZERO, Failure::Transient, 0.0).unwrap(); // 0 < 0.1
/// budget.sent(Duration::from_millis(100), &Attempt::Retry(grant));
/// assert!(budget.try_retry(Duration::from_millis(100), Failure::Transient, 0.0).is_none()); // 1 of 2
/// # Ok::<(), backoff_core::ConfigError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RetryRatio {
    ratio: Ratio,
    /// First sends, and retries.
    sends: Window,
}

/// Share and window of [`RetryRatio`], not yet checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryRatioConfig {
    /// The share of all sends below which retries stay; above 0.
    pub ratio: Ratio,
    /// How long a send counts: a whole number of resolutions, from 1 to 65,536.
    pub window: Duration,
    /// The width of a slot; above 0.
    pub resolution: Duration,
}

impl Default for RetryRatioConfig {
    /// 10 % of the last second, counted in slots of 10 ms.
    fn default() -> Self {
        Self {
            ratio: Ratio::TENTH,
            window: Duration::from_secs(1),
            resolution: Duration::from_millis(10),
        }
    }
}

impl RetryRatioConfig {
    /// The budget with nothing sent yet.
    ///
    /// # Errors
    /// A ratio of 0, a resolution of 0, a window that isn't 1 to 65,536 resolutions.
    pub fn build(self) -> Result<RetryRatio, ConfigError> {
        if self.ratio.is_zero() {
            return Err(ConfigError {
                field: "ratio",
                value: "0".into(),
                allowed: "above 0".into(),
            });
        }
        let span = Span::new("window", self.window, "resolution", self.resolution)?;
        Ok(RetryRatio {
            ratio: self.ratio,
            sends: Window::new(span),
        })
    }
}

impl RetryRatio {
    /// The first sends and the retries within the window that ends at `now`.
    pub fn sends(&mut self, now: Duration) -> (u64, u64) {
        self.sends.advance(now);
        let [first, retries] = self.sends.totals();
        (first, retries)
    }
}

impl RetryBudget for RetryRatio {
    #[inline]
    fn sent(&mut self, now: Duration, attempt: &Attempt) {
        self.sends.advance(now);
        self.sends.count(usize::from(*attempt != Attempt::First));
    }

    #[inline]
    fn succeeded(&mut self, now: Duration, _attempt: Attempt) {
        self.sends.advance(now);
    }

    #[inline]
    fn failed(&mut self, now: Duration, _attempt: Attempt, _failure: Failure) {
        self.sends.advance(now);
    }

    fn abandoned(&mut self, _attempt: Attempt) {}

    fn unused(&mut self, _grant: Grant) {}

    #[inline]
    fn try_retry(&mut self, now: Duration, failure: Failure, _unit: f64) -> Option<Grant> {
        let (first, retries) = self.sends(now);
        (failure.is_retryable() && self.ratio.exceeds(retries, first + retries))
            .then(|| Grant::taking(0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    fn grant(budget: &mut RetryRatio, ms: u64) -> Option<Grant> {
        budget.try_retry(at(ms), Failure::Transient, 0.0)
    }

    #[test]
    fn ten_percent_exactly_is_too_much() {
        let mut budget = RetryRatioConfig::default().build().unwrap();
        for _ in 0..9 {
            budget.sent(at(0), &Attempt::First);
        }
        let first = grant(&mut budget, 0).unwrap();
        budget.sent(at(0), &Attempt::Retry(first));
        assert_eq!(grant(&mut budget, 0), None, "1 of 10");
        budget.sent(at(0), &Attempt::First);
        assert!(grant(&mut budget, 0).is_some(), "1 of 11");
    }

    #[test]
    fn a_send_counts_until_the_window_has_passed() {
        let mut budget = RetryRatioConfig::default().build().unwrap();
        budget.sent(at(500), &Attempt::First);
        assert!(grant(&mut budget, 1500).is_some());
        assert_eq!(grant(&mut budget, 1510), None);
        assert_eq!(grant(&mut budget, 0), None, "time doesn't come back");
    }

    #[test]
    fn impossible_numbers_are_refused_by_name() {
        let default = RetryRatioConfig::default();
        for (config, field) in [
            (
                RetryRatioConfig {
                    ratio: Ratio::new("ratio", 0, 1).unwrap(),
                    ..default
                },
                "ratio",
            ),
            (
                RetryRatioConfig {
                    window: Duration::ZERO,
                    ..default
                },
                "window",
            ),
            (
                RetryRatioConfig {
                    resolution: Duration::ZERO,
                    ..default
                },
                "resolution",
            ),
            (
                RetryRatioConfig {
                    window: at(1005),
                    ..default
                },
                "window",
            ),
        ] {
            assert_eq!(config.build().unwrap_err().field, field);
        }
    }
}
