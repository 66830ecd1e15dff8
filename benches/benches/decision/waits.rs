//! The waits of every strategy, beside the random numbers that they are made from.

use std::hint::black_box;
use std::time::Duration;

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

/// `wait`, in seconds as a float. A caller of `wait` knows whether its strategy draws; here that is decided outside the loop.
pub(crate) fn waits(criterion: &mut Criterion) {
    let mut group = short(criterion, "decision");
    group.throughput(Throughput::Elements(STEPS.into()));
    for (name, backoff) in strategies() {
        let backoff = black_box(backoff);
        let mut generator = Pcg64Mcg::new(1);
        let name = format!("wait/{name}");
        if backoff.draws() {
            group.bench_function(name, |bencher| {
                bencher.iter(|| {
                    let mut previous = backoff.first_previous();
                    for failures in 1..black_box(STEPS + 1) {
                        let unit = unit_from_bits(generator.next_u64());
                        previous = black_box(backoff.wait(failures, previous, unit));
                    }
                });
            });
        } else {
            group.bench_function(name, |bencher| {
                bencher.iter(|| {
                    for failures in 1..black_box(STEPS + 1) {
                        black_box(backoff.wait(failures, 0.0, 0.0));
                    }
                });
            });
        }
    }
    group.finish();
}

/// `delay`: the same with the draw, as a duration.
pub(crate) fn durations(criterion: &mut Criterion) {
    let mut group = short(criterion, "decision");
    group.throughput(Throughput::Elements(STEPS.into()));
    for (name, backoff) in strategies() {
        let backoff = black_box(backoff);
        let mut generator = Pcg64Mcg::new(1);
        group.bench_function(format!("duration/{name}"), |bencher| {
            bencher.iter(|| {
                let mut previous = Duration::ZERO;
                for failures in 1..black_box(STEPS + 1) {
                    previous = black_box(backoff.delay(failures, previous, &mut generator));
                }
            });
        });
    }
    group.finish();
}

/// `schedule`: the same as an iterator, made anew for each request as the peers' are.
pub(crate) fn schedule(criterion: &mut Criterion) {
    let mut group = short(criterion, "decision");
    group.throughput(Throughput::Elements(STEPS.into()));
    for (name, backoff) in strategies()
        .into_iter()
        .filter(|(_, backoff)| backoff.draws())
    {
        let backoff = black_box(backoff);
        let mut generator = Pcg64Mcg::new(1);
        group.bench_function(format!("schedule/{name}"), |bencher| {
            bencher.iter(|| {
                let waits = backoff.schedule(&mut generator);
                for wait in waits.take(black_box(STEPS) as usize) {
                    black_box(wait);
                }
            });
        });
    }
    group.finish();
}
