//! Decisions that draw their own numbers: how many, in which order, and whose error is retried.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use backoff_core::budget::{
    AdaptiveThrottlingConfig, Atomic, Attempt, AwsQuotaConfig, Budget, BudgetConfig,
    ConcurrencyBudget, Failure, GrpcThrottlingConfig, Ratio, RetryBudget, Unlimited,
};
use backoff_core::classify::{Idempotency, Pace};
use backoff_core::ownership::{Mark, Service};
use backoff_core::policy::{
    Decision, Outcome, Policy, PolicyConfig, Pushback, Refusals, StopReason, TimeLimit,
};
use backoff_core::{BackoffConfig, Growth};

const NOW: Duration = Duration::from_secs(1);

fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

fn policy(max_attempts: u32, deadline: TimeLimit) -> Policy {
    let growth = Growth::doubling(ms(1000), ms(8000));
    PolicyConfig {
        deadline,
        ..PolicyConfig::new(max_attempts, BackoffConfig::FullJitter(growth))
    }
    .build()
    .unwrap()
}

/// Adaptive throttling that has seen nothing but failures, so that it refuses a retry after a small number and grants it after a large one.
fn throttling() -> Budget {
    let config = BudgetConfig::AdaptiveThrottling(AdaptiveThrottlingConfig::default());
    let mut budget = config.build().unwrap();
    for _ in 0..9 {
        budget.sent(NOW, &Attempt::First);
        budget.failed(NOW, Attempt::First, Failure::Transient);
    }
    budget
}

/// The decision on a first failure, and how many of the numbers it took.
fn decided<B: RetryBudget>(
    policy: &Policy,
    outcome: &Outcome<'_>,
    mut budget: B,
    numbers: &[f64],
) -> (Decision, usize) {
    let mut left = numbers.iter();
    let mut call = policy.start(Idempotency::Idempotent, NOW);
    let draw = || *left.next().expect("no more numbers than given");
    let decision = policy.decide_drawing(&mut call, outcome, NOW, draw, &mut budget);
    (decision, numbers.len() - left.len())
}

fn retry(after: Duration) -> Decision {
    Decision::Retry { after }
}

#[test]
fn the_budget_draws_first_and_the_wait_only_after_its_grant() {
    let unlimited = policy(2, TimeLimit::Unlimited);
    let failed = Outcome::http(503);
    assert_eq!(
        decided(&unlimited, &failed, throttling(), &[0.99, 0.25]),
        (retry(ms(250)), 2)
    );
    assert_eq!(
        decided(&unlimited, &failed, throttling(), &[0.01, 0.25]),
        (Decision::Stop(StopReason::Budget), 1)
    );
}

#[test]
fn a_wait_that_may_forbid_the_retry_is_drawn_first() {
    let bounded = policy(2, TimeLimit::Within(ms(500)));
    let failed = Outcome::http(503);
    assert_eq!(
        decided(&bounded, &failed, throttling(), &[0.25, 0.99]),
        (retry(ms(250)), 2)
    );
    let (wait, left) = (ms(750), ms(500));
    assert_eq!(
        decided(&bounded, &failed, throttling(), &[0.75, 0.99]),
        (Decision::Stop(StopReason::Deadline { wait, left }), 1)
    );
    let open_for = ms(300);
    let unlimited = policy(2, TimeLimit::Unlimited);
    let open = failed.breaker_open_for(open_for);
    assert_eq!(
        decided(&unlimited, &open, throttling(), &[0.25, 0.99]),
        (Decision::Stop(StopReason::BreakerOpen { open_for }), 1)
    );
    assert_eq!(
        decided(&unlimited, &open, throttling(), &[0.3, 0.99]),
        (retry(ms(300)), 2)
    );
}

#[test]
fn nothing_is_drawn_where_nothing_looks_at_it() {
    let last = policy(1, TimeLimit::Unlimited);
    let attempts = Decision::Stop(StopReason::Attempts { max: 1 });
    assert_eq!(
        decided(&last, &Outcome::http(503), throttling(), &[]),
        (attempts, 0)
    );
    let jittered = policy(2, TimeLimit::Unlimited);
    for outcome in [
        Outcome::http(200),
        Outcome::http(404),
        Outcome::http(503).marked(Service::Aware, Mark::DontRetry),
        Outcome::refused_by_breaker(),
    ] {
        let (decision, drawn) = decided(&jittered, &outcome, throttling(), &[]);
        assert!(matches!(decision, Decision::Stop(_)), "{outcome:?}");
        assert_eq!(drawn, 0);
    }
    for asking in [
        Outcome::http(503).retry_after(b"2", 0),
        Outcome::http(503).pushback(Pushback::After(ms(2000))),
    ] {
        assert_eq!(
            decided(&jittered, &asking, Unlimited, &[]),
            (retry(ms(2000)), 0)
        );
        assert_eq!(
            decided(&jittered, &asking, throttling(), &[0.99]),
            (retry(ms(2000)), 1)
        );
    }
    let plain = BackoffConfig::Fixed { wait: ms(10) };
    let plain = PolicyConfig::new(2, plain).build().unwrap();
    assert_eq!(
        decided(&plain, &Outcome::http(503), Unlimited, &[]),
        (retry(ms(10)), 0)
    );
}

#[test]
fn numbers_outside_the_interval_count_as_the_nearest_inside() {
    let policy = policy(2, TimeLimit::Unlimited);
    let failed = Outcome::http(503);
    for (number, after) in [
        (-1.0, ms(0)),
        (f64::NAN, ms(0)),
        (f64::NEG_INFINITY, ms(0)),
        (1.0, ms(1000)),
        (f64::INFINITY, ms(1000)),
    ] {
        assert_eq!(
            decided(&policy, &failed, Unlimited, &[number]),
            (retry(after), 1)
        );
    }
}

#[test]
fn the_call_keeps_the_wait_unrounded() {
    let policy = policy(3, TimeLimit::Unlimited);
    let mut call = policy.start(Idempotency::Idempotent, NOW);
    assert_eq!(call.backoff_wait(Pace::Transient), 0.0);
    let third = || 1.0 / 3.0;
    let decision =
        policy.decide_drawing(&mut call, &Outcome::http(503), NOW, third, &mut Unlimited);
    assert_eq!(decision, retry(Duration::from_nanos(333_333_333)));
    assert_eq!(call.backoff_wait(Pace::Transient), 1.0 / 3.0);
    assert_eq!(call.backoff_wait(Pace::Throttling), 0.0);
}

#[test]
fn a_request_that_holds_its_budget_draws_too() {
    let policy = policy(2, TimeLimit::Unlimited);
    let mut request = policy.request(Idempotency::Idempotent, NOW, throttling());
    let mut numbers = [0.99, 0.5].into_iter();
    let draw = || numbers.next().unwrap();
    assert_eq!(
        request.decide_drawing(&Outcome::http(503), NOW, draw),
        retry(ms(500))
    );
}

#[test]
fn an_error_that_is_marked_as_someone_elses_is_not_retried() {
    let policy = policy(3, TimeLimit::Unlimited);
    for service in [Service::Aware, Service::ContextLost, Service::Unaware] {
        for mark in Mark::ALL {
            let outcome = Outcome::http(503).marked(service, mark);
            let (decision, _) = decided(&policy, &outcome, Unlimited, &[0.5]);
            let expected = if service.may_retry(mark) {
                retry(ms(500))
            } else {
                Decision::Stop(StopReason::NotOwned { mark })
            };
            assert_eq!(decision, expected, "{service:?} {mark}");
        }
    }
    let unclaimed = |outcome: Outcome<'static>| outcome.marked(Service::Aware, Mark::Unclaimed);
    let (decision, _) = decided(&policy, &unclaimed(Outcome::http(404)), Unlimited, &[]);
    assert!(matches!(
        decision,
        Decision::Stop(StopReason::NotRetryable { .. })
    ));
    let reason = StopReason::NotOwned {
        mark: Mark::Unclaimed,
    };
    assert_eq!(
        reason.to_string(),
        "the error is marked unclaimed, so it was another caller's to retry"
    );
}

#[test]
fn no_budget_grants_everything_and_a_budget_in_some_is_itself() {
    let policy = policy(3, TimeLimit::Unlimited);
    let failed = Outcome::http(503);
    let none: Option<Budget> = None;
    assert_eq!(decided(&policy, &failed, none, &[0.5]).0, retry(ms(500)));
    let one_token = GrpcThrottlingConfig::from_tokens(1.0, 0.1).unwrap();
    let empty = BudgetConfig::GrpcThrottling(one_token).build().unwrap();
    let alone = decided(&policy, &failed, empty.clone(), &[0.5]);
    assert_eq!(alone.0, Decision::Stop(StopReason::Budget));
    assert_eq!(decided(&policy, &failed, Some(empty), &[0.5]), alone);

    let mut inside = Some(throttling());
    assert!(inside.draws());
    for number in [0.01, 0.99] {
        let alone = throttling().admit_first(NOW, number);
        assert_eq!(inside.admit_first(NOW, number), alone);
        assert_eq!(alone, number == 0.99);
    }
    let mut none: Option<Budget> = None;
    assert!(!none.draws() && none.admit_first(NOW, 0.0));
}

/// It says nothing about the service that this caller calls, and must not keep it from retrying what it owns.
#[test]
fn an_error_that_is_someone_elses_costs_no_token() {
    let policy = policy(3, TimeLimit::Unlimited);
    let mut throttling = GrpcThrottlingConfig::default().build().unwrap();
    let mut decide = |mark| {
        let outcome = Outcome::http(503).marked(Service::Aware, mark);
        let mut call = policy.start(Idempotency::Idempotent, NOW);
        let decision = policy.decide(&mut call, &outcome, NOW, 0.5, &mut throttling);
        (decision, throttling.milli_tokens())
    };
    for mark in [Mark::Unclaimed, Mark::DontRetry] {
        let stop = Decision::Stop(StopReason::NotOwned { mark });
        for _ in 0..10 {
            assert_eq!(decide(mark), (stop, 10_000), "{mark}");
        }
    }
    assert_eq!(decide(Mark::Claimed), (retry(ms(500)), 9_000));
}

/// As the documentation of `throttling_backoff` says.
#[test]
fn both_paces_count_the_same_failures() {
    let growth = Growth::doubling(ms(1000), ms(30_000));
    let policy = PolicyConfig {
        throttling_backoff: BackoffConfig::Exponential(growth),
        ..PolicyConfig::new(9, BackoffConfig::Fixed { wait: ms(1) })
    };
    let policy = policy.build().unwrap();
    let mut call = policy.start(Idempotency::Idempotent, NOW);
    let mut after =
        |status| policy.decide(&mut call, &Outcome::http(status), NOW, 0.5, &mut Unlimited);
    for _ in 0..3 {
        assert_eq!(after(503), retry(ms(1)));
    }
    assert_eq!(after(429), retry(ms(8000)));
}

/// A grant from no budget takes nothing from one that comes to be while the retry is out.
#[test]
fn a_budget_that_is_set_meanwhile_counts_its_own_grants_alone() {
    let policy = policy(3, TimeLimit::Unlimited);
    let failed = Outcome::http(503);
    let concurrency = BudgetConfig::Concurrency {
        share: Ratio::ZERO,
        min_retries: 1,
    };
    let cumulative = BudgetConfig::CumulativeRatio {
        ratio: Ratio::TENTH,
    };
    for config in [concurrency, cumulative] {
        let start = || policy.start(Idempotency::Idempotent, NOW);
        let mut budget: Option<Budget> = None;
        let (mut before, mut unused, mut call) = (start(), start(), start());
        for call in [&mut before, &mut unused] {
            assert_eq!(
                policy.decide(call, &failed, NOW, 0.5, &mut budget),
                retry(ms(500))
            );
        }
        budget = Some(config.build().unwrap());
        for _ in 0..10 {
            budget.sent(NOW, &Attempt::First);
        }
        assert_eq!(
            policy.decide(&mut call, &failed, NOW, 0.5, &mut budget),
            retry(ms(500))
        );
        before.sent(NOW, &mut budget);
        before.succeeded(NOW, &mut budget);
        unused.abandoned(&mut budget);
        let refused = budget.try_retry(NOW, Failure::Transient, 0.5);
        assert_eq!(refused, None, "{config:?}: its one retry is still out");
    }
}

/// A request whose wait can't be drawn.
fn panics<B: RetryBudget>(policy: &Policy, budget: B) {
    let ended = catch_unwind(AssertUnwindSafe(|| {
        let mut request = policy.request(Idempotency::Idempotent, NOW, budget);
        request.sent(NOW);
        request.decide_drawing(&Outcome::http(503), NOW, || panic!("no numbers left"))
    }));
    assert!(ended.is_err());
}

/// Whatever the numbers are drawn with is the caller's, and may fail.
#[test]
fn a_draw_that_panics_gives_the_grant_back() {
    let policy = policy(3, TimeLimit::Unlimited);
    let concurrency = Atomic::new(ConcurrencyBudget::default());
    let quota = Atomic::new(AwsQuotaConfig::default().build().unwrap());
    for _ in 0..5 {
        panics(&policy, &concurrency);
        panics(&policy, &quota);
    }
    let left = concurrency.snapshot();
    assert_eq!((left.active_retries(), left.in_flight()), (0, 0));
    assert_eq!(quota.snapshot().tokens(), 500);
}

/// Only decorrelated jitter shows it in a wait: 1 s before the first, then what it was.
#[test]
fn a_pushback_begins_the_waits_anew_and_a_retry_after_does_not() {
    let config = BackoffConfig::Decorrelated {
        base: ms(1000),
        cap: ms(60_000),
    };
    let policy = PolicyConfig::new(9, config).build().unwrap();
    let mut call = policy.start(Idempotency::Idempotent, NOW);
    let mut after = |outcome: Outcome<'_>| {
        let half = || 0.5;
        let decision = policy.decide_drawing(&mut call, &outcome, NOW, half, &mut Unlimited);
        (decision, call.backoff_wait(Pace::Transient))
    };
    let failed = Outcome::http(503);
    // U(1, 3 · 1), then U(1, 3 · 2).
    assert_eq!(after(failed), (retry(ms(2000)), 2.0));
    assert_eq!(after(failed), (retry(ms(3500)), 3.5));
    assert_eq!(after(failed.retry_after(b"7", 0)), (retry(ms(7000)), 3.5));
    assert_eq!(after(failed), (retry(ms(5750)), 5.75));
    let pushback = failed.pushback(Pushback::After(ms(70)));
    assert_eq!(after(pushback), (retry(ms(70)), 1.0));
    assert_eq!(after(failed), (retry(ms(2000)), 2.0));
}

#[test]
fn a_refusal_that_is_retried_draws_like_a_failure() {
    let policy = PolicyConfig {
        refusals: Refusals::Retry,
        ..PolicyConfig::new(
            2,
            BackoffConfig::FullJitter(Growth::doubling(ms(1000), ms(8000))),
        )
    };
    let refused = Outcome::refused_by_breaker();
    assert_eq!(
        decided(
            &policy.build().unwrap(),
            &refused,
            throttling(),
            &[0.99, 0.5]
        ),
        (retry(ms(500)), 2)
    );
}
