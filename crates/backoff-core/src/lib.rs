//! Decides how long to wait, whether to retry, and how much to retry.
//!
//! No clock, no I/O and no randomness of its own: time and a uniform number come from the caller,
//! so one implementation serves a production client, the replay of a published table and a simulated billion.
#![cfg_attr(not(feature = "std"), no_std)]

extern crate alloc;

pub mod backoff;
pub mod breaker;
pub mod budget;
pub mod classify;
pub mod config;
pub mod ownership;
pub mod policy;
pub mod retry_after;
mod window;

pub use backoff::Backoff;
pub use config::{BackoffConfig, ConfigError, Growth, Unit};
pub use policy::{Policy, PolicyConfig};

/// Runs the README's example as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
