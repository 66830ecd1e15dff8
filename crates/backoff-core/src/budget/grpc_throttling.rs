//! gRPC's retry throttling.

use core::time::Duration;

use super::{Attempt, Failure, Grant, RetryBudget};
use crate::config::ConfigError;

/// Grants retries only while the tokens exceed half their maximum: −1 per failure, +`token_ratio` per success, within [0, `max_tokens`].
///
/// Tokens are integer thousandths. It takes nothing for a retry itself. A failure that the client doesn't retry
/// ([`Failure::Final`], [`Failure::NotRetried`]) changes nothing, so a malformed request isn't taken for a failing server; an answer whose
/// pushback says not to retry is a failure: tell it as any other kind.
///
/// With at most 2 tokens no failure is ever retried: it leaves at most half of them. A6 allows that, and so does this.
///
/// Source: gRPC proposal A6 "Retry throttling" (`retryThrottling`), whose example is the default here: 10 tokens, ratio 0.1.
///
/// ```
/// use backoff_core::budget::{Attempt, Failure, GrpcThrottling, GrpcThrottlingConfig, RetryBudget};
/// use core::time::Duration;
///
/// let now = Duration::ZERO;
/// let mut throttling = GrpcThrottlingConfig::default().build()?;
/// for _ in 0..4 {
///     throttling.failed(now, Attempt::First, Failure::Transient);
/// }
/// assert!(throttling.try_retry(now, Failure::Transient, 0.0).is_some()); // 6 > 5
/// throttling.failed(now, Attempt::First, Failure::Transient);
/// assert!(throttling.try_retry(now, Failure::Transient, 0.0).is_none()); // 5 isn't above 5
/// throttling.succeeded(now, Attempt::First);
/// assert_eq!(throttling.milli_tokens(), 5_100);
/// # Ok::<(), backoff_core::ConfigError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GrpcThrottling {
    max: u32,
    ratio: u32,
    tokens: u32,
}

/// Maximum and return of [`GrpcThrottling`], not yet checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GrpcThrottlingConfig {
    /// The tokens at the start and at most, in thousandths, in [1, 1,000,000] (A6: `maxTokens` in (0, 1000]).
    pub max_milli_tokens: u32,
    /// The tokens that a success returns, in thousandths, in [1, 1,000,000] (A6: `tokenRatio` above 0).
    pub milli_token_ratio: u32,
}

impl Default for GrpcThrottlingConfig {
    /// 10 tokens, 0.1 per success: A6's example.
    fn default() -> Self {
        Self {
            max_milli_tokens: 10_000,
            milli_token_ratio: 100,
        }
    }
}

const TOKEN: u32 = 1000;
const MOST: u32 = 1000 * TOKEN;

impl GrpcThrottlingConfig {
    /// The configuration with the numbers of a service config, `maxTokens` and `tokenRatio`.
    ///
    /// A6 has whole tokens for the maximum; here it may have three decimals. Decimals of the ratio beyond the third are ignored, as in A6.
    ///
    /// ```
    /// use backoff_core::budget::GrpcThrottlingConfig;
    ///
    /// let config = GrpcThrottlingConfig::from_tokens(10.0, 0.5466)?;
    /// assert_eq!((config.max_milli_tokens, config.milli_token_ratio), (10_000, 546));
    /// # Ok::<(), backoff_core::ConfigError>(())
    /// ```
    ///
    /// # Errors
    /// `max_tokens` outside (0, 1000] or with more than three decimals; `token_ratio` outside [0.001, 1000].
    pub fn from_tokens(max_tokens: f64, token_ratio: f64) -> Result<Self, ConfigError> {
        Ok(Self {
            max_milli_tokens: max_thousandths(max_tokens)?,
            milli_token_ratio: ratio_thousandths(token_ratio)?,
        })
    }

    /// The budget with all its tokens.
    ///
    /// # Errors
    /// Either number outside [1, 1,000,000] thousandths.
    pub fn build(self) -> Result<GrpcThrottling, ConfigError> {
        in_range("max_tokens", self.max_milli_tokens)?;
        in_range("token_ratio", self.milli_token_ratio)?;
        Ok(GrpcThrottling {
            max: self.max_milli_tokens,
            ratio: self.milli_token_ratio,
            tokens: self.max_milli_tokens,
        })
    }
}

fn max_thousandths(tokens: f64) -> Result<u32, ConfigError> {
    let milli = libm::round(tokens * f64::from(TOKEN));
    if (1.0..=f64::from(MOST)).contains(&milli) && milli / f64::from(TOKEN) == tokens {
        return Ok(milli as u32);
    }
    Err(ConfigError {
        field: "max_tokens",
        value: alloc::format!("{tokens}"),
        allowed: "in (0, 1000], with at most three decimals".into(),
    })
}

/// The whole thousandths of the number that was written: the greatest whose nearest `f64` isn't above it, so that 0.3 are 300.
fn ratio_thousandths(tokens: f64) -> Result<u32, ConfigError> {
    let nearest = libm::round(tokens * f64::from(TOKEN));
    let milli = if nearest / f64::from(TOKEN) > tokens {
        nearest - 1.0
    } else {
        nearest
    };
    if milli >= 1.0 && tokens <= f64::from(MOST / TOKEN) {
        return Ok(milli as u32);
    }
    Err(ConfigError {
        field: "token_ratio",
        value: alloc::format!("{tokens}"),
        allowed: "in [0.001, 1000]; decimals beyond the third are ignored".into(),
    })
}

fn in_range(field: &'static str, milli: u32) -> Result<(), ConfigError> {
    if (1..=MOST).contains(&milli) {
        return Ok(());
    }
    Err(ConfigError {
        field,
        value: alloc::format!("{milli} thousandths"),
        allowed: "in (0, 1000], that is 1 to 1000000 thousandths".into(),
    })
}

impl GrpcThrottling {
    /// The tokens left, in thousandths.
    #[must_use]
    pub fn milli_tokens(&self) -> u32 {
        self.tokens
    }

    /// The tokens above which retries are granted, in thousandths: half the maximum, which may end in a half.
    #[must_use]
    pub fn milli_threshold(&self) -> f64 {
        f64::from(self.max) / 2.0
    }

    /// Takes over a new configuration: the tokens keep their share of the maximum, rounded down.
    ///
    /// A client that was throttled stays throttled at the new scale, as in gRPC's core library; the same configuration changes nothing.
    ///
    /// # Errors
    /// As [`GrpcThrottlingConfig::build`]; the old configuration then stays.
    pub fn reconfigure(&mut self, config: GrpcThrottlingConfig) -> Result<(), ConfigError> {
        let new = config.build()?;
        let scaled = u64::from(self.tokens) * u64::from(new.max) / u64::from(self.max);
        *self = Self {
            tokens: scaled as u32,
            ..new
        };
        Ok(())
    }
}

impl RetryBudget for GrpcThrottling {
    #[inline]
    fn sent(&mut self, _now: Duration, _attempt: &Attempt) {}

    #[inline]
    fn succeeded(&mut self, _now: Duration, _attempt: Attempt) {
        self.tokens = (self.tokens + self.ratio).min(self.max);
    }

    #[inline]
    fn failed(&mut self, _now: Duration, _attempt: Attempt, failure: Failure) {
        if failure.is_retryable() {
            self.tokens = self.tokens.saturating_sub(TOKEN);
        }
    }

    fn abandoned(&mut self, _attempt: Attempt) {}

    fn unused(&mut self, _grant: Grant) {}

    #[inline]
    fn try_retry(&mut self, _now: Duration, failure: Failure, _unit: f64) -> Option<Grant> {
        (failure.is_retryable() && self.tokens * 2 > self.max).then(|| Grant::taking(0))
    }
}

#[cfg(target_has_atomic = "64")]
impl super::atomic::Packed for GrpcThrottling {
    fn state(&self, _key: super::atomic::Key) -> u64 {
        u64::from(self.max) << 40 | u64::from(self.ratio) << 20 | u64::from(self.tokens)
    }

    fn with_state(&self, _key: super::atomic::Key, state: u64) -> Self {
        let twenty_bits = |shift: u32| (state >> shift & 0xF_FFFF) as u32;
        Self {
            max: twenty_bits(40),
            ratio: twenty_bits(20),
            tokens: twenty_bits(0),
        }
    }
}

#[cfg(target_has_atomic = "64")]
impl super::Atomic<GrpcThrottling> {
    /// [`GrpcThrottling::reconfigure`], for clients that share it.
    ///
    /// # Errors
    /// As [`GrpcThrottlingConfig::build`].
    pub fn reconfigure(&self, config: GrpcThrottlingConfig) -> Result<(), ConfigError> {
        self.with(|budget| budget.reconfigure(config))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Duration = Duration::ZERO;

    fn built(max_tokens: f64, token_ratio: f64) -> GrpcThrottling {
        GrpcThrottlingConfig::from_tokens(max_tokens, token_ratio)
            .and_then(GrpcThrottlingConfig::build)
            .unwrap()
    }

    fn grants(budget: &mut GrpcThrottling) -> bool {
        budget.try_retry(NOW, Failure::Transient, 0.0).is_some()
    }

    #[test]
    fn tokens_stay_within_their_range() {
        let mut budget = built(2.0, 0.7);
        budget.succeeded(NOW, Attempt::First);
        assert_eq!(budget.milli_tokens(), 2_000);
        for left in [1_000, 0, 0] {
            budget.failed(NOW, Attempt::First, Failure::Timeout);
            assert_eq!(budget.milli_tokens(), left);
        }
        budget.succeeded(NOW, Attempt::First);
        assert_eq!(budget.milli_tokens(), 700);
    }

    #[test]
    fn an_odd_maximum_has_its_threshold_between_thousandths() {
        let mut budget = built(0.003, 0.001);
        budget.failed(NOW, Attempt::First, Failure::Transient);
        budget.succeeded(NOW, Attempt::First);
        assert!(!grants(&mut budget), "1 isn't above 1.5 thousandths");
        budget.succeeded(NOW, Attempt::First);
        assert!(grants(&mut budget), "2 is");
    }

    #[test]
    fn a_fatal_answer_is_neither_failure_nor_success() {
        let mut budget = built(10.0, 0.1);
        budget.failed(NOW, Attempt::First, Failure::Transient);
        budget.failed(NOW, Attempt::First, Failure::Final);
        assert_eq!(budget.milli_tokens(), 9_000);
        assert_eq!(budget.try_retry(NOW, Failure::Final, 0.0), None);
    }

    #[test]
    fn a_new_configuration_scales_the_tokens() {
        let mut budget = built(10.0, 0.1);
        for _ in 0..4 {
            budget.failed(NOW, Attempt::First, Failure::Transient);
        }
        budget
            .reconfigure(GrpcThrottlingConfig::from_tokens(1000.0, 0.5).unwrap())
            .unwrap();
        assert_eq!(budget.milli_tokens(), 600_000);
        budget.succeeded(NOW, Attempt::First);
        assert_eq!(budget.milli_tokens(), 600_500);
        budget
            .reconfigure(GrpcThrottlingConfig::from_tokens(0.001, 0.5).unwrap())
            .unwrap();
        assert_eq!(budget.milli_tokens(), 0);

        let before = budget;
        let refused = GrpcThrottlingConfig {
            max_milli_tokens: 0,
            ..GrpcThrottlingConfig::default()
        };
        assert_eq!(budget.reconfigure(refused).unwrap_err().field, "max_tokens");
        assert_eq!(budget, before);
    }

    #[test]
    fn decimals_of_the_ratio_beyond_the_third_are_ignored() {
        let milli = |ratio| GrpcThrottlingConfig::from_tokens(10.0, ratio).unwrap();
        for (ratio, expected) in [
            (0.5466, 546),
            (0.5469, 546),
            (0.001999999, 1),
            (0.299999, 299),
            (0.300001, 300),
            (1.0 / 3.0, 333),
            (2.0 / 3.0, 666),
            (999.9999, 999_999),
        ] {
            assert_eq!(milli(ratio).milli_token_ratio, expected, "{ratio}");
        }
        // Whatever has three decimals is met exactly.
        for thousandths in 1..=MOST {
            let written = f64::from(thousandths) / f64::from(TOKEN);
            assert_eq!(milli(written).milli_token_ratio, thousandths);
        }
    }

    #[test]
    fn a_maximum_of_two_tokens_never_retries_a_failure() {
        for (max_tokens, retries) in [(1.0, 0), (2.0, 0), (2.001, 1), (3.0, 1), (5.0, 2)] {
            let mut budget = built(max_tokens, 1000.0);
            let granted = (0..10).filter(|_| {
                budget.failed(NOW, Attempt::First, Failure::Transient);
                grants(&mut budget)
            });
            assert_eq!(granted.count(), retries, "{max_tokens}");
        }
    }

    #[test]
    fn numbers_out_of_range_are_refused_by_name() {
        for (max_tokens, token_ratio, field) in [
            (0.0, 0.1, "max_tokens"),
            (-1.0, 0.1, "max_tokens"),
            (1000.001, 0.1, "max_tokens"),
            (f64::NAN, 0.1, "max_tokens"),
            (0.0004, 0.1, "max_tokens"),
            (10.0, 0.0, "token_ratio"),
            (10.0, -0.1, "token_ratio"),
            (10.0, 0.0001, "token_ratio"),
            (10.0, 0.0009999, "token_ratio"),
            (10.0, 1000.000001, "token_ratio"),
            (10.0, f64::NAN, "token_ratio"),
            (10.0001, 0.1, "max_tokens"),
            (10.0, f64::INFINITY, "token_ratio"),
        ] {
            let error = GrpcThrottlingConfig::from_tokens(max_tokens, token_ratio).unwrap_err();
            assert_eq!(error.field, field, "{max_tokens} {token_ratio}");
        }
        assert!(GrpcThrottlingConfig::from_tokens(1000.0, 0.001).is_ok());
    }
}
