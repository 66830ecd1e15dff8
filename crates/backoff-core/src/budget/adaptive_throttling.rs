//! Google's client-side adaptive throttling.

use core::time::Duration;

use super::{Attempt, Failure, Grant, Ratio, RetryBudget};
use crate::config::ConfigError;
use crate::window::{Span, Window};

/// Refuses with probability `max(0, (requests − k · accepts) / (requests + 1))`, counted over the window.
///
/// *Requests* are the attempts sent and those refused here; *accepts* are the attempts that the service took: successes and
/// [`Failure::Final`], no other failure, whether the client retries it or not. The caller draws one uniform number for each decision.
/// The source throttles every request: a client that follows it asks [`admit_first`](RetryBudget::admit_first) before each first send.
///
/// Source: "Handling Overload", *Site Reliability Engineering*: k = 2, two minutes. The window is counted in slots of
/// `resolution`, both ends included; memory is at most 24 bytes a slot, made when built.
///
/// ```
/// use backoff_core::budget::{AdaptiveThrottlingConfig, Attempt, Failure, RetryBudget};
/// use core::time::Duration;
///
/// let now = Duration::ZERO;
/// let mut budget = AdaptiveThrottlingConfig::default().build()?;
/// for _ in 0..9 {
///     budget.sent(now, &Attempt::First);
///     budget.failed(now, Attempt::First, Failure::Throttled);
/// }
/// assert_eq!(budget.refusal_probability(now), 0.9);
/// assert!(budget.try_retry(now, Failure::Throttled, 0.9).is_some());
/// # Ok::<(), backoff_core::ConfigError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AdaptiveThrottling {
    k: Ratio,
    /// Requests, and accepts.
    seen: Window,
}

/// Multiplier and window of [`AdaptiveThrottling`], not yet checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AdaptiveThrottlingConfig {
    /// How many requests the client sends for each that is accepted, at least 1.
    pub k: Ratio,
    /// How long a request counts: a whole number of resolutions, from 1 to 65,536.
    pub window: Duration,
    /// The width of a slot; above 0.
    pub resolution: Duration,
}

impl Default for AdaptiveThrottlingConfig {
    /// k = 2, two minutes in slots of one second.
    fn default() -> Self {
        Self {
            k: Ratio::TWO,
            window: Duration::from_secs(120),
            resolution: Duration::from_secs(1),
        }
    }
}

impl AdaptiveThrottlingConfig {
    /// The budget with nothing seen yet.
    ///
    /// # Errors
    /// k below 1, a resolution of 0, a window that isn't 1 to 65,536 resolutions.
    pub fn build(self) -> Result<AdaptiveThrottling, ConfigError> {
        if !self.k.covers(1, 1) {
            return Err(ConfigError {
                field: "k",
                value: alloc::format!("{}", self.k.as_f64()),
                allowed: "at least 1".into(),
            });
        }
        let span = Span::new("window", self.window, "resolution", self.resolution)?;
        Ok(AdaptiveThrottling {
            k: self.k,
            seen: Window::new(span),
        })
    }
}

const REQUESTS: usize = 0;
const ACCEPTS: usize = 1;

impl AdaptiveThrottling {
    /// The probability of a refusal at `now`, in [0, 1).
    pub fn refusal_probability(&mut self, now: Duration) -> f64 {
        self.seen.advance(now);
        let [requests, accepts] = self.seen.totals();
        let excess = requests as f64 - self.k.as_f64() * accepts as f64;
        (excess / (requests as f64 + 1.0)).max(0.0)
    }

    /// Whether an attempt may leave at `now`; a refusal counts as a request.
    fn admits(&mut self, now: Duration, unit: f64) -> bool {
        let admitted = unit >= self.refusal_probability(now);
        if !admitted {
            self.seen.count(REQUESTS);
        }
        admitted
    }

    fn accepted(&mut self, now: Duration) {
        self.seen.advance(now);
        self.seen.count(ACCEPTS);
    }
}

impl RetryBudget for AdaptiveThrottling {
    #[inline]
    fn sent(&mut self, now: Duration, _attempt: &Attempt) {
        self.seen.advance(now);
        self.seen.count(REQUESTS);
    }

    #[inline]
    fn succeeded(&mut self, now: Duration, _attempt: Attempt) {
        self.accepted(now);
    }

    #[inline]
    fn failed(&mut self, now: Duration, _attempt: Attempt, failure: Failure) {
        if failure == Failure::Final {
            self.accepted(now);
        } else {
            self.seen.advance(now);
        }
    }

    fn abandoned(&mut self, _attempt: Attempt) {}

    fn unused(&mut self, _grant: Grant) {}

    #[inline]
    fn try_retry(&mut self, now: Duration, failure: Failure, unit: f64) -> Option<Grant> {
        (failure.is_retryable() && self.admits(now, unit)).then(|| Grant::taking(0))
    }

    /// By the same rule as a retry.
    #[inline]
    fn admit_first(&mut self, now: Duration, unit: f64) -> bool {
        self.admits(now, unit)
    }

    fn draws(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Duration = Duration::ZERO;

    fn one(budget: &mut AdaptiveThrottling, accepted: bool) {
        budget.sent(NOW, &Attempt::First);
        if accepted {
            budget.succeeded(NOW, Attempt::First);
        } else {
            budget.failed(NOW, Attempt::First, Failure::Timeout);
        }
    }

    #[test]
    fn half_refused_is_still_fine() {
        let mut budget = AdaptiveThrottlingConfig::default().build().unwrap();
        for accepted in [true, false, true, false] {
            one(&mut budget, accepted);
        }
        assert_eq!(budget.refusal_probability(NOW), 0.0);
        one(&mut budget, false);
        assert_eq!(budget.refusal_probability(NOW), 1.0 / 6.0);
    }

    #[test]
    fn a_refusal_counts_as_a_request_and_is_forgotten_in_time() {
        let mut budget = AdaptiveThrottlingConfig::default().build().unwrap();
        one(&mut budget, false);
        assert_eq!(budget.refusal_probability(NOW), 0.5);
        assert_eq!(budget.try_retry(NOW, Failure::Timeout, 0.49), None);
        assert_eq!(budget.refusal_probability(NOW), 2.0 / 3.0);
        assert_eq!(
            budget.refusal_probability(Duration::from_secs(120)),
            2.0 / 3.0
        );
        assert_eq!(budget.refusal_probability(Duration::from_secs(121)), 0.0);
    }

    #[test]
    fn a_number_that_is_no_number_refuses() {
        let mut budget = AdaptiveThrottlingConfig::default().build().unwrap();
        assert_eq!(budget.try_retry(NOW, Failure::Timeout, f64::NAN), None);
    }

    #[test]
    fn k_below_one_is_refused() {
        let config = AdaptiveThrottlingConfig {
            k: Ratio::TENTH,
            ..AdaptiveThrottlingConfig::default()
        };
        assert_eq!(config.build().unwrap_err().field, "k");
    }
}
