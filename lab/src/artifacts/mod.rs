//! What an experiment leaves behind: names and bytes, not yet written anywhere.

pub mod interrupt;
mod json;
pub mod ownership;
mod reading;
mod swap;
mod turn;

use std::collections::BTreeMap;

use render::FigureError;
use serde_json::{Map, Value};

use crate::models::{self, Outcome, Runs};
use crate::scenario::Scenario;

pub use json::pretty;
pub use ownership::Verb;
pub use reading::{Content, read, read_file};
pub use swap::{
    add_file, check_writable, refuse_foreign, remove_file, replace_file, replace_folder,
};
pub use turn::{Turn, UNFINISHED};

/// The name of the file with the tables.
pub const TABLE: &str = "table.txt";
/// The name of the file with the runs.
pub const RUNS: &str = "outcome.json";

/// One experiment's files, by name; the folder is the scenario's id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArtifactSet {
    /// The scenario's id.
    pub id: String,
    /// The command that made them.
    pub command: String,
    /// Each file's bytes by its name.
    pub files: BTreeMap<String, Vec<u8>>,
}

/// The names of a scenario's files, but for the figures as SVG.
#[must_use]
pub fn names(scenario: &Scenario) -> Vec<String> {
    let mut names = vec![TABLE.to_owned(), RUNS.to_owned()];
    names.extend(scenario.experiment.artifacts());
    names
}

/// Whether figures are also drawn as SVG.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Vectors {
    /// PNG alone.
    No,
    /// An SVG beside each PNG.
    Yes,
}

impl ArtifactSet {
    /// The files of an outcome, each saying that `command` made it (but for CSV, whose bytes are a peer's).
    ///
    /// # Errors
    /// A figure that can't be drawn.
    pub fn draw(
        scenario: &Scenario,
        outcome: &Outcome,
        command: &str,
        vectors: Vectors,
    ) -> Result<Self, FigureError> {
        let mut files = BTreeMap::new();
        let table = format!("{}\nMade by `{command}`.\n", tables_text(outcome));
        files.insert(TABLE.to_owned(), table.into_bytes());
        files.insert(
            RUNS.to_owned(),
            runs_json(scenario, outcome, command).into_bytes(),
        );
        if let Some(name) = outcome.csv.artifact {
            files.insert(name.to_owned(), outcome.csv.text.clone().into_bytes());
        }
        for picture in &outcome.pictures {
            let name = picture.stem;
            files.insert(format!("{name}.png"), picture.figure.png(Some(command))?);
            if vectors == Vectors::Yes {
                let svg = picture.figure.svg(Some(command))?;
                files.insert(format!("{name}.svg"), svg.into_bytes());
            }
        }
        Ok(Self {
            id: scenario.id.clone(),
            command: command.to_owned(),
            files,
        })
    }
}

/// The tables as text, a blank line between two.
#[must_use]
pub fn tables_text(outcome: &Outcome) -> String {
    let texts: Vec<String> = outcome.tables.iter().map(render::Table::text).collect();
    texts.join("\n")
}

/// The JSON object of a run, ending in a line end.
#[must_use]
pub fn runs_json(scenario: &Scenario, outcome: &Outcome, command: &str) -> String {
    let mut object = Map::new();
    object.insert("id".into(), scenario.id.as_str().into());
    object.insert("model".into(), scenario.header.model.as_str().into());
    let draws = models::find(&scenario.header.model).is_some_and(|model| model.runs != Runs::Once);
    let rng = draws.then_some(scenario.header.rng.get_ref().name());
    object.insert("rng".into(), rng.into());
    object.insert(
        "engine".into(),
        scenario.header.engine.get_ref().name().into(),
    );
    object.insert("command".into(), command.into());
    object.extend(outcome.json.clone());
    pretty(&Value::Object(object))
}
