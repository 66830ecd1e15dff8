//! Attempts that report to their budget, also when they are dropped.

use core::time::Duration;

use super::{Attempt, Failure, Grant, RetryBudget};

/// An attempt on its way: tells its budget how it ended, or that it was abandoned if it is dropped.
///
/// The budget is held by handle: `&mut B`, `&Shared<B>`, `Arc<Atomic<B>>` and so on.
///
/// ```
/// use backoff_core::budget::{Atomic, ConcurrencyBudget, Failure, InFlight};
/// use core::time::Duration;
///
/// let now = Duration::ZERO;
/// let budget = Atomic::new(ConcurrencyBudget::default());
/// let retry = InFlight::first(&budget, now).fail(now, Failure::Transient, 0.0).unwrap();
/// let attempt = retry.send(now);
/// assert_eq!(budget.snapshot().active_retries(), 1);
/// drop(attempt); // the caller went away
/// assert_eq!(budget.snapshot().active_retries(), 0);
/// ```
#[derive(Debug)]
#[must_use = "dropping it tells the budget that the attempt was abandoned"]
pub struct InFlight<H: RetryBudget> {
    /// Taken out when the outcome is known.
    pending: Option<(H, Attempt)>,
}

impl<H: RetryBudget> InFlight<H> {
    /// A request's first attempt, sent at `now`.
    pub fn first(budget: H, now: Duration) -> Self {
        Self::send(budget, now, Attempt::First)
    }

    fn send(mut budget: H, now: Duration, attempt: Attempt) -> Self {
        budget.sent(now, &attempt);
        Self {
            pending: Some((budget, attempt)),
        }
    }

    /// The attempt was answered with success at `now`.
    pub fn succeed(mut self, now: Duration) {
        if let Some((mut budget, attempt)) = self.pending.take() {
            budget.succeeded(now, attempt);
        }
    }

    /// The attempt failed at `now`: the permission to retry, or `None`. `unit` is uniform in [0, 1).
    pub fn fail(mut self, now: Duration, failure: Failure, unit: f64) -> Option<GrantedRetry<H>> {
        let (mut budget, attempt) = self.pending.take()?;
        budget.failed(now, attempt, failure);
        let grant = budget.try_retry(now, failure, unit)?;
        Some(GrantedRetry {
            pending: Some((budget, grant)),
        })
    }

    /// The attempt failed at `now` and won't be retried, whatever the budget would say.
    pub fn fail_for_good(mut self, now: Duration, failure: Failure) {
        if let Some((mut budget, attempt)) = self.pending.take() {
            budget.failed(now, attempt, failure);
        }
    }
}

impl<H: RetryBudget> Drop for InFlight<H> {
    fn drop(&mut self) {
        if let Some((mut budget, attempt)) = self.pending.take() {
            budget.abandoned(attempt);
        }
    }
}

/// A retry that waits to be sent: gives its permission back if it is dropped.
#[derive(Debug)]
#[must_use = "dropping it gives the permission back"]
pub struct GrantedRetry<H: RetryBudget> {
    /// Taken out when it is sent.
    pending: Option<(H, Grant)>,
}

impl<H: RetryBudget> GrantedRetry<H> {
    /// The retry on its way, sent at `now`.
    pub fn send(mut self, now: Duration) -> InFlight<H> {
        InFlight {
            pending: self.pending.take().map(|(mut budget, grant)| {
                let attempt = Attempt::Retry(grant);
                budget.sent(now, &attempt);
                (budget, attempt)
            }),
        }
    }
}

impl<H: RetryBudget> Drop for GrantedRetry<H> {
    fn drop(&mut self) {
        if let Some((mut budget, grant)) = self.pending.take() {
            budget.unused(grant);
        }
    }
}
