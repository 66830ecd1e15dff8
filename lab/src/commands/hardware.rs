//! `lab hardware`.

use anyhow::Result;
use clap::Subcommand;

use crate::cli::Verdict;

/// What is done with measured times.
#[derive(Debug, Subcommand)]
pub enum Command {}

/// Records or compares.
///
/// # Errors
/// None yet.
pub fn hardware(command: &Command) -> Result<Verdict> {
    match *command {}
}
