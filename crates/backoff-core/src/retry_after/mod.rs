//! When the server says to come back: the `Retry-After` header.
//!
//! Source: RFC 9110, section 10.2.3: a whole number of seconds, or an HTTP date (section 5.6.7) in any of its three forms.
//! The value comes as bytes, as it arrived. What can't be read is no wait at all: the caller falls back to its backoff.
//!
//! The date parser is our own: it needs neither a clock nor `std`, takes bytes that need not be UTF-8, and follows RFC 9110's
//! rule for two-digit years, which depends on today's date. The `httpdate` crate, an oracle in the tests, splits them at 1970.

mod calendar;
mod http_date;

use core::time::Duration;

pub use http_date::HttpDate;

/// How closely a `Retry-After` value must follow RFC 9110.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Reading {
    /// The grammar to the letter: no space around the value, names in their case, the weekday that the date really has.
    Strict,
    /// What servers also send: space around the value, names in any case, one-digit days, spaces and hyphens swapped, a missing or wrong
    /// weekday, `UTC` or `+0000` for `GMT`, no zone. Any other zone is unreadable, as is anything that strict reading takes for a number but isn't.
    #[default]
    Lenient,
}

/// What a server asked for, read from a `Retry-After` value.
///
/// ```
/// use backoff_core::retry_after::{Reading, RetryAfter};
/// use core::time::Duration;
///
/// let now = 784_111_777; // Sun, 06 Nov 1994 08:49:37 GMT
/// let read = |value: &str| RetryAfter::read(value.as_bytes(), now, Reading::Strict);
/// assert_eq!(read("120").map(|after| after.wait(now)), Ok(Some(Duration::from_secs(120))));
/// assert_eq!(read("Sun, 06 Nov 1994 08:50:37 GMT").map(|after| after.wait(now)), Ok(Some(Duration::from_secs(60))));
/// assert_eq!(read("Sunday, 06-Nov-94 08:50:37 GMT").map(|after| after.wait(now)), Ok(Some(Duration::from_secs(60))));
/// assert_eq!(read("Sun Nov  6 08:50:37 1994").map(|after| after.wait(now)), Ok(Some(Duration::from_secs(60))));
/// assert_eq!(read("Sun, 06 Nov 1994 08:49:00 GMT").map(|after| after.wait(now)), Ok(None)); // past
/// for unusable in ["-1", "abc", "", "1.5", "NaN"] {
///     assert!(read(unusable).is_err());
/// }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RetryAfter {
    /// So many seconds after the answer; a number beyond `u64` counts as `u64::MAX`, because the server plainly means "very long".
    Seconds(u64),
    /// At this date.
    Date(HttpDate),
}

/// A `Retry-After` value that says nothing usable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
pub enum RetryAfterError {
    /// Nothing, or (read leniently) nothing but white space.
    #[error("the Retry-After value is empty")]
    Empty,
    /// Neither a whole number of seconds nor an HTTP date: `-1`, `abc`, `1.5`, `NaN`, an impossible date, a zone other than GMT.
    #[error("the Retry-After value is neither a whole number of seconds nor an HTTP date")]
    Unreadable,
}

impl RetryAfter {
    /// What `value` asks for.
    ///
    /// `now` is in Unix seconds; only a date with a two-digit year depends on it. Any `i64` is accepted.
    ///
    /// # Errors
    /// [`RetryAfterError`] for a value that is neither form under this `reading`.
    pub fn read(value: &[u8], now: i64, reading: Reading) -> Result<Self, RetryAfterError> {
        let value = match reading {
            Reading::Strict => value,
            Reading::Lenient => value.trim_ascii(),
        };
        if value.is_empty() {
            return Err(RetryAfterError::Empty);
        }
        if value.iter().all(u8::is_ascii_digit) {
            return Ok(Self::Seconds(saturating_number(value)));
        }
        let date = match reading {
            Reading::Strict => HttpDate::read_strictly(value, now),
            Reading::Lenient => HttpDate::read_leniently(value, now),
        };
        date.map(Self::Date).ok_or(RetryAfterError::Unreadable)
    }

    /// How long to wait at `now` (Unix seconds), or `None` for a date that isn't in the future: what that means is the
    /// caller's rule ([`PastDate`](crate::policy::PastDate) in a policy). Never negative; `Some(0)` only for "0".
    #[must_use]
    pub fn wait(self, now: i64) -> Option<Duration> {
        match self {
            Self::Seconds(seconds) => Some(Duration::from_secs(seconds)),
            Self::Date(date) => {
                let ahead = i128::from(date.unix_seconds()) - i128::from(now);
                match u64::try_from(ahead) {
                    Ok(0) | Err(_) => None,
                    Ok(seconds) => Some(Duration::from_secs(seconds)),
                }
            }
        }
    }
}

/// The value of a string of ASCII digits.
fn saturating_number(digits: &[u8]) -> u64 {
    digits.iter().fold(0, |number: u64, digit| {
        number
            .saturating_mul(10)
            .saturating_add(u64::from(digit - b'0'))
    })
}
