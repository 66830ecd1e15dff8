//! Who may retry on which edge of a chain, as the scenarios of `layers` and `ownership` spell it.

use std::fmt;

use backoff_core::budget::Ratio;
use layers_sim::{EdgeConfig, MAX_ATTEMPTS, Rule};
use serde::Deserialize;
use serde::de::value::SeqAccessDeserializer;
use serde::de::{self, Deserializer, IntoDeserializer, SeqAccess, Unexpected, Visitor};
use toml::Spanned;

use crate::scenario::{Problem, Whole};

/// One value for all edges, or a list with one for each, from the first caller down.
#[derive(Debug, Clone)]
pub(in crate::models) enum PerEdge<T> {
    All(T),
    Each(Vec<T>),
}

pub(in crate::models) type Attempts = Spanned<PerEdge<Whole<1, { MAX_ATTEMPTS as u64 }>>>;
pub(in crate::models) type Budgets = Spanned<PerEdge<EdgeBudget>>;

/// `0.1`, or `"none"`.
#[derive(Debug, Clone, Copy)]
pub(in crate::models) struct EdgeBudget(Option<f64>);

/// `rule = "everyone"`.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(in crate::models) enum RuleKey {
    Everyone,
    Ownership,
    DontRetry,
}

impl From<RuleKey> for Rule {
    fn from(key: RuleKey) -> Self {
        match key {
            RuleKey::Everyone => Self::Everyone,
            RuleKey::Ownership => Self::Ownership,
            RuleKey::DontRetry => Self::DontRetry,
        }
    }
}

impl<T: Copy> PerEdge<T> {
    fn expand(this: &Spanned<Self>, edges: usize) -> Result<Vec<T>, Problem> {
        match this.get_ref() {
            Self::All(value) => Ok(vec![*value; edges]),
            Self::Each(values) if values.len() == edges => Ok(values.clone()),
            Self::Each(values) => Err(Problem::at(
                this,
                format!(
                    "{} entries, expected one for each of the {edges} edges between the services",
                    values.len()
                ),
            )),
        }
    }
}

/// The edges of a chain with this many.
///
/// # Errors
/// A list that doesn't have one entry for each, a share that isn't exact in nine decimals.
pub(in crate::models) fn edges(
    attempts: &Attempts,
    budgets: Option<&Budgets>,
    edges: usize,
) -> Result<Vec<EdgeConfig>, Problem> {
    let attempts = PerEdge::expand(attempts, edges)?;
    let budgets = match budgets {
        None => vec![None; edges],
        Some(budgets) => PerEdge::expand(budgets, edges)?
            .into_iter()
            .map(|budget| {
                budget
                    .0
                    .map(|share| Ratio::from_decimal("retry_budget", share))
                    .transpose()
                    .map_err(|error| Problem::at(budgets, error.to_string()))
            })
            .collect::<Result<_, _>>()?,
    };
    Ok(attempts
        .into_iter()
        .zip(budgets)
        .map(|(attempts, budget)| EdgeConfig {
            attempts: attempts.small(),
            budget,
        })
        .collect())
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for PerEdge<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(PerEdgeVisitor(std::marker::PhantomData))
    }
}

struct PerEdgeVisitor<T>(std::marker::PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for PerEdgeVisitor<T> {
    type Value = PerEdge<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("one value for all edges, or a list with one for each edge")
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Self::Value, E> {
        T::deserialize(value.into_deserializer()).map(PerEdge::All)
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Self::Value, E> {
        T::deserialize(value.into_deserializer()).map(PerEdge::All)
    }

    fn visit_str<E: de::Error>(self, value: &str) -> Result<Self::Value, E> {
        T::deserialize(value.into_deserializer()).map(PerEdge::All)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Self::Value, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(seq)).map(PerEdge::Each)
    }
}

impl<'de> Deserialize<'de> for EdgeBudget {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(EdgeBudgetVisitor)
    }
}

struct EdgeBudgetVisitor;

impl Visitor<'_> for EdgeBudgetVisitor {
    type Value = EdgeBudget;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number from 0 to 100, or \"none\"")
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<EdgeBudget, E> {
        if (0.0..=100.0).contains(&value) {
            Ok(EdgeBudget(Some(value)))
        } else {
            Err(E::invalid_value(Unexpected::Float(value), &self))
        }
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<EdgeBudget, E> {
        if (0..=100).contains(&value) {
            Ok(EdgeBudget(Some(value as f64)))
        } else {
            Err(E::invalid_value(Unexpected::Signed(value), &self))
        }
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<EdgeBudget, E> {
        if text == "none" {
            Ok(EdgeBudget(None))
        } else {
            Err(E::invalid_value(Unexpected::Str(text), &self))
        }
    }
}
