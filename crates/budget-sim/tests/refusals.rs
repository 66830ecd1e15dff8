//! Experiments and policies that can't be, each refused by the name of its field.

use std::time::Duration;

use backoff_core::BackoffConfig;
use backoff_core::breaker::{BreakerConfig, CallWindow};
use backoff_core::budget::{BudgetConfig, GrpcThrottlingConfig};
use budget_sim::{BreakerPlace, BudgetSimParams, CrashParams, OutageParams, PolicyParams};

#[test]
fn impossible_numbers_are_refused_by_name() {
    let good = BudgetSimParams::published();
    let crash = |window_ms, restart_ms| CrashParams {
        window: Duration::from_millis(window_ms),
        limit: 100,
        restart: Duration::from_millis(restart_ms),
    };
    let outage = |from, until| {
        Some(OutageParams {
            from: Duration::from_millis(from),
            until: Duration::from_millis(until),
        })
    };
    let rate = |rate_per_client| BudgetSimParams {
        rate_per_client,
        ..good
    };
    for (params, field) in [
        (
            BudgetSimParams {
                tick: Duration::ZERO,
                ..good
            },
            "tick",
        ),
        (
            BudgetSimParams {
                tick: Duration::from_secs(2),
                ..good
            },
            "tick",
        ),
        (BudgetSimParams { clients: 0, ..good }, "clients"),
        (
            BudgetSimParams {
                clients: 10_001,
                ..good
            },
            "clients",
        ),
        (
            BudgetSimParams {
                capacity_per_tick: 0,
                ..good
            },
            "capacity_per_tick",
        ),
        (rate(0.0), "rate_per_client"),
        (rate(-1.0), "rate_per_client"),
        (rate(f64::NAN), "rate_per_client"),
        (rate(f64::INFINITY), "rate_per_client"),
        (rate(1e9), "rate_per_client"),
        (
            BudgetSimParams {
                ends_at: Duration::ZERO,
                outage: None,
                ..good
            },
            "ends_at",
        ),
        (
            BudgetSimParams {
                ends_at: Duration::MAX,
                ..good
            },
            "ends_at",
        ),
        (
            BudgetSimParams {
                ends_at: Duration::from_millis(40_005),
                ..good
            },
            "ends_at",
        ),
        (
            BudgetSimParams {
                crash: crash(0, 1000),
                ..good
            },
            "crash.window",
        ),
        (
            BudgetSimParams {
                crash: crash(15, 1000),
                ..good
            },
            "crash.window",
        ),
        (
            BudgetSimParams {
                crash: crash(100, 5),
                ..good
            },
            "crash.restart",
        ),
        (
            BudgetSimParams {
                outage: outage(5000, 5000),
                ..good
            },
            "outage.until",
        ),
        (
            BudgetSimParams {
                outage: outage(5000, 40_010),
                ..good
            },
            "outage.until",
        ),
        (
            BudgetSimParams {
                outage: outage(5005, 6000),
                ..good
            },
            "outage.from",
        ),
        (
            BudgetSimParams {
                trace_client: Some(10),
                ..good
            },
            "trace_client",
        ),
    ] {
        assert_eq!(params.build().unwrap_err().field, field, "{params:?}");
    }
    assert!(good.build().is_ok());
}

#[test]
fn impossible_policies_are_refused_by_name() {
    let good = PolicyParams {
        max_attempts: 4,
        backoff: BackoffConfig::Immediate.build().unwrap(),
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
    for (params, field) in [
        (
            PolicyParams {
                max_attempts: 0,
                ..good
            },
            "max_attempts",
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
    assert!(good.build().is_ok());
}
