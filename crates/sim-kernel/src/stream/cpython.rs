//! The stream of CPython's `random.Random`.

use cpython_random::Random;

use super::Stream;

/// The draws of `random.Random(seed)`, so that a published table comes out digit for digit.
///
/// ```
/// use sim_kernel::{CPython, Stream};
///
/// assert_eq!(CPython::new(0).unit(), 0.8444218515250481);
/// ```
#[derive(Debug)]
pub struct CPython(Random);

impl CPython {
    /// The stream of `random.Random(seed)`.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(Random::new(u128::from(seed)))
    }
}

impl Stream for CPython {
    #[inline]
    fn unit(&mut self) -> f64 {
        self.0.random()
    }

    /// `getrandbits(64)`.
    #[inline]
    fn bits(&mut self) -> u64 {
        self.0.getrandbits(64) as u64
    }

    #[inline]
    fn below(&mut self, bound: u64) -> u64 {
        self.0.randrange(bound)
    }

    #[inline]
    fn exponential(&mut self, rate: f64) -> f64 {
        self.0.expovariate(rate)
    }

    #[inline]
    fn normal(&mut self, mean: f64, sd: f64) -> f64 {
        self.0.normalvariate(mean, sd)
    }

    #[inline]
    fn sample(&mut self, n: u32, k: u32, positions: &mut Vec<u32>) {
        self.0.sample(n, k, positions);
    }
}
