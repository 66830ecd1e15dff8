//! Clients race to update one row.
