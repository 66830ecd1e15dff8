//! Attempts that were never answered.

use super::{Terms, Verdict, Why};

/// How an attempt failed without an answer; displays as the cause in a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
pub enum TransportError {
    /// No connection came about.
    #[error("a failed connection attempt")]
    Connect,
    /// The connection broke, before or after the request was processed.
    #[error("a broken connection")]
    Reset,
    /// No answer in time, which doesn't mean "not processed".
    #[error("a timeout")]
    Timeout,
}

impl TransportError {
    /// Every kind.
    pub const ALL: [Self; 3] = [Self::Connect, Self::Reset, Self::Timeout];

    /// The kind of an I/O error, or `None` if it is no failure of the transport (a wrong address, a lack of rights, bad data).
    ///
    /// `WouldBlock` is what a read timeout gives on Unix, so it counts as a timeout; an unexpected end as a reset.
    #[cfg(feature = "std")]
    #[must_use]
    pub fn from_io(kind: std::io::ErrorKind) -> Option<Self> {
        use std::io::ErrorKind as Io;
        match kind {
            Io::ConnectionRefused
            | Io::HostUnreachable
            | Io::NetworkUnreachable
            | Io::NetworkDown
            | Io::NotConnected => Some(Self::Connect),
            Io::ConnectionReset
            | Io::ConnectionAborted
            | Io::BrokenPipe
            | Io::UnexpectedEof
            | Io::WriteZero => Some(Self::Reset),
            Io::TimedOut | Io::WouldBlock => Some(Self::Timeout),
            _ => None,
        }
    }
}

/// For which requests a transport error may be retried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum TransportRule {
    /// For every request.
    Retry,
    /// For requests that may be processed twice.
    #[default]
    RetryIfIdempotent,
    /// For none.
    Never,
}

/// Which transport errors may be retried; by default each of them if the request is idempotent.
///
/// A client that knows that nothing was sent before a connect error may set `connect` to [`TransportRule::Retry`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct TransportClasses {
    /// For [`TransportError::Connect`].
    pub connect: TransportRule,
    /// For [`TransportError::Reset`].
    pub reset: TransportRule,
    /// For [`TransportError::Timeout`].
    pub timeout: TransportRule,
}

impl TransportClasses {
    /// The verdict on an error.
    ///
    /// ```
    /// use backoff_core::classify::{Terms, TransportClasses, TransportError, Verdict};
    ///
    /// let classes = TransportClasses::default();
    /// assert_eq!(classes.verdict(TransportError::Timeout), Verdict::Retry(Terms::IF_IDEMPOTENT));
    /// ```
    #[must_use]
    pub fn verdict(&self, error: TransportError) -> Verdict {
        let rule = match error {
            TransportError::Connect => self.connect,
            TransportError::Reset => self.reset,
            TransportError::Timeout => self.timeout,
        };
        match rule {
            TransportRule::Retry => Verdict::Retry(Terms::TRANSIENT),
            TransportRule::RetryIfIdempotent => Verdict::Retry(Terms::IF_IDEMPOTENT),
            TransportRule::Never => Verdict::Never(Why::NotListed),
        }
    }
}
