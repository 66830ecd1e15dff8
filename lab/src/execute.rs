//! Running scenarios on a bounded number of threads.

use std::num::NonZeroUsize;

use anyhow::{Context, Result};
use rayon::prelude::*;

use crate::ledger::Verdicts;
use crate::models::Outcome;
use crate::progress::Bars;
use crate::scenario::Scenario;

/// What came out of one scenario.
pub struct Done {
    /// The scenario.
    pub scenario: Scenario,
    /// Its outcome.
    pub outcome: Outcome,
    /// The verdict on those of its published numbers that there is a metric for.
    pub verdicts: Verdicts,
}

/// Each scenario's outcome and what `finish` makes of it, in the order given, on at most `jobs` threads (as many as there are processors unless given).
///
/// # Errors
/// Threads that can't be started, and what `finish` refuses.
pub fn execute<R: Send>(
    scenarios: Vec<Scenario>,
    jobs: Option<NonZeroUsize>,
    finish: impl Fn(&Done) -> Result<R> + Sync,
) -> Result<Vec<(Done, R)>> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(jobs.map_or(0, NonZeroUsize::get))
        .build()
        .context("the threads can't be started")?;
    let bars = Bars::on_stderr();
    pool.install(|| {
        scenarios
            .into_par_iter()
            // One experiment may be a single long thread of work, so none waits behind another in the same piece.
            .with_max_len(1)
            .map(|scenario| {
                let progress = bars.add(&scenario.id);
                let outcome = scenario.experiment.run(&progress);
                progress.finish();
                let verdicts = Verdicts::judge(&scenario, &outcome.metrics);
                let done = Done {
                    scenario,
                    outcome,
                    verdicts,
                };
                let made = finish(&done)?;
                Ok((done, made))
            })
            .collect()
    })
}
