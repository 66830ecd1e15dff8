//! Model `policy`: which failures a policy retries, how long it waits, and how long a request can take.

mod schedule;
mod total;
mod verdicts;

use backoff_core::Unit;
use backoff_core::policy::{Policy as Checked, PolicyConfig};
use serde::Deserialize;
use serde_json::{Map, Value};
use toml::Spanned;

use super::{Csv, Engines, Experiment, Metrics, Model, Outcome, Runs};
use crate::progress::Progress;
use crate::scenario::{Body, Header, Problem, Strategy, StrategyTable, Whole, strategies};

/// The most attempts that are played out.
const MAX_ATTEMPTS: u32 = 1000;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Tables {
    policy: Spanned<PolicyConfig>,
    schedule: ScheduleTable,
    strategy: Spanned<Vec<StrategyTable>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ScheduleTable {
    failures: Whole<1, 1000>,
}

/// The model.
pub(super) const MODEL: Model = Model {
    name: "policy",
    tables: &["policy", "schedule", "strategy"],
    runs: Runs::Once,
    engines: Engines::Exact,
    reference: "\
Which failures a policy retries, how long a request can take under it, and schedules of waits.
[policy]
  max_attempts        sends of one request, the first included, 1 to 1000
  backoff             a backoff for transient failures
  flavour             \"plain\" (default) or \"grpc\", which treats more than 5 attempts as 5
  deadline            from the first send, \"0s\" and up, or \"none\" (default)
  attempt_timeout     of one attempt, above \"0s\", or \"none\" (default)
  throttling_backoff  a backoff for throttling; full jitter from 1 s to 30 s by default
  refusals            of a circuit breaker: \"stop\" (default) or \"retry\"
  throttling_codes    error codes that mean throttling; AWS's by default
[policy.retry_after]
  reading             \"strict\" or \"lenient\" (default)
  limit               the longest wait taken as asked for, or \"none\"; \"15m\" by default
  above               a longer one: \"obey\", \"cap\" or \"give-up\" (default)
  past_date           a date that has passed: \"zero\" (default) or \"backoff\"
[policy.http]         lists of statuses, 400 to 599, each in one list at most
  retry               [408, 425, 502, 503, 504] by default
  throttling          [429, 509] by default
  limited             [500] by default, retried limited_retries times (1 by default)
  never               [501, 505] by default
  only_if_idempotent  those of the retried that need it; none by default
  other_server_errors other 5xx: \"retry\" (default), \"retry-if-idempotent\" or \"never\"
[policy.grpc]         lists of codes, by name or number
  retryable           [\"UNAVAILABLE\"] by default
  only_if_idempotent  those of the retried that need it; INTERNAL and its like by default
  throttling          those that ask for less; RESOURCE_EXHAUSTED by default
[policy.transport]
  connect, reset, timeout  \"retry\", \"retry-if-idempotent\" (default) or \"never\"
[schedule]
  failures            waits after failures 1, 2, … up to this many, 1 to 1000
[[strategy]]          the schedules
Metrics  answer/retries/GET, /POST and /POST with key; code/retries and code/retries_if_listed,
         each /idempotent and /not idempotent; name/wait_N_s after failure N and pace/total_s, each
         /mean, /min and /max; attempts alone/total_s/max
",
    parse,
};

fn parse(_header: &Header, body: Body<'_>) -> Result<Box<dyn Experiment>, Problem> {
    let Tables {
        policy,
        schedule,
        strategy,
    } = body.read()?;
    let given = policy.get_ref().max_attempts;
    if given > MAX_ATTEMPTS {
        let message = format!("max_attempts = {given}: must be at most {MAX_ATTEMPTS}");
        return Err(Problem::at(&policy, message));
    }
    let checked = policy.get_ref().clone().build();
    Ok(Box::new(PolicyExperiment {
        policy: checked.map_err(|error| Problem::at(&policy, error.to_string()))?,
        failures: schedule.failures.small(),
        strategies: strategies(&strategy, Unit::Seconds)?,
    }))
}

struct PolicyExperiment {
    policy: Checked,
    failures: u32,
    strategies: Vec<Strategy>,
}

impl Experiment for PolicyExperiment {
    fn artifacts(&self) -> Vec<String> {
        Vec::new()
    }

    fn run(&self, progress: &Progress) -> Outcome {
        progress.begin(1);
        let http = verdicts::http(&self.policy);
        let grpc = verdicts::grpc(&self.policy);
        let total = total::of(&self.policy);
        let schedules = schedule::of(&self.strategies, self.failures);
        let mut metrics = Metrics::new();
        verdicts::measure(&http, &grpc, &mut metrics);
        total::measure(&self.policy, &total, &mut metrics);
        schedule::measure(&schedules, &mut metrics);
        let answers = verdicts::http_table(&self.policy, &http);
        progress.advance();
        Outcome {
            csv: Csv {
                text: answers.csv(),
                artifact: None,
            },
            tables: vec![
                answers,
                verdicts::grpc_table(&grpc),
                schedule::table(&schedules, self.failures),
                total::table(&self.policy, &total),
            ],
            pictures: Vec::new(),
            json: Map::from_iter([
                (
                    "http".to_owned(),
                    http.iter().map(verdicts::Http::json).collect::<Value>(),
                ),
                (
                    "grpc".to_owned(),
                    grpc.iter().map(verdicts::Grpc::json).collect(),
                ),
                (
                    "strategies".to_owned(),
                    schedules.iter().map(schedule::Schedule::json).collect(),
                ),
                (
                    "total".to_owned(),
                    total.iter().map(total::Total::json).collect(),
                ),
            ]),
            metrics,
        }
    }
}
