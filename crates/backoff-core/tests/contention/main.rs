//! Budgets and breakers that threads share: what the rule allows holds for all of them together.
#![cfg(feature = "std")]

use std::sync::Barrier;
use std::thread;
use std::time::Duration;

mod breakers;
mod budgets;
#[path = "../every_budget/mod.rs"]
mod every_budget;

const NOW: Duration = Duration::from_secs(1);
const THREADS: usize = 8;

/// What all threads' `work` adds up to.
fn together(work: impl Fn(usize) -> usize + Sync) -> usize {
    let start = Barrier::new(THREADS);
    thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS)
            .map(|thread| {
                let (start, work) = (&start, &work);
                scope.spawn(move || {
                    start.wait();
                    work(thread)
                })
            })
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .sum()
    })
}
