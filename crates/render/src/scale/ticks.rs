//! Which values of an axis are marked, and how they are written.

use super::Scale;
use super::number::{grouped, has_digits, short};

/// A marked value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Tick {
    /// Where it lies: 0 to 1.
    pub(crate) place: f64,
    /// What is written beside it; empty for a mark between labelled ones.
    pub(crate) label: String,
}

impl Scale {
    /// Round values within the scale, at most `most` of them labelled, in rising order; and zero, if a logarithmic scale has a place for it.
    pub(crate) fn ticks(&self, most: usize) -> Vec<Tick> {
        let most = most.max(2);
        if self.has_zero() {
            let zero = Tick {
                place: 0.0,
                label: "0".to_owned(),
            };
            let others = self.log_ticks(most);
            std::iter::once(zero).chain(others).collect()
        } else if self.log {
            self.log_ticks(most)
        } else {
            linear_ticks(self, self.low, self.high, most)
        }
    }

    /// Those of the given values that lie within the scale.
    pub(crate) fn ticks_at(&self, values: &[f64]) -> Vec<Tick> {
        let shown: Vec<f64> = values
            .iter()
            .copied()
            .filter(|&value| self.holds(value))
            .collect();
        let decimals = (0..=6)
            .find(|&digits| shown.iter().all(|&value| has_digits(value, digits)))
            .unwrap_or(6);
        let greatest = shown
            .iter()
            .fold(0.0, |most: f64, value| most.max(value.abs()));
        let mut ticks: Vec<Tick> = shown
            .iter()
            .filter_map(|&value| {
                let label = if self.log {
                    short(value)
                } else {
                    grouped(value, decimals, greatest)
                };
                Some(Tick {
                    place: self.place(value)?,
                    label,
                })
            })
            .collect();
        ticks.sort_by(|a, b| a.place.total_cmp(&b.place));
        ticks
    }

    fn log_ticks(&self, most: usize) -> Vec<Tick> {
        let (first, last) = (
            (self.low - 1e-9).ceil() as i32,
            (self.high + 1e-9).floor() as i32,
        );
        let steps = |multiples: &[f64]| -> Vec<f64> {
            (first - 1..=last)
                .flat_map(|k| multiples.iter().map(move |m| m * power_of_ten(k)))
                .filter(|&value| self.holds(value))
                .collect()
        };
        let decades = last - first + 1;
        let all = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0];
        if decades <= 3 {
            // Over more than one power of ten, the rarer ticks are the easier ones to read.
            let finest = if decades < 2 { 0 } else { 2 };
            for labelled in &[&all[..], &[1.0, 2.0, 3.0, 5.0, 7.0], &[1.0, 2.0, 5.0]][finest..] {
                let fine = steps(labelled);
                if (3..=most).contains(&fine.len()) {
                    return self.marked(&fine, &steps(&all));
                }
            }
        }
        if decades < 2 {
            return linear_ticks(self, power(self.low), power(self.high), most);
        }
        let every = (1..=decades)
            .find(|every| (((decades - 1) / every) as usize) < most)
            .unwrap_or(decades);
        let labelled: Vec<f64> = (first..=last)
            .filter(|k| k.rem_euclid(every) == 0)
            .map(power_of_ten)
            .collect();
        let all = if decades <= 6 {
            steps(&all)
        } else {
            (first..=last).map(power_of_ten).collect()
        };
        self.marked(&labelled, &all)
    }

    /// Ticks at all the values, with labels where they are also among the labelled ones.
    fn marked(&self, labelled: &[f64], all: &[f64]) -> Vec<Tick> {
        let tick = |&value: &f64| {
            let label = if labelled.contains(&value) {
                short(value)
            } else {
                String::new()
            };
            Some(Tick {
                place: self.place(value)?,
                label,
            })
        };
        all.iter().filter_map(tick).collect()
    }
}

/// Multiples of a round step between two values, placed on the scale.
fn linear_ticks(scale: &Scale, low: f64, high: f64, most: usize) -> Vec<Tick> {
    let span = high - low;
    let mut step = round_step(span / most as f64);
    while ((high / step + 1e-9).floor() - (low / step - 1e-9).ceil()) as usize >= most {
        step = round_step(step * 1.5);
    }
    let (first, last) = ((low / step - 1e-9).ceil(), (high / step + 1e-9).floor());
    let count = if last >= first {
        ((last - first) as usize + 1).min(most)
    } else {
        0
    };
    let decimals = (-(libm::log10(step) + 1e-9).floor()).max(0.0) as usize;
    let greatest = low.abs().max(high.abs());
    (0..count)
        .filter_map(|i| {
            let value = (first + i as f64) * step;
            Some(Tick {
                place: scale.place(value)?,
                label: grouped(value, decimals, greatest),
            })
        })
        .collect()
}

/// The least of 1, 2 and 5 times a power of ten that isn't below `least`, which must be positive.
pub(super) fn round_step(least: f64) -> f64 {
    let exponent = libm::log10(least.max(1e-300)).floor() as i32;
    [1.0, 2.0, 5.0]
        .map(|m| m * power_of_ten(exponent))
        .into_iter()
        .find(|&step| step >= least * (1.0 - 1e-9))
        .unwrap_or_else(|| power_of_ten(exponent + 1))
}

/// The double nearest to a power of ten, as decimal text reads.
fn power_of_ten(exponent: i32) -> f64 {
    format!("1e{exponent}").parse().unwrap_or(f64::MAX)
}

fn power(exponent: f64) -> f64 {
    libm::pow(10.0, exponent)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn labels(scale: Scale, most: usize) -> Vec<String> {
        scale
            .ticks(most)
            .into_iter()
            .map(|tick| tick.label)
            .filter(|label| !label.is_empty())
            .collect()
    }

    #[test]
    fn linear_labels() {
        assert_eq!(
            labels(Scale::linear(0.0, 1000.0), 6),
            ["0", "200", "400", "600", "800", "1,000"]
        );
        assert_eq!(
            labels(Scale::linear(0.0, 14.2), 8),
            ["0", "2", "4", "6", "8", "10", "12", "14"]
        );
        assert_eq!(
            labels(Scale::linear(0.88, 1.0), 7),
            ["0.88", "0.90", "0.92", "0.94", "0.96", "0.98", "1.00"]
        );
        assert_eq!(
            labels(Scale::linear(-5.0, 5.0), 5),
            ["−4", "−2", "0", "2", "4"]
        );
        assert_eq!(
            labels(Scale::linear(0.0, 12e3), 4),
            ["0", "5,000", "10,000"]
        );
        assert_eq!(
            labels(Scale::linear(0.0, 2.5e6), 6),
            ["0", "0.5M", "1M", "1.5M", "2M", "2.5M"]
        );
        assert_eq!(
            labels(Scale::linear(0.0, 3e-8), 4),
            ["0", "1e-8", "2e-8", "3e-8"]
        );
        assert_eq!(
            labels(Scale::linear(-1e300, 1e300), 3),
            ["−1e300", "0", "1e300"]
        );
    }

    #[test]
    fn logarithmic_labels() {
        assert_eq!(
            labels(Scale::log(0.0, 6.0), 8),
            ["1", "10", "100", "1k", "10k", "100k", "1M"]
        );
        assert_eq!(
            labels(Scale::log(-0.1, 3.2).with_zero(), 4),
            ["0", "1", "10", "100", "1k"]
        );
        assert_eq!(
            labels(Scale::log(-0.5, 1.2), 8),
            ["0.5", "1", "2", "5", "10"]
        );
        assert_eq!(
            labels(Scale::log(-0.2, 0.9), 8),
            ["0.7", "1", "2", "3", "5", "7"]
        );
        assert_eq!(
            labels(Scale::log(-3.0, 1.0), 8),
            ["0.001", "0.01", "0.1", "1", "10"]
        );
        assert_eq!(
            labels(Scale::log(2.0, 10.0), 5),
            ["100", "10k", "1M", "100M", "1e10"]
        );
        assert_eq!(
            labels(Scale::log(0.0, 0.1), 6),
            ["1.00", "1.05", "1.10", "1.15", "1.20", "1.25"]
        );
        assert_eq!(
            labels(Scale::log(-300.0, 300.0), 4),
            ["1e-151", "1", "1e151"]
        );
    }

    #[test]
    fn given_ticks_keep_their_digits() {
        let at = |scale: Scale, values: &[f64]| -> Vec<String> {
            scale
                .ticks_at(values)
                .into_iter()
                .map(|tick| tick.label)
                .collect()
        };
        assert_eq!(
            at(Scale::linear(0.0, 10.0), &[1.0, 2.5, 11.0, f64::NAN]),
            ["1.0", "2.5"]
        );
        assert_eq!(
            at(Scale::log(0.0, 5.0), &[27.0, 243.0, 59049.0, 0.0]),
            ["27", "243", "59.049k"]
        );
    }

    #[test]
    fn steps_are_round() {
        for (least, step) in [
            (1.0, 1.0),
            (1.1, 2.0),
            (2.1, 5.0),
            (5.1, 10.0),
            (0.03, 0.05),
            (999.0, 1000.0),
        ] {
            assert_eq!(round_step(least), step);
        }
    }

    proptest! {
        #[test]
        fn ticks_lie_inside_in_rising_order(low in -1e300..1e300_f64, span in 1e-6..1.0_f64, log: bool, most in 0usize..20) {
            let scale = if log {
                Scale::log((low / 1e298).clamp(-300.0, 299.0), (low / 1e298).clamp(-300.0, 299.0) + span)
            } else {
                Scale::linear(low, low + low.abs() * span + 1.0)
            };
            let ticks = scale.ticks(most);
            prop_assert!(ticks.iter().filter(|tick| !tick.label.is_empty()).count() <= most.max(2));
            prop_assert!(ticks.iter().all(|tick| (-1e-6..=1.0 + 1e-6).contains(&tick.place)));
            prop_assert!(ticks.windows(2).all(|pair| pair[0].place <= pair[1].place));
        }
    }
}
