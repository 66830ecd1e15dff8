//! A request that holds its policy and its budget.

use core::time::Duration;

use super::{Call, Decision, Outcome, Policy, TimeLimit};
use crate::budget::RetryBudget;
use crate::classify::Idempotency;

/// One request under a policy and a budget, from its start to its end; begun by [`Policy::request`].
///
/// The budget is held by handle: [`Unlimited`](crate::budget::Unlimited), `&mut B`, `&Shared<B>`, `Arc<Atomic<B>>` and so on. A request that is
/// dropped before its end, as a cancelled future is, counts as abandoned, so that no budget waits for it.
#[derive(Debug)]
#[must_use = "dropping it tells the budget that the attempt was abandoned"]
pub struct Request<'p, H: RetryBudget> {
    policy: &'p Policy,
    call: Call,
    budget: H,
}

impl Policy {
    /// The beginning of a request at `now`, from which its deadline counts. [`Request::sent`] notes each attempt as it leaves, the first too.
    ///
    /// `now` is the time since any origin on a monotonic clock of the caller's, here and in every later call.
    pub fn request<H: RetryBudget>(
        &self,
        idempotency: Idempotency,
        now: Duration,
        budget: H,
    ) -> Request<'_, H> {
        Request {
            policy: self,
            call: self.start(idempotency, now),
            budget,
        }
    }
}

impl<H: RetryBudget> Request<'_, H> {
    /// As [`Policy::decide`].
    pub fn decide(&mut self, outcome: &Outcome<'_>, now: Duration, unit: f64) -> Decision {
        self.policy
            .decide(&mut self.call, outcome, now, unit, &mut self.budget)
    }

    /// As [`Policy::decide_drawing`].
    pub fn decide_drawing(
        &mut self,
        outcome: &Outcome<'_>,
        now: Duration,
        draw: impl FnMut() -> f64,
    ) -> Decision {
        self.policy
            .decide_drawing(&mut self.call, outcome, now, draw, &mut self.budget)
    }

    /// As [`Call::sent`].
    pub fn sent(&mut self, now: Duration) {
        self.call.sent(now, &mut self.budget);
    }

    /// As [`Call::succeeded`].
    pub fn succeeded(&mut self, now: Duration) {
        self.call.succeeded(now, &mut self.budget);
    }

    /// As [`Policy::attempt_timeout`].
    #[must_use]
    pub fn attempt_timeout(&self, now: Duration) -> TimeLimit {
        self.policy.attempt_timeout(&self.call, now)
    }

    /// The state of the request.
    pub fn call(&self) -> &Call {
        &self.call
    }
}

impl<H: RetryBudget> Drop for Request<'_, H> {
    fn drop(&mut self) {
        self.call.abandoned(&mut self.budget);
    }
}
