//! The contention figures: calls and completion time against clients, and writes over time.

use occ_sim::{Row, Write};
use render::{Axis, Dash, Figure, Marker, Panel, Series};

use super::table::Standing;
use super::{OccExperiment, Results};
use crate::models::Picture;
use crate::models::wording::{counted, quoted, thousands};

pub(super) fn pictures(experiment: &OccExperiment, results: &Results) -> Vec<Picture> {
    vec![
        calls(experiment, results),
        time(experiment, results),
        writes(experiment, results),
    ]
}

fn calls(experiment: &OccExperiment, results: &Results) -> Picture {
    let (title, finding) = compared(
        experiment,
        results,
        Row::whole_calls,
        ["makes the fewest calls", "the most", "calls", "makes more"],
    );
    let figure = Figure::new(title).subtitle(format!(
        "Writes tried until every client had one accepted, mean of {}",
        counted(u64::from(experiment.config.repetitions()), "contest")
    ));
    Picture {
        stem: "calls",
        figure: figure.panel(against_clients(
            experiment,
            results,
            Axis::linear("calls"),
            Row::mean_calls,
        )),
        finding,
    }
}

fn time(experiment: &OccExperiment, results: &Results) -> Picture {
    let (title, finding) = compared(
        experiment,
        results,
        Row::whole_ms,
        ["finishes first", "last", "ms", "finishes later"],
    );
    let figure = Figure::new(title).subtitle(format!(
        "Time until the last client's write was accepted and answered, mean of {}",
        counted(u64::from(experiment.config.repetitions()), "contest")
    ));
    let seconds = |row: &Row| row.mean_ms() / 1e3;
    Picture {
        stem: "time",
        figure: figure.panel(against_clients(
            experiment,
            results,
            Axis::log("completion time").unit("s"),
            seconds,
        )),
        finding,
    }
}

fn against_clients(
    experiment: &OccExperiment,
    results: &Results,
    y: Axis,
    value: impl Fn(&Row) -> f64,
) -> Panel {
    const MARKERS: [Marker; 5] = [
        Marker::Disc,
        Marker::Diamond,
        Marker::Square,
        Marker::Triangle,
        Marker::Ring,
    ];
    const DASHES: [Dash; 4] = [Dash::Solid, Dash::DashDot, Dash::Dashed, Dash::Dotted];
    let mut panel = Panel::new(Axis::linear("clients"), y);
    for (position, strategy) in experiment.strategies.iter().enumerate() {
        let mut points: Vec<(f64, f64)> = results
            .rows
            .iter()
            .filter(|row| row.strategy == position)
            .map(|row| (f64::from(row.clients), value(row)))
            .collect();
        // The scenario's order is that of the draws.
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        panel = panel.series(
            Series::line(&strategy.name, points)
                .hue(strategy.hue)
                .marker(MARKERS[position % MARKERS.len()])
                .dash(DASHES[position % DASHES.len()])
                .named_at_end(),
        );
    }
    panel
}

/// Which strategies have the least and the greatest value most often, as a title and as a finding.
fn compared(
    experiment: &OccExperiment,
    results: &Results,
    value: fn(&Row) -> u64,
    [least_said, greatest_said, unit, more_said]: [&str; 4],
) -> (String, String) {
    let numbers = experiment.config.clients().len();
    let standings: Vec<Standing> = (0..experiment.strategies.len())
        .map(|position| Standing::of(experiment, results, value, position))
        .collect();
    let most_often = |count: fn(&Standing) -> usize| {
        // Of equals, the first.
        let positions = (0..standings.len()).rev();
        positions
            .max_by_key(|&position| count(&standings[position]))
            .unwrap_or(0)
    };
    let (least, greatest) = (
        most_often(|standing| standing.least_in),
        most_often(|standing| standing.greatest_in),
    );
    let name = |position: usize| quoted(&experiment.strategies[position].name);
    let at = |count: usize| match (count == numbers, numbers) {
        (true, 1) => String::new(),
        (true, _) => " at every number of clients".to_owned(),
        (false, _) => format!(" at {count} of {numbers} numbers of clients"),
    };
    let (least_at, greatest_at) = (
        at(standings[least].least_in),
        at(standings[greatest].greatest_in),
    );
    let comma = if least_at.is_empty() { "" } else { "," };
    let title = if experiment.strategies.len() == 1 {
        let row = &results.rows[numbers - 1];
        let (clients, value) = (
            thousands(f64::from(row.clients)),
            thousands(value(row) as f64),
        );
        format!("{}: {value} {unit} at {clients} clients", name(0))
    } else if least == greatest {
        format!("No strategy differs from the others in {unit}")
    } else if least_at == greatest_at {
        format!(
            "{} {least_said}, {} {greatest_said}{comma}{least_at}",
            name(least),
            name(greatest)
        )
    } else {
        format!(
            "{} {least_said}{least_at}, {} {greatest_said}{greatest_at}",
            name(least),
            name(greatest)
        )
    };
    let finding = match jitters(experiment, &standings) {
        Some((full, equal, above_in)) => format!(
            "{title}; {} {more_said} than {}{}.",
            name(equal),
            name(full),
            at(above_in)
        ),
        None => format!("{title}."),
    };
    (title, finding)
}

/// The first strategy with full jitter, the first with equal jitter, and at how many numbers of clients the second's value is greater.
fn jitters(experiment: &OccExperiment, standings: &[Standing]) -> Option<(usize, usize, usize)> {
    let first = |is: fn(f64, f64) -> bool| {
        experiment.strategies.iter().position(|strategy| {
            let (low, high) = strategy.backoff.bounds(1);
            strategy.backoff.draws() && !strategy.backoff.remembers() && is(low, high)
        })
    };
    let full = first(|low, high| low == 0.0 && high > 0.0)?;
    let equal = first(|low, high| low > 0.0 && low == high / 2.0)?;
    Some((full, equal, standings[equal].above_in[full]))
}

/// Writes that reach the row in each interval, a panel for each strategy that is drawn.
fn writes(experiment: &OccExperiment, results: &Results) -> Picture {
    let last = |writes: &[Write]| writes.last().map_or(0.0, |write| write.at_ms);
    let end_ms = results
        .writes
        .iter()
        .map(|writes| last(writes))
        .fold(0.0, f64::max);
    let width_ms = interval_ms(end_ms);
    let clients = counted(u64::from(experiment.drawn_clients), "client");
    let mut said = Vec::new();
    let mut panels = Vec::new();
    for (&position, writes) in experiment.drawn.iter().zip(&results.writes) {
        let strategy = &experiment.strategies[position];
        let mut counts = vec![0_u32; (last(writes) / width_ms) as usize + 1];
        for write in writes {
            counts[(write.at_ms / width_ms) as usize] += 1;
        }
        let idle = counts.iter().filter(|&&count| count == 0).count() as f64 / counts.len() as f64;
        let intervals = match said.len() {
            0 => format!(" of the {width_ms} ms intervals"),
            _ => String::new(),
        };
        said.push(format!(
            "{:.0} %{intervals} under {}",
            100.0 * idle,
            quoted(&strategy.name)
        ));
        let points = counts.iter().map(|&count| f64::from(count)).chain([0.0]);
        let points = points
            .enumerate()
            .map(|(at, count)| (at as f64 * width_ms / 1e3, count));
        let x = Axis::linear("time")
            .unit("s")
            .range(0.0, (end_ms / 1e3).max(1e-3));
        panels.push(
            Panel::new(x, Axis::linear(format!("writes in {width_ms} ms")))
                .title(format!(
                    "{}: last write after {:.1} s",
                    strategy.name,
                    last(writes) / 1e3
                ))
                .series(
                    Series::step(&strategy.name, points)
                        .hue(strategy.hue)
                        .unnamed(),
                ),
        );
    }
    let title = format!("No write in {}", said.join(", "));
    let figure = Figure::new(&title).subtitle(format!(
        "Writes that reach the row in each {width_ms} ms, until the last, in one contest of {clients}, seed {}",
        experiment.seed
    ));
    Picture {
        stem: "writes",
        figure: panels.into_iter().fold(figure, Figure::panel),
        finding: format!("{title}."),
    }
}

/// A round number of milliseconds, so that at most 400 intervals make up the time.
fn interval_ms(end_ms: f64) -> f64 {
    let mut decade = 1.0;
    loop {
        for factor in [1.0, 2.0, 5.0] {
            if end_ms <= 400.0 * factor * decade {
                return factor * decade;
            }
        }
        decade *= 10.0;
    }
}
