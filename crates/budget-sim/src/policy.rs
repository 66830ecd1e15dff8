//! How the clients retry.

use backoff_core::breaker::BreakerConfig;
use backoff_core::budget::{Budget, BudgetConfig};
use backoff_core::{Backoff, ConfigError};

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
    /// The sends of one request, the first included: at least 1.
    pub max_attempts: u32,
    /// How long a retry waits.
    pub backoff: Backoff,
    /// The retry budget of each client; `None` for none.
    pub budget: Option<BudgetConfig>,
    /// The circuit breaker of each client, and where it stands; `None` for none.
    pub breaker: Option<(BreakerConfig, BreakerPlace)>,
}

impl PolicyParams {
    /// The checked policy.
    ///
    /// # Errors
    /// No attempts; whatever the budget or the breaker refuses.
    pub fn build(self) -> Result<Policy, ConfigError> {
        if self.max_attempts == 0 {
            return Err(ConfigError {
                field: "max_attempts",
                value: "0".into(),
                allowed: "at least 1, the first send included".into(),
            });
        }
        let guard = match self.breaker {
            None => Guard::None,
            Some((config, place)) => Guard::new(config.build()?, place),
        };
        Ok(Policy {
            max_attempts: self.max_attempts,
            backoff: self.backoff,
            budget: self.budget.map(BudgetConfig::build).transpose()?,
            guard,
        })
    }
}

/// A checked policy, with the budget and the breaker that every client starts from.
#[derive(Debug, Clone)]
pub struct Policy {
    pub(crate) max_attempts: u32,
    pub(crate) backoff: Backoff,
    pub(crate) budget: Option<Budget>,
    pub(crate) guard: Guard,
}
