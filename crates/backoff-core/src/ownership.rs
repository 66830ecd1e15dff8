//! Who owns an error, so that along a call chain only the caller next to the fault retries it.
//!
//! Without a mark every caller retries every error, and a chain of d callers with k attempts each sends k^d requests to the service at
//! its end. With one, the service in which an error arises *claims* it, a caller retries only what is claimed, and passes it on *unclaimed*:
//!
//! ```text
//! A ── B ── C ── D   D fails: claimed.  C retries, gives up: unclaimed.  B doesn't retry: unclaimed.  A neither.
//! ```
//!
//! A service asks [`Service::may_retry`] for each failed answer it gets, then its attempts and its budget, and when it gives up answers
//! its own caller with [`Service::passes_on`]. A [`Policy`](crate::policy::Policy) asks all three of an outcome that is
//! [`marked`](crate::policy::Outcome::marked). The mark travels in a header or trailer ([`MarkHeader`]).
//!
//! | got | aware: may retry | then passes on (no retry configured) | lost the context: may retry, then passes on | unaware: may retry, then passes on |
//! |---|---|---|---|---|
//! | claimed | yes | unclaimed (claimed) | yes, claimed | yes, unmarked |
//! | unmarked | yes | unclaimed (claimed) | yes, claimed | yes, unmarked |
//! | unclaimed | no | unclaimed | no, claimed | yes, unmarked |
//! | overloaded | yes | don't retry | yes, claimed | yes, unmarked |
//! | don't retry | no | don't retry | no, claimed | yes, unmarked |

mod header;

use core::fmt;

pub use header::MarkHeader;

/// What a failed answer says about who owns the error.
///
/// Ordered by how much a caller may still do about it: the greater forbids more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Mark {
    /// Nothing: the answer comes from, or through, a service that does not know marks.
    #[default]
    Unmarked,
    /// The answering service owns the error: its calls to others all succeeded, or it made none.
    Claimed,
    /// The answering service refuses because it is overloaded, the older remedy: its direct caller may retry, and nobody else.
    Overloaded,
    /// The error came from further down, where it was, or was not to be, retried.
    Unclaimed,
    /// A refusal for overload from further down: "overloaded, don't retry".
    DontRetry,
}

impl Mark {
    /// Every mark, in order.
    pub const ALL: [Self; 5] = [
        Self::Unmarked,
        Self::Claimed,
        Self::Overloaded,
        Self::Unclaimed,
        Self::DontRetry,
    ];

    /// The mark as a header spells it; none for no mark.
    #[must_use]
    pub fn token(self) -> Option<&'static str> {
        match self {
            Self::Unmarked => None,
            Self::Claimed => Some("claimed"),
            Self::Overloaded => Some("overloaded"),
            Self::Unclaimed => Some("unclaimed"),
            Self::DontRetry => Some("dont-retry"),
        }
    }
}

impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.token().unwrap_or("unmarked"))
    }
}

/// What a service makes of marks, for one request that it serves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Service {
    /// It reads marks and sends them.
    #[default]
    Aware,
    /// It reads marks but lost the connection between this request and the calls it made for it, and takes what went wrong for its own error.
    ContextLost,
    /// It drops marks and sends none.
    Unaware,
}

/// Whether a service has a retry configured on the edge to the service that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Retries {
    /// There is one; attempts or a budget that are used up count as a chance that was had.
    Configured,
    /// There is none: the service has no chance to retry, so the next one up is to have it.
    NotConfigured,
}

impl Service {
    /// The mark of an error that arises in this service, whose own calls all succeeded: claimed, or nothing if it is unaware.
    #[must_use]
    pub fn fails(self) -> Mark {
        match self {
            Self::Aware | Self::ContextLost => Mark::Claimed,
            Self::Unaware => Mark::Unmarked,
        }
    }

    /// The mark of a refusal for overload, where that is all that is marked; nothing if the service is unaware.
    #[must_use]
    pub fn refuses(self) -> Mark {
        match self {
            Self::Aware | Self::ContextLost => Mark::Overloaded,
            Self::Unaware => Mark::Unmarked,
        }
    }

    /// Whether this service may retry a call that failed with `mark`, within its attempts and its budget.
    ///
    /// An unaware service may always; the others unless the mark says that the error was someone else's to retry.
    ///
    /// ```
    /// use backoff_core::ownership::{Mark, Service};
    /// assert!(Service::Aware.may_retry(Mark::Claimed));
    /// assert!(Service::Aware.may_retry(Mark::Unmarked));
    /// assert!(!Service::Aware.may_retry(Mark::Unclaimed));
    /// assert!(Service::Unaware.may_retry(Mark::Unclaimed));
    /// ```
    #[inline]
    #[must_use]
    pub fn may_retry(self, mark: Mark) -> bool {
        match (self, mark) {
            (Self::Unaware, _) | (_, Mark::Unmarked | Mark::Claimed | Mark::Overloaded) => true,
            (Self::Aware | Self::ContextLost, Mark::Unclaimed | Mark::DontRetry) => false,
        }
    }

    /// The mark with which this service answers its own caller after it gave up on a call that failed with `mark`.
    ///
    /// An error that this service had a chance to retry becomes unclaimed. Without a retry configured on the edge it is passed on as claimed
    /// (*retry opportunity*), so that at least one configured retry is used, and none is invented. A refusal for overload becomes "don't
    /// retry" either way: only its direct caller may.
    ///
    /// ```
    /// use backoff_core::ownership::{Mark, Retries, Service};
    /// assert_eq!(Service::Aware.passes_on(Mark::Claimed, Retries::Configured), Mark::Unclaimed);
    /// assert_eq!(Service::Aware.passes_on(Mark::Claimed, Retries::NotConfigured), Mark::Claimed);
    /// assert_eq!(Service::Aware.passes_on(Mark::Unclaimed, Retries::NotConfigured), Mark::Unclaimed);
    /// ```
    #[inline]
    #[must_use]
    pub fn passes_on(self, mark: Mark, retries: Retries) -> Mark {
        match self {
            Self::Unaware => Mark::Unmarked,
            Self::ContextLost => Mark::Claimed,
            Self::Aware => match (mark, retries) {
                (Mark::Claimed | Mark::Unmarked, Retries::NotConfigured) => Mark::Claimed,
                (Mark::Claimed | Mark::Unmarked, Retries::Configured) | (Mark::Unclaimed, _) => {
                    Mark::Unclaimed
                }
                (Mark::Overloaded | Mark::DontRetry, _) => Mark::DontRetry,
            },
        }
    }
}
