//! Budgets and breakers that threads share: what the rule allows holds for all of them together.
#![cfg(feature = "std")]

use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Barrier};
use std::thread;
use std::time::Duration;

use backoff_core::breaker::{BreakerConfig, CallWindow, Refused, SharedBreaker, State};
use backoff_core::budget::{
    AdaptiveThrottlingConfig, Atomic, Attempt, AwsQuotaConfig, ConcurrencyBudget, CumulativeRatio,
    DepositBucketConfig, Failure, GrpcThrottlingConfig, InFlight, Ratio, RetryBudget,
    RetryRatioConfig, Shared,
};

mod every_budget;

use every_budget::every_budget;

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

/// Over many times open and half-open, with answers of every kind, late ones and dropped permits, the probes under way are never more than
/// the permits, and the breaker neither sticks nor stays closed.
#[test]
fn never_more_probes_than_permits() {
    for permits in [2_u32, 3, 5] {
        let config = BreakerConfig {
            window: CallWindow::Calls(4),
            minimum_calls: 4,
            half_open_permits: permits,
            open_for: Duration::from_millis(10),
            half_open_limit: Duration::MAX,
            ..BreakerConfig::default()
        };
        let breaker = SharedBreaker::new(config.build().unwrap());
        let most = AtomicU32::new(0);
        let mut cycles = 0;
        for cycle in 0..60_u64 {
            let opened = NOW + Duration::from_millis(20 * cycle);
            while breaker.state(opened) == State::Closed {
                breaker.try_acquire(opened).unwrap().failure(opened);
            }
            let half_open = opened + config.open_for;
            assert_eq!(breaker.state(half_open), State::HalfOpen);
            cycles += 1;
            let out = AtomicU32::new(0);
            // Nobody reports before every thread has asked, so all permits are out at once.
            let asked = Barrier::new(THREADS);
            let through = together(|thread| {
                let permit = breaker.try_acquire(half_open);
                if permit.is_ok() {
                    most.fetch_max(out.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                }
                asked.wait();
                let through = usize::from(permit.is_ok());
                if let Ok(permit) = permit {
                    out.fetch_sub(1, Ordering::SeqCst);
                    match (thread as u64 + cycle) % 4 {
                        0 => permit.ignored(half_open),
                        1 if cycle % 3 == 0 => permit.failure(half_open),
                        2 => drop(permit),
                        _ => permit.success(half_open),
                    }
                }
                through
            });
            assert_eq!(through, permits as usize);
            // What came back unanswered can be had again; then all succeed and it closes, unless a probe failed.
            while breaker.state(half_open) == State::HalfOpen {
                breaker.try_acquire(half_open).unwrap().success(half_open);
            }
        }
        assert_eq!((cycles, most.into_inner()), (60, permits));
    }
}

/// Threads that ask, give back and drop at any moment share the permits of one long half-open state.
#[test]
fn permits_given_back_are_had_again_and_never_more() {
    for permits in [1_u32, 2, 5] {
        let config = BreakerConfig {
            window: CallWindow::Calls(1),
            minimum_calls: 1,
            half_open_permits: permits,
            ..BreakerConfig::default()
        };
        let breaker = SharedBreaker::new(config.build().unwrap());
        breaker.try_acquire(NOW).unwrap().failure(NOW);
        let half_open = NOW + config.open_for;
        let (out, most) = (AtomicU32::new(0), AtomicU32::new(0));
        let through = together(|thread| {
            let mut through = 0;
            for round in 0..1_000 {
                let Ok(permit) = breaker.try_acquire(half_open) else {
                    thread::yield_now();
                    continue;
                };
                most.fetch_max(out.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                through += 1;
                thread::yield_now();
                out.fetch_sub(1, Ordering::SeqCst);
                if (thread + round) % 2 == 0 {
                    permit.ignored(half_open);
                }
            }
            through
        });
        assert!(through > 0);
        assert!((1..=permits).contains(&most.into_inner()));
        for _ in 0..permits {
            assert_eq!(breaker.state(half_open), State::HalfOpen);
            breaker.try_acquire(half_open).unwrap().success(half_open);
        }
        assert_eq!(breaker.state(half_open), State::Closed);
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

#[test]
fn a_shared_breaker_says_how_long_it_stays_open() {
    let config = BreakerConfig {
        window: CallWindow::Calls(1),
        minimum_calls: 1,
        ..BreakerConfig::default()
    };
    let breaker = SharedBreaker::new(config.build().unwrap());
    assert_eq!(breaker.open_for(NOW), None);
    breaker.try_acquire(NOW).unwrap().failure(NOW);
    assert_eq!(breaker.open_for(NOW), Some(config.open_for));
    assert_eq!(breaker.open_for(NOW + config.open_for), None);
}
