//! One module a verb.

pub mod check;
pub mod hardware;
pub mod list;
pub mod reference;
pub mod reproduce;
pub mod run;
pub mod scenario;

use anyhow::{Result, bail};

use crate::artifacts;
use crate::scenario::{Scenario, builtin};

/// The built-in scenarios with these ids, or all; in the order of the list, none twice.
fn chosen(ids: &[String]) -> Result<Vec<Scenario>> {
    for id in ids {
        if builtin::find(id).is_none() {
            let known: Vec<&str> = builtin::ALL.iter().map(|builtin| builtin.id).collect();
            bail!(
                "no experiment is called `{id}`, expected one of {}",
                known.join(", ")
            );
        }
    }
    let chosen = builtin::ALL
        .iter()
        .filter(|builtin| ids.is_empty() || ids.iter().any(|id| id == builtin.id));
    chosen.map(|builtin| Ok(builtin.scenario()?)).collect()
}

/// The folder of each of these experiments, with the names of its files.
fn folders(scenarios: &[Scenario]) -> Vec<(String, Vec<String>)> {
    scenarios
        .iter()
        .map(|scenario| (scenario.id.clone(), artifacts::names(scenario)))
        .collect()
}
