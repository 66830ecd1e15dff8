//! What an attempt came to, as a policy needs to know it.

use core::time::Duration;

use super::decision::Cause;
use super::pushback::Pushback;
use super::retry_after_rule::Hint;
use crate::classify::{GrpcCode, TransportError, Verdict};
use crate::ownership::{Mark, Service};
use crate::retry_after::{Reading, RetryAfter};

/// The end of one attempt: the answer or its absence, and what the server or the breaker said about coming back.
///
/// Borrows what it is given and copies nothing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outcome<'a> {
    pub(super) what: What<'a>,
    pub(super) pushback: Option<Pushback>,
    pub(super) breaker_open_for: Option<Duration>,
    /// The mark by which the error is not this client's to retry.
    pub(super) disowned: Option<Mark>,
    retry_after: Option<Asking<'a>>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum What<'a> {
    Http {
        status: u16,
        error_code: Option<&'a str>,
    },
    Grpc(GrpcCode),
    Transport(TransportError),
    BreakerRefused,
    Judged(Verdict),
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Asking<'a> {
    Written { value: &'a [u8], unix_now: i64 },
    Wait(Duration),
}

impl<'a> Outcome<'a> {
    fn new(what: What<'a>) -> Self {
        Self {
            what,
            pushback: None,
            breaker_open_for: None,
            disowned: None,
            retry_after: None,
        }
    }

    /// An HTTP answer with this status; any `u16`.
    #[must_use]
    pub fn http(status: u16) -> Self {
        Self::new(What::Http {
            status,
            error_code: None,
        })
    }

    /// An HTTP answer with this status and an error code in its body or headers, such as AWS's `ThrottlingException`.
    #[must_use]
    pub fn http_with_code(status: u16, error_code: &'a str) -> Self {
        Self::new(What::Http {
            status,
            error_code: Some(error_code),
        })
    }

    /// An HTTP answer: its status, and its first `Retry-After` header if it has one. `unix_now` is in Unix seconds.
    ///
    /// ```
    /// use backoff_core::policy::Outcome;
    ///
    /// let answer = http::Response::builder().status(503).header("retry-after", "7").body(())?;
    /// let outcome = Outcome::of_answer(answer.status(), answer.headers(), 0);
    /// assert_eq!(outcome, Outcome::http(503).retry_after(b"7", 0));
    /// # Ok::<(), http::Error>(())
    /// ```
    #[cfg(feature = "http")]
    #[must_use]
    pub fn of_answer(
        status: http::StatusCode,
        headers: &'a http::HeaderMap,
        unix_now: i64,
    ) -> Self {
        let outcome = Self::http(status.as_u16());
        match headers.get(http::header::RETRY_AFTER) {
            Some(value) => outcome.retry_after(value.as_bytes(), unix_now),
            None => outcome,
        }
    }

    /// A gRPC answer.
    #[must_use]
    pub fn grpc(code: GrpcCode) -> Self {
        Self::new(What::Grpc(code))
    }

    /// No answer.
    #[must_use]
    pub fn transport(error: TransportError) -> Self {
        Self::new(What::Transport(error))
    }

    /// The circuit breaker refused the attempt, which was not sent.
    ///
    /// A policy stops on it, unless [`Refusals::Retry`](super::Refusals::Retry) was configured.
    #[must_use]
    pub fn refused_by_breaker() -> Self {
        Self::new(What::BreakerRefused)
    }

    /// A failure of any other kind, which the caller has judged itself.
    #[must_use]
    pub fn judged(verdict: Verdict) -> Self {
        Self::new(What::Judged(verdict))
    }

    /// With the value of the answer's `Retry-After` header, as it arrived; `unix_now` is in Unix seconds.
    ///
    /// A value that can't be read counts as none.
    #[must_use]
    pub fn retry_after(self, value: &'a [u8], unix_now: i64) -> Self {
        let retry_after = Some(Asking::Written { value, unix_now });
        Self {
            retry_after,
            ..self
        }
    }

    /// With a wait that the server asked for in another way than a `Retry-After` header, treated the same.
    #[must_use]
    pub fn retry_after_wait(self, wait: Duration) -> Self {
        let retry_after = Some(Asking::Wait(wait));
        Self {
            retry_after,
            ..self
        }
    }

    /// With gRPC server pushback, which goes before a `Retry-After`.
    #[must_use]
    pub fn pushback(self, pushback: Pushback) -> Self {
        let pushback = Some(pushback);
        Self { pushback, ..self }
    }

    /// With the circuit breaker open for so long from now ([`Breaker::open_for`](crate::breaker::Breaker::open_for)), this failure counted: a retry that would come before its end is not granted,
    /// unless [`Refusals::Retry`](super::Refusals::Retry) was configured.
    #[must_use]
    pub fn breaker_open_for(self, remaining: Duration) -> Self {
        let breaker_open_for = Some(remaining);
        Self {
            breaker_open_for,
            ..self
        }
    }

    /// With the mark that the failed answer carries, as this client reads it: an error that was another caller's to retry is not retried, and costs
    /// the budget nothing ([`NotRetried`](crate::budget::Failure::NotRetried)).
    ///
    /// ```
    /// use backoff_core::budget::Unlimited;
    /// use backoff_core::classify::Idempotency;
    /// use backoff_core::ownership::{Mark, Service};
    /// use backoff_core::policy::{Decision, Outcome, PolicyConfig, StopReason};
    /// use core::time::Duration;
    ///
    /// let policy = PolicyConfig::new(3, backoff_core::BackoffConfig::Immediate).build()?;
    /// let mut request = policy.request(Idempotency::Idempotent, Duration::ZERO, Unlimited);
    /// let claimed = Outcome::http(503).marked(Service::Aware, Mark::Claimed);
    /// assert_eq!(request.decide(&claimed, Duration::ZERO, 0.0), Decision::Retry { after: Duration::ZERO });
    /// let unclaimed = Outcome::http(503).marked(Service::Aware, Mark::Unclaimed);
    /// let stop = Decision::Stop(StopReason::NotOwned { mark: Mark::Unclaimed });
    /// assert_eq!(request.decide(&unclaimed, Duration::ZERO, 0.0), stop);
    /// # Ok::<(), backoff_core::policy::PolicyError>(())
    /// ```
    #[must_use]
    pub fn marked(self, service: Service, mark: Mark) -> Self {
        let disowned = (!service.may_retry(mark)).then_some(mark);
        Self { disowned, ..self }
    }

    /// What failed.
    #[must_use]
    pub fn cause(&self) -> Cause {
        match self.what {
            What::Http { status, .. } => Cause::Http(status),
            What::Grpc(code) => Cause::Grpc(code),
            What::Transport(error) => Cause::Transport(error),
            What::BreakerRefused => Cause::Breaker,
            What::Judged(_) => Cause::Other,
        }
    }

    /// Whether the attempt ended because no answer came in time.
    pub(super) fn is_timeout(&self) -> bool {
        matches!(
            self.what,
            What::Transport(TransportError::Timeout) | What::Grpc(GrpcCode::DeadlineExceeded)
        )
    }

    /// What the server asked for, if it did so readably.
    pub(super) fn asked(&self, reading: Reading) -> Option<Hint> {
        match self.retry_after? {
            Asking::Wait(wait) => Some(Hint::Wait(wait)),
            Asking::Written { value, unix_now } => {
                let read = RetryAfter::read(value, unix_now, reading).ok()?;
                Some(read.wait(unix_now).map_or(Hint::Past, Hint::Wait))
            }
        }
    }
}
