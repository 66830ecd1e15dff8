//! Records side by side: how much slower or faster each bench is, and whether that is more than noise.

use std::collections::BTreeMap;

use render::{Axis, Column, Figure, Hue, Interval, Panel, Reference, Series, Table};

use super::{Bench, Stored};

/// The most benches that one figure shows.
const MAX_SHOWN: usize = 100;

/// Records side by side, the first being what the others are compared with.
pub struct Comparison<'a> {
    records: &'a [Stored],
    benches: BTreeMap<&'a str, Vec<Option<&'a Bench>>>,
}

/// A time as a multiple of another, with an interval that holds for any times within the two intervals.
pub(super) struct Ratio {
    pub(super) value: f64,
    pub(super) low: f64,
    pub(super) high: f64,
}

impl Ratio {
    pub(super) fn of(time: &Bench, base: &Bench) -> Self {
        Self {
            value: time.per_element(time.median_ns) / base.per_element(base.median_ns),
            low: time.per_element(time.low_ns) / base.per_element(base.high_ns),
            high: time.per_element(time.high_ns) / base.per_element(base.low_ns),
        }
    }

    fn verdict(&self) -> &'static str {
        if self.low > 1.0 {
            "slower"
        } else if self.high < 1.0 {
            "faster"
        } else {
            "within noise"
        }
    }
}

impl<'a> Comparison<'a> {
    /// The records side by side.
    #[must_use]
    pub fn of(records: &'a [Stored]) -> Self {
        let mut benches: BTreeMap<&str, Vec<Option<&Bench>>> = BTreeMap::new();
        for (at, stored) in records.iter().enumerate() {
            for bench in &stored.record.benches {
                benches
                    .entry(&bench.id)
                    .or_insert_with(|| vec![None; records.len()])[at] = Some(bench);
            }
        }
        Self { records, benches }
    }

    /// Every bench with its median in each record, and the ratio to the first record with its interval and what that says.
    ///
    /// # Panics
    /// Never: each row gets as many cells as there are columns.
    #[must_use]
    pub fn table(&self) -> Table {
        let mut columns = vec![Column::left("bench")];
        for (at, stored) in self.records.iter().enumerate() {
            columns.push(Column::right(&stored.name));
            if at > 0 {
                columns.push(Column::left("ratio"));
            }
        }
        let mut table = Table::new(columns);
        for (id, medians) in &self.benches {
            let mut cells = vec![(*id).to_owned()];
            for (at, bench) in medians.iter().enumerate() {
                cells.push(bench.map_or_else(String::new, |bench| {
                    readable(bench.per_element(bench.median_ns))
                }));
                if at > 0 {
                    cells.push(ratio(medians, at).map_or_else(String::new, |ratio| {
                        let Ratio { value, low, high } = ratio;
                        format!("{value:.2} ({low:.2}-{high:.2}) {}", ratio.verdict())
                    }));
                }
            }
            table.push(cells).expect("a cell for each column");
        }
        for stored in self.records {
            table.note(format!("{}: {}", stored.name, stored.record.setting()));
        }
        for (at, stored) in self.records.iter().enumerate().skip(1) {
            let ratios: Vec<Ratio> = self
                .benches
                .values()
                .filter_map(|medians| ratio(medians, at))
                .collect();
            let differ = ratios
                .iter()
                .filter(|ratio| ratio.verdict() != "within noise")
                .count();
            table.note(format!(
                "{} against {}: {differ} of {} differences exceed the noise.",
                stored.name,
                self.records[0].name,
                ratios.len()
            ));
        }
        table.note("Median time for each element (a decision, a request), or for an iteration of a bench that names none.");
        if self.records.len() > 1 {
            table.note("A ratio is of medians; its interval follows from both medians' own, which cover the noise within a run and not the drift between runs.");
        }
        table
    }

    /// The ratios with their intervals, if there are any.
    #[must_use]
    pub fn figure(&self) -> Option<Figure> {
        let shared: Vec<(&str, &Vec<Option<&Bench>>)> = self
            .benches
            .iter()
            .filter(|(_, medians)| medians[0].is_some() && medians[1..].iter().any(Option::is_some))
            .map(|(id, medians)| (*id, medians))
            .take(MAX_SHOWN)
            .collect();
        if shared.is_empty() {
            return None;
        }
        let base = &self.records[0].name;
        let names: Vec<&str> = shared.iter().map(|(id, _)| *id).collect();
        let x = Axis::log(format!("time as a multiple of {base}'s"));
        let mut panel =
            Panel::new(x, Axis::categories("", names)).reference(Reference::x(1.0, "as fast"));
        let mut differ = 0;
        let mut compared = 0;
        let others = self.records.len() - 1;
        for (at, stored) in self.records.iter().enumerate().skip(1) {
            // Records stand apart within a bench's place, so that they don't hide each other.
            let offset = ((at as f64 - 0.5) / others as f64 - 0.5) * 0.6;
            let dots = shared.iter().enumerate().filter_map(|(row, (_, medians))| {
                let ratio = ratio(medians, at)?;
                Some((row, ratio))
            });
            let dots: Vec<(usize, Ratio)> = dots.collect();
            compared += dots.len();
            differ += dots
                .iter()
                .filter(|(_, ratio)| ratio.verdict() != "within noise")
                .count();
            let dots = dots.iter().map(|(row, ratio)| {
                Interval::new(*row as f64 + offset, ratio.value).whiskers(ratio.low, ratio.high)
            });
            let hue = Hue::ALL[(at - 1) % Hue::ALL.len()];
            panel = panel.series(Series::intervals(&stored.name, dots).hue(hue));
        }
        let height =
            (220 + 34 * shared.len() * others.max(1)).clamp(400, Figure::SIDE.1 as usize) as u32;
        Some(
            Figure::new(format!(
                "{differ} of {compared} differences exceed the noise"
            ))
            .subtitle("Ratio of median times with its interval; left of the line is faster")
            .panel(panel)
            .size(1400, height),
        )
    }
}

/// The ratio of one record's median to the first's, if both have the bench.
fn ratio(medians: &[Option<&Bench>], at: usize) -> Option<Ratio> {
    Some(Ratio::of(medians[at]?, medians[0]?))
}

/// A time in the unit in which it has one to three digits before the point.
fn readable(nanos: f64) -> String {
    let (value, unit) = match nanos {
        _ if nanos < 1e3 => (nanos, "ns"),
        _ if nanos < 1e6 => (nanos / 1e3, "µs"),
        _ if nanos < 1e9 => (nanos / 1e6, "ms"),
        _ => (nanos / 1e9, "s"),
    };
    format!("{value:.2} {unit}")
}
