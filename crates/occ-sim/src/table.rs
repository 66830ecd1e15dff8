//! The table: for every number of clients and every strategy, the means over repeated contests.

use backoff_core::Backoff;
use sim_kernel::{Pcg64, Seeds, Stream, replicate};

use crate::config::OccConfig;
use crate::contest::{Contest, Write};

/// The contests of one strategy at one number of clients.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Row {
    /// The number of clients.
    pub clients: u32,
    /// The strategy's position in the configuration.
    pub strategy: usize,
    /// How many contests there were.
    pub repetitions: u32,
    /// The sum of their completion times in milliseconds, added up in order.
    pub total_ms: f64,
    /// The sum of their writes.
    pub total_calls: u64,
}

impl Row {
    /// The mean completion time in milliseconds.
    #[must_use]
    pub fn mean_ms(&self) -> f64 {
        self.total_ms / f64::from(self.repetitions)
    }

    /// The mean number of writes tried.
    #[must_use]
    pub fn mean_calls(&self) -> f64 {
        self.total_calls as f64 / f64::from(self.repetitions)
    }

    /// [`Row::mean_ms`] without its fraction, as the published table has it.
    #[must_use]
    pub fn whole_ms(&self) -> u64 {
        self.mean_ms() as u64
    }

    /// [`Row::mean_calls`] without its fraction, as the published table has it.
    #[must_use]
    pub fn whole_calls(&self) -> u64 {
        self.total_calls / u64::from(self.repetitions)
    }
}

/// How far a table has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// How many rows are done.
    pub done: usize,
    /// How many rows there are.
    pub of: usize,
}

/// The table from one stream: numbers of clients outermost, then strategies, then repetitions.
///
/// `on_row` is called after each row.
pub fn run_table<S: Stream>(
    config: &OccConfig,
    stream: &mut S,
    mut on_row: impl FnMut(Progress),
) -> Vec<Row> {
    let of = config.clients().len() * config.strategies().len();
    let mut contest = Contest::default();
    let mut rows = Vec::with_capacity(of);
    for &clients in config.clients() {
        for strategy in 0..config.strategies().len() {
            rows.push(run_row(config, clients, strategy, &mut contest, stream));
            on_row(Progress {
                done: rows.len(),
                of,
            });
        }
    }
    rows
}

/// The table from a [`Pcg64`] stream for each row, in the same order; the rows run on the threads of the current rayon pool.
///
/// A row's stream is that of the unit of work `strategy's name/number of clients` and `seed`, so that a row stays the same when others are
/// added or taken away. `on_row` is called after each row, on the thread that ran it.
pub fn run_rows_apart(config: &OccConfig, seed: u64, on_row: impl Fn(Progress) + Sync) -> Vec<Row> {
    let strategies: Vec<usize> = (0..config.strategies().len()).collect();
    let places = Seeds {
        first: 0,
        count: config.clients().len() as u32,
    };
    let run = |&strategy: &usize, place: u64| {
        let clients = config.clients()[place as usize];
        let unit = format!("{}/{clients}", config.strategies()[strategy].name);
        run_row(
            config,
            clients,
            strategy,
            &mut Contest::default(),
            &mut Pcg64::for_unit(&unit, seed),
        )
    };
    let by_strategy = replicate(&strategies, places, run, |finished| {
        on_row(Progress {
            done: finished.done,
            of: finished.of,
        });
    });
    let places = 0..config.clients().len();
    places
        .flat_map(|place| by_strategy.iter().map(move |rows| rows[place]))
        .collect()
}

fn run_row<S: Stream>(
    config: &OccConfig,
    clients: u32,
    strategy: usize,
    contest: &mut Contest,
    stream: &mut S,
) -> Row {
    let backoff = &config.strategies()[strategy].backoff;
    let mut row = Row {
        clients,
        strategy,
        repetitions: config.repetitions(),
        total_ms: 0.0,
        total_calls: 0,
    };
    for _ in 0..config.repetitions() {
        let finish = contest.run(clients, backoff, config.network(), stream, |_| {});
        row.total_ms += finish.at_ms;
        row.total_calls += finish.calls;
    }
    row
}

/// Every write of one contest, in order of arrival.
///
/// The configuration lends its network; `clients` from 1 to [`OccConfig::MAX_CLIENTS`] (more or less count as the nearest) and the
/// backoff are the caller's.
pub fn trace_writes<S: Stream>(
    config: &OccConfig,
    clients: u32,
    backoff: &Backoff,
    stream: &mut S,
) -> Vec<Write> {
    let mut writes = Vec::new();
    let clients = clients.clamp(1, OccConfig::MAX_CLIENTS);
    Contest::default().run(clients, backoff, config.network(), stream, |write| {
        writes.push(write);
    });
    writes
}
