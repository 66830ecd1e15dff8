//! `[[policy]]`: how the clients of one row of the table retry.

use std::time::Duration;

use backoff_core::BackoffConfig;
use backoff_core::budget::{Budget, BudgetConfig};
use budget_sim::{BreakerPlace, Policy, PolicyParams};
use render::Hue;
use serde::Deserialize;
use toml::Spanned;

use super::breaker::BreakerTable;
use super::retry_budget::RetryBudgetTable;
use crate::scenario::backoff::free_hue;
use crate::scenario::{BackoffTable, Name, Problem, Whole, distinct};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PolicyTable {
    name: Spanned<Name>,
    max_attempts: Spanned<Whole<1, 1000>>,
    backoff: Option<BackoffTable>,
    budget: Option<Spanned<RetryBudgetTable>>,
    breaker: Option<Spanned<BreakerTable>>,
}

/// A policy with its name.
pub(super) struct NamedPolicy {
    pub(super) name: String,
    pub(super) policy: Policy,
    pub(super) max_attempts: u32,
    /// Where its breaker stands, if it has one.
    pub(super) breaker: Option<BreakerPlace>,
    /// Whether its budget refuses first sends too.
    pub(super) throttles_first_sends: bool,
    /// When a budget that keeps tokens grants retries.
    pub(super) threshold: Option<Threshold>,
    /// Its colour in every figure: its kind's own, as long as no earlier policy of the scenario has it.
    pub(super) hue: Hue,
}

/// The tokens that a client needs to retry.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Threshold {
    /// More than this.
    Above(f64),
    /// At least this.
    AtLeast(f64),
}

impl Threshold {
    pub(super) fn tokens(self) -> f64 {
        match self {
            Self::Above(tokens) | Self::AtLeast(tokens) => tokens,
        }
    }

    pub(super) fn allows(self, tokens: f64) -> bool {
        match self {
            Self::Above(least) => tokens > least,
            Self::AtLeast(least) => tokens >= least,
        }
    }
}

/// What the machine should be able to hold: slots of all clients' windows together, 24 bytes each.
const MAX_SLOTS: u128 = 4_000_000;

/// Whether a window, cut into ticks, is short enough for so many clients.
pub(super) fn check_window(
    window: Duration,
    tick: Duration,
    clients: u64,
    most: u128,
) -> Result<(), String> {
    let slots = window.as_nanos() / tick.as_nanos();
    let most = most.min(MAX_SLOTS / u128::from(clients));
    if !window.as_nanos().is_multiple_of(tick.as_nanos()) || !(1..=most).contains(&slots) {
        return Err(format!(
            "{window:?}: must be a whole number of ticks of {tick:?}, from 1 to {most} for {clients} clients"
        ));
    }
    Ok(())
}

/// The policies of a scenario: 1 to 32, their names distinct.
pub(super) fn policies(
    tables: &Spanned<Vec<PolicyTable>>,
    tick: Duration,
    clients: u64,
) -> Result<Vec<NamedPolicy>, Problem> {
    let names = tables.get_ref().iter().map(|table| &table.name);
    distinct(tables, "policy", names)?;
    let mut taken = Vec::new();
    let mut policies = Vec::new();
    for table in tables.get_ref() {
        let policy = table.build(tick, clients, &taken)?;
        taken.push(policy.hue);
        policies.push(policy);
    }
    Ok(policies)
}

impl PolicyTable {
    fn build(&self, tick: Duration, clients: u64, taken: &[Hue]) -> Result<NamedPolicy, Problem> {
        let max_attempts = self.max_attempts.get_ref().small();
        let budget = self.budget.as_ref();
        let budget = budget
            .map(|budget| budget.get_ref().config(tick, clients))
            .transpose()?;
        let breaker = self.breaker.as_ref();
        let breaker = breaker
            .map(|table| table.get_ref().config(table, tick, clients))
            .transpose()?;
        let params = PolicyParams {
            max_attempts,
            backoff: self.backoff(max_attempts)?,
            budget,
            breaker,
        };
        let policy = params
            .build()
            .map_err(|error| Problem::at(&self.name, error.to_string()))?;
        let wanted = hue(&params);
        Ok(NamedPolicy {
            name: self.name.get_ref().as_str().to_owned(),
            policy,
            max_attempts,
            breaker: breaker.map(|(_, place)| place),
            throttles_first_sends: matches!(budget, Some(BudgetConfig::AdaptiveThrottling(_))),
            threshold: budget.and_then(threshold),
            hue: free_hue(wanted, taken),
        })
    }

    fn backoff(&self, max_attempts: u32) -> Result<BackoffConfig, Problem> {
        match &self.backoff {
            Some(table) => table.checked(),
            None if max_attempts == 1 => Ok(BackoffConfig::Immediate),
            None => {
                let message = "missing key `backoff`: more than 1 attempt needs it";
                Err(Problem::at(&self.max_attempts, message))
            }
        }
    }
}

/// From how many tokens on a budget grants retries, if it keeps tokens.
fn threshold(budget: BudgetConfig) -> Option<Threshold> {
    match (budget, budget.build().ok()?) {
        (BudgetConfig::GrpcThrottling(_), Budget::GrpcThrottling(throttling)) => {
            Some(Threshold::Above(throttling.milli_threshold() / 1000.0))
        }
        (BudgetConfig::AwsQuota(quota), _) => {
            Some(Threshold::AtLeast(f64::from(quota.transient_cost)))
        }
        _ => None,
    }
}

/// The colour of a kind, the same in every figure.
fn hue(params: &PolicyParams) -> Hue {
    match (&params.budget, &params.breaker) {
        (Some(BudgetConfig::GrpcThrottling(_)), _) => Hue::Blue,
        (Some(BudgetConfig::RetryRatio(_) | BudgetConfig::CumulativeRatio { .. }), _) => Hue::Green,
        (Some(BudgetConfig::DepositBucket(_)), _) => Hue::Purple,
        (Some(BudgetConfig::AwsQuota(_)), _) => Hue::Orange,
        (Some(_), _) => Hue::Sky,
        (None, Some(_)) if params.max_attempts == 1 => Hue::Sky,
        (None, Some((_, BreakerPlace::EachAttempt))) => Hue::Blue,
        (None, Some((_, BreakerPlace::EachAttemptRefusalsRetried))) => Hue::Orange,
        (None, Some((_, BreakerPlace::WholeRequest))) => Hue::Purple,
        (None, None) if params.max_attempts == 1 => Hue::Gray,
        (None, None) => Hue::Vermilion,
    }
}
