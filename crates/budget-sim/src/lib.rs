//! A dependency is down for ten seconds: what the retries of its clients do to it, under budgets and circuit breakers.
//!
//! Every client sends new requests as a Poisson process to one server, which serves so many a tick, fails everything during an outage and
//! crashes when too many arrive. Failures are retried as a [`Policy`] has it: attempts, backoff, a retry budget and a circuit breaker for
//! each client. Budgets and breakers are `backoff-core`'s own.

pub mod config;
mod engine;
mod guard;
pub mod policy;
mod request;
pub mod run;

pub use config::{BudgetSimConfig, BudgetSimParams, OutageParams};
pub use engine::run;
pub use policy::{BreakerPlace, Policy, PolicyParams, build_budget};
pub use run::{BudgetRun, Second, Trace};
pub use sim_kernel::CrashParams;
