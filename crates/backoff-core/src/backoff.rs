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

/// What the strategies compute.
///
/// Full jitter, the one that most use, is told from the others by a comparison of its own, and those by two more: one choice among four
/// would become an indirect jump, which costs more than the wait.
#[derive(Debug, Clone, Copy, PartialEq)]
// Tags of their own: hidden in a field's spare values they took longer to read than the wait took to compute.
#[repr(u64)]
pub(crate) enum Kind {
    FullJitter(Curve),
    Other(Other),
}

/// The strategies beside full jitter.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(u64)]
pub(crate) enum Other {
    /// Immediate, fixed, exponential and proportional jitter.
    Spread {
        curve: Curve,
        spread: Spread,
    },
    EqualJitter(Curve),
    Decorrelated(Decorrelated),
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
            Kind::FullJitter(curve) => curve.full_jitter(failures, unit),
            Kind::Other(Other::Spread { curve, spread }) => curve.spread(failures, *spread, unit),
            Kind::Other(Other::EqualJitter(curve)) => curve.equal_jitter(failures, unit),
            Kind::Other(Other::Decorrelated(jitter)) => jitter.wait(previous, unit),
        }
    }

    /// [`Backoff::wait`] with the uniform number that `draw` returns; it is called once if the strategy [draws](Backoff::draws), else not at all.
    #[inline]
    #[must_use]
    pub fn wait_drawing(&self, failures: u32, previous: f64, draw: impl FnOnce() -> f64) -> f64 {
        match &self.kind {
            Kind::FullJitter(curve) => curve.full_jitter(failures, draw()),
            Kind::Other(Other::Spread { curve, spread }) => {
                let unit = if spread.width > 0.0 { draw() } else { 0.0 };
                curve.spread(failures, *spread, unit)
            }
            Kind::Other(Other::EqualJitter(curve)) => curve.equal_jitter(failures, draw()),
            Kind::Other(Other::Decorrelated(jitter)) => jitter.wait(previous, draw()),
        }
    }

    /// Whether [`Backoff::wait`] looks at its uniform number: false for immediate, fixed and exponential.
    #[inline]
    #[must_use]
    pub fn draws(&self) -> bool {
        match &self.kind {
            Kind::Other(Other::Spread { spread, .. }) => spread.width > 0.0,
            Kind::FullJitter(_) | Kind::Other(Other::EqualJitter(_) | Other::Decorrelated(_)) => {
                true
            }
        }
    }

    /// Whether [`Backoff::wait`] looks at the previous wait: true for decorrelated jitter alone.
    #[inline]
    #[must_use]
    pub fn remembers(&self) -> bool {
        matches!(self.kind, Kind::Other(Other::Decorrelated(_)))
    }

    /// The "previous wait" before the first failure: the base for decorrelated jitter, else 0.
    #[inline]
    #[must_use]
    pub fn first_previous(&self) -> f64 {
        match &self.kind {
            Kind::Other(Other::Decorrelated(jitter)) => jitter.base(),
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
