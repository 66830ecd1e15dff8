//! What a wait may be, for every configuration that is accepted and every input that broke other libraries.

use std::time::Duration;

use backoff_core::backoff::unit_from_bits;
use backoff_core::{Backoff, BackoffConfig, Growth, Unit};
use configs::configs;
use proptest::prelude::*;
use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;

mod configs;

const JUST_UNDER_1: f64 = 1.0 - f64::EPSILON / 2.0;

const FAILURES: [u32; 12] = [0, 1, 2, 16, 17, 31, 32, 63, 64, 65, 1025, u32::MAX];

const PREVIOUS: [f64; 9] = [
    0.0,
    -0.0,
    1e-300,
    0.5,
    1e300,
    -1.0,
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
];

fn growth(base: Duration, cap: Duration) -> Growth {
    Growth::doubling(base, cap)
}

/// Every strategy on one base and cap.
fn all(base: Duration, cap: Duration) -> [Backoff; 7] {
    let growth = growth(base, cap);
    [
        BackoffConfig::Immediate,
        BackoffConfig::Fixed { wait: cap },
        BackoffConfig::Exponential(growth),
        BackoffConfig::FullJitter(growth),
        BackoffConfig::EqualJitter(growth),
        BackoffConfig::Decorrelated { base, cap },
        BackoffConfig::Proportional {
            growth,
            factor: 0.2,
        },
    ]
    .map(|config| config.build().unwrap())
}

#[test]
fn huge_failure_numbers_wait_the_cap() {
    let cap = Duration::from_secs(10);
    for multiplier in [2.0, 1.5, 1e300] {
        for exponent_from in [0, 1, u32::MAX] {
            let config = BackoffConfig::Exponential(Growth {
                multiplier,
                exponent_from,
                ..growth(Duration::from_secs(1), cap)
            });
            let backoff = config.build().unwrap();
            for failures in [31, 32, 63, 64, 65, 1025, u32::MAX - 1, u32::MAX] {
                assert_eq!(backoff.wait(failures, 0.0, 0.0), 10.0);
                assert_eq!(backoff.duration(backoff.wait(failures, 0.0, 0.0)), cap);
            }
        }
    }
}

#[test]
fn failure_0_counts_as_1() {
    for backoff in all(Duration::from_secs(1), Duration::from_secs(10)) {
        assert_eq!(backoff.wait(0, 1.0, 0.5), backoff.wait(1, 1.0, 0.5));
        assert_eq!(backoff.bounds(0), backoff.bounds(1));
        assert_eq!(backoff.mean(0), backoff.mean(1));
        assert_eq!(backoff.total_bounds(0), (0.0, 0.0));
        assert_eq!(backoff.total_mean(0), 0.0);
    }
}

#[test]
fn base_0_never_waits_whatever_the_cap_and_the_power() {
    for cap in [Duration::ZERO, Duration::from_secs(1), Duration::MAX] {
        let config = BackoffConfig::Exponential(Growth {
            multiplier: f64::MAX,
            exponent_from: u32::MAX,
            ..growth(Duration::ZERO, cap)
        });
        let mut backoffs = all(Duration::ZERO, cap).to_vec();
        backoffs.retain(|backoff| !backoff.draws());
        backoffs.remove(1); // the fixed wait is the cap
        backoffs.push(config.build().unwrap());
        backoffs.extend(all(Duration::ZERO, cap).into_iter().filter(Backoff::draws));
        for backoff in backoffs {
            assert_eq!(backoff.constant_from(), Some(1));
            for failures in FAILURES {
                assert_eq!(backoff.bounds(failures), (0.0, 0.0));
                assert_eq!(backoff.mean(failures), 0.0);
                assert_eq!(backoff.total_bounds(failures), (0.0, 0.0));
                assert_eq!(backoff.total_mean(failures), 0.0);
                for previous in PREVIOUS {
                    for unit in [0.0, 0.5, JUST_UNDER_1] {
                        assert_eq!(backoff.wait(failures, previous, unit), 0.0);
                    }
                }
            }
        }
    }
}

#[test]
fn impossible_values_are_refused_by_name() {
    let good = growth(Duration::from_secs(1), Duration::from_secs(10));
    let message = |config: BackoffConfig| config.build().unwrap_err().to_string();
    for multiplier in [
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        -2.0,
        -0.0,
        0.0,
        0.5,
        JUST_UNDER_1,
    ] {
        let growth = Growth { multiplier, ..good };
        for config in [
            BackoffConfig::Exponential(growth),
            BackoffConfig::FullJitter(growth),
            BackoffConfig::EqualJitter(growth),
            BackoffConfig::Proportional {
                growth,
                factor: 0.2,
            },
        ] {
            assert_eq!(
                message(config),
                format!("multiplier = {multiplier}: must be finite and at least 1")
            );
        }
    }
    for factor in [f64::NAN, f64::INFINITY, -0.1, 1.0 + f64::EPSILON] {
        assert_eq!(
            message(BackoffConfig::Proportional {
                growth: good,
                factor
            }),
            format!("factor = {factor}: must be in [0, 1]")
        );
    }
    let (base, cap) = (Duration::from_secs(1), Duration::from_millis(10));
    let growth = growth(base, cap);
    for config in [
        BackoffConfig::Exponential(growth),
        BackoffConfig::FullJitter(growth),
        BackoffConfig::EqualJitter(growth),
        BackoffConfig::Decorrelated { base, cap },
        BackoffConfig::Proportional {
            growth,
            factor: 0.2,
        },
    ] {
        assert_eq!(message(config), "cap = 10ms: must be at least base = 1s");
    }
}

#[test]
fn the_greatest_durations_saturate() {
    for cap in [Duration::from_nanos(u64::MAX), Duration::MAX] {
        for base in [Duration::from_nanos(1), Duration::from_secs(1), cap] {
            for backoff in all(base, cap) {
                for failures in FAILURES {
                    let mut rng = Pcg64Mcg::seed_from_u64(1);
                    let wait = backoff.delay(failures, cap, &mut rng);
                    // Proportional waits may exceed the cap by a fifth; 2^64 s is the greatest duration.
                    assert!(wait <= cap.saturating_mul(2));
                    let (low, high) = backoff.total_bounds(failures);
                    assert!(low.is_finite() && high.is_finite());
                }
            }
        }
        let config = BackoffConfig::Exponential(growth(Duration::from_secs(1), cap));
        let wait = config.build().unwrap().wait(u32::MAX, 0.0, 0.0);
        assert_eq!(wait, cap.as_secs_f64());
    }
    let forever = BackoffConfig::Fixed {
        wait: Duration::MAX,
    };
    let forever = forever.build().unwrap();
    assert_eq!(forever.duration(forever.wait(1, 0.0, 0.0)), Duration::MAX);
}

#[test]
fn a_previous_wait_below_the_base_leaves_the_base_as_the_range() {
    let config = BackoffConfig::Decorrelated {
        base: Duration::from_secs(1),
        cap: Duration::from_secs(10),
    };
    let backoff = config.build().unwrap();
    for (previous, greatest) in [
        (0.0, 1.0),
        (0.3, 1.0),
        (-5.0, 1.0),
        (f64::NAN, 1.0),
        (f64::NEG_INFINITY, 1.0),
        (0.5, 1.5),
        (1.0, 3.0),
        (3.0, 9.0),
        (4.0, 10.0),
        (1e308, 10.0),
        (f64::INFINITY, 10.0),
    ] {
        assert_eq!(backoff.wait(2, previous, 0.0), 1.0);
        assert_eq!(backoff.wait(2, previous, 1.0), greatest);
    }
}

#[test]
fn odd_numbers_become_durations_without_a_panic() {
    let backoff = BackoffConfig::Immediate.build().unwrap();
    for (wait, duration) in [
        (f64::NAN, Duration::ZERO),
        (f64::NEG_INFINITY, Duration::ZERO),
        (-1.0, Duration::ZERO),
        (-0.0, Duration::ZERO),
        (5e-324, Duration::ZERO),
        (0.4e-9, Duration::ZERO),
        (0.6e-9, Duration::from_nanos(1)),
        (0.1, Duration::from_millis(100)),
        (1.0 - 1e-10, Duration::from_secs(1)),
        (512.0, Duration::from_secs(512)),
        (1_125_899.906_842_624, Duration::from_nanos(1 << 50)),
        (f64::INFINITY, Duration::MAX),
        (f64::MAX, Duration::MAX),
        (18_446_744_073_709_551_616.0, Duration::MAX),
    ] {
        assert_eq!(backoff.duration(wait), duration, "{wait}");
    }
}

#[test]
fn waits_are_constant_from_where_the_cap_is_reached() {
    let constant_from = |config: BackoffConfig| config.build().unwrap().constant_from();
    let (base, cap) = (Duration::from_secs(1), Duration::from_secs(30));
    let published = growth(base, cap);
    assert_eq!(constant_from(BackoffConfig::Immediate), Some(1));
    assert_eq!(constant_from(BackoffConfig::Fixed { wait: cap }), Some(1));
    assert_eq!(
        constant_from(BackoffConfig::Exponential(published)),
        Some(6)
    );
    assert_eq!(
        constant_from(BackoffConfig::FullJitter(Growth {
            exponent_from: 1,
            ..published
        })),
        Some(5)
    );
    assert_eq!(
        constant_from(BackoffConfig::EqualJitter(Growth {
            multiplier: 1.0,
            ..published
        })),
        Some(1)
    );
    // 2^-52 above 1: after 2^32 failures the wait has grown by a millionth.
    let hardly = Growth {
        multiplier: 1.0 + f64::EPSILON,
        ..published
    };
    assert_eq!(constant_from(BackoffConfig::Exponential(hardly)), None);
    assert_eq!(
        constant_from(BackoffConfig::Decorrelated { base, cap }),
        None
    );
    assert_eq!(
        constant_from(BackoffConfig::Decorrelated { base: cap, cap }),
        Some(1)
    );
}

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

fn units() -> impl Strategy<Value = f64> {
    prop_oneof![
        Just(0.0),
        Just(JUST_UNDER_1),
        any::<u64>().prop_map(unit_from_bits)
    ]
}

fn failure_numbers() -> impl Strategy<Value = u32> {
    prop_oneof![0..40u32, any::<u32>(), Just(u32::MAX)]
}

proptest! {
    #[test]
    fn every_wait_is_within_its_bounds(config in configs(), failures in failure_numbers(), seed: u64, unit in units()) {
        let backoff = config.build().unwrap();
        let mut rng = Pcg64Mcg::seed_from_u64(seed);
        let mut previous = backoff.first_previous();
        for n in 1..failures.min(12) {
            previous = backoff.wait(n, previous, unit_from_bits(rng.next_u64()));
        }
        if failures >= 12 && backoff.remembers() {
            previous = backoff.bounds(failures - 1).1;
        }
        let wait = backoff.wait(failures, previous, unit);
        let (low, high) = backoff.bounds(failures);
        prop_assert!(low <= wait && wait <= high, "{low} {wait} {high}");
        prop_assert!(low >= 0.0 && high.is_finite());
    }

    #[test]
    fn no_previous_wait_leads_out_of_the_cap_or_to_nan(config in configs(), failures in failure_numbers(), previous in any::<f64>(), unit in units()) {
        let backoff = config.build().unwrap();
        let wait = backoff.wait(failures, previous, unit);
        let (low, _) = backoff.bounds(failures);
        let (_, high) = backoff.bounds(u32::MAX);
        prop_assert!(low <= wait && wait <= high, "{low} {wait} {high}");
    }

    #[test]
    fn the_mean_is_within_the_bounds(config in configs(), failures in 0..60u32) {
        let backoff = config.build().unwrap();
        let (low, high) = backoff.bounds(failures);
        let mean = backoff.mean(failures);
        prop_assert!(low <= mean && mean <= high, "{low} {mean} {high}");
        let (low, high) = backoff.total_bounds(failures);
        let mean = backoff.total_mean(failures);
        let rounding = 1e-12 * high;
        prop_assert!(low - rounding <= mean && mean <= high + rounding, "{low} {mean} {high}");
    }

    #[test]
    fn bounds_never_fall(config in configs(), failures in failure_numbers()) {
        let backoff = config.build().unwrap();
        let (low, high) = backoff.bounds(failures);
        let (next_low, next_high) = backoff.bounds(failures.saturating_add(1));
        prop_assert!(low <= next_low && high <= next_high);
    }

    #[test]
    fn bounds_are_constant_from_where_it_is_said_and_not_before(config in configs(), beyond: u32) {
        let backoff = config.build().unwrap();
        if let Some(from) = backoff.constant_from() {
            let last = backoff.bounds(u32::MAX);
            prop_assert_eq!(backoff.bounds(from), last);
            prop_assert_eq!(backoff.bounds(from.saturating_add(beyond)), last);
            prop_assert!(from == 1 || backoff.bounds(from - 1) != last);
        }
    }

    #[test]
    fn totals_are_the_sums_of_bounds(config in configs(), failures in 0..50u32) {
        let backoff = config.build().unwrap();
        let (mut low, mut high, mut mean) = (0.0, 0.0, 0.0);
        for n in 1..=failures {
            low += backoff.bounds(n).0;
            high += backoff.bounds(n).1;
            mean += backoff.mean(n);
        }
        let (total_low, total_high) = backoff.total_bounds(failures);
        let near = |a: f64, b: f64| (a - b).abs() <= 1e-11 * b.abs();
        prop_assert!(near(total_low, low) && near(total_high, high), "{low} {total_low} {high} {total_high}");
        prop_assert!(near(backoff.total_mean(failures), mean));
    }

    #[test]
    fn durations_come_back_to_the_nanosecond(nanos in 0..1u64 << 50) {
        let duration = Duration::from_nanos(nanos);
        let backoff = BackoffConfig::Fixed { wait: duration }.build().unwrap();
        prop_assert_eq!(backoff.duration(backoff.wait(1, 0.0, 0.0)), duration);
        let backoff = BackoffConfig::Fixed { wait: duration }.build_in(Unit::Millis).unwrap();
        prop_assert_eq!(backoff.duration(backoff.wait(1, 0.0, 0.0)), duration);
    }

    #[test]
    fn delay_and_schedule_never_panic_and_agree_with_wait(config in configs(), seed: u64) {
        let backoff = config.build().unwrap();
        let mut rng = Pcg64Mcg::seed_from_u64(seed);
        let mut previous = backoff.first_previous();
        for (n, scheduled) in (1..=20).zip(backoff.schedule(Pcg64Mcg::seed_from_u64(seed))) {
            let unit = if backoff.draws() { unit_from_bits(rng.next_u64()) } else { 0.0 };
            previous = backoff.wait(n, previous, unit);
            prop_assert_eq!(scheduled, backoff.duration(previous));
        }
    }
}
