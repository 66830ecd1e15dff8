//! Arbitrary valid configurations.

use std::time::Duration;

use backoff_core::{BackoffConfig, Growth};
use proptest::prelude::*;

fn durations() -> impl Strategy<Value = Duration> {
    prop_oneof![
        (0..=u64::MAX, 0..1_000_000_000u32).prop_map(|(secs, nanos)| Duration::new(secs, nanos)),
        (0..100_000u64).prop_map(Duration::from_millis),
        Just(Duration::ZERO),
        Just(Duration::from_nanos(1)),
        Just(Duration::from_nanos(u64::MAX)),
        Just(Duration::MAX),
    ]
}

fn multipliers() -> impl Strategy<Value = f64> {
    prop_oneof![
        Just(1.0),
        Just(2.0),
        1.0..3.0f64,
        // Near 1, where rounding could make a power fall.
        (1..1u64 << 40).prop_map(|ulps| 1.0 + ulps as f64 * f64::EPSILON),
        (0.0..308.0f64).prop_map(|exponent| 10f64.powf(exponent)),
        Just(f64::MAX),
    ]
}

fn exponents() -> impl Strategy<Value = u32> {
    prop_oneof![Just(0), Just(1), 0..100u32, any::<u32>(), Just(u32::MAX)]
}

/// Every configuration that must be accepted, edges included.
pub(crate) fn configs() -> impl Strategy<Value = BackoffConfig> {
    let growth = (durations(), durations(), multipliers(), exponents())
        .prop_map(|(one, other, multiplier, exponent_from)| Growth {
            base: one.min(other),
            cap: one.max(other),
            multiplier,
            exponent_from,
        })
        .boxed();
    prop_oneof![
        Just(BackoffConfig::Immediate),
        durations().prop_map(|wait| BackoffConfig::Fixed { wait }),
        growth.clone().prop_map(BackoffConfig::Exponential),
        growth.clone().prop_map(BackoffConfig::FullJitter),
        growth.clone().prop_map(BackoffConfig::EqualJitter),
        growth
            .clone()
            .prop_map(|Growth { base, cap, .. }| BackoffConfig::Decorrelated { base, cap }),
        (growth, 0.0..=1.0f64)
            .prop_map(|(growth, factor)| BackoffConfig::Proportional { growth, factor }),
    ]
}
