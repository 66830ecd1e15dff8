//! What one decision costs: how long to wait, whether to retry, and the same in other libraries.
//!
//! Every bench of a wait makes those of one request that fails [`STEPS`](benches::STEPS) times; the throughput is in decisions.

use criterion::{criterion_group, criterion_main};

mod admission;
mod peers;
mod policy;
mod waits;

criterion_group!(
    decision,
    waits::bare_draw,
    waits::waits,
    waits::durations,
    waits::schedule,
    peers::backoffs,
    admission::budgets,
    admission::tower_budget,
    admission::breakers,
    policy::decide,
);
criterion_main!(decision);
