//! The mean of decorrelated jitter: against closed forms where there are any, and against a simulation.

use std::time::Duration;

use backoff_core::backoff::unit_from_bits;
use backoff_core::{Backoff, BackoffConfig};
use rand_core::Rng;
use rand_pcg::Pcg64Mcg;

/// Base 1 s; the cap to the nanosecond.
fn capped_at(ratio: f64) -> Backoff {
    let config = BackoffConfig::Decorrelated {
        base: Duration::from_secs(1),
        cap: Duration::from_secs_f64(ratio),
    };
    config.build().unwrap()
}

fn assert_near(value: f64, expected: f64, what: &str) {
    assert!(
        (value / expected - 1.0).abs() < 1e-11,
        "{what}: {value}, not {expected}"
    );
}

#[test]
fn out_of_the_caps_reach_the_mean_is_exact() {
    let backoff = capped_at(1e9);
    let mut sum = 0.0;
    for n in 1..=18 {
        let expected = 2.0 * 1.5f64.powi(n) - 1.0;
        sum += expected;
        assert_eq!(backoff.mean(n as u32), expected);
        assert_near(backoff.total_mean(n as u32), sum, "sum");
    }
}

#[test]
fn the_first_capped_mean_has_a_closed_form() {
    for c in [1.000000001, 1.5, 2.0, 2.999999999, 3.0] {
        let expected = (c * c - 1.0) / 4.0 + (3.0 - c) * c / 2.0;
        assert_near(capped_at(c).mean(1), expected, "cap");
    }
}

#[test]
fn the_second_capped_mean_has_a_closed_form() {
    for c in [3.0, 3.000000001, 4.0, 5.5, 8.999999999, 9.0] {
        // X_1 uniform on [1, 3]; under c / 3 the second wait can't reach the cap.
        let free = (c / 3.0 - 1.0) / 2.0 + 0.75 * (c * c / 9.0 - 1.0);
        let capped = c * (3.0 - c / 3.0) - (c - 1.0f64).powi(2) / 6.0 * (8.0 / (c - 1.0)).ln();
        assert_near(capped_at(c).mean(2), f64::midpoint(free, capped), "cap");
    }
}

#[test]
fn the_last_mean_has_a_closed_form_for_a_low_cap() {
    for c in [1.0001, 1.5, 2.5, 3.0] {
        // The stationary law: a constant density on [1, c) and an atom at c, since from everywhere the whole range is in reach.
        let reach: f64 = 3.0 * c - 1.0;
        let density = 1.0 / reach / (1.0 - (reach / 2.0).ln() / 3.0 + (c - 1.0) / reach);
        let expected = density * (c * c - 1.0) / 2.0 + c * (1.0 - density * (c - 1.0));
        let backoff = capped_at(c);
        assert_near(backoff.mean(u32::MAX), expected, "last mean");
        let total = backoff.total_mean(u32::MAX) / f64::from(u32::MAX);
        assert!((total / expected - 1.0).abs() < 1e-9);
    }
}

#[test]
fn a_simulation_agrees() {
    const RUNS: u32 = 100_000;
    const FAILURES: usize = 40;
    for c in [1.3, 2.9, 3.1, 10.0, 27.0, 100.0, 1000.0] {
        let backoff = capped_at(c);
        let mut rng = Pcg64Mcg::new(7);
        let (mut sums, mut squares) = ([0.0; FAILURES], [0.0; FAILURES]);
        for _ in 0..RUNS {
            let mut wait = backoff.first_previous();
            for n in 0..FAILURES {
                wait = backoff.wait(n as u32 + 1, wait, unit_from_bits(rng.next_u64()));
                sums[n] += wait;
                squares[n] += wait * wait;
            }
        }
        for n in 0..FAILURES {
            let simulated = sums[n] / f64::from(RUNS);
            let deviation = (squares[n] / f64::from(RUNS) - simulated * simulated).sqrt();
            let error = deviation / f64::from(RUNS).sqrt();
            let mean = backoff.mean(n as u32 + 1);
            // 280 comparisons: one in 6,000 such tables would exceed five standard errors.
            assert!(
                (simulated - mean).abs() < 5.0 * error,
                "{c} {n}: {simulated} ± {error}, not {mean}"
            );
        }
    }
}

#[test]
fn the_mean_rises_to_its_last_value() {
    for c in [1.1, 3.0, 9.5, 100.0] {
        let backoff = capped_at(c);
        let means: Vec<f64> = (1..60).map(|n| backoff.mean(n)).collect();
        // Rounding may undo the last digits once the mean has settled.
        assert!(
            means
                .windows(2)
                .all(|pair| pair[1] >= pair[0] * (1.0 - 1e-13))
        );
        let last = backoff.mean(u32::MAX);
        assert!(means[58] <= last * (1.0 + 1e-11) && last <= c);
        assert_near(backoff.mean(100_000), last, "long after");
    }
}

#[test]
fn far_above_the_base_the_last_mean_is_that_of_a_queue() {
    let config = BackoffConfig::Decorrelated {
        base: Duration::from_nanos(1),
        cap: Duration::MAX,
    };
    // W = ln(cap / X) obeys W' = max(0, W + E - ln 3) with E exponential, the waiting time of a D/M/1 queue: 0 with probability t, else
    // exponential of rate t, where 1 - t = 3^-t. So the mean of X / cap = e^-W is t + (1 - t) t / (1 + t).
    let mut t = 0.5f64;
    for _ in 0..200 {
        t = 1.0 - 3f64.powf(-t);
    }
    let expected = t + (1.0 - t) * t / (1.0 + t);
    let mean = config.build().unwrap().mean(u32::MAX) / Duration::MAX.as_secs_f64();
    // The base is felt by (base / cap)^t, a hundred-thousandth here.
    assert!((mean / expected - 1.0).abs() < 2e-5, "{mean} {expected}");
}
