//! Measured times: kept with the machine that they were measured on, never compared for equality.

mod bars;
mod collect;
mod comparison;
mod machine;
mod measure;
mod revision;
mod store;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::shown::is_printable;

pub use bars::bars;
pub use collect::{estimates, peers};
pub use comparison::Comparison;
pub use machine::Machine;
pub use revision::revision;
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
    /// The commit that was checked out, and whether files had changed since; none outside a repository, and in older records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<String>,
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

impl Record {
    /// The machine and the time of the record, in words.
    #[must_use]
    pub fn setting(&self) -> String {
        let Machine {
            processor,
            cores,
            memory_mib,
            system,
            compiler,
            flags,
            ..
        } = &self.machine;
        let revision = self.revision.as_deref().map(|it| format!(", {it}"));
        format!(
            "{processor}, {cores} cores, {memory_mib} MiB, {system}, {compiler}, {flags}, {}{}",
            self.recorded,
            revision.unwrap_or_default()
        )
    }

    /// What no measurement can have given, if there is such a thing in the record.
    #[must_use]
    pub fn flaw(&self) -> Option<String> {
        let setting = self.setting();
        let ids = self.benches.iter().map(|bench| bench.id.as_str());
        let mut texts = ids.chain([setting.as_str(), self.machine.name.as_str()]);
        if let Some(text) = texts.find(|text| !text.chars().all(is_printable)) {
            return Some(format!("{text:?} has a character that doesn't show"));
        }
        self.benches.iter().find_map(Bench::flaw)
    }
}

impl Bench {
    fn flaw(&self) -> Option<String> {
        let Self {
            id,
            median_ns,
            low_ns,
            high_ns,
            confidence,
            ..
        } = self;
        let possible = 0.0 < *low_ns && low_ns <= median_ns && median_ns <= high_ns;
        if !possible || !high_ns.is_finite() {
            return Some(format!(
                "{id}: a median of {median_ns:e} ns in an interval from {low_ns:e} to {high_ns:e} ns, expected 0 < low ≤ median ≤ high"
            ));
        }
        if !(0.0 < *confidence && *confidence < 1.0) {
            return Some(format!(
                "{id}: a confidence of {confidence:e}, expected more than 0 and less than 1"
            ));
        }
        None
    }

    /// A time of an iteration as the time for one of its elements, or as it is if the bench names none.
    #[must_use]
    pub fn per_element(&self, nanos: f64) -> f64 {
        nanos / self.elements.unwrap_or(1).max(1) as f64
    }
}
