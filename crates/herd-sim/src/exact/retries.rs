//! When those that failed come back.

use backoff_core::Backoff;
use backoff_core::backoff::WaitLoop;
use sim_kernel::{Stream, Wheel, ticks_of_wait};

use super::client::Client;

/// So many failures are handled together: first their waits, then the scheduling. Each is a short loop whose steps the processor
/// overlaps, and what goes from one to the other stays in the first-level cache.
pub(super) const GROUP: usize = 256;

/// Schedules the retries of failed clients.
pub(super) struct Retries<C> {
    backoff: Backoff,
    tick: f64,
    waits: [u64; GROUP],
    clients: [C; GROUP],
}

impl<C: Client> Retries<C> {
    /// For a strategy, and a tick in the unit in which it computes.
    pub(super) fn new(backoff: Backoff, tick: f64) -> Self {
        Self {
            backoff,
            tick,
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
        let backoff = self.backoff;
        if backoff.draws() {
            backoff.hoist(Drawn {
                retries: self,
                failed,
                stream,
                wheel,
            });
        } else {
            backoff.hoist(Alike {
                tick: self.tick,
                failed,
                wheel,
            });
        }
    }
}

/// Each client draws its wait.
struct Drawn<'a, C, S> {
    retries: &'a mut Retries<C>,
    failed: &'a [C],
    stream: &'a mut S,
    wheel: &'a mut Wheel<C>,
}

impl<C: Client, S: Stream> WaitLoop for Drawn<'_, C, S> {
    type Output = ();

    #[inline]
    fn run(self, wait: impl Fn(u32, f64, f64) -> f64) {
        let tick = self.retries.tick;
        for group in self.failed.chunks(GROUP) {
            let waits = &mut self.retries.waits[..group.len()];
            let clients = &mut self.retries.clients[..group.len()];
            self.stream.with_units(
                group.iter().zip(&mut *waits).zip(&mut *clients),
                |((client, ticks), after), unit| {
                    let (waited, client) = client.fail(&wait, unit);
                    *ticks = ticks_of_wait(waited, tick);
                    *after = client;
                },
            );
            self.wheel.schedule_each(waits, clients);
        }
    }
}

/// Nothing is drawn, so clients that carry the same come back together.
struct Alike<'a, C> {
    tick: f64,
    failed: &'a [C],
    wheel: &'a mut Wheel<C>,
}

impl<C: Client> WaitLoop for Alike<'_, C> {
    type Output = ();

    #[inline]
    fn run(self, wait: impl Fn(u32, f64, f64) -> f64) {
        for alike in self.failed.chunk_by(|one, next| one == next) {
            let (waited, client) = alike[0].fail(&wait, 0.0);
            let ticks = ticks_of_wait(waited, self.tick);
            self.wheel.schedule_many(ticks, client, alike.len() as u64);
        }
    }
}
