//! Clients race to update one row under optimistic concurrency control.
//!
//! Each client reads the row's version and writes with it. The write is accepted only if the version is still current; a client that is refused
//! backs off and starts over, until every client has had one write accepted. The model is that of Marc Brooker's simulator for "Exponential
//! Backoff And Jitter" (AWS Architecture Blog, 2015).
//!
//! ```
//! use core::time::Duration;
//! use backoff_core::{BackoffConfig, Unit};
//! use occ_sim::{OccParams, Strategy, run_table};
//! use sim_kernel::CPython;
//!
//! let immediate = BackoffConfig::Immediate.build_in(Unit::Millis)?;
//! let config = OccParams {
//!     clients: vec![10],
//!     repetitions: 100,
//!     network_mean: Duration::from_millis(10),
//!     network_sd: Duration::from_millis(2),
//!     strategies: vec![Strategy { name: "None".into(), backoff: immediate }],
//! }
//! .build()?;
//! let rows = run_table(&config, &mut CPython::new(0), |_| {});
//! assert_eq!((rows[0].whole_ms(), rows[0].whole_calls()), (379, 50));
//! # Ok::<(), backoff_core::ConfigError>(())
//! ```

mod agenda;
pub mod config;
mod contest;
pub mod table;

pub use config::{OccConfig, OccParams, Strategy};
pub use contest::Write;
pub use table::{Progress, Row, run_rows_apart, run_table, trace_writes};
