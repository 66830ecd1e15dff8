//! The retry quota of the AWS SDKs.

use core::time::Duration;

use super::{Attempt, Failure, Grant, RetryBudget};
use crate::config::ConfigError;

/// Grants a retry while the tokens cover its cost, which depends on the failure; a success returns tokens.
///
/// A request that succeeds at once returns `first_success`; one that succeeds after retries returns what its last retry cost.
/// A failure returns nothing, a granted retry that isn't sent its whole cost. The tokens never exceed `capacity`.
///
/// Source: "Retry behavior" (standard mode, retry quota) in the *AWS SDKs and Tools Reference Guide*.
///
/// ```
/// use backoff_core::budget::{Attempt, AwsQuotaConfig, Failure, RetryBudget};
/// use core::time::Duration;
///
/// let now = Duration::ZERO;
/// let mut quota = AwsQuotaConfig::default().build()?;
/// let grant = quota.try_retry(now, Failure::Transient, 0.0).unwrap();
/// assert_eq!(quota.tokens(), 486);
/// quota.succeeded(now, Attempt::Retry(grant));
/// assert_eq!(quota.tokens(), 500);
/// # Ok::<(), backoff_core::ConfigError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AwsQuota {
    config: AwsQuotaConfig,
    tokens: u32,
}

/// Capacity and costs of [`AwsQuota`], in tokens, not yet checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AwsQuotaConfig {
    /// The tokens at the start and at most; above 0.
    pub capacity: u32,
    /// What a retry after [`Failure::Transient`] costs, in [1, capacity].
    pub transient_cost: u32,
    /// What a retry after [`Failure::Timeout`] costs, in [1, capacity].
    pub timeout_cost: u32,
    /// What a retry after [`Failure::Throttled`] costs, in [1, capacity].
    pub throttled_cost: u32,
    /// What a success without a retry returns; may be 0.
    pub first_success: u32,
}

impl Default for AwsQuotaConfig {
    /// The SDKs' behaviour since November 2026: 500 tokens, 14 a retry, 5 if throttled, 1 returned.
    fn default() -> Self {
        Self {
            capacity: 500,
            transient_cost: 14,
            timeout_cost: 14,
            throttled_cost: 5,
            first_success: 1,
        }
    }
}

impl AwsQuotaConfig {
    /// The behaviour before 2026: 500 tokens, 5 a retry, 10 after a timeout, 1 returned.
    #[must_use]
    pub fn before_2026() -> Self {
        Self {
            transient_cost: 5,
            timeout_cost: 10,
            throttled_cost: 5,
            ..Self::default()
        }
    }

    /// The full quota.
    ///
    /// # Errors
    /// A capacity of 0, a cost of 0 or above the capacity: such a retry would never, or always, be granted.
    pub fn build(self) -> Result<AwsQuota, ConfigError> {
        if self.capacity == 0 {
            return Err(ConfigError {
                field: "capacity",
                value: "0".into(),
                allowed: "above 0".into(),
            });
        }
        for (field, cost) in [
            ("transient_cost", self.transient_cost),
            ("timeout_cost", self.timeout_cost),
            ("throttled_cost", self.throttled_cost),
        ] {
            if !(1..=self.capacity).contains(&cost) {
                return Err(ConfigError {
                    field,
                    value: alloc::format!("{cost}"),
                    allowed: alloc::format!("in [1, capacity = {}]", self.capacity),
                });
            }
        }
        Ok(AwsQuota {
            config: self,
            tokens: self.capacity,
        })
    }
}

impl AwsQuota {
    /// The tokens left.
    #[must_use]
    pub fn tokens(&self) -> u32 {
        self.tokens
    }

    fn give_back(&mut self, tokens: u32) {
        self.tokens = self.tokens.saturating_add(tokens).min(self.config.capacity);
    }
}

impl RetryBudget for AwsQuota {
    fn sent(&mut self, _now: Duration, _attempt: &Attempt) {}

    #[inline]
    fn succeeded(&mut self, _now: Duration, attempt: Attempt) {
        self.give_back(match attempt {
            Attempt::First => self.config.first_success,
            Attempt::Retry(grant) => grant.taken(),
        });
    }

    fn failed(&mut self, _now: Duration, _attempt: Attempt, _failure: Failure) {}

    fn abandoned(&mut self, _attempt: Attempt) {}

    fn unused(&mut self, grant: Grant) {
        self.give_back(grant.taken());
    }

    #[inline]
    fn try_retry(&mut self, _now: Duration, failure: Failure, _unit: f64) -> Option<Grant> {
        let cost = match failure {
            Failure::Transient => self.config.transient_cost,
            Failure::Timeout => self.config.timeout_cost,
            Failure::Throttled => self.config.throttled_cost,
            Failure::Final | Failure::NotRetried => return None,
        };
        self.tokens = self.tokens.checked_sub(cost)?;
        Some(Grant::taking(cost))
    }
}

#[cfg(target_has_atomic = "64")]
impl super::atomic::Packed for AwsQuota {
    fn state(&self, _key: super::atomic::Key) -> u64 {
        u64::from(self.tokens)
    }

    fn with_state(&self, _key: super::atomic::Key, state: u64) -> Self {
        Self {
            tokens: state as u32,
            ..*self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Duration = Duration::ZERO;

    #[test]
    fn costs_go_by_kind() {
        let mut quota = AwsQuotaConfig::before_2026().build().unwrap();
        for (failure, left) in [
            (Failure::Transient, 495),
            (Failure::Timeout, 485),
            (Failure::Throttled, 480),
        ] {
            assert!(quota.try_retry(NOW, failure, 0.0).is_some());
            assert_eq!(quota.tokens(), left);
        }
        assert_eq!(quota.try_retry(NOW, Failure::Final, 0.0), None);
    }

    #[test]
    fn the_quota_runs_out_and_comes_back() {
        let mut quota = AwsQuotaConfig::default().build().unwrap();
        let granted = (0..1000)
            .filter(|_| quota.try_retry(NOW, Failure::Transient, 0.0).is_some())
            .count();
        assert_eq!((granted, quota.tokens()), (35, 10));
        for _ in 0..4 {
            quota.succeeded(NOW, Attempt::First);
        }
        let grant = quota.try_retry(NOW, Failure::Transient, 0.0).unwrap();
        quota.failed(NOW, Attempt::Retry(grant), Failure::Transient);
        assert_eq!(quota.tokens(), 0);
        let throttled = AwsQuota { tokens: 5, ..quota }
            .try_retry(NOW, Failure::Throttled, 0.0)
            .unwrap();
        quota.unused(throttled);
        assert_eq!(quota.tokens(), 5);
    }

    #[test]
    fn a_success_never_overfills() {
        let mut quota = AwsQuotaConfig {
            first_success: u32::MAX,
            ..AwsQuotaConfig::default()
        }
        .build()
        .unwrap();
        quota.succeeded(NOW, Attempt::First);
        assert_eq!(quota.tokens(), 500);
    }

    #[test]
    fn a_retry_that_costs_more_than_the_bucket_holds_is_refused() {
        let default = AwsQuotaConfig::default();
        for (config, field) in [
            (
                AwsQuotaConfig {
                    capacity: 0,
                    ..default
                },
                "capacity",
            ),
            (
                AwsQuotaConfig {
                    capacity: 13,
                    ..default
                },
                "transient_cost",
            ),
            (
                AwsQuotaConfig {
                    timeout_cost: 501,
                    ..default
                },
                "timeout_cost",
            ),
            (
                AwsQuotaConfig {
                    throttled_cost: 0,
                    ..default
                },
                "throttled_cost",
            ),
        ] {
            assert_eq!(config.build().unwrap_err().field, field);
        }
        let exact = AwsQuotaConfig {
            capacity: 14,
            ..default
        };
        assert!(exact.build().is_ok());
    }
}
