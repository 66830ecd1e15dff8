//! How likely a count is, to full precision at any size.

use core::f64::consts::TAU;

/// `ln(x!) - (x + ½) ln x + x - ½ ln 2π` for x from 1 to 15.
const SMALL: [f64; 15] = [
    0.081_061_466_795_327_26,
    0.041_340_695_955_409_29,
    0.027_677_925_684_998_34,
    0.020_790_672_103_765_093,
    0.016_644_691_189_821_193,
    0.013_876_128_823_070_748,
    0.011_896_709_945_891_77,
    0.010_411_265_261_972_096,
    0.009_255_462_182_712_733,
    0.008_330_563_433_362_87,
    0.007_573_675_487_951_841,
    0.006_942_840_107_209_53,
    0.006_408_994_188_004_207,
    0.005_951_370_112_758_848,
    0.005_554_733_551_962_801,
];

/// The logarithm of the Poisson probability of `count`, a whole number ≥ 0, when `mean` > 0 is expected.
///
/// `-δ(x) - D(x, m) - ½ ln 2πx`, and `-m` for a count of 0, where δ is the error of Stirling's formula and D the deviance:
/// Loader's saddle-point form, "Fast and Accurate Computation of Binomial Probabilities" (2000). Logarithms of factorials, which would
/// cancel to nothing at 10^12, don't occur. Binomial and hypergeometric probabilities are products of these, up to a constant.
pub(super) fn ln_poisson(count: f64, mean: f64) -> f64 {
    if count == 0.0 {
        return -mean;
    }
    -(stirling_error(count) + deviance(count, mean) + 0.5 * libm::log(TAU * count))
}

/// `ln(x!) - (x + ½) ln x + x - ½ ln 2π` for a whole number x ≥ 1.
fn stirling_error(x: f64) -> f64 {
    if let Some(&error) = SMALL.get(x as usize - 1) {
        return error;
    }
    // 1/12x - 1/360x³ + 1/1260x⁵ - 1/1680x⁷ + 1/1188x⁹; the next term is below 1e-15 from 16 on.
    let inverse = 1.0 / x;
    let square = inverse * inverse;
    let tail = (1.0 / 1680.0 - square * (1.0 / 1188.0)) * square;
    (1.0 / 12.0 - ((1.0 / 360.0) - (1.0 / 1260.0 - tail) * square) * square) * inverse
}

/// `x ln(x/m) + m - x`, without cancellation when x is near m.
fn deviance(x: f64, mean: f64) -> f64 {
    let excess = x - mean;
    let total = x + mean;
    if excess.abs() >= 0.1 * total {
        return x * libm::log(x / mean) - excess;
    }
    // With v = (x - m)/(x + m), x/m = (1 + v)/(1 - v): the logarithm is 2 (v + v³/3 + v⁵/5 + …), and 2xv - (x - m) = (x - m) v.
    let v = excess / total;
    let square = v * v;
    let mut power = 2.0 * x * v;
    let mut sum = excess * v;
    let mut odd = 3.0;
    loop {
        power *= square;
        let next = sum + power / odd;
        if next == sum {
            return sum;
        }
        sum = next;
        odd += 2.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Computed with 40 digits.
    #[test]
    fn probabilities_keep_their_digits_at_any_size() {
        for (count, mean, exact) in [
            (0.0, 3.5, -3.5),
            (1.0, 0.25, -1.6362943611198906),
            (3.0, 3.0, -1.4959226032237259),
            (15.0, 10.0, -3.3604949889302063),
            (16.0, 16.5, -2.318094011576114),
            (100.0, 150.0, -12.675846145937915),
            (1000.0, 990.25, -4.4207419861373222),
            (1000000.0, 1000500.0, -7.951652244472229),
            (1000000000000.0, 999997000000.0, -19.23445809118928),
            (1000000000000.0, 1500000000000.0, -94534891906.57007),
            (9007199254740992.0, 9007199154740992.0, -19.842450334464452),
            (7.0, 0.001, -56.88044831394037),
        ] {
            let ours = ln_poisson(count, mean);
            assert!(
                (ours - exact).abs() <= 4e-15 * exact.abs().max(1.0),
                "{count} {mean}: {ours} {exact}"
            );
        }
    }

    #[test]
    fn small_counts_match_factorials() {
        let mut factorial = 1.0;
        for count in 0..=20_u32 {
            factorial *= f64::from(count.max(1));
            let count = f64::from(count);
            for mean in [0.01, 0.5, 1.0, 7.25, 19.0, 400.0] {
                let direct = count * libm::log(mean) - mean - libm::log(factorial);
                let ours = ln_poisson(count, mean);
                assert!(
                    (ours - direct).abs() <= 4e-14 * direct.abs().max(1.0),
                    "{count} {mean}: {ours} {direct}"
                );
            }
        }
    }
}
