//! How many of n succeed when each does with probability p.

use sim_kernel::Stream;

use super::likelihood::ln_poisson;

/// From this mean on rejection is cheaper than inversion, and Hörmann's hat lies above every probability.
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
    let count = if n as f64 * p < REJECTION_FROM {
        invert(stream, n, p)
    } else {
        reject(stream, n, p)
    };
    // Beyond 2^53 the number of trials may have been rounded up.
    count.min(n)
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
    let hat = Hat::new(n, p);
    loop {
        let v = stream.unit();
        let u = stream.unit() - 0.5;
        let us = 0.5 - u.abs();
        let count = hat.count(u, us);
        if us >= Hat::SQUEEZED_FROM && v <= hat.squeeze {
            return count as u64;
        }
        if (0.0..=hat.trials).contains(&count)
            && libm::log(v * hat.height(us)) <= hat.ln_ratio(count)
        {
            return count as u64;
        }
    }
}

/// Hörmann's transformation: for u uniform on (-½, ½), `count` has a density whose inverse is proportional to `height`.
struct Hat {
    trials: f64,
    mean: f64,
    mean_of_failures: f64,
    mode: f64,
    /// The mean plus ½, as an offset from the mode: so no digit is lost at large n.
    centre: f64,
    a: f64,
    b: f64,
    alpha: f64,
    squeeze: f64,
}

impl Hat {
    /// At this distance from the ends of u and beyond, v up to `squeeze` is accepted without looking.
    const SQUEEZED_FROM: f64 = 0.07;

    fn new(n: u64, p: f64) -> Self {
        let trials = n as f64;
        let mean = trials * p;
        let mean_of_failures = trials * (1.0 - p);
        let mode = ((trials + 1.0) * p).floor();
        let sd = (mean * (1.0 - p)).sqrt();
        let b = 1.15 + 2.53 * sd;
        Self {
            trials,
            mean,
            mean_of_failures,
            mode,
            centre: mean - mode + 0.5,
            a: -0.0873 + 0.0248 * b + 0.01 * p,
            b,
            alpha: (2.83 + 5.1 / b) * sd,
            squeeze: 0.92 - 4.2 / b,
        }
    }

    fn count(&self, u: f64, us: f64) -> f64 {
        self.mode + ((2.0 * self.a / us + self.b) * u + self.centre).floor()
    }

    /// The most that the probability of a count may be of the mode's.
    fn height(&self, us: f64) -> f64 {
        self.alpha / (self.a / (us * us) + self.b)
    }

    /// The logarithm of the probability of `count` over the mode's.
    fn ln_ratio(&self, count: f64) -> f64 {
        let ln_weight =
            |k: f64| ln_poisson(k, self.mean) + ln_poisson(self.trials - k, self.mean_of_failures);
        ln_weight(count) - ln_weight(self.mode)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim_kernel::Pcg64;

    #[test]
    fn certain_results_draw_nothing() {
        let mut stream = Pcg64::for_unit("binomial", 0);
        let n = 1 << 53;
        for p in [0.0, -0.0, -1.0, f64::NAN, f64::NEG_INFINITY] {
            assert_eq!(binomial(&mut stream, n, p), 0);
        }
        for p in [1.0, 1.5, f64::INFINITY] {
            assert_eq!(binomial(&mut stream, n, p), n);
        }
        assert_eq!(binomial(&mut stream, 0, 0.5), 0);
        assert_eq!(stream.unit(), Pcg64::for_unit("binomial", 0).unit());
    }

    #[test]
    fn extreme_probabilities_end() {
        let mut stream = Pcg64::for_unit("extreme", 0);
        for p in [f64::MIN_POSITIVE, 1e-300, 1e-18, 1.0 - f64::EPSILON / 2.0] {
            for n in [1, 2, 1_000, 1_000_000_000_000, 1 << 53, u64::MAX - 1] {
                assert!(binomial(&mut stream, n, p) <= n);
            }
        }
    }

    /// Rejection is exact as long as no probability exceeds the hat's height, nor lies below the squeeze.
    #[test]
    fn the_hat_lies_above_every_probability_and_the_squeeze_below() {
        for mean in [10.0, 10.5, 10.999, 13.3, 20.0, 50.0, 300.0, 1e4, 1e8] {
            for p in [1e-9, 0.01, 0.1, 0.3, 0.45, 0.5] {
                let n = libm::ceil(mean / p) as u64;
                let hat = Hat::new(n, p);
                for step in 1..4_000 {
                    let u = f64::from(step) / 4_000.0 - 0.5;
                    let us = 0.5 - u.abs();
                    let count = hat.count(u, us);
                    if !(0.0..=hat.trials).contains(&count) {
                        assert!(us < Hat::SQUEEZED_FROM, "n {n} p {p} u {u}");
                        continue;
                    }
                    let share = libm::exp(hat.ln_ratio(count)) / hat.height(us);
                    assert!(share <= 1.0 + 1e-12, "n {n} p {p} count {count}: {share}");
                    if us >= Hat::SQUEEZED_FROM {
                        assert!(share >= hat.squeeze, "n {n} p {p} count {count}: {share}");
                    }
                }
            }
        }
    }

    /// Value stability: a change of one of these numbers is a change of every committed cohort result.
    #[test]
    fn values_are_stable() {
        let mut stream = Pcg64::for_unit("binomial", 1);
        let mut draw = |n, p| binomial(&mut stream, n, p);
        let drawn = [
            draw(10, 0.25),
            draw(10, 0.75),
            draw(1_000, 0.001),
            draw(1_000, 0.5),
            draw(1_000_000, 0.9),
            draw(1_000_000_000_000, 0.3),
            draw(1 << 53, 0.5),
        ];
        assert_eq!(
            drawn,
            [
                1,
                8,
                1,
                529,
                900_072,
                299_999_557_969,
                4_503_599_696_460_625
            ]
        );
    }
}
