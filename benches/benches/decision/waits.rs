//! The waits of every strategy, beside the random numbers that they are made from.

use std::hint::black_box;

use backoff_core::backoff::unit_from_bits;
use backoff_core::{Backoff, BackoffConfig};
use benches::{STEPS, built, growth, short};
use criterion::{Criterion, Throughput};
use rand_core::Rng;
use rand_pcg::Pcg64Mcg;

pub(crate) fn strategies() -> [(&'static str, Backoff); 7] {
    let (base, cap) = (growth().base, growth().cap);
    [
        ("immediate", BackoffConfig::Immediate),
        ("fixed", BackoffConfig::Fixed { wait: base }),
        ("exponential", BackoffConfig::Exponential(growth())),
        ("full-jitter", BackoffConfig::FullJitter(growth())),
        ("equal-jitter", BackoffConfig::EqualJitter(growth())),
        ("decorrelated", BackoffConfig::Decorrelated { base, cap }),
        (
            "proportional",
            BackoffConfig::Proportional {
                growth: growth(),
                factor: 0.2,
            },
        ),
    ]
    .map(|(name, config)| (name, built(config)))
}

/// The yardstick: as many random numbers as there are waits.
pub(crate) fn bare_draw(criterion: &mut Criterion) {
    let mut group = short(criterion, "decision");
    group.throughput(Throughput::Elements(STEPS.into()));
    let mut generator = Pcg64Mcg::new(1);
    group.bench_function("bare-draw/pcg64mcg", |bencher| {
        bencher.iter(|| {
            for _ in 0..black_box(STEPS) {
                black_box(generator.next_u64());
            }
        });
    });
    group.finish();
}

/// `wait`, in seconds as a float.
pub(crate) fn waits(criterion: &mut Criterion) {
    let mut group = short(criterion, "decision");
    group.throughput(Throughput::Elements(STEPS.into()));
    for (name, backoff) in strategies() {
        let backoff = black_box(backoff);
        let mut generator = Pcg64Mcg::new(1);
        group.bench_function(format!("wait/{name}"), |bencher| {
            bencher.iter(|| {
                let mut previous = backoff.first_previous();
                for failures in 1..=black_box(STEPS) {
                    let unit = if backoff.draws() {
                        unit_from_bits(generator.next_u64())
                    } else {
                        0.0
                    };
                    previous = black_box(backoff.wait(failures, previous, unit));
                }
            });
        });
    }
    group.finish();
}

/// The same as durations.
pub(crate) fn durations(criterion: &mut Criterion) {
    let mut group = short(criterion, "decision");
    group.throughput(Throughput::Elements(STEPS.into()));
    for (name, backoff) in strategies() {
        let backoff = black_box(backoff);
        let mut generator = Pcg64Mcg::new(1);
        group.bench_function(format!("duration/{name}"), |bencher| {
            bencher.iter(|| {
                for wait in backoff
                    .schedule(&mut generator)
                    .take(black_box(STEPS) as usize)
                {
                    black_box(wait);
                }
            });
        });
    }
    group.finish();
}
