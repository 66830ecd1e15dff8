//! Measured times: kept with the machine that they were measured on, never compared for equality.

mod collect;
mod comparison;
mod machine;
mod store;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use collect::{estimates, peers};
pub use comparison::Comparison;
pub use machine::Machine;
pub use store::{Stored, append, latest, load};

/// The name of the file with records side by side.
pub const COMPARISON: &str = "comparison.txt";

/// What one machine measured at one time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The command that made the record.
    pub command: String,
    /// When, in UTC, to the second.
    pub recorded: String,
    /// On what.
    pub machine: Machine,
    /// Each bench, by its name.
    pub benches: Vec<Bench>,
    /// What was measured beside programs outside Rust, as their script wrote it, by the name of its file.
    #[serde(default)]
    pub peers: BTreeMap<String, Value>,
}

/// The median time of one iteration of a bench, with its confidence interval, as criterion estimates them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Bench {
    /// The name: `group/implementation/parameter`.
    pub id: String,
    /// The median, in nanoseconds.
    pub median_ns: f64,
    /// The lower end of the interval, in nanoseconds.
    pub low_ns: f64,
    /// The upper end of the interval, in nanoseconds.
    pub high_ns: f64,
    /// The interval's confidence level, such as 0.95.
    pub confidence: f64,
    /// How many requests, decisions or other elements one iteration is, if the bench says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elements: Option<u64>,
}

impl Bench {
    /// A time of an iteration as the time for one of its elements, or as it is if the bench names none.
    #[must_use]
    pub fn per_element(&self, nanos: f64) -> f64 {
        nanos / self.elements.unwrap_or(1).max(1) as f64
    }
}
