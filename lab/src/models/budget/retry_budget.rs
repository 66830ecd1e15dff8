//! `budget = { kind = "…", … }` of a policy.

use std::ops::Range;
use std::time::Duration;

use backoff_core::ConfigError;
use backoff_core::budget::{
    AdaptiveThrottlingConfig, AwsQuotaConfig, BudgetConfig, DepositBucketConfig,
    GrpcThrottlingConfig, Ratio, RetryRatioConfig,
};
use budget_sim::build_budget;
use serde::Deserialize;
use toml::Spanned;

use super::policies::check_window;
use crate::scenario::backoff::quoted;
use crate::scenario::value::{DAY, SECOND};
use crate::scenario::{Positive, Problem, Real, Time, Whole};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RetryBudgetTable {
    kind: Spanned<String>,
    max_tokens: Option<Spanned<Positive<1000>>>,
    token_ratio: Option<Spanned<Positive<1000>>>,
    ratio: Option<Spanned<Positive<1000>>>,
    window: Option<Spanned<Time<1, DAY>>>,
    floor_per_s: Option<Spanned<Whole<0, 1_000_000>>>,
    ttl: Option<Spanned<Time<SECOND, { 60 * SECOND }>>>,
    capacity: Option<Spanned<Whole<1, 1_000_000>>>,
    transient_cost: Option<Spanned<Whole<1, 1_000_000>>>,
    first_success: Option<Spanned<Whole<0, 1_000_000>>>,
    share: Option<Spanned<Real<0, 1000>>>,
    min_retries: Option<Spanned<Whole<0, 1_000_000>>>,
    k: Option<Spanned<Real<1, 1000>>>,
}

/// Every kind with the keys it takes.
const KINDS: [(&str, &[&str]); 7] = [
    ("grpc-throttling", &["max_tokens", "token_ratio"]),
    ("retry-ratio", &["ratio", "window"]),
    ("cumulative-ratio", &["ratio"]),
    ("deposit", &["ratio", "floor_per_s", "ttl"]),
    (
        "aws-quota",
        &["capacity", "transient_cost", "first_success"],
    ),
    ("concurrency", &["share", "min_retries"]),
    ("adaptive", &["k", "window"]),
];

impl RetryBudgetTable {
    /// The checked configuration, windows cut into ticks.
    pub(super) fn config(&self, tick: Duration, clients: u64) -> Result<BudgetConfig, Problem> {
        self.check_keys()?;
        let config = self.unchecked(tick)?;
        if let BudgetConfig::RetryRatio(RetryRatioConfig { window, .. })
        | BudgetConfig::AdaptiveThrottling(AdaptiveThrottlingConfig { window, .. }) = config
        {
            let key = self.window.as_ref().map(Spanned::span);
            let place = Spanned::new(key.unwrap_or(self.kind.span()), ());
            check_window(window, tick, clients, 65_536)
                .map_err(|message| Problem::at(&place, message))?;
        }
        build_budget(config).map_err(|error| self.place(&error))?;
        Ok(config)
    }

    fn unchecked(&self, tick: Duration) -> Result<BudgetConfig, Problem> {
        let whole = |value: Option<u32>, default: u32| value.unwrap_or(default);
        Ok(match self.kind.get_ref().as_str() {
            "grpc-throttling" => {
                let max_tokens = self.max_tokens.as_ref().map_or(10.0, |n| n.get_ref().get());
                let token_ratio = self.token_ratio.as_ref().map_or(0.1, |n| n.get_ref().get());
                let config = GrpcThrottlingConfig::from_tokens(max_tokens, token_ratio);
                BudgetConfig::GrpcThrottling(config.map_err(|error| self.place(&error))?)
            }
            "retry-ratio" => {
                let default = RetryRatioConfig::default();
                BudgetConfig::RetryRatio(RetryRatioConfig {
                    ratio: self.ratio(default.ratio)?,
                    window: self
                        .window
                        .as_ref()
                        .map_or(default.window, |w| w.get_ref().get()),
                    resolution: tick,
                })
            }
            "cumulative-ratio" => BudgetConfig::CumulativeRatio {
                ratio: self.ratio(Ratio::TENTH)?,
            },
            "deposit" => {
                let default = DepositBucketConfig::default();
                BudgetConfig::DepositBucket(DepositBucketConfig {
                    ttl: self.ttl.as_ref().map_or(default.ttl, |t| t.get_ref().get()),
                    floor_per_s: whole(
                        self.floor_per_s.as_ref().map(|n| n.get_ref().small()),
                        default.floor_per_s,
                    ),
                    ratio: self.ratio(default.ratio)?,
                })
            }
            "aws-quota" => {
                let default = AwsQuotaConfig::default();
                let cost = whole(
                    self.transient_cost.as_ref().map(|n| n.get_ref().small()),
                    default.transient_cost,
                );
                // All failures of this experiment are transient: the other kinds' costs never count.
                BudgetConfig::AwsQuota(AwsQuotaConfig {
                    capacity: whole(
                        self.capacity.as_ref().map(|n| n.get_ref().small()),
                        default.capacity,
                    ),
                    transient_cost: cost,
                    timeout_cost: cost,
                    throttled_cost: cost,
                    first_success: whole(
                        self.first_success.as_ref().map(|n| n.get_ref().small()),
                        default.first_success,
                    ),
                })
            }
            "concurrency" => BudgetConfig::Concurrency {
                share: self.decimal("share", self.share.as_ref(), Ratio::ZERO)?,
                min_retries: whole(self.min_retries.as_ref().map(|n| n.get_ref().small()), 3),
            },
            _ => {
                let default = AdaptiveThrottlingConfig::default();
                BudgetConfig::AdaptiveThrottling(AdaptiveThrottlingConfig {
                    k: self.decimal("k", self.k.as_ref(), default.k)?,
                    window: self
                        .window
                        .as_ref()
                        .map_or(default.window, |w| w.get_ref().get()),
                    resolution: tick,
                })
            }
        })
    }

    fn ratio(&self, default: Ratio) -> Result<Ratio, Problem> {
        self.decimal("ratio", self.ratio.as_ref(), default)
    }

    fn decimal<const MIN: i64, const MAX: i64, const ABOVE: bool>(
        &self,
        key: &'static str,
        value: Option<&Spanned<Real<MIN, MAX, ABOVE>>>,
        default: Ratio,
    ) -> Result<Ratio, Problem> {
        value.map_or(Ok(default), |value| {
            Ratio::from_decimal(key, value.get_ref().get()).map_err(|error| self.place(&error))
        })
    }

    /// The problem at the key that the budget refused.
    fn place(&self, error: &ConfigError) -> Problem {
        let given = self.given();
        let span = given
            .into_iter()
            .find(|(key, _)| *key == error.field)
            .and_then(|(_, span)| span);
        let message = format!("{}: must be {}", error.value, error.allowed);
        Problem::at(&Spanned::new(span.unwrap_or(self.kind.span()), ()), message)
    }

    fn given(&self) -> [(&'static str, Option<Range<usize>>); 12] {
        fn span<T>(value: Option<&Spanned<T>>) -> Option<Range<usize>> {
            value.map(Spanned::span)
        }
        [
            ("max_tokens", span(self.max_tokens.as_ref())),
            ("token_ratio", span(self.token_ratio.as_ref())),
            ("ratio", span(self.ratio.as_ref())),
            ("window", span(self.window.as_ref())),
            ("floor_per_s", span(self.floor_per_s.as_ref())),
            ("ttl", span(self.ttl.as_ref())),
            ("capacity", span(self.capacity.as_ref())),
            ("transient_cost", span(self.transient_cost.as_ref())),
            ("first_success", span(self.first_success.as_ref())),
            ("share", span(self.share.as_ref())),
            ("min_retries", span(self.min_retries.as_ref())),
            ("k", span(self.k.as_ref())),
        ]
    }

    /// Whether the kind is known and takes every key that is given.
    fn check_keys(&self) -> Result<(), Problem> {
        let kind = self.kind.get_ref().as_str();
        let Some((_, takes)) = KINDS.iter().find(|(name, _)| *name == kind) else {
            let kinds: Vec<&str> = KINDS.iter().map(|(name, _)| *name).collect();
            let expected = quoted(&kinds);
            let message = format!("unknown kind `{kind}`, expected one of {expected}");
            return Err(Problem::at(&self.kind, message));
        };
        for (key, span) in self.given() {
            if let Some(span) = span.filter(|_| !takes.contains(&key)) {
                let expected = quoted(takes);
                let message = format!("kind `{kind}` has no key `{key}`, expected {expected}");
                return Err(Problem::at(&Spanned::new(span, ()), message));
            }
        }
        Ok(())
    }
}
