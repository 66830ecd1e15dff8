//! The reports as a whole: every experiment's files, the ledger and the index, as they should be.

use std::num::NonZeroUsize;
use std::path::Path;

use anyhow::{Context, Result};

use crate::artifacts::{self, ArtifactSet, Content, Vectors};
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
        let experiments = execute(scenarios, jobs, |done| {
            done.scenario.check_metrics(&done.outcome.metrics)?;
            let command = format!("lab reproduce {}", done.scenario.id);
            Ok(ArtifactSet::draw(
                &done.scenario,
                &done.outcome,
                &command,
                vectors,
            )?)
        })?;
        let mut reports = Self {
            experiments,
            ledger: String::new(),
            index: String::new(),
        };
        reports.merge(folder)?;
        Ok(reports)
    }

    /// Makes the ledger and the index anew from these experiments and from the sections of others that are in `folder` now.
    ///
    /// # Errors
    /// A ledger or index in `folder` that can't be read.
    pub fn merge(&mut self, folder: &Path) -> Result<()> {
        let mut ledger = sections(&folder.join(ledger::FILE))?;
        let mut index = sections(&folder.join(index::FILE))?;
        for (done, _) in &self.experiments {
            let id = &done.scenario.id;
            ledger.replace(id, done.verdicts.section());
            index.replace(id, index::section(&done.scenario, &done.outcome));
        }
        self.ledger = ledger::text(&ledger);
        self.index = index::text(&index);
        Ok(())
    }
}

/// The sections that a report holds; none if it isn't there or isn't what the lab could have written.
fn sections(path: &Path) -> Result<Sections> {
    match artifacts::read(path).with_context(|| format!("{} can't be read", path.display()))? {
        Content::Bytes(bytes) => Ok(Sections::parse(&String::from_utf8_lossy(&bytes))),
        Content::Missing | Content::NotAFile | Content::TooLarge => Ok(Sections::default()),
    }
}
