//! The herd's figures: arrivals of one run, and finish and requests by strategy.

use render::{Arrangement, Axis, Figure, Interval, Panel, Reference, Series};

use super::table::Line;
use super::{HerdExperiment, Run};
use crate::models::Picture;
use crate::models::wording::{capitalised, listed, spoken, thousands};
use crate::scenario::Strategy;

pub(super) fn pictures(experiment: &HerdExperiment, runs: &[Vec<Run>]) -> Vec<Picture> {
    vec![arrivals(experiment, runs), finish(experiment, runs)]
}

/// Arrivals by window in the first seed's run, a panel for each strategy that is drawn.
fn arrivals(experiment: &HerdExperiment, runs: &[Vec<Run>]) -> Picture {
    let drawn: Vec<(&Strategy, &Run)> = experiment
        .drawn
        .iter()
        .map(|&at| (&experiment.strategies[at], &runs[at][0]))
        .collect();
    let window_s = experiment.seconds(experiment.window_ticks());
    let window = spoken(experiment.params.crash.window);
    let capacity = experiment
        .params
        .capacity_per_tick
        .saturating_mul(experiment.window_ticks()) as f64;
    let limit = experiment.params.crash.limit as f64;
    let end = shown_until(experiment, &drawn);
    let finding = capitalised(&arrivals_said(experiment, &drawn));
    let mut figure = Figure::new(&finding).subtitle(format!(
        "Requests arriving in each {window}, {} clients, seed {}",
        thousands(experiment.config.clients() as f64),
        experiment.seeds.first,
    ));
    for (strategy, run) in drawn {
        let bins = run
            .arrivals_by_window
            .iter()
            .map(|&count| count as f64)
            .chain([0.0]);
        let points = bins
            .enumerate()
            .map(|(bin, count)| (bin as f64 * window_s, count));
        let x = Axis::linear("time since the first requests")
            .unit("s")
            .range(0.0, end);
        let panel = Panel::new(x, Axis::linear(format!("requests in {window}")))
            .title(&strategy.name)
            .series(
                Series::step(&strategy.name, points)
                    .hue(strategy.hue)
                    .unnamed(),
            )
            .reference(Reference::y(
                capacity,
                format!("capacity {}", thousands(capacity)),
            ))
            .reference(Reference::y(
                limit,
                format!("crash above {}", thousands(limit)),
            ));
        figure = figure.panel(panel);
    }
    Picture {
        stem: "arrivals",
        figure,
        finding: format!("{finding}."),
    }
}

/// The end of the time that is shown: a little more than all of it if every run finished; else enough to see that an unfinished one goes
/// on as it did.
fn shown_until(experiment: &HerdExperiment, drawn: &[(&Strategy, &Run)]) -> f64 {
    let give_up = experiment.give_up_s();
    let finished = drawn
        .iter()
        .filter_map(|(_, run)| run.totals.finish_ticks)
        .map(|ticks| experiment.seconds(ticks));
    match (
        finished.clone().reduce(f64::max),
        finished.count() == drawn.len(),
    ) {
        (None, _) => give_up,
        (Some(last), true) => (last * 1.05).min(give_up),
        (Some(last), false) => (last * 3.0).min(give_up),
    }
}

/// What became of each strategy's clients.
fn arrivals_said(experiment: &HerdExperiment, drawn: &[(&Strategy, &Run)]) -> String {
    let clients = experiment.config.clients();
    let give_up = experiment.give_up_s();
    let parts = drawn.iter().map(|(strategy, run)| {
        let name = &strategy.name;
        match run.totals.finish_ticks {
            Some(ticks) => format!(
                "{name} serves everybody in {:.1} s",
                experiment.seconds(ticks)
            ),
            None if run.totals.unfinished_clients == clients => {
                format!("{name} serves nobody in {give_up:.0} s")
            }
            None => {
                let waiting = thousands(run.totals.unfinished_clients as f64);
                let clients = thousands(clients as f64);
                format!("{name} leaves {waiting} of {clients} clients waiting after {give_up:.0} s")
            }
        }
    });
    parts.collect::<Vec<_>>().join(", ")
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
    let (title, finding) = finish_said(experiment, &lines);
    let seeds = experiment.seeds;
    let figure = Figure::new(title)
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
        finding,
    }
}

/// Which strategies serve everybody in every run, and which of them does so soonest.
fn finish_said(experiment: &HerdExperiment, lines: &[Line]) -> (String, String) {
    let give_up = experiment.give_up_s();
    let named = experiment
        .strategies
        .iter()
        .map(|strategy| strategy.name.as_str())
        .zip(lines);
    let (always, not): (Vec<_>, Vec<_>) = named.partition(|(_, line)| line.unfinished == 0);
    let listing =
        |named: &[(&str, &Line)]| listed(&named.iter().map(|(name, _)| *name).collect::<Vec<_>>());
    let soonest = always
        .iter()
        .min_by(|(_, a), (_, b)| a.finish_s.mean.total_cmp(&b.finish_s.mean));
    let Some((name, line)) = soonest else {
        let title = format!("No strategy serves everybody within {give_up:.0} s in every run");
        return (title.clone(), format!("{title}."));
    };
    let after = format!("after {:.1} s on average", line.finish_s.mean);
    let title = match (always.len(), not.len()) {
        (1, 0) => return alone(name, &after),
        (_, 0) => format!("{} serves everybody soonest", capitalised(name)),
        (1, _) => format!("Only {name} serves everybody within {give_up:.0} s"),
        (some, others) if some <= others => format!(
            "Only {} serve everybody within {give_up:.0} s",
            listing(&always)
        ),
        _ => format!(
            "All but {} serve everybody within {give_up:.0} s",
            listing(&not)
        ),
    };
    let finding = format!("{title}; {name} does so soonest, {after}.");
    (title, finding)
}

fn alone(name: &str, after: &str) -> (String, String) {
    let title = format!("{} serves everybody {after}", capitalised(name));
    (title.clone(), format!("{title}."))
}
