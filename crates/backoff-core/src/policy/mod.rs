//! Whether to retry, and when: the decision in one place.
//!
//! A [`Policy`] is built once from a [`PolicyConfig`] and then only asked. A [`Request`] is the life of one request under it, with the
//! budget at hand; [`Policy::decide`] on a [`Call`] is the same for a caller who keeps the budget elsewhere. The simulators of this project
//! decide by it too, through [`Policy::decide_drawing`].
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
//! 3. *never retried*, *someone else's to retry*, *not idempotent*: properties of the failure and the request, the same at the first attempt
//!    and the last, so they hide behind nothing that depends on chance;
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
mod decide;
mod decision;
mod numbers;
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
use crate::classify::{Classes, Idempotency, Pace, Terms, Verdict};
use outcome::What;

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
