//! The published table, row by row.

use core::time::Duration;

use backoff_core::{BackoffConfig, Growth, Unit};
use occ_sim::{OccConfig, OccParams, Strategy, run_table};
use sim_kernel::CPython;

fn published() -> OccConfig {
    let base = Duration::from_millis(5);
    let cap = Duration::from_secs(2);
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
    OccParams {
        clients: (1..=19).map(|tens| 10 * tens).collect(),
        repetitions: 100,
        network_mean: Duration::from_millis(10),
        network_sd: Duration::from_millis(2),
        strategies: strategies
            .map(|(name, backoff)| Strategy {
                name: name.into(),
                backoff: backoff.build_in(Unit::Millis).unwrap(),
            })
            .into(),
    }
    .build()
    .unwrap()
}

#[test]
fn all_95_rows_are_the_public_simulators() {
    let config = published();
    let mut shown = 0;
    let rows = run_table(&config, &mut CPython::new(0), |progress| {
        shown += 1;
        assert_eq!((progress.done, progress.of), (shown, 95));
    });
    let ours = rows.iter().map(|row| {
        let name = &config.strategies()[row.strategy].name;
        format!(
            "{},{},{},{name}",
            row.clients,
            row.whole_ms(),
            row.whole_calls()
        )
    });
    let golden = include_str!("golden/occ_seed0.csv");
    let lines: Vec<&str> = golden.lines().collect();
    assert_eq!(lines[0], "clients,time,calls,Algorithm");
    assert_eq!(ours.collect::<Vec<_>>(), lines[1..]);
}
