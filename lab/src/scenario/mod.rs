//! A scenario: one experiment as data, checked before anything runs.

pub mod backoff;
pub mod builtin;
mod drawn;
mod error;
pub mod file;
pub mod header;
pub mod value;

use serde::de::DeserializeOwned;
use toml::Spanned;
use toml::de::{DeTable, Deserializer};

pub use backoff::{BackoffTable, Strategy, StrategyTable, distinct, strategies};
pub use drawn::drawn;
pub use error::{Problem, ScenarioError};
pub use header::{Engine, Header, Published, Rng};
pub use value::{Name, Positive, Real, Share, Time, Whole};

use crate::models::{self, Experiment, Metrics};
use header::HeaderTable;

/// A checked scenario, ready to run.
pub struct Scenario {
    /// The file's stem: the folder in the reports, the key in the ledger.
    pub id: String,
    /// What every scenario says.
    pub header: Header,
    /// The model with its parameters.
    pub experiment: Box<dyn Experiment>,
    source: Source,
}

/// The text that a scenario came from, kept for errors that are found after running.
struct Source {
    file: String,
    text: String,
}

/// A scenario's tables that belong to its model.
pub struct Body<'a> {
    span: std::ops::Range<usize>,
    table: DeTable<'a>,
}

impl Body<'_> {
    /// The tables as the model's own type, which should deny unknown fields.
    ///
    /// # Errors
    /// A missing or unknown key, a value of a wrong type or out of its range.
    pub fn read<T: DeserializeOwned>(self) -> Result<T, Problem> {
        let table = Deserializer::from(Spanned::new(self.span, self.table));
        Ok(T::deserialize(table)?)
    }
}

impl Scenario {
    /// The scenario that a text describes; `file` is how errors name it.
    ///
    /// # Errors
    /// Anything wrong in the text, with its line and key.
    pub fn parse(id: &str, file: &str, text: &str) -> Result<Self, ScenarioError> {
        let root = DeTable::parse(text)
            .map_err(|error| ScenarioError::locate(file, text, None, error.into()))?;
        let (header, experiment) = Self::check(&root)
            .map_err(|problem| ScenarioError::locate(file, text, Some(root.get_ref()), problem))?;
        Ok(Self {
            id: id.to_owned(),
            header,
            experiment,
            source: Source {
                file: file.to_owned(),
                text: text.to_owned(),
            },
        })
    }

    fn check(root: &Spanned<DeTable<'_>>) -> Result<(Header, Box<dyn Experiment>), Problem> {
        let (mut head, mut body) = (DeTable::new(), DeTable::new());
        for (key, value) in root.get_ref() {
            let is_header = header::KEYS.contains(&key.get_ref().as_ref());
            let half = if is_header { &mut head } else { &mut body };
            half.insert(key.clone(), value.clone());
        }
        if root.get_ref().is_empty() {
            return Err(Problem::anywhere(
                "the file is empty: a scenario begins with `model = \"…\"`, see `lab scenario --help`",
            ));
        }
        let head: HeaderTable = Body {
            span: 0..0,
            table: head,
        }
        .read()
        .map_err(without_empty_place)?;
        let model = models::find(head.model.get_ref()).ok_or_else(|| {
            let known: Vec<&str> = models::ALL.iter().map(|model| model.name).collect();
            let message = format!(
                "unknown model `{}`, expected one of {}",
                head.model.get_ref(),
                backoff::quoted(&known)
            );
            Problem::at(&head.model, message)
        })?;
        for key in body.keys() {
            if !model.tables.contains(&key.get_ref().as_ref()) {
                let expected = [&header::KEYS[..], model.tables].concat();
                let message = format!(
                    "unknown key `{}`, expected one of {}",
                    key.get_ref(),
                    backoff::quoted(&expected)
                );
                return Err(Problem::at(key, message));
            }
        }
        let header = head.check(model)?;
        let body = Body {
            span: 0..0,
            table: body,
        };
        let experiment = (model.parse)(&header, body).map_err(without_empty_place)?;
        Ok((header, experiment))
    }

    /// Whether every published row names a metric that there is.
    ///
    /// # Errors
    /// The first that doesn't, with the metrics that there are.
    pub fn check_metrics(&self, metrics: &Metrics) -> Result<(), ScenarioError> {
        for row in &self.header.published {
            let metric = row.metric.get_ref();
            if metrics.get(metric).is_none() {
                let problem = Problem::at(
                    &row.metric,
                    format!(
                        "no metric is called `{metric}`, expected one of {}",
                        nearest(metric, metrics)
                    ),
                );
                let root = DeTable::parse(&self.source.text).ok();
                let root = root.as_ref().map(Spanned::get_ref);
                return Err(ScenarioError::locate(
                    &self.source.file,
                    &self.source.text,
                    root,
                    problem,
                ));
            }
        }
        Ok(())
    }
}

/// The metrics whose names begin most like the one asked for; of a measure's many seeds only the first.
fn nearest(asked: &str, metrics: &Metrics) -> String {
    const NAMED: usize = 12;
    let mut known: Vec<&str> = Vec::new();
    for name in metrics.names() {
        let measure = |name: &'_ str| {
            name.split_once("/seed ")
                .map(|(measure, _)| measure.to_owned())
        };
        let again = known.last().and_then(|last| measure(last));
        if again.is_none() || again != measure(name) {
            known.push(name);
        }
    }
    let alike = |name: &str| {
        asked
            .chars()
            .zip(name.chars())
            .take_while(|(a, b)| a == b)
            .count()
    };
    known.sort_by_key(|name| std::cmp::Reverse(alike(name)));
    let more = known.len().saturating_sub(NAMED);
    known.truncate(NAMED);
    let named = backoff::quoted(&known);
    if more > 0 {
        format!("{named} and {more} more")
    } else {
        named
    }
}

/// A key missing at the top level has no place in the text.
fn without_empty_place(mut problem: Problem) -> Problem {
    problem.span = problem.span.filter(|span| !span.is_empty());
    problem
}
