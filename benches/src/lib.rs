//! The settings that all benches share.
