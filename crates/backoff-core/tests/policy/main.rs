//! What a policy decides: each reason, each boundary, and the inputs that broke other libraries.

use std::time::Duration;

use backoff_core::budget::{Attempt, Failure, Grant, GrpcThrottlingConfig, RetryBudget, Unlimited};
use backoff_core::classify::{
    GrpcCode, GrpcLists, HttpLists, Idempotency, Pace, TransportError, Verdict, Why,
};
use backoff_core::policy::{
    AboveLimit, Call, Cause, Decision, Outcome, PastDate, Policy, PolicyConfig, Pushback, Refusals,
    RetryAfterRule, StopReason, TimeLimit,
};
use backoff_core::{BackoffConfig, Growth};

mod budget;
mod classes;
mod drawing;
mod limits;
mod reasons;
mod server;

const NEARLY_ONE: f64 = 1.0 - f64::EPSILON / 2.0;

fn s(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn within(seconds: u64) -> TimeLimit {
    TimeLimit::Within(s(seconds))
}

/// Waits of 1, 2, 4, … 30 s without jitter, so that a decision can be told to the nanosecond.
fn config(max_attempts: u32) -> PolicyConfig {
    PolicyConfig::new(
        max_attempts,
        BackoffConfig::Exponential(Growth::doubling(s(1), s(30))),
    )
}

fn start(policy: &Policy) -> Call {
    policy.start(Idempotency::Idempotent, s(0))
}

fn decide(policy: &Policy, call: &mut Call, outcome: &Outcome<'_>, now: Duration) -> Decision {
    policy.decide(call, outcome, now, 0.5, &mut Unlimited)
}

fn first(policy: &Policy, idempotency: Idempotency, outcome: &Outcome<'_>) -> Decision {
    let mut call = policy.start(idempotency, s(0));
    decide(policy, &mut call, outcome, s(0))
}

fn retry(after: Duration) -> Decision {
    Decision::Retry { after }
}

/// How many sends a policy makes for a request that always fails so.
fn sends(policy: &Policy, outcome: &Outcome<'_>) -> (u32, StopReason) {
    let mut call = start(policy);
    for sends in 1.. {
        match decide(policy, &mut call, outcome, s(0)) {
            Decision::Retry { .. } => {}
            Decision::Stop(reason) => return (sends, reason),
        }
    }
    unreachable!()
}

/// Counts what it is told, and grants until its tokens are gone.
#[derive(Default)]
struct Ledger {
    tokens: u32,
    sent: u32,
    succeeded: u32,
    failed: Vec<Failure>,
    abandoned: u32,
    unused: u32,
    asked: u32,
    inner: Unlimited,
}

impl RetryBudget for Ledger {
    fn sent(&mut self, _: Duration, _: &Attempt) {
        self.sent += 1;
    }
    fn succeeded(&mut self, _: Duration, _: Attempt) {
        self.succeeded += 1;
    }
    fn failed(&mut self, _: Duration, _: Attempt, failure: Failure) {
        self.failed.push(failure);
    }
    fn abandoned(&mut self, _: Attempt) {
        self.abandoned += 1;
    }
    fn unused(&mut self, _: Grant) {
        self.unused += 1;
    }
    fn try_retry(&mut self, now: Duration, failure: Failure, unit: f64) -> Option<Grant> {
        assert_eq!(self.failed.last(), Some(&failure));
        self.asked += 1;
        self.tokens = self.tokens.checked_sub(1)?;
        self.inner.try_retry(now, failure, unit)
    }
}
