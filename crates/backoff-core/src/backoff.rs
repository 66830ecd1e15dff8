//! How long to wait after failure n.

use core::time::Duration;

use crate::config::Unit;

/// One of the seven strategies, checked; a pure function of failure number, previous wait and a uniform number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Backoff {
    kind: Kind,
    unit: Unit,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Kind {
    Immediate,
    Fixed(f64),
    Exponential(Curve),
    FullJitter(Curve),
    EqualJitter(Curve),
    Decorrelated { base: f64, cap: f64 },
    Proportional { curve: Curve, factor: f64 },
}

/// Nominal waits by failure number, the first of them tabulated.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Curve {
    base: f64,
    cap: f64,
    multiplier: f64,
    exponent_from: u32,
    first: [f64; TABULATED],
}

const TABULATED: usize = 16;

impl Curve {
    pub(crate) fn new(base: f64, cap: f64, multiplier: f64, exponent_from: u32) -> Self {
        let mut curve = Self {
            base,
            cap,
            multiplier,
            exponent_from,
            first: [0.0; TABULATED],
        };
        for index in 0..TABULATED {
            curve.first[index] = curve.computed(index as u32);
        }
        curve
    }

    /// `min(cap, base · multiplier^(failures - 1 + exponent_from))`, 0 failures counting as 1.
    #[inline]
    pub(crate) fn nominal(&self, failures: u32) -> f64 {
        let index = failures.saturating_sub(1);
        match self.first.get(index as usize) {
            Some(&nominal) => nominal,
            None => self.computed(index),
        }
    }

    fn computed(&self, index: u32) -> f64 {
        if self.base == 0.0 {
            return 0.0;
        }
        let exponent = u64::from(index) + u64::from(self.exponent_from);
        self.cap.min(self.base * power(self.multiplier, exponent))
    }
}

/// `x^exponent` for x ≥ 1 by repeated squaring: the same bytes on every machine, at most 33 steps.
fn power(x: f64, mut exponent: u64) -> f64 {
    let mut square = x;
    let mut product = 1.0;
    while exponent > 0 {
        if exponent & 1 == 1 {
            product *= square;
        }
        square *= square;
        exponent >>= 1;
    }
    product
}

impl Backoff {
    pub(crate) fn from_kind(kind: Kind, unit: Unit) -> Self {
        Self { kind, unit }
    }

    /// The wait after failure `failures`, in this backoff's unit (seconds unless built otherwise).
    ///
    /// `unit` is uniform in [0, 1) and comes from the caller; `previous` is the wait before, or [`Backoff::first_previous`].
    /// A failure number of 0 counts as 1.
    #[inline]
    #[must_use]
    pub fn wait(&self, failures: u32, previous: f64, unit: f64) -> f64 {
        match &self.kind {
            Kind::Immediate => 0.0,
            Kind::Fixed(wait) => *wait,
            Kind::Exponential(curve) => curve.nominal(failures),
            Kind::FullJitter(curve) => curve.nominal(failures) * unit,
            Kind::EqualJitter(curve) => {
                let half = curve.nominal(failures) / 2.0;
                half + half * unit
            }
            Kind::Decorrelated { base, cap } => {
                let ceiling = (previous * 3.0).max(*base);
                cap.min(base + (ceiling - base) * unit)
            }
            Kind::Proportional { curve, factor } => {
                let low = 1.0 - factor;
                curve.nominal(failures) * (low + ((1.0 + factor) - low) * unit)
            }
        }
    }

    /// Whether [`Backoff::wait`] looks at its uniform number: false for immediate, fixed and exponential.
    #[must_use]
    pub fn draws(&self) -> bool {
        !matches!(
            self.kind,
            Kind::Immediate | Kind::Fixed(_) | Kind::Exponential(_)
        )
    }

    /// Whether [`Backoff::wait`] looks at the previous wait: true for decorrelated jitter alone.
    #[must_use]
    pub fn remembers(&self) -> bool {
        matches!(self.kind, Kind::Decorrelated { .. })
    }

    /// The "previous wait" before the first failure: the base for decorrelated jitter, else 0.
    #[must_use]
    pub fn first_previous(&self) -> f64 {
        match self.kind {
            Kind::Decorrelated { base, .. } => base,
            _ => 0.0,
        }
    }

    /// The unit in which [`Backoff::wait`] computes.
    #[must_use]
    pub fn unit(&self) -> Unit {
        self.unit
    }

    /// The wait as a duration, rounded to nanoseconds and saturating.
    #[inline]
    #[must_use]
    pub fn duration(&self, wait: f64) -> Duration {
        let seconds = match self.unit {
            Unit::Seconds => wait,
            Unit::Millis => wait / 1e3,
        };
        Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)
    }
}
