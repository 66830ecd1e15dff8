//! A client's circuit breaker, in its place.

use core::time::Duration;

use backoff_core::breaker::{Breaker, Outcome, Ticket};

use crate::policy::BreakerPlace;

/// What stands before a client's sends.
#[derive(Debug, Clone)]
pub(crate) enum Guard {
    /// Nothing.
    None,
    /// A breaker that judges attempts.
    Attempts(Breaker),
    /// A breaker that judges requests.
    Requests(Breaker),
}

/// Whether an attempt may leave.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Admission {
    /// It leaves; the ticket is this attempt's, if a breaker gave one.
    Sent(Option<Ticket>),
    /// It doesn't.
    Refused,
}

impl Guard {
    pub(crate) fn new(breaker: Breaker, place: BreakerPlace) -> Self {
        match place {
            BreakerPlace::EachAttempt | BreakerPlace::EachAttemptRefusalsRetried => {
                Self::Attempts(breaker)
            }
            BreakerPlace::WholeRequest => Self::Requests(breaker),
        }
    }

    /// Whether an attempt may leave at `now`, `first` being a request's first.
    pub(crate) fn admit(&mut self, now: Duration, first: bool) -> Admission {
        let breaker = match self {
            Self::None => return Admission::Sent(None),
            Self::Requests(_) if !first => return Admission::Sent(None),
            Self::Requests(breaker) | Self::Attempts(breaker) => breaker,
        };
        match breaker.try_acquire(now) {
            Ok(ticket) => Admission::Sent(Some(ticket)),
            Err(_) => Admission::Refused,
        }
    }

    /// Tells the breaker how an attempt ended, and whether its request ended with it. The ticket stays if it is needed later.
    pub(crate) fn answered(
        &mut self,
        now: Duration,
        ticket: &mut Option<Ticket>,
        outcome: Outcome,
        request_ended: bool,
    ) {
        let breaker = match self {
            Self::None => return,
            Self::Requests(_) if !request_ended => return,
            Self::Requests(breaker) | Self::Attempts(breaker) => breaker,
        };
        if let Some(ticket) = ticket.take() {
            breaker.report(now, ticket, outcome);
        }
    }
}
