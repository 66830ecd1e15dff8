//! Budgets that threads share.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::thread;

use backoff_core::budget::{
    AdaptiveThrottlingConfig, Atomic, Attempt, AwsQuotaConfig, ConcurrencyBudget, CumulativeRatio,
    DepositBucketConfig, Failure, GrpcThrottlingConfig, InFlight, Ratio, RetryBudget,
    RetryRatioConfig, Shared,
};

use super::every_budget::every_budget;
use super::{NOW, THREADS, together};

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

/// Every request that all threads made is counted once, whether it was sent or refused; so is every accept.
#[test]
fn adaptive_throttling_counts_for_all() {
    const EACH: usize = 500;
    let budget = Shared::new(AdaptiveThrottlingConfig::default().build().unwrap());
    let refused = AtomicUsize::new(0);
    let accepted = together(|thread| {
        let mut accepted = 0;
        for round in 0..EACH {
            (&budget).sent(NOW, &Attempt::First);
            if (thread + round) % 5 == 0 {
                (&budget).succeeded(NOW, Attempt::First);
                accepted += 1;
                continue;
            }
            (&budget).failed(NOW, Attempt::First, Failure::Throttled);
            if (&budget).try_retry(NOW, Failure::Throttled, 0.3).is_none() {
                refused.fetch_add(1, Ordering::SeqCst);
            }
        }
        accepted
    });
    let requests = (THREADS * EACH + refused.into_inner()) as f64;
    assert!(requests > (THREADS * EACH) as f64, "none refused");
    let expected = (requests - 2.0 * accepted as f64) / (requests + 1.0);
    assert_eq!(
        budget.with(|budget| budget.refusal_probability(NOW)),
        expected
    );
}

/// Shared between threads that fail in turn and at once, every kind ends in the state that its rule gives for that many failures.
#[test]
fn every_kind_shared_grants_as_many_as_alone() {
    const EACH: usize = 50;
    for config in every_budget() {
        let request = |budget: &mut dyn RetryBudget| {
            budget.sent(NOW, &Attempt::First);
            budget.failed(NOW, Attempt::First, Failure::Transient);
            usize::from(budget.try_retry(NOW, Failure::Transient, 0.5).is_some())
        };
        let mut alone = config.build().unwrap();
        let granted_alone: usize = (0..THREADS * EACH).map(|_| request(&mut alone)).sum();
        let shared = Shared::new(config.build().unwrap());
        // One request under one lock: any order of equal requests is the same as one after the other.
        let granted = together(|_| {
            (0..EACH)
                .map(|_| shared.with(|budget| request(budget)))
                .sum()
        });
        assert_eq!(granted, granted_alone, "{config:?}");
        shared.with(|budget| assert_eq!(*budget, alone, "{config:?}"));
    }
}

/// A new configuration at any moment: the tokens stay within the maximum of the one that holds.
#[test]
fn a_configuration_changes_while_threads_spend_and_earn() {
    let configs = [
        (10_000, 100),
        (1_000_000, 999_999),
        (1, 1),
        (3_000, 1_000_000),
    ]
    .map(
        |(max_milli_tokens, milli_token_ratio)| GrpcThrottlingConfig {
            max_milli_tokens,
            milli_token_ratio,
        },
    );
    let budget = Atomic::new(configs[0].build().unwrap());
    let changes = together(|thread| {
        let mut changes = 0;
        for round in 0..2_000 {
            match (thread + round) % 4 {
                0 => {
                    budget
                        .reconfigure(configs[round / 4 % configs.len()])
                        .unwrap();
                    changes += 1;
                }
                1 => (&budget).failed(NOW, Attempt::First, Failure::Transient),
                _ => (&budget).succeeded(NOW, Attempt::First),
            }
            let now = budget.snapshot();
            let max = now.milli_threshold() * 2.0;
            assert!(f64::from(now.milli_tokens()) <= max);
            assert!(
                configs
                    .iter()
                    .any(|config| f64::from(config.max_milli_tokens) == max)
            );
        }
        changes
    });
    assert_eq!(changes, THREADS * 500);
    // Whatever state it ended in, the last configuration alone decides from now on.
    budget.reconfigure(configs[0]).unwrap();
    for _ in 0..100 {
        (&budget).succeeded(NOW, Attempt::First);
    }
    assert_eq!(budget.snapshot().milli_tokens(), 10_000);
}
