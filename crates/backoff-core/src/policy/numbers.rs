//! Where a decision takes its random numbers from.

/// Uniform numbers in [0, 1) for one decision.
pub(super) trait Numbers {
    /// The one for a budget that draws.
    fn for_budget(&mut self) -> f64;

    /// The one for a wait that draws.
    fn for_wait(&mut self) -> f64;
}

/// One number for both: the wait gets the whole, the budget its lower 27 bits, which hardly show in the wait.
pub(super) struct One(pub(super) f64);

impl Numbers for One {
    #[inline]
    fn for_budget(&mut self) -> f64 {
        // Below 2^26, so the cast is the floor.
        let scaled = inside(self.0) * f64::from(1 << 26);
        scaled - f64::from(scaled as u32)
    }

    #[inline]
    fn for_wait(&mut self) -> f64 {
        inside(self.0)
    }
}

/// A new number for each.
pub(super) struct Drawn<F>(pub(super) F);

impl<F: FnMut() -> f64> Numbers for Drawn<F> {
    #[inline]
    fn for_budget(&mut self) -> f64 {
        inside((self.0)())
    }

    #[inline]
    fn for_wait(&mut self) -> f64 {
        inside((self.0)())
    }
}

/// The nearest number in [0, 1); 0 for NaN.
fn inside(unit: f64) -> f64 {
    let unit = unit.clamp(0.0, 1.0 - f64::EPSILON / 2.0);
    if unit.is_nan() { 0.0 } else { unit }
}
