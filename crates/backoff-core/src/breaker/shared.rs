//! The breaker's logic, shared between threads.

use core::borrow::Borrow;
use core::time::Duration;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::machine::{Breaker, Outcome, Refused, State, Ticket};

/// A circuit breaker that threads share; a lock is held for the length of one call of [`Breaker`].
///
/// ```
/// use backoff_core::breaker::{BreakerConfig, SharedBreaker, State};
/// use core::time::Duration;
///
/// let now = Duration::ZERO;
/// let breaker = SharedBreaker::new(BreakerConfig::default().build()?);
/// match breaker.try_acquire(now) {
///     Ok(permit) => permit.success(now), // after the call
///     Err(refused) => eprintln!("{refused}"),
/// }
/// assert_eq!(breaker.state(now), State::Closed);
/// # Ok::<(), backoff_core::ConfigError>(())
/// ```
#[derive(Debug)]
pub struct SharedBreaker {
    breaker: Mutex<Breaker>,
}

impl SharedBreaker {
    /// Shares `breaker`.
    #[must_use]
    pub fn new(breaker: Breaker) -> Self {
        Self {
            breaker: Mutex::new(breaker),
        }
    }

    /// A permit for a call at `now`, or why it is refused.
    ///
    /// # Errors
    /// As [`Breaker::try_acquire`].
    pub fn try_acquire(&self, now: Duration) -> Result<Permit<&Self>, Refused> {
        Permit::take(self, now)
    }

    /// As [`try_acquire`](Self::try_acquire), for a call that may outlive the borrow.
    ///
    /// # Errors
    /// As [`Breaker::try_acquire`].
    pub fn try_acquire_owned(
        self: &Arc<Self>,
        now: Duration,
    ) -> Result<Permit<Arc<Self>>, Refused> {
        Permit::take(Arc::clone(self), now)
    }

    /// What the breaker would do with a call at `now`.
    pub fn state(&self, now: Duration) -> State {
        self.lock().state(now)
    }

    /// As [`Breaker::open_for`].
    pub fn open_for(&self, now: Duration) -> Option<Duration> {
        self.lock().open_for(now)
    }

    /// No call of a breaker panics half way, so a poisoned lock still guards a sound one.
    fn lock(&self) -> MutexGuard<'_, Breaker> {
        self.breaker.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A call that was let through: reports its outcome, and counts as ignored if it is dropped without one.
#[derive(Debug)]
#[must_use = "dropping it reports the call as ignored"]
pub struct Permit<P: Borrow<SharedBreaker>> {
    breaker: P,
    /// Taken out when the outcome is known.
    ticket: Option<Ticket>,
}

impl<P: Borrow<SharedBreaker>> Permit<P> {
    fn take(breaker: P, now: Duration) -> Result<Self, Refused> {
        let ticket = breaker.borrow().lock().try_acquire(now)?;
        Ok(Self {
            breaker,
            ticket: Some(ticket),
        })
    }

    /// The service answered at `now`.
    pub fn success(self, now: Duration) {
        self.report(now, Outcome::Success);
    }

    /// The service failed at `now`.
    pub fn failure(self, now: Duration) {
        self.report(now, Outcome::Failure);
    }

    /// The answer at `now` says nothing about the service.
    pub fn ignored(self, now: Duration) {
        self.report(now, Outcome::Ignored);
    }

    /// The call ended with `outcome` at `now`.
    pub fn report(mut self, now: Duration, outcome: Outcome) {
        if let Some(ticket) = self.ticket.take() {
            self.breaker.borrow().lock().report(now, ticket, outcome);
        }
    }
}

impl<P: Borrow<SharedBreaker>> Drop for Permit<P> {
    fn drop(&mut self) {
        if let Some(ticket) = self.ticket.take() {
            let mut breaker = self.breaker.borrow().lock();
            let now = breaker.latest();
            breaker.report(now, ticket, Outcome::Ignored);
        }
    }
}
