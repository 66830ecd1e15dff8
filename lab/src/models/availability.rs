//! Model `availability`: what retries are worth when failures are correlated.

use layers_sim::{Chain, ChainConfig, EdgeConfig, Interval, Own, Rule, ServiceConfig, wilson_95};
use rayon::prelude::*;
use render::{Axis, Column, Dash, Figure, Hue, Interval as Dot, Panel, Series, Table};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use sim_kernel::{CPython, Pcg64};
use toml::Spanned;

use super::layers::{Requests, check_requests, check_total};
use super::wording::{counted, thousands};
use super::{Csv, Engines, Experiment, Metrics, Model, Outcome, Picture, Runs};
use crate::progress::Progress;
use crate::scenario::{Body, Header, Problem, Rng, Share, Whole};

/// The most points that one figure has room for.
const MAX_POINTS: usize = 101;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Tables {
    availability: AvailabilityTable,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AvailabilityTable {
    seed: Whole<0, { 1 << 53 }>,
    requests: Requests,
    success: Share,
    attempts: Whole<1, 1000>,
    correlations: Spanned<Vec<Share>>,
}

/// The model.
pub(super) const MODEL: Model = Model {
    name: "availability",
    tables: &["availability"],
    runs: Runs::OnceDrawing,
    engines: Engines::Exact,
    reference: "\
A caller calls a service that fails now and then, and retries at once. Of the calls, a share have
attempts that all end alike; the attempts of the others are independent.
[availability]
  seed          0 to 2^53; each correlation draws from a stream of its own
  requests      calls for each correlation, 1 to 1000000000, and few enough for 1000000000 attempts,
                and for 10000000000 calls and attempts at all points
  success       the probability with which one attempt succeeds, 0 to 1
  attempts      of a call, the first included, 1 to 1000
  correlations  1 to 101 shares of calls whose attempts all end alike, each 0 to 1, rising
Metrics  correlation X/availability, each /mean, /low 95 % and /high 95 %;
         correlation X/availability/expected inside, 1 if it is inside the interval, else 0
",
    parse,
};

fn parse(header: &Header, body: Body<'_>) -> Result<Box<dyn Experiment>, Problem> {
    let Tables { availability } = body.read()?;
    let correlations: Vec<f64> = availability
        .correlations
        .get_ref()
        .iter()
        .map(|share| share.get())
        .collect();
    if !(1..=MAX_POINTS).contains(&correlations.len()) {
        return Err(Problem::at(
            &availability.correlations,
            format!("{} entries, expected 1 to {MAX_POINTS}", correlations.len()),
        ));
    }
    if !correlations.is_sorted_by(|a, b| a < b) {
        return Err(Problem::at(
            &availability.correlations,
            "each entry must be greater than the one before",
        ));
    }
    let success = availability.success.get();
    let attempts = availability.attempts.small();
    let points = correlations.into_iter().map(|correlation| {
        let chain = chain(success, correlation, attempts)
            .map_err(|error| Problem::at(&availability.correlations, error.to_string()))?;
        check_requests(&chain, &availability.requests)?;
        Ok(Point { correlation, chain })
    });
    let points: Vec<Point> = points.collect::<Result<_, Problem>>()?;
    let requests = availability.requests.get_ref().get();
    check_total(
        points.iter().map(|point| (&point.chain, requests)),
        &availability.requests,
    )?;
    Ok(Box::new(AvailabilityExperiment {
        points,
        requests,
        success,
        attempts,
        seed: availability.seed.get(),
        rng: *header.rng.get_ref(),
    }))
}

/// A caller, and a service that fails now and then.
fn chain(success: f64, correlation: f64, attempts: u32) -> Result<Chain, layers_sim::ChainError> {
    let flaky = ServiceConfig {
        own: Own::Random {
            success,
            correlation,
        },
        ..ServiceConfig::default()
    };
    ChainConfig {
        services: vec![ServiceConfig::default(), flaky],
        edges: vec![EdgeConfig {
            attempts,
            budget: None,
        }],
        rule: Rule::Everyone,
    }
    .build()
}

struct Point {
    correlation: f64,
    chain: Chain,
}

struct AvailabilityExperiment {
    points: Vec<Point>,
    requests: u64,
    success: f64,
    attempts: u32,
    seed: u64,
    rng: Rng,
}

/// What came out at one correlation.
struct Measured {
    correlation: f64,
    successes: u64,
    availability: f64,
    interval: Interval,
    /// What follows from the probabilities.
    expected: f64,
}

impl AvailabilityExperiment {
    fn measure(&self, point: &Point) -> Measured {
        let run = match self.rng {
            Rng::CPython => point.chain.run(self.requests, &mut CPython::new(self.seed)),
            Rng::Pcg64 => point.chain.run(
                self.requests,
                &mut Pcg64::for_unit(&format!("correlation {}", point.correlation), self.seed),
            ),
        };
        let successes = run
            .expect("the requests were checked when the scenario was read")
            .successes;
        Measured {
            correlation: point.correlation,
            successes,
            availability: successes as f64 / self.requests as f64,
            interval: wilson_95(successes, self.requests),
            expected: self.expected(point.correlation),
        }
    }

    /// `(1 - ρ) · (1 - (1 - p)^k) + ρ · p`: 0.99 - 0.09ρ for p = 0.9 and k = 2.
    fn expected(&self, correlation: f64) -> f64 {
        let all_fail = (1..=self.attempts).fold(1.0, |product, _| product * (1.0 - self.success));
        (1.0 - correlation) * (1.0 - all_fail) + correlation * self.success
    }

    fn table(measured: &[Measured]) -> Table {
        let mut table = Table::new([
            Column::right("correlation"),
            Column::right("availability"),
            Column::left("95 % interval"),
            Column::right("expected"),
        ]);
        for point in measured {
            let Interval { low, high } = point.interval;
            table
                .push([
                    point.correlation.to_string(),
                    format!("{:.5}", point.availability),
                    format!("{low:.5}-{high:.5}"),
                    format!("{:.5}", point.expected),
                ])
                .expect("four cells");
        }
        table
    }

    fn csv(&self, measured: &[Measured]) -> String {
        let headings = [
            "correlation",
            "requests",
            "successes",
            "low_95",
            "high_95",
            "expected",
        ];
        let mut table = Table::new(headings.map(Column::left));
        for point in measured {
            table
                .push([
                    point.correlation.to_string(),
                    self.requests.to_string(),
                    point.successes.to_string(),
                    point.interval.low.to_string(),
                    point.interval.high.to_string(),
                    point.expected.to_string(),
                ])
                .expect("six cells");
        }
        table.csv()
    }

    fn picture(&self, measured: &[Measured]) -> Picture {
        let finding = self.finding(measured);
        let dots = measured.iter().map(|point| {
            Dot::new(point.correlation, point.availability * 100.0)
                .whiskers(point.interval.low * 100.0, point.interval.high * 100.0)
        });
        let ends = [0.0, 1.0].map(|correlation| self.expected(correlation));
        let [independent, shared] = ends;
        let formula = format!(
            "expected: {} - {} ρ",
            decimal(independent),
            decimal(independent - shared)
        );
        let line = [(0.0, independent * 100.0), (1.0, shared * 100.0)];
        let x = || {
            Axis::linear("correlation ρ: share of calls whose attempts all end alike")
                .range(-0.03, 1.03)
                .ticks([0.0, 0.2, 0.4, 0.6, 0.8, 1.0])
        };
        let panel = Panel::new(x(), Axis::linear("calls that succeed").unit("%").tight())
            .series(Series::line(formula, line).hue(Hue::Ink).dash(Dash::Dashed))
            .series(Series::intervals(SIMULATED, dots).hue(Hue::Blue));
        // The intervals are too short to be seen beside the whole line.
        let apart = measured.iter().map(|point| {
            let beside = |value: f64| (value - point.expected) * 100.0;
            Dot::new(point.correlation, beside(point.availability))
                .whiskers(beside(point.interval.low), beside(point.interval.high))
        });
        let deviation = Panel::new(
            x(),
            Axis::linear("simulated minus expected").unit("percentage points"),
        )
        .series(
            Series::line("", [(-0.03, 0.0), (1.03, 0.0)])
                .hue(Hue::Ink)
                .dash(Dash::Dashed)
                .unnamed(),
        )
        .series(Series::intervals(SIMULATED, apart).hue(Hue::Blue));
        let missed = measured
            .iter()
            .filter(|point| !point.interval.contains(point.expected))
            .count();
        Picture {
            stem: "availability",
            figure: Figure::new(finding.clone())
                .subtitle(format!(
                    "One attempt succeeds with probability {}; {} calls of at most {} attempts at each point",
                    self.success,
                    thousands(self.requests as f64),
                    self.attempts
                ))
                .caption(format!(
                    "{missed} of {} miss the line; by chance one in twenty does.",
                    counted(measured.len() as u64, "interval")
                ))
                .panel(panel)
                .panel(deviation),
            finding: format!("{finding}."),
        }
    }

    fn finding(&self, measured: &[Measured]) -> String {
        let retries = match self.attempts - 1 {
            0 => "no retry".to_owned(),
            1 => "one retry".to_owned(),
            more => format!("{more} retries"),
        };
        match measured {
            [] => String::new(),
            [only] => format!(
                "With {retries} {} of calls succeed if failures are {}",
                percent(only),
                correlated(only.correlation)
            ),
            [first, .., last] => format!(
                "With {retries} {} of calls succeed if failures are {}, {} if they are {}",
                percent(first),
                correlated(first.correlation),
                percent(last),
                correlated(last.correlation)
            ),
        }
    }
}

/// What the dots are, in the legend.
const SIMULATED: &str = "simulated, with 95 % interval";

/// The availability with the digits that its interval's ends have in common, four decimals at most, or the ends if they have none: `90 %`,
/// `89.2 to 91.6 %`.
fn percent(point: &Measured) -> String {
    let Interval { low, high } = point.interval;
    let common = (0..=4).rev().find_map(|decimals| {
        let [low, high] = [low, high].map(|end| format!("{:.decimals$}", end * 100.0));
        (low == high).then_some(low)
    });
    match common {
        Some(digits) => format!("{digits} %"),
        None => format!("{:.1} to {:.1} %", low * 100.0, high * 100.0),
    }
}

/// The number with six decimals at most.
fn decimal(value: f64) -> String {
    let text = format!("{value:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// How correlated failures are, in words.
fn correlated(share: f64) -> String {
    if share == 0.0 {
        "independent".to_owned()
    } else if share == 1.0 {
        "shared by all attempts".to_owned()
    } else {
        format!("shared in {} % of them", share * 100.0)
    }
}

impl Experiment for AvailabilityExperiment {
    fn artifacts(&self) -> Vec<String> {
        vec!["availability.png".to_owned()]
    }

    fn run(&self, progress: &Progress) -> Outcome {
        progress.begin(self.points.len() as u64);
        let measured: Vec<Measured> = self
            .points
            .par_iter()
            .map(|point| {
                let measured = self.measure(point);
                progress.advance();
                measured
            })
            .collect();
        let mut metrics = Metrics::new();
        let mut json = Vec::new();
        for point in &measured {
            let Interval { low, high } = point.interval;
            let name = format!("correlation {}", point.correlation);
            metrics.add(&name, "availability", "mean", point.availability);
            metrics.add(&name, "availability", "low 95 %", low);
            metrics.add(&name, "availability", "high 95 %", high);
            let inside = f64::from(point.interval.contains(point.expected));
            metrics.add(&name, "availability", "expected inside", inside);
            json.push(json!({
                "correlation": point.correlation,
                "successes": point.successes,
                "availability": point.availability,
                "low_95": low,
                "high_95": high,
            }));
        }
        let mut table = Self::table(&measured);
        table.note(format!(
            "{} calls at each point, at most {} attempts each; Wilson's interval.",
            thousands(self.requests as f64),
            self.attempts
        ));
        Outcome {
            tables: vec![table],
            csv: Csv {
                text: self.csv(&measured),
                artifact: None,
            },
            pictures: vec![self.picture(&measured)],
            json: Map::from_iter([
                ("requests".to_owned(), self.requests.into()),
                ("points".to_owned(), Value::from(json)),
            ]),
            metrics,
        }
    }
}
