//! What a wait may be, for every configuration that is accepted and every input that broke other libraries.

use std::time::Duration;

use backoff_core::{Backoff, BackoffConfig, Growth};

#[path = "../configs/mod.rs"]
mod configs;
mod limits;
mod properties;
mod values;

const JUST_UNDER_1: f64 = 1.0 - f64::EPSILON / 2.0;

const FAILURES: [u32; 12] = [0, 1, 2, 16, 17, 31, 32, 63, 64, 65, 1025, u32::MAX];

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
