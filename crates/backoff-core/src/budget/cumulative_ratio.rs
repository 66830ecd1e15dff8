//! Retries as a share of everything sent since the start.

use core::time::Duration;

use super::{Attempt, Failure, Grant, Ratio, RetryBudget};

/// Grants a retry while `retries + 1 ≤ ratio · first sends`, counted since the budget was made; no floor and no burst.
///
/// Retries count when they are granted, so that waiting ones are included and the rule holds at every moment.
/// Along a call chain with such a budget on every edge, service k is called `(1 + ratio)^k` times as often as the first at most
/// (10 %: N, 1.1N, 1.21N, 1.331N).
///
/// ```
/// use backoff_core::budget::{Attempt, CumulativeRatio, Failure, Ratio, RetryBudget};
/// use core::time::Duration;
///
/// let mut edge = CumulativeRatio::new(Ratio::TENTH);
/// let mut retries = 0;
/// for _ in 0..29 {
///     edge.sent(Duration::ZERO, &Attempt::First);
///     edge.failed(Duration::ZERO, Attempt::First, Failure::Transient);
///     retries += u32::from(edge.try_retry(Duration::ZERO, Failure::Transient, 0.0).is_some());
/// }
/// assert_eq!(retries, 2);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CumulativeRatio {
    ratio: Ratio,
    first_sends: u64,
    retries: u64,
}

impl CumulativeRatio {
    /// The budget with nothing sent yet. Every ratio is allowed; 0 grants nothing.
    #[must_use]
    pub fn new(ratio: Ratio) -> Self {
        Self {
            ratio,
            first_sends: 0,
            retries: 0,
        }
    }

    /// The first sends seen.
    #[must_use]
    pub fn first_sends(&self) -> u64 {
        self.first_sends
    }

    /// The retries granted.
    #[must_use]
    pub fn retries(&self) -> u64 {
        self.retries
    }
}

impl RetryBudget for CumulativeRatio {
    #[inline]
    fn sent(&mut self, _now: Duration, attempt: &Attempt) {
        if *attempt == Attempt::First {
            self.first_sends = self.first_sends.saturating_add(1);
        }
    }

    fn succeeded(&mut self, _now: Duration, _attempt: Attempt) {}

    fn failed(&mut self, _now: Duration, _attempt: Attempt, _failure: Failure) {}

    fn abandoned(&mut self, _attempt: Attempt) {}

    fn unused(&mut self, grant: Grant) {
        self.retries = self.retries.saturating_sub(u64::from(grant.taken()));
    }

    #[inline]
    fn try_retry(&mut self, _now: Duration, failure: Failure, _unit: f64) -> Option<Grant> {
        let with_this_one = self.retries.checked_add(1)?;
        if !failure.is_retryable() || !self.ratio.covers(with_this_one, self.first_sends) {
            return None;
        }
        self.retries = with_this_one;
        Some(Grant::taking(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grant(edge: &mut CumulativeRatio) -> bool {
        edge.try_retry(Duration::ZERO, Failure::Transient, 0.0)
            .is_some()
    }

    #[test]
    fn the_first_retry_comes_with_the_tenth_send() {
        let mut edge = CumulativeRatio::new(Ratio::TENTH);
        for _ in 0..9 {
            edge.sent(Duration::ZERO, &Attempt::First);
            assert!(!grant(&mut edge));
        }
        edge.sent(Duration::ZERO, &Attempt::First);
        assert!(grant(&mut edge));
        assert!(!grant(&mut edge));
        assert_eq!((edge.first_sends(), edge.retries()), (10, 1));
    }

    #[test]
    fn sending_a_granted_retry_earns_nothing() {
        let mut edge = CumulativeRatio::new(Ratio::new("ratio", 1, 1).unwrap());
        edge.sent(Duration::ZERO, &Attempt::First);
        let grant = edge.try_retry(Duration::ZERO, Failure::Transient, 0.0);
        edge.sent(Duration::ZERO, &Attempt::Retry(grant.unwrap()));
        assert_eq!(
            edge.try_retry(Duration::ZERO, Failure::Transient, 0.0),
            None
        );
    }

    #[test]
    fn an_answer_no_retry_would_change_gets_none() {
        let mut edge = CumulativeRatio::new(Ratio::new("ratio", 4, 1).unwrap());
        edge.sent(Duration::ZERO, &Attempt::First);
        assert_eq!(edge.try_retry(Duration::ZERO, Failure::Final, 0.0), None);
    }
}
