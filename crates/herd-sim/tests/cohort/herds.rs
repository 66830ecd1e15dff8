//! The herds and strategies that the tests compare.

use core::time::Duration;

use backoff_core::{Backoff, BackoffConfig, Growth};
use herd_sim::{HerdConfig, HerdParams};

/// The published growth: nominal waits of 0.2, 0.4, … 6.4, 10, 10 s.
pub(crate) fn growth() -> Growth {
    Growth {
        exponent_from: 1,
        ..Growth::doubling(Duration::from_millis(100), Duration::from_secs(10))
    }
}

/// Every exchangeable strategy, with its published numbers.
pub(crate) fn strategies() -> [(&'static str, Backoff); 6] {
    let proportional = BackoffConfig::Proportional {
        growth: Growth::doubling(Duration::from_millis(100), Duration::from_secs(10)),
        factor: 0.2,
    };
    [
        ("immediate", BackoffConfig::Immediate),
        (
            "fixed",
            BackoffConfig::Fixed {
                wait: Duration::from_secs(1),
            },
        ),
        ("exponential", BackoffConfig::Exponential(growth())),
        ("full jitter", BackoffConfig::FullJitter(growth())),
        ("equal jitter", BackoffConfig::EqualJitter(growth())),
        ("proportional", proportional),
    ]
    .map(|(name, config)| (name, config.build().expect("a valid backoff")))
}

/// The published herd with changes.
pub(crate) fn herd(clients: u64, change: impl FnOnce(&mut HerdParams)) -> HerdConfig {
    let mut params = HerdParams::published(clients);
    change(&mut params);
    params.build().expect("a valid herd")
}
