//! The choice of strategy outside a loop instead of in it.

use super::{Backoff, Kind, Other};

/// A loop over many waits of one strategy, for [`Backoff::hoist`].
pub trait WaitLoop {
    /// What the loop comes to.
    type Output;

    /// Runs the loop; `wait(failures, previous, unit)` is [`Backoff::wait`] of the strategy at hand.
    fn run(self, wait: impl Fn(u32, f64, f64) -> f64) -> Self::Output;
}

impl Backoff {
    /// What `body` comes to when it is run with this strategy's [`Backoff::wait`].
    ///
    /// The loop is compiled once for each formula, so that it doesn't choose among them at each wait. Worth it where a wait costs
    /// hardly more than that choice: in a simulator.
    ///
    /// ```
    /// use backoff_core::{BackoffConfig, backoff::WaitLoop};
    /// use core::time::Duration;
    ///
    /// struct Sum;
    /// impl WaitLoop for Sum {
    ///     type Output = f64;
    ///     fn run(self, wait: impl Fn(u32, f64, f64) -> f64) -> f64 {
    ///         (1..=3).map(|failures| wait(failures, 0.0, 0.5)).sum()
    ///     }
    /// }
    /// let backoff = BackoffConfig::Fixed { wait: Duration::from_secs(1) }.build()?;
    /// assert_eq!(backoff.hoist(Sum), 3.0);
    /// # Ok::<(), backoff_core::ConfigError>(())
    /// ```
    #[inline]
    pub fn hoist<L: WaitLoop>(&self, body: L) -> L::Output {
        match &self.kind {
            Kind::FullJitter(curve) => {
                body.run(|failures, _, unit| curve.full_jitter(failures, unit))
            }
            Kind::Other(Other::Spread { curve, spread }) => {
                body.run(|failures, _, unit| curve.spread(failures, *spread, unit))
            }
            Kind::Other(Other::EqualJitter(curve)) => {
                body.run(|failures, _, unit| curve.equal_jitter(failures, unit))
            }
            Kind::Other(Other::Decorrelated(jitter)) => {
                body.run(|_, previous, unit| jitter.wait(previous, unit))
            }
        }
    }
}
