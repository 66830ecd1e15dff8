//! Why a herd can't be simulated by counting.

/// Why the cohort engine refuses a herd.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum CohortError {
    /// The strategy remembers its previous wait.
    #[error(
        "under decorrelated jitter each client carries its previous wait, a continuous state, so no two clients are alike and the cohort engine cannot count them: use engine = \"exact\""
    )]
    Remembers,
    /// The stream is the one that replays published runs.
    #[error(
        "rng = \"cpython\" replays published runs draw by draw, and the cohort engine draws counts of clients instead: use engine = \"exact\", or rng = \"pcg64\""
    )]
    Replays,
    /// The counts would not be exact.
    #[error(
        "clients = {clients}: must be at most {allowed} under engine = \"cohort\" for counts and requests to be exact"
    )]
    TooManyClients {
        /// The number that was asked for.
        clients: u64,
        /// The greatest number allowed.
        allowed: u64,
    },
    /// The counts would not fit in memory.
    #[error(
        "waits that keep growing over {horizon} ticks take {cells} counts by tick and number of failures, more than {}: set a cap, an earlier give_up_at or a longer tick, or use engine = \"exact\"",
        super::MAX_CELLS
    )]
    TooManyCells {
        /// How many counts there would be, at least.
        cells: u64,
        /// The number of ticks until the simulation ends.
        horizon: u64,
    },
}
