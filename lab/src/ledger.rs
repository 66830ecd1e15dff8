//! Every published number beside ours, and whether they agree.

use std::fmt::Write as _;

use crate::models::Metrics;
use crate::scenario::{Published, Scenario};
use crate::sections::Sections;
use crate::shown::{number, one_line};

/// The ledger's file name in the reports.
pub const FILE: &str = "ledger.txt";

/// The ledger's first line.
pub const OPENING: &str =
    "Every published number and ours. Made by `lab reproduce`, not edited by hand.";

const PASS: &str = "pass";
const FAIL: &str = "FAIL";

/// A published number with ours.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// What was published.
    pub published: Published,
    /// What came out.
    pub ours: f64,
}

/// One scenario's published numbers with ours.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdicts {
    /// The scenario's id.
    pub id: String,
    /// The scenario's question.
    pub question: String,
    /// Each number, in the order of the file.
    pub rows: Vec<Row>,
}

impl Row {
    /// Whether ours is within the tolerance.
    ///
    /// Both numbers are decimals that binary can't hold, so a difference of exactly the tolerance may come out a hair above it.
    #[must_use]
    pub fn passes(&self) -> bool {
        (self.ours - self.published.value).abs() <= self.published.within * (1.0 + 1e-9)
    }

    /// The row in words, for one that fails.
    #[must_use]
    pub fn complaint(&self) -> String {
        let Published {
            claim,
            metric,
            value,
            within,
            source,
        } = &self.published;
        one_line(&format!(
            "{}: expected {} within {}, got {} ({claim}; {source})",
            metric.get_ref(),
            number(*value),
            number(*within),
            number(self.ours)
        ))
    }
}

impl Verdicts {
    /// The verdict on each published number of a scenario; rows without a metric, which [`Scenario::check_metrics`] finds, are left out.
    #[must_use]
    pub fn judge(scenario: &Scenario, metrics: &Metrics) -> Self {
        let rows = scenario.header.published.iter().filter_map(|published| {
            metrics.get(published.metric.get_ref()).map(|ours| Row {
                published: published.clone(),
                ours,
            })
        });
        Self {
            id: scenario.id.clone(),
            question: scenario.header.question.clone(),
            rows: rows.collect(),
        }
    }

    /// The rows that fail.
    pub fn failures(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(|row| !row.passes())
    }

    /// The scenario's part of the ledger.
    #[must_use]
    pub fn section(&self) -> String {
        let mut text = format!("## {}: {}\n\n", self.id, one_line(&self.question));
        if self.rows.is_empty() {
            text.push_str("No number was published for it.\n");
            return text;
        }
        let cells: Vec<[String; 6]> = self.rows.iter().map(Row::cells).collect();
        let heading =
            ["", "published", "within", "ours", "metric", "claim; source"].map(str::to_owned);
        let lines: Vec<&[String; 6]> = std::iter::once(&heading).chain(&cells).collect();
        let width = |column: usize| {
            let widths = lines.iter().map(|line| line[column].chars().count());
            widths.max().unwrap_or(0)
        };
        let widths: [usize; 5] = std::array::from_fn(width);
        for [verdict, published, within, ours, metric, claim] in lines {
            let _ = writeln!(
                text,
                "{verdict:<0$}  {published:>1$}  {within:>2$}  {ours:>3$}  {metric:<4$}  {claim}",
                widths[0], widths[1], widths[2], widths[3], widths[4]
            );
        }
        text
    }
}

impl Row {
    fn cells(&self) -> [String; 6] {
        let passes = self.passes();
        let ours = if passes {
            short(self.ours)
        } else {
            number(self.ours)
        };
        [
            if passes { PASS } else { FAIL }.to_owned(),
            number(self.published.value),
            number(self.published.within),
            ours,
            self.published.metric.get_ref().clone(),
            one_line(&format!(
                "{}; {}",
                self.published.claim, self.published.source
            )),
        ]
    }
}

/// Up to six decimals, without trailing zeros.
fn short(value: f64) -> String {
    if value.abs() >= 1e15 {
        return number(value);
    }
    let text = format!("{value:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// The whole ledger from its parts, with the totals.
#[must_use]
pub fn text(sections: &Sections) -> String {
    let count = |verdict: &str| {
        let lines = sections.texts().flat_map(str::lines);
        lines
            .filter(|line| line.split(' ').next() == Some(verdict))
            .count()
    };
    let (passed, failed) = (count(PASS), count(FAIL));
    format!(
        "{OPENING}\n\
         A number passes if ours is no farther from it than \"within\".\n\n\
         {}\n## Total\n\n{} numbers: {passed} pass, {failed} fail.\n",
        sections.join(),
        passed + failed
    )
}
