//! Which failures may be retried.
//!
//! Each kind of failure has its own small table, each of them data that can be replaced: [`HttpClasses`] for status codes,
//! [`GrpcClasses`] for gRPC codes, [`TransportClasses`] for a connection that failed, [`ThrottlingCodes`] for error codes of AWS style.
//! All answer with a [`Verdict`]; [`Classes`] holds the four together. [`Idempotency`] says whether a request may be processed twice.
//!
//! ```
//! use backoff_core::classify::{GrpcClasses, GrpcCode, HttpClasses};
//!
//! let http = HttpClasses::default();
//! assert_eq!(http.verdict(503).to_string(), "yes");
//! assert_eq!(http.verdict(429).to_string(), "yes, as throttling");
//! assert_eq!(http.verdict(500).to_string(), "yes, at most once");
//! assert_eq!(http.verdict(404).to_string(), "no: the same request fails again");
//! assert!(GrpcClasses::default().verdict(GrpcCode::Unavailable).is_retryable());
//! ```

mod grpc;
mod http;
mod idempotency;
mod throttling_codes;
mod transport;

use core::fmt;

pub use grpc::{GrpcClasses, GrpcCode, GrpcLists, UnknownGrpcCode};
pub use http::{HttpClasses, HttpLists, OtherServerErrors};
pub use idempotency::Idempotency;
pub use throttling_codes::ThrottlingCodes;
pub use transport::{TransportClasses, TransportError, TransportRule};

/// Whether a failure may be retried, and on what terms; displays as the entry of a verdict table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// There is nothing to retry: the attempt succeeded, or was answered with a redirect.
    NothingFailed,
    /// A retry may succeed.
    Retry(Terms),
    /// A retry would fail again or do harm.
    Never(Why),
}

/// The terms of a retry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Terms {
    /// Which backoff spaces it.
    pub pace: Pace,
    /// Which requests it is for.
    pub requests: Requests,
    /// How many retries of one request failures on such terms may cause; `None` for no limit beside the policy's attempts.
    pub at_most: Option<u32>,
}

/// Which of a policy's two backoffs a failure calls for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Pace {
    /// An error that may be gone in a moment.
    Transient,
    /// The service asked for less.
    Throttling,
}

/// The requests for which a failure may be retried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Requests {
    /// Every request.
    Any,
    /// Only those that may be processed twice, because the failed attempt may have been processed.
    Idempotent,
}

/// Why a failure is never retried; displays as half a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
pub enum Why {
    /// The request itself is refused: most 4xx, `INVALID_ARGUMENT`.
    #[error("the same request fails again")]
    SameAgain,
    /// What is missing doesn't come by waiting: 501, 505.
    #[error("the server will not learn it by waiting")]
    NotLearned,
    /// It could be retried, and isn't listed.
    #[error("not listed as retryable")]
    NotListed,
    /// A number outside 100 to 599.
    #[error("not an HTTP status")]
    NotAStatus,
}

impl Terms {
    /// For any request, with the transient backoff, without a limit of their own.
    pub const TRANSIENT: Self = Self {
        pace: Pace::Transient,
        requests: Requests::Any,
        at_most: None,
    };
    /// For any request, with the throttling backoff, without a limit of their own.
    pub const THROTTLING: Self = Self {
        pace: Pace::Throttling,
        ..Self::TRANSIENT
    };
    /// For idempotent requests, with the transient backoff, without a limit of their own.
    pub const IF_IDEMPOTENT: Self = Self {
        requests: Requests::Idempotent,
        ..Self::TRANSIENT
    };
}

impl Verdict {
    /// Whether some request may be retried after this failure.
    #[must_use]
    pub fn is_retryable(self) -> bool {
        matches!(self, Self::Retry(_))
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NothingFailed => f.write_str("no: nothing failed"),
            Self::Never(why) => write!(f, "no: {why}"),
            Self::Retry(terms) => {
                f.write_str("yes")?;
                if terms.requests == Requests::Idempotent {
                    f.write_str(", if the request is idempotent")?;
                }
                if terms.pace == Pace::Throttling {
                    f.write_str(", as throttling")?;
                }
                match terms.at_most {
                    None => Ok(()),
                    Some(1) => f.write_str(", at most once"),
                    Some(times) => write!(f, ", at most {times} times"),
                }
            }
        }
    }
}

/// The four tables of a client together; the default is this crate's rules.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Classes {
    /// For HTTP answers.
    pub http: HttpClasses,
    /// For gRPC answers.
    pub grpc: GrpcClasses,
    /// For attempts without an answer.
    pub transport: TransportClasses,
    /// For error codes in HTTP answers.
    pub throttling_codes: ThrottlingCodes,
}

impl Classes {
    /// The verdict on an HTTP answer that may carry an error code: a throttling code makes any failed status (400 and up) throttling.
    ///
    /// AWS sends its throttling codes with status 400, or with 503 (`SlowDown`).
    ///
    /// ```
    /// use backoff_core::classify::{Classes, Terms, Verdict};
    ///
    /// let classes = Classes::default();
    /// assert_eq!(classes.http(400, Some("ThrottlingException")), Verdict::Retry(Terms::THROTTLING));
    /// assert!(!classes.http(400, Some("ValidationException")).is_retryable());
    /// assert_eq!(classes.http(200, Some("ThrottlingException")), Verdict::NothingFailed);
    /// ```
    #[must_use]
    pub fn http(&self, status: u16, error_code: Option<&str>) -> Verdict {
        let throttled = (400..=599).contains(&status)
            && error_code.is_some_and(|code| self.throttling_codes.contains(code));
        if throttled {
            Verdict::Retry(Terms::THROTTLING)
        } else {
            self.http.verdict(status)
        }
    }
}
