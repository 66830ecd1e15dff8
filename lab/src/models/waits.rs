//! Model `waits`: what a strategy's waits look like, client by client.

use backoff_core::{Backoff, Unit};
use render::{Arrangement, Axis, Column, Dash, Figure, Hue, Panel, Series, Table};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use sim_kernel::{CPython, Pcg64, Stream};
use toml::Spanned;

use super::{Csv, Engines, Experiment, Metrics, Model, Outcome, Picture, Runs, Summary};
use crate::progress::Progress;
use crate::scenario::{
    BackoffTable, Body, Header, Problem, Rng, Strategy, StrategyTable, Whole, strategies,
};

/// The most waits of all strategies together: each is a number in outcome.json and a dot in the figure.
const MAX_WAITS: u64 = 1_000_000;
/// The most strategies that one figure has room for.
const MAX_PANELS: usize = 6;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Tables {
    waits: WaitsTable,
    strategy: Spanned<Vec<StrategyTable>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WaitsTable {
    seed: Whole<0, { 1 << 53 }>,
    clients: Spanned<Whole<1, 10_000>>,
    failures: Whole<1, 100>,
    unjittered: Spanned<BackoffTable>,
}

/// The model.
pub(super) const MODEL: Model = Model {
    name: "waits",
    tables: &["waits", "strategy"],
    runs: Runs::OnceDrawing,
    engines: Engines::Exact,
    reference: "\
For each strategy, a fresh stream of one seed; for each client in turn, its waits after each failure.
[waits]
  seed        0 to 2^53
  clients     1 to 10000, and few enough for 1000000 waits of all strategies
  failures    waits after failures 1, 2, … up to this many, 1 to 100
  unjittered  a backoff without jitter that the waits are compared with
[[strategy]]  at most 6
Metrics  name/wait_N_s after failure N, each /mean, /min and /max over the clients
",
    parse,
};

fn parse(header: &Header, body: Body<'_>) -> Result<Box<dyn Experiment>, Problem> {
    let Tables { waits, strategy } = body.read()?;
    let unjittered = waits.unjittered.get_ref().build(Unit::Seconds)?;
    if unjittered.draws() {
        return Err(Problem::at(
            &waits.unjittered,
            "must be a kind without jitter: `immediate`, `fixed` or `exponential`",
        ));
    }
    let strategies_checked = strategies(&strategy, Unit::Seconds)?;
    if strategies_checked.len() > MAX_PANELS {
        return Err(Problem::at(
            &strategy,
            format!(
                "{} strategies, expected at most {MAX_PANELS}",
                strategies_checked.len()
            ),
        ));
    }
    let (clients, failures) = (waits.clients.get_ref(), waits.failures);
    let count = clients.get() * failures.get() * strategies_checked.len() as u64;
    if count > MAX_WAITS {
        let message = format!(
            "{}: {count} waits of all strategies, expected at most {MAX_WAITS}",
            clients.get()
        );
        return Err(Problem::at(&waits.clients, message));
    }
    Ok(Box::new(WaitsExperiment {
        rng: *header.rng.get_ref(),
        seed: waits.seed.get(),
        clients: clients.size(),
        failures: failures.small(),
        unjittered,
        strategies: strategies_checked,
    }))
}

struct WaitsExperiment {
    rng: Rng,
    seed: u64,
    clients: usize,
    failures: u32,
    unjittered: Backoff,
    strategies: Vec<Strategy>,
}

impl WaitsExperiment {
    /// For each client, its waits after failures 1, 2, …, in seconds.
    fn draw(&self, strategy: &Strategy) -> Vec<Vec<f64>> {
        match self.rng {
            Rng::CPython => self.draw_from(&strategy.backoff, &mut CPython::new(self.seed)),
            Rng::Pcg64 => self.draw_from(
                &strategy.backoff,
                &mut Pcg64::for_unit(&strategy.name, self.seed),
            ),
        }
    }

    fn draw_from(&self, backoff: &Backoff, stream: &mut impl Stream) -> Vec<Vec<f64>> {
        let waits_of_a_client = |stream: &mut _| {
            let mut previous = backoff.first_previous();
            let after = |failures| {
                let unit = if backoff.draws() {
                    Stream::unit(stream)
                } else {
                    0.0
                };
                previous = backoff.wait(failures, previous, unit);
                previous
            };
            (1..=self.failures).map(after).collect()
        };
        (0..self.clients)
            .map(|_| waits_of_a_client(stream))
            .collect()
    }

    /// The wait without jitter after each failure, in seconds.
    fn nominal(&self) -> Vec<f64> {
        (1..=self.failures)
            .map(|failures| self.unjittered.wait(failures, 0.0, 0.0))
            .collect()
    }
}

/// The summary of all clients' waits after each failure.
fn summaries(waits: &[Vec<f64>], failures: u32) -> Vec<Summary> {
    let after = |index: usize| -> Vec<f64> { waits.iter().map(|client| client[index]).collect() };
    (0..failures as usize)
        .filter_map(|index| Summary::of(&after(index)))
        .collect()
}

impl Experiment for WaitsExperiment {
    fn artifacts(&self) -> Vec<String> {
        vec!["waits.png".into()]
    }

    fn run(&self, progress: &Progress) -> Outcome {
        progress.begin(self.strategies.len() as u64);
        let drawn: Vec<Vec<Vec<f64>>> = self
            .strategies
            .iter()
            .map(|strategy| {
                let waits = self.draw(strategy);
                progress.advance();
                waits
            })
            .collect();
        Outcome {
            tables: vec![self.table(&drawn)],
            pictures: vec![self.picture(&drawn)],
            csv: Csv {
                text: self.csv(&drawn),
                artifact: None,
            },
            json: self.json(&drawn),
            metrics: self.metrics(&drawn),
        }
    }
}

impl WaitsExperiment {
    fn table(&self, drawn: &[Vec<Vec<f64>>]) -> Table {
        let mut columns = vec![Column::right("failure"), Column::right("no jitter s")];
        columns.extend(
            self.strategies
                .iter()
                .map(|strategy| Column::right(format!("{} s", strategy.name))),
        );
        let mut table = Table::new(columns);
        let summaries: Vec<Vec<Summary>> = drawn
            .iter()
            .map(|waits| summaries(waits, self.failures))
            .collect();
        for (index, nominal) in self.nominal().iter().enumerate() {
            let mut cells = vec![(index + 1).to_string(), format!("{nominal:.2}")];
            cells.extend(summaries.iter().map(|strategy| {
                let Summary { mean, min, max } = strategy[index];
                format!("{mean:.2} ({min:5.2}-{max:5.2})")
            }));
            table.push(cells).expect("a cell for each strategy");
        }
        table.note(format!(
            "Mean (least-greatest) over {} clients, seed {}.",
            self.clients, self.seed
        ));
        table
    }

    fn picture(&self, drawn: &[Vec<Vec<f64>>]) -> Picture {
        let nominal = self.nominal();
        let failures = f64::from(self.failures);
        let dashed: Vec<(f64, f64)> = nominal
            .iter()
            .enumerate()
            .map(|(index, &wait)| (index as f64 + 1.0, wait))
            .collect();
        // Clients stand side by side within their failure's place, so that equal waits don't hide each other.
        let place = |client: usize| (client as f64 + 0.5) / self.clients as f64 * 0.7 - 0.35;
        let longest = drawn
            .iter()
            .flatten()
            .flatten()
            .chain(&nominal)
            .copied()
            .fold(0.0, f64::max);
        // A dot at the cap needs room above it; waits that are all 0 need an axis all the same.
        let top = if longest > 0.0 { longest * 1.04 } else { 1.0 };
        let title = said(self, drawn);
        let mut figure = Figure::new(&title)
            .subtitle(format!(
                "A dot is one of {} clients' waits, seed {}; dashed: the wait without jitter",
                self.clients, self.seed
            ))
            .arranged(Arrangement::Row);
        for (strategy, waits) in self.strategies.iter().zip(drawn) {
            let points = waits.iter().enumerate().flat_map(|(client, waits)| {
                waits
                    .iter()
                    .enumerate()
                    .map(move |(index, &wait)| (index as f64 + 1.0 + place(client), wait))
            });
            let x = Axis::linear("failure")
                .range(0.5, failures + 0.5)
                .ticks((1..=self.failures).map(f64::from));
            let panel = Panel::new(x, Axis::linear("wait").unit("s").range(0.0, top))
                .title(&strategy.name)
                .series(
                    Series::points(&strategy.name, points)
                        .hue(strategy.hue)
                        .unnamed(),
                )
                .series(
                    Series::line("no jitter", dashed.clone())
                        .hue(Hue::Ink)
                        .dash(Dash::Dashed)
                        .unnamed(),
                );
            figure = figure.panel(panel);
        }
        let finding = format!("{title}.");
        Picture {
            stem: "waits",
            figure,
            finding,
        }
    }

    fn csv(&self, drawn: &[Vec<Vec<f64>>]) -> String {
        let mut table = Table::new(["strategy", "client", "failure", "wait_s"].map(Column::left));
        for (strategy, waits) in self.strategies.iter().zip(drawn) {
            for (client, waits) in waits.iter().enumerate() {
                for (index, wait) in waits.iter().enumerate() {
                    let cells = [
                        strategy.name.clone(),
                        client.to_string(),
                        (index + 1).to_string(),
                        wait.to_string(),
                    ];
                    table.push(cells).expect("four cells for four columns");
                }
            }
        }
        table.csv()
    }

    fn json(&self, drawn: &[Vec<Vec<f64>>]) -> Map<String, Value> {
        let strategies = self.strategies.iter().zip(drawn).map(|(strategy, waits)| {
            json!({ "name": strategy.name, "runs": [{ "seed": self.seed, "waits_s": waits }] })
        });
        Map::from_iter([("strategies".to_owned(), strategies.collect())])
    }

    fn metrics(&self, drawn: &[Vec<Vec<f64>>]) -> Metrics {
        let mut metrics = Metrics::new();
        for (strategy, waits) in self.strategies.iter().zip(drawn) {
            for (index, summary) in summaries(waits, self.failures).iter().enumerate() {
                let measure = format!("wait_{}_s", index + 1);
                metrics.add(&strategy.name, &measure, "mean", summary.mean);
                metrics.add(&strategy.name, &measure, "min", summary.min);
                metrics.add(&strategy.name, &measure, "max", summary.max);
            }
        }
        metrics
    }
}

/// How far the waits after the last failure spread, in a sentence without a full stop.
fn said(experiment: &WaitsExperiment, drawn: &[Vec<Vec<f64>>]) -> String {
    let parts = experiment
        .strategies
        .iter()
        .zip(drawn)
        .filter_map(|(strategy, waits)| {
            let last = summaries(waits, experiment.failures).pop()?;
            Some(format!(
                "{:.1}–{:.1} s with {}",
                last.min, last.max, strategy.name
            ))
        });
    let parts: Vec<String> = parts.collect();
    format!(
        "After failure {}, clients wait {}",
        experiment.failures,
        parts.join(", ")
    )
}
