//! What a backoff is made from, checked once.

use alloc::string::String;
use core::time::Duration;

#[cfg(feature = "serde")]
mod text;

use crate::backoff::{Backoff, Curve, Decorrelated, Kind, Other, Spread};

/// The unit in which [`Backoff::wait`] computes.
///
/// A published table comes out digit for digit only in the unit in which it was computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Unit {
    /// Seconds.
    #[default]
    Seconds,
    /// Milliseconds.
    Millis,
}

impl Unit {
    /// The duration as a number of this unit; [`Duration::MAX`], which stands for "no limit", is 2^64 s and as finite as any other.
    #[inline]
    #[must_use]
    pub fn of(self, duration: Duration) -> f64 {
        match self {
            Self::Seconds => duration.as_secs_f64(),
            Self::Millis => {
                duration.as_secs() as f64 * 1e3 + f64::from(duration.subsec_nanos()) / 1e6
            }
        }
    }
}

/// How the nominal wait grows: `min(cap, base · multiplier^(n - 1 + exponent_from))` after failure n.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Growth {
    /// The nominal wait after the first failure when `exponent_from` is 0; 0 is allowed.
    pub base: Duration,
    /// The greatest nominal wait, at least `base`; [`Duration::MAX`] for none.
    pub cap: Duration,
    /// The factor from one failure to the next, finite and at least 1.
    pub multiplier: f64,
    /// The exponent at the first failure, any: 0 makes the base the first nominal wait, 1 the base times the multiplier.
    pub exponent_from: u32,
}

impl Growth {
    /// Doubling from `base` up to `cap`, the first nominal wait being `base`.
    #[must_use]
    pub fn doubling(base: Duration, cap: Duration) -> Self {
        Self {
            base,
            cap,
            multiplier: 2.0,
            exponent_from: 0,
        }
    }
}

/// A strategy and its numbers, not yet checked.
///
/// With the feature `serde` it is read from, and written as, one flat table: `kind`, and the keys that this kind takes (their defaults).
///
/// | kind | keys |
/// |---|---|
/// | `immediate` | |
/// | `fixed` | `wait` |
/// | `exponential` | `base`, `cap`, `multiplier` (2.0), `exponent_from` (0) |
/// | `full-jitter` | `base`, `cap`, `multiplier` (2.0), `exponent_from` (0) |
/// | `equal-jitter` | `base`, `cap`, `multiplier` (2.0), `exponent_from` (0) |
/// | `decorrelated` | `base`, `cap` |
/// | `proportional` | `base`, `cap`, `multiplier` (2.0), `exponent_from` (0), `factor` (0.2) |
///
/// Durations are text such as `"100ms"` or `"1m 30s"`; `cap = "none"` is [`Duration::MAX`]. Reading refuses unknown keys, keys that the kind does not take, missing keys and whatever [`build`](Self::build) refuses, and says what is allowed.
///
#[cfg_attr(
    feature = "serde",
    doc = r#"
```
use backoff_core::{BackoffConfig, Growth};
use core::time::Duration;
let config: BackoffConfig = toml::from_str("
    kind = 'full-jitter'
    base = '100ms'
    cap = '10s'
")?;
let growth = Growth::doubling(Duration::from_millis(100), Duration::from_secs(10));
assert_eq!(config, BackoffConfig::FullJitter(growth));
# Ok::<(), toml::de::Error>(())
```
"#
)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum BackoffConfig {
    /// No wait at all.
    Immediate,
    /// The same wait every time.
    Fixed {
        /// The wait, any: 0 is no wait, and [`Duration::MAX`] as finite as any other.
        wait: Duration,
    },
    /// The nominal wait, without jitter.
    Exponential(Growth),
    /// Uniform in [0, nominal).
    FullJitter(Growth),
    /// Uniform in [nominal / 2, nominal).
    EqualJitter(Growth),
    /// `min(cap, U(base, 3 · previous))`, the first previous wait being `base`.
    Decorrelated {
        /// The least wait, and the first "previous" one.
        base: Duration,
        /// The greatest wait, at least `base`.
        cap: Duration,
    },
    /// Uniform in [(1 − factor) · nominal, (1 + factor) · nominal), as gRPC's A6 has it; may exceed the cap.
    Proportional {
        /// The nominal wait.
        growth: Growth,
        /// The half-width of the jitter, in [0, 1].
        factor: f64,
    },
}

/// Why a configuration was refused: the field, its value, and what is allowed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{field} = {value}: must be {allowed}")]
pub struct ConfigError {
    /// The field's name, as a configuration file spells it.
    pub field: &'static str,
    /// The value that was given.
    pub value: String,
    /// What is allowed.
    pub allowed: String,
}

impl BackoffConfig {
    /// The checked strategy, computing in seconds.
    ///
    /// # Errors
    /// A cap below the base, a multiplier that is not finite or below 1, a factor outside [0, 1].
    pub fn build(self) -> Result<Backoff, ConfigError> {
        self.build_in(Unit::Seconds)
    }

    /// The checked strategy, computing in `unit`.
    ///
    /// # Errors
    /// As [`BackoffConfig::build`].
    pub fn build_in(self, unit: Unit) -> Result<Backoff, ConfigError> {
        let spread = |curve, spread| Kind::Other(Other::Spread { curve, spread });
        let kind = match self {
            Self::Immediate => spread(Curve::constant(0.0), Spread::NONE),
            Self::Fixed { wait } => spread(Curve::constant(unit.of(wait)), Spread::NONE),
            Self::Exponential(growth) => spread(curve(growth, unit)?, Spread::NONE),
            Self::FullJitter(growth) => Kind::FullJitter(curve(growth, unit)?),
            Self::EqualJitter(growth) => Kind::Other(Other::EqualJitter(curve(growth, unit)?)),
            Self::Decorrelated { base, cap } => {
                cap_at_least_base(base, cap)?;
                Kind::Other(Other::Decorrelated(Decorrelated::new(
                    unit.of(base),
                    unit.of(cap),
                )))
            }
            Self::Proportional { growth, factor } => {
                if !(0.0..=1.0).contains(&factor) {
                    return Err(ConfigError {
                        field: "factor",
                        value: alloc::format!("{factor}"),
                        allowed: "in [0, 1]".into(),
                    });
                }
                spread(curve(growth, unit)?, Spread::around(factor))
            }
        };
        Ok(Backoff::from_kind(kind, unit))
    }
}

fn cap_at_least_base(base: Duration, cap: Duration) -> Result<(), ConfigError> {
    if cap < base {
        return Err(ConfigError {
            field: "cap",
            value: alloc::format!("{cap:?}"),
            allowed: alloc::format!("at least base = {base:?}"),
        });
    }
    Ok(())
}

fn curve(growth: Growth, unit: Unit) -> Result<Curve, ConfigError> {
    cap_at_least_base(growth.base, growth.cap)?;
    if !(growth.multiplier.is_finite() && growth.multiplier >= 1.0) {
        return Err(ConfigError {
            field: "multiplier",
            value: alloc::format!("{}", growth.multiplier),
            allowed: "finite and at least 1".into(),
        });
    }
    Ok(Curve::new(
        unit.of(growth.base),
        unit.of(growth.cap),
        growth.multiplier,
        growth.exponent_from,
    ))
}
