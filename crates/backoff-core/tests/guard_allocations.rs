//! Budgets and breakers allocate when they are built and never again.
#![cfg(feature = "std")]

use std::time::Duration;

use allocation_counter::measure;
use backoff_core::breaker::{BreakerConfig, CallWindow, Outcome, SharedBreaker};
use backoff_core::budget::{Failure, InFlight, RetryBudget, Shared};

mod every_budget;

use every_budget::every_budget;

/// Requests over three minutes, some of them retried: every window slides over its whole span.
fn requests<B: RetryBudget>(budget: &mut B) -> u32 {
    let mut retries = 0;
    for number in 0..20_000 {
        let now = Duration::from_millis(9 * number);
        let failure = if number % 2 == 0 {
            Failure::Transient
        } else {
            Failure::Throttled
        };
        let first = InFlight::first(&mut *budget, now);
        if number % 3 == 0 {
            first.succeed(now);
        } else if let Some(retry) = first.fail(now, failure, 0.9) {
            retries += 1;
            match number % 4 {
                0 => drop(retry),
                1 => drop(retry.send(now)),
                _ => retry.send(now).succeed(now),
            }
        }
    }
    retries
}

#[test]
fn no_budget_allocates_once_built() {
    for config in every_budget() {
        let mut budget = config.build().unwrap();
        let mut retries = 0;
        let counted = measure(|| retries = requests(&mut budget));
        assert_eq!(counted.count_total, 0, "{config:?}");
        assert!(retries > 0, "{config:?}");

        let shared = Shared::new(config.build().unwrap());
        let counted = measure(|| retries = requests(&mut &shared));
        assert_eq!(counted.count_total, 0, "{config:?}, shared");
    }
}

#[test]
fn no_breaker_allocates_once_built() {
    let default = BreakerConfig::default();
    for window in [CallWindow::Calls(20), default.window] {
        let config = BreakerConfig { window, ..default };
        let breaker = SharedBreaker::new(config.build().unwrap());
        let mut refused = 0;
        let counted = measure(|| {
            for number in 0..20_000_u64 {
                let now = Duration::from_millis(9 * number);
                let outcome = match number % 700 {
                    0..100 => Outcome::Failure,
                    100..110 => Outcome::Ignored,
                    _ => Outcome::Success,
                };
                match breaker.try_acquire(now) {
                    Ok(permit) if number % 50 != 0 => permit.report(now, outcome),
                    Ok(permit) => drop(permit),
                    Err(_) => refused += 1,
                }
            }
        });
        assert_eq!(counted.count_total, 0, "{window:?}");
        assert!((1..19_999).contains(&refused), "{refused}");
    }
}
