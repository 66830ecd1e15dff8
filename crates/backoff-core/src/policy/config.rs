//! What a policy is made from, checked once.

use core::fmt;
use core::time::Duration;

use super::Policy;
use super::retry_after_rule::RetryAfterRule;
use crate::classify::{Classes, GrpcLists, HttpLists, ThrottlingCodes, TransportClasses};
use crate::config::{BackoffConfig, ConfigError, Growth};

/// A length of time, or none; "no limit" is a value of its own and zero means zero.
///
/// A configuration file writes `"15s"`, `"1m 30s"`, `"0s"` or `"none"`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum TimeLimit {
    /// So long and no longer.
    Within(Duration),
    /// No limit.
    #[default]
    Unlimited,
}

impl TimeLimit {
    /// What is left of the limit after `elapsed`, down to zero.
    #[must_use]
    pub fn minus(self, elapsed: Duration) -> Self {
        match self {
            Self::Within(limit) => Self::Within(limit.saturating_sub(elapsed)),
            Self::Unlimited => Self::Unlimited,
        }
    }

    /// The limit as a duration, or `None` for no limit, as timeouts of the standard library have it.
    #[must_use]
    pub fn duration(self) -> Option<Duration> {
        match self {
            Self::Within(limit) => Some(limit),
            Self::Unlimited => None,
        }
    }
}

impl fmt::Display for TimeLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Within(limit) => write!(f, "{limit:?}"),
            Self::Unlimited => f.write_str("no limit"),
        }
    }
}

/// Whose rule for the greatest number of attempts holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Flavour {
    /// The number that was configured.
    #[default]
    Plain,
    /// More than 5 count as 5 (gRPC proposal A6, "Limits on retries and hedges").
    Grpc,
}

impl Flavour {
    fn capped(self, max_attempts: u32) -> u32 {
        match self {
            Self::Plain => max_attempts,
            Self::Grpc => max_attempts.min(5),
        }
    }
}

/// What a policy does when its circuit breaker refuses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Refusals {
    /// A refusal ends the request, and no retry is granted that would come while the breaker is open.
    #[default]
    Stop,
    /// A refusal is retried like a transient failure.
    Retry,
}

/// A policy's numbers and rules, not yet checked.
///
/// [`PolicyConfig::new`] takes the two that have no default; the others are overwritten with `..`:
///
/// ```
/// use backoff_core::policy::{PolicyConfig, TimeLimit};
/// use backoff_core::{BackoffConfig, Growth};
/// use core::time::Duration;
///
/// let backoff = BackoffConfig::FullJitter(Growth::doubling(Duration::from_millis(100), Duration::from_secs(10)));
/// let policy = PolicyConfig {
///     deadline: TimeLimit::Within(Duration::from_secs(30)),
///     attempt_timeout: TimeLimit::Within(Duration::from_secs(5)),
///     ..PolicyConfig::new(4, backoff)
/// }
/// .build()?;
/// assert_eq!(policy.max_attempts(), 4);
/// # Ok::<(), backoff_core::policy::PolicyError>(())
/// ```
///
/// With the feature `serde` it is one table of a configuration file; unknown keys are refused:
///
/// ```
/// # #[cfg(feature = "serde")] {
/// let config: backoff_core::policy::PolicyConfig = toml::from_str(r#"
///     max_attempts = 4
///     deadline = "30s"
///     backoff = { kind = "full-jitter", base = "100ms", cap = "10s" }
///     retry_after = { limit = "1m", above = "cap" }
///     http = { limited = [], retry = [408, 425, 500, 502, 503, 504] }
/// "#)?;
/// assert!(config.build().is_ok());
/// # }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct PolicyConfig {
    /// The greatest number of sends of one request, the first included; at least 1. "5 attempts" are 5 sends, 4 retries.
    pub max_attempts: u32,
    /// Whose rule for the number of attempts holds; plain unless given.
    #[cfg_attr(feature = "serde", serde(default))]
    pub flavour: Flavour,
    /// From the start of a request; no wait ends after it. No limit unless given; zero allows no retry.
    #[cfg_attr(feature = "serde", serde(default))]
    pub deadline: TimeLimit,
    /// The longest that one attempt may take, more than zero; no limit unless given.
    #[cfg_attr(feature = "serde", serde(default))]
    pub attempt_timeout: TimeLimit,
    /// For transient failures.
    pub backoff: BackoffConfig,
    /// For throttling, where the server doesn't say when to come back; full jitter that doubles from 1 s to 30 s unless given.
    /// Failures of both kinds are counted together, so a first throttling after three transient failures is failure 4, and waits like it.
    #[cfg_attr(
        feature = "serde",
        serde(default = "PolicyConfig::default_throttling_backoff")
    )]
    pub throttling_backoff: BackoffConfig,
    /// What is done about `Retry-After`.
    #[cfg_attr(feature = "serde", serde(default))]
    pub retry_after: RetryAfterRule,
    /// What is done about refusals of a circuit breaker; stop unless given.
    #[cfg_attr(feature = "serde", serde(default))]
    pub refusals: Refusals,
    /// The HTTP statuses of each class.
    #[cfg_attr(feature = "serde", serde(default))]
    pub http: HttpLists,
    /// The gRPC codes that are retried.
    #[cfg_attr(feature = "serde", serde(default))]
    pub grpc: GrpcLists,
    /// The transport errors that are retried.
    #[cfg_attr(feature = "serde", serde(default))]
    pub transport: TransportClasses,
    /// The error codes that mean throttling.
    #[cfg_attr(feature = "serde", serde(default))]
    pub throttling_codes: ThrottlingCodes,
}

/// Why a policy was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PolicyError {
    /// A key of the policy itself.
    #[error(transparent)]
    Policy(ConfigError),
    /// A key in one of its tables.
    #[error("in {table}: {error}")]
    Table {
        /// The table's name, as a configuration file spells it.
        table: &'static str,
        /// What was wrong in it.
        error: ConfigError,
    },
}

/// The key that was refused, without its table.
impl From<PolicyError> for ConfigError {
    fn from(error: PolicyError) -> Self {
        let (PolicyError::Policy(error) | PolicyError::Table { error, .. }) = error;
        error
    }
}

impl PolicyConfig {
    /// A policy of so many attempts with this backoff, and everything else at its default.
    #[must_use]
    pub fn new(max_attempts: u32, backoff: BackoffConfig) -> Self {
        Self {
            max_attempts,
            flavour: Flavour::default(),
            deadline: TimeLimit::Unlimited,
            attempt_timeout: TimeLimit::Unlimited,
            backoff,
            throttling_backoff: Self::default_throttling_backoff(),
            retry_after: RetryAfterRule::default(),
            refusals: Refusals::default(),
            http: HttpLists::default(),
            grpc: GrpcLists::default(),
            transport: TransportClasses::default(),
            throttling_codes: ThrottlingCodes::default(),
        }
    }

    /// A gRPC retry policy as a service configuration has it: at most 5 attempts, and waits of the doubling or otherwise growing backoff ± 20 %,
    /// the last of them also above `growth.cap`.
    ///
    /// Source: gRPC proposal A6.
    #[must_use]
    pub fn grpc(max_attempts: u32, growth: Growth) -> Self {
        Self {
            flavour: Flavour::Grpc,
            ..Self::new(
                max_attempts,
                BackoffConfig::Proportional {
                    growth,
                    factor: 0.2,
                },
            )
        }
    }

    fn default_throttling_backoff() -> BackoffConfig {
        BackoffConfig::FullJitter(Growth::doubling(
            Duration::from_secs(1),
            Duration::from_secs(30),
        ))
    }

    /// The checked policy.
    ///
    /// # Errors
    /// No attempts, an attempt timeout of zero, a backoff or a table that is refused; the error names the table and the key.
    pub fn build(self) -> Result<Policy, PolicyError> {
        if self.max_attempts == 0 {
            return Err(refused(
                "max_attempts",
                "0",
                "at least 1; it counts the first send",
            ));
        }
        if self.attempt_timeout == TimeLimit::Within(Duration::ZERO) {
            return Err(refused(
                "attempt_timeout",
                "0s",
                "more than zero, or no limit",
            ));
        }
        let within = |table| move |error| PolicyError::Table { table, error };
        Ok(Policy {
            max_attempts: self.flavour.capped(self.max_attempts),
            deadline: self.deadline,
            attempt_timeout: self.attempt_timeout,
            backoff: self.backoff.build().map_err(within("backoff"))?,
            throttling_backoff: self
                .throttling_backoff
                .build()
                .map_err(within("throttling_backoff"))?,
            retry_after: self.retry_after,
            refusals: self.refusals,
            classes: Classes {
                http: self.http.build().map_err(within("http"))?,
                grpc: self.grpc.build().map_err(within("grpc"))?,
                transport: self.transport,
                throttling_codes: self.throttling_codes,
            },
        })
    }
}

fn refused(field: &'static str, value: &str, allowed: &str) -> PolicyError {
    PolicyError::Policy(ConfigError {
        field,
        value: value.into(),
        allowed: allowed.into(),
    })
}
