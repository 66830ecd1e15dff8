//! Model `herd`: a thousand clients fail at once.

mod engines;
mod figures;
mod table;
mod tables;

use backoff_core::Unit;
use herd_sim::{HerdConfig, HerdParams, HerdRun, Record, cohort, exact};
use sim_kernel::{CPython, Pcg64, Seeds, replicate};

use super::{Csv, Engines, Experiment, Model, Outcome, Runs};
use crate::progress::Progress;
use crate::scenario::{Body, Engine, Header, Problem, Rng, Strategy, drawn, strategies};
use tables::Tables;

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
  clients            1 to 10000000, and few enough for 1e11 requests of all runs if nobody is served;
                     with engine cohort to 1000000000000
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
Metrics  name/finish_s, name/requests and name/crashes, each /mean, /min, /max and /seed N;
         name/unfinished/count, the unfinished runs
",
    parse,
};

fn parse(header: &Header, body: Body<'_>) -> Result<Box<dyn Experiment>, Problem> {
    let Tables { herd, strategy } = body.read()?;
    let params = herd.params()?;
    let config = params.build().map_err(|error| herd.place(&error))?;
    let strategies = strategies(&strategy, Unit::Seconds)?;
    let names: Vec<&str> = strategies.iter().map(|it| it.name.as_str()).collect();
    let drawn = drawn(herd.draw.as_ref(), &names, "strategy")?;
    engines::check(header, &config, &strategies, &herd)?;
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
