//! The herd as a model of nexosim, a discrete-event simulator in Rust: one event for each request, and one for the end of each tick.
//!
//! The server, the draws and the waits are the lab's own, so what differs is how due requests are kept and delivered. One thread, as
//! a single model can't use more; the run gives the same outcome, to the last request.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use backoff_core::Backoff;
use herd_sim::{HerdConfig, HerdRun};
use nexosim::model::{BuildContext, Context, Model, ProtoModel, schedulable};
use nexosim::simulation::{Mailbox, SimInit};
use nexosim::time::MonotonicTime;
use serde::{Deserialize, Serialize};
use sim_kernel::{Chosen, Pcg64, Server, Stream, ticks_of_wait};

/// The outcome of one run, from the same stream as the exact engine's.
pub(crate) fn run(config: &HerdConfig, backoff: &Backoff, seed: u64) -> HerdRun {
    let outcome = Arc::new(Mutex::new(HerdRun {
        finish_ticks: None,
        requests: 0,
        crashes: 0,
        unfinished_clients: config.clients(),
        arrivals: Vec::new(),
    }));
    let herd = Herd {
        config: *config,
        backoff: *backoff,
        stream: Pcg64::for_unit("tick_loop", seed),
        server: config.server(),
        batch: Vec::new(),
        positions: Vec::new(),
        chosen: Chosen::new(),
        outcome: Arc::clone(&outcome),
    };
    let mut simulation = SimInit::with_num_threads(1)
        .add_model(herd, Mailbox::new(), "herd")
        .init(MonotonicTime::EPOCH)
        .expect("the model is complete");
    // A step is one point in time: the sends of a tick, or its end.
    for _ in 0..config.horizon() {
        simulation.step().expect("nothing blocks");
        simulation.step().expect("nothing blocks");
        if outcome
            .lock()
            .expect("nothing panics")
            .finish_ticks
            .is_some()
        {
            break;
        }
    }
    drop(simulation);
    Arc::into_inner(outcome)
        .expect("the model is gone")
        .into_inner()
        .expect("nothing panics")
}

/// What nexosim calls the environment: the state that isn't saved with a simulation, here all of it.
struct Herd {
    config: HerdConfig,
    backoff: Backoff,
    stream: Pcg64,
    server: Server,
    /// The failures so far of those that send in this tick.
    batch: Vec<u32>,
    positions: Vec<u32>,
    chosen: Chosen,
    outcome: Arc<Mutex<HerdRun>>,
}

#[derive(Serialize, Deserialize)]
struct HerdModel;

impl ProtoModel for Herd {
    type Model = HerdModel;

    fn build(self, _: &mut BuildContext<Self>) -> (HerdModel, Self) {
        (HerdModel, self)
    }
}

#[expect(
    clippy::unused_async,
    clippy::unused_self,
    reason = "nexosim calls methods, the first of them async"
)]
#[Model(type Env = Herd)]
impl HerdModel {
    #[nexosim(init)]
    async fn start(&mut self, context: &Context<Self>, herd: &mut Herd) {
        let tick = herd.config.tick();
        let spread = herd.config.spread().as_secs_f64();
        for _ in 0..herd.config.clients() {
            let first = herd.stream.uniform(0.0, spread) / tick.as_secs_f64();
            // Nothing may be scheduled for the present, so the first tick is one tick after the start.
            let wait = tick * (first as u32 + 1);
            context
                .schedule_event(wait, schedulable!(Self::send), 0)
                .expect("in the future");
        }
        let end = tick + tick / 2;
        context
            .schedule_periodic_event(end, tick, schedulable!(Self::end_of_tick), ())
            .expect("in the future");
    }

    #[nexosim(schedulable)]
    fn send(&mut self, failures: u32, _: &Context<Self>, herd: &mut Herd) {
        herd.batch.push(failures);
    }

    #[nexosim(schedulable)]
    fn end_of_tick(&mut self, (): (), context: &Context<Self>, herd: &mut Herd) {
        let mut outcome = herd.outcome.lock().expect("nothing panics");
        let arrivals = herd.batch.len() as u64;
        outcome.requests += arrivals;
        let successes = herd.server.serve(arrivals);
        outcome.crashes = herd.server.crashes();
        if successes > 0 {
            herd.stream
                .sample(arrivals as u32, successes as u32, &mut herd.positions);
            herd.chosen.mark(herd.batch.len(), &herd.positions);
            herd.chosen.remove_from(&mut herd.batch);
            outcome.unfinished_clients -= successes;
            if outcome.unfinished_clients == 0 {
                outcome.finish_ticks = Some(herd.server.tick());
            }
        }
        let tick = herd.config.tick();
        for failures in herd.batch.drain(..) {
            let failures = failures + 1;
            let seconds = herd.backoff.wait(failures, 0.0, herd.stream.unit());
            let ticks = ticks_of_wait(seconds, tick.as_secs_f64()) as u32;
            // From the middle of this tick to the beginning of another.
            let wait: Duration = tick / 2 + tick * ticks;
            context
                .schedule_event(wait, schedulable!(Self::send), failures)
                .expect("in the future");
        }
    }
}
