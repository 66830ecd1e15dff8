//! Experiments and policies that can't be, each refused by the name of its field.

use std::time::Duration;

use backoff_core::breaker::{BreakerConfig, CallWindow};
use backoff_core::budget::{BudgetConfig, GrpcThrottlingConfig, Ratio};
use backoff_core::{BackoffConfig, Growth};
use budget_sim::{BreakerPlace, BudgetSimParams, CrashParams, OutageParams, PolicyParams};

/// What makes a good configuration impossible.
type Change<'a> = &'a dyn Fn(&mut BudgetSimParams);

#[test]
fn impossible_numbers_are_refused_by_name() {
    let ms = Duration::from_millis;
    let outage = |from, until| {
        Some(OutageParams {
            from: ms(from),
            until: ms(until),
        })
    };
    let crash = |window, restart| CrashParams {
        window: ms(window),
        limit: 100,
        restart: ms(restart),
    };
    let changes: [(&str, Change<'_>); 20] = [
        ("tick", &|params| params.tick = Duration::ZERO),
        ("tick", &|params| params.tick = ms(2000)),
        ("clients", &|params| params.clients = 0),
        ("clients", &|params| params.clients = 10_001),
        ("capacity_per_tick", &|params| params.capacity_per_tick = 0),
        ("rate_per_client", &|params| params.rate_per_client = 0.0),
        ("rate_per_client", &|params| params.rate_per_client = -1.0),
        ("rate_per_client", &|params| {
            params.rate_per_client = f64::NAN;
        }),
        ("rate_per_client", &|params| {
            params.rate_per_client = f64::INFINITY;
        }),
        ("rate_per_client", &|params| params.rate_per_client = 1e9),
        ("ends_at", &|params| {
            (params.ends_at, params.outage) = (ms(0), None);
        }),
        ("ends_at", &|params| params.ends_at = Duration::MAX),
        ("ends_at", &|params| params.ends_at = ms(40_005)),
        ("crash.window", &|params| params.crash = crash(0, 1000)),
        ("crash.window", &|params| params.crash = crash(15, 1000)),
        ("crash.restart", &|params| params.crash = crash(100, 5)),
        ("outage.until", &|params| params.outage = outage(5000, 5000)),
        ("outage.until", &|params| {
            params.outage = outage(5000, 40_010);
        }),
        ("outage.from", &|params| params.outage = outage(5005, 6000)),
        ("trace_client", &|params| params.trace_client = Some(10)),
    ];
    for (field, change) in changes {
        let mut params = BudgetSimParams::published();
        change(&mut params);
        assert_eq!(params.build().unwrap_err().field, field, "{params:?}");
    }
    assert!(BudgetSimParams::published().build().is_ok());
}

#[test]
fn impossible_policies_are_refused_by_name() {
    let good = PolicyParams {
        max_attempts: 4,
        backoff: BackoffConfig::Immediate,
        budget: None,
        breaker: None,
    };
    let no_tokens = GrpcThrottlingConfig {
        max_milli_tokens: 0,
        ..GrpcThrottlingConfig::default()
    };
    let no_calls = BreakerConfig {
        window: CallWindow::Calls(0),
        ..BreakerConfig::default()
    };
    let backwards = Growth::doubling(Duration::from_secs(2), Duration::from_secs(1));
    for (params, field) in [
        (
            PolicyParams {
                backoff: BackoffConfig::FullJitter(backwards),
                ..good
            },
            "cap",
        ),
        (
            PolicyParams {
                max_attempts: 0,
                ..good
            },
            "max_attempts",
        ),
        (
            PolicyParams {
                max_attempts: 1001,
                ..good
            },
            "max_attempts",
        ),
        (
            PolicyParams {
                budget: Some(BudgetConfig::Concurrency {
                    share: Ratio::FIFTH,
                    min_retries: 3,
                }),
                ..good
            },
            "share",
        ),
        (
            PolicyParams {
                budget: Some(BudgetConfig::GrpcThrottling(no_tokens)),
                ..good
            },
            "max_tokens",
        ),
        (
            PolicyParams {
                breaker: Some((no_calls, BreakerPlace::EachAttempt)),
                ..good
            },
            "window",
        ),
    ] {
        assert_eq!(params.build().unwrap_err().field, field);
    }
    let most = PolicyParams {
        max_attempts: 1000,
        budget: Some(BudgetConfig::Concurrency {
            share: Ratio::ZERO,
            min_retries: 3,
        }),
        ..good
    };
    assert!(good.build().is_ok() && most.build().is_ok());
}
