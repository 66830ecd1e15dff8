//! Exponential and normal numbers.

use core::f64::consts::TAU;

use crate::Random;

/// 4·exp(-1/2)/√2 as CPython computes it.
const MAGIC: f64 = 1.7155277699214135;

impl Random {
    /// Exponentially distributed with the given rate, the reciprocal of the mean, in [0, ∞): `expovariate(rate)`.
    ///
    /// `-ln(1 - random()) / rate`, to within 2 ulp of CPython. For a rate of 0, where CPython raises, and for NaN, the formula's
    /// value: infinity or NaN. A negative rate gives numbers in (-∞, 0], as in CPython.
    ///
    /// ```
    /// use cpython_random::Random;
    ///
    /// assert_eq!(Random::new(0).expovariate(30.0), 0.06202023703550744);
    /// ```
    #[inline]
    pub fn expovariate(&mut self, rate: f64) -> f64 {
        -libm::log(1.0 - self.random()) / rate
    }

    /// Normally distributed: `normalvariate(mean, sd)`.
    ///
    /// The ratio of uniforms of Kinderman and Monahan (1977): `u1 = random()`, `u2 = 1 - random()`, `z = C·(u1 - 1/2)/u2` with
    /// `C = 4·exp(-1/2)/√2`, until `z²/4 ≤ -ln(u2)`; then `mean + z·sd`. Any two numbers are allowed; a negative `sd` mirrors.
    ///
    /// ```
    /// use cpython_random::Random;
    ///
    /// assert_eq!(Random::new(0).normalvariate(10.0, 2.0), 9.632263557813484);
    /// ```
    #[inline]
    pub fn normalvariate(&mut self, mean: f64, sd: f64) -> f64 {
        loop {
            let numerator = MAGIC * (self.random() - 0.5);
            let rest = self.random();
            let u2 = 1.0 - rest;
            let kept = match surely_kept(numerator, u2, rest) {
                Some(kept) => kept,
                None => is_kept(numerator / u2, u2),
            };
            if kept {
                return mean + numerator / u2 * sd;
            }
        }
    }

    /// Normally distributed: `gauss(mean, sd)`, to within 2 ulp of CPython's standard normal number.
    ///
    /// Box and Muller: `a = 2π·random()`, `g = √(-2·ln(1 - random()))`; `cos(a)·g` is used now, and `sin(a)·g` at the next call.
    ///
    /// ```
    /// use cpython_random::Random;
    ///
    /// let mut random = Random::new(0);
    /// assert_eq!(random.gauss(0.0, 1.0), 0.9417154046806644);
    /// assert_eq!(random.gauss(0.0, 1.0), -1.3965781047011498);
    /// ```
    pub fn gauss(&mut self, mean: f64, sd: f64) -> f64 {
        let z = self.gauss_next.take().unwrap_or_else(|| {
            let angle = self.random() * TAU;
            let radius = libm::sqrt(-2.0 * libm::log(1.0 - self.random()));
            self.gauss_next = Some(libm::sin(angle) * radius);
            libm::cos(angle) * radius
        });
        mean + z * sd
    }
}

/// Whether the candidate z is kept, for which CPython's condition is written out.
#[cold]
fn is_kept(z: f64, u2: f64) -> bool {
    z * z / 4.0 <= -libm::log(u2)
}

/// What [`is_kept`] says of z = numerator / u2, where that is certain without a logarithm or a division; `rest` is 1 - u2, exactly.
///
/// For 0 < u ≤ 1, `3(1 - u²)/(1 + 4u + u²) ≤ -ln u ≤ (1 - u)(1 + 5u)/(u(4 + 2u))`: at u = 1 all three are 0, and the differences of
/// their derivatives by x = 1/u are (x - 1)⁴/(x(x² + 4x + 1)²) and (x - 1)³/(x(2x + 1)²). The margin is a thousand times the error of
/// all roundings, those of the logarithm included. Some 2 % of the candidates are left to the logarithm.
#[inline]
fn surely_kept(numerator: f64, u2: f64, rest: f64) -> Option<bool> {
    const MARGIN: f64 = 1e-12;
    // z²/4 = square / (4 u2²).
    let square = numerator * numerator;
    let low = 12.0 * u2 * u2 * rest * (1.0 + u2);
    if square * (1.0 + u2 * (4.0 + u2)) <= low * (1.0 - MARGIN) {
        return Some(true);
    }
    let high = 4.0 * u2 * rest * (1.0 + 5.0 * u2);
    if square * (4.0 + 2.0 * u2) > high * (1.0 + MARGIN) {
        return Some(false);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{MAGIC, is_kept, surely_kept};
    use crate::Random;

    #[test]
    fn the_short_cut_decides_as_the_logarithm_does() {
        let mut random = Random::new(9);
        let mut left = 0;
        for _ in 0..1_000_000 {
            let numerator = MAGIC * (random.random() - 0.5);
            let rest = random.random();
            match surely_kept(numerator, 1.0 - rest, rest) {
                Some(kept) => assert_eq!(kept, is_kept(numerator / (1.0 - rest), 1.0 - rest)),
                None => left += 1,
            }
        }
        // Were it more, the short cut would be no use.
        assert!(left < 25_000, "{left}");
    }

    /// Candidates on the boundary itself, a few ulp on either side, for u2 of every size.
    #[test]
    fn the_short_cut_decides_so_at_the_boundary() {
        let smallest = 2f64.powi(-53);
        for power in 0..53 {
            for rest in [
                2f64.powi(-power) - smallest,
                2f64.powi(-power - 1),
                1.0 - 2f64.powi(-power - 1),
            ] {
                let u2 = 1.0 - rest;
                let boundary = 2.0 * u2 * (-libm::log(u2)).sqrt();
                for step in -8..=8 {
                    let numerator = boundary * (1.0 + f64::from(step) * f64::EPSILON);
                    let kept = is_kept(numerator / u2, u2);
                    assert_eq!(
                        surely_kept(numerator, u2, rest).unwrap_or(kept),
                        kept,
                        "u2 {u2}, step {step}"
                    );
                }
            }
        }
    }
}
