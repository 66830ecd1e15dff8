//! The nominal wait: how it grows with the failures, and what the waits add up to.

/// `min(cap, base · multiplier^(n - 1 + exponent_from))`, the first values tabulated.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Curve {
    /// By failure number, 0 counting as 1.
    first: [f64; TABULATED],
    /// The nominal wait from index `flat_from` on.
    flat: f64,
    /// The least index (failures - 1) with the last nominal wait; none if 2^32 failures don't reach it.
    flat_from: Option<u32>,
    base: f64,
    cap: f64,
    multiplier: f64,
    exponent_from: u32,
}

/// Covers every doubling from 1 ms to 30 s, so that an ordinary policy never computes a power.
const TABULATED: usize = 17;

/// Up to so many unequal nominal waits are added one by one; more have a closed form.
const ADDED: u32 = 1024;

impl Curve {
    /// The curve of a checked configuration: 0 ≤ base ≤ cap < ∞, 1 ≤ multiplier < ∞.
    pub(crate) fn new(base: f64, cap: f64, multiplier: f64, exponent_from: u32) -> Self {
        let flat = if base == 0.0 || multiplier == 1.0 {
            base
        } else {
            cap
        };
        let mut curve = Self {
            first: [0.0; TABULATED],
            flat,
            flat_from: None,
            base,
            cap,
            multiplier,
            exponent_from,
        };
        curve.first =
            core::array::from_fn(|failures| curve.computed(failures.saturating_sub(1) as u32));
        curve.flat_from = curve.first_flat();
        curve
    }

    /// The same nominal wait after every failure.
    pub(crate) fn constant(wait: f64) -> Self {
        Self::new(wait, wait, 1.0, 0)
    }

    /// The nominal wait after failure `failures`; 0 counts as 1.
    #[inline]
    pub(crate) fn nominal(&self, failures: u32) -> f64 {
        match self.first.get(failures as usize) {
            Some(&nominal) => nominal,
            None => self.beyond_table(failures - 1),
        }
    }

    #[cold]
    fn beyond_table(&self, index: u32) -> f64 {
        match self.flat_from {
            Some(flat_from) if index >= flat_from => self.flat,
            _ => self.computed(index),
        }
    }

    fn computed(&self, index: u32) -> f64 {
        if self.base == 0.0 {
            return 0.0;
        }
        let exponent = u64::from(index) + u64::from(self.exponent_from);
        self.cap.min(self.base * power(self.multiplier, exponent))
    }

    /// The first failure number from which the nominal wait stays the same.
    pub(crate) fn constant_from(&self) -> Option<u32> {
        // Index u32::MAX would be failure 2^32, which no caller can name.
        self.flat_from?.checked_add(1)
    }

    /// By bisection, which is sound because the computed curve never falls (see [`power`]).
    fn first_flat(&self) -> Option<u32> {
        if self.computed(u32::MAX) != self.flat {
            return None;
        }
        let (mut low, mut high) = (0, u32::MAX);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.computed(middle) == self.flat {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        Some(low)
    }

    /// The sum of the nominal waits after failures 1..=`failures`, to about 1e-13 of its value; 0 for 0.
    ///
    /// The growing part is added term by term, or, where it is long, `first · (multiplier^k - 1) / (multiplier - 1)`;
    /// the flat part is a product.
    pub(crate) fn total(&self, failures: u32) -> f64 {
        let growing = self.flat_from.map_or(failures, |from| failures.min(from));
        let flat = f64::from(failures - growing) * self.flat;
        if growing <= ADDED {
            return (1..=growing).map(|n| self.nominal(n)).sum::<f64>() + flat;
        }
        // A curve this long has a multiplier so near 1 that the plain difference of powers would cancel.
        let rate = self.multiplier - 1.0;
        let sum = libm::expm1(f64::from(growing) * libm::log1p(rate)) / rate;
        self.nominal(1) * sum + flat
    }
}

/// Beyond this a power exceeds the quotient of any cap by any base (2^64 s by 1 ns, under 2^95).
const BEYOND_ANY_CAP: f64 = (1u128 << 100) as f64;

/// `x^exponent` for x ≥ 1, infinity beyond 2^100; exact where a double can hold it, at most 33 squarings.
///
/// Squaring amplifies the first rounding by the exponent, so it runs in double-double arithmetic (106 bits): its relative error stays
/// under 2^34 · 2^-102, far less than the ratio of two neighbouring powers, so that the rounded result never falls as the exponent grows.
fn power(x: f64, mut exponent: u64) -> f64 {
    let mut square = Double { high: x, low: 0.0 };
    let mut product = Double {
        high: 1.0,
        low: 0.0,
    };
    while exponent > 0 {
        if square.high > BEYOND_ANY_CAP || product.high > BEYOND_ANY_CAP {
            return f64::INFINITY;
        }
        if exponent & 1 == 1 {
            product = product.times(square);
        }
        square = square.times(square);
        exponent >>= 1;
    }
    product.high
}

/// An unevaluated sum of two doubles, the low one at most half an ulp of the high one.
#[derive(Clone, Copy)]
struct Double {
    high: f64,
    low: f64,
}

impl Double {
    fn times(self, other: Self) -> Self {
        let product = self.high * other.high;
        let error = product_error(self.high, other.high, product)
            + (self.high * other.low + self.low * other.high);
        let high = product + error;
        Self {
            high,
            low: error - (high - product),
        }
    }
}

/// `a · b - product` exactly, by Dekker's splitting (core has no fused multiply-add).
fn product_error(a: f64, b: f64, product: f64) -> f64 {
    let (a_high, a_low) = split(a);
    let (b_high, b_low) = split(b);
    ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low
}

fn split(a: f64) -> (f64, f64) {
    let shifted = 134217729.0 * a; // 2^27 + 1
    let high = shifted - (shifted - a);
    (high, a - high)
}
