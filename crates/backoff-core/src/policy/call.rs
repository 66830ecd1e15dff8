//! One request under a policy, from its first send to its end.

use core::time::Duration;

use super::retry_after_rule::Asked;
use crate::budget::{Attempt, Grant, RetryBudget};
use crate::classify::{Idempotency, Pace};

/// The state of one request: how often it failed, when it began, what it waited; begun by [`Policy::start`](super::Policy::start).
///
/// It also keeps the budget's account of the attempt in flight, so that every [send](Self::sent) is matched by one outcome, and an attempt that
/// the circuit breaker refused was never sent. A call that ends other
/// than by [`Policy::decide`](super::Policy::decide) says so with [`succeeded`](Self::succeeded) or [`abandoned`](Self::abandoned);
/// a [`Request`](super::Request) holds its budget and says so itself.
#[derive(Debug, PartialEq)]
#[must_use = "a call that isn't ended leaves its budget with an attempt in flight"]
pub struct Call {
    idempotency: Idempotency,
    started: Duration,
    /// The latest time told, so that a clock that goes backwards doesn't give back what has elapsed.
    latest: Duration,
    failures: u32,
    failures_for_backoff: u32,
    limited_retries: u32,
    first_waits: [f64; 2],
    previous: [f64; 2],
    stage: Stage,
}

#[derive(Debug, PartialEq)]
enum Stage {
    /// Before the first send, or before it was noted.
    Begun,
    InFlight(Attempt),
    Waiting(Grant),
    Over,
}

/// The retry that was granted, and when it comes.
#[derive(Clone, Copy)]
pub(super) struct NextAttempt {
    pub(super) asked: Asked,
    pub(super) pace: Pace,
    pub(super) limited: bool,
}

impl Call {
    pub(super) fn start(idempotency: Idempotency, now: Duration, first_waits: [f64; 2]) -> Self {
        Self {
            idempotency,
            started: now,
            latest: now,
            failures: 0,
            failures_for_backoff: 0,
            limited_retries: 0,
            first_waits,
            previous: first_waits,
            stage: Stage::Begun,
        }
    }

    /// The same call with so many failures behind it, for a request that is taken up again, as from a queue.
    pub fn with_failures(self, failures: u32) -> Self {
        Self {
            failures,
            failures_for_backoff: failures,
            ..self
        }
    }

    /// Notes that the first attempt, or the granted retry, leaves at `now`; the budget is told. With neither to send nothing happens.
    ///
    /// It comes after the circuit breaker, if there is one, has let the attempt through. If it isn't called, the attempt counts as sent when
    /// its outcome is known, unless that is a refusal by the breaker.
    pub fn sent<B: RetryBudget + ?Sized>(&mut self, now: Duration, budget: &mut B) {
        if let Stage::Begun | Stage::Waiting(_) = self.stage {
            self.stage = match self.take_attempt(now, budget) {
                Some(attempt) => Stage::InFlight(attempt),
                None => Stage::Over,
            };
        }
    }

    /// Notes that the attempt in flight succeeded at `now`, which ends the call; the budget is told, once.
    pub fn succeeded<B: RetryBudget + ?Sized>(&mut self, now: Duration, budget: &mut B) {
        if let Some(attempt) = self.take_attempt(now, budget) {
            budget.succeeded(now, attempt);
        }
    }

    /// Notes that nobody waits for the answer any more, which ends the call; an attempt in flight or a grant not yet used goes back
    /// to the budget.
    pub fn abandoned<B: RetryBudget + ?Sized>(&mut self, budget: &mut B) {
        match core::mem::replace(&mut self.stage, Stage::Over) {
            Stage::InFlight(attempt) => budget.abandoned(attempt),
            Stage::Waiting(grant) => budget.unused(grant),
            Stage::Begun | Stage::Over => {}
        }
    }

    /// The failures so far.
    #[must_use]
    pub fn failures(&self) -> u32 {
        self.failures
    }

    /// The latest wait of the backoff for failures of this pace, unrounded and in the backoff's unit; before the first, or after a pushback, what
    /// counts as the [previous wait](crate::Backoff::first_previous) of a first one. A Retry-After leaves it as it was: what is to be waited then
    /// is the decision's `after`.
    #[must_use]
    pub fn backoff_wait(&self, pace: Pace) -> f64 {
        self.previous[place(pace)]
    }

    /// The time from the start to `now`; a `now` before the latest time that the call was told counts as that time.
    #[must_use]
    pub fn elapsed(&self, now: Duration) -> Duration {
        self.latest.max(now).saturating_sub(self.started)
    }

    /// Whether the request may be processed twice.
    #[must_use]
    pub fn idempotency(&self) -> Idempotency {
        self.idempotency
    }

    pub(super) fn is_over(&self) -> bool {
        self.stage == Stage::Over
    }

    pub(super) fn tell_time(&mut self, now: Duration) {
        self.latest = self.latest.max(now);
    }

    /// The attempt whose outcome has come, sent just now if it wasn't noted before; the call is over until a grant.
    pub(super) fn take_attempt<B: RetryBudget + ?Sized>(
        &mut self,
        now: Duration,
        budget: &mut B,
    ) -> Option<Attempt> {
        self.tell_time(now);
        let attempt = match core::mem::replace(&mut self.stage, Stage::Over) {
            Stage::InFlight(attempt) => return Some(attempt),
            Stage::Over => return None,
            Stage::Begun => Attempt::First,
            Stage::Waiting(grant) => Attempt::Retry(grant),
        };
        budget.sent(now, &attempt);
        Some(attempt)
    }

    pub(super) fn count_failure(&mut self) {
        self.failures = self.failures.saturating_add(1);
        self.failures_for_backoff = self.failures_for_backoff.saturating_add(1);
    }

    /// Keeps the grant until the retry is sent, so that whatever happens to the call meanwhile gives it back.
    pub(super) fn hold(&mut self, grant: Grant) {
        self.stage = Stage::Waiting(grant);
    }

    /// Counts the retry whose grant it holds.
    pub(super) fn count_retry(&mut self, next: NextAttempt) {
        if next.limited {
            self.limited_retries = self.limited_retries.saturating_add(1);
        }
        match next.asked {
            Asked::Backoff { exact, .. } => self.previous[place(next.pace)] = exact,
            Asked::RetryAfter(_) => {}
            Asked::Pushback(_) => {
                self.failures_for_backoff = 0;
                self.previous = self.first_waits;
            }
        }
    }

    /// The failure number for the backoff: all failures of the request, or those since the last pushback.
    pub(super) fn failures_for_backoff(&self) -> u32 {
        self.failures_for_backoff
    }

    pub(super) fn limited_retries(&self) -> u32 {
        self.limited_retries
    }
}

fn place(pace: Pace) -> usize {
    match pace {
        Pace::Transient => 0,
        Pace::Throttling => 1,
    }
}
