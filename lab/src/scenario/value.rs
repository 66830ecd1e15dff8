//! Values that carry their range in their type, so that every wrong one is refused with what is allowed.

use std::fmt;
use std::time::Duration;

use serde::de::{self, Deserialize, Deserializer, Unexpected, Visitor};

use crate::shown::is_printable;

/// Nanoseconds in a second, for the ends of [`Time`].
pub const SECOND: u64 = 1_000_000_000;
/// Nanoseconds in an hour, for the ends of [`Time`].
pub const HOUR: u64 = 3600 * SECOND;
/// Nanoseconds in a day, for the ends of [`Time`].
pub const DAY: u64 = 24 * HOUR;

/// A whole number from `MIN` to `MAX`, both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Whole<const MIN: u64, const MAX: u64>(u64);

impl<const MIN: u64, const MAX: u64> Whole<MIN, MAX> {
    /// The number.
    #[must_use]
    pub const fn get(self) -> u64 {
        self.0
    }

    /// The number as a `usize`; on the machines this is built for nothing is lost.
    #[must_use]
    pub const fn size(self) -> usize {
        self.0 as usize
    }

    /// The number as a `u32`, saturating.
    #[must_use]
    pub fn small(self) -> u32 {
        u32::try_from(self.0).unwrap_or(u32::MAX)
    }
}

struct WholeVisitor<const MIN: u64, const MAX: u64>;

impl<const MIN: u64, const MAX: u64> Visitor<'_> for WholeVisitor<MIN, MAX> {
    type Value = Whole<MIN, MAX>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a whole number from {MIN} to {MAX}")
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Self::Value, E> {
        match u64::try_from(value) {
            Ok(value) => self.visit_u64(value),
            Err(_) => Err(E::invalid_value(Unexpected::Signed(value), &self)),
        }
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Self::Value, E> {
        if (MIN..=MAX).contains(&value) {
            Ok(Whole(value))
        } else {
            Err(E::invalid_value(Unexpected::Unsigned(value), &self))
        }
    }
}

impl<'de, const MIN: u64, const MAX: u64> Deserialize<'de> for Whole<MIN, MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(WholeVisitor)
    }
}

/// A duration in text such as `"10ms"` or `"1h 30m"`, from `MIN` to `MAX` nanoseconds, both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Time<const MIN: u64, const MAX: u64>(Duration);

impl<const MIN: u64, const MAX: u64> Time<MIN, MAX> {
    /// The duration.
    #[must_use]
    pub const fn get(self) -> Duration {
        self.0
    }

    /// The duration in seconds.
    #[must_use]
    pub fn seconds(self) -> f64 {
        self.0.as_secs_f64()
    }
}

/// The duration in the greatest unit of which it is a whole number: `365days`, `1h`, `10ms`.
fn shortest(nanos: u64) -> String {
    let units = [
        (DAY, "days"),
        (HOUR, "h"),
        (SECOND, "s"),
        (1_000_000, "ms"),
        (1000, "us"),
    ];
    let fits = units
        .into_iter()
        .find(|(unit, _)| nanos >= *unit && nanos.is_multiple_of(*unit));
    match fits {
        _ if nanos == 0 => "0s".to_owned(),
        Some((unit, name)) => format!("{}{name}", nanos / unit),
        None => format!("{nanos}ns"),
    }
}

struct TimeVisitor<const MIN: u64, const MAX: u64>;

impl<const MIN: u64, const MAX: u64> Visitor<'_> for TimeVisitor<MIN, MAX> {
    type Value = Time<MIN, MAX>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (min, max) = (shortest(MIN), shortest(MAX));
        write!(
            f,
            "a duration in text from \"{min}\" to \"{max}\", such as \"10ms\" or \"1s 500ms\""
        )
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
        match humantime::parse_duration(text) {
            Ok(time) if (Duration::from_nanos(MIN)..=Duration::from_nanos(MAX)).contains(&time) => {
                Ok(Time(time))
            }
            _ => Err(E::invalid_value(Unexpected::Str(text), &self)),
        }
    }
}

impl<'de, const MIN: u64, const MAX: u64> Deserialize<'de> for Time<MIN, MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TimeVisitor)
    }
}

/// A finite number from `MIN` to `MAX`, `MAX` included, `MIN` only unless `ABOVE`.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Real<const MIN: i64, const MAX: i64, const ABOVE: bool = false>(f64);

/// A number in [0, 1].
pub type Share = Real<0, 1>;
/// A number in (0, `MAX`].
pub type Positive<const MAX: i64> = Real<0, MAX, true>;

impl<const MIN: i64, const MAX: i64, const ABOVE: bool> Real<MIN, MAX, ABOVE> {
    /// The number.
    #[must_use]
    pub const fn get(self) -> f64 {
        self.0
    }
}

struct RealVisitor<const MIN: i64, const MAX: i64, const ABOVE: bool>;

impl<const MIN: i64, const MAX: i64, const ABOVE: bool> Visitor<'_>
    for RealVisitor<MIN, MAX, ABOVE>
{
    type Value = Real<MIN, MAX, ABOVE>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if ABOVE {
            write!(f, "a number above {MIN}, at most {MAX}")
        } else {
            write!(f, "a number from {MIN} to {MAX}")
        }
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Self::Value, E> {
        let (min, max) = (MIN as f64, MAX as f64);
        // NaN is in no range.
        if (min..=max).contains(&value) && !(ABOVE && value <= min) {
            Ok(Real(value))
        } else {
            Err(E::invalid_value(Unexpected::Float(value), &self))
        }
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Self::Value, E> {
        let (low, high) = (MIN + i64::from(ABOVE), MAX);
        if (low..=high).contains(&value) {
            Ok(Real(value as f64))
        } else {
            Err(E::invalid_value(Unexpected::Signed(value), &self))
        }
    }
}

impl<'de, const MIN: i64, const MAX: i64, const ABOVE: bool> Deserialize<'de>
    for Real<MIN, MAX, ABOVE>
{
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(RealVisitor)
    }
}

/// A name of 1 to 60 printable characters, without `/` (which joins the parts of a metric's name) and without space at its ends.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Name(String);

impl Name {
    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

struct NameVisitor;

impl Visitor<'_> for NameVisitor {
    type Value = Name;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "a name of 1 to 60 printable characters, without `/` and without space at its ends",
        )
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
        let fits = (1..=60).contains(&text.chars().count());
        if fits && text.trim() == text && !text.chars().any(|c| c == '/' || !is_printable(c)) {
            Ok(Name(text.to_owned()))
        } else {
            Err(E::invalid_value(Unexpected::Str(text), &self))
        }
    }
}

impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NameVisitor)
    }
}
