//! Whether the chosen engine can run every strategy, in a time that somebody would wait.

use backoff_core::Backoff;
use herd_sim::HerdConfig;
use herd_sim::cohort::{CohortError, Cohorts};

use super::tables::HerdTable;
use crate::scenario::{Engine, Header, Problem, Rng, Strategy};

/// The most clients that the exact engine is given, which is a matter of patience: a run of as many takes seconds.
const MAX_EXACT_CLIENTS: u64 = 10_000_000;
/// The most requests that all runs of the exact engine may come to if nobody is served: some minutes' work.
const MAX_EXACT_REQUESTS: f64 = 1e11;
/// The most work of the cohort engine: the ticks of all runs, each times the ticks of the longest wait; a bound that runs which finish stay far below.
const MAX_COHORT_WORK: f64 = 1e11;

/// Whether the engine that the header chooses can run every strategy.
///
/// # Errors
/// What it can't run, and what takes too long.
pub(super) fn check(
    header: &Header,
    config: &HerdConfig,
    strategies: &[Strategy],
    herd: &HerdTable,
) -> Result<(), Problem> {
    match header.engine.get_ref() {
        Engine::Exact => check_exact(header, config, strategies, herd),
        Engine::Cohort => check_cohort(header, config, strategies, herd),
    }
}

fn check_exact(
    header: &Header,
    config: &HerdConfig,
    strategies: &[Strategy],
    herd: &HerdTable,
) -> Result<(), Problem> {
    let clients = config.clients();
    if clients > MAX_EXACT_CLIENTS {
        let message = format!(
            "{clients}: must be at most {MAX_EXACT_CLIENTS} with engine = \"exact\" (engine = \"cohort\" takes more)"
        );
        return Err(Problem::at(&herd.clients, message));
    }
    let attempts = strategies
        .iter()
        .map(|strategy| attempts_unserved(&strategy.backoff, config));
    let requests = attempts.sum::<f64>() * clients as f64 * f64::from(header.seeds.count);
    if requests <= MAX_EXACT_REQUESTS {
        return Ok(());
    }
    let message = format!(
        "{clients}: all runs may come to {requests:.1e} requests, more than {MAX_EXACT_REQUESTS:.0e}: choose fewer clients or seeds, an earlier give_up_at, or engine = \"cohort\""
    );
    Err(Problem::at(&herd.clients, message))
}

/// About how many attempts a client makes that is never served: each wait in the middle of its bounds (the mean, but for decorrelated jitter,
/// whose mean takes long to find), from the 16th on all like that one.
fn attempts_unserved(backoff: &Backoff, config: &HerdConfig) -> f64 {
    let tick_s = config.tick().as_secs_f64();
    let round = |failures: u32| {
        let (least, greatest) = backoff.bounds(failures);
        f64::midpoint(least, greatest) / tick_s + 1.0
    };
    let (mut attempts, mut left) = (0.0, config.horizon() as f64);
    for failures in 1..16 {
        attempts += 1.0;
        left -= round(failures);
        if left <= 0.0 {
            return attempts;
        }
    }
    attempts + left / round(16)
}

/// Whether the cohort engine can run every strategy.
fn check_cohort(
    header: &Header,
    config: &HerdConfig,
    strategies: &[Strategy],
    herd: &HerdTable,
) -> Result<(), Problem> {
    if *header.rng.get_ref() == Rng::CPython {
        return Err(Problem::at(&header.rng, CohortError::Replays.to_string()));
    }
    for strategy in strategies {
        if let Err(error) = Cohorts::new(config, &strategy.backoff) {
            return Err(match error {
                CohortError::TooManyClients { .. } => Problem::at(&herd.clients, error.to_string()),
                _ => Problem::at(
                    &header.engine,
                    format!("strategy `{}`: {error}", strategy.name),
                ),
            });
        }
    }
    check_cohort_work(header, config, strategies, herd)
}

/// Whether the cohort engine takes no longer than anybody would wait: a tick's failures are dealt to as many ticks as the longest wait has.
fn check_cohort_work(
    header: &Header,
    config: &HerdConfig,
    strategies: &[Strategy],
    herd: &HerdTable,
) -> Result<(), Problem> {
    let tick_s = config.tick().as_secs_f64();
    let longest = strategies
        .iter()
        .map(|strategy| strategy.backoff.bounds(u32::MAX).1 / tick_s + 1.0);
    let work = longest.sum::<f64>() * config.horizon() as f64 * f64::from(header.seeds.count);
    if work <= MAX_COHORT_WORK {
        return Ok(());
    }
    let message = format!(
        "{:?}: the ticks of all runs, times those of the longest waits, come to {work:.1e}, more than {MAX_COHORT_WORK:.0e}: choose a longer tick or fewer seeds",
        config.tick()
    );
    Err(Problem::at(&herd.tick, message))
}
