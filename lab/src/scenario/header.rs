//! The keys that every scenario has: what is asked, what is drawn from, and what was published.

use serde::Deserialize;
use serde::de::{self, Unexpected, Visitor};
use sim_kernel::Seeds;
use toml::Spanned;

use super::error::Problem;
use super::value::Whole;
use crate::models::{Engines, Model, Runs};
use crate::shown::number;

/// The header's keys.
pub(crate) const KEYS: [&str; 6] = ["model", "question", "rng", "engine", "seeds", "published"];

/// Where random numbers come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Rng {
    /// `CPython`'s `random.Random`, bit for bit.
    CPython,
    /// `rand_pcg::Pcg64Mcg`, a stream for each strategy and seed.
    #[default]
    Pcg64,
}

impl Rng {
    /// The name in a scenario.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::CPython => "cpython",
            Self::Pcg64 => "pcg64",
        }
    }
}

/// How a simulation is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Engine {
    /// Every client and every draw.
    #[default]
    Exact,
    /// Counts of exchangeable clients.
    Cohort,
}

impl Engine {
    /// The name in a scenario.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Cohort => "cohort",
        }
    }
}

/// A number that was published, and the metric that must meet it.
#[derive(Debug, Clone, PartialEq)]
pub struct Published {
    /// The claim in words.
    pub claim: String,
    /// The metric: name / measure / statistic.
    pub metric: Spanned<String>,
    /// The published number.
    pub value: f64,
    /// How far ours may be from it, at least 0.
    pub within: f64,
    /// Where it was published.
    pub source: String,
}

/// What every scenario says before its model's own tables.
#[derive(Debug, Clone)]
pub struct Header {
    /// The model's name.
    pub model: String,
    /// The question that the experiment answers.
    pub question: String,
    /// Where random numbers come from.
    pub rng: Spanned<Rng>,
    /// How the simulation is computed.
    pub engine: Spanned<Engine>,
    /// The seeds; the single seed 0 for a model without.
    pub seeds: Seeds,
    /// The published numbers.
    pub published: Vec<Published>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct HeaderTable {
    pub(crate) model: Spanned<String>,
    question: Spanned<String>,
    rng: Option<Spanned<Rng>>,
    engine: Option<Spanned<Engine>>,
    seeds: Option<Spanned<SeedsTable>>,
    #[serde(default)]
    published: Vec<PublishedTable>,
}

/// 2^53: seeds up to there are exact in every reader of the JSON.
const SEED_MAX: u64 = 1 << 53;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SeedsTable {
    first: Whole<0, SEED_MAX>,
    count: Whole<1, 10_000>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PublishedTable {
    claim: String,
    metric: Spanned<String>,
    value: Finite,
    within: Spanned<Finite>,
    source: String,
}

/// Any number but an infinite one or NaN.
#[derive(Clone, Copy)]
struct Finite(f64);

struct FiniteVisitor;

impl Visitor<'_> for FiniteVisitor {
    type Value = Finite;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a finite number")
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Finite, E> {
        if value.is_finite() {
            Ok(Finite(value))
        } else {
            Err(E::invalid_value(Unexpected::Float(value), &self))
        }
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Finite, E> {
        Ok(Finite(value as f64))
    }
}

impl<'de> Deserialize<'de> for Finite {
    fn deserialize<D: de::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(FiniteVisitor)
    }
}

impl HeaderTable {
    pub(crate) fn check(self, model: &Model) -> Result<Header, Problem> {
        let name = model.name;
        if let (Some(given), Runs::Once) = (&self.rng, model.runs) {
            return Err(Problem::at(
                given,
                format!("model `{name}` draws nothing: leave `rng` out"),
            ));
        }
        if let (Some(given), Runs::Once | Runs::OnceDrawing) = (&self.seeds, model.runs) {
            return Err(Problem::at(
                given,
                format!("model `{name}` has no `seeds`: leave them out"),
            ));
        }
        if let (Some(given), Engines::Exact) = (&self.engine, model.engines)
            && *given.get_ref() == Engine::Cohort
        {
            return Err(Problem::at(
                given,
                format!("model `{name}` has no cohort engine, expected `exact`"),
            ));
        }
        if self.question.get_ref().trim().is_empty() {
            return Err(Problem::at(
                &self.question,
                "must say what the experiment asks",
            ));
        }
        let seeds = match self.seeds {
            Some(given) => {
                let given = given.into_inner();
                Seeds {
                    first: given.first.get(),
                    count: given.count.small(),
                }
            }
            None if model.runs == Runs::EverySeed => {
                return Err(Problem::anywhere(
                    "missing key `seeds`, such as `seeds = { first = 0, count = 20 }`",
                ));
            }
            None => Seeds { first: 0, count: 1 },
        };
        let published = self.published.into_iter().map(PublishedTable::check);
        Ok(Header {
            model: self.model.into_inner(),
            question: self.question.into_inner(),
            rng: self.rng.unwrap_or(Spanned::new(0..0, Rng::default())),
            engine: self.engine.unwrap_or(Spanned::new(0..0, Engine::default())),
            seeds,
            published: published.collect::<Result<_, _>>()?,
        })
    }
}

impl PublishedTable {
    fn check(self) -> Result<Published, Problem> {
        let within = self.within.get_ref().0;
        if within < 0.0 {
            return Err(Problem::at(
                &self.within,
                format!("{} must be at least 0", number(within)),
            ));
        }
        Ok(Published {
            claim: self.claim,
            metric: self.metric,
            value: self.value.0,
            within,
            source: self.source,
        })
    }
}
