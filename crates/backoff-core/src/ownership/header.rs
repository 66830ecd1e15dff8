//! The mark in a header or trailer.

use alloc::string::String;

use super::Mark;
use crate::config::ConfigError;

/// The name of the header that carries a [`Mark`], and how one is read and written.
///
/// ```
/// use backoff_core::ownership::{Mark, MarkHeader};
/// let header = MarkHeader::default();
/// assert_eq!(header.write(Mark::Claimed), Some(("error-ownership", "claimed")));
/// let answer = [("Content-Type", "text/plain"), ("Error-Ownership", "Unclaimed")];
/// assert_eq!(header.read(answer), Mark::Unclaimed);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct MarkHeader {
    name: String,
}

impl Default for MarkHeader {
    /// `error-ownership`.
    fn default() -> Self {
        Self {
            name: "error-ownership".into(),
        }
    }
}

impl MarkHeader {
    /// A header of this name, in lower case.
    ///
    /// # Errors
    /// A name that is not a token in the sense of RFC 9110, section 5.6.2: letters, digits and ``!#$%&'*+-.^_`|~``, at least one.
    pub fn new(name: &str) -> Result<Self, ConfigError> {
        let token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
        if name.is_empty() || !name.bytes().all(token) {
            return Err(ConfigError {
                field: "header",
                value: alloc::format!("{name:?}"),
                allowed: "a header name: letters, digits and !#$%&'*+-.^_`|~".into(),
            });
        }
        Ok(Self {
            name: name.to_ascii_lowercase(),
        })
    }

    /// The header's name, in lower case.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The name and the value to send with a failed answer; none for no mark.
    #[must_use]
    pub fn write(&self, mark: Mark) -> Option<(&str, &'static str)> {
        mark.token().map(|token| (self.name.as_str(), token))
    }

    /// The mark among an answer's headers, their names in any case; [`Mark::Unmarked`] if there is none, or none that can be understood.
    ///
    /// A value is a list of marks, separated by commas, each with parameters after a semicolon that are passed over. Of several marks
    /// the one that forbids most counts: whatever a proxy added, no retry is invented.
    pub fn read<N: AsRef<[u8]>, V: AsRef<[u8]>>(
        &self,
        headers: impl IntoIterator<Item = (N, V)>,
    ) -> Mark {
        headers
            .into_iter()
            .filter(|(name, _)| name.as_ref().eq_ignore_ascii_case(self.name.as_bytes()))
            .map(|(_, value)| Self::parse(value.as_ref()))
            .max()
            .unwrap_or_default()
    }

    /// The mark in one header value; see [`MarkHeader::read`].
    #[must_use]
    pub fn parse(value: &[u8]) -> Mark {
        value
            .split(|&byte| byte == b',')
            .map(|item| {
                let token = item
                    .split(|&byte| byte == b';')
                    .next()
                    .unwrap_or_default()
                    .trim_ascii();
                Mark::ALL
                    .into_iter()
                    .find(|mark| {
                        mark.token()
                            .is_some_and(|known| token.eq_ignore_ascii_case(known.as_bytes()))
                    })
                    .unwrap_or_default()
            })
            .max()
            .unwrap_or_default()
    }
}
