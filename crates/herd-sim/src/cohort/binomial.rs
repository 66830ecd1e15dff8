//! How many of n succeed when each does with probability p.

use sim_kernel::Stream;

use super::likelihood::ln_poisson;

/// From this mean on rejection is cheaper than inversion, and its hat is proven to lie above.
const REJECTION_FROM: f64 = 10.0;

/// A binomial count in [0, n]: how many of `n` ≤ 2^53 independent trials succeed, each with probability `p`.
///
/// `p` ≤ 0 (or NaN) gives 0 and `p` ≥ 1 gives `n`, without a draw. Exact in distribution up to the rounding of `f64`; the cost doesn't
/// depend on `n`. Inversion while n · min(p, 1 - p) < 10, else the transformed rejection with squeeze BTRS of Hörmann, "The Generation of
/// Binomial Random Variates" (1993), whose acceptance test here compares probabilities in Loader's saddle-point form.
pub fn binomial<S: Stream>(stream: &mut S, n: u64, p: f64) -> u64 {
    if n == 0 || p.is_nan() || p <= 0.0 {
        0
    } else if p >= 1.0 {
        n
    } else if p > 0.5 {
        n - minor(stream, n, 1.0 - p)
    } else {
        minor(stream, n, p)
    }
}

fn minor<S: Stream>(stream: &mut S, n: u64, p: f64) -> u64 {
    if n as f64 * p < REJECTION_FROM {
        invert(stream, n, p)
    } else {
        reject(stream, n, p)
    }
}

/// Walks the distribution function from 0: f(k + 1) = f(k) · (n - k)/(k + 1) · p/(1 - p).
fn invert<S: Stream>(stream: &mut S, n: u64, p: f64) -> u64 {
    let trials = n as f64;
    let odds = p / (1.0 - p);
    let none = libm::exp(trials * libm::log1p(-p));
    loop {
        let mut unit = stream.unit();
        let mut probability = none;
        let mut count = 0.0;
        // What rounding leaves beyond the last count that can occur is drawn again.
        while probability > 0.0 {
            if unit < probability {
                return count as u64;
            }
            unit -= probability;
            probability *= (trials - count) / (count + 1.0) * odds;
            count += 1.0;
        }
    }
}

fn reject<S: Stream>(stream: &mut S, n: u64, p: f64) -> u64 {
    let trials = n as f64;
    let q = 1.0 - p;
    let mean = trials * p;
    let sd = (mean * q).sqrt();
    let mode = ((trials + 1.0) * p).floor();
    // Everything is an offset from the mode, so that no digit is lost at large n.
    let centre = mean - mode + 0.5;
    let b = 1.15 + 2.53 * sd;
    let a = -0.0873 + 0.0248 * b + 0.01 * p;
    let squeeze = 0.92 - 4.2 / b;
    let alpha = (2.83 + 5.1 / b) * sd;
    loop {
        let v = stream.unit();
        let u = stream.unit() - 0.5;
        let us = 0.5 - u.abs();
        let offset = ((2.0 * a / us + b) * u + centre).floor();
        let count = mode + offset;
        if us >= 0.07 && v <= squeeze {
            return count as u64;
        }
        if !(0.0..=trials).contains(&count) {
            continue;
        }
        let hat = v * alpha / (a / (us * us) + b);
        let ln_ratio = |k: f64| ln_poisson(k, mean) + ln_poisson(trials - k, trials * q);
        if libm::log(hat) <= ln_ratio(count) - ln_ratio(mode) {
            return count as u64;
        }
    }
}
