//! Runs the experiments and keeps the ledger.
//!
//! scenario (TOML) → simulation → outcome → tables, figures, metrics → reports and the ledger.

pub mod artifacts;
pub mod check;
pub mod cli;
pub mod commands;
pub mod execute;
pub mod hardware;
pub mod index;
pub mod ledger;
pub mod models;
pub mod progress;
pub mod reports;
pub mod scenario;
pub mod sections;
pub mod shown;
