//! Runs the experiments and keeps the ledger.
