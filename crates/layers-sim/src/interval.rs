//! How far a simulated share may be from the probability behind it.

/// Ends of an interval of probabilities.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Interval {
    /// Whether `value` is inside, ends included.
    #[must_use]
    pub fn contains(&self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }
}

/// The 95 % score interval for the probability behind `successes` out of `trials` independent trials; [0, 1] for no trials.
///
/// With p = successes / trials, n = trials and z = 1.959964, the 97.5 % point of the normal distribution:
///
/// ```text
/// ( p + z²/2n ± z √( p (1 - p) / n + z²/4n² ) ) / ( 1 + z²/n )
/// ```
///
/// Unlike p ± z √(p (1 - p) / n) it stays within [0, 1] and keeps its coverage near the ends. Source: E. B. Wilson, "Probable Inference, the
/// Law of Succession, and Statistical Inference", *JASA* 22 (1927).
///
/// ```
/// let interval = layers_sim::wilson_95(10, 100);
/// assert!((interval.low - 0.05523).abs() < 1e-5 && (interval.high - 0.17437).abs() < 1e-5);
/// ```
#[must_use]
pub fn wilson_95(successes: u64, trials: u64) -> Interval {
    const Z: f64 = 1.959963984540054;
    if trials == 0 {
        return Interval {
            low: 0.0,
            high: 1.0,
        };
    }
    let n = trials as f64;
    let p = (successes.min(trials)) as f64 / n;
    let middle = p + Z * Z / (2.0 * n);
    let half = Z * (p * (1.0 - p) / n + Z * Z / (4.0 * n * n)).sqrt();
    let scale = 1.0 + Z * Z / n;
    // At the ends the formula gives exactly 0 or 1, but for rounding.
    Interval {
        low: if successes == 0 {
            0.0
        } else {
            (middle - half) / scale
        },
        high: if successes >= trials {
            1.0
        } else {
            (middle + half) / scale
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ends_stay_within_probabilities() {
        assert_eq!(wilson_95(0, 50).low, 0.0);
        assert_eq!(wilson_95(50, 50).high, 1.0);
        assert!(wilson_95(0, 50).high > 0.05 && wilson_95(50, 50).low < 0.95);
        assert_eq!(
            wilson_95(0, 0),
            Interval {
                low: 0.0,
                high: 1.0
            }
        );
        assert_eq!(wilson_95(9, 3), wilson_95(3, 3));
    }
}
