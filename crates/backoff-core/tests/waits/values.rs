//! Exact values: the published schedules, totals, and the first waits of every strategy, which never change unnoticed.

use std::time::Duration;

use backoff_core::{BackoffConfig, Growth, Unit};
use rand_pcg::Pcg64Mcg;

use super::growth;

#[test]
fn published_schedules_come_out() {
    let nominal = |multiplier: f64, cap: Duration| {
        let config = BackoffConfig::Exponential(Growth {
            multiplier,
            ..growth(Duration::from_secs(1), cap)
        });
        let backoff = config.build().unwrap();
        move |n| backoff.wait(n, 0.0, 0.0)
    };
    let doubling = nominal(2.0, Duration::from_secs(30));
    let waits: Vec<f64> = (1..=7).map(doubling).collect();
    assert_eq!(waits, [1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0]);
    let slower = nominal(1.5, Duration::from_secs(30));
    let waits: Vec<f64> = (1..=5).map(slower).collect();
    assert_eq!(waits, [1.0, 1.5, 2.25, 3.375, 5.0625]);
    let uncapped = nominal(2.0, Duration::MAX);
    assert_eq!((uncapped(10), uncapped(15)), (512.0, 16_384.0));
    // Beyond the table: 3^34 needs 54 bits and is rounded once.
    assert_eq!(nominal(3.0, Duration::MAX)(35), 16_677_181_699_666_569.0);
}

#[test]
fn totals_of_every_failure_there_can_be_are_cheap_and_exact() {
    let config =
        BackoffConfig::Exponential(growth(Duration::from_secs(1), Duration::from_secs(30)));
    let backoff = config.build().unwrap();
    let all = f64::from(u32::MAX - 5) * 30.0 + 31.0;
    assert_eq!(backoff.total_bounds(u32::MAX), (all, all));
    assert_eq!(backoff.total_mean(u32::MAX), all);
    // So near 1 that the closed form of the geometric sum must not cancel: the sum is n + n (n - 1) / 2 · 2^-52, to first order.
    let hardly = BackoffConfig::Exponential(Growth {
        multiplier: 1.0 + f64::EPSILON,
        ..growth(Duration::from_secs(1), Duration::MAX)
    });
    let (total, _) = hardly.build().unwrap().total_bounds(u32::MAX);
    let n = f64::from(u32::MAX);
    let expected = n + n * (n - 1.0) / 2.0 * f64::EPSILON;
    assert!((total / expected - 1.0).abs() < 1e-12, "{total} {expected}");
}

#[test]
fn a_long_sum_agrees_with_its_terms() {
    for multiplier in [1.001, 1.01, 1.02] {
        let config = BackoffConfig::EqualJitter(Growth {
            multiplier,
            ..growth(Duration::from_millis(1), Duration::from_secs(3600))
        });
        let backoff = config.build().unwrap();
        for failures in [1000, 1024, 1025, 1100, 5000, 20_000] {
            let terms: f64 = (1..=failures).map(|n| backoff.bounds(n).1).sum();
            let (low, high) = backoff.total_bounds(failures);
            assert!(
                (high / terms - 1.0).abs() < 1e-12,
                "{multiplier} {failures}"
            );
            assert_eq!(low, high / 2.0);
        }
    }
}

/// Literal outputs: changing one is a change of value, to be announced as such.
#[test]
fn the_values_of_every_strategy_are_stable() {
    let growth = Growth {
        exponent_from: 1,
        ..growth(Duration::from_millis(100), Duration::from_secs(10))
    };
    for (config, expected) in [
        (BackoffConfig::Immediate, STABLE[0]),
        (
            BackoffConfig::Fixed {
                wait: Duration::from_secs(1),
            },
            STABLE[1],
        ),
        (BackoffConfig::Exponential(growth), STABLE[2]),
        (BackoffConfig::FullJitter(growth), STABLE[3]),
        (BackoffConfig::EqualJitter(growth), STABLE[4]),
        (
            BackoffConfig::Decorrelated {
                base: growth.base,
                cap: growth.cap,
            },
            STABLE[5],
        ),
        (
            BackoffConfig::Proportional {
                growth,
                factor: 0.2,
            },
            STABLE[6],
        ),
    ] {
        let mut waits = config.build().unwrap().schedule(Pcg64Mcg::new(42));
        let nanos = [(); 8].map(|()| waits.next().unwrap().as_nanos() as u64);
        assert_eq!(nanos, expected, "{config:?}");
    }
}

/// In nanoseconds, after failures 1–8, from `Pcg64Mcg::new(42)`.
const STABLE: [[u64; 8]; 7] = [
    [0, 0, 0, 0, 0, 0, 0, 0],
    [
        1_000_000_000,
        1_000_000_000,
        1_000_000_000,
        1_000_000_000,
        1_000_000_000,
        1_000_000_000,
        1_000_000_000,
        1_000_000_000,
    ],
    [
        200_000_000,
        400_000_000,
        800_000_000,
        1_600_000_000,
        3_200_000_000,
        6_400_000_000,
        10_000_000_000,
        10_000_000_000,
    ],
    [
        77_895_017,
        87_752_250,
        524_969_753,
        1_344_266_550,
        1_209_823_595,
        3_319_229_668,
        5_385_445_213,
        4_728_894_256,
    ],
    [
        138_947_509,
        243_876_125,
        662_484_877,
        1_472_133_275,
        2_204_911_798,
        4_859_614_834,
        7_692_722_607,
        7_364_447_128,
    ],
    [
        177_895_017,
        195_142_098,
        418_542_651,
        1_070_920_002,
        1_276_840_781,
        2_034_759_444,
        3_333_571_201,
        4_781_942_768,
    ],
    [
        191_158_007,
        355_100_900,
        849_987_901,
        1_817_706_620,
        3_043_929_438,
        6_447_691_867,
        10_154_178_085,
        9_891_557_702,
    ],
];

#[test]
fn milliseconds_are_the_same_waits() {
    let growth = growth(Duration::from_millis(5), Duration::from_secs(2));
    let config = BackoffConfig::FullJitter(growth);
    let backoff = config.build_in(Unit::Millis).unwrap();
    assert_eq!(backoff.bounds(3), (0.0, 20.0));
    let seconds = config.build().unwrap().schedule(Pcg64Mcg::new(1));
    for (millis, seconds) in backoff.schedule(Pcg64Mcg::new(1)).zip(seconds).take(20) {
        assert!(millis.abs_diff(seconds) <= Duration::from_nanos(1));
    }
}

#[test]
fn a_delay_without_a_previous_wait_starts_at_the_base() {
    let config = BackoffConfig::Decorrelated {
        base: Duration::from_secs(1),
        cap: Duration::from_secs(10),
    };
    let backoff = config.build().unwrap();
    let first = backoff.schedule(Pcg64Mcg::new(3)).next().unwrap();
    assert!(first > Duration::from_secs(1));
    for previous in [Duration::ZERO, Duration::from_secs(5), Duration::MAX] {
        assert_eq!(backoff.delay(1, previous, &mut Pcg64Mcg::new(3)), first);
        assert_eq!(backoff.delay(0, previous, &mut Pcg64Mcg::new(3)), first);
    }
}
