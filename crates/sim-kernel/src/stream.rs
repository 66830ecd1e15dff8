//! Where a simulation's randomness comes from.

/// The draws that the simulators make, from one of two generators.
///
/// A stream belongs to one unit of work (one strategy and one seed) and is never shared or cloned.
pub trait Stream {
    /// Uniform in [0, 1), with 53 random bits.
    fn unit(&mut self) -> f64;

    /// Uniform in [low, high]: `low + (high - low) · unit`.
    #[inline]
    fn uniform(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// Uniform among 0, 1, …, `bound` - 1; 0 when `bound` is 0 or 1.
    fn below(&mut self, bound: u64) -> u64;

    /// Exponentially distributed with the given rate: `-ln(1 - unit) / rate`.
    fn exponential(&mut self, rate: f64) -> f64;

    /// Normally distributed.
    fn normal(&mut self, mean: f64, sd: f64) -> f64;

    /// Puts min(k, n) distinct positions among 0, 1, …, n - 1 into `positions` (cleared first), in the order drawn.
    fn sample(&mut self, n: usize, k: usize, positions: &mut Vec<u32>);
}
