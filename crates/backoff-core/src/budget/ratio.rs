//! A share, exactly.

use crate::config::ConfigError;

/// A non-negative fraction in integers, so that no count of requests ever meets a rounding error.
///
/// ```
/// use backoff_core::budget::Ratio;
///
/// assert_eq!(Ratio::from_decimal("ratio", 0.1), Ok(Ratio::TENTH));
/// assert!(Ratio::TENTH.covers(1, 10)); // 1 ≤ 10 % of 10
/// assert!(!Ratio::TENTH.exceeds(1, 10)); // but not 1 < 10 % of 10
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Ratio {
    numerator: u32,
    denominator: u32,
}

const DECIMALS: u64 = 1_000_000_000;

impl Ratio {
    /// Nothing.
    pub const ZERO: Self = Self {
        numerator: 0,
        denominator: 1,
    };

    /// 10 %, the share that most published retry budgets use.
    pub const TENTH: Self = Self {
        numerator: 1,
        denominator: 10,
    };

    /// 50 %.
    pub const HALF: Self = Self {
        numerator: 1,
        denominator: 2,
    };

    /// 20 %.
    pub const FIFTH: Self = Self {
        numerator: 1,
        denominator: 5,
    };

    /// 2.
    pub const TWO: Self = Self {
        numerator: 2,
        denominator: 1,
    };

    /// `numerator / denominator`, in lowest terms.
    ///
    /// # Errors
    /// A denominator of 0, under the name `field`.
    pub fn new(field: &'static str, numerator: u32, denominator: u32) -> Result<Self, ConfigError> {
        if denominator == 0 {
            return Err(ConfigError {
                field,
                value: alloc::format!("{numerator}/0"),
                allowed: "a fraction whose denominator isn't 0".into(),
            });
        }
        let divisor = greatest_common_divisor(u64::from(numerator), u64::from(denominator)) as u32;
        Ok(Self {
            numerator: numerator / divisor,
            denominator: denominator / divisor,
        })
    }

    /// The decimal fraction that `value` was written as: 0.1 is 1/10, not the nearest binary number.
    ///
    /// # Errors
    /// A value that isn't finite, is negative or above 1000, has more than nine decimals, or whose fraction in lowest terms
    /// doesn't fit two 32-bit integers; under the name `field`.
    pub fn from_decimal(field: &'static str, value: f64) -> Result<Self, ConfigError> {
        let scaled = libm::round(value * DECIMALS as f64);
        // Up to 1000 two numbers with nine decimals never share their nearest f64, so the equality finds the one that was written.
        if (0.0..=1000.0).contains(&value) && scaled / DECIMALS as f64 == value {
            let divisor = greatest_common_divisor(scaled as u64, DECIMALS);
            let (numerator, denominator) = (scaled as u64 / divisor, DECIMALS / divisor);
            if let (Ok(numerator), Ok(denominator)) =
                (u32::try_from(numerator), u32::try_from(denominator))
            {
                return Ok(Self {
                    numerator,
                    denominator,
                });
            }
        }
        Err(ConfigError {
            field,
            value: alloc::format!("{value}"),
            allowed: "in [0, 1000], a decimal fraction with at most nine digits".into(),
        })
    }

    /// Whether `part ≤ self · whole`.
    #[inline]
    #[must_use]
    pub fn covers(self, part: u64, whole: u64) -> bool {
        u128::from(part) * u128::from(self.denominator)
            <= u128::from(self.numerator) * u128::from(whole)
    }

    /// Whether `part < self · whole`.
    #[inline]
    #[must_use]
    pub fn exceeds(self, part: u64, whole: u64) -> bool {
        u128::from(part) * u128::from(self.denominator)
            < u128::from(self.numerator) * u128::from(whole)
    }

    /// `self · whole` rounded down, saturating.
    #[inline]
    #[must_use]
    pub fn of(self, whole: u64) -> u64 {
        let exact = u128::from(self.numerator) * u128::from(whole) / u128::from(self.denominator);
        u64::try_from(exact).unwrap_or(u64::MAX)
    }

    /// The numerator and the denominator, in lowest terms.
    pub(super) fn parts(self) -> (u32, u32) {
        (self.numerator, self.denominator)
    }

    /// The fraction as the nearest `f64`.
    #[must_use]
    pub fn as_f64(self) -> f64 {
        f64::from(self.numerator) / f64::from(self.denominator)
    }

    /// Whether the fraction is 0.
    #[must_use]
    pub fn is_zero(self) -> bool {
        self.numerator == 0
    }
}

fn greatest_common_divisor(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a.max(1)
}

#[cfg(test)]
mod tests {
    use super::Ratio;

    #[test]
    fn decimals_become_the_fraction_they_were_written_as() {
        for (value, numerator, denominator) in [
            (0.0, 0, 1),
            (0.1, 1, 10),
            (0.3, 3, 10),
            (0.2, 1, 5),
            (0.123456789, 123456789, 1_000_000_000),
            (1.0, 1, 1),
            (3.999999999, 3999999999, 1_000_000_000),
            (4.0, 4, 1),
            (12.5, 25, 2),
            (1000.0, 1000, 1),
        ] {
            assert_eq!(
                Ratio::from_decimal("ratio", value),
                Ratio::new("ratio", numerator, denominator),
                "{value}"
            );
        }
    }

    #[test]
    fn other_numbers_are_refused_by_name() {
        for value in [
            f64::NAN,
            f64::INFINITY,
            -0.1,
            4.300000001,
            1000.1,
            1.0 / 3.0,
            1e-10,
            f64::MIN_POSITIVE,
        ] {
            let error = Ratio::from_decimal("token_ratio", value).unwrap_err();
            assert_eq!(error.field, "token_ratio", "{value}");
        }
        assert!(Ratio::new("ratio", 1, 0).is_err());
    }

    #[test]
    fn comparisons_are_exact_at_the_ends() {
        assert!(Ratio::TENTH.covers(u64::MAX / 10, u64::MAX));
        assert!(!Ratio::TENTH.covers(u64::MAX / 10 + 1, u64::MAX));
        assert!(Ratio::TENTH.exceeds(2, 21));
        assert!(!Ratio::TENTH.exceeds(2, 20));
        assert_eq!(Ratio::TENTH.of(29), 2);
        assert_eq!(Ratio::new("ratio", 4, 1).unwrap().of(u64::MAX), u64::MAX);
    }
}
