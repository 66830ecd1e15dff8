//! Virtual ticks, the wheel of due requests, the server that crashes, random streams and replications.
//!
//! Nothing here knows an experiment: a simulator takes a [`Stream`], keeps what is to happen in a [`Wheel`], asks a [`Server`] how many
//! of a tick's requests succeed, and is run for many strategies and seeds by [`replicate`].

mod chosen;
mod crash;
mod replicate;
mod server;
pub mod stream;
mod ticks;
mod wheel;

pub use chosen::Chosen;
pub use crash::{CrashError, CrashParams, CrashRule};
pub use replicate::{Finished, Seeds, replicate};
pub use server::{Outage, Server};
pub use stream::{CPython, Pcg64, Stream};
pub use ticks::{MAX_TICKS, TickError, ticks_of_wait, whole_ticks};
pub use wheel::Wheel;
