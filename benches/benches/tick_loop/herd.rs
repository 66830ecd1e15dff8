//! The herd under both engines and both streams, and in a discrete-event simulator.

use std::hint::black_box;
use std::time::Duration;

use backoff_core::{Backoff, BackoffConfig};
use benches::{built, herd_growth, long};
use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, BenchmarkId, Criterion, Throughput};
use herd_sim::{HerdConfig, HerdParams, HerdRun, Record, cohort, exact};
use sim_kernel::{CPython, Pcg64};

use crate::nexosim_herd;

fn herd(clients: u64) -> HerdConfig {
    let params = HerdParams::published(clients);
    params.build().expect("the published herd is valid")
}

fn full_jitter() -> Backoff {
    built(BackoffConfig::FullJitter(herd_growth()))
}

/// The seeds of one measured run: the published twenty for a thousand clients, fewer of larger herds.
fn seeds(clients: u64) -> std::ops::Range<u64> {
    0..(20_000 / clients).clamp(1, 20)
}

fn with_cpython(config: &HerdConfig, backoff: &Backoff, seed: u64) -> HerdRun {
    exact::run(config, backoff, &mut CPython::new(seed), Record::Totals).expect("few clients")
}

fn with_pcg64(config: &HerdConfig, backoff: &Backoff, seed: u64) -> HerdRun {
    let mut stream = Pcg64::for_unit("tick_loop", seed);
    exact::run(config, backoff, &mut stream, Record::Totals).expect("few clients")
}

fn by_cohorts(config: &HerdConfig, backoff: &Backoff, seed: u64) -> HerdRun {
    let mut stream = Pcg64::for_unit("tick_loop", seed);
    cohort::run(config, backoff, &mut stream, Record::Totals).expect("full jitter is exchangeable")
}

/// Measures `run` over the seeds of this number of clients, one after the other.
fn bench(
    group: &mut BenchmarkGroup<'_, WallTime>,
    id: BenchmarkId,
    clients: u64,
    backoff: &Backoff,
    run: impl Fn(&HerdConfig, &Backoff, u64) -> HerdRun,
) {
    let config = herd(clients);
    let requests = seeds(clients)
        .map(|seed| run(&config, backoff, seed).requests)
        .sum();
    group.throughput(Throughput::Elements(requests));
    group.bench_function(id, |bencher| {
        bencher.iter(|| {
            for seed in seeds(clients) {
                black_box(run(black_box(&config), black_box(backoff), seed));
            }
        });
    });
}

/// Full jitter, from a thousand clients up.
pub(crate) fn engines(criterion: &mut Criterion) {
    let mut group = long(criterion, "tick_loop");
    let backoff = full_jitter();
    for clients in [1_000, 10_000, 100_000, 1_000_000] {
        let id = |name| BenchmarkId::new(name, clients);
        bench(
            &mut group,
            id("herd-exact-cpython"),
            clients,
            &backoff,
            with_cpython,
        );
        bench(
            &mut group,
            id("herd-exact-pcg64"),
            clients,
            &backoff,
            with_pcg64,
        );
        bench(&mut group, id("herd-cohort"), clients, &backoff, by_cohorts);
    }
    let id = BenchmarkId::new("herd-cohort", 1_000_000_000);
    bench(&mut group, id, 1_000_000_000, &backoff, by_cohorts);
    group.finish();
}

/// The other strategies, exact, at ten thousand clients.
pub(crate) fn strategies(criterion: &mut Criterion) {
    let mut group = long(criterion, "tick_loop");
    let growth = herd_growth();
    let strategies = [
        (
            "fixed",
            BackoffConfig::Fixed {
                wait: Duration::from_secs(1),
            },
        ),
        ("exponential", BackoffConfig::Exponential(growth)),
        ("equal-jitter", BackoffConfig::EqualJitter(growth)),
        (
            "decorrelated",
            BackoffConfig::Decorrelated {
                base: growth.base,
                cap: growth.cap,
            },
        ),
        (
            "proportional",
            BackoffConfig::Proportional {
                growth,
                factor: 0.2,
            },
        ),
    ];
    for (name, config) in strategies {
        let id = BenchmarkId::new("herd-exact-pcg64", name);
        bench(&mut group, id, 10_000, &built(config), with_pcg64);
    }
    group.finish();
}

/// The published thousand clients, and a hundred times as many, in nexosim.
pub(crate) fn discrete_events(criterion: &mut Criterion) {
    let mut group = long(criterion, "tick_loop");
    let backoff = full_jitter();
    for clients in [1_000, 100_000] {
        let (config, seed) = (herd(clients), 0);
        assert_eq!(
            nexosim_herd::run(&config, &backoff, seed),
            with_pcg64(&config, &backoff, seed),
            "not the same model"
        );
        let id = BenchmarkId::new("herd-nexosim", clients);
        bench(&mut group, id, clients, &backoff, nexosim_herd::run);
    }
    group.finish();
}
