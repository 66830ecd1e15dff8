//! Every kind of budget at its defaults: one list for all tests that hold for each.

use backoff_core::budget::{
    AdaptiveThrottlingConfig, AwsQuotaConfig, BudgetConfig, DepositBucketConfig,
    GrpcThrottlingConfig, Ratio, RetryRatioConfig,
};

/// One configuration of each kind, in the order of [`BudgetConfig`].
pub(crate) fn every_budget() -> Vec<BudgetConfig> {
    let mut next = Some(BudgetConfig::GrpcThrottling(GrpcThrottlingConfig::default()));
    std::iter::from_fn(move || {
        let config = next?;
        next = following(config);
        Some(config)
    })
    .collect()
}

/// The kind after this one. A new kind doesn't compile without a place here.
fn following(config: BudgetConfig) -> Option<BudgetConfig> {
    Some(match config {
        BudgetConfig::GrpcThrottling(_) => BudgetConfig::RetryRatio(RetryRatioConfig::default()),
        BudgetConfig::RetryRatio(_) => BudgetConfig::CumulativeRatio {
            ratio: Ratio::TENTH,
        },
        BudgetConfig::CumulativeRatio { .. } => {
            BudgetConfig::DepositBucket(DepositBucketConfig::default())
        }
        BudgetConfig::DepositBucket(_) => BudgetConfig::AwsQuota(AwsQuotaConfig::default()),
        BudgetConfig::AwsQuota(_) => BudgetConfig::Concurrency {
            share: Ratio::FIFTH,
            min_retries: 3,
        },
        BudgetConfig::Concurrency { .. } => {
            BudgetConfig::AdaptiveThrottling(AdaptiveThrottlingConfig::default())
        }
        BudgetConfig::AdaptiveThrottling(_) => return None,
    })
}
