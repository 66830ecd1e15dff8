//! Deposits by requests, withdrawals by retries.

use core::time::Duration;

use super::{Attempt, Failure, Grant, Ratio, RetryBudget};
use crate::config::ConfigError;
use crate::window::{Span, Window};

/// Grants a retry while the retries granted within the time to live, this one included, are at most
/// `floor_per_s · ttl + ratio · first sends within it`.
///
/// Every first send deposits `ratio` of a retry and every retry withdraws a whole one; both are forgotten after the time to
/// live, which is cut into tenths, so after 0.9 to 1 of it. The floor serves clients that send little or have just started.
///
/// Source: Finagle's `RetryBudget` and tower's `TpsBudget` after it: a time to live of 10 s, at least 10 retries a second, 20 %.
/// Theirs round the price of a retry down, 1 / 0.3 deposits to 3 (tower) or 3.333 (Finagle); here the fraction is exact.
///
/// ```
/// use backoff_core::budget::{DepositBucketConfig, Failure, RetryBudget};
/// use core::time::Duration;
///
/// let mut budget = DepositBucketConfig::default().build()?;
/// let granted = (0..200)
///     .filter(|_| budget.try_retry(Duration::ZERO, Failure::Transient, 0.0).is_some())
///     .count();
/// assert_eq!(granted, 100); // 10 a second for 10 s
/// # Ok::<(), backoff_core::ConfigError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DepositBucket {
    ratio: Ratio,
    /// `floor_per_s · ttl`, in billionths of a retry: up to 2^68.
    reserve: u128,
    /// Deposits, and withdrawals.
    moves: Window,
}

/// Share, floor and time to live of [`DepositBucket`], not yet checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DepositBucketConfig {
    /// How long a deposit or a withdrawal counts, in [1 s, 60 s].
    pub ttl: Duration,
    /// The retries a second that are granted without any deposit.
    pub floor_per_s: u32,
    /// The retries that a first send deposits.
    pub ratio: Ratio,
}

impl Default for DepositBucketConfig {
    /// 10 s, 10 retries a second, 20 %.
    fn default() -> Self {
        Self {
            ttl: Duration::from_secs(10),
            floor_per_s: 10,
            ratio: Ratio::FIFTH,
        }
    }
}

const SLOTS: u32 = 10;
const BILLION: u128 = 1_000_000_000;

impl DepositBucketConfig {
    /// The budget with its floor alone.
    ///
    /// # Errors
    /// A time to live outside [1 s, 60 s].
    pub fn build(self) -> Result<DepositBucket, ConfigError> {
        if !(Duration::from_secs(1)..=Duration::from_secs(60)).contains(&self.ttl) {
            return Err(ConfigError {
                field: "ttl",
                value: alloc::format!("{:?}", self.ttl),
                allowed: "in [1s, 60s]".into(),
            });
        }
        let slot = self.ttl / SLOTS;
        let remembered = slot * (SLOTS - 1);
        Ok(DepositBucket {
            ratio: self.ratio,
            reserve: self.ttl.as_nanos() * u128::from(self.floor_per_s),
            moves: Window::new(Span::new("ttl", remembered, "ttl", slot)?),
        })
    }
}

impl DepositBucket {
    /// The retries that would be granted at `now` one after the other.
    pub fn balance(&mut self, now: Duration) -> u64 {
        self.moves.advance(now);
        let [_, withdrawals] = self.moves.totals();
        let (earned, retry) = self.earned();
        let whole = u64::try_from(earned / retry).unwrap_or(u64::MAX);
        whole.saturating_sub(withdrawals)
    }

    /// What reserve and deposits are worth together, and a retry in the same unit, which divides both: below 2^127 and 2^62.
    fn earned(&self) -> (u128, u128) {
        let [deposits, _] = self.moves.totals();
        let (numerator, denominator) = self.ratio.parts();
        let denominator = u128::from(denominator);
        let earned = u128::from(numerator) * u128::from(deposits) * BILLION;
        (self.reserve * denominator + earned, denominator * BILLION)
    }
}

impl RetryBudget for DepositBucket {
    #[inline]
    fn sent(&mut self, now: Duration, attempt: &Attempt) {
        self.moves.advance(now);
        if *attempt == Attempt::First {
            self.moves.count(0);
        }
    }

    #[inline]
    fn succeeded(&mut self, now: Duration, _attempt: Attempt) {
        self.moves.advance(now);
    }

    #[inline]
    fn failed(&mut self, now: Duration, _attempt: Attempt, _failure: Failure) {
        self.moves.advance(now);
    }

    fn abandoned(&mut self, _attempt: Attempt) {}

    /// A withdrawal stays until it expires, as in both origins.
    fn unused(&mut self, _grant: Grant) {}

    #[inline]
    fn try_retry(&mut self, now: Duration, failure: Failure, _unit: f64) -> Option<Grant> {
        self.moves.advance(now);
        let [_, withdrawals] = self.moves.totals();
        let (earned, retry) = self.earned();
        // Without a division, which takes long at this width.
        if !failure.is_retryable() || (u128::from(withdrawals) + 1) * retry > earned {
            return None;
        }
        self.moves.count(1);
        Some(Grant::taking(0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn built(ttl_ms: u64, floor_per_s: u32, numerator: u32, denominator: u32) -> DepositBucket {
        DepositBucketConfig {
            ttl: at(ttl_ms),
            floor_per_s,
            ratio: Ratio::new("ratio", numerator, denominator).unwrap(),
        }
        .build()
        .unwrap()
    }

    fn at(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    fn grants(budget: &mut DepositBucket, ms: u64) -> bool {
        budget.try_retry(at(ms), Failure::Transient, 0.0).is_some()
    }

    #[test]
    fn nothing_deposited_nothing_granted() {
        assert!(!grants(&mut built(1000, 0, 1, 1), 0));
    }

    #[test]
    fn three_tenths_are_three_retries_for_ten_sends() {
        let mut budget = built(1000, 0, 3, 10);
        for _ in 0..10 {
            budget.sent(at(0), &Attempt::First);
        }
        assert_eq!((0..10).filter(|_| grants(&mut budget, 0)).count(), 3);
    }

    #[test]
    fn a_deposit_is_forgotten_with_its_tenth() {
        let mut budget = built(1000, 0, 1, 1);
        budget.sent(at(0), &Attempt::First);
        assert_eq!(budget.balance(at(999)), 1);
        assert_eq!(budget.balance(at(1000)), 0);
    }

    #[test]
    fn the_floor_comes_back_with_time() {
        let mut budget = built(1500, 2, 1, 5);
        assert_eq!((0..9).filter(|_| grants(&mut budget, 0)).count(), 3);
        assert!(!grants(&mut budget, 1499));
        assert!(grants(&mut budget, 1500));
    }

    #[test]
    fn fractions_of_floor_and_deposits_add_up() {
        for (ttl_ms, floor_per_s, (numerator, denominator), sends, granted) in [
            (1500, 1, (1, 2), 1, 2),
            (1500, 1, (1, 2), 0, 1),
            (1900, 1, (1, 10), 1, 2),
            (1899, 1, (1, 10), 1, 1),
            (1250, 3, (1, 4), 1, 4),
            (60_000, u32::MAX, (u32::MAX, 1), 1, 1000),
        ] {
            let mut budget = built(ttl_ms, floor_per_s, numerator, denominator);
            for _ in 0..sends {
                budget.sent(at(0), &Attempt::First);
            }
            let balance = budget.balance(at(0)).min(1000);
            let grants = (0..1000).filter(|_| grants(&mut budget, 0)).count();
            assert_eq!((grants, balance), (granted, granted as u64), "{ttl_ms} ms");
        }
    }

    #[test]
    fn a_time_to_live_out_of_range_is_refused() {
        for ttl in [at(0), at(999), at(60_001), Duration::MAX] {
            let config = DepositBucketConfig {
                ttl,
                ..DepositBucketConfig::default()
            };
            assert_eq!(config.build().unwrap_err().field, "ttl");
        }
    }
}
