//! The published race to one row: 19 numbers of clients, five strategies, a hundred contests of each.

use std::hint::black_box;
use std::time::Duration;

use backoff_core::{BackoffConfig, Growth, Unit};
use benches::long;
use criterion::{Criterion, Throughput};
use occ_sim::{OccConfig, OccParams, Strategy, run_table};
use sim_kernel::{CPython, Pcg64};

fn published() -> OccConfig {
    let (base, cap) = (Duration::from_millis(5), Duration::from_secs(2));
    let growth = Growth {
        exponent_from: 1,
        ..Growth::doubling(base, cap)
    };
    let strategies = [
        ("Exponential", BackoffConfig::Exponential(growth)),
        ("Decorr", BackoffConfig::Decorrelated { base, cap }),
        ("EqualJitter", BackoffConfig::EqualJitter(growth)),
        ("FullJitter", BackoffConfig::FullJitter(growth)),
        ("None", BackoffConfig::Immediate),
    ];
    let params = OccParams {
        clients: (1..=19).map(|tens| 10 * tens).collect(),
        repetitions: 100,
        network_mean: Duration::from_millis(10),
        network_sd: Duration::from_millis(2),
        strategies: strategies
            .map(|(name, backoff)| Strategy {
                name: name.into(),
                backoff: backoff
                    .build_in(Unit::Millis)
                    .expect("the published strategies are valid"),
            })
            .into(),
    };
    params.build().expect("the published experiment is valid")
}

/// The table in one stream, as it was published; the throughput is in contests, each of them with 10 to 190 clients.
pub(crate) fn table(criterion: &mut Criterion) {
    let mut group = long(criterion, "tick_loop");
    let config = published();
    let rows = config.clients().len() * config.strategies().len();
    group.throughput(Throughput::Elements(
        rows as u64 * u64::from(config.repetitions()),
    ));
    group.bench_function("occ-cpython/table", |bencher| {
        bencher.iter(|| run_table(black_box(&config), &mut CPython::new(0), |_| {}));
    });
    let pcg64 = || Pcg64::for_unit("tick_loop", 0);
    group.bench_function("occ-pcg64/table", |bencher| {
        bencher.iter(|| run_table(black_box(&config), &mut pcg64(), |_| {}));
    });
    group.finish();
}
