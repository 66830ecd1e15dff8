//! One writer at a time in a folder.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use anyhow::{Context, Result};

/// How the names begin of what is being written and not yet in its place.
pub const UNFINISHED: &str = ".lab-unfinished-";

/// The right to write to a folder, until it is dropped.
#[derive(Debug)]
pub struct Turn {
    folder: PathBuf,
    /// The folder, open and locked; none where there are no such locks.
    _lock: Option<fs::File>,
}

impl Turn {
    /// Waits until no other process writes to the folder, which is made if it isn't there, and removes what killed ones left.
    ///
    /// # Errors
    /// A folder that can't be made.
    pub fn take(folder: &Path) -> Result<Self> {
        fs::create_dir_all(folder)
            .with_context(|| format!("{} can't be made", folder.display()))?;
        let lock = locked(folder);
        remove_unfinished(folder, lock.is_some());
        Ok(Self {
            folder: folder.to_owned(),
            _lock: lock,
        })
    }

    /// The folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}

#[cfg(any(target_os = "linux", target_os = "macos"))]
fn locked(folder: &Path) -> Option<fs::File> {
    use rustix::fs::{FlockOperation, flock};
    use rustix::io::Errno;

    let file = fs::File::open(folder).ok()?;
    loop {
        match flock(&file, FlockOperation::LockExclusive) {
            Ok(()) => return Some(file),
            Err(Errno::INTR) => {}
            // A file system without locks.
            Err(_) => return None,
        }
    }
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn locked(_: &Path) -> Option<fs::File> {
    None
}

/// Removes what a killed process left: all if no other process can be writing, else what is an hour old.
fn remove_unfinished(folder: &Path, alone: bool) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let unfinished = name
            .to_str()
            .is_some_and(|name| name.starts_with(UNFINISHED));
        let age = entry
            .metadata()
            .and_then(|metadata| metadata.modified())
            .ok()
            .and_then(|modified| SystemTime::now().duration_since(modified).ok());
        if unfinished && (alone || age.is_some_and(|age| age > Duration::from_secs(3600))) {
            // Left for the next time if it can't be removed: it disturbs nobody.
            let _ = fs::remove_dir_all(entry.path()).or_else(|_| fs::remove_file(entry.path()));
        }
    }
}
