//! Whether a retry or a call is let through: budgets and breakers.
//!
//! One run is `REQUESTS` requests, a millisecond apart, of which the last fails, asks for a retry, and succeeds at it if that is granted.

use std::hint::black_box;
use std::time::Duration;

use backoff_core::breaker::{Breaker, BreakerConfig, CallWindow, Outcome, SharedBreaker};
use backoff_core::budget::{
    AdaptiveThrottlingConfig, Atomic, Attempt, AwsQuotaConfig, Budget, BudgetConfig,
    ConcurrencyBudget, CumulativeRatio, DepositBucketConfig, Failure, GrpcThrottlingConfig, Ratio,
    RetryBudget, RetryRatioConfig, Shared,
};
use benches::short;
use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput};
use tower::retry::budget::{Budget as _, TpsBudget};

const REQUESTS: u32 = 8;
const STEP: Duration = Duration::from_millis(1);

fn requests(budget: &mut impl RetryBudget, now: &mut Duration) {
    for _ in 1..black_box(REQUESTS) {
        *now += STEP;
        budget.sent(*now, &Attempt::First);
        budget.succeeded(*now, Attempt::First);
    }
    *now += STEP;
    budget.sent(*now, &Attempt::First);
    budget.failed(*now, Attempt::First, Failure::Transient);
    if let Some(grant) = black_box(budget.try_retry(*now, Failure::Transient, 0.5)) {
        let retry = Attempt::Retry(grant);
        budget.sent(*now, &retry);
        budget.succeeded(*now, retry);
    }
}

fn bench(group: &mut BenchmarkGroup<'_, WallTime>, name: &str, mut budget: impl RetryBudget) {
    let mut now = Duration::ZERO;
    group.bench_function(name, |bencher| {
        bencher.iter(|| requests(black_box(&mut budget), &mut now));
    });
}

/// Every budget alone; the forms that threads share; and the one whose kind is known only at run time.
pub(crate) fn budgets(criterion: &mut Criterion) {
    let mut group = short(criterion, "decision");
    group.throughput(Throughput::Elements(REQUESTS.into()));
    let tenth = Ratio::new("ratio", 1, 10).expect("a tenth is a ratio");
    let fifth = Ratio::new("ratio", 1, 5).expect("a fifth is a ratio");
    let throttling = GrpcThrottlingConfig::default().build().expect("valid");
    let deposits = DepositBucketConfig::default().build().expect("valid");
    let ratio = RetryRatioConfig::default().build().expect("valid");
    let adaptive = AdaptiveThrottlingConfig::default().build().expect("valid");
    let quota = AwsQuotaConfig::default().build().expect("valid");
    let any: Budget = BudgetConfig::GrpcThrottling(GrpcThrottlingConfig::default())
        .build()
        .expect("valid");
    let shared = Shared::new(deposits.clone());
    let atomic = Atomic::new(throttling);
    bench(&mut group, "budget/grpc-throttling", throttling);
    bench(&mut group, "budget/any-grpc-throttling", any);
    bench(&mut group, "budget/atomic-grpc-throttling", &atomic);
    bench(&mut group, "budget/retry-ratio", ratio);
    bench(
        &mut group,
        "budget/cumulative-ratio",
        CumulativeRatio::new(tenth),
    );
    bench(&mut group, "budget/deposit-bucket", deposits);
    bench(&mut group, "budget/shared-deposit-bucket", &shared);
    bench(&mut group, "budget/aws-quota", quota);
    bench(
        &mut group,
        "budget/concurrency",
        ConcurrencyBudget::new(fifth, 3),
    );
    bench(&mut group, "budget/adaptive-throttling", adaptive);
    group.finish();
}

/// The origin of the deposit bucket. It is shared by threads and reads tokio's clock itself at every call: beside it stands
/// `budget/shared-deposit-bucket`, which locks but is given the time.
pub(crate) fn tower_budget(criterion: &mut Criterion) {
    let mut group = short(criterion, "decision");
    group.throughput(Throughput::Elements(REQUESTS.into()));
    let budget = TpsBudget::default();
    group.bench_function("tower/deposit-bucket", |bencher| {
        bencher.iter(|| {
            for _ in 0..black_box(REQUESTS) {
                budget.deposit();
            }
            black_box(budget.withdraw())
        });
    });
    group.finish();
}

fn calls(breaker: &mut Breaker, now: &mut Duration) {
    for call in 1..=black_box(REQUESTS) {
        *now += STEP;
        let outcome = if call == REQUESTS {
            Outcome::Failure
        } else {
            Outcome::Success
        };
        if let Ok(ticket) = black_box(breaker.try_acquire(*now)) {
            breaker.report(*now, ticket, outcome);
        }
    }
}

/// The breaker, closed: the same requests without the retry.
pub(crate) fn breakers(criterion: &mut Criterion) {
    let mut group = short(criterion, "decision");
    group.throughput(Throughput::Elements(REQUESTS.into()));
    let by_time = BreakerConfig::default().build().expect("valid");
    let by_count = BreakerConfig {
        window: CallWindow::Calls(100),
        ..BreakerConfig::default()
    }
    .build()
    .expect("valid");
    for (name, breaker) in [("time-window", &by_time), ("count-window", &by_count)] {
        let mut breaker = breaker.clone();
        let mut now = Duration::ZERO;
        group.bench_function(format!("breaker/{name}"), |bencher| {
            bencher.iter(|| calls(black_box(&mut breaker), &mut now));
        });
    }
    let shared = SharedBreaker::new(by_time);
    let mut now = Duration::ZERO;
    group.bench_function("breaker/shared-time-window", |bencher| {
        bencher.iter(|| {
            for call in 1..=black_box(REQUESTS) {
                now += STEP;
                match black_box(shared.try_acquire(now)) {
                    Ok(permit) if call == REQUESTS => permit.failure(now),
                    Ok(permit) => permit.success(now),
                    Err(_) => {}
                }
            }
        });
    });
    group.finish();
}
