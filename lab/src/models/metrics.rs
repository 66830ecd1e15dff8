//! Numbers by name, for the ledger.

use std::collections::BTreeMap;

/// Every number that came out, by its name `strategy/measure/statistic`, such as `full jitter/finish_s/mean`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Metrics(BTreeMap<String, f64>);

impl Metrics {
    /// No numbers yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds one number.
    pub fn add(&mut self, name: &str, measure: &str, statistic: &str, value: f64) {
        self.0
            .insert(format!("{name}/{measure}/{statistic}"), value);
    }

    /// Adds the `mean`, `min` and `max` of a measure's values, and each of them as `seed N`.
    pub fn add_runs(
        &mut self,
        name: &str,
        measure: &str,
        values: impl IntoIterator<Item = (u64, f64)>,
    ) {
        let runs: Vec<(u64, f64)> = values.into_iter().collect();
        let values: Vec<f64> = runs.iter().map(|&(_, value)| value).collect();
        if let Some(summary) = Summary::of(&values) {
            self.add(name, measure, "mean", summary.mean);
            self.add(name, measure, "min", summary.min);
            self.add(name, measure, "max", summary.max);
        }
        for (seed, value) in runs {
            self.add(name, measure, &format!("seed {seed}"), value);
        }
    }

    /// The number with this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<f64> {
        self.0.get(name).copied()
    }

    /// The names, in alphabetical order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }
}

/// Mean, least and greatest of some values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Summary {
    /// The sum in the order given, divided by the count.
    pub mean: f64,
    /// The least.
    pub min: f64,
    /// The greatest.
    pub max: f64,
}

impl Summary {
    /// The summary, or nothing for no values.
    #[must_use]
    pub fn of(values: &[f64]) -> Option<Self> {
        if values.is_empty() {
            return None;
        }
        let min = values.iter().copied().fold(f64::INFINITY, f64::min);
        let max = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        // Rounding may put the mean of equal values a hair beside them.
        let mean = (values.iter().sum::<f64>() / values.len() as f64)
            .max(min)
            .min(max);
        Some(Self { mean, min, max })
    }
}
