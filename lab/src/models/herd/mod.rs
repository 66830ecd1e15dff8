//! Model `herd`: a thousand clients fail at once.

mod figures;
mod table;

use std::collections::BTreeSet;

use backoff_core::{ConfigError, Unit};
use herd_sim::cohort::{self, CohortError, Cohorts};
use herd_sim::{CrashParams, HerdConfig, HerdParams, HerdRun, Record, exact};
use serde::Deserialize;
use sim_kernel::{CPython, Pcg64, Seeds, replicate};
use toml::Spanned;

use super::{Csv, Engines, Experiment, Model, Outcome, Runs};
use crate::progress::Progress;
use crate::scenario::value::{DAY, HOUR};
use crate::scenario::{
    Body, Engine, Header, Name, Problem, Rng, Strategy, StrategyTable, Time, Whole, strategies,
};

/// The most clients that the exact engine is given, which is a matter of patience: a run of as many takes seconds.
const MAX_EXACT_CLIENTS: u64 = 10_000_000;
/// The most ticks of a run, and of each time in it: the recorded arrivals then take 16 MB.
const MAX_TICKS: u128 = 2_000_000;
/// The most work of the cohort engine: the ticks of all runs, each times the ticks of the longest wait; a bound that runs which finish stay far below.
const MAX_COHORT_WORK: f64 = 1e11;
/// The most strategies whose arrivals are drawn.
const MAX_DRAWN: usize = 4;

const YEAR: u64 = 365 * DAY;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Tables {
    herd: HerdTable,
    strategy: Spanned<Vec<StrategyTable>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct HerdTable {
    clients: Spanned<Whole<1, 1_000_000_000_000>>,
    spread: Spanned<Time<0, YEAR>>,
    tick: Spanned<Time<1, HOUR>>,
    capacity_per_tick: Whole<1, 1_000_000_000_000>,
    down_until: Spanned<Time<0, YEAR>>,
    crash: CrashTable,
    give_up_at: Spanned<Time<1, YEAR>>,
    draw: Option<Spanned<Vec<Spanned<Name>>>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CrashTable {
    window: Spanned<Time<1, YEAR>>,
    limit: Whole<0, 1_000_000_000_000>,
    restart: Spanned<Time<0, YEAR>>,
}

/// The model.
pub(super) const MODEL: Model = Model {
    name: "herd",
    tables: &["herd", "strategy"],
    runs: Runs::EverySeed,
    engines: Engines::ExactAndCohort,
    reference: "\
Clients send one request each, and retry it until it succeeds, to a server that is down at first and
crashes when too many arrive. Engine cohort counts clients instead of following them: it takes more
clients, but no decorrelated jitter and no rng = \"cpython\".
[herd]
  clients            1 to 10000000, with engine cohort to 1000000000000
  spread             the first sends are uniform over this time, 0 for all at once
  tick               the step of time, 1ns to 1h; every other time but spread is a whole number of it,
                     and at most 2000000 of it; with engine cohort, the ticks of all runs, times those
                     of the longest wait of each, come to at most 1e11
  capacity_per_tick  requests served in a tick, 1 to 1000000000000; among more, random ones
  down_until         the server is down at first for this long
  crash              { window, limit, restart }: when the arrivals of the last window (at least a tick)
                     exceed the limit (0 to 1000000000000), the server is down for the time restart
  give_up_at         the run ends here at the latest, at least a tick
  draw               1 to 4 names of strategies whose arrivals are drawn, default the first 4
[[strategy]]
",
    parse,
};

fn parse(header: &Header, body: Body<'_>) -> Result<Box<dyn Experiment>, Problem> {
    let Tables { herd, strategy } = body.read()?;
    let params = herd.params()?;
    let config = params.build().map_err(|error| herd.place(&error))?;
    let strategies = strategies(&strategy, Unit::Seconds)?;
    let drawn = herd.drawn(&strategies)?;
    match header.engine.get_ref() {
        Engine::Exact if config.clients() > MAX_EXACT_CLIENTS => {
            let message = format!(
                "{}: must be at most {MAX_EXACT_CLIENTS} with engine = \"exact\" (engine = \"cohort\" takes more)",
                config.clients()
            );
            return Err(Problem::at(&herd.clients, message));
        }
        Engine::Exact => {}
        Engine::Cohort => check_cohort(header, &config, &strategies, &herd)?,
    }
    Ok(Box::new(HerdExperiment {
        params,
        config,
        strategies,
        drawn,
        rng: *header.rng.get_ref(),
        engine: *header.engine.get_ref(),
        seeds: header.seeds,
    }))
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

impl HerdTable {
    fn params(&self) -> Result<HerdParams, Problem> {
        let tick = self.tick.get_ref().get();
        let times = [
            (&self.spread.get_ref().get(), self.spread.span()),
            (&self.down_until.get_ref().get(), self.down_until.span()),
            (&self.crash.window.get_ref().get(), self.crash.window.span()),
            (
                &self.crash.restart.get_ref().get(),
                self.crash.restart.span(),
            ),
            (&self.give_up_at.get_ref().get(), self.give_up_at.span()),
        ];
        for (time, span) in times {
            if time.as_nanos() > MAX_TICKS * tick.as_nanos() {
                let message = format!("{time:?}: must be at most {MAX_TICKS} ticks of {tick:?}");
                return Err(Problem::at(&Spanned::new(span, ()), message));
            }
        }
        Ok(HerdParams {
            clients: self.clients.get_ref().get(),
            spread: self.spread.get_ref().get(),
            tick,
            capacity_per_tick: self.capacity_per_tick.get(),
            down_until: self.down_until.get_ref().get(),
            crash: CrashParams {
                window: self.crash.window.get_ref().get(),
                limit: self.crash.limit.get(),
                restart: self.crash.restart.get_ref().get(),
            },
            give_up_at: self.give_up_at.get_ref().get(),
        })
    }

    fn place(&self, error: &ConfigError) -> Problem {
        let span = match error.field {
            "down_until" => self.down_until.span(),
            "crash.window" => self.crash.window.span(),
            "crash.restart" => self.crash.restart.span(),
            "give_up_at" => self.give_up_at.span(),
            _ => self.tick.span(),
        };
        let message = format!("{}: must be {}", error.value, error.allowed);
        Problem::at(&Spanned::new(span, ()), message)
    }

    /// The positions of the strategies whose arrivals are drawn.
    fn drawn(&self, strategies: &[Strategy]) -> Result<Vec<usize>, Problem> {
        let Some(draw) = &self.draw else {
            return Ok((0..strategies.len().min(MAX_DRAWN)).collect());
        };
        let names = draw.get_ref();
        if !(1..=MAX_DRAWN).contains(&names.len()) {
            return Err(Problem::at(
                draw,
                format!("{} names, expected 1 to {MAX_DRAWN}", names.len()),
            ));
        }
        let mut seen = BTreeSet::new();
        names
            .iter()
            .map(|name| {
                let text = name.get_ref().as_str();
                let position = strategies.iter().position(|strategy| strategy.name == text);
                match position {
                    Some(position) if seen.insert(position) => Ok(position),
                    Some(_) => Err(Problem::at(name, format!("`{text}` is named twice"))),
                    None => {
                        let known: Vec<&str> = strategies
                            .iter()
                            .map(|strategy| strategy.name.as_str())
                            .collect();
                        Err(Problem::at(
                            name,
                            format!(
                                "no strategy is called `{text}`, expected one of {}",
                                known.join(", ")
                            ),
                        ))
                    }
                }
            })
            .collect()
    }
}

struct HerdExperiment {
    params: HerdParams,
    config: HerdConfig,
    strategies: Vec<Strategy>,
    drawn: Vec<usize>,
    rng: Rng,
    engine: Engine,
    seeds: Seeds,
}

/// One run, its arrivals by window if they are drawn.
struct Run {
    seed: u64,
    totals: HerdRun,
    arrivals_by_window: Vec<u64>,
}

impl HerdExperiment {
    /// The time at which the run ends at the latest, in seconds.
    fn give_up_s(&self) -> f64 {
        self.seconds(self.config.horizon())
    }

    /// The length of the window over which arrivals are counted.
    fn window_ticks(&self) -> u64 {
        (self.params.crash.window.as_nanos() / self.params.tick.as_nanos()) as u64
    }

    fn seconds(&self, ticks: u64) -> f64 {
        ticks as f64 * self.config.tick().as_secs_f64()
    }

    /// When the run finished, or the end if it didn't.
    fn finish_s(&self, run: &HerdRun) -> f64 {
        run.finish_ticks
            .map_or(self.give_up_s(), |ticks| self.seconds(ticks))
    }

    fn simulate(&self, strategy: &Strategy, seed: u64, record: Record) -> HerdRun {
        let (config, backoff) = (&self.config, &strategy.backoff);
        match (self.engine, self.rng) {
            (Engine::Exact, Rng::CPython) => {
                exact::run(config, backoff, &mut CPython::new(seed), record).expect(CHECKED)
            }
            (Engine::Exact, Rng::Pcg64) => exact::run(
                config,
                backoff,
                &mut Pcg64::for_unit(&strategy.name, seed),
                record,
            )
            .expect(CHECKED),
            (Engine::Cohort, _) => cohort::run(
                config,
                backoff,
                &mut Pcg64::for_unit(&strategy.name, seed),
                record,
            )
            .expect(CHECKED),
        }
    }
}

/// Why an engine can't refuse.
const CHECKED: &str =
    "the number of clients and the strategies were checked when the scenario was read";

impl Experiment for HerdExperiment {
    fn artifacts(&self) -> Vec<String> {
        vec!["arrivals.png".into(), "finish.png".into()]
    }

    fn run(&self, progress: &Progress) -> Outcome {
        progress.begin(self.strategies.len() as u64 * u64::from(self.seeds.count));
        let positions: Vec<usize> = (0..self.strategies.len()).collect();
        let window = self.window_ticks() as usize;
        let run = |&position: &usize, seed: u64| {
            let drawn = seed == self.seeds.first && self.drawn.contains(&position);
            let record = if drawn {
                Record::Arrivals
            } else {
                Record::Totals
            };
            let mut totals = self.simulate(&self.strategies[position], seed, record);
            let arrivals = std::mem::take(&mut totals.arrivals);
            let arrivals_by_window = arrivals
                .chunks(window)
                .map(|ticks| ticks.iter().sum())
                .collect();
            Run {
                seed,
                totals,
                arrivals_by_window,
            }
        };
        let runs = replicate(&positions, self.seeds, run, |_| progress.advance());
        Outcome {
            tables: vec![table::published(self, &runs)],
            pictures: figures::pictures(self, &runs),
            csv: Csv {
                text: table::runs_csv(self, &runs),
                artifact: None,
            },
            json: table::runs_json(self, &runs),
            metrics: table::metrics(self, &runs),
        }
    }
}
