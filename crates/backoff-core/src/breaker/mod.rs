//! Whether to call at all.
//!
//! A circuit breaker watches the calls to one service. *Closed*, it lets them through and counts; when too many fail it *opens*
//! and refuses at once; after a while it is *half-open* and lets a few probes through, which decide whether it closes again.
//!
//! ```text
//! closed ── failure rate reached ──▶ open ── open_for has passed ──▶ half-open ── all probes succeeded ──▶ closed
//!                                     ▲                                   │
//!                                     └── a probe failed, or took longer than half_open_limit ──┘
//! ```
//!
//! [`Breaker`] is the logic for one thread, with tickets that the caller hands back; [`SharedBreaker`] shares it between threads,
//! with permits that hand themselves back when they are dropped. Time comes from the caller as in [`budget`](crate::budget);
//! a reading smaller than an earlier one counts as the earlier one.

mod calls;
mod config;
mod machine;
#[cfg(feature = "std")]
mod shared;

pub use config::{BreakerConfig, CallWindow};
pub use machine::{Breaker, Outcome, Refused, State, Ticket};
#[cfg(feature = "std")]
pub use shared::{Permit, SharedBreaker};
