//! The waits of one request as durations, drawn from a random number generator.

use core::iter::FusedIterator;
use core::time::Duration;

use rand_core::Rng;

use super::{Backoff, unit_from_bits};

impl Backoff {
    /// The wait after failure `failures` of one request; draws 64 bits from `rng` if the strategy has jitter, else nothing.
    ///
    /// `previous` is the wait after the failure before. Only decorrelated jitter looks at it, and not after the first failure (or failure 0, which counts as 1).
    /// Rounded to the nearest nanosecond up to 13 days; saturating.
    ///
    /// ```
    /// use backoff_core::{BackoffConfig, Growth};
    /// use core::time::Duration;
    /// let growth = Growth::doubling(Duration::from_millis(100), Duration::from_secs(10));
    /// let backoff = BackoffConfig::FullJitter(growth).build()?;
    /// let mut rng = rand_pcg::Pcg64Mcg::new(0);
    /// let wait = backoff.delay(3, Duration::ZERO, &mut rng);
    /// assert_eq!(wait, Duration::from_nanos(352_153_902)); // of at most 400 ms
    /// # Ok::<(), backoff_core::ConfigError>(())
    /// ```
    #[inline]
    #[must_use]
    pub fn delay<R: Rng + ?Sized>(
        &self,
        failures: u32,
        previous: Duration,
        rng: &mut R,
    ) -> Duration {
        let previous = if self.remembers() && failures > 1 {
            self.unit().of(previous)
        } else {
            self.first_previous()
        };
        self.duration(self.draw(failures, previous, rng))
    }

    /// The endless sequence of one request's waits, after failure 1, 2, and so on; decorrelated jitter remembers the wait before.
    ///
    /// Each request needs a schedule of its own. `rng` may be a generator or a mutable reference to one.
    ///
    /// ```
    /// use backoff_core::{BackoffConfig, Growth};
    /// use core::time::Duration;
    /// let growth = Growth::doubling(Duration::from_secs(1), Duration::from_secs(30));
    /// let backoff = BackoffConfig::Exponential(growth).build()?;
    /// let waits: Vec<u64> = backoff.schedule(rand_pcg::Pcg64Mcg::new(0)).take(7).map(|wait| wait.as_secs()).collect();
    /// assert_eq!(waits, [1, 2, 4, 8, 16, 30, 30]);
    /// # Ok::<(), backoff_core::ConfigError>(())
    /// ```
    #[must_use]
    pub fn schedule<R: Rng>(&self, rng: R) -> Schedule<R> {
        Schedule {
            backoff: *self,
            rng,
            failures: 0,
            previous: self.first_previous(),
        }
    }

    #[inline]
    fn draw<R: Rng + ?Sized>(&self, failures: u32, previous: f64, rng: &mut R) -> f64 {
        self.wait_drawing(failures, previous, || unit_from_bits(rng.next_u64()))
    }
}

/// The waits of one request; see [`Backoff::schedule`]. It can't be cloned: two requests with the same waits would come back together.
#[derive(Debug)]
pub struct Schedule<R> {
    backoff: Backoff,
    rng: R,
    failures: u32,
    previous: f64,
}

impl<R: Rng> Iterator for Schedule<R> {
    type Item = Duration;

    #[inline]
    fn next(&mut self) -> Option<Duration> {
        self.failures = self.failures.saturating_add(1);
        self.previous = self
            .backoff
            .draw(self.failures, self.previous, &mut self.rng);
        Some(self.backoff.duration(self.previous))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (usize::MAX, None)
    }
}

impl<R: Rng> FusedIterator for Schedule<R> {}
