//! Model `budget`: a dependency is down for a while; retry budgets and circuit breakers.

mod breaker;
mod figures;
mod policies;
mod retry_budget;
mod table;
mod tables;

use budget_sim::{BudgetRun, BudgetSimConfig, BudgetSimParams, Second, Trace, run};
use sim_kernel::{CPython, Pcg64, Seeds, replicate};

use super::{Csv, Engines, Experiment, Model, Outcome, Runs};
use crate::progress::Progress;
use crate::scenario::{Body, Header, Problem, Rng};
use policies::NamedPolicy;

/// The model.
pub(super) const MODEL: Model = Model {
    name: "budget",
    tables: &["budget", "policy"],
    runs: Runs::EverySeed,
    engines: Engines::Exact,
    reference: "\
Clients send new requests, each a Poisson process, to a server that fails everything during an outage
and crashes when too many arrive. Failures are retried as the policy says; each client has a retry
budget and a circuit breaker of its own.
[budget]
  tick               the step of time, 1ns to 1s; every other time is a whole number of it
  clients            1 to 10000
  rate_per_client    new requests a second of one client on average, above 0, at most 1000000;
                     5000000 requests of all clients in a run at most; in all runs, with all their
                     retries, at most 1e10
  capacity_per_tick  requests served in a tick, 1 to 1000000000; among more, random ones
  outage             { from, until }: everything fails for from <= t < until
  crash              { window, limit, restart }: when the arrivals of the last window (at least a tick)
                     exceed the limit (0 to 1000000000), the server is down for the time restart;
                     not applied during the outage
  ends_at            the run's length, at most 2000000 ticks
  trace_client       the client, counted from 0, whose tokens are drawn (first seed); default none
  draw               1 to 4 names of policies whose arrivals are drawn, default the first 4
[[policy]]
  name               1 to 60 characters, each once; 1 to 32 policies
  max_attempts       sends of a request, the first included, 1 to 1000
  backoff            as in [[strategy]]; needed if max_attempts is above 1
  budget             default none; kind and its keys:
    grpc-throttling    max_tokens (10): above 0, at most 1000, three decimals; with at most 2 it never
                       retries; token_ratio (0.1): 0.001 to 1000, decimals beyond the third are ignored
    retry-ratio        ratio (0.1), window (\"1s\"): retries below this share of the sends in the window;
                       a client that sends little may always retry once in a window
    cumulative-ratio   ratio (0.1): retries at most this share of all first sends
    deposit            ratio (0.2), floor_per_s (10), ttl (\"10s\", 1s to 60s): Finagle's and tower's;
                       each client may retry floor_per_s times a second whatever it sends
    aws-quota          capacity (500), transient_cost (14), first_success (1): the AWS SDKs'
    concurrency        min_retries (3): retries that wait at once, Envoy's; its share must be 0 here:
                       answers come within the tick, so nothing is in flight when a retry is judged
    adaptive           k (2), window (\"2m\"): Google's client-side throttling, of first sends too: a
                       request whose first send it refuses fails fast
  breaker            default none:
    window             a time (\"1s\"), or
    calls              a number of calls, 1 to 65536
    failure_rate       above 0, at most 1
    minimum_calls      judged from so many calls on, 1 to 65536
    open_for           how long it refuses everything
    half_open_permits  probes that must all succeed, 1 to 65536
    half_open_limit    probes unanswered for so long count as failed; default \"10s\"
    place              \"each-attempt\": retries outside the breaker, a refusal fails the request;
                       \"each-attempt-refusals-retried\": the same, a refusal is retried;
                       \"whole-request\": the breaker outside the retries
Metrics  name/load_during_outage, name/crashes_after and name/back_to_normal_s, with a breaker
         name/failed_fast and name/first_success_s too, each /mean, /min, /max and /seed N; of the traced
         client tokens_at_outage_end, tokens_return_s, tokens_gone_again_s and retries_again_after_s,
         each /seed N
",
    parse,
};

fn parse(header: &Header, body: Body<'_>) -> Result<Box<dyn Experiment>, Problem> {
    let tables: tables::Tables = body.read()?;
    let (params, policies) = tables.check()?;
    let drawn = tables.drawn(&policies)?;
    tables.check_work(&policies, header.seeds.count)?;
    let build = |trace_client| BudgetSimParams {
        trace_client,
        ..params
    };
    let place = |error| tables.budget.place(&error);
    Ok(Box::new(BudgetExperiment {
        config: build(None).build().map_err(place)?,
        traced: params.build().map_err(place)?,
        params,
        policies,
        drawn,
        rng: *header.rng.get_ref(),
        seeds: header.seeds,
    }))
}

struct BudgetExperiment {
    params: BudgetSimParams,
    config: BudgetSimConfig,
    /// The same, recording the traced client.
    traced: BudgetSimConfig,
    policies: Vec<NamedPolicy>,
    /// The policies whose arrivals are drawn.
    drawn: Vec<usize>,
    rng: Rng,
    seeds: Seeds,
}

/// What is kept of a run.
struct Run {
    seed: u64,
    arrivals_in_outage: u64,
    new_in_outage: u64,
    load: Option<f64>,
    crashes_after: u64,
    back_to_normal: u64,
    failed_fast: u64,
    first_success_s: Option<f64>,
    /// Of the first seed alone.
    course: Course,
}

/// What happened in a run, in time; empty unless it is drawn or written.
#[derive(Default)]
struct Course {
    seconds: Vec<Second>,
    trace: Option<Trace>,
}

impl BudgetExperiment {
    fn outage_s(&self) -> (f64, f64) {
        self.params.outage.map_or((0.0, 0.0), |outage| {
            (outage.from.as_secs_f64(), outage.until.as_secs_f64())
        })
    }

    fn seconds(&self, ticks: u64) -> f64 {
        // As a duration first, so that 47 ticks of 10 ms are 0.47 s and not 0.47000000000000003 s.
        let ticks = u32::try_from(ticks).unwrap_or(u32::MAX);
        (self.config.tick() * ticks).as_secs_f64()
    }

    /// Whether some attempts can be refused before they are sent: by a breaker, or first sends by a budget.
    fn has_refusals(&self) -> bool {
        self.policies
            .iter()
            .any(|policy| policy.breaker.is_some() || policy.throttles_first_sends)
    }

    /// The policy whose traced tokens are drawn: the first that keeps any.
    fn traced_policy(&self) -> Option<usize> {
        self.params.trace_client?;
        self.policies
            .iter()
            .position(|policy| policy.threshold.is_some())
    }

    fn simulate(&self, policy: &NamedPolicy, seed: u64) -> Run {
        let first = seed == self.seeds.first;
        let config = if first { &self.traced } else { &self.config };
        let run = match self.rng {
            Rng::CPython => run(config, &policy.policy, &mut CPython::new(seed)),
            Rng::Pcg64 => run(
                config,
                &policy.policy,
                &mut Pcg64::for_unit(&policy.name, seed),
            ),
        };
        let load = run.load_during_outage();
        let BudgetRun { seconds, trace, .. } = run;
        Run {
            seed,
            arrivals_in_outage: run.arrivals_in_outage,
            new_in_outage: run.new_in_outage,
            load,
            crashes_after: run.crashes_after,
            back_to_normal: run.back_to_normal,
            failed_fast: run.failed_fast,
            first_success_s: run.first_success_after.map(|ticks| self.seconds(ticks)),
            course: if first {
                Course { seconds, trace }
            } else {
                Course::default()
            },
        }
    }
}

impl Experiment for BudgetExperiment {
    fn artifacts(&self) -> Vec<String> {
        let tokens = self.traced_policy().map(|_| "tokens.png".to_owned());
        tokens
            .into_iter()
            .chain(["arrivals.png".to_owned()])
            .collect()
    }

    fn run(&self, progress: &Progress) -> Outcome {
        progress.begin(self.policies.len() as u64 * u64::from(self.seeds.count));
        let runs = replicate(
            &self.policies,
            self.seeds,
            |policy, seed| self.simulate(policy, seed),
            |_| progress.advance(),
        );
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
