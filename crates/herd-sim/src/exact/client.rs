//! What a waiting client carries: no more than its next wait depends on.

/// A client between two sends. Which client it is makes no difference to what it does, so it has no identity.
pub(super) trait Client: Copy + Default + PartialEq {
    /// This client's wait after one more failure, and what it carries from then on. `wait` is the strategy's.
    fn fail(self, wait: impl Fn(u32, f64, f64) -> f64, unit: f64) -> (f64, Self);
}

/// The number of failures so far, for strategies whose waits have the same distribution from failure 255 on at the latest.
impl Client for u8 {
    #[inline]
    fn fail(self, wait: impl Fn(u32, f64, f64) -> f64, unit: f64) -> (f64, Self) {
        let failures = self.saturating_add(1);
        (wait(failures.into(), 0.0, unit), failures)
    }
}

/// The number of failures so far.
impl Client for u32 {
    #[inline]
    fn fail(self, wait: impl Fn(u32, f64, f64) -> f64, unit: f64) -> (f64, Self) {
        let failures = self.saturating_add(1);
        (wait(failures, 0.0, unit), failures)
    }
}

/// The wait before, for strategies that remember it; they look at nothing else.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct LastWait(pub(super) f64);

impl Client for LastWait {
    #[inline]
    fn fail(self, wait: impl Fn(u32, f64, f64) -> f64, unit: f64) -> (f64, Self) {
        let wait = wait(1, self.0, unit);
        (wait, Self(wait))
    }
}
