//! The kinds of experiments: how each reads its scenario, runs, and says what came out.
//!
//! Data flows one way: a [`Model`] turns a scenario's tables into an [`Experiment`] (checked parameters and nothing else), which runs its
//! simulator and returns an [`Outcome`]: tables, figures, JSON and metrics as values. Only the rest of the lab prints or writes them.
//!
//! # Adding one
//!
//! 1. `lab/src/models/<name>.rs`: `pub(super) const MODEL: Model` with its `parse`, a `#[derive(Deserialize)]` `#[serde(deny_unknown_fields)]` struct
//!    for the scenario's tables, and an `impl Experiment` for the checked parameters. A module that grows beyond about 350 lines splits into
//!    `<name>/…` (parsing, table, figures).
//! 2. Below, `mod <name>;` and one entry in [`ALL`].
//! 3. `lab/scenarios/<id>.toml`: header, the model's tables, one `[[published]]` row for every published number, each key explained in a
//!    comment at its first use; and its id in `scenario/builtin.rs`.
//! 4. `lab/tests/<name>.rs`: the published table digit for digit, and the bad values of the model's own keys through the real binary.
//!
//! Ranges live in types: `Whole<1, 1000>`, `Time<1, { HOUR }>` (nanoseconds), `Share`, `Positive<1000>`, `Name` from
//! [`crate::scenario::value`]; they refuse wrong types, negatives, fractions and NaN with what is allowed. Rules between keys are
//! [`Problem::at`] with the [`toml::Spanned`] key. Choose ends so that no accepted scenario needs more memory than the machine has.
//! `[[strategy]]` lists are [`crate::scenario::StrategyTable`] with [`crate::scenario::strategies`].
//!
//! Every sentence and title that states a finding is computed from the outcome, since a user's scenario comes through the same code.

mod availability;
mod budget;
mod herd;
mod layers;
mod metrics;
mod occ;
mod outcome;
mod ownership;
mod policy;
mod waits;
pub mod wording;

pub use metrics::{Metrics, Summary};
pub use outcome::{Csv, Outcome, Picture};

use crate::progress::Progress;
use crate::scenario::{Body, Header, Problem};

/// A kind of experiment.
#[derive(Debug)]
pub struct Model {
    /// The name in a scenario's `model` key.
    pub name: &'static str,
    /// The top-level tables that belong to this model, beside the header's keys.
    pub tables: &'static [&'static str],
    /// How often it runs, and whether it draws.
    pub runs: Runs,
    /// Which engines it has.
    pub engines: Engines,
    /// Each key of `tables` with its meaning, unit, default and range, for `lab scenario --help`; lines of at most 100 characters.
    pub reference: &'static str,
    /// Checks a scenario's tables.
    pub parse: Parse,
}

/// The checked experiment, or what is wrong, where, and what is allowed.
pub type Parse = fn(&Header, Body<'_>) -> Result<Box<dyn Experiment>, Problem>;

/// How often a model runs, and whether it draws: which of the header's keys `rng` and `seeds` it takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Runs {
    /// Once, drawing nothing: neither is given.
    Once,
    /// Once, with a seed among its own keys: `rng` may be chosen.
    OnceDrawing,
    /// Once for every seed: `rng` may be chosen, `seeds` is required.
    EverySeed,
}

/// The engines that a model has: which values the header's key `engine` takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Engines {
    /// One that follows every client.
    Exact,
    /// Beside it, one that counts clients instead.
    ExactAndCohort,
}

/// A model with checked parameters.
pub trait Experiment: Send + Sync {
    /// The names of the files it makes beside `table.txt` and `outcome.json`: `arrivals.png`, `results.csv`.
    fn artifacts(&self) -> Vec<String>;

    /// What comes out. Depends on the parameters alone: not on threads, machine or time of day. Runs on the current rayon pool.
    fn run(&self, progress: &Progress) -> Outcome;
}

/// Every model, in the order of the specification.
pub static ALL: [Model; 8] = [
    waits::MODEL,
    herd::MODEL,
    layers::MODEL,
    ownership::MODEL,
    availability::MODEL,
    budget::MODEL,
    occ::MODEL,
    policy::MODEL,
];

/// The model with this name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Model> {
    ALL.iter().find(|model| model.name == name)
}
