//! A backoff as it stands in a configuration file (feature `serde`).
//!
//! The table of kinds and keys stands at [`BackoffConfig`], and a test holds it to `KINDS`.

use alloc::string::{String, ToString};
use alloc::{format, vec::Vec};
use core::fmt;
use core::time::Duration;

use serde::de::{self, Deserialize, Deserializer, Visitor};
use serde::ser::{Serialize, Serializer};

use super::{BackoffConfig, ConfigError, Growth};

const GROWTH: &[&str] = &["base", "cap", "multiplier", "exponent_from"];

/// Every kind with the keys it takes.
const KINDS: [(&str, &[&str]); 7] = [
    ("immediate", &[]),
    ("fixed", &["wait"]),
    ("exponential", GROWTH),
    ("full-jitter", GROWTH),
    ("equal-jitter", GROWTH),
    ("decorrelated", &["base", "cap"]),
    (
        "proportional",
        &["base", "cap", "multiplier", "exponent_from", "factor"],
    ),
];

const DURATION: &str = "a duration in quotes, such as \"100ms\" or \"1m 30s\"";
const CAP: &str = "a duration in quotes, such as \"10s\", or \"none\"";

/// The table as read: any known key with any plain value.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Read {
    kind: Option<Scalar>,
    wait: Option<Scalar>,
    base: Option<Scalar>,
    cap: Option<Scalar>,
    multiplier: Option<Scalar>,
    exponent_from: Option<Scalar>,
    factor: Option<Scalar>,
}

/// The table as written.
#[derive(serde::Serialize, Default)]
struct Written {
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    wait: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    base: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cap: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    multiplier: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    exponent_from: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    factor: Option<f64>,
}

#[derive(Debug, thiserror::Error)]
enum TextError {
    #[error("{key} is missing: must be {allowed}")]
    Missing { key: &'static str, allowed: String },
    #[error("{key} is not a key of kind {kind}, which takes {takes}")]
    Foreign {
        key: &'static str,
        kind: &'static str,
        takes: String,
    },
    #[error(transparent)]
    Refused(#[from] ConfigError),
}

impl<'de> Deserialize<'de> for BackoffConfig {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let read = Read::deserialize(deserializer)?;
        checked(&read).map_err(de::Error::custom)
    }
}

impl Serialize for BackoffConfig {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Written::from(self).serialize(serializer)
    }
}

fn checked(read: &Read) -> Result<BackoffConfig, TextError> {
    let (kind, keys) = kind(read)?;
    for (key, value) in [
        ("wait", &read.wait),
        ("base", &read.base),
        ("cap", &read.cap),
        ("multiplier", &read.multiplier),
        ("exponent_from", &read.exponent_from),
        ("factor", &read.factor),
    ] {
        if value.is_some() && !keys.contains(&key) {
            let takes = if keys.is_empty() {
                "none".into()
            } else {
                keys.join(", ")
            };
            return Err(TextError::Foreign { key, kind, takes });
        }
    }
    let config = match kind {
        "immediate" => BackoffConfig::Immediate,
        "fixed" => BackoffConfig::Fixed {
            wait: duration("wait", read.wait.as_ref())?,
        },
        "exponential" => BackoffConfig::Exponential(growth(read)?),
        "full-jitter" => BackoffConfig::FullJitter(growth(read)?),
        "equal-jitter" => BackoffConfig::EqualJitter(growth(read)?),
        "decorrelated" => BackoffConfig::Decorrelated {
            base: duration("base", read.base.as_ref())?,
            cap: cap(read.cap.as_ref())?,
        },
        _ => BackoffConfig::Proportional {
            growth: growth(read)?,
            factor: number("factor", read.factor.as_ref(), 0.2)?,
        },
    };
    config.build()?;
    Ok(config)
}

fn kind(read: &Read) -> Result<(&'static str, &'static [&'static str]), TextError> {
    let allowed = || {
        let names: Vec<&str> = KINDS.iter().map(|(name, _)| *name).collect();
        format!("one of {}", names.join(", "))
    };
    let Some(given) = &read.kind else {
        return Err(TextError::Missing {
            key: "kind",
            allowed: allowed(),
        });
    };
    match KINDS
        .into_iter()
        .find(|(name, _)| matches!(given, Scalar::Text(text) if text == name))
    {
        Some(found) => Ok(found),
        None => Err(refused("kind", given, &allowed())),
    }
}

fn growth(read: &Read) -> Result<Growth, TextError> {
    let exponent_from = match &read.exponent_from {
        None => 0,
        Some(Scalar::Integer(value)) if u32::try_from(*value).is_ok() => *value as u32,
        Some(other) => {
            return Err(refused(
                "exponent_from",
                other,
                "a whole number in [0, 4294967295]",
            ));
        }
    };
    Ok(Growth {
        base: duration("base", read.base.as_ref())?,
        cap: cap(read.cap.as_ref())?,
        multiplier: number("multiplier", read.multiplier.as_ref(), 2.0)?,
        exponent_from,
    })
}

fn cap(value: Option<&Scalar>) -> Result<Duration, TextError> {
    match value {
        Some(Scalar::Text(text)) if text == "none" => Ok(Duration::MAX),
        other => duration_or("cap", other, CAP),
    }
}

fn duration(key: &'static str, value: Option<&Scalar>) -> Result<Duration, TextError> {
    duration_or(key, value, DURATION)
}

fn duration_or(
    key: &'static str,
    value: Option<&Scalar>,
    allowed: &str,
) -> Result<Duration, TextError> {
    let value = value.ok_or_else(|| TextError::Missing {
        key,
        allowed: allowed.into(),
    })?;
    match value {
        Scalar::Text(text) => humantime::parse_duration(text).ok(),
        _ => None,
    }
    .ok_or_else(|| refused(key, value, allowed))
}

fn number(key: &'static str, value: Option<&Scalar>, default: f64) -> Result<f64, TextError> {
    match value {
        None => Ok(default),
        Some(Scalar::Float(value)) => Ok(*value),
        Some(Scalar::Integer(value)) => Ok(*value as f64),
        Some(other) => Err(refused(key, other, "a number")),
    }
}

fn refused(field: &'static str, value: &Scalar, allowed: &str) -> TextError {
    TextError::Refused(ConfigError {
        field,
        value: value.to_string(),
        allowed: allowed.into(),
    })
}

impl From<&BackoffConfig> for Written {
    fn from(config: &BackoffConfig) -> Self {
        match config {
            BackoffConfig::Immediate => Self {
                kind: "immediate",
                ..Self::default()
            },
            BackoffConfig::Fixed { wait } => Self {
                kind: "fixed",
                wait: Some(duration_text(*wait)),
                ..Self::default()
            },
            BackoffConfig::Exponential(growth) => Self::growing("exponential", growth),
            BackoffConfig::FullJitter(growth) => Self::growing("full-jitter", growth),
            BackoffConfig::EqualJitter(growth) => Self::growing("equal-jitter", growth),
            BackoffConfig::Decorrelated { base, cap } => Self {
                kind: "decorrelated",
                base: Some(duration_text(*base)),
                cap: Some(cap_text(*cap)),
                ..Self::default()
            },
            BackoffConfig::Proportional { growth, factor } => Self {
                factor: Some(*factor),
                ..Self::growing("proportional", growth)
            },
        }
    }
}

impl Written {
    fn growing(kind: &'static str, growth: &Growth) -> Self {
        Self {
            kind,
            base: Some(duration_text(growth.base)),
            cap: Some(cap_text(growth.cap)),
            multiplier: Some(growth.multiplier),
            exponent_from: Some(growth.exponent_from),
            ..Self::default()
        }
    }
}

fn duration_text(duration: Duration) -> String {
    humantime::format_duration(duration).to_string()
}

fn cap_text(cap: Duration) -> String {
    if cap == Duration::MAX {
        "none".into()
    } else {
        duration_text(cap)
    }
}

/// A plain value, kept until its key is known, so that a refusal can name both.
enum Scalar {
    Text(String),
    Integer(i128),
    Float(f64),
    Boolean(bool),
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => write!(f, "{text:?}"),
            Self::Integer(value) => value.fmt(f),
            Self::Float(value) => value.fmt(f),
            Self::Boolean(value) => value.fmt(f),
        }
    }
}

impl<'de> Deserialize<'de> for Scalar {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ScalarVisitor)
    }
}

struct ScalarVisitor;

impl Visitor<'_> for ScalarVisitor {
    type Value = Scalar;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("text or a number")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Scalar, E> {
        Ok(Scalar::Text(text.into()))
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Scalar, E> {
        Ok(Scalar::Integer(value.into()))
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Scalar, E> {
        Ok(Scalar::Integer(value.into()))
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Scalar, E> {
        Ok(Scalar::Float(value))
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<Scalar, E> {
        Ok(Scalar::Boolean(value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documentation_has_every_kind_with_its_keys() {
        let documented: Vec<(String, Vec<String>)> = include_str!("../config.rs")
            .lines()
            .filter_map(|line| line.strip_prefix("/// | `")?.strip_suffix(" |"))
            .map(|row| {
                // Every odd part stands between two back-ticks; the opening one of the kind is stripped.
                let mut names = row.split('`').step_by(2).map(String::from);
                (names.next().unwrap_or_default(), names.collect())
            })
            .collect();
        let kinds: Vec<(String, Vec<String>)> = KINDS
            .iter()
            .map(|(kind, keys)| {
                let keys = keys.iter().map(|&key| key.into()).collect();
                ((*kind).into(), keys)
            })
            .collect();
        assert_eq!(documented, kinds);
    }
}
