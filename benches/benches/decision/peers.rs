//! The waits of one failing request in other libraries: full jitter, or the nearest they have, doubling from 0.1 s to 10 s, `STEPS` waits.
//!
//! None of them can be given full jitter, the cap, a generator and no clock all at once; each bench says where its work differs. They are to
//! be compared with `decision/duration/full-jitter` and `decision/schedule/full-jitter`, which return the same type.

use std::hint::black_box;
use std::time::SystemTime;

use backoff::backoff::Backoff as _;
use backon::BackoffBuilder as _;
use benches::{STEPS, growth, short};
use criterion::{Criterion, Throughput};
use retry_policies::RetryPolicy as _;
use tower::retry::backoff::{Backoff as _, MakeBackoff as _};

const TAKEN: usize = STEPS as usize;

pub(crate) fn backoffs(criterion: &mut Criterion) {
    let mut group = short(criterion, "decision");
    group.throughput(Throughput::Elements(STEPS.into()));
    let (base, cap) = (growth().base, growth().cap);

    // Adds U(0, wait) to the wait instead of drawing from [0, wait), after the cap. Each request's generator is forked from a thread-local one.
    let builder = backon::ExponentialBuilder::new()
        .with_min_delay(base)
        .with_max_delay(cap)
        .with_factor(2.0)
        .with_max_times(TAKEN)
        .with_jitter();
    group.bench_function("backon/full-jitter", |bencher| {
        bencher.iter(|| {
            for wait in black_box(builder).build().take(black_box(TAKEN)) {
                black_box(wait);
            }
        });
    });

    // U(0, 2 · wait): a randomization factor of 1 is the widest. Reads the clock at each step, as its limit of elapsed time is part of it.
    group.bench_function("backoff/proportional", |bencher| {
        bencher.iter(|| {
            let mut waits = backoff::ExponentialBackoffBuilder::new()
                .with_initial_interval(base)
                .with_max_interval(cap)
                .with_multiplier(2.0)
                .with_randomization_factor(1.0)
                .with_max_elapsed_time(None)
                .build();
            for _ in 0..black_box(STEPS) {
                black_box(waits.next_backoff());
            }
        });
    });

    // Wait ± 100 % in whole percents, then clamped to [base, cap]. Each request's generator is forked from a thread-local one.
    let mut exponential = exponential_backoff::Backoff::new(STEPS + 1, base, cap);
    exponential.set_jitter(1.0);
    group.bench_function("exponential-backoff/proportional", |bencher| {
        bencher.iter(|| {
            for wait in black_box(&exponential).iter().take(black_box(TAKEN)) {
                black_box(wait);
            }
        });
    });

    // Full jitter; answers with the time of the retry, so it reads the clock at each step.
    let policy = retry_policies::policies::ExponentialBackoff::builder()
        .retry_bounds(base, cap)
        .jitter(retry_policies::Jitter::Full)
        .base(2)
        .build_with_max_retries(STEPS);
    group.bench_function("retry-policies/full-jitter", |bencher| {
        bencher.iter(|| {
            let start = SystemTime::UNIX_EPOCH;
            for retries in 0..black_box(STEPS) {
                black_box(policy.should_retry(start, retries));
            }
        });
    });

    // Full jitter, from the thread's generator.
    group.bench_function("tokio-retry/full-jitter", |bencher| {
        bencher.iter(|| {
            let waits = tokio_retry::strategy::ExponentialBackoff::from_millis(2)
                .factor(black_box(50))
                .max_delay(cap)
                .map(tokio_retry::strategy::jitter);
            for wait in waits.take(black_box(TAKEN)) {
                black_box(wait);
            }
        });
    });

    // Adds up to 100 % of the wait, within the cap. Each step returns a timer of the runtime (never polled here) and not a duration.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .expect("a runtime can be built");
    let _entered = runtime.enter();
    let generator = tower::util::rng::HasherRng::default();
    let mut maker = tower::retry::backoff::ExponentialBackoffMaker::new(base, cap, 1.0, generator)
        .expect("valid bounds");
    group.bench_function("tower/equal-jitter", |bencher| {
        bencher.iter(|| {
            let mut waits = maker.make_backoff();
            for _ in 0..black_box(STEPS) {
                drop(black_box(waits.next_backoff()));
            }
        });
    });
    group.finish();
}
