//! The same experiment for many strategies and seeds, on all threads.

use core::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

/// The seeds `first`, `first + 1`, …, `count` of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seeds {
    /// The first seed.
    pub first: u64,
    /// How many there are.
    pub count: u32,
}

impl Seeds {
    /// The seeds in ascending order; those above `u64::MAX` start again at 0.
    pub fn iter(self) -> impl ExactSizeIterator<Item = u64> {
        (0..self.count).map(move |offset| self.first.wrapping_add(u64::from(offset)))
    }
}

/// One unit of work that has been done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Finished {
    /// The position of its strategy.
    pub strategy: usize,
    /// Its seed.
    pub seed: u64,
    /// How many units are done, this one included.
    pub done: usize,
    /// How many units there are.
    pub of: usize,
}

/// The results of `run` for every strategy and seed: for each strategy in order, one result for each seed in order.
///
/// The units run on the threads of the current rayon pool, in any order; each gets its strategy and its seed and nothing else, so the
/// results don't depend on the number of threads. After each unit `finished` is called, on the thread that ran it.
///
/// ```
/// use sim_kernel::{Seeds, replicate};
///
/// let results = replicate(&[10, 20], Seeds { first: 1, count: 3 }, |x, seed| x + seed, |_| {});
/// assert_eq!(results, [[11, 12, 13], [21, 22, 23]]);
/// ```
pub fn replicate<S, R>(
    strategies: &[S],
    seeds: Seeds,
    run: impl Fn(&S, u64) -> R + Sync,
    finished: impl Fn(Finished) + Sync,
) -> Vec<Vec<R>>
where
    S: Sync,
    R: Send,
{
    let done = AtomicUsize::new(0);
    let seeds: Vec<u64> = seeds.iter().collect();
    let of = strategies.len() * seeds.len();
    let results: Vec<R> = (0..of)
        .into_par_iter()
        // Units differ in length by orders of magnitude (immediate against full jitter), so each may be stolen.
        .with_max_len(1)
        .map(|unit| {
            let strategy = unit / seeds.len();
            let seed = seeds[unit % seeds.len()];
            let result = run(&strategies[strategy], seed);
            finished(Finished {
                strategy,
                seed,
                done: done.fetch_add(1, Ordering::Relaxed) + 1,
                of,
            });
            result
        })
        .collect();
    let mut results = results.into_iter();
    strategies
        .iter()
        .map(|_| results.by_ref().take(seeds.len()).collect())
        .collect()
}
