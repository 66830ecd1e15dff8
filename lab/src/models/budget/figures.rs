//! The experiment's figures: one client's tokens, and the arrivals under each policy.

use render::{Axis, Band, Dash, Figure, Hue, Panel, Reference, Series};

use super::policies::{NamedPolicy, Threshold};
use super::table::{TokenCourse, means};
use super::{BudgetExperiment, Run};
use crate::models::Picture;

pub(super) fn pictures(experiment: &BudgetExperiment, runs: &[Vec<Run>]) -> Vec<Picture> {
    let tokens = experiment
        .traced_policy()
        .and_then(|at| tokens(experiment, &experiment.policies[at], &runs[at][0]));
    tokens
        .into_iter()
        .chain([arrivals(experiment, runs)])
        .collect()
}

/// The traced client's tokens, tick by tick.
fn tokens(experiment: &BudgetExperiment, policy: &NamedPolicy, run: &Run) -> Option<Picture> {
    let threshold = policy.threshold?;
    let trace = run.course.trace.as_ref()?;
    let course = TokenCourse::of(experiment, threshold, run)?;
    let (client, seed) = (trace.client, experiment.seeds.first);
    // A change is seen at its tick's end.
    let mut points: Vec<(f64, f64)> = Vec::new();
    for (tick, &milli) in trace.milli_tokens.iter().enumerate() {
        let tokens = milli as f64 / 1000.0;
        if points.last().is_none_or(|&(_, last)| last != tokens) {
            points.push((experiment.seconds(tick as u64 + 1), tokens));
        }
    }
    let end = experiment.seconds(experiment.config.horizon());
    points.push((end, points.last().map_or(0.0, |&(_, tokens)| tokens)));
    let label = match threshold {
        Threshold::Above(_) => "retries only above",
        Threshold::AtLeast(_) => "a retry costs",
    };
    let finding = tokens_said(experiment, &course, client);
    let panel = Panel::new(
        Axis::linear("time").unit("s").range(0.0, end),
        Axis::linear("tokens"),
    )
    .band(outage(experiment))
    .series(Series::step(&policy.name, points).hue(policy.hue).unnamed())
    .reference(Reference::y(threshold.tokens(), label));
    let figure = Figure::new(finding.clone())
        .subtitle(format!(
            "Tokens of one client under {}, at the end of every tick",
            policy.name
        ))
        .caption(format!(
            "Client {client} of {}, counted from 0; seed {seed}.",
            experiment.config.clients()
        ))
        .panel(panel);
    Some(Picture {
        stem: "tokens",
        figure,
        finding: format!("{finding}."),
    })
}

fn tokens_said(experiment: &BudgetExperiment, course: &TokenCourse, client: u32) -> String {
    let gone = match (course.return_s, course.gone_again_s) {
        (Some(back), Some(_)) => {
            format!(": its first tokens, back at {back:.1} s, are spent again")
        }
        _ => String::new(),
    };
    match course.retries_again_after_s {
        Some(after) => {
            format!("Client {client} may retry again {after:.1} s after the outage{gone}")
        }
        None => {
            let end = experiment.seconds(experiment.config.horizon());
            format!("Client {client} may not retry again within {end:.0} s{gone}")
        }
    }
}

/// Arrivals by second in the first seed's run, a panel for each policy that is drawn.
fn arrivals(experiment: &BudgetExperiment, runs: &[Vec<Run>]) -> Picture {
    let end = experiment.seconds(experiment.config.horizon());
    let crash = experiment.params.crash;
    let crash_per_s = crash.limit as f64 / crash.window.as_secs_f64();
    let finding = arrivals_said(experiment, runs);
    let window = humantime::format_duration(crash.window);
    let mut figure = Figure::new(finding.clone())
        .subtitle(format!(
            "Requests arriving at the server in each second, retries included, seed {}; {} clients, {:.0} new requests/s in all",
            experiment.seeds.first,
            experiment.config.clients(),
            experiment.config.rate_per_client() * f64::from(experiment.config.clients())
        ))
        .caption(format!(
            "The server crashes when more than {} requests arrive within {window}.",
            crash.limit
        ));
    for &at in &experiment.drawn {
        let policy = &experiment.policies[at];
        let seconds = &runs[at][0].course.seconds;
        let steps = |count: &dyn Fn(usize) -> u64| -> Vec<(f64, f64)> {
            let steps = (0..seconds.len()).map(|second| (second as f64, count(second) as f64));
            let last = seconds.len().saturating_sub(1);
            let close = (end, count(last) as f64);
            steps.chain([close]).collect()
        };
        let arrivals = steps(&|second| seconds[second].arrivals);
        let new = steps(&|second| seconds[second].new_requests);
        let panel = Panel::new(
            Axis::linear("time").unit("s").range(0.0, end),
            Axis::linear("requests/s"),
        )
        .title(&policy.name)
        .band(outage(experiment))
        .series(
            Series::step("arrivals", arrivals)
                .hue(policy.hue)
                .named_at_end(),
        )
        .series(
            Series::step("new requests", new)
                .hue(Hue::Ink)
                .dash(Dash::Dotted)
                .named_at_end(),
        )
        .reference(Reference::y(crash_per_s, "crash above").hue(Hue::Gray));
        figure = figure.panel(panel);
    }
    Picture {
        stem: "arrivals",
        figure,
        finding: format!("{finding}."),
    }
}

/// Which policy loads the server most during the outage, and which least of those that retry, in one sentence without a full stop.
fn arrivals_said(experiment: &BudgetExperiment, runs: &[Vec<Run>]) -> String {
    let mut loads: Vec<(&str, f64, f64)> = experiment
        .policies
        .iter()
        .zip(runs)
        .filter_map(|(policy, runs)| {
            let (load, crashes) = means(runs);
            Some((policy.name.as_str(), load?, crashes))
        })
        .collect();
    loads.sort_by(|a, b| a.1.total_cmp(&b.1));
    match (&loads[..], loads.first(), loads.last()) {
        ([_, _, ..], Some(&(least, low, _)), Some(&(most, high, crashes))) => {
            let crashes = match crashes {
                0.0 => String::new(),
                crashes => format!(" and {crashes:.0} crashes after it"),
            };
            format!(
                "{most} means {high:.2} times the new requests in the outage{crashes}; {least} means {low:.2} times"
            )
        }
        ([(name, load, _)], ..) => {
            format!("{name} means {load:.2} times the new requests in the outage")
        }
        _ => "No requests during the outage".to_owned(),
    }
}

fn outage(experiment: &BudgetExperiment) -> Band {
    let (from, until) = experiment.outage_s();
    Band::x(from, until, "outage")
}
