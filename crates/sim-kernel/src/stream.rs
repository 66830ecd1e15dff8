//! Where a simulation's randomness comes from.

mod cpython;
mod pcg64;

pub use cpython::CPython;
pub use pcg64::Pcg64;

/// The draws that the simulators make, from one of two generators.
///
/// A stream belongs to one unit of work (one strategy and one seed) and is never shared or cloned.
pub trait Stream {
    /// Uniform in [0, 1), a multiple of 2^-53.
    fn unit(&mut self) -> f64;

    /// 64 random bits.
    fn bits(&mut self) -> u64;

    /// Calls `use_unit` with each item and a number uniform in [0, 1) of its own, as [`Stream::unit`] gives them.
    #[inline]
    fn with_units<I>(
        &mut self,
        items: impl IntoIterator<Item = I>,
        mut use_unit: impl FnMut(I, f64),
    ) {
        for item in items {
            use_unit(item, self.unit());
        }
    }

    /// `low + (high - low) · unit`, uniform in [low, high), or in [low, high] where the sum rounds up to `high`.
    #[inline]
    fn uniform(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// Uniform among 0, 1, …, `bound` - 1; 0 when `bound` is 0 or 1.
    fn below(&mut self, bound: u64) -> u64;

    /// Exponentially distributed with the given rate, in [0, ∞): `-ln(1 - unit) / rate`.
    fn exponential(&mut self, rate: f64) -> f64;

    /// Normally distributed.
    fn normal(&mut self, mean: f64, sd: f64) -> f64;

    /// Puts min(k, n) distinct positions among 0, 1, …, n - 1 into `positions` (cleared first), in the order drawn; every such choice
    /// is equally likely.
    ///
    /// `positions` serves as work space: nothing is allocated once its capacity suffices.
    fn sample(&mut self, n: u32, k: u32, positions: &mut Vec<u32>);
}
