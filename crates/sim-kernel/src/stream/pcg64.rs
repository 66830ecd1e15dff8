//! The stream of a permuted congruential generator, the default.

use rand_core::Rng;
use rand_pcg::Pcg64Mcg;

use super::Stream;

/// The draws of one `Pcg64Mcg`, whose state is derived from the name and the number of a unit of work.
///
/// The same unit draws the same numbers on every machine and in every version: the derivation and each draw are fixed by literal tests.
///
/// ```
/// use sim_kernel::{Pcg64, Stream};
///
/// assert_eq!(Pcg64::for_unit("full jitter", 0).unit(), Pcg64::for_unit("full jitter", 0).unit());
/// assert_ne!(Pcg64::for_unit("full jitter", 0).unit(), Pcg64::for_unit("full jitter", 1).unit());
/// ```
#[derive(Debug)]
pub struct Pcg64(Pcg64Mcg);

impl Pcg64 {
    /// The stream of the unit of work called `name` with seed `seed`.
    ///
    /// The 64-bit FNV-1a hash of the name's UTF-8 bytes seeds a `SplitMix64`, which gives two keys. Each half of the 128-bit state is the
    /// first output of a `SplitMix64` seeded with its key xor `seed`: the low half from the first key, the high half from the second.
    /// Different seeds of one name therefore never share a state.
    #[must_use]
    pub fn for_unit(name: &str, seed: u64) -> Self {
        let mut keys = SplitMix64(fnv_1a(name.as_bytes()));
        let low = SplitMix64(keys.next() ^ seed).next();
        let high = SplitMix64(keys.next() ^ seed).next();
        Self(Pcg64Mcg::new(u128::from(high) << 64 | u128::from(low)))
    }
}

impl Stream for Pcg64 {
    #[inline]
    fn unit(&mut self) -> f64 {
        unit_of(self.0.next_u64())
    }

    #[inline]
    fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    #[inline]
    fn with_units<I>(
        &mut self,
        items: impl IntoIterator<Item = I>,
        mut use_unit: impl FnMut(I, f64),
    ) {
        // A copy stays in registers throughout the loop; the state behind `self` would be written back after each draw.
        let mut generator = self.0.clone();
        for item in items {
            use_unit(item, unit_of(generator.next_u64()));
        }
        self.0 = generator;
    }

    /// Lemire's multiplication, rejecting the draws that would make some results likelier (2019, doi:10.1145/3230636).
    #[inline]
    fn below(&mut self, bound: u64) -> u64 {
        if bound <= 1 {
            return 0;
        }
        let mut product = u128::from(self.0.next_u64()) * u128::from(bound);
        if (product as u64) < bound {
            let least = bound.wrapping_neg() % bound;
            while (product as u64) < least {
                product = u128::from(self.0.next_u64()) * u128::from(bound);
            }
        }
        (product >> 64) as u64
    }

    #[inline]
    fn exponential(&mut self, rate: f64) -> f64 {
        -libm::log(1.0 - self.unit()) / rate
    }

    /// The ratio of uniforms of Kinderman and Monahan (1977): with v in (0, 1] and u uniform, z = √(8/e)·(u - ½)/v is kept when
    /// z² ≤ -4 ln v.
    #[inline]
    fn normal(&mut self, mean: f64, sd: f64) -> f64 {
        /// √(8/e).
        const WIDTH: f64 = 1.7155277699214135;
        loop {
            let u = self.unit();
            let v = 1.0 - self.unit();
            let z = WIDTH * (u - 0.5) / v;
            if z * z <= -4.0 * libm::log(v) {
                return mean + z * sd;
            }
        }
    }

    /// The first k steps of the Fisher–Yates shuffle of 0, 1, …, n - 1. For k ≥ n there is nothing to choose: all positions in
    /// ascending order, and nothing is drawn.
    #[inline]
    fn sample(&mut self, n: u32, k: u32, positions: &mut Vec<u32>) {
        positions.clear();
        positions.extend(0..n);
        if k >= n {
            return;
        }
        for step in 0..k {
            let other = step + self.below(u64::from(n - step)) as u32;
            positions.swap(step as usize, other as usize);
        }
        positions.truncate(k as usize);
    }
}

/// Uniform in [0, 1) from the 53 high bits, as `backoff_core::backoff::unit_from_bits` has it: a test with the same literals stands there.
#[inline]
#[expect(
    clippy::cast_possible_wrap,
    reason = "53 bits are never negative, and processors convert signed integers faster"
)]
fn unit_of(bits: u64) -> f64 {
    (bits >> 11) as i64 as f64 * (1.0 / 9007199254740992.0)
}

fn fnv_1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// Steele, Lea and Flood's generator (2014), used only to spread hashes over a state.
struct SplitMix64(u64);

impl SplitMix64 {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_give_the_numbers_that_a_client_of_backoff_core_draws() {
        for (bits, unit) in [
            (0, 0.0),
            (0x7ff, 0.0),
            (0x800, f64::EPSILON / 2.0),
            (1 << 63, 0.5),
            (0x0123_4567_89ab_cdef, f64::from_bits(0x3f72_3456_789a_bc80)),
            (0xfedc_ba98_7654_3210, f64::from_bits(0x3fef_db97_530e_ca86)),
            (u64::MAX, 1.0 - f64::EPSILON / 2.0),
        ] {
            assert_eq!(unit_of(bits), unit, "{bits:#x}");
        }
    }
}
