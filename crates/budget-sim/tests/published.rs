//! Every published run, exactly.

use std::collections::BTreeMap;
use std::time::Duration;

use backoff_core::budget::{BudgetConfig, GrpcThrottlingConfig, RetryRatioConfig};
use backoff_core::{BackoffConfig, Growth};
use budget_sim::{BudgetSimParams, Policy, PolicyParams, run};
use serde::Deserialize;
use sim_kernel::CPython;

#[derive(Deserialize)]
struct Golden {
    runs: Vec<GoldenRun>,
    arrivals_per_s_first_seed: Vec<u64>,
    new_per_s_first_seed: Vec<u64>,
    tokens_traced_client_each_100ms_first_seed: Option<Vec<f64>>,
}

#[derive(Deserialize, Debug, PartialEq)]
struct GoldenRun {
    seed: u64,
    arrivals_in_outage: u64,
    new_in_outage: u64,
    crashes_after: u64,
    back_to_normal: u64,
}

fn golden() -> BTreeMap<String, Golden> {
    serde_json::from_str(include_str!("golden/budget.json")).unwrap()
}

fn policy(name: &str) -> Policy {
    let budget = match name {
        "no retry" | "4 attempts" => None,
        "4 attempts + gRPC throttling" => {
            Some(BudgetConfig::GrpcThrottling(GrpcThrottlingConfig::default()))
        }
        "4 attempts + 10% retry ratio" => {
            Some(BudgetConfig::RetryRatio(RetryRatioConfig::default()))
        }
        other => panic!("unknown policy {other}"),
    };
    let growth = Growth::doubling(Duration::from_millis(100), Duration::from_secs(1));
    let backoff = BackoffConfig::Proportional {
        growth,
        factor: 0.2,
    };
    PolicyParams {
        max_attempts: if name == "no retry" { 1 } else { 4 },
        backoff,
        budget,
        breaker: None,
    }
    .build()
    .unwrap()
}

#[test]
fn every_run_of_every_policy() {
    let config = BudgetSimParams::published().build().unwrap();
    let golden = golden();
    assert_eq!(golden.len(), 4);
    for (name, golden) in golden {
        let policy = policy(&name);
        assert_eq!(golden.runs.len(), 20);
        for expected in golden.runs {
            let run = run(&config, &policy, &mut CPython::new(expected.seed));
            let ours = GoldenRun {
                seed: expected.seed,
                arrivals_in_outage: run.arrivals_in_outage,
                new_in_outage: run.new_in_outage,
                crashes_after: run.crashes_after,
                back_to_normal: run.back_to_normal,
            };
            assert_eq!(ours, expected, "{name}");
        }
    }
}

#[test]
fn every_second_of_seed_0() {
    let config = BudgetSimParams::published().build().unwrap();
    for (name, golden) in golden() {
        let run = run(&config, &policy(&name), &mut CPython::new(0));
        let arrivals: Vec<u64> = run.seconds.iter().map(|second| second.arrivals).collect();
        let new: Vec<u64> = run
            .seconds
            .iter()
            .map(|second| second.new_requests)
            .collect();
        assert_eq!(arrivals, golden.arrivals_per_s_first_seed, "{name}");
        assert_eq!(new, golden.new_per_s_first_seed, "{name}");
    }
}

#[test]
fn the_tokens_of_client_8() {
    let params = BudgetSimParams {
        trace_client: Some(8),
        ..BudgetSimParams::published()
    };
    let name = "4 attempts + gRPC throttling";
    let run = run(
        &params.build().unwrap(),
        &policy(name),
        &mut CPython::new(0),
    );
    let trace = run.trace.unwrap().milli_tokens;
    assert_eq!(trace.len(), 4_000);
    let each_100ms: Vec<f64> = trace
        .iter()
        .skip(9)
        .step_by(10)
        .map(|&milli| milli as f64 / 1000.0)
        .collect();
    let golden = golden().remove(name).unwrap();
    assert_eq!(
        Some(each_100ms),
        golden.tokens_traced_client_each_100ms_first_seed
    );

    // As published: 0 through the outage, a return between 15 and 17 s that falls back to 0, retries again about 4 s after its end.
    let at = |second: usize| second * 100;
    assert!(trace[at(7)..at(15)].iter().all(|&milli| milli == 0));
    let returns = (at(15)..at(17)).find(|&tick| trace[tick] > 0).unwrap();
    assert!(trace[returns..at(17)].contains(&0));
    let allowed = (at(15)..trace.len())
        .find(|&tick| trace[tick] > 5_000)
        .unwrap();
    assert!((at(18)..at(20)).contains(&allowed), "{allowed}");
}

#[test]
fn only_a_budget_with_tokens_is_traced() {
    let params = BudgetSimParams {
        trace_client: Some(0),
        ..BudgetSimParams::published()
    };
    let config = params.build().unwrap();
    let run = run(
        &config,
        &policy("4 attempts + 10% retry ratio"),
        &mut CPython::new(0),
    );
    assert_eq!(run.trace, None);
}
