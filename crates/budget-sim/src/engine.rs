//! The engine that follows every request.

use core::mem;
use core::time::Duration;

use backoff_core::breaker::Outcome;
use backoff_core::budget::{Budget, RetryBudget};
use backoff_core::classify::{Idempotency, Pace, Terms, Verdict};
use backoff_core::policy::{self, Decision};
use sim_kernel::{Chosen, Outage, Stream, Wheel, ticks_of_wait};

use crate::config::BudgetSimConfig;
use crate::guard::{Admission, Guard};
use crate::policy::Policy;
use crate::request::{Request, Standing, Waiting};
use crate::run::{BudgetRun, Second, Trace, back_to_normal};

/// One run of the experiment, request by request and draw by draw.
///
/// The draws, in this order: an exponential number for each client's first request; then tick by tick one for each new request, client by
/// client; one for each new request's first send, if the budget throttles those; the sample of the requests that succeed, if any does; and, in the order in which they were scheduled, a uniform number for
/// each granted retry (if the backoff uses one), before it one for the budget's decision (if the budget uses one).
///
/// For breakers, and for a budget that throttles first sends, all sends of a tick leave before any answer: they admit in the batch's order,
/// retries first, and then the answers come in the same order. A refused attempt is handled among them, in its place. For all else a budget
/// hears of a send together with its answer, so nothing is in flight when it is asked for a retry.
pub fn run<S: Stream>(config: &BudgetSimConfig, policy: &Policy, stream: &mut S) -> BudgetRun {
    let mut simulation = Simulation::new(config, policy, stream);
    for tick in 0..config.horizon() {
        simulation.step(tick);
    }
    simulation.finish()
}

#[derive(Debug, Clone)]
struct Client {
    /// When it sends its next new request, in seconds.
    next: f64,
    budget: Option<Budget>,
    guard: Guard,
}

struct Simulation<'a, S> {
    config: &'a BudgetSimConfig,
    policy: &'a Policy,
    stream: &'a mut S,
    clients: Vec<Client>,
    wheel: Wheel<u32>,
    waiting: Waiting,
    server: sim_kernel::Server,
    batch: Vec<Request>,
    due: Vec<u32>,
    positions: Vec<u32>,
    chosen: Chosen,
    tick_s: f64,
    outage: Outage,
    crashes_before: u64,
    run: BudgetRun,
}

impl<'a, S: Stream> Simulation<'a, S> {
    fn new(config: &'a BudgetSimConfig, policy: &'a Policy, stream: &'a mut S) -> Self {
        let clients: Vec<Client> = (0..config.clients())
            .map(|_| Client {
                next: stream.exponential(config.rate_per_client()),
                budget: policy.budget.clone(),
                guard: policy.guard.clone(),
            })
            .collect();
        let traced = config.trace_client().filter(|_| {
            let budget = policy.budget.as_ref();
            budget.and_then(Budget::milli_tokens).is_some()
        });
        let seconds = config.second_of(config.horizon() - 1) as usize + 1;
        Self {
            config,
            policy,
            stream,
            clients,
            wheel: Wheel::new(config.horizon()),
            waiting: Waiting::default(),
            server: config.server(),
            batch: Vec::new(),
            due: Vec::new(),
            positions: Vec::new(),
            chosen: Chosen::new(),
            tick_s: config.tick().as_secs_f64(),
            // Without an outage nothing is in it, and everything is after it.
            outage: config.outage().unwrap_or(Outage { from: 0, until: 0 }),
            crashes_before: 0,
            run: BudgetRun {
                seconds: vec![Second::default(); seconds],
                arrivals: 0,
                failed_arrivals: 0,
                new_requests: 0,
                succeeded: 0,
                failed: 0,
                pending: 0,
                failed_fast: 0,
                refusals: 0,
                arrivals_in_outage: 0,
                new_in_outage: 0,
                crashes: 0,
                crashes_after: 0,
                back_to_normal: 0,
                first_success_after: None,
                trace: traced.map(|client| Trace {
                    client,
                    milli_tokens: Vec::with_capacity(config.horizon() as usize),
                }),
            },
        }
    }

    fn step(&mut self, tick: u64) {
        let now = time_of(tick, self.config.tick());
        self.collect(tick, now);
        let new_requests = self.batch.len() as u64 - self.due.len() as u64;
        let arrivals = self.admit(now);
        if tick <= self.outage.until {
            self.crashes_before = self.server.crashes();
        }
        let served = self.server.serve(arrivals);
        let before = self.run.succeeded;
        self.answer(now, arrivals, served);

        let second = &mut self.run.seconds[self.config.second_of(tick) as usize];
        second.arrivals += arrivals;
        second.new_requests += new_requests;
        second.successes += self.run.succeeded - before;
        self.run.arrivals += arrivals;
        self.run.new_requests += new_requests;
        if (self.outage.from..self.outage.until).contains(&tick) {
            self.run.arrivals_in_outage += arrivals;
            self.run.new_in_outage += new_requests;
        }
        if served > 0 && tick >= self.outage.until {
            let since = tick - self.outage.until;
            self.run.first_success_after.get_or_insert(since);
        }
        if let Some(trace) = &mut self.run.trace {
            let budget = self.clients[trace.client as usize].budget.as_ref();
            let tokens = budget.and_then(Budget::milli_tokens).unwrap_or(0);
            trace.milli_tokens.push(tokens);
        }
    }

    /// Fills the batch: the retries that are due, then the new requests.
    fn collect(&mut self, tick: u64, now: Duration) {
        self.wheel.take(&mut self.due);
        for &id in &self.due {
            self.batch.extend(self.waiting.take(id));
        }
        let end = (tick + 1) as f64 * self.tick_s;
        for (number, client) in self.clients.iter_mut().enumerate() {
            while client.next < end {
                client.next += self.stream.exponential(self.config.rate_per_client());
                self.batch.push(Request {
                    client: number as u32,
                    call: self.policy.retry.start(Idempotency::Idempotent, now),
                    ticket: None,
                    standing: Standing::Leaves,
                });
            }
        }
    }

    /// Lets the budgets that throttle first sends, then the breakers decide over the batch; how many arrive at the server.
    fn admit(&mut self, now: Duration) -> u64 {
        let mut arrivals = 0;
        for request in &mut self.batch {
            let client = &mut self.clients[request.client as usize];
            let first = request.call.failures() == 0;
            if first
                && RetryBudget::draws(&client.budget)
                && !client.budget.admit_first(now, self.stream.unit())
            {
                request.standing = Standing::RefusedByBudget;
                continue;
            }
            request.standing = match client.guard.admit(now, first) {
                Admission::Sent(ticket) => {
                    if ticket.is_some() {
                        request.ticket = ticket;
                    }
                    arrivals += 1;
                    Standing::Leaves
                }
                Admission::Refused => Standing::RefusedByBreaker,
            };
        }
        arrivals
    }

    /// Gives every request of the batch its answer.
    fn answer(&mut self, now: Duration, arrivals: u64, served: u64) {
        if served > 0 {
            self.stream
                .sample(arrivals as u32, served as u32, &mut self.positions);
        } else {
            self.positions.clear();
        }
        self.chosen.mark(arrivals as usize, &self.positions);
        let mut position = 0;
        let mut batch = mem::take(&mut self.batch);
        for request in batch.drain(..) {
            match request.standing {
                Standing::RefusedByBudget => self.ended_unsent(),
                Standing::RefusedByBreaker => self.refused(now, request),
                Standing::Leaves => {
                    let success = self.chosen.contains(position);
                    position += 1;
                    if success {
                        self.success(now, request);
                    } else {
                        self.failure(now, request);
                    }
                }
            }
        }
        self.batch = batch;
    }

    fn success(&mut self, now: Duration, mut request: Request) {
        let client = &mut self.clients[request.client as usize];
        client
            .guard
            .answered(now, &mut request.ticket, Outcome::Success, true);
        request.call.succeeded(now, &mut client.budget);
        self.run.succeeded += 1;
    }

    fn failure(&mut self, now: Duration, mut request: Request) {
        self.run.failed_arrivals += 1;
        let failed = policy::Outcome::judged(Verdict::Retry(Terms::TRANSIENT));
        let decision = self.decide(now, &mut request, &failed);
        let ended = matches!(decision, Decision::Stop(_));
        let client = &mut self.clients[request.client as usize];
        client
            .guard
            .answered(now, &mut request.ticket, Outcome::Failure, ended);
        if ended {
            self.run.failed += 1;
        } else {
            self.retry(request);
        }
    }

    fn refused(&mut self, now: Duration, mut request: Request) {
        let refused = policy::Outcome::refused_by_breaker();
        match self.decide(now, &mut request, &refused) {
            Decision::Retry { .. } => {
                self.run.refusals += 1;
                self.retry(request);
            }
            Decision::Stop(_) => self.ended_unsent(),
        }
    }

    /// Counts a request that ended with an attempt that was not sent.
    fn ended_unsent(&mut self) {
        self.run.refusals += 1;
        self.run.failed += 1;
        self.run.failed_fast += 1;
    }

    fn decide(
        &mut self,
        now: Duration,
        request: &mut Request,
        outcome: &policy::Outcome<'_>,
    ) -> Decision {
        let budget = &mut self.clients[request.client as usize].budget;
        self.policy.retry.decide_drawing(
            &mut request.call,
            outcome,
            now,
            || self.stream.unit(),
            budget,
        )
    }

    /// Schedules the request's next attempt, after the wait that its call has noted: unrounded, as the published experiments take it.
    fn retry(&mut self, request: Request) {
        let wait = request.call.backoff_wait(Pace::Transient);
        let ticks = ticks_of_wait(wait, self.tick_s);
        if self.wheel.now() + ticks >= self.config.horizon() {
            self.run.pending += 1;
            return;
        }
        let id = self.waiting.put(request);
        self.wheel.schedule(ticks, id);
    }

    fn finish(mut self) -> BudgetRun {
        let nanos = |tick: u64| u128::from(tick) * self.config.tick().as_nanos();
        let first = nanos(self.outage.until).div_ceil(NANOS_PER_SECOND);
        let end = nanos(self.config.horizon()) / NANOS_PER_SECOND;
        self.run.back_to_normal = back_to_normal(&self.run.seconds, first as u64, end as u64);
        self.run.crashes = self.server.crashes();
        self.run.crashes_after = self.run.crashes - self.crashes_before;
        self.run
    }
}

const NANOS_PER_SECOND: u128 = 1_000_000_000;

/// When a tick takes place; exact, and within range for every configuration.
fn time_of(tick: u64, length: Duration) -> Duration {
    length * u32::try_from(tick).unwrap_or(u32::MAX)
}
