//! The whole decision after each failure of one request: class of the failure, attempts, deadline, budget, wait.

use std::hint::black_box;
use std::time::Duration;

use backoff_core::BackoffConfig;
use backoff_core::backoff::unit_from_bits;
use backoff_core::budget::{Ratio, RetryBudget, RetryRatioConfig, Unlimited};
use backoff_core::classify::Idempotency;
use backoff_core::policy::{Decision, Outcome, Policy, PolicyConfig, TimeLimit};
use benches::{STEPS, growth, short};
use criterion::{Criterion, Throughput};
use rand_core::Rng;
use rand_pcg::Pcg64Mcg;

fn one_request(
    policy: &Policy,
    outcome: &Outcome<'_>,
    budget: &mut impl RetryBudget,
    now: &mut Duration,
    generator: &mut Pcg64Mcg,
) {
    let mut call = policy.start(Idempotency::Idempotent, *now);
    call.sent(*now, budget);
    for _ in 0..black_box(STEPS) {
        let unit = unit_from_bits(generator.next_u64());
        let decision = policy.decide(&mut call, outcome, *now, unit, budget);
        if let Decision::Retry { after } = black_box(decision) {
            *now += after;
            call.sent(*now, budget);
        }
    }
    call.abandoned(budget);
}

pub(crate) fn decide(criterion: &mut Criterion) {
    let mut group = short(criterion, "decision");
    group.throughput(Throughput::Elements(STEPS.into()));
    let config = PolicyConfig {
        deadline: TimeLimit::Within(Duration::from_secs(3600)),
        ..PolicyConfig::new(STEPS + 1, BackoffConfig::FullJitter(growth()))
    };
    let policy = config.build().expect("a valid policy");
    let unavailable = Outcome::http(503);
    let told = Outcome::http(503).retry_after(b"1", 0);
    // Never refuses, so that every bench decides the same: retries are always fewer than all sends.
    let all = Ratio::new("ratio", 1, 1).expect("one is a ratio");
    let config = RetryRatioConfig {
        ratio: all,
        ..RetryRatioConfig::default()
    };
    let mut ratio = config.build().expect("a valid budget");
    let mut generator = Pcg64Mcg::new(1);
    let mut now = Duration::ZERO;
    group.bench_function("decide/full-jitter", |bencher| {
        bencher.iter(|| {
            one_request(
                black_box(&policy),
                black_box(&unavailable),
                &mut Unlimited,
                &mut now,
                &mut generator,
            );
        });
    });
    group.bench_function("decide/full-jitter-retry-ratio", |bencher| {
        bencher.iter(|| {
            one_request(
                black_box(&policy),
                black_box(&unavailable),
                &mut ratio,
                &mut now,
                &mut generator,
            );
        });
    });
    group.bench_function("decide/retry-after", |bencher| {
        bencher.iter(|| {
            one_request(
                black_box(&policy),
                black_box(&told),
                &mut Unlimited,
                &mut now,
                &mut generator,
            );
        });
    });
    group.finish();
}
