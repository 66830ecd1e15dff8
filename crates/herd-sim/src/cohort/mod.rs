//! The engine that counts clients instead of following them.
//!
//! Clients with the same number of failures that are due at the same tick are exchangeable unless a wait depends on the wait before, so
//! their number is all that matters. The first sends and a tick's failures scatter over later ticks as multinomials; which cohorts the
//! served requests belong to is a multivariate hypergeometric. The outcome has exactly the distribution of [`exact`](crate::exact)'s, at a
//! cost that hardly grows with the number of clients.

mod binomial;
mod error;
mod hypergeometric;
mod likelihood;
mod offsets;
mod scatter;

pub use binomial::binomial;
pub use error::CohortError;
pub use hypergeometric::hypergeometric;

use backoff_core::Backoff;
use sim_kernel::{Stream, ticks_of_wait};

use crate::{HerdConfig, HerdRun, Record};
use offsets::Offsets;

/// A herd and its strategy, ready to run any number of times.
///
/// Nothing is allocated from the second run on, but for the recorded arrivals and the server's window.
#[derive(Debug, Clone)]
pub struct Cohorts {
    config: HerdConfig,
    /// The ticks of the first sends.
    sends: Offsets,
    /// The ticks, after the next one, at which a client is due that fails in stage s: that has failed s times before. In the last stage
    /// are also those that have failed more often, where the wait no longer changes.
    waits: Vec<Offsets>,
    /// For each stage, a ring of the numbers of clients due at each tick.
    due: Vec<u64>,
    /// The length of a ring, a power of two.
    slots: usize,
    /// The present tick's clients of each stage.
    batch: Vec<u64>,
}

/// The most cells, counts of one stage at one tick, that [`Cohorts`] will keep: 512 MiB of them.
pub const MAX_CELLS: u64 = 1 << 26;

impl Cohorts {
    /// The herd of `config` retrying with `backoff`.
    ///
    /// # Errors
    /// A strategy whose wait depends on the wait before; more clients than 2^53 or than make 2^64 requests before the end; waits so long
    /// and of so many distributions that the counts would take more than [`MAX_CELLS`].
    pub fn new(config: &HerdConfig, backoff: &Backoff) -> Result<Self, CohortError> {
        if backoff.remembers() {
            return Err(CohortError::Remembers);
        }
        let allowed = (1 << 53).min(u64::MAX / config.horizon());
        if config.clients() > allowed {
            return Err(CohortError::TooManyClients {
                clients: config.clients(),
                allowed,
            });
        }
        let horizon = config.horizon();
        let sends = first_sends(config);
        let waits = waits(config, backoff)?;
        let longest = waits.iter().map(Offsets::end).max().unwrap_or(0);
        let slots = (longest + 1).max(sends.end()).next_power_of_two();
        let cells = waits.len() as u64 * slots as u64;
        if cells > MAX_CELLS {
            return Err(CohortError::TooManyCells { cells, horizon });
        }
        Ok(Self {
            config: *config,
            sends,
            due: vec![0; cells as usize],
            slots,
            batch: vec![0; waits.len()],
            waits,
        })
    }

    /// One run, its randomness from `stream`.
    pub fn run<S: Stream>(&mut self, stream: &mut S, record: Record) -> HerdRun {
        let mut server = self.config.server();
        let mut waiting = self.config.clients();
        let mut requests = 0;
        let mut arrivals = Vec::new();
        let mut finish_ticks = None;
        self.due.fill(0);
        let last_stage = self.waits.len() - 1;
        // How many stages have ever held a client.
        let mut stages = 1;
        self.sends
            .scatter(stream, waiting, &mut self.due[..self.slots], 0);
        for tick in 0..self.config.horizon() as usize {
            let arriving = self.take(tick, stages);
            requests += arriving;
            if record == Record::Arrivals {
                arrivals.push(arriving);
            }
            let served = server.serve(arriving);
            waiting -= served;
            if waiting == 0 {
                finish_ticks = Some(tick as u64 + 1);
                break;
            }
            if arriving == served {
                continue;
            }
            remove_served(stream, &mut self.batch[..stages], arriving, served);
            for stage in 0..stages {
                let failed = self.batch[stage];
                if failed > 0 {
                    let next = (stage + 1).min(last_stage);
                    stages = stages.max(next + 1);
                    let ring = &mut self.due[next * self.slots..][..self.slots];
                    self.waits[stage].scatter(stream, failed, ring, tick + 1);
                }
            }
        }
        HerdRun {
            finish_ticks,
            requests,
            crashes: server.crashes(),
            unfinished_clients: waiting,
            arrivals,
        }
    }

    /// Moves the clients due at `tick` into the batch; their number.
    fn take(&mut self, tick: usize, stages: usize) -> u64 {
        let slot = tick & (self.slots - 1);
        let mut sum = 0;
        for (ring, count) in self
            .due
            .chunks_exact_mut(self.slots)
            .zip(&mut self.batch[..stages])
        {
            *count = core::mem::take(&mut ring[slot]);
            sum += *count;
        }
        sum
    }
}

/// Takes `served` clients at random out of the `arriving` ones, which `batch` holds by stage: a multivariate hypergeometric.
fn remove_served<S: Stream>(stream: &mut S, batch: &mut [u64], arriving: u64, served: u64) {
    let (mut arriving, mut served) = (arriving, served);
    for count in batch {
        if served == 0 {
            return;
        }
        let removed = hypergeometric(stream, arriving, *count, served);
        arriving -= *count;
        served -= removed;
        *count -= removed;
    }
}

/// `⌊U(0, spread) / tick⌋`.
fn first_sends(config: &HerdConfig) -> Offsets {
    let horizon = config.horizon() as usize;
    let spread = config.spread().as_secs_f64() / config.tick().as_secs_f64();
    if spread == 0.0 {
        Offsets::point(0, horizon)
    } else {
        Offsets::uniform(0.0, spread, horizon)
    }
}

/// For each stage, the wait rounded to whole ticks: `⌊U(low, high) / tick + ½⌋`, ties of a constant wait going to the even tick.
fn waits(config: &HerdConfig, backoff: &Backoff) -> Result<Vec<Offsets>, CohortError> {
    let horizon = config.horizon();
    // A client fails at most once a tick.
    let stages = backoff
        .constant_from()
        .map_or(horizon, |n| horizon.min(n.into()));
    if stages > MAX_CELLS {
        return Err(CohortError::TooManyCells {
            cells: stages,
            horizon,
        });
    }
    let tick = backoff.unit().of(config.tick());
    let wait = |stage| {
        let (low, high) = backoff.bounds(stage as u32 + 1);
        if low == high {
            Offsets::point(ticks_of_wait(low, tick), horizon as usize)
        } else {
            Offsets::uniform(low / tick + 0.5, high / tick + 0.5, horizon as usize)
        }
    };
    Ok((0..stages.max(1)).map(wait).collect())
}
