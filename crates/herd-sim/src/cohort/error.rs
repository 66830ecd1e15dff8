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
        "a first send up to {spread_ticks} ticks ahead (spread), a longest wait of {wait_ticks} ticks and {stages} numbers of failures whose waits differ take {cells} counts of clients, by tick and number of failures: must be at most {}: set a shorter spread, a shorter wait or a lower cap, an earlier give_up_at or a longer tick, or use engine = \"exact\"",
        super::MAX_CELLS
    )]
    TooManyCells {
        /// How many counts there would be, at least.
        cells: u64,
        /// The ticks over which the first sends spread.
        spread_ticks: u64,
        /// The longest wait in ticks, of those up to where there were too many counts.
        wait_ticks: u64,
        /// The numbers of failures whose waits differ, up to where there were too many counts.
        stages: u64,
    },
}
