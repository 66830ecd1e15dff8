//! The breaker's logic, for one thread.

use core::time::Duration;

use super::calls::Calls;
use super::config::BreakerConfig;

/// A circuit breaker for one thread; see the [module](super) for its states.
///
/// A [`Ticket`] that is never reported holds its probe until `half_open_limit` has passed; `SharedBreaker`
/// hands out permits that report themselves.
///
/// ```
/// use backoff_core::breaker::{BreakerConfig, CallWindow, Outcome, Refused, State};
/// use core::time::Duration;
///
/// let second = Duration::from_secs;
/// let mut breaker = BreakerConfig {
///     window: CallWindow::Calls(3),
///     minimum_calls: 3,
///     ..BreakerConfig::default()
/// }
/// .build()?;
/// for _ in 0..3 {
///     let ticket = breaker.try_acquire(second(0)).unwrap();
///     breaker.report(second(0), ticket, Outcome::Failure);
/// }
/// assert_eq!(breaker.try_acquire(second(0)), Err(Refused::Open { until: second(1) }));
/// assert_eq!(breaker.state(second(1)), State::HalfOpen);
/// # Ok::<(), backoff_core::ConfigError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Breaker {
    config: BreakerConfig,
    calls: Calls,
    phase: Phase,
    /// Counts the changes of phase, so that an answer from an earlier one is recognised.
    generation: u64,
    latest: Duration,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Closed,
    Open {
        until: Duration,
    },
    HalfOpen {
        /// Probes without an answer.
        out: u32,
        succeeded: u32,
        /// Since when probes have been out without a break or a success.
        out_since: Duration,
    },
}

/// What a breaker does with the next call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum State {
    /// Lets it through.
    Closed,
    /// Refuses it.
    Open,
    /// Lets it through if it is one of the probes.
    HalfOpen,
}

/// How a call ended, as far as a breaker cares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// The service answered.
    Success,
    /// The service failed, or didn't answer in time.
    Failure,
    /// The answer says nothing about the service, such as a 4xx, or the caller went away.
    Ignored,
}

/// Why a call was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
pub enum Refused {
    /// The breaker is open.
    #[error("the circuit breaker is open until {until:?}")]
    Open {
        /// When it will be half-open, on the caller's clock.
        until: Duration,
    },
    /// The breaker is half-open and all its probes are under way.
    #[error("the circuit breaker is half-open and its probes are under way")]
    ProbesOut,
}

/// A call that was let through; goes back with its outcome to [`Breaker::report`].
#[derive(Debug, PartialEq, Eq)]
#[must_use = "a call that isn't reported holds a probe"]
pub struct Ticket {
    generation: u64,
}

impl Breaker {
    pub(super) fn new(config: BreakerConfig, calls: Calls) -> Self {
        Self {
            config,
            calls,
            phase: Phase::Closed,
            generation: 0,
            latest: Duration::ZERO,
        }
    }

    /// A ticket for a call at `now`, or why it is refused.
    ///
    /// # Errors
    /// The breaker is open, or half-open with as many probes out or succeeded as it has permits.
    #[inline]
    pub fn try_acquire(&mut self, now: Duration) -> Result<Ticket, Refused> {
        self.advance(now);
        match &mut self.phase {
            Phase::Closed => {}
            Phase::Open { until } => return Err(Refused::Open { until: *until }),
            Phase::HalfOpen {
                out,
                succeeded,
                out_since,
            } => {
                if *out + *succeeded >= self.config.half_open_permits {
                    return Err(Refused::ProbesOut);
                }
                if *out == 0 {
                    *out_since = self.latest;
                }
                *out += 1;
            }
        }
        Ok(Ticket {
            generation: self.generation,
        })
    }

    /// Takes in how the call of `ticket` ended at `now`; if the breaker has changed its state since it let the call through, nothing.
    #[inline]
    #[expect(
        clippy::needless_pass_by_value,
        reason = "a ticket is spent by its report"
    )]
    pub fn report(&mut self, now: Duration, ticket: Ticket, outcome: Outcome) {
        self.advance(now);
        if ticket.generation != self.generation {
            return;
        }
        match (&mut self.phase, outcome) {
            (Phase::Closed, Outcome::Ignored) | (Phase::Open { .. }, _) => {}
            (Phase::Closed, _) => self.judge(outcome == Outcome::Failure),
            (Phase::HalfOpen { .. }, Outcome::Failure) => self.open(self.latest),
            // Saturating: the ticket may be another breaker's.
            (Phase::HalfOpen { out, .. }, Outcome::Ignored) => *out = out.saturating_sub(1),
            (
                Phase::HalfOpen {
                    out,
                    succeeded,
                    out_since,
                },
                Outcome::Success,
            ) => {
                *out = out.saturating_sub(1);
                *succeeded += 1;
                // The service works, so those that are still out get their time anew; at most once for each permit.
                *out_since = self.latest;
                if *succeeded == self.config.half_open_permits {
                    self.enter(Phase::Closed);
                }
            }
        }
    }

    /// What the breaker would do with a call at `now`.
    pub fn state(&mut self, now: Duration) -> State {
        self.advance(now);
        match self.phase {
            Phase::Closed => State::Closed,
            Phase::Open { .. } => State::Open,
            Phase::HalfOpen { .. } => State::HalfOpen,
        }
    }

    /// How long from `now`, or from the latest time it was told if that is later, the breaker stays open; `None` if it isn't open then. What
    /// [`Outcome::breaker_open_for`] wants to know, so that nobody waits for a retry that an open breaker would refuse. Half-open it may still
    /// refuse one, when all its probes are out.
    ///
    /// [`Outcome::breaker_open_for`]: crate::policy::Outcome::breaker_open_for
    ///
    /// ```
    /// use backoff_core::breaker::{BreakerConfig, CallWindow, Outcome};
    /// use core::time::Duration;
    ///
    /// let ms = Duration::from_millis;
    /// let one = BreakerConfig { window: CallWindow::Calls(1), minimum_calls: 1, ..BreakerConfig::default() };
    /// let mut breaker = one.build()?;
    /// let ticket = breaker.try_acquire(ms(0)).unwrap();
    /// assert_eq!(breaker.open_for(ms(0)), None);
    /// breaker.report(ms(0), ticket, Outcome::Failure); // open for a second
    /// assert_eq!(breaker.open_for(ms(300)), Some(ms(700)));
    /// assert_eq!(breaker.open_for(ms(1000)), None);
    /// # Ok::<(), backoff_core::ConfigError>(())
    /// ```
    pub fn open_for(&mut self, now: Duration) -> Option<Duration> {
        self.advance(now);
        match self.phase {
            Phase::Open { until } => Some(until.saturating_sub(self.latest)),
            Phase::Closed | Phase::HalfOpen { .. } => None,
        }
    }

    /// How often the breaker has changed its state so far, as far as it has been told the time.
    #[must_use]
    pub fn changes(&self) -> u64 {
        self.generation
    }

    /// The latest time that the breaker has seen.
    #[cfg(feature = "std")]
    pub(super) fn latest(&self) -> Duration {
        self.latest
    }

    fn judge(&mut self, failed: bool) {
        self.calls.record(self.latest, failed);
        let (calls, failures) = self.calls.counts();
        if calls >= u64::from(self.config.minimum_calls)
            && !self.config.failure_rate.exceeds(failures, calls)
        {
            self.open(self.latest);
        }
    }

    /// Moves on to `now`, through the changes of state that time alone brings.
    #[inline]
    fn advance(&mut self, now: Duration) {
        self.latest = self.latest.max(now);
        if let Phase::HalfOpen { out, out_since, .. } = self.phase {
            // No limit is Duration::MAX, which no later time reaches.
            let expiry = out_since.saturating_add(self.config.half_open_limit);
            if out > 0 && self.latest >= expiry && expiry < Duration::MAX {
                self.open(expiry);
            }
        }
        if let Phase::Open { until } = self.phase
            && self.latest >= until
        {
            self.enter(Phase::HalfOpen {
                out: 0,
                succeeded: 0,
                out_since: self.latest,
            });
        }
    }

    fn open(&mut self, since: Duration) {
        let until = since.saturating_add(self.config.open_for);
        self.enter(Phase::Open { until });
    }

    fn enter(&mut self, phase: Phase) {
        self.phase = phase;
        self.generation += 1;
        self.calls.forget();
    }
}
