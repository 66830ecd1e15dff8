//! How the clients retry.

use backoff_core::breaker::BreakerConfig;
use backoff_core::budget::{Budget, BudgetConfig};
use backoff_core::policy::{self, PolicyConfig, Refusals};
use backoff_core::{BackoffConfig, ConfigError};

use crate::guard::Guard;

/// Where a client's circuit breaker stands between its requests and their retries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BreakerPlace {
    /// Retries outside the breaker, which judges every attempt; a refused attempt ends its request. The recommended order.
    EachAttempt,
    /// As [`EachAttempt`](Self::EachAttempt), but a refused attempt counts as a failed one and is retried.
    EachAttemptRefusalsRetried,
    /// The breaker outside the retries: it lets a request through or not, and sees its final result alone.
    WholeRequest,
}

/// How the clients retry, not yet checked.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PolicyParams {
    /// The sends of one request, the first included: from 1 to [`Policy::MAX_ATTEMPTS`].
    pub max_attempts: u32,
    /// How long a retry waits.
    pub backoff: BackoffConfig,
    /// The retry budget of each client, as [`build_budget`] takes it; `None` for none.
    pub budget: Option<BudgetConfig>,
    /// The circuit breaker of each client, and where it stands; `None` for none.
    pub breaker: Option<(BreakerConfig, BreakerPlace)>,
}

impl PolicyParams {
    /// The checked policy.
    ///
    /// # Errors
    /// No attempts or too many; whatever the backoff, the budget or the breaker refuses.
    pub fn build(self) -> Result<Policy, ConfigError> {
        if !(1..=Policy::MAX_ATTEMPTS).contains(&self.max_attempts) {
            return Err(ConfigError {
                field: "max_attempts",
                value: self.max_attempts.to_string(),
                allowed: format!(
                    "from 1 to {}, the first send included",
                    Policy::MAX_ATTEMPTS
                ),
            });
        }
        let guard = match self.breaker {
            None => Guard::None,
            Some((config, place)) => Guard::new(config.build()?, place),
        };
        let refusals = match self.breaker {
            Some((_, BreakerPlace::EachAttemptRefusalsRetried)) => Refusals::Retry,
            _ => Refusals::Stop,
        };
        let retry = PolicyConfig {
            refusals,
            ..PolicyConfig::new(self.max_attempts, self.backoff)
        };
        Ok(Policy {
            retry: retry.build()?,
            budget: self.budget.map(build_budget).transpose()?,
            guard,
        })
    }
}

/// The checked budget of a client in this experiment.
///
/// # Errors
/// As [`BudgetConfig::build`]; also the concurrency budget with a share above 0. Here every answer comes within the tick of its send, so
/// that nothing is in flight when a retry is judged: the share would have no effect, only the minimum bounds the retries that wait.
pub fn build_budget(config: BudgetConfig) -> Result<Budget, ConfigError> {
    if let BudgetConfig::Concurrency { share, .. } = config
        && !share.is_zero()
    {
        return Err(ConfigError {
            field: "share",
            value: share.as_f64().to_string(),
            allowed: "0: answers come within the tick of their send, so nothing is in flight when a retry \
                      is judged, and min_retries alone bounds the retries that wait"
                .into(),
        });
    }
    config.build()
}

/// A checked policy, with the budget and the breaker that every client starts from.
#[derive(Debug, Clone)]
pub struct Policy {
    pub(crate) retry: policy::Policy,
    pub(crate) budget: Option<Budget>,
    pub(crate) guard: Guard,
}

impl Policy {
    /// The greatest number of sends of one request.
    pub const MAX_ATTEMPTS: u32 = 1000;
}
