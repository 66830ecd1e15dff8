//! Budgets and breakers that threads share: what the rule allows holds for all of them together.
#![cfg(feature = "std")]

use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Barrier};
use std::thread;
use std::time::Duration;

use backoff_core::breaker::{BreakerConfig, CallWindow, Refused, SharedBreaker, State};
use backoff_core::budget::{
    Atomic, Attempt, AwsQuotaConfig, BudgetConfig, ConcurrencyBudget, CumulativeRatio,
    DepositBucketConfig, Failure, GrpcThrottlingConfig, InFlight, Ratio, RetryBudget,
    RetryRatioConfig, Shared,
};

const NOW: Duration = Duration::from_secs(1);
const THREADS: usize = 8;

/// What all threads' `work` adds up to.
fn together(work: impl Fn(usize) -> usize + Sync) -> usize {
    let start = Barrier::new(THREADS);
    thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS)
            .map(|thread| {
                let (start, work) = (&start, &work);
                scope.spawn(move || {
                    start.wait();
                    work(thread)
                })
            })
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .sum()
    })
}

fn granted(mut budget: impl RetryBudget, tries: usize) -> usize {
    (0..tries)
        .filter(|_| budget.try_retry(NOW, Failure::Transient, 0.0).is_some())
        .count()
}

#[test]
fn a_quota_is_spent_once() {
    let quota = Atomic::new(AwsQuotaConfig::default().build().unwrap());
    assert_eq!(together(|_| granted(&quota, 1_000)), 35);
    let locked = Shared::new(AwsQuotaConfig::default().build().unwrap());
    assert_eq!(together(|_| granted(&locked, 1_000)), 35);
}

#[test]
fn a_cumulative_ratio_holds_for_all() {
    let edge = Shared::new(CumulativeRatio::new(Ratio::TENTH));
    let retries = together(|_| {
        (0..1_000)
            .filter(|_| {
                (&edge).sent(NOW, &Attempt::First);
                (&edge).try_retry(NOW, Failure::Transient, 0.0).is_some()
            })
            .count()
    });
    assert_eq!(retries, THREADS * 1_000 / 10);
}

#[test]
fn a_window_ratio_holds_for_all() {
    let budget = Shared::new(RetryRatioConfig::default().build().unwrap());
    let retries = together(|_| {
        (0..1_000)
            .filter(|_| {
                budget.with(|budget| {
                    budget.sent(NOW, &Attempt::First);
                    // Granted and sent under one lock, so the rule bounds what was sent.
                    let Some(grant) = budget.try_retry(NOW, Failure::Transient, 0.0) else {
                        return false;
                    };
                    budget.sent(NOW, &Attempt::Retry(grant));
                    true
                })
            })
            .count()
    });
    let (first, sent_retries) = budget.with(|budget| budget.sends(NOW));
    assert_eq!((first, sent_retries), (8_000, retries as u64));
    assert_eq!(
        retries, 889,
        "the last was granted while 888 < 10 % of 8,888"
    );
}

#[test]
fn a_deposit_bucket_holds_for_all() {
    let budget = Shared::new(DepositBucketConfig::default().build().unwrap());
    let retries = together(|_| {
        for _ in 0..100 {
            (&budget).sent(NOW, &Attempt::First);
        }
        granted(&budget, 1_000)
    });
    assert_eq!(retries, 100 + THREADS * 100 / 5);
}

#[test]
fn tokens_are_neither_lost_nor_made() {
    let config = GrpcThrottlingConfig {
        max_milli_tokens: 1_000_000,
        milli_token_ratio: 250,
    };
    let throttling = Atomic::new(config.build().unwrap());
    together(|thread| {
        for _ in 0..100 {
            (&throttling).failed(NOW, Attempt::First, Failure::Timeout);
            if thread % 2 == 0 {
                (&throttling).succeeded(NOW, Attempt::First);
            }
        }
        0
    });
    // Every success follows its own thread's failure, so the maximum never clamps.
    assert_eq!(
        throttling.snapshot().milli_tokens(),
        1_000_000 - 800 * 1_000 + 400 * 250
    );
    throttling
        .reconfigure(GrpcThrottlingConfig {
            max_milli_tokens: 10_000,
            ..config
        })
        .unwrap();
    assert_eq!(throttling.snapshot().milli_tokens(), 3_000);
}

#[test]
fn never_more_active_retries_than_the_limit() {
    let budget = Arc::new(Atomic::new(ConcurrencyBudget::new(Ratio::FIFTH, 3)));
    let active = AtomicU32::new(0);
    let most = AtomicU32::new(0);
    let sent = together(|_| {
        let mut sent = 0;
        for round in 0..500 {
            let first = InFlight::first(Arc::clone(&budget), NOW);
            if let Some(retry) = first.fail(NOW, Failure::Transient, 0.0) {
                most.fetch_max(active.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                sent += 1;
                let attempt = retry.send(NOW);
                thread::yield_now();
                active.fetch_sub(1, Ordering::SeqCst);
                if round % 2 == 0 {
                    attempt.succeed(NOW);
                }
            }
        }
        sent
    });
    // 8 threads have at most 8 attempts in flight, a fifth of which is 1: the minimum decides.
    assert!((1..=3).contains(&most.into_inner()), "{sent} sent");
    let after = budget.snapshot();
    assert_eq!((after.in_flight(), after.active_retries()), (0, 0));
}

#[test]
fn every_kind_can_be_shared() {
    for config in [
        BudgetConfig::CumulativeRatio {
            ratio: Ratio::TENTH,
        },
        BudgetConfig::Concurrency {
            share: Ratio::FIFTH,
            min_retries: 3,
        },
        BudgetConfig::AdaptiveThrottling(backoff_core::budget::AdaptiveThrottlingConfig::default()),
    ] {
        let budget = Shared::new(config.build().unwrap());
        together(|_| {
            let retry = InFlight::first(&budget, NOW).fail(NOW, Failure::Transient, 0.5);
            usize::from(retry.is_some())
        });
    }
}

#[test]
fn one_of_a_thousand_callers_is_the_probe() {
    let breaker = SharedBreaker::new(
        BreakerConfig {
            window: CallWindow::Calls(1),
            minimum_calls: 1,
            half_open_permits: 1,
            ..BreakerConfig::default()
        }
        .build()
        .unwrap(),
    );
    breaker.try_acquire(NOW).unwrap().failure(NOW);
    let half_open = NOW + Duration::from_secs(1);
    let through = AtomicUsize::new(0);
    let refused = AtomicUsize::new(0);
    let start = Barrier::new(1_000);
    thread::scope(|scope| {
        for _ in 0..1_000 {
            scope.spawn(|| {
                start.wait();
                let answer = breaker.try_acquire(half_open);
                match &answer {
                    Ok(_) => through.fetch_add(1, Ordering::SeqCst),
                    Err(Refused::ProbesOut) => refused.fetch_add(1, Ordering::SeqCst),
                    Err(open) => panic!("{open}"),
                };
                // Nobody gives up the permit before all have asked.
                start.wait();
            });
        }
    });
    assert_eq!((through.into_inner(), refused.into_inner()), (1, 999));
    // The probe's permit was dropped, so the next caller gets one.
    breaker.try_acquire(half_open).unwrap().success(half_open);
    assert_eq!(breaker.state(half_open), State::Closed);
}

#[test]
fn an_owned_permit_outlives_its_scope() {
    let breaker = Arc::new(SharedBreaker::new(
        BreakerConfig::default().build().unwrap(),
    ));
    let permit = breaker.try_acquire_owned(NOW).unwrap();
    thread::spawn(move || permit.success(NOW)).join().unwrap();
    assert_eq!(breaker.state(NOW), State::Closed);
}
