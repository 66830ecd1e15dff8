//! Least, mean and greatest waits, of one failure and of all up to one.

use super::{Backoff, Kind, Other};

impl Backoff {
    /// The least and the greatest wait after failure `failures`, in [`Backoff::unit`].
    ///
    /// Every wait lies in the closed interval, for every previous wait that this backoff can return. But for decorrelated jitter it is uniform
    /// on the interval, or constant where both ends are equal; for decorrelated jitter the greatest is `min(cap, 3^n · base)`.
    /// The greatest is a limit that a jittered wait reaches at most by rounding. A failure number of 0 counts as 1.
    ///
    /// ```
    /// use backoff_core::{BackoffConfig, Growth};
    /// use core::time::Duration;
    /// let growth = Growth::doubling(Duration::from_secs(1), Duration::from_secs(30));
    /// let backoff = BackoffConfig::EqualJitter(growth).build()?;
    /// assert_eq!(backoff.bounds(4), (4.0, 8.0));
    /// assert_eq!(backoff.bounds(u32::MAX), (15.0, 30.0));
    /// # Ok::<(), backoff_core::ConfigError>(())
    /// ```
    #[must_use]
    pub fn bounds(&self, failures: u32) -> (f64, f64) {
        let greatest_previous = match &self.kind {
            Kind::Other(Other::Decorrelated(jitter)) => jitter.greatest(failures.saturating_sub(1)),
            _ => 0.0,
        };
        // The wait is monotone in the previous wait and in the uniform number, rounding included, so its corners bound it.
        (
            self.wait(failures, 0.0, 0.0),
            self.wait(failures, greatest_previous, 1.0),
        )
    }

    /// The mean wait after failure `failures`, in [`Backoff::unit`]; a failure number of 0 counts as 1.
    ///
    /// A closed form, but for decorrelated jitter whose cap is in reach (`3^n · base > cap`): that is computed by quadrature to 1e-9 of
    /// its value, which allocates and takes longer the farther base and cap are apart and, up to a few thousand failures, the more failures
    /// there are: under a millisecond for a cap of 100 bases, tenths of a second between 1 ns and [`Duration::MAX`](core::time::Duration::MAX).
    /// For the sum over failures use [`Backoff::total_mean`].
    ///
    /// ```
    /// use backoff_core::BackoffConfig;
    /// use core::time::Duration;
    /// let (base, cap) = (Duration::from_secs(1), Duration::from_secs(60));
    /// let backoff = BackoffConfig::Decorrelated { base, cap }.build()?;
    /// assert_eq!((backoff.mean(1), backoff.mean(2), backoff.mean(3)), (2.0, 3.5, 5.75));
    /// # Ok::<(), backoff_core::ConfigError>(())
    /// ```
    #[must_use]
    pub fn mean(&self, failures: u32) -> f64 {
        match &self.kind {
            Kind::Other(Other::Decorrelated(jitter)) => jitter.mean(failures.max(1)).last,
            _ => middle(self.bounds(failures)),
        }
    }

    /// The first failure number from which every wait has the same distribution; none if no failure number up to `u32::MAX` is such.
    ///
    /// Decorrelated jitter comes ever closer to a last distribution and never reaches it, unless the cap equals the base or the base is 0.
    #[must_use]
    pub fn constant_from(&self) -> Option<u32> {
        match &self.kind {
            Kind::FullJitter(curve)
            | Kind::Other(Other::Spread { curve, .. } | Other::EqualJitter(curve)) => {
                curve.constant_from()
            }
            Kind::Other(Other::Decorrelated(jitter)) => jitter.is_constant().then_some(1),
        }
    }

    /// The least and the greatest sum of the waits after failures 1..=`failures`, in [`Backoff::unit`]; zeros for 0 failures.
    ///
    /// The [`bounds`](Backoff::bounds) of the waits added up, to about 1e-13 of the sum, in a time that does not grow with the failures.
    ///
    /// ```
    /// use backoff_core::{BackoffConfig, Growth};
    /// use core::time::Duration;
    /// let growth = Growth::doubling(Duration::from_secs(1), Duration::from_secs(30));
    /// let backoff = BackoffConfig::FullJitter(growth).build()?;
    /// assert_eq!(backoff.total_bounds(6), (0.0, 1.0 + 2.0 + 4.0 + 8.0 + 16.0 + 30.0));
    /// # Ok::<(), backoff_core::ConfigError>(())
    /// ```
    #[must_use]
    pub fn total_bounds(&self, failures: u32) -> (f64, f64) {
        match &self.kind {
            Kind::FullJitter(curve) => (0.0, curve.total(failures)),
            Kind::Other(Other::Spread { curve, spread }) => {
                let total = curve.total(failures);
                (total * spread.least, total * (spread.least + spread.width))
            }
            Kind::Other(Other::EqualJitter(curve)) => {
                let total = curve.total(failures);
                (total * 0.5, total)
            }
            Kind::Other(Other::Decorrelated(jitter)) => (
                f64::from(failures) * jitter.base(),
                jitter.total_greatest(failures),
            ),
        }
    }

    /// The mean of the sum of the waits after failures 1..=`failures`, in [`Backoff::unit`]; 0 for 0 failures.
    ///
    /// As exact and as cheap as [`Backoff::mean`], whatever the number of failures.
    #[must_use]
    pub fn total_mean(&self, failures: u32) -> f64 {
        match &self.kind {
            Kind::Other(Other::Decorrelated(jitter)) => jitter.mean(failures).sum,
            _ => middle(self.total_bounds(failures)),
        }
    }
}

/// The mean of a wait that is uniform between its bounds.
fn middle((least, greatest): (f64, f64)) -> f64 {
    f64::midpoint(least, greatest)
}
