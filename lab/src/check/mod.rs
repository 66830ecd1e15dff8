//! Where reports differ from what the code makes.

mod lines;

use std::collections::BTreeSet;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::artifacts::{self, ArtifactSet, Content, UNFINISHED, Vectors};
use crate::reports::Reports;
use crate::scenario::{Scenario, builtin};
use crate::{index, ledger};

/// The folder in the reports with measured times, which no one can make again.
const HARDWARE: &str = "hardware";

/// A file that isn't as it should be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The file.
    pub path: PathBuf,
    /// What is wrong with it.
    pub kind: Kind,
}

/// What is wrong with a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// It is not there.
    Missing,
    /// No experiment makes it.
    Extra,
    /// Its text differs: the lines that do, marked `-` in the reports and `+` as made.
    Lines(String),
    /// Its pixels differ, or it isn't a picture: in words.
    Picture(String),
    /// It is a folder, a pipe or something else, too large, or can't be read: in words.
    Unreadable(String),
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        match &self.kind {
            Kind::Missing => writeln!(f, "{path}: missing"),
            Kind::Extra => writeln!(
                f,
                "{path}: extra, no experiment makes it: delete it or move it away"
            ),
            Kind::Lines(lines) => write!(f, "{path}: differs (- as it is, + as made)\n{lines}"),
            Kind::Picture(what) | Kind::Unreadable(what) => writeln!(f, "{path}: {what}"),
        }
    }
}

/// Every difference between the reports in a folder and those made now; `whole` if these are all experiments, so that whatever else the
/// folder holds is extra.
///
/// # Errors
/// A file that is there and can't be read.
pub fn differences(made: &Reports, folder: &Path, whole: bool) -> Result<Vec<Difference>> {
    let mut found = Vec::new();
    for (_, set) in &made.experiments {
        compare_set(set, &folder.join(&set.id), &mut found)?;
    }
    for (name, text) in [(ledger::FILE, &made.ledger), (index::FILE, &made.index)] {
        compare_file(folder.join(name), text.as_bytes(), &mut found);
    }
    if whole {
        for name in names(folder)? {
            let known = [ledger::FILE, index::FILE, HARDWARE].contains(&name.as_str())
                || builtin::find(&name).is_some();
            if !known {
                found.push(Difference {
                    path: folder.join(name),
                    kind: Kind::Extra,
                });
            }
        }
    }
    Ok(found)
}

fn compare_set(set: &ArtifactSet, folder: &Path, found: &mut Vec<Difference>) -> Result<()> {
    let there = names(folder)?;
    // Vector figures are made on request; whoever asked for them has at least one.
    let vectors = there.iter().any(|name| is_vector(name));
    for (name, made) in &set.files {
        if vectors || !is_vector(name) {
            compare_file(folder.join(name), made, found);
        }
    }
    for name in there {
        if !set.files.contains_key(&name) {
            found.push(Difference {
                path: folder.join(name),
                kind: Kind::Extra,
            });
        }
    }
    Ok(())
}

/// Whether the folder of any of these experiments has figures as SVG, so that they must be drawn to be compared.
///
/// # Errors
/// A folder that is there and can't be read.
pub fn vectors(folder: &Path, scenarios: &[Scenario]) -> Result<Vectors> {
    for scenario in scenarios {
        if names(&folder.join(&scenario.id))?
            .iter()
            .any(|name| is_vector(name))
        {
            return Ok(Vectors::Yes);
        }
    }
    Ok(Vectors::No)
}

fn is_vector(name: &str) -> bool {
    Path::new(name)
        .extension()
        .is_some_and(|extension| extension == "svg")
}

/// The names in a folder, sorted, without what another process is writing; none if it isn't there.
fn names(folder: &Path) -> Result<BTreeSet<String>> {
    use io::ErrorKind::{NotADirectory, NotFound};
    let unreadable = || format!("{} can't be read", folder.display());
    let entries = match fs::read_dir(folder) {
        Err(error) if matches!(error.kind(), NotFound | NotADirectory) => {
            return Ok(BTreeSet::new());
        }
        other => other.with_context(unreadable)?,
    };
    let names = entries.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()));
    let mut names: BTreeSet<String> = names.collect::<io::Result<_>>().with_context(unreadable)?;
    names.retain(|name| !name.starts_with(UNFINISHED));
    Ok(names)
}

fn compare_file(path: PathBuf, made: &[u8], found: &mut Vec<Difference>) {
    let content = artifacts::read(&path);
    let there = match content {
        Ok(Content::Bytes(there)) => there,
        other => {
            let kind = match other {
                Ok(Content::Missing) => Kind::Missing,
                Ok(Content::TooLarge) => Kind::Unreadable("is too large to be compared".into()),
                Ok(_) => Kind::Unreadable("is not a file: move it away".into()),
                Err(error) => Kind::Unreadable(format!("can't be read: {error}")),
            };
            found.push(Difference { path, kind });
            return;
        }
    };
    if there == made {
        return;
    }
    let is_picture = path.extension().is_some_and(|extension| extension == "png");
    let kind = if is_picture {
        picture(&there, made).map(Kind::Picture)
    } else {
        let (there, made) = (
            String::from_utf8_lossy(&there),
            String::from_utf8_lossy(made),
        );
        Some(Kind::Lines(lines::difference(&there, &made)))
    };
    if let Some(kind) = kind {
        found.push(Difference { path, kind });
    }
}

/// How two pictures differ; nothing if their pixels and the command that made them are the same, however they are compressed.
fn picture(there: &[u8], made: &[u8]) -> Option<String> {
    let there = match render::decode(there) {
        Ok(there) => there,
        Err(error) => return Some(format!("is not a picture: {error}")),
    };
    let made = match render::decode(made) {
        Ok(made) => made,
        Err(error) => return Some(format!("could not be compared: {error}")),
    };
    if let Some(difference) = there.difference(&made) {
        return Some(difference.to_string());
    }
    if there.made_by() != made.made_by() {
        let said = there.made_by().unwrap_or("nothing");
        return Some(format!(
            "says that it was made by {said}, not by {}",
            made.made_by().unwrap_or("nothing")
        ));
    }
    None
}
