//! The cohort engine against the exact engine, as two samples of 2,000 runs each.

use core::time::Duration;

use backoff_core::Backoff;
use herd_sim::cohort::Cohorts;
use herd_sim::{HerdConfig, HerdRun, Record, exact};
use sim_kernel::{Pcg64, Seeds, replicate};

use crate::herds::{herd, strategies};
use crate::statistics::{distance_limit, greatest_distance, mean_z};

const CLIENTS: u64 = 1_000;
const RUNS: u32 = 2_000;

/// Comparisons of distributions below are fewer than this; as many comparisons of means.
const COMPARISONS: f64 = 7_500.0;
/// The probability, at most, that any distribution differs by chance: each has this over [`COMPARISONS`] of it (Bonferroni).
const ERROR_RATE: f64 = 1e-3;
/// A standard normal number exceeds this, either way, with probability 1.3e-7: the same rate for the means.
const MEAN_LIMIT: f64 = 5.275;

/// The published herd, first sends at once or over 0.9 s. Immediate, which never recovers, runs for 3 s; so do fixed and exponential at
/// once, which are certain as long as all fail together. The others run to their finish.
#[test]
fn cohort_and_exact_runs_have_the_same_distribution() {
    for (name, backoff) in strategies() {
        for spread in [Duration::ZERO, Duration::from_millis(900)] {
            let long = match name {
                "immediate" => 3,
                "fixed" | "exponential" if spread.is_zero() => 5,
                _ => 30,
            };
            let config = herd(CLIENTS, |params| {
                params.spread = spread;
                params.give_up_at = Duration::from_secs(long);
            });
            compare(&format!("{name}, spread {spread:?}"), &config, &backoff);
        }
    }
}

/// A server that never crashes serves a few of every tick's requests, so that which cohorts they come from matters throughout.
#[test]
fn runs_without_a_crash_have_the_same_distribution() {
    for (name, backoff) in strategies() {
        let config = herd(CLIENTS / 5, |params| {
            params.crash.limit = u64::MAX;
            params.capacity_per_tick = 2;
            params.down_until = Duration::from_millis(200);
            params.spread = Duration::from_millis(300);
            params.give_up_at = Duration::from_secs(40);
        });
        compare(&format!("{name}, no crash"), &config, &backoff);
    }
}

fn compare(what: &str, config: &HerdConfig, backoff: &Backoff) {
    let ready = Cohorts::new(config, backoff).expect("an exchangeable strategy");
    let run = |engine: &&str, seed| {
        let mut stream = Pcg64::for_unit(engine, seed);
        let run = match *engine {
            "cohort" => ready.clone().run(&mut stream, Record::Arrivals),
            _ => exact::run(config, backoff, &mut stream, Record::Arrivals).expect("few clients"),
        };
        measures(&run, config.horizon())
    };
    let seeds = Seeds {
        first: 0,
        count: RUNS,
    };
    let samples = replicate(&["cohort", "exact"], seeds, run, |_| {});
    let limit = distance_limit(RUNS as usize, ERROR_RATE / COMPARISONS);
    let longest = samples.iter().flatten().map(Vec::len).max().unwrap_or(0);
    for measure in 0..longest {
        // After its finish a run has no arrivals.
        let column = |runs: &[Vec<u64>]| -> Vec<u64> {
            runs.iter()
                .map(|run| run.get(measure).copied().unwrap_or(0))
                .collect()
        };
        let (mut ours, mut theirs) = (column(&samples[0]), column(&samples[1]));
        let z = mean_z(&ours, &theirs);
        assert!(
            z.abs() < MEAN_LIMIT,
            "{what}, {}: means differ by {z:.2} standard errors",
            label(measure)
        );
        let distance = greatest_distance(&mut ours, &mut theirs);
        assert!(
            distance < limit,
            "{what}, {}: distributions differ by {distance:.3} > {limit:.3}",
            label(measure)
        );
    }
}

/// Ticks whose arrivals are compared one by one; later ones ten at a time.
const SINGLE_TICKS: usize = 150;

/// The finish (the horizon if there is none), requests, crashes and clients unfinished, then the curve of arrivals.
fn measures(run: &HerdRun, horizon: u64) -> Vec<u64> {
    let mut measures = vec![
        run.finish_ticks.unwrap_or(horizon),
        run.requests,
        run.crashes,
        run.unfinished_clients,
    ];
    let (early, late) = run.arrivals.split_at(SINGLE_TICKS.min(run.arrivals.len()));
    measures.extend(early);
    if !late.is_empty() {
        measures.extend(late.chunks(10).map(|ticks| ticks.iter().sum::<u64>()));
    }
    measures
}

fn label(measure: usize) -> String {
    match measure {
        0 => "finish".into(),
        1 => "requests".into(),
        2 => "crashes".into(),
        3 => "unfinished clients".into(),
        _ if measure < 4 + SINGLE_TICKS => format!("arrivals of tick {}", measure - 4),
        _ => {
            let first = SINGLE_TICKS + 10 * (measure - 4 - SINGLE_TICKS);
            format!("arrivals of ticks {first} to {}", first + 9)
        }
    }
}
