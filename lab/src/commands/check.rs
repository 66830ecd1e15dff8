//! `lab check`: whether the reports are what the code makes.

use std::fmt::Write as _;
use std::num::NonZeroUsize;

use anyhow::{Result, bail};

use super::run::{complain, verdict};
use super::{chosen, folders};
use crate::artifacts::{Vectors, Verb, refuse_foreign};
use crate::check::{Kind, differences, vectors};
use crate::cli::{Check, Verdict, print};
use crate::reports::Reports;
use crate::{index, ledger, shown};

/// Runs the experiments and prints where the reports differ: nothing if they don't.
///
/// # Errors
/// An unknown id; reports that aren't there or can't be read.
pub fn check(asked: &Check, jobs: Option<NonZeroUsize>) -> Result<Verdict> {
    let scenarios = chosen(&asked.ids)?;
    let against = &asked.against;
    if !against.is_dir() {
        bail!(
            "{} is not a folder: `lab reproduce` makes the reports, --against says where they are",
            against.display()
        );
    }
    let vectors = vectors(against, &scenarios)?;
    let folders = folders(&scenarios);
    let reports = Reports::make(scenarios, against, jobs, vectors)?;
    let differences = differences(&reports, against, asked.ids.is_empty())?;
    let verdicts = reports.experiments.iter().map(|(done, _)| &done.verdicts);
    verdicts.clone().for_each(complain);
    if differences.is_empty() {
        return Ok(verdict(verdicts));
    }
    let mut text = String::new();
    for difference in &differences {
        text.push_str(&shown::lines(&difference.to_string()));
    }
    let count = differences.len();
    let noun = if count == 1 {
        "file differs"
    } else {
        "files differ"
    };
    let _ = write!(text, "\n{count} {noun} from what the code makes.");
    // Reproducing leaves alone what it didn't make.
    let replaceable =
        |kind: &Kind| matches!(kind, Kind::Missing | Kind::Lines(_) | Kind::Picture(_));
    let shared = [ledger::FILE, index::FILE];
    let refused = refuse_foreign(against, Verb::Reproduce, &folders, &shared).err();
    if let Some(reason) = refused {
        let _ = write!(text, " `lab reproduce` leaves them alone: {reason:#}");
    } else if differences.iter().any(|found| replaceable(&found.kind)) {
        let mut accept = vec!["lab reproduce".to_owned()];
        accept.extend(asked.ids.iter().cloned());
        if against.as_os_str() != "reports" {
            accept.push(format!("--out {}", against.display()));
        }
        if vectors == Vectors::Yes {
            accept.push("--svg".to_owned());
        }
        let _ = write!(text, " To accept what it makes now: {}", accept.join(" "));
    }
    text.push('\n');
    print(&text)?;
    Ok(Verdict::Differs)
}
