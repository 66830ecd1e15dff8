//! The cohort engine against probabilities that can be computed exactly.
//!
//! While the server is down every request fails, so each client goes its own way: the probability that it sends at a tick follows from
//! tick to tick, and the arrivals are binomial. The waits are written out here from their published formulas, not taken from the crate.

use core::time::Duration;

use herd_sim::cohort::{self, Cohorts};
use herd_sim::{HerdConfig, Record};
use sim_kernel::Pcg64;

use crate::herds::{growth, herd, strategies};
use crate::statistics::{Z_LIMIT, assert_fits, binomial_probabilities, histogram};

/// Ticks that are followed.
const TICKS: usize = 100;

/// The least and greatest wait in ticks after failure n: base 10 ticks, doubling from twice that (from once under proportional), cap 1,000.
fn bounds(strategy: &str, n: u32) -> (f64, f64) {
    let nominal = |exponent| 1000.0_f64.min(10.0 * f64::from(1_u32 << exponent));
    match strategy {
        "immediate" => (0.0, 0.0),
        "fixed" => (100.0, 100.0),
        "exponential" => (nominal(n), nominal(n)),
        "full jitter" => (0.0, nominal(n)),
        "equal jitter" => (nominal(n) / 2.0, nominal(n)),
        "proportional" => (nominal(n - 1) * 0.8, nominal(n - 1) * 1.2),
        _ => unreachable!("no such strategy"),
    }
}

/// The probability that a wait uniform on [low, high) ticks is rounded to `ticks`.
fn rounded(low: f64, high: f64, ticks: usize) -> f64 {
    let ticks = ticks as f64;
    if low == high {
        return if low == ticks { 1.0 } else { 0.0 };
    }
    let overlap = high.min(ticks + 0.5) - low.max(ticks - 0.5);
    overlap.max(0.0) / (high - low)
}

/// For each tick, the probability that a client sends then, if no request before that tick's succeeds (at `up_from` and later a request
/// succeeds at once); first sends are spread evenly over `spread` ticks.
fn sending(strategy: &str, spread: usize, up_from: usize) -> Vec<f64> {
    // By tick and failures so far.
    let mut due = vec![[0.0; 32]; TICKS];
    for tick in &mut due[..spread.max(1)] {
        tick[0] = 1.0 / spread.max(1) as f64;
    }
    for tick in 0..TICKS.min(up_from) {
        for failures in 0..31 {
            let share = due[tick][failures];
            if share == 0.0 {
                continue;
            }
            // Immediate never waits, so its failures need not be told apart.
            let next = if strategy == "immediate" {
                0
            } else {
                failures + 1
            };
            let (low, high) = bounds(strategy, failures as u32 + 1);
            for (ticks, later) in due[tick + 1..].iter_mut().enumerate() {
                later[next] += share * rounded(low, high, ticks);
            }
        }
    }
    due.iter().map(|stages| stages.iter().sum()).collect()
}

/// A herd whose server stays down.
fn down(clients: u64, spread_ticks: u64) -> HerdConfig {
    herd(clients, |params| {
        params.spread = Duration::from_millis(10) * spread_ticks as u32;
        params.down_until = Duration::from_secs(10);
        params.give_up_at = Duration::from_millis(10) * TICKS as u32;
    })
}

/// A trillion clients leave a relative error of 1e-5 in one tick's arrivals, and a tenth of that in the mean of 100 runs.
///
/// About 120,000 deviations and 1,200 means: a false alarm has probability below 1e-3.
#[test]
fn mean_arrivals_of_a_trillion_are_the_computed_ones() {
    const CLIENTS: u64 = 1_000_000_000_000;
    const RUNS: u64 = 100;
    const DEVIATION_LIMIT: f64 = 6.0;
    for (name, backoff) in strategies() {
        for spread in [0, 30] {
            let probabilities = sending(name, spread as usize, usize::MAX);
            let mut engine = Cohorts::new(&down(CLIENTS, spread), &backoff).expect("accepted");
            let mut sums = vec![0.0; TICKS];
            for seed in 0..RUNS {
                let run = engine.run(&mut Pcg64::for_unit(name, seed), Record::Arrivals);
                for (tick, &arrivals) in run.arrivals.iter().enumerate() {
                    let z = deviation(arrivals, CLIENTS, probabilities[tick]);
                    assert!(
                        z.abs() < DEVIATION_LIMIT,
                        "{name}, spread {spread}, tick {tick}: z = {z:.2}"
                    );
                    sums[tick] += z;
                }
            }
            for (tick, sum) in sums.iter().enumerate() {
                let z = sum / (RUNS as f64).sqrt();
                assert!(
                    z.abs() < DEVIATION_LIMIT,
                    "{name}, spread {spread}, tick {tick}: mean z = {z:.2}"
                );
            }
        }
    }
}

/// In standard deviations of the binomial; arrivals that are certain must be exact.
fn deviation(arrivals: u64, clients: u64, probability: f64) -> f64 {
    let mean = clients as f64 * probability;
    let sd = (mean * (1.0 - probability).max(0.0)).sqrt();
    // Certain up to the rounding of the sums.
    if sd < 1.0 {
        assert!(
            (arrivals as f64 - mean).abs() < 1e-3 * mean.max(1.0),
            "{arrivals} instead of {mean}"
        );
        return 0.0;
    }
    (arrivals as f64 - mean) / sd
}

/// The whole distribution of a tick's arrivals, from few clients (drawn singly) to many (split), and early and late.
///
/// 162 comparisons of error rate 1e-6.
#[test]
fn arrivals_are_binomial() {
    const RUNS: u64 = 2_000;
    const WATCHED: [usize; 9] = [1, 5, 11, 20, 21, 42, 60, 80, 99];
    for (name, backoff) in strategies() {
        let probabilities = sending(name, 15, usize::MAX);
        for clients in [12, 150, 1_200] {
            let mut engine = Cohorts::new(&down(clients, 15), &backoff).expect("accepted");
            let mut arrivals = vec![Vec::new(); WATCHED.len()];
            for seed in 0..RUNS {
                let run = engine.run(&mut Pcg64::for_unit(name, seed), Record::Arrivals);
                for (column, tick) in arrivals.iter_mut().zip(WATCHED) {
                    column.push(run.arrivals[tick]);
                }
            }
            for (column, tick) in arrivals.into_iter().zip(WATCHED) {
                let p = probabilities[tick];
                if (1e-3..1.0 - 1e-3).contains(&p) {
                    let what = format!("{name}, {clients} clients, tick {tick}");
                    let expected = binomial_probabilities(clients as usize, p);
                    assert_fits(&what, &histogram(column, clients), &expected);
                }
            }
        }
    }
}

/// First sends over 60 ticks and no retry within them: a run's Pearson statistic has mean 59 and variance 118 + O(1/clients), as that of a
/// multinomial. Binomial margins alone would not give that.
#[test]
fn first_sends_are_multinomial() {
    const RUNS: u64 = 2_000;
    const SENDS: usize = 60;
    let (_, fixed) = strategies()[1];
    for clients in [6_000, 60_000, 6_000_000] {
        let mut engine = Cohorts::new(&down(clients, SENDS as u64), &fixed).expect("accepted");
        let expected = clients as f64 / SENDS as f64;
        let mut sum = 0.0;
        let mut squares = 0.0;
        for seed in 0..RUNS {
            let run = engine.run(&mut Pcg64::for_unit("first sends", seed), Record::Arrivals);
            let statistic: f64 = run.arrivals[..SENDS]
                .iter()
                .map(|&n| (n as f64 - expected).powi(2) / expected)
                .sum();
            let deviation = statistic - (SENDS - 1) as f64;
            sum += deviation;
            squares += deviation * deviation;
        }
        let runs = RUNS as f64;
        let variance = 2.0 * (SENDS - 1) as f64;
        let mean_z = sum / (runs * variance).sqrt();
        // The fourth central moment of χ² with k degrees of freedom is 12 k² + 48 k.
        let fourth = 3.0 * variance * variance + 24.0 * variance;
        let variance_z =
            (squares - runs * variance) / (runs * (fourth - variance * variance)).sqrt();
        assert!(
            mean_z.abs() < Z_LIMIT && variance_z.abs() < Z_LIMIT,
            "{clients} clients: mean {mean_z:.2}, variance {variance_z:.2}"
        );
    }
}

/// One client finishes with its first send once the server is up.
#[test]
fn a_single_client_finishes_when_computed() {
    const UP_FROM: usize = 20;
    let config = herd(1, |params| {
        params.spread = Duration::from_millis(150);
        params.down_until = Duration::from_millis(10) * UP_FROM as u32;
        params.crash.limit = u64::MAX;
        params.give_up_at = Duration::from_millis(10) * TICKS as u32;
    });
    for (name, backoff) in strategies() {
        if name == "fixed" {
            // Its first retry comes at the end at the earliest.
            continue;
        }
        let mut probabilities = sending(name, 15, UP_FROM);
        probabilities[..UP_FROM].fill(0.0);
        // The cell of those who don't finish.
        probabilities.push(1.0 - probabilities.iter().sum::<f64>());
        let mut engine = Cohorts::new(&config, &backoff).expect("accepted");
        let finishes = (0..20_000).map(|seed| {
            let run = engine.run(&mut Pcg64::for_unit(name, seed), Record::Totals);
            run.finish_ticks.map_or(TICKS as u64, |finish| finish - 1)
        });
        let counts = histogram(finishes, TICKS as u64);
        if name == "immediate" {
            assert_eq!(counts[UP_FROM], 20_000);
        } else {
            assert_fits(name, &counts, &probabilities);
        }
    }
}

/// Three clients, one served a tick: one succeeds at tick 0; the others wait, and should they meet, the loser waits once more. This tells
/// a success drawn from the wrong cohort, and a failure counted twice or not at all.
#[test]
fn three_clients_finish_when_computed() {
    let config = herd(3, |params| {
        params.capacity_per_tick = 1;
        params.down_until = Duration::ZERO;
        params.crash.limit = u64::MAX;
    });
    for (name, backoff) in strategies() {
        let wait = |n, ticks| {
            let (low, high) = bounds(name, n);
            rounded(low, high, ticks)
        };
        // By the tick after the last success.
        let mut probabilities = vec![0.0; 300];
        for first in 0..120 {
            let once = wait(1, first);
            let earlier: f64 = (0..first).map(|other| wait(1, other)).sum();
            probabilities[first + 2] += 2.0 * once * earlier;
            for second in 0..120 {
                probabilities[first + second + 3] += once * once * wait(2, second);
            }
        }
        let mut engine = Cohorts::new(&config, &backoff).expect("accepted");
        let finishes = (0..20_000).map(|seed| {
            let run = engine.run(&mut Pcg64::for_unit(name, seed), Record::Totals);
            run.finish_ticks.expect("three clients finish")
        });
        let counts = histogram(finishes, 299);
        if probabilities.contains(&1.0) {
            let certain: Vec<u64> = probabilities
                .iter()
                .map(|p| (p * 20_000.0) as u64)
                .collect();
            assert_eq!(counts, certain, "{name}");
        } else {
            assert_fits(name, &counts, &probabilities);
        }
    }
}

/// A wait of a half tick, which rounds to the even tick.
#[test]
fn ties_of_a_constant_wait_go_to_the_even_tick() {
    for (wait_ms, ticks) in [(5, 0), (15, 2), (25, 2), (35, 4)] {
        let fixed = backoff_core::BackoffConfig::Fixed {
            wait: Duration::from_millis(wait_ms),
        };
        let fixed = fixed.build().expect("a valid backoff");
        let run = cohort::run(
            &down(7, 0),
            &fixed,
            &mut Pcg64::for_unit("ties", 0),
            Record::Arrivals,
        )
        .expect("accepted");
        let second = run
            .arrivals
            .iter()
            .skip(1)
            .position(|&arrivals| arrivals > 0);
        assert_eq!(second, Some(ticks), "{wait_ms} ms");
        assert_eq!(run.arrivals[ticks + 1], 7);
    }
}

#[test]
fn the_published_growth_is_the_one_written_out() {
    let growth = growth();
    assert_eq!(
        (growth.base, growth.cap),
        (Duration::from_millis(100), Duration::from_secs(10))
    );
    for (name, backoff) in strategies() {
        for n in 1..12 {
            let (low, high) = bounds(name, n);
            let (theirs_low, theirs_high) = backoff.bounds(n);
            assert!(
                (low * 0.01 - theirs_low).abs() < 1e-12
                    && (high * 0.01 - theirs_high).abs() < 1e-12,
                "{name} {n}"
            );
        }
    }
}
