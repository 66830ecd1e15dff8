//! Retries multiply along a call chain; who owns an error.
//!
//! A chain of services, each calling the next, is walked call by call: a [`Chain`] is checked once, [`Chain::run`] sends requests through
//! it one after the other and counts the calls that reach each service. Whether a caller retries is decided by
//! [`backoff_core::ownership`] and [`backoff_core::budget`], not here; there is no formula for what comes out.
//!
//! ```
//! use layers_sim::{ChainConfig, EdgeConfig, Own, Rule, ServiceConfig};
//! use sim_kernel::Pcg64;
//!
//! let mut services = vec![ServiceConfig::default(); 4];
//! services[3].own = Own::Fails;
//! let edges = vec![EdgeConfig { attempts: 3, budget: None }; 3];
//! let chain = ChainConfig { services, edges, rule: Rule::Everyone }.build()?;
//! let outcome = chain.run(1, &mut Pcg64::for_unit("walk", 0))?;
//! assert_eq!(outcome.calls, [1, 3, 9, 27]);
//! # Ok::<(), layers_sim::ChainError>(())
//! ```

mod config;
mod interval;
mod run;

pub use config::{
    Chain, ChainConfig, ChainError, EdgeConfig, MAX_ATTEMPTS, MAX_CALLS, MAX_SERVICES, Own, Place,
    Rule, ServiceConfig,
};
pub use interval::{Interval, wilson_95};
pub use run::Outcome;
