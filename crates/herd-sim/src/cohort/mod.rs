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
    /// The number of stages in which there have been clients, from the first on.
    reached: usize,
}

/// The most cells, counts of one stage at one tick, that [`Cohorts`] will keep: 512 MiB of them.
pub const MAX_CELLS: u64 = 1 << 26;

/// One run of the herd of `config` retrying with `backoff`, by counting.
///
/// For many runs of one herd, [`Cohorts`] keeps what they share.
///
/// # Errors
/// As [`Cohorts::new`].
pub fn run<S: Stream>(
    config: &HerdConfig,
    backoff: &Backoff,
    stream: &mut S,
    record: Record,
) -> Result<HerdRun, CohortError> {
    Ok(Cohorts::new(config, backoff)?.run(stream, record))
}

impl Cohorts {
    /// The herd of `config` retrying with `backoff`.
    ///
    /// # Errors
    /// A strategy whose wait depends on the wait before; more clients than 2^53 or than make 2^64 requests before the end; a spread or
    /// waits so long, or waits of so many distributions, that the counts would take more than [`MAX_CELLS`].
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
        let sends = first_sends(config);
        let (waits, slots) = waits(config, backoff, sends.end())?;
        Ok(Self {
            config: *config,
            sends,
            due: vec![0; waits.len() * slots],
            slots,
            batch: vec![0; waits.len()],
            waits,
            reached: 1,
        })
    }

    /// One run, its randomness from `stream`.
    pub fn run<S: Stream>(&mut self, stream: &mut S, record: Record) -> HerdRun {
        let mut server = self.config.server();
        let mut waiting = self.config.clients();
        let mut requests = 0;
        let mut arrivals = Vec::new();
        let mut finish_ticks = None;
        self.due[..self.reached * self.slots].fill(0);
        self.reached = 1;
        self.sends
            .scatter(stream, waiting, &mut self.due[..self.slots], 0);
        for tick in 0..self.config.horizon() as usize {
            let arriving = self.take(tick);
            requests += arriving;
            if record == Record::Arrivals {
                arrivals.push(arriving);
            }
            let succeeded = server.serve(arriving);
            waiting -= succeeded;
            if waiting == 0 {
                finish_ticks = Some(tick as u64 + 1);
                break;
            }
            if succeeded < arriving {
                remove_chosen(stream, &mut self.batch[..self.reached], arriving, succeeded);
                self.retry(stream, tick + 1);
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
    fn take(&mut self, tick: usize) -> u64 {
        let slot = tick & (self.slots - 1);
        let mut sum = 0;
        for (ring, count) in self
            .due
            .chunks_exact_mut(self.slots)
            .zip(&mut self.batch[..self.reached])
        {
            *count = core::mem::take(&mut ring[slot]);
            sum += *count;
        }
        sum
    }

    /// Scatters the batch over the ticks from `earliest` on, each cohort into the next stage.
    fn retry<S: Stream>(&mut self, stream: &mut S, earliest: usize) {
        let last = self.waits.len() - 1;
        let held = self.reached;
        for stage in 0..held {
            let count = self.batch[stage];
            if count > 0 {
                let next = (stage + 1).min(last);
                self.reached = self.reached.max(next + 1);
                let ring = &mut self.due[next * self.slots..][..self.slots];
                self.waits[stage].scatter(stream, count, ring, earliest);
            }
        }
    }
}

/// Takes `chosen` clients at random out of the `arriving` ones, which `batch` holds by stage: a multivariate hypergeometric.
fn remove_chosen<S: Stream>(stream: &mut S, batch: &mut [u64], arriving: u64, chosen: u64) {
    let (mut arriving, mut chosen) = (arriving, chosen);
    for count in batch {
        if chosen == 0 {
            return;
        }
        let removed = hypergeometric(stream, arriving, *count, chosen);
        arriving -= *count;
        chosen -= removed;
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

/// For each stage, the wait rounded to whole ticks, `⌊U(low, high) / tick + ½⌋`, ties of a constant wait going to the even tick; and the
/// length of the rings, a power of two above the longest of them and at least `spread`, the end of the first sends.
fn waits(
    config: &HerdConfig,
    backoff: &Backoff,
    spread: usize,
) -> Result<(Vec<Offsets>, usize), CohortError> {
    /// What a stage takes in memory besides its ring.
    const CELLS_PER_STAGE: usize = size_of::<Offsets>().div_ceil(size_of::<u64>()) + 1;
    let horizon = config.horizon() as usize;
    // A client fails at most once a tick.
    let stages = backoff
        .constant_from()
        .map_or(horizon, |n| horizon.min(n as usize));
    let tick = backoff.unit().of(config.tick());
    let mut waits = Vec::new();
    let mut slots = spread.next_power_of_two();
    let mut longest = 0;
    for failures in 1..=stages as u32 {
        let (low, high) = backoff.bounds(failures);
        let wait = if low == high {
            Offsets::point(ticks_of_wait(low, tick), horizon)
        } else {
            Offsets::uniform(low / tick + 0.5, high / tick + 0.5, horizon)
        };
        longest = longest.max(wait.end() - 1);
        slots = slots.max((wait.end() + 1).next_power_of_two());
        let cells = u64::from(failures) * (slots + CELLS_PER_STAGE) as u64;
        if cells > MAX_CELLS {
            return Err(CohortError::TooManyCells {
                cells,
                spread_ticks: spread as u64 - 1,
                wait_ticks: longest as u64,
                stages: failures.into(),
            });
        }
        let lost = wait.is_lost();
        waits.push(wait);
        if lost {
            // Nobody retries after such a wait, so nobody reaches the stages beyond.
            break;
        }
    }
    Ok((waits, slots))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::HerdParams;
    use backoff_core::{BackoffConfig, Growth};
    use core::time::Duration;
    use sim_kernel::Pcg64;

    fn engine(clients: u64, ticks: u32) -> Cohorts {
        let growth = Growth::doubling(Duration::from_millis(100), Duration::from_secs(1));
        let backoff = BackoffConfig::FullJitter(growth)
            .build()
            .expect("a valid backoff");
        let config = HerdParams {
            give_up_at: Duration::from_millis(10) * ticks,
            ..HerdParams::published(clients)
        };
        Cohorts::new(&config.build().expect("a valid herd"), &backoff).expect("accepted")
    }

    /// No wait here reaches the horizon, so whoever is unfinished at the end is still due.
    #[test]
    fn nobody_gets_lost() {
        for clients in [1, 7, 1_000, 1_000_000, 1_000_000_000_000, 1 << 53] {
            for ticks in [101, 102, 150, 321] {
                let mut engine = engine(clients, ticks);
                let run = engine.run(&mut Pcg64::for_unit("lost", 0), Record::Totals);
                assert_eq!(
                    engine.due.iter().sum::<u64>(),
                    run.unfinished_clients,
                    "{clients} {ticks}"
                );
            }
        }
    }

    #[test]
    fn stages_end_where_the_wait_no_longer_changes() {
        // Nominal waits of 10, 20, 40, 80, 100, 100, … ticks.
        let engine = engine(1, 12_000);
        let ends: Vec<usize> = engine.waits.iter().map(Offsets::end).collect();
        assert_eq!(ends, [11, 21, 41, 81, 101]);
        assert_eq!(engine.slots, 128);
    }

    #[test]
    fn the_chosen_leave_their_cohorts() {
        let mut stream = Pcg64::for_unit("chosen", 0);
        for chosen in 0..=60 {
            let before = [10, 0, 20, 30];
            let mut batch = before;
            remove_chosen(&mut stream, &mut batch, 60, chosen);
            assert_eq!(batch.iter().sum::<u64>(), 60 - chosen);
            assert!(
                batch
                    .iter()
                    .zip(before)
                    .all(|(&after, before)| after <= before)
            );
        }
    }
}
