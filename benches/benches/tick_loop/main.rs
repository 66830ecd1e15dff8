//! How fast the simulators run; the throughput is in requests (in writes for the race to one row).
//!
//! The published experiments, one thread each; the herd's server grows with its clients.

use criterion::{criterion_group, criterion_main};

mod budget;
mod herd;
mod nexosim_herd;
mod occ;

criterion_group!(
    tick_loop,
    herd::engines,
    herd::strategies,
    herd::discrete_events,
    budget::outage,
    occ::table,
);
criterion_main!(tick_loop);
