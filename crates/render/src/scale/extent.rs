//! The range that a scale must span.

use super::{Scale, measure};

/// The least and greatest of the values that have a place on a scale.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Extent {
    low: f64,
    high: f64,
    log: bool,
    /// The greatest value at which a line runs across the whole panel.
    across: f64,
}

/// How far a scale reaches beyond its values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Room {
    /// Not at all, unless the next round value is within a hundredth of the range.
    None,
    /// A little, so that a marker at an end is whole.
    Markers,
    /// To the next round value.
    Round,
}

impl Extent {
    /// No values yet.
    pub(crate) fn empty(log: bool) -> Self {
        Self {
            low: f64::INFINITY,
            high: f64::NEG_INFINITY,
            log,
            across: f64::NEG_INFINITY,
        }
    }

    /// Takes a value in, if it has a place.
    pub(crate) fn add(&mut self, value: f64) {
        if let Some(value) = measure(value, self.log) {
            self.low = self.low.min(value);
            self.high = self.high.max(value);
        }
    }

    /// Takes in the value at which a line runs across the panel. On a scale that ends at round values it isn't the end, where the line would be
    /// taken for the frame.
    pub(crate) fn add_across(&mut self, value: f64) {
        self.add(value);
        if let Some(value) = measure(value, self.log) {
            self.across = self.across.max(value);
        }
    }

    /// A scale that holds every value: 0 to 1 (1 to 10 if logarithmic) if there is none, and around the value if there is only one.
    pub(crate) fn scale(mut self, room: Room) -> Scale {
        if self.low > self.high {
            (self.low, self.high) = (0.0, 1.0);
        }
        let narrow = (self.low.abs().max(self.high.abs()) * 1e-9).max(1e-290);
        if self.high - self.low <= narrow {
            let half = if self.log {
                0.5
            } else {
                (self.low.abs() * 0.5).max(0.5)
            };
            if self.low != 0.0 || self.log {
                self.low -= half;
            }
            self.high += half;
        }
        let (low, high) = (self.low, self.high);
        if self.log {
            let margin = if room == Room::None {
                0.0
            } else {
                (0.04 * (high - low)).max(0.05)
            };
            return Scale::log(low - margin, high + margin);
        }
        match room {
            Room::None => {
                // An observation of 19.99 s ends at 20 s for a reader.
                let step = super::ticks::round_step((high - low) / 10.0);
                let next = (high / step - 1e-9).ceil() * step;
                Scale::linear(
                    low,
                    if next - high < 0.01 * (high - low) {
                        next
                    } else {
                        high
                    },
                )
            }
            Room::Markers => {
                let margin = 0.04 * (high - low);
                Scale::linear(if low == 0.0 { low } else { low - margin }, high + margin)
            }
            Room::Round => {
                let step = super::ticks::round_step((high - low) / 5.0);
                let end = (high / step - 1e-9).ceil() * step;
                let taken = self.across >= end - 1e-9 * step;
                Scale::linear(
                    (low / step + 1e-9).floor() * step,
                    if taken { end + step } else { end },
                )
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scale(values: &[f64], log: bool, room: Room) -> Scale {
        let mut extent = Extent::empty(log);
        for &value in values {
            extent.add(value);
        }
        extent.scale(room)
    }

    #[test]
    fn ends() {
        assert_eq!(
            scale(&[0.0, 993.0], false, Room::Round),
            Scale::linear(0.0, 1000.0)
        );
        assert_eq!(
            scale(&[0.0, 1000.0], false, Room::Round),
            Scale::linear(0.0, 1000.0)
        );
        assert_eq!(
            scale(&[-3.0, 7.0], false, Room::Round),
            Scale::linear(-4.0, 8.0)
        );
        assert_eq!(
            scale(&[0.0, 14.2], false, Room::None),
            Scale::linear(0.0, 14.2)
        );
        assert_eq!(
            scale(&[0.0, 100.0], false, Room::Markers),
            Scale::linear(0.0, 104.0)
        );
        assert_eq!(
            scale(&[0.0, 39.99], false, Room::None),
            Scale::linear(0.0, 40.0)
        );
        assert_eq!(scale(&[1.0, 1e4], true, Room::None), Scale::log(0.0, 4.0));
    }

    #[test]
    fn a_line_across_is_not_taken_for_the_frame() {
        let end = |line: f64| {
            let mut extent = Extent::empty(false);
            extent.add(0.0);
            extent.add(900.0);
            extent.add_across(line);
            extent.scale(Room::Round)
        };
        assert_eq!(end(1000.0), Scale::linear(0.0, 1200.0));
        assert_eq!(end(990.0), Scale::linear(0.0, 1000.0));
        assert_eq!(end(0.0), Scale::linear(0.0, 1000.0));
    }

    #[test]
    fn no_value_and_one_value_still_have_a_range() {
        assert_eq!(scale(&[], false, Room::None), Scale::linear(0.0, 1.0));
        assert_eq!(scale(&[f64::NAN], true, Room::None), Scale::log(0.0, 1.0));
        assert_eq!(scale(&[0.0], false, Room::None), Scale::linear(0.0, 0.5));
        assert_eq!(
            scale(&[8.0, 8.0], false, Room::None),
            Scale::linear(4.0, 12.0)
        );
        assert_eq!(scale(&[100.0], true, Room::None), Scale::log(1.5, 2.5));
        assert_eq!(scale(&[0.0, -1.0], true, Room::None), Scale::log(0.0, 1.0));
        assert_eq!(
            scale(&[0.0, 5e-324], false, Room::Round),
            Scale::linear(0.0, 0.5)
        );
    }
}
