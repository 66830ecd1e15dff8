//! The project's bars: how fast and how small it must be, and what a record says of that.

use std::fmt;

use render::{Column, Table};
use serde_json::Value;

use super::{Bench, Record, Stored};

/// What must be reached.
struct Bar {
    what: &'static str,
    limit: Limit,
    measure: Measure,
    command: &'static str,
}

/// Which medians meet a bar; the end is included.
enum Limit {
    AtMost(f64, &'static str),
    AtLeast(f64, &'static str),
}

/// How a bar's number comes from a record.
enum Measure {
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
struct Measured {
    value: f64,
    low: f64,
    high: f64,
    /// Which of several it is.
    whose: Option<String>,
}

const DECISION: &str = "cargo bench -- decision";
const TICK_LOOP: &str = "cargo bench -- tick_loop";
const HERD_SCRIPT: &str = "python benches/peers/herd.py";
const PROCESSES_SCRIPT: &str = "python benches/peers/processes.py";

const BARE_DRAW: &str = "decision/bare-draw/pcg64mcg";
const WAIT: &str = "decision/wait/full-jitter";
const DURATION: &str = "decision/duration/full-jitter";

/// The benches of other libraries' waits.
const PEERS: [&str; 6] = [
    "decision/backon/full-jitter",
    "decision/backoff/proportional",
    "decision/exponential-backoff/proportional",
    "decision/retry-policies/full-jitter",
    "decision/tokio-retry/full-jitter",
    "decision/tower/equal-jitter",
];

const fn bar(what: &'static str, limit: Limit, measure: Measure, command: &'static str) -> Bar {
    Bar {
        what,
        limit,
        measure,
        command,
    }
}

const BARS: [Bar; 14] = [
    bar(
        "one full-jitter `wait`, as a multiple of a bare `Pcg64Mcg` draw",
        Limit::AtMost(1.5, "times"),
        Measure::Ratio(WAIT, BARE_DRAW),
        DECISION,
    ),
    bar(
        "the same as a `Duration`",
        Limit::AtMost(3.0, "times"),
        Measure::Ratio(DURATION, BARE_DRAW),
        DECISION,
    ),
    bar(
        "the fastest peer, as a multiple of `wait`",
        Limit::AtLeast(10.0, "times"),
        Measure::FastestPeer(WAIT),
        DECISION,
    ),
    bar(
        "the fastest peer, as a multiple of the `Duration`",
        Limit::AtLeast(7.0, "times"),
        Measure::FastestPeer(DURATION),
        DECISION,
    ),
    bar(
        "exact engine, `cpython`, 1,000 clients: as fast as the CPython script",
        Limit::AtLeast(25.0, "times"),
        Measure::TimesCPython,
        HERD_SCRIPT,
    ),
    bar(
        "exact engine, `pcg64`, 1 M clients",
        Limit::AtLeast(150.0, "M requests/s"),
        Measure::Rate("tick_loop/herd-exact-pcg64/1000000"),
        TICK_LOOP,
    ),
    bar(
        "the same for each request, as a multiple of 10,000 clients' time",
        Limit::AtMost(1.3, "times"),
        Measure::Ratio(
            "tick_loop/herd-exact-pcg64/1000000",
            "tick_loop/herd-exact-pcg64/10000",
        ),
        TICK_LOOP,
    ),
    bar(
        "nexosim, as a multiple of the exact engine's time, 1,000 clients",
        Limit::AtLeast(10.0, "times"),
        Measure::Ratio(
            "tick_loop/herd-nexosim/1000",
            "tick_loop/herd-exact-pcg64/1000",
        ),
        TICK_LOOP,
    ),
    bar(
        "the same, 100,000 clients",
        Limit::AtLeast(10.0, "times"),
        Measure::Ratio(
            "tick_loop/herd-nexosim/100000",
            "tick_loop/herd-exact-pcg64/100000",
        ),
        TICK_LOOP,
    ),
    bar(
        "cohort engine, 1 M clients",
        Limit::AtLeast(500.0, "M requests/s"),
        Measure::Rate("tick_loop/herd-cohort/1000000"),
        TICK_LOOP,
    ),
    bar(
        "cohort engine, 1 B clients: the whole herd",
        Limit::AtMost(1.0, "s"),
        Measure::Time("tick_loop/herd-cohort/1000000000"),
        TICK_LOOP,
    ),
    bar(
        "the same: the whole process' memory at its peak",
        Limit::AtMost(64.0, "MB"),
        Measure::Peak("cohort-1000000000"),
        PROCESSES_SCRIPT,
    ),
    bar(
        "`lab reproduce`: the whole process, writing included",
        Limit::AtMost(8.0, "s"),
        Measure::Wall("reproduce"),
        PROCESSES_SCRIPT,
    ),
    bar(
        "the same: its memory at its peak",
        Limit::AtMost(150.0, "MB"),
        Measure::Peak("reproduce"),
        PROCESSES_SCRIPT,
    ),
];

/// The bars with what each record says of them, judged by the median; none if no record measured any.
///
/// # Panics
/// Never: each row gets as many cells as there are columns.
#[must_use]
pub fn bars(records: &[Stored]) -> Option<Table> {
    let mut columns = vec![Column::left("what"), Column::right("bar")];
    for stored in records {
        let alone = records.len() == 1;
        columns.push(Column::right(if alone { "measured" } else { &stored.name }));
        columns.push(Column::left("met"));
    }
    columns.push(Column::left("measured by"));
    let mut table = Table::new(columns);
    let mut any = false;
    for bar in &BARS {
        let measured: Vec<Option<Measured>> = records
            .iter()
            .map(|stored| bar.measure.of(&stored.record))
            .collect();
        any |= measured.iter().any(Option::is_some);
        let whose = measured.iter().flatten().find_map(|m| m.whose.as_ref());
        let mut cells = vec![
            match whose {
                Some(whose) if records.len() == 1 => format!("{} ({whose})", bar.what),
                _ => bar.what.to_owned(),
            },
            bar.limit.to_string(),
        ];
        for measured in measured {
            let met = measured
                .as_ref()
                .map(|measured| bar.limit.met(measured.value));
            cells.push(measured.map_or_else(|| "not measured".to_owned(), |m| m.to_string()));
            cells.push(
                met.map_or("", |met| if met { "yes" } else { "no" })
                    .to_owned(),
            );
        }
        cells.push(format!("`{}`", bar.command));
        table.push(cells).expect("a cell for each column");
    }
    table.note(
        "Medians, which decide; in parentheses the interval that follows from both benches' own 95 % intervals, or the least and the greatest of a script's rounds.",
    );
    any.then_some(table)
}

impl Limit {
    fn met(&self, value: f64) -> bool {
        match *self {
            Self::AtMost(limit, _) => value <= limit,
            Self::AtLeast(limit, _) => value >= limit,
        }
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AtMost(limit, unit) => write!(f, "≤ {limit} {unit}"),
            Self::AtLeast(limit, unit) => write!(f, "≥ {limit} {unit}"),
        }
    }
}

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
    fn of(&self, record: &Record) -> Option<Measured> {
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
        let super::comparison::Ratio { value, low, high } =
            super::comparison::Ratio::of(time, base);
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
    fn the_end_of_a_bar_is_included() {
        assert!(Limit::AtMost(1.5, "times").met(1.5) && !Limit::AtMost(1.5, "times").met(1.5001));
        assert!(
            Limit::AtLeast(10.0, "times").met(10.0) && !Limit::AtLeast(10.0, "times").met(9.99)
        );
    }

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
