//! Whether to call at all.
//!
//! A circuit breaker watches the calls to one service. *Closed*, it lets them through and counts; when too many fail it *opens*
//! and refuses at once; after a while it is *half-open* and lets a few probes through, which decide whether it closes again.
//!
//! ```text
//! closed ── failure rate reached ──▶ open ── open_for has passed ──▶ half-open ── all probes succeeded ──▶ closed
//!                                     ▲                                   │
//!                                     └── a probe failed, or none succeeded for half_open_limit ┘
//! ```
//!
//! The limit runs while any probe is out, and starts anew with each success: probes that are lost don't hold the breaker half-open for ever, and a
//! slow service whose probes succeed closes it. Ignored outcomes don't count as progress.
//!
//! [`Breaker`] is the logic for one thread, with tickets that the caller hands back; `SharedBreaker` (feature `std`) shares it between threads,
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
