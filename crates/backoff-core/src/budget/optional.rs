//! A budget where there may be none.

use core::time::Duration;

use super::{Attempt, Failure, Grant, RetryBudget, Unlimited};

/// `None` grants what [`Unlimited`] does.
impl<B: RetryBudget> RetryBudget for Option<B> {
    #[inline]
    fn sent(&mut self, now: Duration, attempt: &Attempt) {
        if let Some(budget) = self {
            budget.sent(now, attempt);
        }
    }

    #[inline]
    fn succeeded(&mut self, now: Duration, attempt: Attempt) {
        if let Some(budget) = self {
            budget.succeeded(now, attempt);
        }
    }

    #[inline]
    fn failed(&mut self, now: Duration, attempt: Attempt, failure: Failure) {
        if let Some(budget) = self {
            budget.failed(now, attempt, failure);
        }
    }

    #[inline]
    fn abandoned(&mut self, attempt: Attempt) {
        if let Some(budget) = self {
            budget.abandoned(attempt);
        }
    }

    #[inline]
    fn unused(&mut self, grant: Grant) {
        if let Some(budget) = self {
            budget.unused(grant);
        }
    }

    #[inline]
    fn try_retry(&mut self, now: Duration, failure: Failure, unit: f64) -> Option<Grant> {
        match self {
            Some(budget) => budget.try_retry(now, failure, unit),
            None => Unlimited.try_retry(now, failure, unit),
        }
    }

    #[inline]
    fn admit_first(&mut self, now: Duration, unit: f64) -> bool {
        match self {
            Some(budget) => budget.admit_first(now, unit),
            None => true,
        }
    }

    #[inline]
    fn draws(&self) -> bool {
        self.as_ref().is_some_and(RetryBudget::draws)
    }
}
