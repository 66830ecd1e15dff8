//! The herd's figures: arrivals of one run, and finish and requests by strategy.

use render::{Arrangement, Axis, Figure, Interval, Panel, Reference, Series};

use super::table::Line;
use super::{HerdExperiment, Run};
use crate::models::Picture;
use crate::models::wording::{chosen_seconds, counted, listed, seconds, spoken, thousands};
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
    let give_up = experiment.give_up_s();
    let finding = arrivals_said(experiment, &drawn);
    let mut figure = Figure::new(&finding).subtitle(format!(
        "Requests arriving in each {window}, {}, seed {}{}",
        counted(experiment.config.clients(), "client"),
        experiment.seeds.first,
        if end < give_up {
            format!(
                "; the first {} of {}",
                chosen_seconds(end),
                chosen_seconds(give_up)
            )
        } else {
            String::new()
        }
    ));
    for (strategy, run) in drawn {
        let bins = run
            .arrivals_by_window
            .iter()
            .map(|&count| count as f64)
            .chain([0.0]);
        let points: Vec<(f64, f64)> = bins
            .enumerate()
            .map(|(bin, count)| (bin as f64 * window_s, count))
            .collect();
        // Under each step down to nothing, so that even the narrowest burst stands out.
        let under = points
            .windows(2)
            .flat_map(|step| [(step[0].0, 0.0, step[0].1), (step[1].0, 0.0, step[0].1)]);
        let x = Axis::linear("time since the first requests")
            .unit("s")
            .range(0.0, end);
        let y = Axis::log(format!("requests in {window}")).with_zero();
        let panel = Panel::new(x, y)
            .title(format!("{}: {}", strategy.name, became(experiment, run)))
            .series(
                Series::ribbon(&strategy.name, under)
                    .hue(strategy.hue)
                    .unnamed(),
            )
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
        finding: format!("{finding} (seed {}).", experiment.seeds.first),
    }
}

/// The end of the time that is shown: a little more than all of it if every run finished; else enough to see that an unfinished one goes
/// on as it did when another is over. Whole seconds, if it is more than a few.
fn shown_until(experiment: &HerdExperiment, drawn: &[(&Strategy, &Run)]) -> f64 {
    let give_up = experiment.give_up_s();
    let finished = drawn
        .iter()
        .filter_map(|(_, run)| run.totals.finish_ticks)
        .map(|ticks| experiment.seconds(ticks));
    let end = match (
        finished.clone().reduce(f64::max),
        finished.count() == drawn.len(),
    ) {
        (None, _) => give_up,
        (Some(last), true) => last * 1.05,
        (Some(last), false) => last * 1.5,
    };
    let end = if end > 5.0 { end.ceil() } else { end };
    end.min(give_up)
}

/// What became of the server and the clients, above the run's panel.
fn became(experiment: &HerdExperiment, run: &Run) -> String {
    let crashes = match run.totals.crashes {
        1 => "1 crash".to_owned(),
        crashes => format!("{} crashes", thousands(crashes as f64)),
    };
    let clients = experiment.config.clients();
    match run.totals.finish_ticks {
        Some(ticks) => format!(
            "{crashes}, all served after {}",
            seconds(experiment.seconds(ticks))
        ),
        None => format!(
            "{crashes} in {}, {} of {} served",
            chosen_seconds(experiment.give_up_s()),
            thousands((clients - run.totals.unfinished_clients) as f64),
            counted(clients, "client")
        ),
    }
}

/// What became of each strategy's clients, in one sentence without a full stop.
fn arrivals_said(experiment: &HerdExperiment, drawn: &[(&Strategy, &Run)]) -> String {
    let clients = experiment.config.clients();
    let give_up = chosen_seconds(experiment.give_up_s());
    let parts = drawn.iter().enumerate().map(|(at, (strategy, run))| {
        let with = if at == 0 { "With" } else { "with" };
        let name = &strategy.name;
        match run.totals.finish_ticks {
            Some(ticks) => {
                let after = seconds(experiment.seconds(ticks));
                format!("{with} {name} everybody is served after {after}")
            }
            None if run.totals.unfinished_clients == clients => {
                format!("{with} {name} nobody is served in {give_up}")
            }
            None => {
                let waiting = thousands(run.totals.unfinished_clients as f64);
                let clients = counted(clients, "client");
                format!("{with} {name} {waiting} of {clients} still wait after {give_up}")
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
        let mean = seconds(line.finish_s.mean);
        let mean = mean.trim_end_matches(" s");
        let label = match line.unfinished {
            0 => mean.to_owned(),
            all if all == count => "unfinished".to_owned(),
            some => format!("{mean}, {some} of {count} unfinished"),
        };
        let dot =
            Interval::new(at, line.finish_s.mean).whiskers(line.finish_s.min, line.finish_s.max);
        finish.push(dot.label(label).hue(strategy.hue));
        let dot =
            Interval::new(at, line.requests.mean).whiskers(line.requests.min, line.requests.max);
        requests.push(
            dot.label(requests_said(line.requests.mean))
                .hue(strategy.hue),
        );
    }
    let (title, finding) = finish_said(experiment, &lines);
    let seeds = experiment.seeds;
    let figure = Figure::new(title)
        .subtitle(format!(
            "{}; a run ends after {}",
            match seeds.count {
                1 => format!("One run, seed {}", seeds.first),
                _ => format!(
                    "Mean with least and greatest of {}, seeds {} to {}",
                    counted(count as u64, "run"),
                    seeds.first,
                    seeds.first + u64::from(seeds.count) - 1
                ),
            },
            chosen_seconds(experiment.give_up_s())
        ))
        .arranged(Arrangement::Row)
        .panel(
            Panel::new(
                Axis::linear("all clients served after").unit("s"),
                Axis::categories("", names.clone()),
            )
            .series(Series::intervals("", finish).unnamed()),
        )
        .panel(
            Panel::new(Axis::log("requests"), Axis::categories("", names))
                .series(Series::intervals("", requests).unnamed()),
        );
    Picture {
        stem: "finish",
        figure,
        finding,
    }
}

/// The mean number of requests: whole ones in groups, below 1,000 with the decimal that it has.
fn requests_said(mean: f64) -> String {
    if mean < 1000.0 && mean.fract() != 0.0 {
        format!("{mean:.1}")
    } else {
        thousands(mean)
    }
}

/// Which strategies serve everybody in every run, and which of them do so soonest: all whose mean can't be told from the least.
fn finish_said(experiment: &HerdExperiment, lines: &[Line]) -> (String, String) {
    let give_up = chosen_seconds(experiment.give_up_s());
    let named = experiment
        .strategies
        .iter()
        .map(|strategy| strategy.name.as_str())
        .zip(lines);
    let (always, not): (Vec<_>, Vec<_>) = named.partition(|(_, line)| line.unfinished == 0);
    let listing =
        |named: &[(&str, &Line)]| listed(&named.iter().map(|(name, _)| *name).collect::<Vec<_>>());
    let least = always
        .iter()
        .map(|(_, line)| *line)
        .min_by(|a, b| a.finish_s.mean.total_cmp(&b.finish_s.mean));
    let Some(least) = least else {
        let title = format!("No strategy serves everybody within {give_up} in every run");
        return (title.clone(), format!("{title}."));
    };
    let soonest: Vec<(&str, &Line)> = always
        .iter()
        .copied()
        .filter(|(_, line)| alike(line, least))
        .collect();
    let (after, noise) = after_said(experiment, &soonest);
    let all = soonest.len() == always.len();
    if not.is_empty() {
        let title = match always.as_slice() {
            [(name, _)] => format!("With {name} everybody is served {after}"),
            _ if all => format!("Everybody is served {after} with every strategy"),
            _ => {
                let title = format!("Everybody is served soonest with {}", listing(&soonest));
                let finding = format!("{title}, {after}{noise}.");
                return (title, finding);
            }
        };
        let finding = format!("{title}{noise}.");
        return (title, finding);
    }
    let title = match (always.len(), not.len()) {
        (1, _) => format!("Only {} serves everybody within {give_up}", always[0].0),
        (some, others) if some <= others => {
            format!("Only {} serve everybody within {give_up}", listing(&always))
        }
        _ => format!("All but {} serve everybody within {give_up}", listing(&not)),
    };
    let finding = if all {
        format!("{title}, {after}{noise}.")
    } else {
        let does = if soonest.len() == 1 { "does" } else { "do" };
        let soonest = listing(&soonest);
        format!("{title}; {soonest} {does} so soonest, {after}{noise}.")
    };
    (title, finding)
}

/// Whether two mean finishes read the same, or are less than two standard errors apart.
fn alike(one: &Line, other: &Line) -> bool {
    let [a, b] = [one, other].map(|line| line.finish_s.mean);
    let noise = one.finish_error_squared.zip(other.finish_error_squared);
    seconds(a) == seconds(b)
        || noise.is_some_and(|(one, other)| (a - b).abs() < 2.0 * (one + other).sqrt())
}

/// When these strategies' clients are all served, and, if their means read differently, that this is noise.
fn after_said(experiment: &HerdExperiment, alike: &[(&str, &Line)]) -> (String, String) {
    let means = || alike.iter().map(|(_, line)| line.finish_s.mean);
    let least = seconds(means().fold(f64::INFINITY, f64::min));
    let greatest = seconds(means().fold(0.0, f64::max));
    if least == greatest {
        return (format!("after {least} on average"), String::new());
    }
    let runs = counted(u64::from(experiment.seeds.count), "run");
    let least = least.trim_end_matches(" s");
    (
        format!("after {least} to {greatest} on average"),
        format!(", a difference within the noise of {runs}"),
    )
}
