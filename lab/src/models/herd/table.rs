//! The herd's numbers: the table as it was published, every run, and the metrics.

use render::{Column, Table};
use serde_json::{Map, Value, json};

use super::{HerdExperiment, Run};
use crate::models::wording::{chosen_seconds, of_runs};
use crate::models::{Metrics, Summary};

/// Mean, least and greatest of one strategy's runs.
pub(super) struct Line {
    pub(super) finish_s: Summary,
    /// The square of the standard error of the mean finish; none for a single run.
    pub(super) finish_error_squared: Option<f64>,
    pub(super) requests: Summary,
    pub(super) crashes: Summary,
    pub(super) unfinished: usize,
}

impl Line {
    pub(super) fn of(experiment: &HerdExperiment, runs: &[Run]) -> Self {
        let summary = |value: &dyn Fn(&Run) -> f64| {
            let values: Vec<f64> = runs.iter().map(value).collect();
            Summary::of(&values).unwrap_or(Summary {
                mean: 0.0,
                min: 0.0,
                max: 0.0,
            })
        };
        let finish_s = summary(&|run| experiment.finish_s(&run.totals));
        Self {
            finish_s,
            finish_error_squared: (runs.len() > 1).then(|| {
                let apart = runs
                    .iter()
                    .map(|run| experiment.finish_s(&run.totals) - finish_s.mean);
                let count = runs.len() as f64;
                apart.map(|apart| apart * apart).sum::<f64>() / (count - 1.0) / count
            }),
            requests: summary(&|run| run.totals.requests as f64),
            crashes: summary(&|run| run.totals.crashes as f64),
            unfinished: runs
                .iter()
                .filter(|run| run.totals.finish_ticks.is_none())
                .count(),
        }
    }
}

/// The table in the layout in which it was published.
pub(super) fn published(experiment: &HerdExperiment, runs: &[Vec<Run>]) -> Table {
    let lines: Vec<Line> = runs.iter().map(|runs| Line::of(experiment, runs)).collect();
    let width = |decimals: usize, least: usize, pick: &dyn Fn(&Line) -> Summary| {
        let widths = lines
            .iter()
            .map(|line| format!("{:.decimals$}", pick(line).max).len());
        widths.max().unwrap_or(0).max(least)
    };
    let decimals = finish_decimals(experiment);
    let finish = width(decimals, 6, &|line| line.finish_s);
    let requests = width(0, 8, &|line| line.requests);
    let crashes = width(1, 5, &|line| line.crashes);
    let mut table = Table::new([
        Column::left("strategy").gap(2),
        Column::left("finish s"),
        Column::left("requests"),
        Column::left("crashes"),
    ]);
    for (strategy, line) in experiment.strategies.iter().zip(&lines) {
        let unfinished = match line.unfinished {
            0 => String::new(),
            count => format!(" ({count} unfinished)"),
        };
        let cells = [
            strategy.name.clone(),
            spread(line.finish_s, finish, decimals),
            spread(line.requests, requests, 0),
            format!("{:crashes$.1}{unfinished}", line.crashes.mean),
        ];
        table.push(cells).expect("four cells for four columns");
    }
    table.note(format!(
        "{}; an unfinished one counts as {}.",
        of_runs(experiment.seeds.count),
        chosen_seconds(experiment.give_up_s())
    ));
    table
}

/// The decimals of a finish in seconds: two as published, more if a tick has more.
fn finish_decimals(experiment: &HerdExperiment) -> usize {
    let nanos = experiment.params.tick.as_nanos();
    (2..9)
        .find(|&decimals| nanos.is_multiple_of(10_u128.pow(9 - decimals)))
        .unwrap_or(9) as usize
}

fn spread(summary: Summary, width: usize, decimals: usize) -> String {
    let Summary { mean, min, max } = summary;
    format!("{mean:width$.decimals$} ({min:width$.decimals$}-{max:width$.decimals$})")
}

/// Every run as comma-separated values; an unfinished one has no finish.
pub(super) fn runs_csv(experiment: &HerdExperiment, runs: &[Vec<Run>]) -> String {
    let headings = ["strategy", "seed", "finish_ticks", "requests", "crashes"];
    let mut table = Table::new(headings.map(Column::left));
    for (strategy, runs) in experiment.strategies.iter().zip(runs) {
        for Run { seed, totals, .. } in runs {
            let finish = totals.finish_ticks.map(|ticks| ticks.to_string());
            let cells = [
                strategy.name.clone(),
                seed.to_string(),
                finish.unwrap_or_default(),
                totals.requests.to_string(),
                totals.crashes.to_string(),
            ];
            table.push(cells).expect("five cells for five columns");
        }
    }
    table.csv()
}

/// Every run.
pub(super) fn runs_json(experiment: &HerdExperiment, runs: &[Vec<Run>]) -> Map<String, Value> {
    let strategies = experiment
        .strategies
        .iter()
        .zip(runs)
        .map(|(strategy, runs)| {
            let runs = runs.iter().map(|Run { seed, totals, .. }| {
                json!({
                    "seed": seed,
                    "finish_ticks": totals.finish_ticks,
                    "requests": totals.requests,
                    "crashes": totals.crashes,
                })
            });
            json!({ "name": strategy.name, "runs": runs.collect::<Vec<_>>() })
        });
    Map::from_iter([("strategies".to_owned(), strategies.collect())])
}

/// Every number that can have been published.
pub(super) fn metrics(experiment: &HerdExperiment, runs: &[Vec<Run>]) -> Metrics {
    let mut metrics = Metrics::new();
    for (strategy, runs) in experiment.strategies.iter().zip(runs) {
        let name = &strategy.name;
        let each = |value: &dyn Fn(&Run) -> f64| -> Vec<(u64, f64)> {
            runs.iter().map(|run| (run.seed, value(run))).collect()
        };
        metrics.add_runs(
            name,
            "finish_s",
            each(&|run| experiment.finish_s(&run.totals)),
        );
        metrics.add_runs(name, "requests", each(&|run| run.totals.requests as f64));
        metrics.add_runs(name, "crashes", each(&|run| run.totals.crashes as f64));
        let unfinished = runs
            .iter()
            .filter(|run| run.totals.finish_ticks.is_none())
            .count();
        metrics.add(name, "unfinished", "count", unfinished as f64);
    }
    metrics
}
