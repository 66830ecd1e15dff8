//! What holds for every configuration, policy and seed.

use std::time::Duration;

use backoff_core::breaker::{BreakerConfig, CallWindow};
use backoff_core::budget::{
    AdaptiveThrottlingConfig, AwsQuotaConfig, BudgetConfig, DepositBucketConfig,
    GrpcThrottlingConfig, Ratio, RetryRatioConfig,
};
use backoff_core::{BackoffConfig, Growth};
use budget_sim::{
    BreakerPlace, BudgetRun, BudgetSimParams, CrashParams, OutageParams, Policy, PolicyParams, run,
};
use proptest::prelude::*;
use sim_kernel::Pcg64;

fn params() -> impl Strategy<Value = BudgetSimParams> {
    (
        prop_oneof![Just(10_u64), Just(30), Just(250)],
        1_u64..6,
        0.5_f64..60.0,
        1_u64..8,
        prop::option::of((0_u64..300, 1_u64..300)),
        (1_u64..20, 0_u64..60, 0_u64..200),
        1_u64..600,
    )
        .prop_map(
            |(tick_ms, clients, rate, capacity, outage, (window, limit, restart), ticks)| {
                let ticks_long = |ticks: u64| Duration::from_millis(ticks * tick_ms);
                BudgetSimParams {
                    tick: ticks_long(1),
                    clients,
                    rate_per_client: rate,
                    capacity_per_tick: capacity,
                    outage: outage
                        .map(|(from, length)| (from.min(ticks - 1), length))
                        .map(|(from, length)| OutageParams {
                            from: ticks_long(from),
                            until: ticks_long((from + length).min(ticks)),
                        }),
                    crash: CrashParams {
                        window: ticks_long(window),
                        limit,
                        restart: ticks_long(restart),
                    },
                    ends_at: ticks_long(ticks),
                    trace_client: Some(0),
                }
            },
        )
}

fn budget() -> impl Strategy<Value = Option<BudgetConfig>> {
    prop_oneof![
        Just(None),
        Just(Some(BudgetConfig::GrpcThrottling(
            GrpcThrottlingConfig::default()
        ))),
        Just(Some(BudgetConfig::RetryRatio(RetryRatioConfig::default()))),
        Just(Some(BudgetConfig::CumulativeRatio {
            ratio: Ratio::TENTH
        })),
        Just(Some(BudgetConfig::DepositBucket(
            DepositBucketConfig::default()
        ))),
        Just(Some(BudgetConfig::AwsQuota(AwsQuotaConfig::default()))),
        Just(Some(BudgetConfig::Concurrency {
            share: Ratio::ZERO,
            min_retries: 3
        })),
        Just(Some(BudgetConfig::AdaptiveThrottling(
            AdaptiveThrottlingConfig::default()
        ))),
    ]
}

fn breaker() -> impl Strategy<Value = Option<(BreakerConfig, BreakerPlace)>> {
    let place = prop_oneof![
        Just(BreakerPlace::EachAttempt),
        Just(BreakerPlace::EachAttemptRefusalsRetried),
        Just(BreakerPlace::WholeRequest),
    ];
    let config = prop_oneof![
        Just(BreakerConfig::default()),
        Just(BreakerConfig {
            window: CallWindow::Calls(3),
            minimum_calls: 3,
            ..BreakerConfig::default()
        }),
    ];
    prop::option::of((config, place))
}

fn policy() -> impl Strategy<Value = PolicyParams> {
    let growth = Growth::doubling(Duration::from_millis(100), Duration::from_secs(1));
    let backoff = prop_oneof![
        Just(BackoffConfig::Immediate),
        Just(BackoffConfig::FullJitter(growth)),
        Just(BackoffConfig::Decorrelated {
            base: growth.base,
            cap: growth.cap
        }),
        Just(BackoffConfig::Proportional {
            growth,
            factor: 0.2
        }),
    ];
    (1_u32..6, backoff, budget(), breaker()).prop_map(|(max_attempts, backoff, budget, breaker)| {
        PolicyParams {
            max_attempts,
            backoff,
            budget,
            breaker,
        }
    })
}

fn proportional() -> BackoffConfig {
    BackoffConfig::Proportional {
        growth: Growth::doubling(Duration::from_millis(100), Duration::from_secs(1)),
        factor: 0.2,
    }
}

fn simulate(params: BudgetSimParams, policy: &Policy, seed: u64) -> BudgetRun {
    let mut stream = Pcg64::for_unit("invariants", seed);
    run(&params.build().unwrap(), policy, &mut stream)
}

proptest! {
    #[test]
    fn nothing_is_lost(params in params(), policy in policy(), seed in any::<u64>()) {
        let ticks = (params.ends_at.as_nanos() / params.tick.as_nanos()) as u64;
        let built = policy.build().unwrap();
        let run = simulate(params, &built, seed);
        prop_assert_eq!(run.arrivals, run.succeeded + run.failed_arrivals);
        prop_assert_eq!(run.new_requests, run.succeeded + run.failed + run.pending);
        prop_assert!(run.failed_fast <= run.failed && run.failed_fast <= run.refusals);
        prop_assert!(run.arrivals + run.refusals >= run.new_requests);
        prop_assert!(run.arrivals + run.refusals <= u64::from(policy.max_attempts) * run.new_requests);
        prop_assert!(run.succeeded <= params.capacity_per_tick * ticks);
        prop_assert!(run.crashes_after <= run.crashes);
        prop_assert!(run.arrivals_in_outage <= run.arrivals && run.new_in_outage <= run.new_requests);
        let sum = |of: fn(&budget_sim::Second) -> u64| run.seconds.iter().map(of).sum::<u64>();
        prop_assert_eq!(sum(|second| second.arrivals), run.arrivals);
        prop_assert_eq!(sum(|second| second.new_requests), run.new_requests);
        prop_assert_eq!(sum(|second| second.successes), run.succeeded);
        let throttles_first = matches!(policy.budget, Some(BudgetConfig::AdaptiveThrottling(_)));
        if policy.breaker.is_none() && !throttles_first {
            prop_assert_eq!((run.refusals, run.failed_fast), (0, 0));
        }
        if let Some(trace) = &run.trace {
            prop_assert_eq!(trace.milli_tokens.len() as u64, ticks);
        }
        // The same seed gives the same run.
        prop_assert_eq!(simulate(params, &built, seed), run);
    }

    #[test]
    fn a_cumulative_budget_bounds_the_arrivals(params in params(), policy in policy(), seed in any::<u64>()) {
        let policy = PolicyParams {
            budget: Some(BudgetConfig::CumulativeRatio { ratio: Ratio::TENTH }),
            breaker: None,
            ..policy
        };
        let run = simulate(params, &policy.build().unwrap(), seed);
        prop_assert!(10 * run.arrivals <= 11 * run.new_requests);
    }

    #[test]
    fn a_server_with_room_for_all_fails_nobody(params in params(), policy in policy(), seed in any::<u64>()) {
        let params = BudgetSimParams {
            capacity_per_tick: u64::MAX,
            outage: None,
            crash: CrashParams { limit: u64::MAX, ..params.crash },
            ..params
        };
        let run = simulate(params, &policy.build().unwrap(), seed);
        prop_assert_eq!(run.succeeded, run.new_requests);
        prop_assert_eq!(run.arrivals, run.new_requests);
        prop_assert_eq!(run.back_to_normal, if params.ends_at >= Duration::from_secs(3) { 0 } else { params.ends_at.as_secs() });
    }
}

/// The new requests are Poisson: over 20 seeds of 40 s at 300/s their mean is within four standard errors.
#[test]
fn new_requests_come_at_their_rate() {
    let params = BudgetSimParams::published();
    let policy = PolicyParams {
        max_attempts: 1,
        backoff: BackoffConfig::Immediate,
        budget: None,
        breaker: None,
    }
    .build()
    .unwrap();
    let total: u64 = (0..20)
        .map(|seed| simulate(params, &policy, seed).new_requests)
        .sum();
    let expected = 20.0 * 40.0 * 300.0_f64;
    assert!((total as f64 - expected).abs() < 4.0 * expected.sqrt());
}

/// In an outage without end and with time for all attempts, every request makes all of them.
#[test]
fn an_endless_outage_multiplies_by_the_attempts() {
    let params = BudgetSimParams {
        outage: Some(OutageParams {
            from: Duration::ZERO,
            until: Duration::from_secs(40),
        }),
        ..BudgetSimParams::published()
    };
    let policy = PolicyParams {
        max_attempts: 4,
        backoff: BackoffConfig::Immediate,
        budget: None,
        breaker: None,
    }
    .build()
    .unwrap();
    let run = simulate(params, &policy, 0);
    assert_eq!(run.succeeded, 0);
    // Only requests of the last three ticks are unfinished.
    assert!(run.pending < 40, "{}", run.pending);
    assert!(4 * run.new_requests - run.arrivals < 120);
    assert_eq!((run.crashes, run.first_success_after), (0, None));
}

/// Changing one of these numbers is a changelog entry.
#[test]
fn the_values_of_pcg64_are_stable() {
    let policy = PolicyParams {
        max_attempts: 4,
        backoff: BackoffConfig::Proportional {
            growth: Growth::doubling(Duration::from_millis(100), Duration::from_secs(1)),
            factor: 0.2,
        },
        budget: Some(BudgetConfig::GrpcThrottling(GrpcThrottlingConfig::default())),
        breaker: None,
    };
    let run = simulate(BudgetSimParams::published(), &policy.build().unwrap(), 1);
    assert_eq!(
        (
            run.new_requests,
            run.arrivals,
            run.arrivals_in_outage,
            run.back_to_normal
        ),
        (12_017, 12_503, 3_014, 15)
    );
}

/// Changing one of these numbers is a changelog entry.
#[test]
fn the_values_of_pcg64_are_stable_with_a_breaker() {
    let values = [
        BreakerPlace::EachAttempt,
        BreakerPlace::EachAttemptRefusalsRetried,
        BreakerPlace::WholeRequest,
    ]
    .map(|place| {
        let policy = PolicyParams {
            max_attempts: 4,
            backoff: proportional(),
            budget: None,
            breaker: Some((BreakerConfig::default(), place)),
        };
        let run = simulate(BudgetSimParams::published(), &policy.build().unwrap(), 1);
        (
            run.new_requests,
            run.arrivals_in_outage,
            run.refusals,
            run.failed_fast,
            run.first_success_after,
        )
    });
    assert_eq!(
        values,
        [
            (11_983, 311, 3_148, 3_148, Some(46)),
            (12_146, 367, 12_660, 3_075, Some(31)),
            (12_033, 1_804, 2_684, 2_684, Some(51)),
        ]
    );
}

/// Client-side throttling as its source has it: in a total outage first sends are refused too, so that less than the new requests arrive.
#[test]
fn adaptive_throttling_refuses_first_sends_too() {
    let policy = |budget| PolicyParams {
        max_attempts: 4,
        backoff: proportional(),
        budget,
        breaker: None,
    };
    let adaptive = BudgetConfig::AdaptiveThrottling(AdaptiveThrottlingConfig {
        window: Duration::from_secs(2),
        resolution: Duration::from_millis(10),
        ..AdaptiveThrottlingConfig::default()
    });
    for seed in 0..5 {
        let params = BudgetSimParams::published();
        let run = simulate(params, &policy(Some(adaptive)).build().unwrap(), seed);
        let load = run.load_during_outage().unwrap();
        assert!(load < 0.5, "{load}");
        // Without a breaker these are the first sends that the budget refused, and nothing else.
        assert!(run.failed_fast > 1000 && run.failed_fast == run.refusals);
        assert_eq!(run.crashes_after, 0);
        // It probes on and recovers before the run's end.
        assert!((16..40).contains(&run.back_to_normal), "{seed}");
    }
}
