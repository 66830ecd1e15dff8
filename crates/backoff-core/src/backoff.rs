//! How long to wait after failure n.

use core::time::Duration;

use crate::config::Unit;

mod conversion;
mod curve;
mod decorrelated;
mod hoist;
mod jitter;
mod moments;
mod quadrature;
mod schedule;

pub use conversion::unit_from_bits;
pub(crate) use curve::Curve;
pub(crate) use decorrelated::Decorrelated;
pub use hoist::WaitLoop;
pub(crate) use jitter::Spread;
pub use schedule::Schedule;

/// One of the seven strategies, checked; a pure function of failure number, previous wait and a uniform number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Backoff {
    kind: Kind,
    unit: Unit,
}

#[derive(Debug, Clone, Copy, PartialEq)]
// A tag of its own: hidden in a field's spare values it took longer to read than the wait took to compute.
#[repr(u64)]
pub(crate) enum Kind {
    /// Immediate, fixed, exponential, full and equal jitter.
    Spread {
        curve: Curve,
        spread: Spread,
    },
    Decorrelated(Decorrelated),
    Proportional {
        curve: Curve,
        factor: f64,
    },
}

impl Backoff {
    pub(crate) fn from_kind(kind: Kind, unit: Unit) -> Self {
        Self { kind, unit }
    }

    /// The wait after failure `failures`, in this backoff's unit (seconds unless built otherwise).
    ///
    /// `unit` is uniform in [0, 1) and comes from the caller, any such number if the strategy does not [draw](Backoff::draws);
    /// `previous` is the wait before, or [`Backoff::first_previous`], and may be any number, even NaN. O(1) for every failure number.
    /// A failure number of 0 counts as 1.
    #[inline]
    #[must_use]
    pub fn wait(&self, failures: u32, previous: f64, unit: f64) -> f64 {
        match &self.kind {
            Kind::Spread { curve, spread } => curve.spread(failures, *spread, unit),
            Kind::Decorrelated(jitter) => jitter.wait(previous, unit),
            Kind::Proportional { curve, factor } => curve.proportional(failures, *factor, unit),
        }
    }

    /// Whether [`Backoff::wait`] looks at its uniform number: false for immediate, fixed and exponential.
    #[inline]
    #[must_use]
    pub fn draws(&self) -> bool {
        match &self.kind {
            Kind::Spread { spread, .. } => spread.width > 0.0,
            Kind::Decorrelated(_) | Kind::Proportional { .. } => true,
        }
    }

    /// Whether [`Backoff::wait`] looks at the previous wait: true for decorrelated jitter alone.
    #[inline]
    #[must_use]
    pub fn remembers(&self) -> bool {
        matches!(self.kind, Kind::Decorrelated(_))
    }

    /// The "previous wait" before the first failure: the base for decorrelated jitter, else 0.
    #[inline]
    #[must_use]
    pub fn first_previous(&self) -> f64 {
        match &self.kind {
            Kind::Decorrelated(jitter) => jitter.base(),
            _ => 0.0,
        }
    }

    /// The unit in which [`Backoff::wait`] computes.
    #[inline]
    #[must_use]
    pub fn unit(&self) -> Unit {
        self.unit
    }

    /// The wait as a duration, rounded to nanoseconds and saturating.
    #[inline]
    #[must_use]
    pub fn duration(&self, wait: f64) -> Duration {
        conversion::to_duration(wait, self.unit)
    }
}
