//! Error codes by which a service asks for less.

use alloc::{string::String, vec::Vec};

use crate::config::ConfigError;

/// The names of the errors that mean throttling; by default those of the AWS SDKs.
///
/// Source: the AWS SDKs' reference guide and botocore's standard retry mode.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(try_from = "Vec<String>", into = "Vec<String>")
)]
pub struct ThrottlingCodes {
    names: Vec<String>,
}

const AWS: [&str; 14] = [
    "Throttling",
    "ThrottlingException",
    "ThrottledException",
    "RequestThrottled",
    "RequestThrottledException",
    "RequestLimitExceeded",
    "TooManyRequestsException",
    "ProvisionedThroughputExceededException",
    "TransactionInProgressException",
    "BandwidthLimitExceeded",
    "LimitExceededException",
    "SlowDown",
    "PriorRequestNotComplete",
    "EC2ThrottledException",
];

impl Default for ThrottlingCodes {
    fn default() -> Self {
        Self {
            names: AWS.into_iter().map(String::from).collect(),
        }
    }
}

impl ThrottlingCodes {
    /// Exactly these names; none is allowed.
    ///
    /// # Errors
    /// A name that is empty or has a `#` or `:`, which would never match.
    pub fn new(names: impl IntoIterator<Item = impl Into<String>>) -> Result<Self, ConfigError> {
        let names: Vec<String> = names.into_iter().map(Into::into).collect();
        match names
            .iter()
            .find(|name| name.is_empty() || bare(name) != *name)
        {
            None => Ok(Self { names }),
            Some(name) => Err(ConfigError {
                field: "throttling_codes",
                value: alloc::format!("{name:?}"),
                allowed: "a name that isn't empty and has no '#' or ':'".into(),
            }),
        }
    }

    /// Whether an error code means throttling; case-sensitive, as the codes are.
    ///
    /// AWS's JSON protocols put a name space before the name and may put an address behind it, which don't count:
    ///
    /// ```
    /// use backoff_core::classify::ThrottlingCodes;
    ///
    /// let codes = ThrottlingCodes::default();
    /// assert!(codes.contains("ThrottlingException"));
    /// assert!(codes.contains("com.amazon.coral.availability#ThrottlingException:http://internal.example"));
    /// assert!(!codes.contains("ValidationException"));
    /// ```
    #[must_use]
    pub fn contains(&self, code: &str) -> bool {
        let code = bare(code.trim());
        self.names.iter().any(|name| name == code)
    }

    /// The names, in the order in which they were given.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }
}

impl TryFrom<Vec<String>> for ThrottlingCodes {
    type Error = ConfigError;

    /// As [`ThrottlingCodes::new`].
    fn try_from(names: Vec<String>) -> Result<Self, ConfigError> {
        Self::new(names)
    }
}

impl From<ThrottlingCodes> for Vec<String> {
    fn from(codes: ThrottlingCodes) -> Self {
        codes.names
    }
}

/// A code without what stands before `#` and after `:`.
fn bare(code: &str) -> &str {
    let code = code.split_once(':').map_or(code, |(name, _)| name);
    code.rsplit_once('#').map_or(code, |(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::ThrottlingCodes;

    #[test]
    fn the_default_names_are_allowed() {
        let codes = ThrottlingCodes::default();
        assert_eq!(ThrottlingCodes::new(codes.names()), Ok(codes.clone()));
        for name in codes.names() {
            assert!(codes.contains(name), "{name}");
        }
    }

    #[test]
    fn names_that_could_not_match_are_refused() {
        for name in ["", "a#Throttling", "Throttling:x", "#", ":"] {
            let error = ThrottlingCodes::new([name]).unwrap_err();
            assert_eq!(error.field, "throttling_codes", "{name}");
        }
        let none = ThrottlingCodes::new([""; 0]).unwrap();
        for code in ["", "#", ":", "Throttling"] {
            assert!(!none.contains(code), "{code}");
        }
    }
}
