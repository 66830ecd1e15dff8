//! The published runs, each to the last digit.

use std::collections::BTreeMap;
use std::time::Duration;

use backoff_core::{Backoff, BackoffConfig, Growth};
use herd_sim::{HerdConfig, HerdParams, Record, exact};
use sim_kernel::CPython;

/// By strategy: for each seed from 0, and the arrivals of seed 0.
type Strategies = BTreeMap<String, Golden>;

#[derive(serde::Deserialize)]
struct Golden {
    finish_ticks: Vec<Option<u64>>,
    requests: Vec<u64>,
    crashes: Vec<u64>,
    arrivals_per_100ms_seed0: Vec<u64>,
}

#[derive(serde::Deserialize)]
struct Conditions {
    #[serde(rename = "spread_0.0")]
    at_once: Strategies,
    #[serde(rename = "spread_0.9")]
    spread: Strategies,
}

fn published() -> Conditions {
    serde_json::from_str(include_str!("golden/herd.json")).expect("the golden file is JSON")
}

fn backoff(name: &str) -> Backoff {
    let growth = Growth {
        base: Duration::from_millis(100),
        cap: Duration::from_secs(10),
        multiplier: 2.0,
        exponent_from: 1,
    };
    let config = match name {
        "immediate" => BackoffConfig::Immediate,
        "fixed" => BackoffConfig::Fixed {
            wait: Duration::from_secs(1),
        },
        "exponential" => BackoffConfig::Exponential(growth),
        "full-jitter" => BackoffConfig::FullJitter(growth),
        "equal-jitter" => BackoffConfig::EqualJitter(growth),
        "decorrelated" => BackoffConfig::Decorrelated {
            base: growth.base,
            cap: growth.cap,
        },
        other => panic!("no strategy is called {other}"),
    };
    config.build().expect("the published strategies are valid")
}

fn herd(spread: Duration) -> HerdConfig {
    let params = HerdParams {
        spread,
        ..HerdParams::published(1000)
    };
    params.build().expect("the published herd is valid")
}

fn meets(config: &HerdConfig, strategies: &Strategies) {
    assert_eq!(strategies.len(), 5);
    for (name, golden) in strategies {
        let backoff = backoff(name);
        assert_eq!(golden.requests.len(), 20);
        for seed in 0..20 {
            let run = exact::run(config, &backoff, &mut CPython::new(seed), Record::Arrivals)
                .expect("a thousand clients are few");
            let at = seed as usize;
            assert_eq!(run.finish_ticks, golden.finish_ticks[at], "{name} {seed}");
            assert_eq!(run.requests, golden.requests[at], "{name} {seed}");
            assert_eq!(run.crashes, golden.crashes[at], "{name} {seed}");
            if seed == 0 {
                let per_100ms: Vec<u64> = run
                    .arrivals
                    .chunks(10)
                    .map(|ticks| ticks.iter().sum())
                    .collect();
                assert_eq!(per_100ms, golden.arrivals_per_100ms_seed0, "{name}");
            }
        }
    }
}

#[test]
fn every_published_run_with_all_clients_at_once() {
    meets(&herd(Duration::ZERO), &published().at_once);
}

#[test]
fn every_published_run_with_first_sends_spread() {
    meets(&herd(Duration::from_millis(900)), &published().spread);
}

#[test]
fn immediate_retries_send_twelve_million_requests() {
    for seed in 0..20 {
        let run = exact::run(
            &herd(Duration::ZERO),
            &backoff("immediate"),
            &mut CPython::new(seed),
            Record::Totals,
        )
        .expect("a thousand clients are few");
        assert_eq!(
            (run.finish_ticks, run.requests, run.crashes),
            (None, 12_000_000, 119)
        );
        assert_eq!(run.unfinished_clients, 1000);
    }
}
