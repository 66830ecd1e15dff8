//! The reports as a whole: every experiment's files, the ledger and the index, as they should be.

use std::fs;
use std::io;
use std::num::NonZeroUsize;
use std::path::Path;

use anyhow::{Context, Result};

use crate::artifacts::{ArtifactSet, Vectors};
use crate::execute::{Done, execute};
use crate::scenario::Scenario;
use crate::sections::Sections;
use crate::{index, ledger};

/// What `lab reproduce` writes and `lab check` compares with.
pub struct Reports {
    /// What came out of each experiment, with its files.
    pub experiments: Vec<(Done, ArtifactSet)>,
    /// The ledger.
    pub ledger: String,
    /// The index.
    pub index: String,
}

impl Reports {
    /// The reports of these experiments; in the ledger and the index of `folder`, the sections of other experiments stay as they are.
    ///
    /// # Errors
    /// A published row without a metric; a figure that can't be drawn; a report in `folder` that can't be read.
    pub fn make(
        scenarios: Vec<Scenario>,
        folder: &Path,
        jobs: Option<NonZeroUsize>,
        vectors: Vectors,
    ) -> Result<Self> {
        let mut ledger = sections(&folder.join(ledger::FILE))?;
        let mut index = sections(&folder.join(index::FILE))?;
        let experiments = execute(scenarios, jobs, |done| {
            let command = format!("lab reproduce {}", done.scenario.id);
            Ok(ArtifactSet::draw(
                &done.scenario,
                &done.outcome,
                &command,
                vectors,
            )?)
        })?;
        for (done, _) in &experiments {
            let id = &done.scenario.id;
            ledger.replace(id, done.verdicts.section());
            index.replace(id, index::section(&done.scenario, &done.outcome));
        }
        Ok(Self {
            experiments,
            ledger: ledger::text(&ledger),
            index: index::text(&index),
        })
    }
}

fn sections(path: &Path) -> Result<Sections> {
    match fs::read(path) {
        Ok(bytes) => Ok(Sections::parse(&String::from_utf8_lossy(&bytes))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Sections::default()),
        Err(error) => Err(error).with_context(|| format!("{} can't be read", path.display())),
    }
}
