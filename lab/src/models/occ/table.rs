//! The contention tables, the rows as the public simulator prints them, and the metrics.

use occ_sim::Row;
use render::{Column, Table};
use serde_json::{Map, Value, json};

use super::{OccExperiment, Results};
use crate::models::Metrics;

/// The file that the public simulator writes.
pub(super) const PEER_CSV: &str = "backoff_results.csv";

/// Calls and completion times, a line for each number of clients and a column for each strategy.
pub(super) fn tables(experiment: &OccExperiment, results: &Results) -> Vec<Table> {
    let about = |what: &str| {
        let contests = match experiment.config.repetitions() {
            1 => "1 contest".to_owned(),
            more => format!("{more} contests"),
        };
        format!(
            "Mean {what} of {contests} each, without the fraction; seed {}.",
            experiment.seed
        )
    };
    let mut calls = by_clients(experiment, results, Row::whole_calls);
    calls.note(about(
        "number of calls (writes tried, refused ones included)",
    ));
    let mut time = by_clients(experiment, results, Row::whole_ms);
    time.note(about(
        "time in ms until the last accepted write was answered",
    ));
    vec![calls, time]
}

fn by_clients(experiment: &OccExperiment, results: &Results, value: impl Fn(&Row) -> u64) -> Table {
    let names = experiment
        .strategies
        .iter()
        .map(|strategy| Column::right(&strategy.name));
    let mut table = Table::new([Column::right("clients")].into_iter().chain(names));
    for rows in results.by_clients(experiment.strategies.len()) {
        let values = rows.iter().map(|row| value(row).to_string());
        let cells = [rows[0].clients.to_string()].into_iter().chain(values);
        table.push(cells).expect("a cell for each strategy");
    }
    table
}

/// The rows in the columns and the order in which the public simulator prints them.
pub(super) fn csv(experiment: &OccExperiment, results: &Results) -> String {
    let mut table = Table::new(["clients", "time", "calls", "Algorithm"].map(Column::left));
    for row in &results.rows {
        let [clients, time, calls] =
            [u64::from(row.clients), row.whole_ms(), row.whole_calls()].map(|n| n.to_string());
        let name = experiment.strategies[row.strategy].name.clone();
        table
            .push([clients, time, calls, name])
            .expect("four cells for four columns");
    }
    table.csv()
}

/// Every row, its means with their fractions.
pub(super) fn json(experiment: &OccExperiment, results: &Results) -> Map<String, Value> {
    let strategies = experiment
        .strategies
        .iter()
        .enumerate()
        .map(|(position, strategy)| {
            let rows = results.rows.iter().filter(|row| row.strategy == position);
            let runs = rows.map(|row| {
                json!({
                    "seed": experiment.seed,
                    "clients": row.clients,
                    "repetitions": row.repetitions,
                    "mean_time_ms": row.mean_ms(),
                    "mean_calls": row.mean_calls(),
                })
            });
            json!({ "name": strategy.name, "runs": runs.collect::<Vec<_>>() })
        });
    Map::from_iter([("strategies".to_owned(), strategies.collect())])
}

/// Every number that can have been published: the rows with and without their fractions, and how the strategies compare over all numbers of
/// clients, by the rows without fractions.
pub(super) fn metrics(experiment: &OccExperiment, results: &Results) -> Metrics {
    let mut metrics = Metrics::new();
    for row in &results.rows {
        let name = &experiment.strategies[row.strategy].name;
        let clients = format!("{} clients", row.clients);
        metrics.add(name, "time_ms", &clients, row.whole_ms() as f64);
        metrics.add(name, "calls", &clients, row.whole_calls() as f64);
        metrics.add(name, "mean_time_ms", &clients, row.mean_ms());
        metrics.add(name, "mean_calls", &clients, row.mean_calls());
    }
    for (position, strategy) in experiment.strategies.iter().enumerate() {
        let name = &strategy.name;
        for (measure, value) in [
            ("time_ms", Row::whole_ms as fn(&Row) -> u64),
            ("calls", Row::whole_calls),
        ] {
            let standing = Standing::of(experiment, results, value, position);
            metrics.add(name, measure, "least in", standing.least_in as f64);
            metrics.add(name, measure, "greatest in", standing.greatest_in as f64);
            metrics.add(
                name,
                measure,
                "most over the least",
                standing.most_over_least,
            );
            for (other, above_in) in experiment.strategies.iter().zip(standing.above_in) {
                metrics.add(
                    name,
                    measure,
                    &format!("above {} in", other.name),
                    above_in as f64,
                );
            }
        }
    }
    metrics
}

/// How a strategy's values stand to the others', over all numbers of clients.
pub(super) struct Standing {
    /// At how many of them none is less.
    pub(super) least_in: usize,
    /// At how many of them none is greater.
    pub(super) greatest_in: usize,
    /// The greatest ratio to the least.
    most_over_least: f64,
    /// For each strategy, at how many of them this one's is greater.
    pub(super) above_in: Vec<usize>,
}

impl Standing {
    pub(super) fn of(
        experiment: &OccExperiment,
        results: &Results,
        value: impl Fn(&Row) -> u64,
        position: usize,
    ) -> Self {
        let strategies = experiment.strategies.len();
        let mut standing = Self {
            least_in: 0,
            greatest_in: 0,
            most_over_least: 1.0,
            above_in: vec![0; strategies],
        };
        for rows in results.by_clients(strategies) {
            let ours = value(&rows[position]);
            let least = rows.iter().map(&value).min().unwrap_or(ours);
            standing.least_in += usize::from(ours == least);
            standing.greatest_in += usize::from(rows.iter().all(|row| value(row) <= ours));
            if least > 0 {
                standing.most_over_least = standing.most_over_least.max(ours as f64 / least as f64);
            }
            for (above_in, row) in standing.above_in.iter_mut().zip(rows) {
                *above_in += usize::from(ours > value(row));
            }
        }
        standing
    }
}
