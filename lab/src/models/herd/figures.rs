//! The herd's figures: arrivals of one run, and finish and requests by strategy.

use render::{Arrangement, Axis, Figure, Interval, Panel, Reference, Series};

use super::table::Line;
use super::{HerdExperiment, Run};
use crate::models::Picture;

pub(super) fn pictures(experiment: &HerdExperiment, runs: &[Vec<Run>]) -> Vec<Picture> {
    vec![arrivals(experiment, runs), finish(experiment, runs)]
}

/// Arrivals by window in the first seed's run, a panel for each strategy that is drawn.
fn arrivals(experiment: &HerdExperiment, runs: &[Vec<Run>]) -> Picture {
    let window_ticks = experiment.window_ticks();
    let window_s = experiment.seconds(window_ticks);
    let window = humantime::format_duration(experiment.params.crash.window).to_string();
    let capacity = experiment
        .params
        .capacity_per_tick
        .saturating_mul(window_ticks);
    let limit = experiment.params.crash.limit;
    let drawn: Vec<(usize, &Run)> = experiment
        .drawn
        .iter()
        .map(|&at| (at, &runs[at][0]))
        .collect();

    let ends = drawn.iter().map(|(_, run)| course(experiment, run));
    let end = shown_until(experiment, &ends.collect::<Vec<_>>());
    let ends: Vec<(String, Course)> = drawn
        .iter()
        .map(|&(at, run)| {
            (
                experiment.strategies[at].name.clone(),
                course(experiment, run),
            )
        })
        .collect();
    let title = said(experiment, &ends);
    let mut figure = Figure::new(capitalised(&title)).subtitle(format!(
        "Requests arriving in each {window}, seed {}; {} clients, {} served in {window} at most",
        experiment.seeds.first,
        experiment.config.clients(),
        capacity
    ));
    for (at, run) in drawn {
        let strategy = &experiment.strategies[at];
        let mut points: Vec<(f64, f64)> = run
            .arrivals_by_window
            .iter()
            .enumerate()
            .map(|(bin, &count)| (bin as f64 * window_s, count as f64))
            .collect();
        points.push((run.arrivals_by_window.len() as f64 * window_s, 0.0));
        let x = Axis::linear("time since the first requests")
            .unit("s")
            .range(0.0, end);
        let panel = Panel::new(x, Axis::linear(format!("requests per {window}")))
            .title(&strategy.name)
            .series(
                Series::step(&strategy.name, points)
                    .hue(strategy.hue)
                    .unnamed(),
            )
            .reference(Reference::y(capacity as f64, "capacity"))
            .reference(Reference::y(limit as f64, "crash above"));
        figure = figure.panel(panel);
    }
    Picture {
        stem: "arrivals",
        figure,
        finding: format!("{}.", capitalised(&title)),
    }
}

/// How one run ended.
enum Course {
    Done { at_s: f64 },
    Waiting { clients: u64 },
}

fn course(experiment: &HerdExperiment, run: &Run) -> Course {
    match run.totals.finish_ticks {
        Some(ticks) => Course::Done {
            at_s: experiment.seconds(ticks),
        },
        None => Course::Waiting {
            clients: run.totals.unfinished_clients,
        },
    }
}

/// The end of the time that is shown: all of it if every run took it; else enough to see that an unfinished one goes on as it did.
fn shown_until(experiment: &HerdExperiment, courses: &[Course]) -> f64 {
    let last = courses.iter().filter_map(|course| match course {
        Course::Done { at_s } => Some(*at_s),
        Course::Waiting { .. } => None,
    });
    let all_done = courses
        .iter()
        .all(|course| matches!(course, Course::Done { .. }));
    match last.reduce(f64::max) {
        Some(last) if all_done => last * 1.05,
        Some(last) => (last * 3.0).min(experiment.give_up_s()),
        None => experiment.give_up_s(),
    }
}

/// What became of each, in one sentence without a full stop.
fn said(experiment: &HerdExperiment, courses: &[(String, Course)]) -> String {
    let clients = experiment.config.clients();
    let give_up = experiment.give_up_s();
    let parts: Vec<String> = courses
        .iter()
        .map(|(name, course)| match course {
            Course::Done { at_s } => format!("{name} is done after {at_s:.1} s"),
            Course::Waiting { clients: waiting } if *waiting == clients => {
                format!("{name} serves nobody in {give_up:.0} s")
            }
            Course::Waiting { clients: waiting } => {
                format!("{name} leaves {waiting} of {clients} clients waiting after {give_up:.0} s")
            }
        })
        .collect();
    parts.join(", ")
}

/// Finish and requests by strategy, mean with least and greatest.
fn finish(experiment: &HerdExperiment, runs: &[Vec<Run>]) -> Picture {
    let lines: Vec<Line> = runs.iter().map(|runs| Line::of(experiment, runs)).collect();
    let names: Vec<&str> = experiment
        .strategies
        .iter()
        .map(|strategy| strategy.name.as_str())
        .collect();
    let count = experiment.seeds.count as usize;
    let mut finish = Vec::new();
    let mut requests = Vec::new();
    for (at, (line, strategy)) in lines.iter().zip(&experiment.strategies).enumerate() {
        let at = at as f64;
        let label = if line.unfinished == count {
            "unfinished".to_owned()
        } else {
            format!("{:.1}", line.finish_s.mean)
        };
        let dot =
            Interval::new(at, line.finish_s.mean).whiskers(line.finish_s.min, line.finish_s.max);
        finish.push(dot.label(label).hue(strategy.hue));
        let dot =
            Interval::new(at, line.requests.mean).whiskers(line.requests.min, line.requests.max);
        requests.push(dot.label(thousands(line.requests.mean)).hue(strategy.hue));
    }
    let finding = finish_said(experiment, &lines);
    let seeds = experiment.seeds;
    let figure = Figure::new(capitalised(&finding))
        .subtitle(format!(
            "Mean with least and greatest of {count} runs, seeds {} to {}; a run ends after {:.0} s",
            seeds.first,
            seeds.first + u64::from(seeds.count) - 1,
            experiment.give_up_s()
        ))
        .arranged(Arrangement::Row)
        .panel(
            Panel::new(Axis::linear("all clients served after").unit("s"), Axis::categories("", names.clone()))
                .series(Series::intervals("", finish).unnamed()),
        )
        .panel(Panel::new(Axis::log("requests"), Axis::categories("", names)).series(Series::intervals("", requests).unnamed()));
    Picture {
        stem: "finish",
        figure,
        finding: format!("{}.", capitalised(&finding)),
    }
}

fn finish_said(experiment: &HerdExperiment, lines: &[Line]) -> String {
    let count = experiment.seeds.count as usize;
    let best = lines
        .iter()
        .zip(&experiment.strategies)
        .filter(|(line, _)| line.unfinished < count)
        .min_by(|(a, _), (b, _)| a.finish_s.mean.total_cmp(&b.finish_s.mean));
    let unfinished = lines.iter().filter(|line| line.unfinished == count).count();
    let total = lines.len();
    match best {
        None => format!(
            "none of {total} strategies serves all clients within {:.0} s",
            experiment.give_up_s()
        ),
        Some((line, strategy)) => {
            let best = format!(
                "{} serves all clients after {:.1} s",
                strategy.name, line.finish_s.mean
            );
            match unfinished {
                0 => format!("{best} on average, the soonest of {total}"),
                _ => format!(
                    "{best} on average; {unfinished} of {total} strategies never do within {:.0} s",
                    experiment.give_up_s()
                ),
            }
        }
    }
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters).collect()
    })
}

/// The number rounded, its digits in groups of three.
fn thousands(value: f64) -> String {
    let digits = format!("{value:.0}");
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
