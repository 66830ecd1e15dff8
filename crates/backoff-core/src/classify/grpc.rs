//! gRPC status codes.

use alloc::{string::ToString, vec, vec::Vec};
use core::{fmt, str::FromStr};

use super::{Pace, Terms, Verdict, Why};
use crate::config::ConfigError;

/// A gRPC status code; the number is its discriminant, and it displays as its name.
///
/// Source: the gRPC documentation, "Status codes and their use in gRPC".
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "SCREAMING_SNAKE_CASE"))]
#[repr(u8)]
#[allow(missing_docs, reason = "the names are gRPC's and explained there")]
pub enum GrpcCode {
    Ok = 0,
    Cancelled = 1,
    Unknown = 2,
    InvalidArgument = 3,
    DeadlineExceeded = 4,
    NotFound = 5,
    AlreadyExists = 6,
    PermissionDenied = 7,
    ResourceExhausted = 8,
    FailedPrecondition = 9,
    Aborted = 10,
    OutOfRange = 11,
    Unimplemented = 12,
    Internal = 13,
    Unavailable = 14,
    DataLoss = 15,
    Unauthenticated = 16,
}

impl GrpcCode {
    /// Every code, in the order of their numbers.
    pub const ALL: [Self; 17] = [
        Self::Ok,
        Self::Cancelled,
        Self::Unknown,
        Self::InvalidArgument,
        Self::DeadlineExceeded,
        Self::NotFound,
        Self::AlreadyExists,
        Self::PermissionDenied,
        Self::ResourceExhausted,
        Self::FailedPrecondition,
        Self::Aborted,
        Self::OutOfRange,
        Self::Unimplemented,
        Self::Internal,
        Self::Unavailable,
        Self::DataLoss,
        Self::Unauthenticated,
    ];

    /// The code's number, in [0, 16].
    #[must_use]
    pub fn number(self) -> u8 {
        self as u8
    }

    /// The code with this number; numbers that gRPC doesn't define are UNKNOWN, as its clients have it.
    #[must_use]
    pub fn from_number(number: i64) -> Self {
        let at = usize::try_from(number).ok();
        at.and_then(|at| Self::ALL.get(at).copied())
            .unwrap_or(Self::Unknown)
    }

    /// The code's name, such as `DEADLINE_EXCEEDED`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Ok => "OK",
            Self::Cancelled => "CANCELLED",
            Self::Unknown => "UNKNOWN",
            Self::InvalidArgument => "INVALID_ARGUMENT",
            Self::DeadlineExceeded => "DEADLINE_EXCEEDED",
            Self::NotFound => "NOT_FOUND",
            Self::AlreadyExists => "ALREADY_EXISTS",
            Self::PermissionDenied => "PERMISSION_DENIED",
            Self::ResourceExhausted => "RESOURCE_EXHAUSTED",
            Self::FailedPrecondition => "FAILED_PRECONDITION",
            Self::Aborted => "ABORTED",
            Self::OutOfRange => "OUT_OF_RANGE",
            Self::Unimplemented => "UNIMPLEMENTED",
            Self::Internal => "INTERNAL",
            Self::Unavailable => "UNAVAILABLE",
            Self::DataLoss => "DATA_LOSS",
            Self::Unauthenticated => "UNAUTHENTICATED",
        }
    }
}

impl fmt::Display for GrpcCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A name that no gRPC status code has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not the name of a gRPC status code, such as UNAVAILABLE")]
pub struct UnknownGrpcCode;

impl FromStr for GrpcCode {
    type Err = UnknownGrpcCode;

    /// The code of that name in any case, as gRPC's service configuration reads them (proposal A6).
    fn from_str(name: &str) -> Result<Self, UnknownGrpcCode> {
        Self::ALL
            .into_iter()
            .find(|code| code.name().eq_ignore_ascii_case(name))
            .ok_or(UnknownGrpcCode)
    }
}

/// Reads a name in any case, or a number in [0, 16].
#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for GrpcCode {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NameOrNumber;

        impl serde::de::Visitor<'_> for NameOrNumber {
            type Value = GrpcCode;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(
                    "a gRPC status code: a name such as \"UNAVAILABLE\" or a number in [0, 16]",
                )
            }

            fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<GrpcCode, E> {
                let unknown = |_| E::invalid_value(serde::de::Unexpected::Str(name), &self);
                name.parse().map_err(unknown)
            }

            fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<GrpcCode, E> {
                let code = GrpcCode::ALL.get(usize::try_from(number).unwrap_or(usize::MAX));
                let unknown = || E::invalid_value(serde::de::Unexpected::Unsigned(number), &self);
                code.copied().ok_or_else(unknown)
            }

            fn visit_i64<E: serde::de::Error>(self, number: i64) -> Result<GrpcCode, E> {
                match u64::try_from(number) {
                    Ok(number) => self.visit_u64(number),
                    Err(_) => Err(E::invalid_value(
                        serde::de::Unexpected::Signed(number),
                        &self,
                    )),
                }
            }
        }

        deserializer.deserialize_any(NameOrNumber)
    }
}

/// The gRPC codes that are retried, not yet checked.
///
/// The default retries UNAVAILABLE alone. The codes that judge the request itself (`INVALID_ARGUMENT` and its like) may not be listed.
///
/// Source: gRPC proposal A6, "Retryable status codes".
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct GrpcLists {
    /// `retryableStatusCodes`: what is retried.
    pub retryable: Vec<GrpcCode>,
    /// Of the retried ones, those after which the call may have been processed: retried only if it is idempotent.
    /// By default INTERNAL, and CANCELLED, UNKNOWN, `DEADLINE_EXCEEDED` and `DATA_LOSS` for the same reason.
    pub only_if_idempotent: Vec<GrpcCode>,
    /// Of the retried ones, those that ask for less: retried with the throttling backoff. By default `RESOURCE_EXHAUSTED`.
    pub throttling: Vec<GrpcCode>,
}

impl Default for GrpcLists {
    fn default() -> Self {
        Self {
            retryable: vec![GrpcCode::Unavailable],
            only_if_idempotent: vec![
                GrpcCode::Internal,
                GrpcCode::Cancelled,
                GrpcCode::Unknown,
                GrpcCode::DeadlineExceeded,
                GrpcCode::DataLoss,
            ],
            throttling: vec![GrpcCode::ResourceExhausted],
        }
    }
}

impl GrpcLists {
    /// The checked table.
    ///
    /// # Errors
    /// OK or a code that judges the request itself among `retryable`.
    pub fn build(self) -> Result<GrpcClasses, ConfigError> {
        match self.retryable.iter().find(|code| final_by_nature(**code)) {
            None => Ok(GrpcClasses { lists: self }),
            Some(code) => Err(ConfigError {
                field: "retryable",
                value: code.to_string(),
                allowed: "a code that another attempt could change: CANCELLED, UNKNOWN, DEADLINE_EXCEEDED, \
                          RESOURCE_EXHAUSTED, ABORTED, INTERNAL, UNAVAILABLE or DATA_LOSS"
                    .into(),
            }),
        }
    }
}

/// Whether a code is success, or judges the request and not the moment.
fn final_by_nature(code: GrpcCode) -> bool {
    match code {
        GrpcCode::Ok
        | GrpcCode::InvalidArgument
        | GrpcCode::NotFound
        | GrpcCode::AlreadyExists
        | GrpcCode::PermissionDenied
        | GrpcCode::FailedPrecondition
        | GrpcCode::OutOfRange
        | GrpcCode::Unimplemented
        | GrpcCode::Unauthenticated => true,
        GrpcCode::Cancelled
        | GrpcCode::Unknown
        | GrpcCode::DeadlineExceeded
        | GrpcCode::ResourceExhausted
        | GrpcCode::Aborted
        | GrpcCode::Internal
        | GrpcCode::Unavailable
        | GrpcCode::DataLoss => false,
    }
}

/// Which gRPC codes may be retried: a checked [`GrpcLists`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GrpcClasses {
    lists: GrpcLists,
}

impl GrpcClasses {
    /// The verdict on a code.
    ///
    /// ```
    /// use backoff_core::classify::{GrpcCode, GrpcLists, Terms, Verdict};
    ///
    /// let retryable = vec![GrpcCode::Unavailable, GrpcCode::Internal];
    /// let classes = GrpcLists { retryable, ..GrpcLists::default() }.build()?;
    /// assert_eq!(classes.verdict(GrpcCode::Unavailable), Verdict::Retry(Terms::TRANSIENT));
    /// assert_eq!(classes.verdict(GrpcCode::Internal), Verdict::Retry(Terms::IF_IDEMPOTENT));
    /// assert!(!classes.verdict(GrpcCode::InvalidArgument).is_retryable());
    /// # Ok::<(), backoff_core::ConfigError>(())
    /// ```
    #[must_use]
    pub fn verdict(&self, code: GrpcCode) -> Verdict {
        if code == GrpcCode::Ok {
            return Verdict::NothingFailed;
        }
        if final_by_nature(code) {
            return Verdict::Never(match code {
                GrpcCode::Unimplemented => Why::NotLearned,
                _ => Why::SameAgain,
            });
        }
        if !self.lists.retryable.contains(&code) {
            return Verdict::Never(Why::NotListed);
        }
        let mut terms = if self.lists.only_if_idempotent.contains(&code) {
            Terms::IF_IDEMPOTENT
        } else {
            Terms::TRANSIENT
        };
        if self.lists.throttling.contains(&code) {
            terms.pace = Pace::Throttling;
        }
        Verdict::Retry(terms)
    }

    /// The lists behind the verdicts.
    #[must_use]
    pub fn lists(&self) -> &GrpcLists {
        &self.lists
    }
}

#[cfg(test)]
mod tests {
    use super::{GrpcCode, GrpcLists};
    use alloc::string::ToString;

    #[test]
    fn numbers_and_names_lead_back_to_their_codes() {
        for (number, code) in (0_u8..).zip(GrpcCode::ALL) {
            assert_eq!(code.number(), number);
            assert_eq!(GrpcCode::from_number(number.into()), code);
            assert_eq!(code.name().parse(), Ok(code));
            assert_eq!(code.name().to_lowercase().parse(), Ok(code));
            assert_eq!(code.to_string(), code.name());
        }
        for number in [-1, 17, i64::MIN, i64::MAX] {
            assert_eq!(GrpcCode::from_number(number), GrpcCode::Unknown);
        }
        for name in ["", "UNAVAILABLE ", "14", "Unavailble"] {
            assert!(name.parse::<GrpcCode>().is_err(), "{name}");
        }
    }

    #[test]
    fn a_code_is_retried_only_if_listed_and_only_if_it_could_change() {
        for code in GrpcCode::ALL {
            let lists = GrpcLists {
                retryable: alloc::vec![code],
                ..GrpcLists::default()
            };
            match lists.build() {
                Ok(classes) => {
                    for other in GrpcCode::ALL {
                        assert_eq!(classes.verdict(other).is_retryable(), other == code);
                    }
                }
                Err(error) => {
                    assert_eq!(
                        (error.field, error.value.as_str()),
                        ("retryable", code.name())
                    );
                }
            }
        }
    }
}
