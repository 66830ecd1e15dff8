//! Inputs that broke other libraries: huge failure numbers, 0, impossible values, the greatest durations.

use std::time::Duration;

use backoff_core::{Backoff, BackoffConfig, Growth};
use rand_core::SeedableRng;
use rand_pcg::Pcg64Mcg;

use super::{FAILURES, JUST_UNDER_1, all, growth};

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
