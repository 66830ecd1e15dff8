//! Whether to retry, and when: the decision in one place.
//!
//! A [`Policy`] is built once from a [`PolicyConfig`] and then only asked. A [`Request`] is the life of one request under it, with the
//! budget at hand; [`Policy::decide`] on a [`Call`] is the same for a caller who keeps the budget elsewhere, as a simulator does.
//!
//! ```
//! use backoff_core::budget::Unlimited;
//! use backoff_core::classify::Idempotency;
//! use backoff_core::policy::{Decision, Outcome, PolicyConfig, StopReason, TimeLimit};
//! use backoff_core::{BackoffConfig, Growth};
//! use core::time::Duration;
//!
//! let backoff = BackoffConfig::FullJitter(Growth::doubling(Duration::from_millis(100), Duration::from_secs(10)));
//! let policy = PolicyConfig {
//!     deadline: TimeLimit::Within(Duration::from_secs(15)),
//!     ..PolicyConfig::new(3, backoff)
//! }
//! .build()?;
//!
//! let at = Duration::from_secs; // a monotonic clock of the caller's
//! let mut request = policy.request(Idempotency::Idempotent, at(100), Unlimited);
//! // First attempt: 503, and the generator gave 0.5. Half of 100 ms.
//! let decision = request.decide(&Outcome::http(503), at(101), 0.5);
//! assert_eq!(decision, Decision::Retry { after: Duration::from_millis(50) });
//! // Second attempt: 429 with Retry-After, which goes before any backoff.
//! let decision = request.decide(&Outcome::http(429).retry_after(b"7", 0), at(102), 0.5);
//! assert_eq!(decision, Decision::Retry { after: Duration::from_secs(7) });
//! // Third and last.
//! let decision = request.decide(&Outcome::http(503), at(110), 0.5);
//! assert_eq!(decision, Decision::Stop(StopReason::Attempts { max: 3 }));
//! # Ok::<(), backoff_core::policy::PolicyError>(())
//! ```
//!
//! # Which reason wins
//!
//! The checks run in this order, and the first that fails gives the reason:
//!
//! 1. *the request is over*, or *nothing failed*: there is nothing to decide;
//! 2. *the breaker refused the attempt*: nothing was sent, so nothing can be said about an answer;
//! 3. *never retried*, *not idempotent*: properties of the failure and the request, the same at the first attempt and the last, so they
//!    hide behind nothing that depends on chance;
//! 4. *the server says stop* (gRPC pushback): it knows more than any limit of ours;
//! 5. *the limit of its class* (500 at most once), then *attempts*: counts, before anything that depends on time;
//! 6. *the deadline has passed*;
//! 7. *Retry-After above its limit*, then *the wait would end past the deadline*: they need the wait, which is drawn by now;
//! 8. *the breaker would still be open* at the end of the wait;
//! 9. *the budget*, last, so that it is charged only for a retry that nothing else forbids: a token is never spent in vain.
//!
//! A failure is reported to the budget before any of these (it watches the service's health), but only step 9 takes from it.

mod call;
mod config;
mod decision;
mod outcome;
mod pushback;
mod request;
mod retry_after_rule;
#[cfg(feature = "serde")]
mod time_text;
mod total_time;

use core::time::Duration;

pub use call::Call;
pub use config::{Flavour, PolicyConfig, PolicyError, Refusals, TimeLimit};
pub use decision::{Cause, Decision, StopReason};
pub use outcome::Outcome;
pub use pushback::Pushback;
pub use request::Request;
pub use retry_after_rule::{AboveLimit, PastDate, RetryAfterRule};
pub use total_time::TotalTime;

use crate::backoff::Backoff;
use crate::budget::{self, RetryBudget};
use crate::classify::{Classes, Idempotency, Pace, Requests, Terms, Verdict, Why};
use call::Attempted;
use outcome::What;
use retry_after_rule::Asked;

/// A checked retry policy; built by [`PolicyConfig::build`].
///
/// Deciding allocates nothing, can't fail and can't panic, whatever the order of the calls and the times given.
#[derive(Debug, Clone, PartialEq)]
pub struct Policy {
    max_attempts: u32,
    deadline: TimeLimit,
    attempt_timeout: TimeLimit,
    backoff: Backoff,
    throttling_backoff: Backoff,
    retry_after: RetryAfterRule,
    refusals: Refusals,
    classes: Classes,
}

impl Policy {
    /// The beginning of a request at `now`, from which its deadline counts. [`Call::sent`] notes each attempt as it leaves, the first too.
    ///
    /// `now` is the time since any origin on a monotonic clock of the caller's, here and in every later call.
    pub fn start(&self, idempotency: Idempotency, now: Duration) -> Call {
        let first_waits = [
            self.backoff.first_previous(),
            self.throttling_backoff.first_previous(),
        ];
        Call::start(idempotency, now, first_waits)
    }

    /// Whether the request is retried after `outcome`, and when.
    ///
    /// Counts the failure in `call` and reports it to the budget. On [`Decision::Retry`] the caller waits `after` and sends again,
    /// telling [`Call::sent`] when it does; on [`Decision::Stop`] the call is over.
    ///
    /// `unit` is uniform in [0, 1) and comes from the caller; a number outside counts as the nearest inside, NaN as 0. A budget that draws
    /// gets its lower 27 bits, the wait the whole. A `now` before the latest that the call was told counts as that.
    pub fn decide<B: RetryBudget + ?Sized>(
        &self,
        call: &mut Call,
        outcome: &Outcome<'_>,
        now: Duration,
        unit: f64,
        budget: &mut B,
    ) -> Decision {
        let verdict = self.verdict(outcome);
        if call.is_over() {
            return Decision::Stop(StopReason::Over);
        }
        if outcome.what == What::BreakerRefused {
            // A refused attempt never left: the service's health and the budget's counts know nothing of it.
            call.tell_time(now);
            call.abandoned(budget);
        } else if let Some(attempt) = call.take_attempt(now, budget) {
            if verdict == Verdict::NothingFailed {
                budget.succeeded(now, attempt);
                return Decision::Stop(StopReason::NothingFailed);
            }
            budget.failed(now, attempt, kind_for_budget(outcome, verdict));
        }
        call.count_failure();
        match self.granted(call, outcome, verdict, now, unit, budget) {
            Ok(attempted) => {
                let after = attempted.after;
                call.grant(attempted);
                Decision::Retry { after }
            }
            Err(reason) => Decision::Stop(reason),
        }
    }

    /// The checks in their order, then the budget's grant.
    fn granted<B: RetryBudget + ?Sized>(
        &self,
        call: &Call,
        outcome: &Outcome<'_>,
        verdict: Verdict,
        now: Duration,
        unit: f64,
        budget: &mut B,
    ) -> Result<Attempted, StopReason> {
        let cause = outcome.cause();
        let terms = match verdict {
            _ if outcome.what == What::BreakerRefused && self.refusals == Refusals::Stop => {
                return Err(StopReason::BreakerRefused);
            }
            Verdict::Never(why) => return Err(StopReason::NotRetryable { cause, why }),
            Verdict::Retry(terms) => terms,
            Verdict::NothingFailed => return Err(StopReason::NothingFailed),
        };
        self.counts(call, outcome, terms)?;

        let elapsed = call.elapsed(now);
        let left = self.deadline.minus(elapsed);
        if left == TimeLimit::Within(Duration::ZERO) {
            return Err(StopReason::DeadlinePassed);
        }
        let unit = unit.clamp(0.0, 1.0 - f64::EPSILON / 2.0);
        let unit = if unit.is_nan() { 0.0 } else { unit };
        let (asked, backoff_wait) = self.wait(call, outcome, terms.pace, unit)?;
        let after = asked.wait();
        if let TimeLimit::Within(left) = left
            && after > left
        {
            return Err(asked.past_deadline(left));
        }
        if let Some(open_for) = outcome.breaker_open_for
            && after < open_for
            && self.refusals == Refusals::Stop
        {
            return Err(StopReason::BreakerOpen { open_for });
        }
        let grant = budget
            .try_retry(now, kind_for_budget(outcome, verdict), lower_bits(unit))
            .ok_or(StopReason::Budget)?;
        Ok(Attempted {
            grant,
            after,
            pace: terms.pace,
            backoff_wait,
            limited: terms.at_most.is_some(),
            pushed_back: matches!(asked, Asked::Pushback(_)),
        })
    }

    /// The checks that need neither time nor a wait.
    fn counts(&self, call: &Call, outcome: &Outcome<'_>, terms: Terms) -> Result<(), StopReason> {
        let cause = outcome.cause();
        if terms.requests == Requests::Idempotent
            && call.idempotency() == Idempotency::NotIdempotent
        {
            return Err(StopReason::NotIdempotent { cause });
        }
        match outcome.pushback {
            Some(Pushback::Refused) => return Err(StopReason::PushbackRefused),
            Some(Pushback::Unreadable) => return Err(StopReason::PushbackUnreadable),
            Some(Pushback::After(_)) | None => {}
        }
        if let Some(at_most) = terms.at_most
            && call.limited_retries() >= at_most
        {
            return Err(StopReason::ClassLimit { cause, at_most });
        }
        if call.failures() >= self.max_attempts {
            return Err(StopReason::Attempts {
                max: self.max_attempts,
            });
        }
        Ok(())
    }

    /// The wait and who asked for it; beside it the backoff's own number, if it was the backoff.
    fn wait(
        &self,
        call: &Call,
        outcome: &Outcome<'_>,
        pace: Pace,
        unit: f64,
    ) -> Result<(Asked, Option<f64>), StopReason> {
        if let Some(Pushback::After(wait)) = outcome.pushback {
            return Ok((Asked::Pushback(wait), None));
        }
        if let Some(asked) = outcome.asked(self.retry_after.reading)
            && let Some(wait) = self.retry_after.judge(asked)?
        {
            return Ok((Asked::RetryAfter(wait), None));
        }
        let backoff = self.backoff(pace);
        let wait = backoff.wait(call.failures_for_backoff(), call.previous(pace), unit);
        Ok((Asked::Backoff(backoff.duration(wait)), Some(wait)))
    }

    /// The verdict of this policy's tables on an outcome, whatever the request and the attempts so far.
    #[must_use]
    pub fn verdict(&self, outcome: &Outcome<'_>) -> Verdict {
        match outcome.what {
            What::Http { status, error_code } => self.classes.http(status, error_code),
            What::Grpc(code) => self.classes.grpc.verdict(code),
            What::Transport(error) => self.classes.transport.verdict(error),
            What::BreakerRefused => Verdict::Retry(Terms::TRANSIENT),
            What::Judged(verdict) => verdict,
        }
    }

    /// How long the attempt that leaves at `now` may take: the smaller of the attempt timeout and what is left until the deadline,
    /// down to zero.
    #[must_use]
    pub fn attempt_timeout(&self, call: &Call, now: Duration) -> TimeLimit {
        self.attempt_timeout
            .min(self.deadline.minus(call.elapsed(now)))
    }

    /// The longest that one attempt may take, whatever is left until the deadline.
    #[must_use]
    pub fn own_attempt_timeout(&self) -> TimeLimit {
        self.attempt_timeout
    }

    /// The greatest number of sends of one request, the first included; for the gRPC flavour at most 5.
    #[must_use]
    pub fn max_attempts(&self) -> u32 {
        self.max_attempts
    }

    /// The deadline of a request, counted from its start.
    #[must_use]
    pub fn deadline(&self) -> TimeLimit {
        self.deadline
    }

    /// The backoff for failures of this pace.
    #[must_use]
    pub fn backoff(&self, pace: Pace) -> &Backoff {
        match pace {
            Pace::Transient => &self.backoff,
            Pace::Throttling => &self.throttling_backoff,
        }
    }

    /// The tables of failure classes.
    #[must_use]
    pub fn classes(&self) -> &Classes {
        &self.classes
    }
}

/// What kind of failure a budget is told of.
///
/// A failure that is never retried says nothing about the service's health, unless the server adds "don't retry" (gRPC proposal A6). Only one
/// that is the request's fault says that the service works.
fn kind_for_budget(outcome: &Outcome<'_>, verdict: Verdict) -> budget::Failure {
    let server_says_stop = matches!(
        outcome.pushback,
        Some(Pushback::Refused | Pushback::Unreadable)
    );
    match verdict {
        Verdict::Never(Why::NotListed) if !server_says_stop => budget::Failure::NotRetried,
        Verdict::Never(_) | Verdict::NothingFailed if !server_says_stop => budget::Failure::Final,
        Verdict::Retry(terms) if terms.pace == Pace::Throttling => budget::Failure::Throttled,
        _ if outcome.is_timeout() => budget::Failure::Timeout,
        _ => budget::Failure::Transient,
    }
}

/// A second uniform number out of the first: its lower 27 bits, which hardly show in the wait.
fn lower_bits(unit: f64) -> f64 {
    // Below 2^26, so the cast is the floor.
    let scaled = unit * f64::from(1 << 26);
    scaled - f64::from(scaled as u32)
}
