//! What all benches share: how long they measure, and the work that libraries are compared on.
//!
//! Benches are named `group/implementation/parameter`. `cargo bench` runs all of them, `cargo bench -- decision` one group.

use std::time::Duration;

use backoff_core::{Backoff, BackoffConfig, Growth};
use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, SamplingMode};

/// The waits of one failing request that the decision benches compare: after failures 1, 2, …, `STEPS`.
pub const STEPS: u32 = 8;

/// The backoff that they compare: doubling from 0.1 s to 10 s, which is reached at step 8.
#[must_use]
pub fn growth() -> Growth {
    Growth::doubling(Duration::from_millis(100), Duration::from_secs(10))
}

/// The backoff of the published herd: doubling from 0.2 s to 10 s.
#[must_use]
pub fn herd_growth() -> Growth {
    Growth {
        exponent_from: 1,
        ..growth()
    }
}

/// The strategy of a configuration that is known to be valid.
///
/// # Panics
/// If it isn't.
#[must_use]
pub fn built(config: BackoffConfig) -> Backoff {
    config.build().expect("the benches' strategies are valid")
}

/// A group of benches that take nanoseconds: two seconds each, so that forty of them take a minute and a half.
pub fn short<'c>(criterion: &'c mut Criterion, name: &str) -> BenchmarkGroup<'c, WallTime> {
    let mut group = criterion.benchmark_group(name);
    group
        .warm_up_time(Duration::from_millis(400))
        .measurement_time(Duration::from_millis(1600))
        .sample_size(50);
    group
}

/// A group of benches that take milliseconds to seconds: ten samples of the same number of runs, two and a half seconds in all if they are
/// that short.
pub fn long<'c>(criterion: &'c mut Criterion, name: &str) -> BenchmarkGroup<'c, WallTime> {
    let mut group = criterion.benchmark_group(name);
    group
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2))
        .sampling_mode(SamplingMode::Flat)
        .sample_size(10);
    group
}
