//! Retries and circuit breakers, combined in four ways.

use std::time::Duration;

use backoff_core::breaker::BreakerConfig;
use backoff_core::{BackoffConfig, Growth};
use budget_sim::{BreakerPlace, BudgetRun, BudgetSimParams, PolicyParams, run};
use sim_kernel::CPython;

fn outage(max_attempts: u32, place: Option<BreakerPlace>, seed: u64) -> BudgetRun {
    let growth = Growth::doubling(Duration::from_millis(100), Duration::from_secs(1));
    let backoff = BackoffConfig::Proportional {
        growth,
        factor: 0.2,
    };
    let policy = PolicyParams {
        max_attempts,
        backoff,
        budget: None,
        breaker: place.map(|place| (BreakerConfig::default(), place)),
    };
    let config = BudgetSimParams::published().build().unwrap();
    run(&config, &policy.build().unwrap(), &mut CPython::new(seed))
}

#[test]
fn every_breaker_keeps_the_load_below_the_new_requests_and_prevents_crashes() {
    for seed in 0..20 {
        for (max_attempts, place) in [
            (4, BreakerPlace::EachAttempt),
            (4, BreakerPlace::EachAttemptRefusalsRetried),
            (4, BreakerPlace::WholeRequest),
            (1, BreakerPlace::EachAttempt),
        ] {
            let run = outage(max_attempts, Some(place), seed);
            assert!(run.load_during_outage().unwrap() < 1.0, "{place:?} {seed}");
            assert_eq!(run.crashes, 0, "{place:?} {seed}");
            // Each client probes at least once a second: it notices the recovery and its requests flow again.
            assert!(run.first_success_after.unwrap() <= 100, "{place:?} {seed}");
            assert!((15..=20).contains(&run.back_to_normal), "{place:?} {seed}");
        }
    }
}

#[test]
fn a_refusal_that_is_retried_costs_attempts_and_nothing_else() {
    for seed in 0..20 {
        let ended = outage(4, Some(BreakerPlace::EachAttempt), seed);
        assert_eq!(ended.failed_fast, ended.refusals);
        let retried = outage(4, Some(BreakerPlace::EachAttemptRefusalsRetried), seed);
        assert!(retried.refusals > 3 * retried.failed_fast);
    }
}

#[test]
fn a_breaker_outside_the_retries_lets_whole_requests_through() {
    for seed in 0..20 {
        let inside = outage(4, Some(BreakerPlace::EachAttempt), seed);
        let outside = outage(4, Some(BreakerPlace::WholeRequest), seed);
        assert!(outside.arrivals_in_outage > 4 * inside.arrivals_in_outage);
        // It never refuses a retry, so a refused request has sent nothing.
        assert_eq!(outside.refusals, outside.failed_fast);
    }
}

#[test]
fn without_a_breaker_nothing_is_refused() {
    let run = outage(4, None, 0);
    assert_eq!((run.refusals, run.failed_fast), (0, 0));
}
