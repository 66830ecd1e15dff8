//! How many of those drawn without replacement are marked.

use sim_kernel::Stream;

use super::likelihood::ln_poisson;

/// From this mean on rejection is cheaper than inversion.
const REJECTION_FROM: f64 = 10.0;

/// A hypergeometric count: how many of `drawn` taken without replacement from `population` ≤ 2^53, `marked` of them marked, are marked.
///
/// `marked` and `drawn` above `population` count as `population`. The result lies in
/// [max(0, drawn + marked - population), min(drawn, marked)]. Exact in distribution up to the rounding of `f64`; the cost doesn't depend on
/// the population. Inversion while the mean of the rarer side is below 10 (as in Kachitvichyanukul and Schmeiser, "Computer Generation of
/// Hypergeometric Random Variates", 1985), else ratio of uniforms under Stadlober's table-mountain hat ("The Ratio of Uniforms Approach for
/// Generating Discrete Random Variates", 1990), whose acceptance test here compares probabilities in Loader's saddle-point form.
pub fn hypergeometric<S: Stream>(stream: &mut S, population: u64, marked: u64, drawn: u64) -> u64 {
    let marked = marked.min(population);
    let drawn = drawn.min(population);
    let fewer_marked = marked.min(population - marked);
    let fewer_drawn = drawn.min(population - drawn);
    let column = fewer_marked.min(fewer_drawn);
    let table = Table::new(population, fewer_marked.max(fewer_drawn), column);
    // Beyond 2^53 the column may have been rounded up.
    let both = table.draw(stream).min(column);
    // Unfold: first the drawn and the left behind, then the marked and the unmarked.
    let of_fewer_marked = if fewer_drawn == drawn {
        both
    } else {
        fewer_marked - both
    };
    if fewer_marked == marked {
        of_fewer_marked
    } else {
        drawn - of_fewer_marked
    }
}

/// A two-by-two table with fixed margins, rows ≤ half and columns ≤ rows.
struct Table {
    population: f64,
    row: f64,
    column: f64,
    mean: f64,
    mode: f64,
}

impl Table {
    fn new(population: u64, row: u64, column: u64) -> Self {
        let mode = (u128::from(row) + 1) * (u128::from(column) + 1) / (u128::from(population) + 2);
        let (population, row, column) = (population as f64, row as f64, column as f64);
        Self {
            population,
            row,
            column,
            mean: if column == 0.0 {
                0.0
            } else {
                column * (row / population)
            },
            mode: mode as f64,
        }
    }

    fn draw<S: Stream>(&self, stream: &mut S) -> u64 {
        if self.column == 0.0 {
            0
        } else if self.mean < REJECTION_FROM {
            self.invert(stream)
        } else {
            self.reject(stream)
        }
    }

    /// The last of the table's cells when the first holds `k`.
    fn neither(&self, k: f64) -> f64 {
        self.population - self.row - self.column + k
    }

    /// The logarithm of the probability of `k` in the first cell, up to a constant.
    fn ln_weight(&self, k: f64) -> f64 {
        let (in_row, in_column) = (self.row / self.population, self.column / self.population);
        ln_poisson(k, self.mean)
            + ln_poisson(self.row - k, self.row * (1.0 - in_column))
            + ln_poisson(self.column - k, self.column * (1.0 - in_row))
            + ln_poisson(
                self.neither(k),
                (self.population - self.row) * (1.0 - in_column),
            )
    }

    /// The probability of 0 in the first cell: `Π (population - row - i)/(population - i)` for i < column.
    fn none(&self) -> f64 {
        if self.column <= 24.0 {
            let mut product = 1.0;
            let mut i = 0.0;
            while i < self.column {
                product *= (self.population - self.row - i) / (self.population - i);
                i += 1.0;
            }
            return product;
        }
        let (n, r, c) = (self.population, self.row, self.column);
        let margins = ln_poisson(r, r)
            + ln_poisson(n - r, n - r)
            + ln_poisson(c, c)
            + ln_poisson(n - c, n - c);
        libm::exp(self.ln_weight(0.0) - margins + ln_poisson(n, n))
    }

    /// Walks the distribution function from 0: f(k + 1) = f(k) · (row - k)(column - k) / ((k + 1)(neither + 1)).
    fn invert<S: Stream>(&self, stream: &mut S) -> u64 {
        let none = self.none();
        loop {
            let mut unit = stream.unit();
            let mut probability = none;
            let mut k = 0.0;
            // What rounding leaves beyond the last count that can occur is drawn again.
            while probability > 0.0 {
                if unit < probability {
                    return k as u64;
                }
                unit -= probability;
                probability *=
                    (self.row - k) * (self.column - k) / ((k + 1.0) * (self.neither(k) + 1.0));
                k += 1.0;
            }
        }
    }

    fn reject<S: Stream>(&self, stream: &mut S) -> u64 {
        let (centre, width) = self.strip();
        let highest = self.ln_weight(self.mode);
        loop {
            let u = 1.0 - stream.unit();
            let k = self.mode + (centre + width * (stream.unit() - 0.5) / u).floor();
            if !(0.0..=self.column).contains(&k) {
                continue;
            }
            let ln_ratio = self.ln_weight(k) - highest;
            // u - 1/u ≤ 2 ln u ≤ u (4 - u) - 3 spare most logarithms.
            if u * (4.0 - u) - 3.0 <= ln_ratio {
                return k as u64;
            }
            if u * (u - ln_ratio) < 1.0 && 2.0 * libm::log(u) <= ln_ratio {
                return k as u64;
            }
        }
    }

    /// The centre, as an offset from the mode, and the width of the strip that holds the region of the ratio of uniforms.
    fn strip(&self) -> (f64, f64) {
        // 2 √(2/e) and 3 - 2 √(3/e).
        const PER_SD: f64 = 1.715_527_769_921_413_5;
        const FLAT: f64 = 0.898_916_162_058_898_6;
        let variance = self.mean
            * (1.0 - self.row / self.population)
            * ((self.population - self.column) / (self.population - 1.0));
        let width = PER_SD * (variance + 0.5).sqrt() + FLAT;
        (self.mean - self.mode + 0.5, width)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim_kernel::Pcg64;

    #[test]
    fn certain_results_draw_nothing() {
        let mut stream = Pcg64::for_unit("hypergeometric", 0);
        let mut draw =
            |population, marked, drawn| hypergeometric(&mut stream, population, marked, drawn);
        assert_eq!(draw(0, 0, 0), 0);
        assert_eq!(draw(0, 3, 4), 0);
        assert_eq!(draw(10, 0, 4), 0);
        assert_eq!(draw(10, 4, 0), 0);
        assert_eq!(draw(10, 10, 4), 4);
        assert_eq!(draw(10, 4, 10), 4);
        assert_eq!(draw(10, 11, 12), 10);
        assert_eq!(draw(1 << 53, 1 << 53, 7), 7);
        assert_eq!(draw(1 << 53, 7, u64::MAX), 7);
        assert_eq!(draw(u64::MAX, u64::MAX, u64::MAX), u64::MAX);
        assert_eq!(stream.unit(), Pcg64::for_unit("hypergeometric", 0).unit());
    }

    #[test]
    fn results_stay_within_the_margins() {
        let mut stream = Pcg64::for_unit("margins", 0);
        for population in 1..=12 {
            for marked in 0..=population {
                for drawn in 0..=population {
                    let both = hypergeometric(&mut stream, population, marked, drawn);
                    assert!(both <= marked.min(drawn));
                    assert!(both + population >= marked + drawn);
                }
            }
        }
    }

    /// Not exactly distributed beyond 2^53, but never out of range.
    #[test]
    fn populations_beyond_the_documented_range_end() {
        let mut stream = Pcg64::for_unit("beyond", 0);
        for population in [(1 << 53) + 1, (1 << 54) - 1, (1 << 63) + 1, u64::MAX] {
            for marked in [1, 100, population / 2, population - 3] {
                for drawn in [1, population / 3, population / 2 + 1, population - 1] {
                    let both = hypergeometric(&mut stream, population, marked, drawn);
                    assert!(both <= marked.min(drawn));
                }
            }
        }
    }

    #[test]
    fn the_probability_of_none_is_the_same_by_product_and_by_saddle_points() {
        for (population, row, column) in [
            (1_000_u64, 200_u64, 25_u64),
            (10_000, 1_000, 90),
            (1_000_000, 300_000, 30),
        ] {
            let product: f64 = (0..column)
                .map(|i| (population - row - i) as f64 / (population - i) as f64)
                .product();
            let ours = Table::new(population, row, column).none();
            assert!(
                (ours / product - 1.0).abs() < 1e-12,
                "{population} {row} {column}: {ours} {product}"
            );
        }
    }

    /// Rejection is exact as long as the strip holds the whole region: |offset from the centre| · √ratio ≤ half its width.
    #[test]
    fn the_strip_holds_the_region() {
        for population in [40_u64, 41, 100, 1_000, 100_000, 1 << 40] {
            for row_share in [0.02, 0.1, 0.25, 0.4, 0.5] {
                for column_share in [1e-5, 0.02, 0.1, 0.25, 0.4, 0.5] {
                    let row = (population as f64 * row_share) as u64;
                    let column = ((population as f64 * column_share) as u64).min(row);
                    let table = Table::new(population, row, column);
                    if table.mean >= REJECTION_FROM {
                        check_strip(&table);
                    }
                }
            }
        }
    }

    fn check_strip(table: &Table) {
        let (centre, width) = table.strip();
        let highest = table.ln_weight(table.mode);
        // Every offset within 12 widths, or 2,000 of them where there are more.
        let step = (width * 12.0 / 1_000.0).ceil();
        for index in -1_000..=1_000 {
            let offset = f64::from(index) * step;
            let k = table.mode + offset;
            if !(0.0..=table.column).contains(&k) {
                continue;
            }
            let ratio = libm::exp(table.ln_weight(k) - highest);
            assert!(
                ratio <= 1.0 + 1e-9,
                "the mode {} is not the highest",
                table.mode
            );
            let farthest = (offset - centre).abs().max((offset + 1.0 - centre).abs());
            assert!(
                farthest * ratio.sqrt() <= width / 2.0 * (1.0 + 1e-9),
                "offset {offset} of {}",
                table.mode
            );
        }
    }

    /// Value stability: a change of one of these numbers is a change of every committed cohort result.
    #[test]
    fn values_are_stable() {
        let mut stream = Pcg64::for_unit("hypergeometric", 1);
        let mut draw =
            |population, marked, drawn| hypergeometric(&mut stream, population, marked, drawn);
        let values = [
            draw(10, 4, 5),
            draw(1_000, 30, 20),
            draw(1_000, 970, 20),
            draw(10_000, 3_000, 5_000),
            draw(1_000_000_000_000, 300_000_000_000, 5_000_000_000),
            draw(1 << 53, 1 << 52, 1 << 52),
        ];
        assert_eq!(
            values,
            [2, 0, 19, 1_519, 1_499_989_487, 2_251_799_780_125_361]
        );
    }
}
