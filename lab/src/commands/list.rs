//! `lab list`: every experiment.

use anyhow::Result;
use render::{Column, Table};

use super::chosen;
use crate::artifacts;
use crate::cli::{Verdict, print};

/// Prints every experiment's id, question and artifacts.
///
/// # Errors
/// Standard output can't be written.
pub fn list() -> Result<Verdict> {
    let mut table = Table::new(["id", "question", "artifacts"].map(Column::left));
    for scenario in chosen(&[])? {
        let artifacts = artifacts::names(&scenario);
        table.push([scenario.id, scenario.header.question, artifacts.join(" ")])?;
    }
    print(&table.text())?;
    Ok(Verdict::Agrees)
}
