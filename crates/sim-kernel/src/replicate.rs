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
    #[must_use]
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::sync::Mutex;

    use super::*;

    #[test]
    fn seeds_wrap_at_the_greatest() {
        let seeds = Seeds {
            first: u64::MAX,
            count: 3,
        };
        assert_eq!(seeds.iter().collect::<Vec<_>>(), [u64::MAX, 0, 1]);
        assert_eq!(seeds.iter().len(), 3);
    }

    #[test]
    fn results_are_in_order_for_any_number_of_threads() {
        let seeds = Seeds {
            first: 7,
            count: 50,
        };
        let expected: Vec<Vec<u64>> = [1, 2, 3]
            .iter()
            .map(|strategy| seeds.iter().map(|seed| strategy * 1000 + seed).collect())
            .collect();
        for threads in [1, 2, 5] {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .expect("a pool");
            let run = |strategy: &u64, seed| {
                // Later units are shorter, so that they finish first.
                std::thread::sleep(std::time::Duration::from_micros(57 - seed));
                strategy * 1000 + seed
            };
            let results = pool.install(|| replicate(&[1, 2, 3], seeds, run, |_| {}));
            assert_eq!(results, expected);
        }
    }

    #[test]
    fn every_unit_reports_once() {
        let seeds = Seeds { first: 0, count: 4 };
        let reports = Mutex::new(Vec::new());
        replicate(
            &["a", "b"],
            seeds,
            |_, _| (),
            |finished| {
                reports.lock().expect("no panic").push(finished);
            },
        );
        let reports = reports.into_inner().expect("no panic");
        assert!(reports.iter().all(|finished| finished.of == 8));
        let units: BTreeSet<_> = reports.iter().map(|f| (f.strategy, f.seed)).collect();
        assert_eq!(units.len(), 8);
        let counts: BTreeSet<_> = reports.iter().map(|f| f.done).collect();
        assert_eq!(counts, (1..=8).collect());
    }

    #[test]
    fn nothing_to_do_gives_nothing() {
        let none = Seeds { first: 0, count: 0 };
        let empty: Vec<Vec<u64>> = vec![vec![], vec![]];
        assert_eq!(replicate(&[1, 2], none, |_, seed| seed, |_| {}), empty);
        let some = Seeds { first: 0, count: 3 };
        let nobody: [u64; 0] = [];
        assert!(replicate(&nobody, some, |_, seed| seed, |_| {}).is_empty());
    }
}
