//! CPython 3's `random.Random`, bit for bit: the same seed gives the same draws, in the same order, as `random.Random(seed)`.
//!
//! Results that were published from a Python script can so be replayed digit for digit. Every method is named as in Python and
//! takes exactly the 32-bit words from the Mersenne Twister that CPython 3.11 takes, so calls may be mixed in any order.
//!
//! ```
//! use cpython_random::Random;
//!
//! let mut random = Random::new(0); // random.Random(0)
//! assert_eq!(random.random(), 0.8444218515250481);
//! assert_eq!(random.uniform(0.1, 0.3), 0.25159088058806045);
//! assert_eq!(random.randrange(100), 53);
//! ```
//!
//! # How exact
//!
//! Integers, `random`, `uniform` and `normalvariate` have every bit in common with CPython. `expovariate` and `gauss` go through a
//! logarithm, sine and cosine that CPython takes from its platform; here they come from `libm`, in software, so that the same bytes come
//! out on every machine, and may differ from CPython's by 2 ulp. In `normalvariate` the logarithm decides only whether a
//! candidate is kept; a difference would need a tie at 1 ulp.
//!
//! # Invalid arguments
//!
//! Where CPython raises, nothing here panics: each method says what it returns instead, and that it draws nothing.
//!
//! # `rand`
//!
//! [`Random`] is a `rand_core` generator as well: its words are the Twister's, [`rand_core::SeedableRng::seed_from_u64`] is
//! [`Random::new`], and `fill_bytes` is Python's `randbytes`.

mod distributions;
mod integers;
mod rand_traits;
mod sample;

use rand_mt::Mt;

/// The state of one `random.Random`: a Mersenne Twister and the value that `gauss` has in hand.
#[derive(Debug, Clone, PartialEq)]
pub struct Random {
    words: Mt,
    gauss_next: Option<f64>,
}

impl Random {
    /// `random.Random(seed)`, for seeds from 0 to 2^128 - 1.
    ///
    /// The Twister is seeded with `init_by_array` of the seed's 32-bit digits, little end first and without leading zeros; seed 0
    /// is one digit, 0. (CPython takes the absolute value of a negative seed: pass that.)
    ///
    /// ```
    /// use cpython_random::Random;
    ///
    /// assert_eq!(Random::new(1 << 64).getrandbits(32), 4198958755);
    /// ```
    #[must_use]
    pub fn new(seed: u128) -> Self {
        let digits: [u32; 4] = core::array::from_fn(|place| (seed >> (32 * place)) as u32);
        let significant = (u128::BITS - seed.leading_zeros()).div_ceil(32).max(1) as usize;
        Self {
            words: Mt::new_with_key(digits.into_iter().take(significant)),
            gauss_next: None,
        }
    }

    /// Uniform in [0, 1), a multiple of 2^-53: `random()`.
    ///
    /// Takes two words a, b: `((a >> 5) · 2^26 + (b >> 6)) / 2^53`.
    #[inline]
    pub fn random(&mut self) -> f64 {
        let high = u64::from(self.word() >> 5);
        let low = u64::from(self.word() >> 6);
        ((high << 26) | low) as f64 * (1.0 / 9007199254740992.0)
    }

    /// `low + (high - low) · random()`, in this order of operations: `uniform(low, high)`.
    ///
    /// Uniform in [low, high), or in [low, high] where the sum rounds up to `high`. Any two numbers are allowed, `low` above `high`
    /// too; with infinities or NaN, the formula's value.
    #[inline]
    pub fn uniform(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.random()
    }

    /// The Twister's next word.
    #[inline]
    fn word(&mut self) -> u32 {
        self.words.next_u32()
    }
}
