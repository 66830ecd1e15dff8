//! When counts or samples are too unlikely to come from the distribution they should come from.

/// A statistic that is standard normal under the hypothesis, two-sided, exceeds this with probability 1e-6.
pub(crate) const Z_LIMIT: f64 = 4.892;

/// Pearson's statistic of counts against probabilities, as a standard normal number by Wilson and Hilferty's cube root; neighbouring
/// cells are merged until 10 are expected in each. None if fewer than two cells are left.
pub(crate) fn pearson_z(counts: &[u64], probabilities: &[f64]) -> Option<f64> {
    assert_eq!(counts.len(), probabilities.len());
    let total = counts.iter().sum::<u64>() as f64;
    let mut cells: Vec<(f64, f64)> = Vec::new();
    let (mut observed, mut expected) = (0.0, 0.0);
    for (&count, &probability) in counts.iter().zip(probabilities) {
        observed += count as f64;
        expected += probability * total;
        if expected >= 10.0 {
            cells.push((observed, expected));
            (observed, expected) = (0.0, 0.0);
        }
    }
    let last = cells.last_mut()?;
    last.0 += observed;
    last.1 += expected;
    if cells.len() < 2 {
        return None;
    }
    let statistic: f64 = cells
        .iter()
        .map(|(observed, expected)| (observed - expected).powi(2) / expected)
        .sum();
    let variance = 2.0 / (9.0 * (cells.len() - 1) as f64);
    let freedom = (cells.len() - 1) as f64;
    Some((libm::cbrt(statistic / freedom) - (1.0 - variance)) / variance.sqrt())
}

/// Fails if the counts are too far from the probabilities, or too near: a false alarm has probability about 1e-6.
pub(crate) fn assert_fits(what: &str, counts: &[u64], probabilities: &[f64]) {
    let sum: f64 = probabilities.iter().sum();
    assert!(
        (sum - 1.0).abs() < 1e-9,
        "{what}: probabilities add up to {sum}"
    );
    for (count, probability) in counts.iter().zip(probabilities) {
        assert!(
            *count == 0 || *probability > 0.0,
            "{what}: the impossible occurred"
        );
    }
    let z = pearson_z(counts, probabilities).expect("two cells or more");
    assert!(z.abs() < Z_LIMIT, "{what}: z = {z:.2} of counts {counts:?}");
}

/// How often each of 0, 1, …, `greatest` occurs.
pub(crate) fn histogram(values: impl IntoIterator<Item = u64>, greatest: u64) -> Vec<u64> {
    let mut counts = vec![0; greatest as usize + 1];
    for value in values {
        counts[value as usize] += 1;
    }
    counts
}

/// The greatest distance between the empirical distribution functions of two samples of equal size (Kolmogorov and Smirnov).
pub(crate) fn greatest_distance(ours: &mut [u64], theirs: &mut [u64]) -> f64 {
    assert_eq!(ours.len(), theirs.len());
    ours.sort_unstable();
    theirs.sort_unstable();
    let (mut i, mut j) = (0, 0);
    let mut greatest = 0;
    while i < ours.len() && j < theirs.len() {
        let value = ours[i].min(theirs[j]);
        i += ours[i..].iter().take_while(|&&x| x == value).count();
        j += theirs[j..].iter().take_while(|&&x| x == value).count();
        greatest = greatest.max(i.abs_diff(j));
    }
    greatest as f64 / ours.len() as f64
}

/// The distance that two samples of `n` ≥ 458 values of one distribution exceed with probability at most `rate`: from
/// P(D > d) ≤ 2 exp(-n d²) (Wei and Dudley, 2012), which discrete distributions only make smaller.
pub(crate) fn distance_limit(n: usize, rate: f64) -> f64 {
    assert!(n >= 458);
    (libm::log(2.0 / rate) / n as f64).sqrt()
}

/// The difference of two samples' means in standard errors; 0 if both are constant and equal.
pub(crate) fn mean_z(ours: &[u64], theirs: &[u64]) -> f64 {
    let (mean, variance) = moments(ours);
    let (their_mean, their_variance) = moments(theirs);
    if mean == their_mean {
        return 0.0;
    }
    (mean - their_mean) / ((variance + their_variance) / ours.len() as f64).sqrt()
}

fn moments(sample: &[u64]) -> (f64, f64) {
    let n = sample.len() as f64;
    let mean = sample.iter().map(|&x| x as f64).sum::<f64>() / n;
    let squares: f64 = sample.iter().map(|&x| (x as f64 - mean).powi(2)).sum();
    (mean, squares / (n - 1.0))
}

/// The probability of 0, 1, …, n successes in n trials, trial by trial.
pub(crate) fn binomial_probabilities(n: usize, p: f64) -> Vec<f64> {
    let mut probabilities = vec![0.0; n + 1];
    probabilities[0] = 1.0;
    for trial in 1..=n {
        for k in (0..=trial).rev() {
            let from_below = if k > 0 { probabilities[k - 1] * p } else { 0.0 };
            probabilities[k] = probabilities[k] * (1.0 - p) + from_below;
        }
    }
    probabilities
}

/// The probability of 0, 1, …, `drawn` marked ones among those drawn, draw by draw.
pub(crate) fn hypergeometric_probabilities(population: u64, marked: u64, drawn: u64) -> Vec<f64> {
    let mut probabilities = vec![0.0; drawn as usize + 1];
    probabilities[0] = 1.0;
    for draw in 0..drawn {
        let left = (population - draw) as f64;
        for k in (0..=draw + 1).rev() {
            // The next one is marked with the share of marked ones left.
            let marked_after = |k: u64| marked.saturating_sub(k) as f64 / left;
            let stays = if k <= draw {
                probabilities[k as usize] * (1.0 - marked_after(k))
            } else {
                0.0
            };
            let rises = if k > 0 {
                probabilities[k as usize - 1] * marked_after(k - 1)
            } else {
                0.0
            };
            probabilities[k as usize] = stays + rises;
        }
    }
    probabilities
}
