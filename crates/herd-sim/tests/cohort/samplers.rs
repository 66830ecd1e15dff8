//! Binomial and hypergeometric draws against their exact probabilities.

use herd_sim::cohort::{binomial, hypergeometric};
use sim_kernel::Pcg64;

use crate::statistics::{
    Z_LIMIT, assert_fits, binomial_probabilities, histogram, hypergeometric_probabilities,
};

const DRAWS: usize = 100_000;

/// Inversion below a mean of 10, rejection from there on, either side of one half.
#[test]
fn binomial_draws_fit_their_probabilities() {
    for (n, p) in [
        (1, 0.3),
        (5, 0.5),
        (20, 0.01),
        (19, 0.5),
        (20, 0.5),
        (40, 0.75),
        (99, 0.1),
        (101, 0.1),
        (101, 0.9),
        (150, 1.0 / 3.0),
        (1_000, 0.009),
        (1_000, 0.5),
        (1_000, 0.987),
        (2_000, 1.0 / 41.0),
    ] {
        let what = format!("binomial {n} {p}");
        let mut stream = Pcg64::for_unit(&what, 0);
        let draws = (0..DRAWS).map(|_| binomial(&mut stream, n, p));
        assert_fits(
            &what,
            &histogram(draws, n),
            &binomial_probabilities(n as usize, p),
        );
    }
}

/// Each of the four foldings, by inversion and by rejection, and the probability of none by product and by saddle points.
#[test]
fn hypergeometric_draws_fit_their_probabilities() {
    for (population, marked, drawn) in [
        (2, 1, 1),
        (10, 4, 5),
        (10, 6, 7),
        (60, 50, 9),
        (1_000, 30, 300),
        (1_000, 970, 300),
        (1_000, 30, 700),
        (1_000, 970, 700),
        (1_000, 5, 900),
        (1_000, 100, 5),
        (40, 20, 20),
        (41, 20, 21),
        (100, 37, 50),
        (1_000, 250, 400),
        (1_000, 750, 400),
        (1_000, 250, 600),
        (1_000, 750, 600),
        (1_000, 500, 500),
        (3_000, 100, 300),
    ] {
        let what = format!("hypergeometric {population} {marked} {drawn}");
        let mut stream = Pcg64::for_unit(&what, 0);
        let draws = (0..DRAWS).map(|_| hypergeometric(&mut stream, population, marked, drawn));
        let probabilities = hypergeometric_probabilities(population, marked, drawn);
        assert_fits(&what, &histogram(draws, drawn), &probabilities);
    }
}

/// At 10^12 and more the law is normal to within 1e-6, and rare events are Poisson to within 1e-7: far below what these draws resolve.
#[test]
fn draws_of_trillions_fit_their_limits() {
    const MANY: u64 = 1_000_000_000_000;
    for (n, p) in [
        (MANY, 0.3),
        (MANY, 0.5),
        (MANY, 0.999),
        (1 << 53, 1.0 / 41.0),
    ] {
        let mean = n as f64 * p;
        let what = format!("binomial {n} {p}");
        let mut stream = Pcg64::for_unit(&what, 0);
        let sd = (mean * (1.0 - p)).sqrt();
        fits_normal(&what, sd, || binomial(&mut stream, n, p) as f64 - mean);
    }
    for (population, marked, drawn) in [
        (MANY, MANY / 10 * 3, MANY / 200),
        (MANY, MANY / 10 * 7, MANY / 2),
        (1 << 53, 1 << 52, 1 << 50),
    ] {
        let share = marked as f64 / population as f64;
        let mean = drawn as f64 * share;
        let what = format!("hypergeometric {population} {marked} {drawn}");
        let mut stream = Pcg64::for_unit(&what, 0);
        let left = 1.0 - drawn as f64 / population as f64;
        let sd = (mean * (1.0 - share) * left).sqrt();
        fits_normal(&what, sd, || {
            hypergeometric(&mut stream, population, marked, drawn) as f64 - mean
        });
    }
    for mean in [0.5, 9.0, 11.0] {
        let what = format!("rare events, {mean} on average");
        let mut stream = Pcg64::for_unit(&what, 0);
        let draws = (0..DRAWS).map(|_| binomial(&mut stream, MANY, mean / MANY as f64));
        fits_poisson(&what, mean, draws);
        let marked = (mean * 1e8) as u64;
        let draws = (0..DRAWS).map(|_| hypergeometric(&mut stream, MANY * 100, marked, 1_000_000));
        fits_poisson(&what, mean, draws);
    }
}

fn fits_normal(what: &str, sd: f64, mut deviation: impl FnMut() -> f64) {
    const CELLS: usize = 60;
    // Cells of a tenth of a standard deviation from -3 to 3, the outermost open.
    let edge = |cell: usize| -3.0 + 0.1 * cell as f64;
    let below = |z: f64| 0.5 * libm::erfc(-z / core::f64::consts::SQRT_2);
    let mut counts = vec![0; CELLS];
    let (mut sum, mut squares) = (0.0, 0.0);
    for _ in 0..DRAWS {
        let z = deviation() / sd;
        sum += z;
        squares += z * z;
        counts[(((z + 3.0) * 10.0).floor().max(0.0) as usize).min(CELLS - 1)] += 1;
    }
    let probabilities: Vec<f64> = (0..CELLS)
        .map(|cell| {
            let low = if cell == 0 { 0.0 } else { below(edge(cell)) };
            let high = if cell == CELLS - 1 {
                1.0
            } else {
                below(edge(cell + 1))
            };
            high - low
        })
        .collect();
    assert_fits(what, &counts, &probabilities);
    let n = DRAWS as f64;
    let mean_z = sum / n.sqrt();
    let variance_z = (squares / n - 1.0) * (n / 2.0).sqrt();
    assert!(
        mean_z.abs() < Z_LIMIT && variance_z.abs() < Z_LIMIT,
        "{what}: mean {mean_z:.2}, variance {variance_z:.2}"
    );
}

fn fits_poisson(what: &str, mean: f64, draws: impl Iterator<Item = u64>) {
    const GREATEST: u64 = 80;
    let mut probability = libm::exp(-mean);
    let mut probabilities = Vec::new();
    for k in 0..=GREATEST {
        probabilities.push(probability);
        probability *= mean / (k + 1) as f64;
    }
    assert_fits(what, &histogram(draws, GREATEST), &probabilities);
}
