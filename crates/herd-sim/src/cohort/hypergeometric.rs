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
    let table = Table::new(
        population,
        fewer_marked.max(fewer_drawn),
        fewer_marked.min(fewer_drawn),
    );
    let both = table.draw(stream);
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
        let variance =
            self.mean * (1.0 - self.row / self.population) * (self.population - self.column)
                / (self.population - 1.0);
        let scale = table_mountain(variance);
        let centre = self.mean - self.mode + 0.5;
        let highest = self.ln_weight(self.mode);
        loop {
            let u = 1.0 - stream.unit();
            let offset = (centre + scale * (stream.unit() - 0.5) / u).floor();
            let k = self.mode + offset;
            if !(0.0..=self.column).contains(&k) {
                continue;
            }
            let ln_ratio = self.ln_weight(k) - highest;
            // Two bounds of 2 ln u spare most logarithms.
            if u * (4.0 - u) - 3.0 <= ln_ratio {
                return k as u64;
            }
            if u * (u - ln_ratio) < 1.0 && 2.0 * libm::log(u) <= ln_ratio {
                return k as u64;
            }
        }
    }
}

/// The width of the strip that holds the ratio-of-uniforms region of a count with this variance.
fn table_mountain(variance: f64) -> f64 {
    // 2 √(2/e) and 3 - 2 √(3/e).
    const PER_SD: f64 = 1.715_527_769_921_413_6;
    const FLAT: f64 = 0.898_916_162_058_898_8;
    PER_SD * (variance + 0.5).sqrt() + FLAT
}
