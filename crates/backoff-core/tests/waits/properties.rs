//! What holds for every configuration that is accepted.

use std::time::Duration;

use backoff_core::backoff::unit_from_bits;
use backoff_core::{BackoffConfig, Unit};
use proptest::prelude::*;
use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::JUST_UNDER_1;
use super::configs::configs;

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
