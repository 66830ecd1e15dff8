//! Model `occ`: clients race to update one row.

mod figures;
mod table;

use std::collections::BTreeSet;

use backoff_core::Unit;
use occ_sim::{OccConfig, OccParams, Row, Write, run_rows_apart, run_table, trace_writes};
use serde::Deserialize;
use sim_kernel::{CPython, Pcg64};
use toml::Spanned;

use super::{Csv, Engines, Experiment, Model, Outcome, Runs};
use crate::progress::Progress;
use crate::scenario::value::DAY;
use crate::scenario::{
    Body, Header, Name, Problem, Rng, Strategy, StrategyTable, Time, Whole, drawn, strategies,
};

/// The most clients, as many as the simulator takes.
const MAX_CLIENTS: u64 = OccConfig::MAX_CLIENTS as u64;
/// The most numbers of clients.
const MAX_NUMBERS: usize = 200;
/// The most clients whose writes are drawn: at worst they make two million.
const MAX_DRAWN_CLIENTS: u32 = 2000;
/// The most pairs of clients in all contests: at worst each costs a refused write, and so many take half an hour or so.
const MAX_PAIRS: u64 = 100_000_000_000;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Tables {
    occ: OccTable,
    strategy: Spanned<Vec<StrategyTable>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OccTable {
    seed: Whole<0, { 1 << 53 }>,
    clients: Spanned<Vec<Spanned<Whole<1, MAX_CLIENTS>>>>,
    repetitions: Spanned<Whole<1, 1_000_000>>,
    network: NetworkTable,
    draw: Option<DrawTable>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NetworkTable {
    mean: Time<0, DAY>,
    sd: Time<0, DAY>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DrawTable {
    clients: Whole<1, { MAX_DRAWN_CLIENTS as u64 }>,
    strategies: Spanned<Vec<Spanned<Name>>>,
}

/// The model.
pub(super) const MODEL: Model = Model {
    name: "occ",
    tables: &["occ", "strategy"],
    runs: Runs::OnceDrawing,
    engines: Engines::Exact,
    reference: "\
Clients read one row's version and write with it; a write with an old version is refused, and its
client backs off and reads again. With rng = \"cpython\" the whole table is one stream, numbers of
clients outermost, then strategies, then repetitions; with \"pcg64\" each row has its own.
[occ]
  seed         0 to 2^53
  clients      a list of 1 to 200 numbers of clients, each 1 to 100000 and given once
  repetitions  contests behind each row, 1 to 1000000, and few enough for 100000000000 pairs of clients in
               all contests of all rows: half an hour or so
  network      { mean, sd }: a message takes |N(mean, sd)|, each at most 1day
  draw         { clients, strategies }: the writes over time of one contest are drawn for so many
               clients (1 to 2000) and these 1 to 4 strategies; default: the greatest of the numbers
               up to 2000 and the first 4 strategies
[[strategy]]
Metrics  name/time_ms, name/calls, name/mean_time_ms and name/mean_calls, each /N clients; how
         often the first two are among the N: /least in, /greatest in and /above NAME in;
         /most over the least, the greatest excess as a share
",
    parse,
};

fn parse(header: &Header, body: Body<'_>) -> Result<Box<dyn Experiment>, Problem> {
    let Tables { occ, strategy } = body.read()?;
    let clients = occ.numbers()?;
    let strategies = strategies(&strategy, Unit::Millis)?;
    occ.check_work(&clients, strategies.len())?;
    let drawn_clients = match &occ.draw {
        Some(draw) => draw.clients.small(),
        None => clients
            .iter()
            .copied()
            .max()
            .unwrap_or(1)
            .min(MAX_DRAWN_CLIENTS),
    };
    let names: Vec<&str> = strategies.iter().map(|it| it.name.as_str()).collect();
    let drawn = drawn(
        occ.draw.as_ref().map(|draw| &draw.strategies),
        &names,
        "strategy",
    )?;
    let params = OccParams {
        clients,
        repetitions: occ.repetitions.get_ref().small(),
        network_mean: occ.network.mean.get(),
        network_sd: occ.network.sd.get(),
        strategies: strategies
            .iter()
            .map(|strategy| occ_sim::Strategy {
                name: strategy.name.clone(),
                backoff: strategy.backoff,
            })
            .collect(),
    };
    // The types above allow what the simulator allows; this is for what they should come to differ in.
    let config = params
        .build()
        .map_err(|error| Problem::anywhere(format!("occ.{error}")))?;
    Ok(Box::new(OccExperiment {
        config,
        strategies,
        drawn_clients,
        drawn,
        rng: *header.rng.get_ref(),
        seed: occ.seed.get(),
    }))
}

impl OccTable {
    /// Whether the whole table takes no longer than anybody would wait.
    fn check_work(&self, clients: &[u32], strategies: usize) -> Result<(), Problem> {
        let repetitions = self.repetitions.get_ref().get();
        let pairs = |&clients: &u32| u64::from(clients).pow(2);
        let contests = repetitions.saturating_mul(strategies as u64);
        let work = clients
            .iter()
            .map(pairs)
            .sum::<u64>()
            .saturating_mul(contests);
        if work <= MAX_PAIRS {
            return Ok(());
        }
        let message = format!(
            "{repetitions}: with these numbers of clients and strategies the contests have {work} pairs of clients, more than {MAX_PAIRS}"
        );
        Err(Problem::at(&self.repetitions, message))
    }

    /// The numbers of clients, each once.
    fn numbers(&self) -> Result<Vec<u32>, Problem> {
        let numbers = self.clients.get_ref();
        if !(1..=MAX_NUMBERS).contains(&numbers.len()) {
            let message = format!(
                "{} numbers of clients, expected 1 to {MAX_NUMBERS}",
                numbers.len()
            );
            return Err(Problem::at(&self.clients, message));
        }
        let mut seen = BTreeSet::new();
        numbers
            .iter()
            .map(|number| {
                let clients = number.get_ref().small();
                if seen.insert(clients) {
                    return Ok(clients);
                }
                Err(Problem::at(
                    number,
                    format!("{clients} is given twice: each number of clients makes its own rows"),
                ))
            })
            .collect()
    }
}

struct OccExperiment {
    config: OccConfig,
    strategies: Vec<Strategy>,
    drawn_clients: u32,
    drawn: Vec<usize>,
    rng: Rng,
    seed: u64,
}

/// What the simulator returned: for each number of clients a row for each strategy, and the writes of the contests that are drawn.
struct Results {
    rows: Vec<Row>,
    writes: Vec<Vec<Write>>,
}

impl Results {
    /// The rows of each number of clients.
    fn by_clients(&self, strategies: usize) -> impl Iterator<Item = &[Row]> {
        self.rows.chunks(strategies)
    }
}

impl OccExperiment {
    fn rows(&self, progress: &Progress) -> Vec<Row> {
        progress.begin((self.config.clients().len() * self.strategies.len()) as u64);
        match self.rng {
            Rng::CPython => run_table(&self.config, &mut CPython::new(self.seed), |_| {
                progress.advance();
            }),
            Rng::Pcg64 => run_rows_apart(&self.config, self.seed, |_| progress.advance()),
        }
    }

    /// The writes of one contest, from a fresh stream of the seed.
    fn writes(&self, strategy: &Strategy) -> Vec<Write> {
        let (config, clients, backoff) = (&self.config, self.drawn_clients, &strategy.backoff);
        match self.rng {
            Rng::CPython => trace_writes(config, clients, backoff, &mut CPython::new(self.seed)),
            Rng::Pcg64 => {
                let unit = format!("{}/writes", strategy.name);
                trace_writes(
                    config,
                    clients,
                    backoff,
                    &mut Pcg64::for_unit(&unit, self.seed),
                )
            }
        }
    }
}

impl Experiment for OccExperiment {
    fn artifacts(&self) -> Vec<String> {
        [table::PEER_CSV, "calls.png", "time.png", "writes.png"]
            .map(Into::into)
            .into()
    }

    fn run(&self, progress: &Progress) -> Outcome {
        let results = Results {
            rows: self.rows(progress),
            writes: self
                .drawn
                .iter()
                .map(|&at| self.writes(&self.strategies[at]))
                .collect(),
        };
        Outcome {
            tables: table::tables(self, &results),
            pictures: figures::pictures(self, &results),
            csv: Csv {
                text: table::csv(self, &results),
                artifact: Some(table::PEER_CSV),
            },
            json: table::json(self, &results),
            metrics: table::metrics(self, &results),
        }
    }
}
