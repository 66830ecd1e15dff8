//! The budget that a configuration names.

use core::time::Duration;

use super::{
    AdaptiveThrottling, AdaptiveThrottlingConfig, Attempt, AwsQuota, AwsQuotaConfig,
    ConcurrencyBudget, CumulativeRatio, DepositBucket, DepositBucketConfig, Failure, Grant,
    GrpcThrottling, GrpcThrottlingConfig, Ratio, RetryBudget, RetryRatio, RetryRatioConfig,
};
use crate::config::ConfigError;

/// A kind of budget and its numbers, not yet checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BudgetConfig {
    /// gRPC's retry throttling.
    GrpcThrottling(GrpcThrottlingConfig),
    /// Retries as a share of the sends within a window.
    RetryRatio(RetryRatioConfig),
    /// Retries as a share of all first sends.
    CumulativeRatio {
        /// The retries for each first send; any, 0 grants none.
        ratio: Ratio,
    },
    /// Deposits and withdrawals over a floor, as in Finagle and tower.
    DepositBucket(DepositBucketConfig),
    /// The retry quota of the AWS SDKs.
    AwsQuota(AwsQuotaConfig),
    /// Retries as a share of what is in flight, as in Envoy.
    Concurrency {
        /// The active retries for each attempt in flight; any, 0 leaves the minimum alone.
        share: Ratio,
        /// The active retries that are always granted; any, 0 for none.
        min_retries: u32,
    },
    /// Google's client-side adaptive throttling.
    AdaptiveThrottling(AdaptiveThrottlingConfig),
}

impl BudgetConfig {
    /// The checked budget, in its first state.
    ///
    /// # Errors
    /// As the `build` of the kind.
    pub fn build(self) -> Result<Budget, ConfigError> {
        Ok(match self {
            Self::GrpcThrottling(config) => Budget::GrpcThrottling(config.build()?),
            Self::RetryRatio(config) => Budget::RetryRatio(config.build()?),
            Self::CumulativeRatio { ratio } => Budget::CumulativeRatio(CumulativeRatio::new(ratio)),
            Self::DepositBucket(config) => Budget::DepositBucket(config.build()?),
            Self::AwsQuota(config) => Budget::AwsQuota(config.build()?),
            Self::Concurrency { share, min_retries } => {
                Budget::Concurrency(ConcurrencyBudget::new(share, min_retries))
            }
            Self::AdaptiveThrottling(config) => Budget::AdaptiveThrottling(config.build()?),
        })
    }
}

/// One of the budgets, where the kind is known only at run time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Budget {
    /// gRPC's retry throttling.
    GrpcThrottling(GrpcThrottling),
    /// Retries as a share of the sends within a window.
    RetryRatio(RetryRatio),
    /// Retries as a share of all first sends.
    CumulativeRatio(CumulativeRatio),
    /// Deposits and withdrawals over a floor.
    DepositBucket(DepositBucket),
    /// The retry quota of the AWS SDKs.
    AwsQuota(AwsQuota),
    /// Retries as a share of what is in flight.
    Concurrency(ConcurrencyBudget),
    /// Google's client-side adaptive throttling.
    AdaptiveThrottling(AdaptiveThrottling),
}

impl Budget {
    /// The thousandths of tokens left, for the kinds that keep tokens: gRPC throttling and the AWS quota.
    #[must_use]
    pub fn milli_tokens(&self) -> Option<u64> {
        match self {
            Self::GrpcThrottling(budget) => Some(u64::from(budget.milli_tokens())),
            Self::AwsQuota(budget) => Some(u64::from(budget.tokens()) * 1000),
            _ => None,
        }
    }
}

macro_rules! each {
    ($any:expr, $budget:ident => $call:expr) => {
        match $any {
            Budget::GrpcThrottling($budget) => $call,
            Budget::RetryRatio($budget) => $call,
            Budget::CumulativeRatio($budget) => $call,
            Budget::DepositBucket($budget) => $call,
            Budget::AwsQuota($budget) => $call,
            Budget::Concurrency($budget) => $call,
            Budget::AdaptiveThrottling($budget) => $call,
        }
    };
}

impl RetryBudget for Budget {
    #[inline]
    fn sent(&mut self, now: Duration, attempt: &Attempt) {
        each!(self, budget => budget.sent(now, attempt));
    }

    #[inline]
    fn succeeded(&mut self, now: Duration, attempt: Attempt) {
        each!(self, budget => budget.succeeded(now, attempt));
    }

    #[inline]
    fn failed(&mut self, now: Duration, attempt: Attempt, failure: Failure) {
        each!(self, budget => budget.failed(now, attempt, failure));
    }

    #[inline]
    fn abandoned(&mut self, attempt: Attempt) {
        each!(self, budget => budget.abandoned(attempt));
    }

    #[inline]
    fn unused(&mut self, grant: Grant) {
        each!(self, budget => budget.unused(grant));
    }

    #[inline]
    fn try_retry(&mut self, now: Duration, failure: Failure, unit: f64) -> Option<Grant> {
        each!(self, budget => budget.try_retry(now, failure, unit))
    }

    #[inline]
    fn admit_first(&mut self, now: Duration, unit: f64) -> bool {
        each!(self, budget => budget.admit_first(now, unit))
    }

    fn draws(&self) -> bool {
        each!(self, budget => budget.draws())
    }
}
