//! `lab reproduce`: the reports made anew.

use std::fmt::Write as _;
use std::fs;
use std::num::NonZeroUsize;

use anyhow::{Context, Result};

use super::chosen;
use super::run::{complain, verdict};
use crate::artifacts::{Vectors, check_writable, replace_file, replace_folder};
use crate::cli::{Reproduce, Verdict, print};
use crate::reports::Reports;
use crate::{index, ledger};

/// Runs the experiments, then writes their artifacts, the ledger and the index.
///
/// # Errors
/// An unknown id; a place that can't be written.
pub fn reproduce(asked: &Reproduce, jobs: Option<NonZeroUsize>) -> Result<Verdict> {
    let scenarios = chosen(&asked.ids)?;
    let ids: Vec<String> = scenarios
        .iter()
        .map(|scenario| scenario.id.clone())
        .collect();
    let folders: Vec<&str> = ids.iter().map(String::as_str).collect();
    let out = &asked.out;
    check_writable(out, &folders, &[ledger::FILE, index::FILE])?;
    let vectors = if asked.svg { Vectors::Yes } else { Vectors::No };
    let reports = Reports::make(scenarios, out, jobs, vectors)?;
    // Everything is computed before anything is written, so that an interruption meets a short moment.
    fs::create_dir_all(out).with_context(|| format!("{} can't be made", out.display()))?;
    for (_, set) in &reports.experiments {
        replace_folder(out, set)?;
    }
    replace_file(&out.join(ledger::FILE), reports.ledger.as_bytes())?;
    replace_file(&out.join(index::FILE), reports.index.as_bytes())?;

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
