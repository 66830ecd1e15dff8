//! The whole job: every published experiment run, judged, and drawn to tables and figures, on all cores; only the writing is left out.

use std::hint::black_box;
use std::path::Path;

use benches::long;
use criterion::{Criterion, criterion_group, criterion_main};
use lab::artifacts::Vectors;
use lab::reports::Reports;
use lab::scenario::builtin::{ALL, Builtin};

/// The number of files that the reports of these experiments consist of.
fn reports(experiments: &[Builtin]) -> usize {
    let scenarios = experiments
        .iter()
        .map(|builtin| builtin.scenario())
        .collect::<Result<_, _>>()
        .expect("the built-in scenarios are valid");
    // There is no earlier ledger whose other sections would have to stay.
    let nowhere = Path::new("target/no-reports");
    let reports = Reports::make(scenarios, nowhere, None, Vectors::No)
        .expect("every published number has its metric");
    reports
        .experiments
        .iter()
        .map(|(_, set)| set.files.len())
        .sum()
}

/// All of it, and each experiment alone.
fn reproduce(criterion: &mut Criterion) {
    let mut group = long(criterion, "reproduce");
    group.bench_function("lab/everything", |bencher| {
        bencher.iter(|| reports(black_box(ALL)));
    });
    for builtin in ALL {
        group.bench_function(format!("lab/{}", builtin.id), |bencher| {
            bencher.iter(|| reports(black_box(&[*builtin])));
        });
    }
    group.finish();
}

criterion_group!(benches, reproduce);
criterion_main!(benches);
