//! The engine that replays every client and every draw.

mod client;
mod retries;

use backoff_core::Backoff;
use sim_kernel::{Chosen, Stream, Wheel};

use crate::config::HerdConfig;
use crate::run::{HerdRun, Record};
use client::{Client, LastWait};
use retries::{GROUP, Retries};

/// The most clients that this engine takes: it keeps up to 2 bytes for each, or 16 under decorrelated jitter.
pub const MAX_CLIENTS: u64 = 1 << 28;

/// More clients than [`MAX_CLIENTS`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "clients = {clients}: must be at most {MAX_CLIENTS} for the exact engine (the cohort engine takes more)"
)]
pub struct TooManyClients {
    /// How many there are.
    pub clients: u64,
}

/// One run of the herd, request by request and draw by draw.
///
/// The draws, in this order: a uniform number for each client's first send; then tick by tick, if the server is up, the sample of those
/// that succeed, and a uniform number for each that fails (if the strategy uses one), in the order in which they were scheduled.
///
/// # Errors
/// More than [`MAX_CLIENTS`] clients.
pub fn run<S: Stream>(
    config: &HerdConfig,
    backoff: &Backoff,
    stream: &mut S,
    record: Record,
) -> Result<HerdRun, TooManyClients> {
    let clients = config.clients();
    if clients > MAX_CLIENTS {
        return Err(TooManyClients { clients });
    }
    Ok(if backoff.remembers() {
        let first = LastWait(backoff.first_previous());
        replay(config, backoff, first, stream, record)
    } else if backoff.constant_from().is_some_and(|n| n <= u8::MAX.into()) {
        replay(config, backoff, 0_u8, stream, record)
    } else {
        replay(config, backoff, 0_u32, stream, record)
    })
}

fn replay<C: Client, S: Stream>(
    config: &HerdConfig,
    backoff: &Backoff,
    first: C,
    stream: &mut S,
    record: Record,
) -> HerdRun {
    let tick = backoff.unit().of(config.tick());
    let mut wheel = first_sends(config, first, stream);
    let mut server = config.server();
    let mut retries = Retries::new(*backoff, tick);
    let mut batch = Vec::new();
    let mut positions = Vec::new();
    let mut chosen = Chosen::new();
    let mut run = HerdRun {
        finish_ticks: None,
        requests: 0,
        crashes: 0,
        unfinished_clients: config.clients(),
        arrivals: Vec::new(),
    };
    for now in 0..config.horizon() {
        wheel.take(&mut batch);
        let arrivals = batch.len() as u64;
        run.requests += arrivals;
        if record == Record::Arrivals {
            run.arrivals.push(arrivals);
        }
        let successes = server.serve(arrivals);
        if successes > 0 {
            stream.sample(arrivals as u32, successes as u32, &mut positions);
            if successes == arrivals {
                batch.clear();
            } else {
                chosen.mark(batch.len(), &positions);
                chosen.remove_from(&mut batch);
            }
            run.unfinished_clients -= successes;
            if run.unfinished_clients == 0 {
                run.finish_ticks = Some(now + 1);
                break;
            }
        }
        retries.schedule(&batch, stream, &mut wheel);
    }
    run.crashes = server.crashes();
    run
}

/// The wheel with every client's first send, at the tick in which `U(0, spread)` falls.
fn first_sends<C: Client, S: Stream>(config: &HerdConfig, first: C, stream: &mut S) -> Wheel<C> {
    let spread = config.spread().as_secs_f64();
    let tick = config.tick().as_secs_f64();
    let mut wheel = Wheel::new(config.horizon());
    if config.spread().is_zero() {
        // Drawn all the same, as the published script does.
        stream.with_units(0..config.clients(), |_, _| {});
        wheel.schedule_many(0, first, config.clients());
        return wheel;
    }
    let mut waits = [0; GROUP];
    let clients = [first; GROUP];
    let mut left = config.clients() as usize;
    while left > 0 {
        let group = left.min(GROUP);
        stream.with_units(&mut waits[..group], |wait, unit| {
            // The cast truncates, as the script's int() does.
            *wait = (spread * unit / tick) as u64;
        });
        wheel.schedule_each(&waits[..group], &clients[..group]);
        left -= group;
    }
    wheel
}
