//! How much may be retried.
//!
//! A backoff spaces the retries of one request; a budget bounds the retries of a client, so that an outage isn't answered
//! with a multiple of the load. Every budget decides by the same four facts of an attempt's life ([`RetryBudget`]):
//!
//! ```text
//! sent ──┬─ succeeded
//!        ├─ abandoned                       (nobody waits for the answer any more)
//!        └─ failed ── try_retry ─┬─ None    (the failure goes to the caller)
//!                                └─ Some(grant) ── wait ─┬─ sent …
//!                                                        └─ unused
//! ```
//!
//! Time comes from the caller as the [`Duration`] since any origin it likes, from a monotonic clock. A reading smaller than
//! an earlier one counts as the earlier one: zero elapsed, no panic, no negative refill.

/// Passes every call of a handle on to the budget behind it; `with` is called with a closure that may run more than once.
#[cfg(any(feature = "std", target_has_atomic = "64"))]
macro_rules! forward {
    ($(<$budget:ident: $bound:path> $handle:ty),+ $(,)?) => {$(
        impl<$budget: $bound> $crate::budget::RetryBudget for $handle {
            #[inline]
            fn sent(&mut self, now: core::time::Duration, attempt: &$crate::budget::Attempt) {
                self.with(|budget| budget.sent(now, attempt));
            }

            #[inline]
            fn succeeded(&mut self, now: core::time::Duration, attempt: $crate::budget::Attempt) {
                self.with(|budget| budget.succeeded(now, attempt.again()));
            }

            #[inline]
            fn failed(
                &mut self,
                now: core::time::Duration,
                attempt: $crate::budget::Attempt,
                failure: $crate::budget::Failure,
            ) {
                self.with(|budget| budget.failed(now, attempt.again(), failure));
            }

            #[inline]
            fn abandoned(&mut self, attempt: $crate::budget::Attempt) {
                self.with(|budget| budget.abandoned(attempt.again()));
            }

            #[inline]
            fn unused(&mut self, grant: $crate::budget::Grant) {
                self.with(|budget| budget.unused(grant.again()));
            }

            #[inline]
            fn try_retry(
                &mut self,
                now: core::time::Duration,
                failure: $crate::budget::Failure,
                unit: f64,
            ) -> Option<$crate::budget::Grant> {
                self.with(|budget| budget.try_retry(now, failure, unit))
            }

            #[inline]
            fn admit_first(&mut self, now: core::time::Duration, unit: f64) -> bool {
                self.with(|budget| budget.admit_first(now, unit))
            }

            fn draws(&self) -> bool {
                (**self).draws()
            }
        }
    )+};
}
mod adaptive_throttling;
mod any;
#[cfg(target_has_atomic = "64")]
mod atomic;
mod aws_quota;
mod concurrency;
mod cumulative_ratio;
mod deposit_bucket;
mod grpc_throttling;
mod in_flight;
mod optional;
mod ratio;
mod retry_ratio;
#[cfg(feature = "std")]
mod shared;

use core::time::Duration;

pub use adaptive_throttling::{AdaptiveThrottling, AdaptiveThrottlingConfig};
pub use any::{Budget, BudgetConfig};
#[cfg(target_has_atomic = "64")]
pub use atomic::{Atomic, Lockless};
pub use aws_quota::{AwsQuota, AwsQuotaConfig};
pub use concurrency::ConcurrencyBudget;
pub use cumulative_ratio::CumulativeRatio;
pub use deposit_bucket::{DepositBucket, DepositBucketConfig};
pub use grpc_throttling::{GrpcThrottling, GrpcThrottlingConfig};
pub use in_flight::{GrantedRetry, InFlight};
pub use ratio::Ratio;
pub use retry_ratio::{RetryRatio, RetryRatioConfig};
#[cfg(feature = "std")]
pub use shared::Shared;

/// A permission to send one retry, from [`RetryBudget::try_retry`].
///
/// It goes back to its budget inside [`Attempt::Retry`], with the retry's outcome; it can be neither copied nor made by hand.
#[derive(Debug, PartialEq, Eq)]
#[must_use = "a grant that isn't sent goes back with `unused(grant)`"]
pub struct Grant {
    /// What the budget took for it, in the budget's own unit; 0 where nothing is given back.
    taken: u32,
}

impl Grant {
    pub(crate) fn taking(taken: u32) -> Self {
        Self { taken }
    }

    pub(crate) fn taken(&self) -> u32 {
        self.taken
    }

    #[cfg(any(feature = "std", target_has_atomic = "64"))]
    fn again(&self) -> Self {
        Self { taken: self.taken }
    }
}

/// One send of a request.
#[derive(Debug, PartialEq, Eq)]
pub enum Attempt {
    /// The first send of a request.
    First,
    /// A later one, with the permission under which it is sent.
    Retry(Grant),
}

#[cfg(any(feature = "std", target_has_atomic = "64"))]
impl Attempt {
    /// The same attempt for one more try of a compare-and-swap.
    fn again(&self) -> Self {
        match self {
            Self::First => Self::First,
            Self::Retry(grant) => Self::Retry(grant.again()),
        }
    }
}

/// Why an attempt failed, as far as budgets tell failures apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Failure {
    /// An error that may be gone at the next attempt: a 503, a connection reset.
    Transient,
    /// No answer in time.
    Timeout,
    /// The service asked for less: a 429, an AWS throttling code.
    Throttled,
    /// An answer that no retry would change because the request is at fault, such as a 404. The service worked.
    Final,
    /// A failure that isn't the request's fault and that the client doesn't retry all the same, such as a code that isn't listed as
    /// retryable. The service may have worked or not.
    NotRetried,
}

impl Failure {
    /// Whether a budget may grant a retry after it: true for every kind but [`Final`](Self::Final) and [`NotRetried`](Self::NotRetried).
    #[inline]
    #[must_use]
    pub fn is_retryable(self) -> bool {
        !matches!(self, Self::Final | Self::NotRetried)
    }
}

/// Decides whether a client may send one more retry.
///
/// A budget sees every attempt: [`sent`](Self::sent) when it leaves, then exactly one of [`succeeded`](Self::succeeded),
/// [`failed`](Self::failed) and [`abandoned`](Self::abandoned). After `failed`, [`try_retry`](Self::try_retry) asks for a retry.
/// An attempt that a circuit breaker refused isn't sent, so it is neither `sent` nor `failed`; if refusals are retried, `try_retry` is asked
/// after it all the same, and a retry that was refused gives its grant back with [`unused`](Self::unused).
/// Nothing here allocates or panics, whatever the order of the calls.
pub trait RetryBudget {
    /// Notes that `attempt` left at `now`.
    fn sent(&mut self, now: Duration, attempt: &Attempt);

    /// Notes that `attempt` was answered with success at `now`.
    fn succeeded(&mut self, now: Duration, attempt: Attempt);

    /// Notes that `attempt` failed at `now`; comes before the [`try_retry`](Self::try_retry) for that failure, which gets the same kind.
    fn failed(&mut self, now: Duration, attempt: Attempt, failure: Failure);

    /// Notes that nobody waits for the answer to `attempt` any more.
    fn abandoned(&mut self, attempt: Attempt);

    /// Takes back the permission for a retry that won't be sent.
    fn unused(&mut self, grant: Grant);

    /// The permission to retry a request whose attempt failed with `failure`, or `None`.
    ///
    /// `unit` is uniform in [0, 1) and comes from the caller; only a budget that [`draws`](Self::draws) looks at it.
    fn try_retry(&mut self, now: Duration, failure: Failure, unit: f64) -> Option<Grant>;

    /// Whether the first send of a request may leave at `now`: always, for every budget but adaptive throttling.
    ///
    /// A client that wants its first sends throttled too asks before each of them and fails the request if the answer is no; the request
    /// then never began, and the budget hears no more of it. `unit` is uniform in [0, 1); only a budget that [`draws`](Self::draws) looks at it.
    fn admit_first(&mut self, _now: Duration, _unit: f64) -> bool {
        true
    }

    /// Whether [`try_retry`](Self::try_retry) and [`admit_first`](Self::admit_first) look at their uniform number: false for every budget
    /// but adaptive throttling.
    fn draws(&self) -> bool {
        false
    }
}

impl<B: RetryBudget + ?Sized> RetryBudget for &mut B {
    fn sent(&mut self, now: Duration, attempt: &Attempt) {
        (**self).sent(now, attempt);
    }

    fn succeeded(&mut self, now: Duration, attempt: Attempt) {
        (**self).succeeded(now, attempt);
    }

    fn failed(&mut self, now: Duration, attempt: Attempt, failure: Failure) {
        (**self).failed(now, attempt, failure);
    }

    fn abandoned(&mut self, attempt: Attempt) {
        (**self).abandoned(attempt);
    }

    fn unused(&mut self, grant: Grant) {
        (**self).unused(grant);
    }

    fn try_retry(&mut self, now: Duration, failure: Failure, unit: f64) -> Option<Grant> {
        (**self).try_retry(now, failure, unit)
    }

    fn admit_first(&mut self, now: Duration, unit: f64) -> bool {
        (**self).admit_first(now, unit)
    }

    fn draws(&self) -> bool {
        (**self).draws()
    }
}

/// No budget: every retry is granted, except after a failure that [isn't retryable](Failure::is_retryable).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Unlimited;

impl RetryBudget for Unlimited {
    fn sent(&mut self, _now: Duration, _attempt: &Attempt) {}

    fn succeeded(&mut self, _now: Duration, _attempt: Attempt) {}

    fn failed(&mut self, _now: Duration, _attempt: Attempt, _failure: Failure) {}

    fn abandoned(&mut self, _attempt: Attempt) {}

    fn unused(&mut self, _grant: Grant) {}

    fn try_retry(&mut self, _now: Duration, failure: Failure, _unit: f64) -> Option<Grant> {
        failure.is_retryable().then(|| Grant::taking(0))
    }
}
