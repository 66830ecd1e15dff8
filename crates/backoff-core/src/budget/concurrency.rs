//! Retries as a share of the requests in flight.

use core::time::Duration;

use super::{Attempt, Failure, Grant, Ratio, RetryBudget};

/// Grants a retry while the active retries are fewer than `max(min_retries, ⌊share · attempts in flight⌋)`.
///
/// A retry is active from its grant to its outcome, its wait included; an attempt is in flight from [`sent`](RetryBudget::sent)
/// to its outcome. So a failed attempt is no longer in flight when its own retry is judged.
///
/// Source: Envoy's `retry_budget` (`budget_percent` 20 %, `min_retry_concurrency` 3). For a permit that gives itself back when
/// dropped, use it through [`InFlight`](super::InFlight).
///
/// ```
/// use backoff_core::budget::{ConcurrencyBudget, Failure, RetryBudget};
/// use core::time::Duration;
///
/// let mut budget = ConcurrencyBudget::default();
/// let grants: Vec<_> = (0..5)
///     .filter_map(|_| budget.try_retry(Duration::ZERO, Failure::Transient, 0.0))
///     .collect();
/// assert_eq!(grants.len(), 3);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConcurrencyBudget {
    share: Ratio,
    min_retries: u32,
    in_flight: u32,
    active_retries: u32,
}

impl Default for ConcurrencyBudget {
    /// 20 % of the attempts in flight, at least 3.
    fn default() -> Self {
        Self::new(Ratio::FIFTH, 3)
    }
}

impl ConcurrencyBudget {
    /// The budget with nothing in flight. Every share and every minimum is allowed; 0 and 0 grant nothing.
    #[must_use]
    pub fn new(share: Ratio, min_retries: u32) -> Self {
        Self {
            share,
            min_retries,
            in_flight: 0,
            active_retries: 0,
        }
    }

    /// The attempts in flight.
    #[must_use]
    pub fn in_flight(&self) -> u32 {
        self.in_flight
    }

    /// The retries granted and not yet answered.
    #[must_use]
    pub fn active_retries(&self) -> u32 {
        self.active_retries
    }

    #[inline]
    fn ended(&mut self, attempt: &Attempt) {
        self.in_flight = self.in_flight.saturating_sub(1);
        if let Attempt::Retry(grant) = attempt {
            self.active_retries = self.active_retries.saturating_sub(grant.taken());
        }
    }
}

impl RetryBudget for ConcurrencyBudget {
    #[inline]
    fn sent(&mut self, _now: Duration, _attempt: &Attempt) {
        self.in_flight = self.in_flight.saturating_add(1);
    }

    #[inline]
    fn succeeded(&mut self, _now: Duration, attempt: Attempt) {
        self.ended(&attempt);
    }

    #[inline]
    fn failed(&mut self, _now: Duration, attempt: Attempt, _failure: Failure) {
        self.ended(&attempt);
    }

    fn abandoned(&mut self, attempt: Attempt) {
        self.ended(&attempt);
    }

    fn unused(&mut self, grant: Grant) {
        self.active_retries = self.active_retries.saturating_sub(grant.taken());
    }

    #[inline]
    fn try_retry(&mut self, _now: Duration, failure: Failure, _unit: f64) -> Option<Grant> {
        let limit = self
            .share
            .of(u64::from(self.in_flight))
            .max(u64::from(self.min_retries));
        if !failure.is_retryable() || u64::from(self.active_retries) >= limit {
            return None;
        }
        self.active_retries = self.active_retries.checked_add(1)?;
        Some(Grant::taking(1))
    }
}

#[cfg(target_has_atomic = "64")]
impl super::atomic::Packed for ConcurrencyBudget {
    fn state(&self, _key: super::atomic::Key) -> u64 {
        u64::from(self.in_flight) << 32 | u64::from(self.active_retries)
    }

    fn with_state(&self, _key: super::atomic::Key, state: u64) -> Self {
        Self {
            in_flight: (state >> 32) as u32,
            active_retries: state as u32,
            ..*self
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    const NOW: Duration = Duration::ZERO;

    fn grant(budget: &mut ConcurrencyBudget) -> Option<Grant> {
        budget.try_retry(NOW, Failure::Transient, 0.0)
    }

    #[test]
    fn a_fifth_of_what_is_in_flight() {
        let mut budget = ConcurrencyBudget::default();
        for _ in 0..24 {
            budget.sent(NOW, &Attempt::First);
        }
        let grants: Vec<_> = core::iter::from_fn(|| grant(&mut budget)).collect();
        assert_eq!(grants.len(), 4);
        budget.sent(NOW, &Attempt::First);
        assert!(grant(&mut budget).is_some());
    }

    #[test]
    fn every_outcome_gives_the_retry_back() {
        let mut budget = ConcurrencyBudget::new(Ratio::FIFTH, 1);
        for outcome in 0..4 {
            let retry = grant(&mut budget).unwrap();
            assert_eq!(grant(&mut budget), None);
            if outcome == 0 {
                budget.unused(retry);
            } else {
                let attempt = Attempt::Retry(retry);
                budget.sent(NOW, &attempt);
                match outcome {
                    1 => budget.succeeded(NOW, attempt),
                    2 => budget.failed(NOW, attempt, Failure::Final),
                    _ => budget.abandoned(attempt),
                }
            }
            assert_eq!((budget.in_flight(), budget.active_retries()), (0, 0));
        }
    }

    #[test]
    fn outcomes_without_a_send_are_harmless() {
        let mut budget = ConcurrencyBudget::default();
        budget.succeeded(NOW, Attempt::First);
        budget.abandoned(Attempt::First);
        assert_eq!(budget, ConcurrencyBudget::default());
    }
}
