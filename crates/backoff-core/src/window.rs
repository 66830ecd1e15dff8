//! Counts over the last while.

use alloc::boxed::Box;
use alloc::vec;
use core::time::Duration;

use crate::config::ConfigError;

/// A span of time and the slots into which it is cut; both checked.
///
/// An event at time e falls into slot ⌊e / slot⌋. At time t the window holds the slots from that of t − span to that of t, both
/// included: with times that are multiples of the slot exactly the events in [t − span, t], else up to one slot more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Span {
    slot_ns: u64,
    slots: u32,
}

/// The most slots a window may have: memory stays below 24 bytes times this.
pub(crate) const MAX_SLOTS: u64 = 65_536;

impl Span {
    /// # Errors
    /// A slot of 0, a span that isn't a whole number of slots from 1 to [`MAX_SLOTS`].
    pub(crate) fn new(
        field: &'static str,
        span: Duration,
        slot_field: &'static str,
        slot: Duration,
    ) -> Result<Self, ConfigError> {
        let (span_ns, slot_ns) = (span.as_nanos(), slot.as_nanos());
        let Some(slot_ns) = u64::try_from(slot_ns).ok().filter(|&ns| ns > 0) else {
            return Err(ConfigError {
                field: slot_field,
                value: alloc::format!("{slot:?}"),
                allowed: "more than 0 and below 584 years".into(),
            });
        };
        let slots = span_ns / u128::from(slot_ns);
        if span_ns % u128::from(slot_ns) != 0 || !(1..=u128::from(MAX_SLOTS)).contains(&slots) {
            return Err(ConfigError {
                field,
                value: alloc::format!("{span:?}"),
                allowed: alloc::format!("a whole number of {slot:?} slots, from 1 to {MAX_SLOTS}"),
            });
        }
        Ok(Self {
            slot_ns,
            slots: slots as u32,
        })
    }
}

/// Two counters over a sliding [`Span`], the totals kept up to date.
///
/// Only slots in which something happened are stored, oldest first, in a ring made once: an event costs O(1) amortised.
/// Times at which the nanoseconds no longer fit 64 bits (584 years) count as one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Window {
    span: Span,
    ring: Box<[Slot]>,
    oldest: usize,
    used: usize,
    latest_slot: u64,
    slot_ends_ns: u64,
    totals: [u64; 2],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Slot {
    index: u64,
    counts: [u64; 2],
}

impl Window {
    pub(crate) fn new(span: Span) -> Self {
        Self {
            span,
            ring: vec![Slot::default(); span.slots as usize + 1].into_boxed_slice(),
            oldest: 0,
            used: 0,
            latest_slot: 0,
            slot_ends_ns: span.slot_ns,
            totals: [0; 2],
        }
    }

    /// Moves the window's end to `now`; an earlier time leaves it where it is.
    #[inline]
    pub(crate) fn advance(&mut self, now: Duration) {
        let now_ns = saturating_nanos(now);
        if now_ns >= self.slot_ends_ns {
            self.enter(now_ns / self.span.slot_ns);
        }
    }

    fn enter(&mut self, slot: u64) {
        self.latest_slot = slot;
        self.slot_ends_ns = slot.saturating_add(1).saturating_mul(self.span.slot_ns);
        while self.used > 0 {
            let oldest = self.ring[self.oldest];
            if slot - oldest.index <= u64::from(self.span.slots) {
                break;
            }
            for (total, count) in self.totals.iter_mut().zip(oldest.counts) {
                *total -= count;
            }
            self.oldest = self.after(self.oldest, 1);
            self.used -= 1;
        }
    }

    /// Counts one event of `column` (0 or 1) at the window's end.
    #[inline]
    pub(crate) fn count(&mut self, column: usize) {
        let newest = self.after(self.oldest, self.used.saturating_sub(1));
        let at = if self.used > 0 && self.ring[newest].index == self.latest_slot {
            newest
        } else {
            let free = self.after(self.oldest, self.used);
            self.ring[free] = Slot {
                index: self.latest_slot,
                counts: [0; 2],
            };
            self.used += 1;
            free
        };
        self.ring[at].counts[column] += 1;
        self.totals[column] += 1;
    }

    /// How often each column was counted within the window.
    #[inline]
    pub(crate) fn totals(&self) -> [u64; 2] {
        self.totals
    }

    /// Forgets every count, not the time.
    pub(crate) fn clear(&mut self) {
        self.oldest = 0;
        self.used = 0;
        self.totals = [0; 2];
    }

    /// Both summands are at most the ring's length.
    #[inline]
    fn after(&self, position: usize, steps: usize) -> usize {
        let sum = position + steps;
        if sum >= self.ring.len() {
            sum - self.ring.len()
        } else {
            sum
        }
    }
}

fn saturating_nanos(time: Duration) -> u64 {
    time.as_secs()
        .checked_mul(1_000_000_000)
        .and_then(|ns| ns.checked_add(u64::from(time.subsec_nanos())))
        .unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use proptest::prelude::*;

    use super::*;

    fn millis(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[test]
    fn both_ends_belong_to_the_window() {
        let mut window =
            Window::new(Span::new("window", millis(1000), "slot", millis(10)).unwrap());
        window.advance(millis(500));
        window.count(0);
        window.advance(millis(1500));
        assert_eq!(window.totals(), [1, 0]);
        window.advance(millis(1509));
        assert_eq!(window.totals(), [1, 0]);
        window.advance(millis(1510));
        assert_eq!(window.totals(), [0, 0]);
    }

    #[test]
    fn impossible_spans_are_refused_by_name() {
        let refused = |span, slot| {
            Span::new("window", span, "resolution", slot)
                .unwrap_err()
                .field
        };
        assert_eq!(refused(millis(10), Duration::ZERO), "resolution");
        assert_eq!(refused(millis(10), Duration::MAX), "resolution");
        assert_eq!(refused(Duration::ZERO, millis(10)), "window");
        assert_eq!(refused(millis(15), millis(10)), "window");
        assert_eq!(refused(millis(5), millis(10)), "window");
        assert_eq!(refused(Duration::from_secs(66), millis(1)), "window");
        assert_eq!(refused(Duration::MAX, millis(1)), "window");
        assert!(Span::new("window", millis(65_536), "resolution", millis(1)).is_ok());
    }

    #[test]
    fn the_end_of_time_is_a_time() {
        let mut window = Window::new(Span::new("window", millis(10), "slot", millis(1)).unwrap());
        for now in [Duration::MAX, Duration::ZERO, Duration::MAX] {
            window.advance(now);
            window.count(1);
        }
        assert_eq!(window.totals(), [0, 3]);
        let mut widest = Window::new(
            Span::new(
                "window",
                Duration::from_nanos(u64::MAX),
                "slot",
                Duration::from_nanos(u64::MAX),
            )
            .unwrap(),
        );
        widest.advance(Duration::MAX);
        widest.count(0);
        assert_eq!(widest.totals(), [1, 0]);
    }

    proptest! {
        #[test]
        fn totals_are_those_of_a_list_of_events(
            slots in 1_u64..6,
            slot_ms in 1_u64..4,
            events in prop::collection::vec((0_u64..12, prop::bool::ANY, 0_usize..2), 0..200),
        ) {
            let mut window = Window::new(Span::new("window", millis(slots * slot_ms), "slot", millis(slot_ms)).unwrap());
            let mut seen: Vec<(u64, usize)> = Vec::new();
            let (mut clock, mut latest) = (0_u64, 0_u64);
            for (step, backwards, column) in events {
                clock = if backwards { clock.saturating_sub(step) } else { clock + step };
                latest = latest.max(clock);
                window.advance(millis(clock));
                window.count(column);
                seen.push((latest / slot_ms, column));
                let end = latest / slot_ms;
                let expected = [0, 1].map(|column| {
                    seen.iter().filter(|&&(slot, c)| c == column && end - slot <= slots).count() as u64
                });
                prop_assert_eq!(window.totals(), expected);
                prop_assert!(window.used <= slots as usize + 1);
            }
        }
    }
}
