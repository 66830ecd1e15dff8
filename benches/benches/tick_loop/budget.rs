//! The published outage of a dependency, under each of the published budgets.

use std::hint::black_box;
use std::time::Duration;

use backoff_core::budget::{BudgetConfig, GrpcThrottlingConfig, RetryRatioConfig};
use backoff_core::{BackoffConfig, Growth};
use benches::long;
use budget_sim::{BudgetSimParams, PolicyParams};
use criterion::{Criterion, Throughput};
use sim_kernel::{CPython, Pcg64};

pub(crate) fn outage(criterion: &mut Criterion) {
    let mut group = long(criterion, "tick_loop");
    let config = BudgetSimParams::published()
        .build()
        .expect("the published experiment is valid");
    let growth = Growth::doubling(Duration::from_millis(100), Duration::from_secs(1));
    let throttling = BudgetConfig::GrpcThrottling(GrpcThrottlingConfig::default());
    let ratio = BudgetConfig::RetryRatio(RetryRatioConfig::default());
    for (name, budget) in [
        ("none", None),
        ("grpc-throttling", Some(throttling)),
        ("retry-ratio", Some(ratio)),
    ] {
        let policy = PolicyParams {
            max_attempts: 4,
            backoff: BackoffConfig::Proportional {
                growth,
                factor: 0.2,
            },
            budget,
            breaker: None,
        };
        let policy = policy.build().expect("the published policies are valid");
        let count = budget_sim::run(&config, &policy, &mut CPython::new(0)).arrivals;
        group.throughput(Throughput::Elements(count));
        group.bench_function(format!("budget-cpython/{name}"), |bencher| {
            bencher.iter(|| budget_sim::run(&config, black_box(&policy), &mut CPython::new(0)));
        });
        let pcg64 = || Pcg64::for_unit("tick_loop", 0);
        let count = budget_sim::run(&config, &policy, &mut pcg64()).arrivals;
        group.throughput(Throughput::Elements(count));
        group.bench_function(format!("budget-pcg64/{name}"), |bencher| {
            bencher.iter(|| budget_sim::run(&config, black_box(&policy), &mut pcg64()));
        });
    }
    group.finish();
}
