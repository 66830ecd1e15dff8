//! `lab run`: a user's scenario.

use std::num::NonZeroUsize;
use std::path::Path;

use anyhow::Result;

use super::folders;
use crate::artifacts::{self, ArtifactSet, Turn, Vectors, Verb, check_writable};
use crate::cli::{Format, Run, Verdict, print, say};
use crate::execute::{Done, execute};
use crate::ledger::Verdicts;
use crate::scenario::file;

/// Runs a scenario file, prints what came out in the format asked for, and writes the artifacts if there is a place for them.
///
/// # Errors
/// A scenario that is refused; a place that can't be written; a published row without a metric, after the results are printed.
pub fn run(asked: &Run, jobs: Option<NonZeroUsize>) -> Result<Verdict> {
    let scenario = file::read(&asked.file)?;
    if let Some(out) = &asked.out {
        let folders = folders(std::slice::from_ref(&scenario));
        check_writable(out, Verb::Run, &folders, &[])?;
    }
    // The name alone, so that the folder from which the command is given leaves no trace in what it makes.
    let name = asked.file.file_name().unwrap_or_default().to_string_lossy();
    let command = format!("lab run {name}");
    let vectors = if asked.svg { Vectors::Yes } else { Vectors::No };
    let done = execute(vec![scenario], jobs, |done| {
        let draw = || ArtifactSet::draw(&done.scenario, &done.outcome, &command, vectors);
        Ok(asked.out.as_ref().map(|_| draw()).transpose()?)
    })?;
    for (done, set) in &done {
        // Which metrics there are is known only now: what took long to find is printed, and nothing that can't be judged is written.
        let judged = done.scenario.check_metrics(&done.outcome.metrics);
        if let (Some(out), Some(set), Ok(())) = (&asked.out, set, &judged) {
            write(out, set)?;
        }
        print(&answer(done, asked.format, &command))?;
        complain(&done.verdicts);
        judged?;
    }
    Ok(verdict(done.iter().map(|(done, _)| &done.verdicts)))
}

fn write(out: &Path, set: &ArtifactSet) -> Result<()> {
    artifacts::replace_folder(&Turn::take(out)?, set)?;
    say(&format!(
        "wrote {} files to {}",
        set.files.len(),
        out.join(&set.id).display()
    ));
    Ok(())
}

fn answer(done: &Done, format: Format, command: &str) -> String {
    match format {
        Format::Json => artifacts::runs_json(&done.scenario, &done.outcome, command),
        Format::Csv => done.outcome.csv.text.clone(),
        Format::Text if done.verdicts.rows.is_empty() => artifacts::tables_text(&done.outcome),
        Format::Text => format!(
            "{}\n{}",
            artifacts::tables_text(&done.outcome),
            done.verdicts.section()
        ),
    }
}

/// Says which published numbers are missed.
pub(super) fn complain(verdicts: &Verdicts) {
    for row in verdicts.failures() {
        say(&format!("{}: FAIL {}", verdicts.id, row.complaint()));
    }
}

/// Whether every published number is met.
pub(super) fn verdict<'a>(verdicts: impl IntoIterator<Item = &'a Verdicts>) -> Verdict {
    if verdicts
        .into_iter()
        .all(|verdicts| verdicts.failures().next().is_none())
    {
        Verdict::Agrees
    } else {
        Verdict::Differs
    }
}
