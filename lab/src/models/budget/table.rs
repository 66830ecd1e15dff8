//! The experiment's numbers: the table as it was published, every run, and the metrics.

use render::{Column, Table};
use serde_json::{Map, Value, json};

use super::policies::Threshold;
use super::{BudgetExperiment, Run};
use crate::models::wording::{chosen_seconds, of_runs};
use crate::models::{Metrics, Summary};

/// The summary of the values that there are, and how many runs have none.
fn summary(runs: &[Run], value: impl Fn(&Run) -> Option<f64>) -> (Option<Summary>, usize) {
    let values: Vec<f64> = runs.iter().filter_map(value).collect();
    (Summary::of(&values), runs.len() - values.len())
}

fn load(runs: &[Run]) -> Option<Summary> {
    summary(runs, |run| run.load).0
}

fn crashes(runs: &[Run]) -> Option<Summary> {
    summary(runs, |run| Some(run.crashes_after as f64)).0
}

/// The mean load during the outage, and the mean number of crashes after it.
pub(super) fn means(runs: &[Run]) -> (Option<f64>, f64) {
    let mean = |summary: Option<Summary>| summary.map(|summary| summary.mean);
    (mean(load(runs)), mean(crashes(runs)).unwrap_or(0.0))
}

/// The mean time from the server's recovery to the first success, of the runs that have one.
pub(super) fn mean_first_success_s(runs: &[Run]) -> Option<f64> {
    Some(summary(runs, |run| run.first_success_s).0?.mean)
}

/// The table in the layout in which it was published; with what refusals before a send do if there can be any.
pub(super) fn published(experiment: &BudgetExperiment, runs: &[Vec<Run>]) -> Table {
    let mut columns = vec![
        Column::left("policy"),
        Column::left("load during outage").gap(5),
        Column::left("crashes after"),
        Column::left("back to normal at"),
    ];
    if experiment.has_refusals() {
        columns.push(Column::left("requests failed fast"));
        columns.push(Column::left("first success after recovery"));
    }
    let mut table = Table::new(columns);
    for (policy, runs) in experiment.policies.iter().zip(runs) {
        let mut cells = vec![
            policy.name.clone(),
            load(runs).map_or_else(
                || "no requests".to_owned(),
                |Summary { mean, min, max }| format!("{mean:.2}x ({min:.2}-{max:.2})"),
            ),
            format!("{:4.1}", crashes(runs).map_or(0.0, |crashes| crashes.mean)),
        ];
        let (back, _) = summary(runs, |run| Some(run.back_to_normal as f64));
        let spread = |Summary { mean, min, max }| format!("{mean:5.1} s ({min:.0}-{max:.0})");
        cells.push(back.map_or_else(String::new, spread));
        if experiment.has_refusals() {
            let (fast, _) = summary(runs, |run| Some(run.failed_fast as f64));
            let spread = |Summary { mean, min, max }| format!("{mean:6.1} ({min:.0}-{max:.0})");
            cells.push(fast.map_or_else(String::new, spread));
            cells.push(first_success(runs));
        }
        table.push(cells).expect("one cell for every column");
    }
    table.note(format!(
        "{}; one that isn't back to normal by then counts as {}.",
        of_runs(experiment.seeds.count),
        chosen_seconds(experiment.seconds(experiment.config.horizon()))
    ));
    table
}

fn first_success(runs: &[Run]) -> String {
    match summary(runs, |run| run.first_success_s) {
        (None, _) => "never".to_owned(),
        (Some(Summary { mean, min, max }), never) => {
            let missing = match never {
                0 => String::new(),
                count => format!(" ({count} never)"),
            };
            format!("{mean:.2} s ({min:.2}-{max:.2}){missing}")
        }
    }
}

/// Every run as comma-separated values; a run without a success after the outage has none.
pub(super) fn runs_csv(experiment: &BudgetExperiment, runs: &[Vec<Run>]) -> String {
    let headings = [
        "policy",
        "seed",
        "arrivals_in_outage",
        "new_in_outage",
        "crashes_after",
        "back_to_normal",
        "failed_fast",
        "first_success_s",
    ];
    let mut table = Table::new(headings.map(Column::left));
    for (policy, runs) in experiment.policies.iter().zip(runs) {
        for run in runs {
            let first_success = run.first_success_s.map(|seconds| format!("{seconds:.9}"));
            let cells = [
                policy.name.clone(),
                run.seed.to_string(),
                run.arrivals_in_outage.to_string(),
                run.new_in_outage.to_string(),
                run.crashes_after.to_string(),
                run.back_to_normal.to_string(),
                run.failed_fast.to_string(),
                first_success.unwrap_or_default(),
            ];
            table.push(cells).expect("eight cells for eight columns");
        }
    }
    table.csv()
}

/// Every run; of the first seed also what the figures draw.
pub(super) fn runs_json(experiment: &BudgetExperiment, runs: &[Vec<Run>]) -> Map<String, Value> {
    let policies = experiment.policies.iter().zip(runs).map(|(policy, runs)| {
        let each = runs.iter().map(|run| run_json(experiment, run));
        let course = &runs[0].course;
        let arrivals: Vec<u64> = course.seconds.iter().map(|s| s.arrivals).collect();
        let new: Vec<u64> = course.seconds.iter().map(|s| s.new_requests).collect();
        let mut policy = json!({
            "name": policy.name,
            "runs": each.collect::<Vec<_>>(),
            "arrivals_per_s_first_seed": arrivals,
            "new_per_s_first_seed": new,
        });
        if let Some(trace) = &course.trace {
            let tokens = trace
                .milli_tokens
                .iter()
                .map(|&milli| milli as f64 / 1000.0);
            policy["traced_client"] = trace.client.into();
            policy["tokens_each_tick_first_seed"] = tokens.collect();
        }
        policy
    });
    Map::from_iter([("policies".to_owned(), policies.collect())])
}

fn run_json(experiment: &BudgetExperiment, run: &Run) -> Value {
    let mut json = json!({
        "seed": run.seed,
        "arrivals_in_outage": run.arrivals_in_outage,
        "new_in_outage": run.new_in_outage,
        "crashes_after": run.crashes_after,
        "back_to_normal": run.back_to_normal,
    });
    if experiment.has_refusals() {
        json["failed_fast"] = run.failed_fast.into();
        json["first_success_s"] = run.first_success_s.into();
    }
    json
}

/// Every number that can have been published.
pub(super) fn metrics(experiment: &BudgetExperiment, runs: &[Vec<Run>]) -> Metrics {
    let mut metrics = Metrics::new();
    for (policy, runs) in experiment.policies.iter().zip(runs) {
        let mut add = |measure: &str, value: &dyn Fn(&Run) -> Option<f64>| {
            let values = runs.iter().filter_map(|run| Some((run.seed, value(run)?)));
            metrics.add_runs(&policy.name, measure, values.collect::<Vec<_>>());
        };
        add("load_during_outage", &|run| run.load);
        add("crashes_after", &|run| Some(run.crashes_after as f64));
        add("back_to_normal_s", &|run| Some(run.back_to_normal as f64));
        if experiment.has_refusals() {
            add("failed_fast", &|run| Some(run.failed_fast as f64));
            add("first_success_s", &|run| run.first_success_s);
        }
        let seed = format!("seed {}", experiment.seeds.first);
        if let Some(course) = policy
            .threshold
            .and_then(|threshold| TokenCourse::of(experiment, threshold, &runs[0]))
        {
            let mut add = |measure: &str, value: Option<f64>| {
                if let Some(value) = value {
                    metrics.add(&policy.name, measure, &seed, value);
                }
            };
            add("tokens_at_outage_end", course.at_outage_end);
            add("tokens_return_s", course.return_s);
            add("tokens_gone_again_s", course.gone_again_s);
            add("retries_again_after_s", course.retries_again_after_s);
        }
    }
    metrics
}

/// How the traced client's tokens ran out and came back.
pub(super) struct TokenCourse {
    /// The tokens at the end of the outage's last tick.
    pub(super) at_outage_end: Option<f64>,
    /// When the first tokens come back after that.
    pub(super) return_s: Option<f64>,
    /// When those are used up again, if it is before retries are allowed.
    pub(super) gone_again_s: Option<f64>,
    /// How long after the outage's end retries are allowed again.
    pub(super) retries_again_after_s: Option<f64>,
}

impl TokenCourse {
    /// The course of the traced client, if the run traced one.
    pub(super) fn of(
        experiment: &BudgetExperiment,
        threshold: Threshold,
        run: &Run,
    ) -> Option<Self> {
        let tokens = &run.course.trace.as_ref()?.milli_tokens;
        let end = experiment.config.outage()?.until as usize;
        let first = |from: usize, is: &dyn Fn(u64) -> bool| {
            let after = tokens.get(from..)?;
            Some(from + after.iter().position(|&milli| is(milli))?)
        };
        let returned = first(end, &|milli| milli > 0);
        let allowed = first(end, &|milli| threshold.allows(milli as f64 / 1000.0));
        let gone = returned
            .and_then(|returned| first(returned, &|milli| milli == 0))
            .filter(|&gone| allowed.is_none_or(|allowed| gone < allowed));
        let seconds = |tick: usize| experiment.seconds(tick as u64);
        Some(Self {
            at_outage_end: tokens.get(end - 1).map(|&milli| milli as f64 / 1000.0),
            return_s: returned.map(seconds),
            gone_again_s: gone.map(seconds),
            retries_again_after_s: allowed.map(|allowed| seconds(allowed - end)),
        })
    }
}
