//! What an experiment returns.

use render::{Figure, Table};
use serde_json::{Map, Value};

use super::Metrics;

/// Everything that came out of an experiment, as values.
pub struct Outcome {
    /// What `table.txt` holds and `lab run` prints, in order.
    pub tables: Vec<Table>,
    /// The figures.
    pub pictures: Vec<Picture>,
    /// What `--format csv` prints.
    pub csv: Csv,
    /// The model's part of the JSON object, `{"strategies": [{"name", "runs": [{"seed", …}]}]}` or the like.
    pub json: Map<String, Value>,
    /// Every number that a `[[published]]` row can name.
    pub metrics: Metrics,
}

/// A figure with its name and what it teaches.
pub struct Picture {
    /// The file's name without `.png`.
    pub stem: &'static str,
    /// What is drawn.
    pub figure: Figure,
    /// What it shows, in a sentence computed from the outcome.
    pub finding: String,
}

/// The runs as comma-separated values.
pub struct Csv {
    /// The text, with a heading line.
    pub text: String,
    /// The name of the file in the reports, for the models whose peers print one.
    pub artifact: Option<&'static str>,
}
