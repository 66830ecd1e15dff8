//! `lab reproduce`: the reports made anew.

use std::fmt::Write as _;
use std::num::NonZeroUsize;

use anyhow::Result;

use super::run::{complain, verdict};
use super::{chosen, folders};
use crate::artifacts::{Turn, Vectors, Verb, check_writable, replace_file, replace_folder};
use crate::cli::{Reproduce, Verdict, print};
use crate::reports::Reports;
use crate::{index, ledger};

/// Runs the experiments, then writes their artifacts, the ledger and the index.
///
/// # Errors
/// An unknown id; a place that can't be written.
pub fn reproduce(asked: &Reproduce, jobs: Option<NonZeroUsize>) -> Result<Verdict> {
    let scenarios = chosen(&asked.ids)?;
    let folders = folders(&scenarios);
    let out = &asked.out;
    let shared = [ledger::FILE, index::FILE];
    check_writable(out, Verb::Reproduce, &folders, &shared)?;
    let vectors = if asked.svg { Vectors::Yes } else { Vectors::No };
    let mut reports = Reports::make(scenarios, out, jobs, vectors)?;
    // Everything is computed before anything is written, so that an interruption meets a short moment.
    let turn = Turn::take(out)?;
    // Others may have written meanwhile.
    reports.merge(out)?;
    for (_, set) in &reports.experiments {
        replace_folder(&turn, set)?;
    }
    for (name, text) in [
        (ledger::FILE, &reports.ledger),
        (index::FILE, &reports.index),
    ] {
        replace_file(&turn, name, Verb::Reproduce, text.as_bytes())?;
    }
    drop(turn);

    let mut summary = String::new();
    let (mut numbers, mut missed) = (0, 0);
    for (done, set) in &reports.experiments {
        let (count, failed) = (done.verdicts.rows.len(), done.verdicts.failures().count());
        numbers += count;
        missed += failed;
        let files = set.files.len();
        let met = count - failed;
        let _ = writeln!(
            summary,
            "{:14} {met:3} of {count:3} published numbers met, {files} files",
            set.id
        );
        complain(&done.verdicts);
    }
    let (met, ledger, index) = (
        numbers - missed,
        out.join(ledger::FILE),
        out.join(index::FILE),
    );
    let (ledger, index) = (ledger.display(), index.display());
    let _ = writeln!(
        summary,
        "{:14} {met:3} of {numbers:3} published numbers met; see {ledger} and {index}",
        "total"
    );
    print(&summary)?;
    Ok(verdict(
        reports.experiments.iter().map(|(done, _)| &done.verdicts),
    ))
}
