//! How often the last service is called, by the depth of the chain.

use layers_sim::{Chain, EdgeConfig, MAX_SERVICES, Rule};
use rayon::prelude::*;
use render::{Axis, Band, Column, Dash, Figure, Hue, Marker, Panel, Series, Table};
use serde::Deserialize;
use serde_json::{Value, json};
use toml::Spanned;

use super::edges::{Attempts, Budgets, RuleKey, edges};
use super::{Requests, calls, check_requests, check_total, failing};
use crate::models::wording::{listed, thousands};
use crate::models::{Outcome, Picture};
use crate::progress::Progress;
use crate::scenario::{Name, Problem, Real, Whole, distinct};

/// One edge fewer than the most services.
const MAX_DEPTH: u64 = MAX_SERVICES as u64 - 1;

/// The most lines that one figure has room for.
const MAX_LINES: usize = 6;

type Edges = Whole<1, MAX_DEPTH>;
type Load = Real<1, 1_000_000_000>;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DepthTable {
    from: Edges,
    to: Spanned<Edges>,
    band: Option<Spanned<BandTable>>,
    retries: Spanned<Vec<RetriesTable>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BandTable {
    label: Name,
    depth: [Edges; 2],
    load: [Load; 2],
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RetriesTable {
    name: Spanned<Name>,
    requests: Requests,
    rule: Option<RuleKey>,
    attempts: Attempts,
    retry_budget: Option<Budgets>,
}

pub(super) struct Depth {
    depths: Vec<usize>,
    band: Option<PublishedBand>,
    lines: Vec<Line>,
}

struct PublishedBand {
    label: String,
    depth: (f64, f64),
    load: (f64, f64),
}

/// One way to retry, at every depth.
struct Line {
    name: String,
    requests: u64,
    chains: Vec<Chain>,
    hue: Hue,
}

impl DepthTable {
    pub(super) fn check(self) -> Result<Depth, Problem> {
        let (from, to) = (self.from.size(), self.to.get_ref().size());
        if to < from {
            return Err(Problem::at(
                &self.to,
                format!("{to} must be at least `from`, {from}"),
            ));
        }
        let depths: Vec<usize> = (from..=to).collect();
        let names = self.retries.get_ref().iter().map(|table| &table.name);
        distinct(&self.retries, "retries", names)?;
        if self.retries.get_ref().len() > MAX_LINES {
            return Err(Problem::at(
                &self.retries,
                format!(
                    "{} entries of `retries`, expected 1 to {MAX_LINES}",
                    self.retries.get_ref().len()
                ),
            ));
        }
        let lines = self.retries.get_ref().iter().zip(HUES);
        let lines = lines.map(|(table, hue)| table.check(&depths, hue));
        let lines: Vec<Line> = lines.collect::<Result<_, _>>()?;
        let chains = lines
            .iter()
            .flat_map(|line| line.chains.iter().map(|chain| (chain, line.requests)));
        check_total(chains, &self.retries)?;
        Ok(Depth {
            band: self.band.map(|band| band_of(&band)).transpose()?,
            lines,
            depths,
        })
    }
}

/// From the most dangerous to the mildest, as scenarios list them.
const HUES: [Hue; MAX_LINES] = [
    Hue::Vermilion,
    Hue::Orange,
    Hue::Blue,
    Hue::Green,
    Hue::Purple,
    Hue::Sky,
];

fn band_of(table: &Spanned<BandTable>) -> Result<PublishedBand, Problem> {
    let BandTable { label, depth, load } = table.get_ref();
    if depth[0] >= depth[1] || load[0].get() >= load[1].get() {
        return Err(Problem::at(
            table,
            "`depth` and `load` must each be two values, the lesser one first",
        ));
    }
    Ok(PublishedBand {
        label: label.as_str().to_owned(),
        depth: (depth[0].get() as f64, depth[1].get() as f64),
        load: (load[0].get(), load[1].get()),
    })
}

impl RetriesTable {
    fn check(&self, depths: &[usize], hue: Hue) -> Result<Line, Problem> {
        let edge: EdgeConfig = edges(&self.attempts, self.retry_budget.as_ref(), 1)?[0];
        let rule = self.rule.map_or(Rule::Everyone, Rule::from);
        let chains = depths.iter().map(|&depth| {
            let chain = failing(rule, vec![edge; depth])
                .build()
                .map_err(|error| Problem::at(&self.name, error.to_string()))?;
            check_requests(&chain, &self.requests)?;
            Ok(chain)
        });
        Ok(Line {
            name: self.name.get_ref().as_str().to_owned(),
            requests: self.requests.get_ref().get(),
            chains: chains.collect::<Result<_, Problem>>()?,
            hue,
        })
    }
}

impl Depth {
    /// The chains that are run.
    pub(super) fn steps(&self) -> u64 {
        (self.lines.len() * self.depths.len()) as u64
    }

    /// Adds the loads of every line at every depth.
    pub(super) fn run(&self, progress: &Progress, outcome: &mut Outcome) {
        let loads: Vec<Vec<f64>> = self
            .lines
            .par_iter()
            .map(|line| {
                let load = |chain| {
                    let last = calls(chain, line.requests).last().copied().unwrap_or(0);
                    progress.advance();
                    last as f64 / line.requests as f64
                };
                line.chains.par_iter().map(load).collect()
            })
            .collect();
        for (line, loads) in self.lines.iter().zip(&loads) {
            for (&depth, &load) in self.depths.iter().zip(loads) {
                let statistic = format!("{depth} edges");
                outcome.metrics.add(&line.name, "load", &statistic, load);
                let added = (load - 1.0) * 100.0;
                outcome
                    .metrics
                    .add(&line.name, "added_percent", &statistic, added);
            }
        }
        outcome.tables.push(self.table(&loads));
        outcome.json.insert("depth".to_owned(), self.json(&loads));
        outcome.pictures.push(self.picture(&loads));
    }

    fn table(&self, loads: &[Vec<f64>]) -> Table {
        let mut columns = vec![Column::right("edges")];
        columns.extend(self.lines.iter().map(|line| Column::right(&line.name)));
        let mut table = Table::new(columns);
        for (index, depth) in self.depths.iter().enumerate() {
            let mut cells = vec![depth.to_string()];
            cells.extend(loads.iter().map(|loads| times(loads[index])));
            table.push(cells).expect("one cell for each line");
        }
        table.note("Calls that reach the last service, which always fails, for each request.");
        table
    }

    fn json(&self, loads: &[Vec<f64>]) -> Value {
        let lines = self.lines.iter().zip(loads);
        let lines = lines.map(|(line, loads)| {
            let loads = self.depths.iter().zip(loads);
            let loads = loads.map(|(edges, load)| json!({ "edges": edges, "load": load }));
            json!({ "name": line.name, "requests": line.requests, "loads": loads.collect::<Vec<_>>() })
        });
        lines.collect()
    }

    fn picture(&self, loads: &[Vec<f64>]) -> Picture {
        let finding = self.finding(loads);
        let figure = Figure::new(finding.clone())
            .subtitle(
                "Calls to the last service of a chain, which always fails, by the chain's depth",
            )
            .caption("Counted from simulated calls.");
        // What grows slowly can't be read beside what grows a thousandfold.
        let slow = |loads: &[f64]| loads.last().is_none_or(|&load| load < 10.0);
        let apart = loads.iter().any(|loads| slow(loads)) && loads.iter().any(|loads| !slow(loads));
        let all = self.panel(loads, Axis::log(MEASURE), |_| true);
        let figure = if apart {
            let slow = self.panel(loads, Axis::linear(MEASURE), slow);
            figure
                .panel(all.title("All loads"))
                .panel(self.marked(slow).title("Loads under 10"))
        } else {
            figure.panel(self.marked(all))
        };
        Picture {
            stem: "amplification",
            figure,
            finding: format!("{finding}."),
        }
    }

    fn panel(&self, loads: &[Vec<f64>], y: Axis, shown: impl Fn(&[f64]) -> bool) -> Panel {
        let depths = || self.depths.iter().map(|&depth| depth as f64);
        let (from, to) = (self.depths[0], self.depths[self.depths.len() - 1]);
        let x = Axis::linear("edges between the first service and the last")
            .range(from as f64 - 0.2, to as f64 + 0.2)
            .ticks(depths());
        let mut panel = Panel::new(x, y);
        let dashes = [Dash::Solid, Dash::Dashed, Dash::Dotted, Dash::DashDot];
        for ((line, loads), dash) in self.lines.iter().zip(loads).zip(dashes.into_iter().cycle()) {
            if shown(loads) {
                panel = panel.series(
                    Series::line(&line.name, depths().zip(loads.iter().copied()))
                        .hue(line.hue)
                        .dash(dash)
                        .marker(Marker::Disc)
                        .named_at_end(),
                );
            }
        }
        panel
    }

    /// The panel with the published band.
    fn marked(&self, panel: Panel) -> Panel {
        match &self.band {
            Some(PublishedBand { label, depth, load }) => {
                panel.band(Band::y(load.0, load.1, label).within_x(depth.0, depth.1))
            }
            None => panel,
        }
    }

    /// What a request becomes at the greatest depth under each line, in one sentence without a full stop.
    fn finding(&self, loads: &[Vec<f64>]) -> String {
        let deepest = self.depths.len() - 1;
        let said: Vec<String> = self
            .lines
            .iter()
            .zip(loads)
            .map(|(line, loads)| format!("{} calls ({})", times(loads[deepest]), line.name))
            .collect();
        let said: Vec<&str> = said.iter().map(String::as_str).collect();
        let edges = match self.depths[deepest] {
            1 => "1 edge".to_owned(),
            edges => format!("{edges} edges"),
        };
        format!("{edges} down, each request becomes {}", listed(&said))
    }
}

const MEASURE: &str = "calls for each request";

/// `59,049`, `2.59`, `1.1`: whole numbers in groups, others with two decimals at most.
fn times(load: f64) -> String {
    if load.fract() == 0.0 || load >= 1000.0 {
        return thousands(load);
    }
    let text = format!("{load:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
