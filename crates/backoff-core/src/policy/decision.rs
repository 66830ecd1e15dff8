//! What a policy answers.

use core::fmt;
use core::time::Duration;

use crate::classify::{GrpcCode, TransportError, Why};
use crate::ownership::Mark;

/// Whether and when to send again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[must_use]
pub enum Decision {
    /// Send again after this wait.
    Retry {
        /// From now; zero means at once.
        after: Duration,
    },
    /// Don't send again.
    Stop(StopReason),
}

/// Why a request isn't retried; displays as a sentence without its full stop.
///
/// [`policy`](crate::policy) tells which reason wins when several hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
pub enum StopReason {
    /// The outcome was no failure.
    #[error("nothing failed")]
    NothingFailed,
    /// The call had already succeeded, stopped or been given up.
    #[error("the request was already over")]
    Over,
    /// A retry would fail again or do harm.
    #[error("{cause} is not retried: {why}")]
    NotRetryable {
        /// What failed.
        cause: Cause,
        /// Why it isn't retried.
        why: Why,
    },
    /// By its mark, the error was another caller's to retry; see [`ownership`](crate::ownership).
    #[error("the error is marked {mark}, so it was another caller's to retry")]
    NotOwned {
        /// The mark of the failed answer.
        mark: Mark,
    },
    /// The failed attempt may have been processed, and the request must not be processed twice.
    #[error(
        "{cause} is retried only for an idempotent request, as the failed one may have been processed"
    )]
    NotIdempotent {
        /// What failed.
        cause: Cause,
    },
    /// Failures of this class have caused as many retries as they may.
    #[error("{cause} is retried at most {}", Times(*at_most))]
    ClassLimit {
        /// What failed.
        cause: Cause,
        /// The retries that the class allows for one request.
        at_most: u32,
    },
    /// Every attempt was used.
    #[error("{} failed, and no more are allowed", Attempts(*max))]
    Attempts {
        /// The greatest number of attempts, the first included.
        max: u32,
    },
    /// The deadline had passed when the attempt failed.
    #[error("the deadline has passed")]
    DeadlinePassed,
    /// The wait of the backoff would end past the deadline.
    #[error("the next wait, {wait:?}, would end past the deadline, which is {left:?} away")]
    Deadline {
        /// The wait.
        wait: Duration,
        /// What is left until the deadline.
        left: Duration,
    },
    /// The server asked to come back later than the policy allows.
    #[error("the server asks for a wait of {asked:?} (Retry-After), above the limit of {limit:?}")]
    RetryAfterAboveLimit {
        /// What the server asked for.
        asked: Duration,
        /// What the policy allows.
        limit: Duration,
    },
    /// The server asked to come back after the deadline.
    #[error(
        "the server asks for a wait of {asked:?} (Retry-After), past the deadline, which is {left:?} away"
    )]
    RetryAfterPastDeadline {
        /// The wait that the server's answer came to.
        asked: Duration,
        /// What is left until the deadline.
        left: Duration,
    },
    /// The server said "don't retry": a negative pushback.
    #[error("the server says not to retry (pushback)")]
    PushbackRefused,
    /// The server sent a pushback that can't be read, which means "don't retry".
    #[error("the server's pushback is unreadable, which means not to retry")]
    PushbackUnreadable,
    /// The server's pushback ends after the deadline.
    #[error(
        "the server asks for a wait of {asked:?} (pushback), past the deadline, which is {left:?} away"
    )]
    PushbackPastDeadline {
        /// What the server asked for.
        asked: Duration,
        /// What is left until the deadline.
        left: Duration,
    },
    /// The circuit breaker refused the attempt that failed.
    #[error("the circuit breaker refused the attempt")]
    BreakerRefused,
    /// The circuit breaker would still be open after the wait.
    #[error("the circuit breaker stays open for {open_for:?}, longer than the wait")]
    BreakerOpen {
        /// How long it stays open from now.
        open_for: Duration,
    },
    /// The retry budget grants no retry now.
    #[error("the retry budget is used up")]
    Budget,
}

/// What failed; displays as a noun.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
pub enum Cause {
    /// An HTTP answer with this status.
    #[error("HTTP status {0}")]
    Http(u16),
    /// A gRPC answer with this code.
    #[error("gRPC status {0}")]
    Grpc(GrpcCode),
    /// No answer.
    #[error("{0}")]
    Transport(TransportError),
    /// A refusal by the circuit breaker.
    #[error("a refusal by the circuit breaker")]
    Breaker,
    /// A failure that the caller judged itself.
    #[error("this failure")]
    Other,
}

struct Times(u32);

impl fmt::Display for Times {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            1 => f.write_str("once"),
            times => write!(f, "{times} times"),
        }
    }
}

struct Attempts(u32);

impl fmt::Display for Attempts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            1 => f.write_str("the only attempt"),
            attempts => write!(f, "all {attempts} attempts"),
        }
    }
}
