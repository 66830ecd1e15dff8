//! A thousand clients fail at once: what their retries do to a server that crashes under load.
//!
//! Every client sends one request near t = 0 and retries it, without limit, until it succeeds. The server serves so many requests a tick,
//! fails the rest at once, is down at the start, and crashes when too many arrive within a window of time.

pub mod cohort;
pub mod config;
pub mod exact;
pub mod run;

pub use config::{HerdConfig, HerdParams};
pub use run::{HerdRun, Record};
pub use sim_kernel::CrashParams;
