//! The budget and breaker scenarios: the published table and runs, and what a user's own file gets.

mod support;

use std::path::Path;

use serde_json::Value;
use support::Desk;

const PUBLISHED: &str = "\
policy                         load during outage     crashes after   back to normal at
no retry                       1.00x (1.00-1.00)       0.0             15.0 s (15-15)
4 attempts                     3.89x (3.87-3.90)      25.0             40.0 s (40-40)
4 attempts + gRPC throttling   1.01x (1.01-1.01)       0.0             15.0 s (15-15)
4 attempts + 10% retry ratio   1.25x (1.23-1.26)       0.0             15.0 s (15-15)
";

/// A second of one client's requests, every kind of table in it.
const OWN: &str = r#"model = "budget"
question = "Does our budget hold?"
seeds = { first = 3, count = 2 }

[budget]
tick = "10ms"
clients = 2
rate_per_client = 50
capacity_per_tick = 5
outage = { from = "200ms", until = "1s" }
crash = { window = "100ms", limit = 30, restart = "200ms" }
ends_at = "5s"
trace_client = 1
draw = ["quota"]

[[policy]]
name = "quota"
max_attempts = 3
backoff = { kind = "full-jitter", base = "50ms", cap = "1s" }
budget = { kind = "aws-quota", capacity = 60 }

[[policy]]
name = "guarded"
max_attempts = 3
backoff = { kind = "full-jitter", base = "50ms", cap = "1s" }
budget = { kind = "retry-ratio", ratio = 0.2 }
breaker = { calls = 5, failure_rate = 0.6, minimum_calls = 5, open_for = "300ms", half_open_permits = 1, place = "each-attempt" }
"#;

fn builtin(id: &str) -> String {
    let answer = Desk::new().lab(&["scenario", id]);
    assert_eq!(answer.code, Some(0), "{answer:?}");
    answer.out
}

fn json(text: &str) -> Value {
    let desk = Desk::new();
    desk.write("own.toml", text);
    let answer = desk.lab(&["run", "own.toml", "--format", "json"]);
    assert_eq!((answer.code, answer.err.as_str()), (Some(0), ""));
    serde_json::from_str(&answer.out).expect("JSON")
}

#[test]
fn the_table_is_the_published_one() {
    let desk = Desk::new();
    let answer = desk.lab(&["reproduce", "budget", "--out", "reports"]);
    assert_eq!(answer.code, Some(0), "{answer:?}");
    let table = desk.read("reports/budget/table.txt");
    assert!(table.starts_with(PUBLISHED), "{table}");
}

#[test]
fn every_run_is_the_published_one() {
    let golden = include_str!("../../crates/budget-sim/tests/golden/budget.json");
    let golden: Value = serde_json::from_str(golden).expect("JSON");
    let ours = json(&builtin("budget"));
    assert_eq!(ours["model"], "budget");
    let policies = ours["policies"].as_array().expect("policies");
    assert_eq!(policies.len(), 4);
    for policy in policies {
        let name = policy["name"].as_str().expect("a name");
        let golden = &golden[name];
        for key in ["runs", "arrivals_per_s_first_seed", "new_per_s_first_seed"] {
            assert_eq!(policy[key], golden[key], "{name} {key}");
        }
        let tokens = policy["tokens_each_tick_first_seed"].as_array();
        let each_100ms = tokens.map(|tokens| {
            tokens
                .iter()
                .skip(9)
                .step_by(10)
                .cloned()
                .collect::<Vec<_>>()
        });
        let golden = golden["tokens_traced_client_each_100ms_first_seed"].as_array();
        assert_eq!(each_100ms.as_ref(), golden, "{name}");
    }
}

#[test]
fn each_breaker_has_its_measures() {
    let ours = json(&builtin("breaker"));
    let policies = ours["policies"].as_array().expect("policies");
    assert_eq!(policies.len(), 4);
    for policy in policies {
        for run in policy["runs"].as_array().expect("runs") {
            assert!(run["failed_fast"].as_u64() > Some(0), "{run}");
            assert!(run["first_success_s"].as_f64() < Some(1.01), "{run}");
            assert_eq!(run["crashes_after"], 0, "{run}");
        }
    }
}

#[test]
fn an_experiment_of_ones_own() {
    let desk = Desk::new();
    desk.write("own.toml", OWN);
    let answer = desk.lab(&["run", "own.toml", "--out", "results"]);
    assert_eq!(answer.code, Some(0), "{answer:?}");
    let lines: Vec<&str> = answer.out.lines().collect();
    assert!(lines[0].contains("   requests failed fast  "), "{lines:?}");
    assert!(
        lines[0].ends_with("   first success after recovery"),
        "{lines:?}"
    );
    assert!(lines[1].starts_with("quota ") && lines[2].starts_with("guarded "));
    let mut files: Vec<String> = desk
        .files("results")
        .into_iter()
        .map(|file| file.0)
        .collect();
    files.retain(|file| Path::new(file).extension().is_some_and(|end| end == "png"));
    assert_eq!(files.len(), 2, "{files:?}");
}

/// Replaces one piece of the scenario: the refusal must name the line, the key and what is allowed.
fn refused(old: &str, new: &str, key: &str, allowed: &str) {
    assert!(OWN.contains(old), "{old}");
    let line = OWN[..OWN.find(old).expect("found")].lines().count()
        + usize::from(OWN.as_bytes()[OWN.find(old).expect("found") - 1] == b'\n');
    let desk = Desk::new();
    desk.write("bad.toml", OWN.replacen(old, new, 1));
    let answer = desk.lab(&["run", "bad.toml", "--out", "results"]);
    assert_eq!(answer.code, Some(2), "{new}: {answer:?}");
    assert_eq!(desk.names(), ["bad.toml"], "nothing may be written");
    let start = format!("error: bad.toml:{line}: {key}: ");
    assert!(
        answer.err.starts_with(&start),
        "expected {start:?}: {}",
        answer.err
    );
    assert!(
        answer.err.contains(allowed),
        "expected {allowed:?}: {}",
        answer.err
    );
    assert_eq!(answer.err.lines().count(), 1, "{}", answer.err);
}

#[test]
fn zeros_where_there_must_be_some() {
    refused(
        "tick = \"10ms\"",
        "tick = \"0s\"",
        "budget.tick",
        "from \"1ns\" to \"1s\"",
    );
    refused(
        "clients = 2",
        "clients = 0",
        "budget.clients",
        "from 1 to 10000",
    );
    refused(
        "rate_per_client = 50",
        "rate_per_client = 0",
        "budget.rate_per_client",
        "above 0",
    );
    refused(
        "capacity_per_tick = 5",
        "capacity_per_tick = 0",
        "budget.capacity_per_tick",
        "from 1",
    );
    refused(
        "window = \"100ms\"",
        "window = \"0s\"",
        "budget.crash.window",
        "from \"1ns\"",
    );
    refused(
        "ends_at = \"5s\"",
        "ends_at = \"0s\"",
        "budget.ends_at",
        "from \"1ns\"",
    );
    refused(
        "max_attempts = 3",
        "max_attempts = 0",
        "policy[1].max_attempts",
        "from 1 to 1000",
    );
    refused(
        "capacity = 60",
        "capacity = 0",
        "policy[1].budget.capacity",
        "from 1",
    );
    refused(
        "ratio = 0.2",
        "ratio = 0",
        "policy[2].budget.ratio",
        "above 0",
    );
    refused(
        "calls = 5",
        "calls = 0",
        "policy[2].breaker.calls",
        "from 1 to 65536",
    );
    refused(
        "minimum_calls = 5",
        "minimum_calls = 0",
        "policy[2].breaker.minimum_calls",
        "from 1",
    );
    refused(
        "half_open_permits = 1",
        "half_open_permits = 0",
        "policy[2].breaker.half_open_permits",
        "from 1",
    );
    refused(
        "failure_rate = 0.6",
        "failure_rate = 0",
        "policy[2].breaker.failure_rate",
        "above 0",
    );
}

#[test]
fn negative_fractional_and_no_numbers() {
    refused(
        "clients = 2",
        "clients = -2",
        "budget.clients",
        "from 1 to 10000",
    );
    refused(
        "clients = 2",
        "clients = 2.5",
        "budget.clients",
        "a whole number",
    );
    refused(
        "clients = 2",
        "clients = \"2\"",
        "budget.clients",
        "a whole number",
    );
    refused(
        "rate_per_client = 50",
        "rate_per_client = -1",
        "budget.rate_per_client",
        "above 0",
    );
    refused(
        "rate_per_client = 50",
        "rate_per_client = nan",
        "budget.rate_per_client",
        "above 0",
    );
    refused(
        "rate_per_client = 50",
        "rate_per_client = inf",
        "budget.rate_per_client",
        "at most 1000000",
    );
    refused(
        "ratio = 0.2",
        "ratio = nan",
        "policy[2].budget.ratio",
        "above 0",
    );
    refused(
        "ratio = 0.2",
        "ratio = -0.1",
        "policy[2].budget.ratio",
        "above 0",
    );
    refused(
        "failure_rate = 0.6",
        "failure_rate = nan",
        "policy[2].breaker.failure_rate",
        "at most 1",
    );
    refused(
        "failure_rate = 0.6",
        "failure_rate = 1.1",
        "policy[2].breaker.failure_rate",
        "at most 1",
    );
    refused(
        "ends_at = \"5s\"",
        "ends_at = 5",
        "budget.ends_at",
        "a duration in text",
    );
    refused(
        "until = \"1s\"",
        "until = \"-1s\"",
        "budget.outage.until",
        "a duration in text",
    );
}

#[test]
fn unknown_and_missing_keys_and_kinds() {
    refused(
        "clients = 2",
        "klients = 2",
        "budget.klients",
        "unknown key `klients`",
    );
    refused(
        "from = \"200ms\"",
        "form = \"200ms\"",
        "budget.outage.form",
        "unknown key `form`",
    );
    refused(
        "\"aws-quota\"",
        "\"aws\"",
        "policy[1].budget.kind",
        "expected one of `grpc-throttling`",
    );
    refused(
        "capacity = 60",
        "ratio = 0.1",
        "policy[1].budget.ratio",
        "kind `aws-quota` has no key `ratio`, expected `capacity`",
    );
    refused(
        "\"each-attempt\"",
        "\"inside\"",
        "policy[2].breaker.place",
        "`each-attempt-refusals-retried`",
    );
    refused(
        "calls = 5, f",
        "f",
        "policy[2].breaker",
        "missing key `window` (a time) or `calls`",
    );
    refused(
        "calls = 5",
        "window = \"1s\", calls = 5",
        "policy[2].breaker.calls",
        "not both",
    );
    refused(
        "name = \"guarded\"",
        "name = \"quota\"",
        "policy[2].name",
        "is given twice",
    );
    refused(
        "[\"quota\"]",
        "[\"quotas\"]",
        "budget.draw[1]",
        "no policy is called `quotas`",
    );
    refused("[\"quota\"]", "[]", "budget.draw", "expected 1 to 4");
}

#[test]
fn numbers_that_do_not_fit_together() {
    refused(
        "rate_per_client = 50",
        "rate_per_client = 1000000",
        "budget.rate_per_client",
        "at most 5000000 requests",
    );
    refused(
        "until = \"1s\"",
        "until = \"200ms\"",
        "budget.outage.until",
        "after outage.from",
    );
    refused(
        "until = \"1s\"",
        "until = \"6s\"",
        "budget.outage.until",
        "at most ends_at",
    );
    refused(
        "until = \"1s\"",
        "until = \"1s 5ms\"",
        "budget.outage.until",
        "a whole number of ticks",
    );
    refused(
        "window = \"100ms\"",
        "window = \"105ms\"",
        "budget.crash.window",
        "a whole number of ticks",
    );
    refused(
        "restart = \"200ms\"",
        "restart = \"1ms\"",
        "budget.crash.restart",
        "a whole number of ticks",
    );
    refused(
        "ends_at = \"5s\"",
        "ends_at = \"1day\"",
        "budget.ends_at",
        "at most 2000000 ticks",
    );
    refused(
        "trace_client = 1",
        "trace_client = 2",
        "budget.trace_client",
        "below clients = 2",
    );
    refused(
        "capacity = 60",
        "capacity = 13",
        "policy[1].budget.kind",
        "in [1, capacity = 13]",
    );
    refused(
        "capacity = 60",
        "transient_cost = 501",
        "policy[1].budget.transient_cost",
        "in [1, capacity = 500]",
    );
    refused(
        "ratio = 0.2",
        "window = \"15ms\"",
        "policy[2].budget.window",
        "a whole number of ticks",
    );
    refused(
        "ratio = 0.2",
        "window = \"1day\"",
        "policy[2].budget.window",
        "from 1 to 65536",
    );
    refused(
        "minimum_calls = 5",
        "minimum_calls = 6",
        "policy[2].breaker.minimum_calls",
        "at most the calls of the window",
    );
    refused(
        "failure_rate = 0.6",
        "failure_rate = 0.0000000001",
        "policy[2].breaker.failure_rate",
        "nine digits",
    );
    refused(
        "base = \"50ms\", cap = \"1s\"",
        "base = \"2s\", cap = \"1s\"",
        "policy[1].backoff.cap",
        "at least base",
    );
}

#[test]
fn a_key_without_effect_is_refused_with_the_reason() {
    refused(
        "{ kind = \"aws-quota\", capacity = 60 }",
        "{ kind = \"concurrency\", share = 0.2 }",
        "policy[1].budget.share",
        "answers come within the tick",
    );
}

#[test]
fn a_budget_that_throttles_first_sends_says_how_many_it_refused() {
    let own = OWN.replace(
        "kind = \"retry-ratio\", ratio = 0.2",
        "kind = \"adaptive\", window = \"2s\"",
    );
    let breaker = own.find("breaker = ").expect("a breaker");
    let ours = json(&own[..breaker]);
    let policies = ours["policies"].as_array().expect("policies");
    for run in policies[1]["runs"].as_array().expect("runs") {
        assert!(run["failed_fast"].as_u64() > Some(0), "{run}");
    }
}
