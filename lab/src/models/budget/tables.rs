//! The experiment's tables in a scenario file.

use std::time::Duration;

use backoff_core::ConfigError;
use budget_sim::{BudgetSimConfig, BudgetSimParams, CrashParams, OutageParams};
use serde::Deserialize;
use toml::Spanned;

use super::policies::{NamedPolicy, PolicyTable, policies};
use crate::scenario::value::{DAY, SECOND};
use crate::scenario::{Name, Positive, Problem, Time, Whole, drawn};

const YEAR: u64 = 365 * DAY;
/// The most attempts that all runs may come to if every one fails: some minutes' work.
const MAX_ATTEMPTS: f64 = 1e10;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Tables {
    pub(super) budget: BudgetTable,
    policy: Spanned<Vec<PolicyTable>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BudgetTable {
    tick: Spanned<Time<1, SECOND>>,
    clients: Spanned<Whole<1, { BudgetSimConfig::MAX_CLIENTS }>>,
    rate_per_client: Spanned<Positive<1_000_000>>,
    capacity_per_tick: Whole<1, 1_000_000_000>,
    outage: OutageTable,
    crash: CrashTable,
    ends_at: Spanned<Time<1, YEAR>>,
    trace_client: Option<Spanned<Whole<0, { BudgetSimConfig::MAX_CLIENTS }>>>,
    draw: Option<Spanned<Vec<Spanned<Name>>>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OutageTable {
    from: Spanned<Time<0, YEAR>>,
    until: Spanned<Time<1, YEAR>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CrashTable {
    window: Spanned<Time<1, YEAR>>,
    limit: Whole<0, 1_000_000_000>,
    restart: Spanned<Time<0, YEAR>>,
}

impl Tables {
    /// The checked parameters and policies.
    pub(super) fn check(&self) -> Result<(BudgetSimParams, Vec<NamedPolicy>), Problem> {
        let params = self.budget.params()?;
        params.build().map_err(|error| self.budget.place(&error))?;
        let policies = policies(&self.policy, params.tick, params.clients)?;
        Ok((params, policies))
    }

    /// Whether all runs take no longer than somebody would wait.
    pub(super) fn check_work(&self, policies: &[NamedPolicy], seeds: u32) -> Result<(), Problem> {
        let budget = &self.budget;
        let requests = budget.rate_per_client.get_ref().get()
            * budget.clients.get_ref().get() as f64
            * budget.ends_at.get_ref().get().as_secs_f64();
        let attempts = policies.iter().map(|policy| f64::from(policy.max_attempts));
        let work = requests * attempts.sum::<f64>() * f64::from(seeds);
        if work <= MAX_ATTEMPTS {
            return Ok(());
        }
        let message = format!(
            "{}: all runs may come to {work:.1e} attempts, more than {MAX_ATTEMPTS:.0e}: choose fewer requests, attempts, policies or seeds",
            budget.rate_per_client.get_ref().get()
        );
        Err(Problem::at(&budget.rate_per_client, message))
    }

    /// The positions of the policies whose arrivals are drawn.
    pub(super) fn drawn(&self, policies: &[NamedPolicy]) -> Result<Vec<usize>, Problem> {
        let names: Vec<&str> = policies.iter().map(|policy| policy.name.as_str()).collect();
        drawn(self.budget.draw.as_ref(), &names, "policy")
    }
}

impl BudgetTable {
    fn params(&self) -> Result<BudgetSimParams, Problem> {
        let tick = self.tick.get_ref().get();
        let most = BudgetSimConfig::MAX_TICKS;
        let at_most = |time: Duration, span| {
            if time.as_nanos() <= u128::from(most) * tick.as_nanos() {
                return Ok(time);
            }
            let message = format!("{time:?}: must be at most {most} ticks of {tick:?}");
            Err(Problem::at(&Spanned::new(span, ()), message))
        };
        let time = |time: &Spanned<Time<1, YEAR>>| at_most(time.get_ref().get(), time.span());
        let from_0 = |time: &Spanned<Time<0, YEAR>>| at_most(time.get_ref().get(), time.span());
        Ok(BudgetSimParams {
            tick,
            clients: self.clients.get_ref().get(),
            rate_per_client: self.rate_per_client.get_ref().get(),
            capacity_per_tick: self.capacity_per_tick.get(),
            outage: Some(OutageParams {
                from: from_0(&self.outage.from)?,
                until: time(&self.outage.until)?,
            }),
            crash: CrashParams {
                window: time(&self.crash.window)?,
                limit: self.crash.limit.get(),
                restart: from_0(&self.crash.restart)?,
            },
            ends_at: time(&self.ends_at)?,
            trace_client: self
                .trace_client
                .as_ref()
                .map(|client| client.get_ref().get()),
        })
    }

    /// The problem at the key that the simulator refused.
    pub(super) fn place(&self, error: &ConfigError) -> Problem {
        let span = match error.field {
            "clients" => self.clients.span(),
            "rate_per_client" => self.rate_per_client.span(),
            "outage.from" => self.outage.from.span(),
            "outage.until" => self.outage.until.span(),
            "crash.window" => self.crash.window.span(),
            "crash.restart" => self.crash.restart.span(),
            "ends_at" => self.ends_at.span(),
            "trace_client" => self
                .trace_client
                .as_ref()
                .map_or(self.clients.span(), Spanned::span),
            _ => self.tick.span(),
        };
        let message = format!("{}: must be {}", error.value, error.allowed);
        Problem::at(&Spanned::new(span, ()), message)
    }
}
