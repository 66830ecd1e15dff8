//! How a number that the project promises comes from a record.

use std::fmt;

use serde_json::Value;

use super::comparison::Ratio;
use super::{Bench, Record};

/// How a bar's number comes from a record.
pub(super) enum Measure {
    /// The time for an element of the first bench as a multiple of that of the second.
    Ratio(&'static str, &'static str),
    /// The time of the fastest of the libraries for a wait, as a multiple of this bench's.
    FastestPeer(&'static str),
    /// A bench's elements in a second, in millions.
    Rate(&'static str),
    /// A bench's time, in seconds.
    Time(&'static str),
    /// The herd of a thousand clients: the lab's requests in a second of processor time as a multiple of the script's.
    TimesCPython,
    /// A whole process' time from its start to its end, in seconds.
    Wall(&'static str),
    /// A whole process' greatest resident memory, in megabytes of 10^6 bytes.
    Peak(&'static str),
}

/// What a record says: the median, and how far it may be off.
pub(super) struct Measured {
    pub(super) value: f64,
    low: f64,
    high: f64,
    /// Which of several it is.
    pub(super) whose: Option<String>,
}

/// The benches of other libraries' waits.
const PEERS: [&str; 6] = [
    "decision/backon/full-jitter",
    "decision/backoff/proportional",
    "decision/exponential-backoff/proportional",
    "decision/retry-policies/full-jitter",
    "decision/tokio-retry/full-jitter",
    "decision/tower/equal-jitter",
];

impl fmt::Display for Measured {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            value, low, high, ..
        } = *self;
        // Three digits that count, as many for the interval.
        let decimals = match value {
            _ if value < 10.0 => 2,
            _ if value < 100.0 => 1,
            _ => 0,
        };
        write!(f, "{value:.decimals$} ({low:.decimals$}–{high:.decimals$})")
    }
}

impl Measure {
    pub(super) fn of(&self, record: &Record) -> Option<Measured> {
        let bench = |id: &str| record.benches.iter().find(|bench| bench.id == id);
        match *self {
            Self::Ratio(time, base) => Some(Measured::ratio(bench(time)?, bench(base)?)),
            Self::FastestPeer(ours) => {
                let median = |bench: &Bench| bench.per_element(bench.median_ns);
                let fastest = PEERS
                    .iter()
                    .filter_map(|id| bench(id))
                    .min_by(|a, b| median(a).total_cmp(&median(b)))?;
                Some(Measured {
                    whose: fastest.id.split('/').nth(1).map(str::to_owned),
                    ..Measured::ratio(fastest, bench(ours)?)
                })
            }
            Self::Rate(id) => {
                let bench = bench(id)?;
                // A bench that names no elements has no rate.
                let rate = |nanos: f64| Some(bench.elements? as f64 / nanos * 1e3);
                Some(Measured {
                    value: rate(bench.median_ns)?,
                    low: rate(bench.high_ns)?,
                    high: rate(bench.low_ns)?,
                    whose: None,
                })
            }
            Self::Time(id) => bench(id).map(|bench| Measured {
                value: bench.median_ns / 1e9,
                low: bench.low_ns / 1e9,
                high: bench.high_ns / 1e9,
                whose: None,
            }),
            Self::TimesCPython => {
                let rates = &record.peers.get("herd-1000")?["requests_per_processor_s"];
                let ours = rounds(&rates["lab exact cpython"])?;
                let base = rounds(&rates["cpython"])?;
                // Of the rounds' own ratios, so that what slows a whole round down cancels out.
                Measured::of_rounds(ours.iter().zip(&base).map(|(ours, base)| ours / base))
            }
            Self::Wall(process) => {
                let process = &record.peers.get("processes")?["processes"][process];
                Measured::of_rounds(rounds(&process["wall_s"])?)
            }
            Self::Peak(process) => {
                let process = &record.peers.get("processes")?["processes"][process];
                let bytes = rounds(&process["peak_bytes"])?;
                Measured::of_rounds(bytes.into_iter().map(|bytes| bytes / 1e6))
            }
        }
    }
}

impl Measured {
    fn ratio(time: &Bench, base: &Bench) -> Self {
        let Ratio { value, low, high } = Ratio::of(time, base);
        Self {
            value,
            low,
            high,
            whose: None,
        }
    }

    /// The median of a script's rounds with the least and the greatest; none without rounds.
    fn of_rounds(rounds: impl IntoIterator<Item = f64>) -> Option<Self> {
        let mut rounds: Vec<f64> = rounds.into_iter().collect();
        rounds.sort_by(f64::total_cmp);
        let (low, high) = (*rounds.first()?, *rounds.last()?);
        let upper = rounds.len() / 2;
        let lower = (rounds.len() - 1) / 2;
        Some(Self {
            value: f64::midpoint(rounds[lower], rounds[upper]),
            low,
            high,
            whose: None,
        })
    }
}

/// A script's numbers, if they are above 0.
fn rounds(value: &Value) -> Option<Vec<f64>> {
    let numbers = value.as_array()?.iter();
    numbers
        .map(|number| number.as_f64().filter(|number| *number > 0.0))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_are_summed_up_by_their_median_and_their_ends() {
        let text = |rounds: &[f64]| {
            Measured::of_rounds(rounds.iter().copied()).map(|measured| measured.to_string())
        };
        assert_eq!(text(&[3.0, 1.0, 2.0]).as_deref(), Some("2.00 (1.00–3.00)"));
        assert_eq!(text(&[40.0, 10.0]).as_deref(), Some("25.0 (10.0–40.0)"));
        assert_eq!(text(&[123.4]).as_deref(), Some("123 (123–123)"));
        assert_eq!(text(&[]), None);
        assert_eq!(rounds(&serde_json::json!([1, 0.5])), Some(vec![1.0, 0.5]));
        assert_eq!(rounds(&serde_json::json!([1, 0])), None);
        assert_eq!(rounds(&Value::Null), None);
    }
}
