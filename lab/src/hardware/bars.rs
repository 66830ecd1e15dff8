//! The project's bars: how fast and how small it must be, and what a record says of that.

use std::fmt;

use render::{Column, Table};

use super::Stored;
use super::measure::{Measure, Measured};

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

const DECISION: &str = "cargo bench -- decision";
const TICK_LOOP: &str = "cargo bench -- tick_loop";
const HERD_SCRIPT: &str = "python benches/peers/herd.py";
const PROCESSES_SCRIPT: &str = "python benches/peers/processes.py";

const BARE_DRAW: &str = "decision/bare-draw/pcg64mcg";
const WAIT: &str = "decision/wait/full-jitter";
const DURATION: &str = "decision/duration/full-jitter";

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
}
