//! Runs the experiments and keeps the ledger.
//!
//! scenario (TOML) → simulation → outcome → tables, figures, metrics → reports and the ledger.

pub mod models;
pub mod progress;
pub mod scenario;
