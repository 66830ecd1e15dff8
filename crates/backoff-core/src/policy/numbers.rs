//! Where a decision takes its random numbers from.

use crate::backoff::unit_from_bits;

/// Uniform numbers in [0, 1) for one decision.
pub(super) trait Numbers {
    /// The one for a budget that draws.
    fn for_budget(&mut self) -> f64;

    /// The one for a wait that draws.
    fn for_wait(&mut self) -> f64;
}

/// One number for both: the wait gets it as it is, the budget another that is made from it and doesn't show it.
pub(super) struct One(pub(super) f64);

impl Numbers for One {
    #[inline]
    fn for_budget(&mut self) -> f64 {
        unit_from_bits(mixed(inside(self.0).to_bits()))
    }

    #[inline]
    fn for_wait(&mut self) -> f64 {
        inside(self.0)
    }
}

/// Bits that depend on all bits of a number, however few of them vary: the output function of `SplitMix64` (Steele, Lea and Flood 2014).
fn mixed(bits: u64) -> u64 {
    let bits = bits.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ bits >> 31
}

/// A new number for each.
pub(super) struct Drawn<F>(pub(super) F);

impl<F: FnMut() -> f64> Numbers for Drawn<F> {
    #[inline]
    fn for_budget(&mut self) -> f64 {
        inside((self.0)())
    }

    #[inline]
    fn for_wait(&mut self) -> f64 {
        inside((self.0)())
    }
}

/// The nearest number in [0, 1); 0 for NaN.
fn inside(unit: f64) -> f64 {
    let unit = unit.clamp(0.0, 1.0 - f64::EPSILON / 2.0);
    if unit.is_nan() { 0.0 } else { unit }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers with far fewer bits than a single-precision generator gives.
    #[test]
    fn a_coarse_number_gives_a_budget_a_uniform_one() {
        let mut quarters = [0; 4];
        for number in 0..1 << 10 {
            let unit = f64::from(number) / f64::from(1 << 10);
            quarters[(One(unit).for_budget() * 4.0) as usize] += 1;
        }
        assert!(
            quarters.iter().all(|count| (210..302).contains(count)),
            "{quarters:?}"
        );
    }

    /// Half of the small waits and half of the long ones meet a budget's upper half.
    #[test]
    fn what_a_budget_gets_says_nothing_of_the_wait() {
        let mut both = [[0; 2]; 2];
        for number in 0..1 << 12 {
            let unit = f64::from(number) / f64::from(1 << 12);
            both[usize::from(unit >= 0.5)][usize::from(One(unit).for_budget() >= 0.5)] += 1;
        }
        assert!(
            both.as_flattened()
                .iter()
                .all(|count| (940..1108).contains(count)),
            "{both:?}"
        );
    }
}
