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
            let u1 = self.random();
            let u2 = 1.0 - self.random();
            let z = MAGIC * (u1 - 0.5) / u2;
            if z * z / 4.0 <= -libm::log(u2) {
                return mean + z * sd;
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
