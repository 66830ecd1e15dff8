//! A backoff and a named strategy, as every model's scenario spells them.

use std::collections::BTreeSet;
use std::time::Duration;

use backoff_core::{Backoff, BackoffConfig, Growth, Unit};
use render::Hue;
use serde::Deserialize;
use toml::Spanned;

use super::error::Problem;
use super::value::{DAY, Name, Real, Share, Time, Whole};

/// A wait of a scenario: 0 to 365 days.
pub type Wait = Time<0, { 365 * DAY }>;

const KINDS: [&str; 7] = [
    "immediate",
    "fixed",
    "exponential",
    "full-jitter",
    "equal-jitter",
    "decorrelated",
    "proportional",
];

/// `{ kind = "full-jitter", base = "100ms", cap = "10s", … }`, not yet checked.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BackoffTable {
    kind: Spanned<String>,
    wait: Option<Spanned<Wait>>,
    base: Option<Spanned<Wait>>,
    cap: Option<Spanned<Wait>>,
    multiplier: Option<Spanned<Real<1, 1000>>>,
    exponent_from: Option<Spanned<Whole<0, 1000>>>,
    factor: Option<Spanned<Share>>,
}

impl BackoffTable {
    /// The checked backoff, computing in `unit`.
    ///
    /// # Errors
    /// An unknown kind, a key that the kind lacks or doesn't know, a cap below its base.
    pub fn build(&self, unit: Unit) -> Result<Backoff, Problem> {
        let config = self.config()?;
        config.build_in(unit).map_err(|error| {
            let place = match error.field {
                "cap" => self.cap.as_ref().map(Spanned::span),
                "multiplier" => self.multiplier.as_ref().map(Spanned::span),
                "factor" => self.factor.as_ref().map(Spanned::span),
                _ => None,
            };
            Problem {
                span: place.or(Some(self.kind.span())),
                message: error.to_string(),
            }
        })
    }

    /// The configuration that the table describes, which can be built.
    ///
    /// # Errors
    /// As [`BackoffTable::build`].
    pub fn checked(&self) -> Result<BackoffConfig, Problem> {
        self.build(Unit::Seconds)?;
        self.config()
    }

    /// The configuration that the table describes.
    ///
    /// # Errors
    /// An unknown kind, a key that the kind lacks or doesn't know.
    pub fn config(&self) -> Result<BackoffConfig, Problem> {
        let kind = self.kind.get_ref().as_str();
        match kind {
            "immediate" => self.only(&[])?,
            "fixed" => self.only(&["wait"])?,
            "decorrelated" => self.only(&["base", "cap"])?,
            "exponential" | "full-jitter" | "equal-jitter" => {
                self.only(&["base", "cap", "multiplier", "exponent_from"])?;
            }
            "proportional" => {
                self.only(&["base", "cap", "multiplier", "exponent_from", "factor"])?;
            }
            _ => {
                return Err(Problem::at(
                    &self.kind,
                    format!("unknown kind `{kind}`, expected one of {}", quoted(&KINDS)),
                ));
            }
        }
        Ok(match kind {
            "immediate" => BackoffConfig::Immediate,
            "fixed" => BackoffConfig::Fixed {
                wait: self.required(self.wait.as_ref(), "wait")?,
            },
            "decorrelated" => BackoffConfig::Decorrelated {
                base: self.required(self.base.as_ref(), "base")?,
                cap: self.required(self.cap.as_ref(), "cap")?,
            },
            "exponential" => BackoffConfig::Exponential(self.growth()?),
            "full-jitter" => BackoffConfig::FullJitter(self.growth()?),
            "equal-jitter" => BackoffConfig::EqualJitter(self.growth()?),
            _ => BackoffConfig::Proportional {
                growth: self.growth()?,
                factor: self
                    .factor
                    .as_ref()
                    .map_or(0.2, |factor| factor.get_ref().get()),
            },
        })
    }

    fn growth(&self) -> Result<Growth, Problem> {
        Ok(Growth {
            base: self.required(self.base.as_ref(), "base")?,
            cap: self.required(self.cap.as_ref(), "cap")?,
            multiplier: self.multiplier.as_ref().map_or(2.0, |m| m.get_ref().get()),
            exponent_from: self
                .exponent_from
                .as_ref()
                .map_or(0, |e| e.get_ref().small()),
        })
    }

    fn required(&self, value: Option<&Spanned<Wait>>, key: &str) -> Result<Duration, Problem> {
        value.map(|wait| wait.get_ref().get()).ok_or_else(|| {
            Problem::at(
                &self.kind,
                format!(
                    "missing key `{key}`: kind `{}` needs it",
                    self.kind.get_ref()
                ),
            )
        })
    }

    fn only(&self, allowed: &[&str]) -> Result<(), Problem> {
        let given = [
            ("wait", self.wait.as_ref().map(Spanned::span)),
            ("base", self.base.as_ref().map(Spanned::span)),
            ("cap", self.cap.as_ref().map(Spanned::span)),
            ("multiplier", self.multiplier.as_ref().map(Spanned::span)),
            (
                "exponent_from",
                self.exponent_from.as_ref().map(Spanned::span),
            ),
            ("factor", self.factor.as_ref().map(Spanned::span)),
        ];
        for (key, span) in given {
            if span.is_some() && !allowed.contains(&key) {
                let expected = if allowed.is_empty() {
                    "no other key".to_owned()
                } else {
                    quoted(allowed)
                };
                return Err(Problem {
                    span,
                    message: format!(
                        "kind `{}` has no key `{key}`, expected {expected}",
                        self.kind.get_ref()
                    ),
                });
            }
        }
        Ok(())
    }
}

/// A list of names, each in backquotes.
pub(crate) fn quoted<S: AsRef<str>>(names: &[S]) -> String {
    let quoted: Vec<String> = names
        .iter()
        .map(|name| format!("`{}`", name.as_ref()))
        .collect();
    quoted.join(", ")
}

/// `[[strategy]]`: a name and a backoff, not yet checked.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StrategyTable {
    name: Spanned<Name>,
    backoff: BackoffTable,
}

/// A named backoff.
#[derive(Debug, Clone)]
pub struct Strategy {
    /// Its name in tables, figures and metrics.
    pub name: String,
    /// Its backoff.
    pub backoff: Backoff,
    /// Its colour in every figure: the kind's own, as long as no earlier strategy of the scenario has it.
    pub hue: Hue,
}

/// The colour of a kind, the same in every figure.
fn hue(config: &BackoffConfig) -> Hue {
    match config {
        BackoffConfig::Immediate => Hue::Gray,
        BackoffConfig::Fixed { .. } => Hue::Orange,
        BackoffConfig::Exponential(_) => Hue::Vermilion,
        BackoffConfig::FullJitter(_) => Hue::Blue,
        BackoffConfig::EqualJitter(_) => Hue::Green,
        BackoffConfig::Decorrelated { .. } => Hue::Purple,
        BackoffConfig::Proportional { .. } => Hue::Sky,
    }
}

/// The wanted colour, or another that isn't taken; the wanted one again if all are.
#[must_use]
pub fn free_hue(wanted: Hue, taken: &[Hue]) -> Hue {
    if taken.contains(&wanted) {
        let other = Hue::ALL.into_iter().find(|hue| !taken.contains(hue));
        return other.unwrap_or(wanted);
    }
    wanted
}

/// The strategies of a scenario: 1 to 32, their names distinct, computing in `unit`.
///
/// # Errors
/// No strategy, more than 32, a name given twice, a backoff that can't be.
pub fn strategies(
    tables: &Spanned<Vec<StrategyTable>>,
    unit: Unit,
) -> Result<Vec<Strategy>, Problem> {
    distinct(
        tables,
        "strategy",
        tables.get_ref().iter().map(|table| &table.name),
    )?;
    let mut taken = Vec::new();
    let mut strategies = Vec::new();
    for table in tables.get_ref() {
        let hue = free_hue(hue(&table.backoff.config()?), &taken);
        taken.push(hue);
        strategies.push(Strategy {
            name: table.name.get_ref().as_str().to_owned(),
            backoff: table.backoff.build(unit)?,
            hue,
        });
    }
    Ok(strategies)
}

/// Whether a scenario's list has 1 to 32 entries with distinct names.
///
/// # Errors
/// Otherwise, at the list or at the second of two equal names.
pub fn distinct<'a, T>(
    list: &Spanned<T>,
    key: &str,
    names: impl ExactSizeIterator<Item = &'a Spanned<Name>>,
) -> Result<(), Problem> {
    if !(1..=32).contains(&names.len()) {
        let message = format!("{} entries of `{key}`, expected 1 to 32", names.len());
        return Err(Problem::at(list, message));
    }
    let mut seen = BTreeSet::new();
    for name in names {
        if !seen.insert(name.get_ref().as_str()) {
            let message = format!(
                "the name `{}` is given twice: each {key} needs its own",
                name.get_ref().as_str()
            );
            return Err(Problem::at(name, message));
        }
    }
    Ok(())
}
