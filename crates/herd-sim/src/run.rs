//! What one run of a herd comes to.

/// What is kept of a run besides its totals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Record {
    /// Nothing.
    #[default]
    Totals,
    /// The arrivals of every tick.
    Arrivals,
}

/// The outcome of one run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HerdRun {
    /// The number of ticks until all clients have succeeded, the tick of the last success included; `None` when some were still waiting
    /// at the end.
    pub finish_ticks: Option<u64>,
    /// How many requests were sent.
    pub requests: u64,
    /// How often the server crashed.
    pub crashes: u64,
    /// How many clients have not succeeded: 0 exactly when `finish_ticks` is known.
    pub unfinished_clients: u64,
    /// The arrivals of each tick from 0 to the last that took place, if recorded, else empty.
    pub arrivals: Vec<u64>,
}
