//! When those that failed come back.

use backoff_core::Backoff;
use sim_kernel::{Stream, Wheel, ticks_of_wait};

use super::client::Client;

/// Failures are handled in groups that stay in the first-level cache: first all draws, then all waits, then the scheduling. Each step
/// is a short loop in which consecutive failures don't wait for one another.
const GROUP: usize = 256;

/// Schedules the retries of failed clients.
pub(super) struct Retries<C> {
    backoff: Backoff,
    tick: f64,
    units: [f64; GROUP],
    waits: [u64; GROUP],
    clients: [C; GROUP],
}

impl<C: Client> Retries<C> {
    pub(super) fn new(backoff: Backoff, tick: f64) -> Self {
        Self {
            backoff,
            tick,
            units: [0.0; GROUP],
            waits: [0; GROUP],
            clients: [C::default(); GROUP],
        }
    }

    /// Schedules the next send of each client in `failed`, all of which failed in the tick before the wheel's present one.
    pub(super) fn schedule<S: Stream>(
        &mut self,
        failed: &[C],
        stream: &mut S,
        wheel: &mut Wheel<C>,
    ) {
        if self.backoff.draws() {
            self.schedule_drawn(failed, stream, wheel);
        } else {
            self.schedule_alike(failed, wheel);
        }
    }

    fn schedule_drawn<S: Stream>(&mut self, failed: &[C], stream: &mut S, wheel: &mut Wheel<C>) {
        for group in failed.chunks(GROUP) {
            let units = &mut self.units[..group.len()];
            let waits = &mut self.waits[..group.len()];
            let clients = &mut self.clients[..group.len()];
            stream.units(units);
            for (((client, &unit), wait), next) in group
                .iter()
                .zip(&*units)
                .zip(&mut *waits)
                .zip(&mut *clients)
            {
                let (seconds, after) = client.fail(&self.backoff, unit);
                *wait = ticks_of_wait(seconds, self.tick);
                *next = after;
            }
            wheel.schedule_each(waits, clients);
        }
    }

    /// Without a draw, clients that carry the same come back together.
    fn schedule_alike(&mut self, failed: &[C], wheel: &mut Wheel<C>) {
        for alike in failed.chunk_by(|one, next| one == next) {
            let (wait, after) = alike[0].fail(&self.backoff, 0.0);
            wheel.schedule_many(ticks_of_wait(wait, self.tick), after, alike.len() as u64);
        }
    }
}
