//! The experiment's figures: one client's tokens, and the arrivals under each policy.

use budget_sim::BreakerPlace;
use render::{Axis, Band, Dash, Figure, Hue, Panel, Reference, Series};

use super::policies::{NamedPolicy, Threshold};
use super::table::{TokenCourse, mean_first_success_s, means};
use super::{BudgetExperiment, Run};
use crate::models::Picture;
use crate::models::wording::{self, spoken, thousands};

/// The size of the arrivals' figure: its text, and each panel, in pixels.
const WIDTH: u32 = 1200;
const HEAD: u32 = 220;
const PANEL: u32 = 270;

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
        Threshold::Above(least) => format!("retries only above {least}"),
        Threshold::AtLeast(cost) => format!("a retry costs {cost}"),
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
            "Client {client} of {}, counted from 0, seed {seed}.",
            wording::counted(u64::from(experiment.config.clients()), "client")
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
    if let Some(after) = course.retries_again_after_s {
        return format!("Client {client} may retry again {after:.1} s after the outage{gone}");
    }
    let end = experiment.seconds(experiment.config.horizon());
    format!("Client {client} may not retry again within {end:.0} s{gone}")
}

/// Arrivals by second in the first seed's run, a panel for each policy that is drawn.
fn arrivals(experiment: &BudgetExperiment, runs: &[Vec<Run>]) -> Picture {
    let end = experiment.seconds(experiment.config.horizon());
    let crash = experiment.params.crash;
    let crash_per_s = crash.limit as f64 / crash.window.as_secs_f64();
    let tick_s = experiment.seconds(1);
    let capacity_per_s = experiment.params.capacity_per_tick as f64 / tick_s;
    let (title, finding) = arrivals_said(experiment, runs);
    let seeds = experiment.seeds;
    let mut figure = Figure::new(title)
        .subtitle(format!(
            "Requests arriving in each second, retries included, seed {}; {}, {} new requests/s in all on average",
            seeds.first,
            wording::counted(u64::from(experiment.config.clients()), "client"),
            thousands(experiment.config.rate_per_client() * f64::from(experiment.config.clients()))
        ))
        .caption(format!(
            "The server crashes when more than {} requests arrive within {}. {}",
            thousands(crash.limit as f64),
            spoken(crash.window),
            match seeds.count {
                1 => "The title's numbers are this run's.".to_owned(),
                count => format!(
                    "The title's numbers are means of {}.",
                    wording::counted(u64::from(count), "run")
                ),
            }
        ))
        .size(WIDTH, HEAD + PANEL * experiment.drawn.len() as u32);
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
        .reference(
            Reference::y(
                capacity_per_s,
                format!("capacity {}/s", thousands(capacity_per_s)),
            )
            .hue(Hue::Gray),
        )
        .reference(
            Reference::y(
                crash_per_s,
                format!("crash above {}/s", thousands(crash_per_s)),
            )
            .hue(Hue::Gray),
        );
        figure = figure.panel(panel);
    }
    Picture {
        stem: "arrivals",
        figure,
        finding,
    }
}

/// What the first seed's arrivals and the means over all runs show: a title, and the finding.
fn arrivals_said(experiment: &BudgetExperiment, runs: &[Vec<Run>]) -> (String, String) {
    orders_said(experiment, runs).unwrap_or_else(|| {
        let title = loads_said(experiment, runs);
        (title.clone(), format!("{title}."))
    })
}

/// Retries around a breaker beside a breaker around the retries, if there are both.
fn orders_said(experiment: &BudgetExperiment, runs: &[Vec<Run>]) -> Option<(String, String)> {
    let first = |place: BreakerPlace| {
        let mut policies = experiment.policies.iter();
        policies.position(|policy| policy.max_attempts > 1 && policy.breaker == Some(place))
    };
    let (around, inside) = (
        first(BreakerPlace::EachAttempt)?,
        first(BreakerPlace::WholeRequest)?,
    );
    let [around_name, inside_name] =
        [around, inside].map(|at| format!(" ({})", wording::quoted(&experiment.policies[at].name)));
    let (around, inside) = (&runs[around], &runs[inside]);
    let ((around_load, around_crashes), (inside_load, inside_crashes)) =
        (means(around), means(inside));
    let (around_load, inside_load) = (around_load?, inside_load?);
    let loads = |around_name: &str, inside_name: &str| {
        format!(
            "Retries around a breaker{around_name} load the server with {around_load:.2} times the new requests in the outage, a breaker around the retries{inside_name} with {inside_load:.2} times"
        )
    };
    let crashes = if around_crashes == inside_crashes {
        format!("{} with either", counted(around_crashes))
    } else {
        format!(
            "{} and {}",
            counted(around_crashes),
            counted(inside_crashes)
        )
    };
    let first_success = match (mean_first_success_s(around), mean_first_success_s(inside)) {
        (Some(around), Some(inside)) => format!(
            "; the first success comes {around:.2} s and {inside:.2} s after the server's recovery"
        ),
        _ => String::new(),
    };
    let finding = loads(&around_name, &inside_name);
    Some((
        loads("", ""),
        format!("{finding}; {crashes}{first_success}."),
    ))
}

/// The policy that loads the server most during the outage, beside the others.
fn loads_said(experiment: &BudgetExperiment, runs: &[Vec<Run>]) -> String {
    let mut loads: Vec<(&str, f64, f64)> = experiment
        .policies
        .iter()
        .zip(runs)
        .filter_map(|(policy, runs)| {
            let (load, crashes) = means(runs);
            Some((policy.name.as_str(), load?, crashes))
        })
        .collect();
    loads.sort_by(|a, b| b.1.total_cmp(&a.1));
    let Some(((most, load, crashes), others)) = loads.split_first() else {
        return "No requests during the outage".to_owned();
    };
    let most = format!(
        "With {most} {load:.2} times the new requests arrive in the outage, {} after it",
        counted(*crashes)
    );
    let (Some((_, high, _)), Some((_, low, _))) = (others.first(), others.last()) else {
        return most;
    };
    let crashes = others.iter().map(|other| other.2).fold(0.0, f64::max);
    let range = match others {
        [(name, ..)] => format!("with {name} {low:.2}"),
        _ if format!("{low:.2}") == format!("{high:.2}") => format!("with the others {low:.2}"),
        _ => format!("with the others {low:.2} to {high:.2}"),
    };
    let at_most = if crashes > 0.0 && others.len() > 1 {
        "at most "
    } else {
        ""
    };
    format!("{most}; {range} times, {at_most}{}", counted(crashes))
}

fn counted(crashes: f64) -> String {
    match crashes {
        0.0 => "no crash".to_owned(),
        1.0 => "1 crash".to_owned(),
        crashes if crashes < 9.95 => format!("{crashes:.1} crashes"),
        crashes => format!("{} crashes", thousands(crashes)),
    }
}

fn outage(experiment: &BudgetExperiment) -> Band {
    let (from, until) = experiment.outage_s();
    Band::x(from, until, "outage")
}
