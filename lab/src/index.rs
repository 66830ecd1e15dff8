//! The reports' README: every figure with its question and its finding.

use std::fmt::Write as _;

use crate::artifacts::{RUNS, TABLE, tables_text};
use crate::models::Outcome;
use crate::scenario::Scenario;
use crate::sections::Sections;

/// The index' file name in the reports.
pub const FILE: &str = "README.md";

/// The index' first lines.
pub const OPENING: &str = "# Reports

Made by `lab reproduce`, not edited by hand; `lab check` compares every file here with what the code makes.";

/// The longest tables that stand in the index itself, for an experiment without figures.
const MAX_LINES: usize = 100;

/// A scenario's part of the index.
#[must_use]
pub fn section(scenario: &Scenario, outcome: &Outcome) -> String {
    let id = &scenario.id;
    let mut text = format!("## {id}: {}\n\n", scenario.header.question);
    for picture in &outcome.pictures {
        // The finding stands above, so nobody needs to hear it twice.
        let (stem, finding) = (picture.stem, &picture.finding);
        let _ = writeln!(
            text,
            "{finding}\n\n![Figure {id}/{stem}]({id}/{stem}.png)\n"
        );
    }
    let tables = tables_text(outcome);
    if outcome.pictures.is_empty() && tables.lines().count() <= MAX_LINES {
        let _ = writeln!(text, "```text\n{tables}```\n");
    }
    let mut files = vec![
        format!("[table]({id}/{TABLE})"),
        format!("[runs]({id}/{RUNS})"),
    ];
    if let Some(name) = outcome.csv.artifact {
        files.push(format!(
            "[{name}]({id}/{name}) (without a comment, as the peer prints it)"
        ));
    }
    let _ = writeln!(text, "Made by `lab reproduce {id}`: {}.", files.join(", "));
    text
}

/// The whole index from its parts.
#[must_use]
pub fn text(sections: &Sections) -> String {
    format!(
        "{OPENING}\n\
         Each published number stands beside ours in [ledger.txt](ledger.txt).\n\n{}",
        sections.join()
    )
}
