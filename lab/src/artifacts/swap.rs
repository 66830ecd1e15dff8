//! Putting files in their place so that whoever looks finds the old set or the new one, whatever interrupts.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use anyhow::{Context, Result, bail};
use tempfile::{Builder, TempDir};

use super::ArtifactSet;
use super::ownership::made_by_lab;

const UNFINISHED: &str = ".lab-unfinished-";

/// Replaces the folder of one experiment under `out`, which is there: the files are written beside it, then the two folders change places in one step.
///
/// Files in the old folder that the lab didn't make are kept; files that it made and that are no longer part of the set go.
///
/// # Errors
/// A folder that can't be written; something at the folder's place that the lab didn't make. The old set is whole then, and nothing is left.
pub fn replace_folder(out: &Path, set: &ArtifactSet) -> Result<()> {
    let target = out.join(&set.id);
    let kept = kept_files(&target, &|name| set.files.contains_key(name))?;
    remove_unfinished(out);
    let fresh = folder_beside(out)?;
    for (name, bytes) in &set.files {
        let path = fresh.path().join(name);
        write_through(&path, bytes)
            .with_context(|| format!("{} can't be written", target.join(name).display()))?;
    }
    for name in kept {
        let (from, to) = (target.join(&name), fresh.path().join(&name));
        copy_tree(&from, &to).with_context(|| format!("{} can't be kept", from.display()))?;
    }
    exchange(fresh, &target).with_context(|| format!("{} can't be replaced", target.display()))
}

/// Whether the results of these experiments can be written to `out`, found out before anything is computed.
///
/// # Errors
/// A place that can't be written or isn't a folder, and something at a result's place that the lab didn't make. Nothing is left.
pub fn check_writable(out: &Path, folders: &[&str], files: &[&str]) -> Result<()> {
    for folder in folders {
        kept_files(&out.join(folder), &|_| true)?;
    }
    for file in files {
        refuse_foreign_file(&out.join(file))?;
    }
    let there = out
        .ancestors()
        .find(|path| path.as_os_str().is_empty() || path.exists());
    let there = match there {
        Some(path) if !path.as_os_str().is_empty() => path,
        _ => Path::new("."),
    };
    if !there.is_dir() {
        bail!("{} is not a folder", there.display());
    }
    folder_beside(there)?;
    Ok(())
}

/// Replaces one file in one step, the folder being there.
///
/// # Errors
/// A file that can't be written, or that the lab didn't make. The old one is whole then, and nothing is left.
pub fn replace_file(path: &Path, bytes: &[u8]) -> Result<()> {
    refuse_foreign_file(path)?;
    let folder = path.parent().unwrap_or(Path::new("."));
    let written = writer().tempfile_in(folder).and_then(|mut file| {
        file.write_all(bytes)?;
        file.as_file().sync_all()?;
        file.persist(path)?;
        Ok(())
    });
    written.with_context(|| format!("{} can't be written", path.display()))
}

/// Whether the file may be overwritten: it is absent, or the lab made it.
///
/// # Errors
/// It is there and the lab didn't make it, or it can't be read.
fn refuse_foreign_file(path: &Path) -> Result<()> {
    match made_by_lab(path) {
        Ok(true) => Ok(()),
        Ok(false) => bail!(
            "{} is there and wasn't made by lab: choose another --out",
            path.display()
        ),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error).with_context(|| format!("{} can't be read", path.display())),
    }
}

/// The names in the old folder that must survive.
fn kept_files(target: &Path, in_set: &dyn Fn(&str) -> bool) -> Result<Vec<PathBuf>> {
    let unreadable = || format!("{} can't be read", target.display());
    let metadata = match fs::symlink_metadata(target) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        other => other.with_context(unreadable)?,
    };
    if !metadata.is_dir() {
        bail!(
            "{} is there and isn't a folder: choose another --out",
            target.display()
        );
    }
    let mut kept = Vec::new();
    let mut ours = false;
    for entry in fs::read_dir(target).with_context(unreadable)? {
        let entry = entry.with_context(unreadable)?;
        let name = entry.file_name();
        let mine = made_by_lab(&entry.path()).with_context(unreadable)?;
        ours |= mine;
        if !mine && !name.to_str().is_some_and(in_set) {
            kept.push(PathBuf::from(name));
        }
    }
    if !ours
        && fs::read_dir(target)
            .with_context(unreadable)?
            .next()
            .is_some()
    {
        bail!(
            "{} holds files that weren't made by lab: choose another --out",
            target.display()
        );
    }
    Ok(kept)
}

fn copy_tree(from: &Path, to: &Path) -> io::Result<()> {
    let metadata = fs::symlink_metadata(from)?;
    if metadata.is_dir() {
        fs::create_dir(to)?;
        for entry in fs::read_dir(from)? {
            let name = entry?.file_name();
            copy_tree(&from.join(&name), &to.join(&name))?;
        }
        return Ok(());
    }
    if metadata.is_file() {
        fs::copy(from, to)?;
        return Ok(());
    }
    Err(io::Error::other("is neither a file nor a folder"))
}

fn write_through(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = fs::File::create_new(path)?;
    file.write_all(bytes)?;
    // A full disk may show itself only here, and a power cut must not leave empty files behind a finished rename.
    file.sync_all()
}

fn folder_beside(out: &Path) -> Result<TempDir> {
    let mut builder = Builder::new();
    builder.prefix(UNFINISHED);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // What the user's umask leaves of it, as for any other folder; a temporary one would be closed to others.
        builder.permissions(fs::Permissions::from_mode(0o777));
    }
    builder
        .tempdir_in(out)
        .with_context(|| format!("{} can't be written", out.display()))
}

/// Temporary files with the rights of ordinary ones, to be renamed when they are complete.
#[must_use]
pub fn writer() -> Builder<'static, 'static> {
    let mut builder = Builder::new();
    builder.prefix(UNFINISHED);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder
}

/// Removes what a killed process left an hour ago or earlier; a younger one may belong to a process that is still writing.
fn remove_unfinished(out: &Path) {
    let Ok(entries) = fs::read_dir(out) else {
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
        if unfinished && age.is_some_and(|age| age > Duration::from_secs(3600)) {
            // Left for the next time if it can't be removed: it disturbs nobody.
            let _ = fs::remove_dir_all(entry.path()).or_else(|_| fs::remove_file(entry.path()));
        }
    }
}

/// The fresh folder takes the target's place; the old one goes.
fn exchange(fresh: TempDir, target: &Path) -> io::Result<()> {
    match fs::symlink_metadata(target) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            fs::rename(fresh.path(), target)?;
            let _ = fresh.keep();
            return Ok(());
        }
        other => other?,
    };
    #[cfg(any(target_os = "linux", target_os = "macos"))]
    {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        if renameat_with(CWD, fresh.path(), CWD, target, RenameFlags::EXCHANGE).is_ok() {
            // `fresh` is now the path of the old set.
            return fresh.close();
        }
    }
    // A file system that can't exchange: between the two renames the old set stands beside, under an unfinished name.
    let old = folder_beside(target.parent().unwrap_or(Path::new("."))).map_err(io::Error::other)?;
    fs::rename(target, old.path())?;
    if let Err(error) = fs::rename(fresh.path(), target) {
        let _ = fs::rename(old.path(), target);
        return Err(error);
    }
    let _ = fresh.keep();
    old.close()
}
