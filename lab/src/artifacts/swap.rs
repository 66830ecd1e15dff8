//! Putting files in their place so that whoever looks finds the old set or the new one, whatever interrupts.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use tempfile::{Builder, TempDir};

use super::ArtifactSet;
use super::interrupt::uninterrupted;
use super::ownership::{Verb, made_by};
use super::turn::{Turn, UNFINISHED};

/// How the name begins of an old set that is about to be replaced in two steps. Never removed by itself: after a crash between the two, it
/// is all there is of what others put into the folder.
const OLD: &str = ".lab-old-";

/// Replaces the folder of one experiment: the files are written beside it, then the two folders change places in one step.
///
/// Files in the old folder that the lab didn't make are kept; files that it made and that are no longer part of the set go.
///
/// # Errors
/// A folder that can't be written; something at the folder's place that another command or nobody here made. The old set is whole then, and
/// nothing is left.
pub fn replace_folder(turn: &Turn, set: &ArtifactSet) -> Result<()> {
    let target = turn.folder().join(&set.id);
    let verb = Verb::of(&set.command).ok_or_else(|| anyhow!("`{}` makes no files", set.command))?;
    let kept = kept_files(&target, verb, &|name| set.files.contains_key(name))?;
    uninterrupted(|| {
        let fresh = folder_beside(turn.folder(), UNFINISHED)?;
        for (name, bytes) in &set.files {
            let path = fresh.path().join(name);
            write_through(&path, bytes)
                .with_context(|| format!("{} can't be written", target.join(name).display()))?;
        }
        for name in kept {
            let (from, to) = (target.join(&name), fresh.path().join(&name));
            keep(&from, &to).with_context(|| format!("{} can't be kept", from.display()))?;
        }
        same_rights(&target, fresh.path())
            .with_context(|| format!("{} can't be replaced", target.display()))?;
        exchange(fresh, &target).with_context(|| format!("{} can't be replaced", target.display()))
    })
}

/// Removes a file, if it is there.
///
/// # Errors
/// A file that the command didn't make, or that can't be removed.
pub fn remove_file(turn: &Turn, name: &str, verb: Verb) -> Result<()> {
    let path = turn.folder().join(name);
    refuse_foreign_file(&path, verb)?;
    match fs::remove_file(&path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("{} can't be removed", path.display()))
        }
        _ => Ok(()),
    }
}

/// Whether the results that a command makes, in these folders (with their files' names) and files, can be written to `out`, found out before anything is computed.
///
/// # Errors
/// A place that can't be written or isn't a folder, and something at a result's place that this command didn't make. Nothing is left.
pub fn check_writable(
    out: &Path,
    verb: Verb,
    folders: &[(String, Vec<String>)],
    files: &[&str],
) -> Result<()> {
    // A link to nothing is there, too.
    let there = out
        .ancestors()
        .find(|path| path.as_os_str().is_empty() || fs::symlink_metadata(path).is_ok());
    let there = match there {
        Some(path) if !path.as_os_str().is_empty() => path,
        _ => Path::new("."),
    };
    if !there.is_dir() {
        bail!("{} is not a folder", there.display());
    }
    refuse_foreign(out, verb, folders, files)?;
    uninterrupted(|| folder_beside(there, UNFINISHED).map(drop))
}

/// Whether everything at these folders' and files' places may be replaced.
///
/// # Errors
/// Something that this command didn't make.
pub fn refuse_foreign(
    out: &Path,
    verb: Verb,
    folders: &[(String, Vec<String>)],
    files: &[&str],
) -> Result<()> {
    for (folder, names) in folders {
        let in_set = |name: &str| names.iter().any(|known| known == name);
        kept_files(&out.join(folder), verb, &in_set)?;
    }
    for file in files {
        refuse_foreign_file(&out.join(file), verb)?;
    }
    Ok(())
}

/// Replaces one file in one step.
///
/// # Errors
/// A file that can't be written, or that the command didn't make. The old one is whole then, and nothing is left.
pub fn replace_file(turn: &Turn, name: &str, verb: Verb, bytes: &[u8]) -> Result<()> {
    let path = turn.folder().join(name);
    refuse_foreign_file(&path, verb)?;
    let write = || {
        let mut file = writer().tempfile_in(turn.folder())?;
        file.write_all(bytes)?;
        file.as_file().sync_all()?;
        file.persist(&path)?;
        Ok(())
    };
    uninterrupted(write).map_err(|error: io::Error| unwritable(&path, &error))
}

/// Adds a file in one step, if none is there.
///
/// # Errors
/// A file of that name, with [`io::ErrorKind::AlreadyExists`]; a place that can't be written. Nothing is left.
pub fn add_file(turn: &Turn, name: &str, bytes: &[u8]) -> io::Result<()> {
    uninterrupted(|| {
        let mut file = writer().tempfile_in(turn.folder())?;
        file.write_all(bytes)?;
        file.persist_noclobber(turn.folder().join(name))
            .map_err(|error| error.error)?;
        Ok(())
    })
}

/// Without the temporary name, which says nothing to anyone.
fn unwritable(path: &Path, error: &io::Error) -> anyhow::Error {
    anyhow!("{} can't be written: {}", path.display(), error.kind())
}

/// Whether the file may be overwritten: it is absent, or this command made it.
///
/// # Errors
/// It is there and the command didn't make it, or it can't be read.
fn refuse_foreign_file(path: &Path, verb: Verb) -> Result<()> {
    match made_by(path) {
        Ok(Some(command)) if Verb::of(&command) == Some(verb) => Ok(()),
        Ok(Some(command)) => bail!(
            "{} was made by `{command}`: choose another --out",
            path.display()
        ),
        Ok(None) => bail!(
            "{} is there and wasn't made by lab: choose another --out",
            path.display()
        ),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error).with_context(|| format!("{} can't be read", path.display())),
    }
}

/// The names in the old folder that must survive.
fn kept_files(target: &Path, verb: Verb, in_set: &dyn Fn(&str) -> bool) -> Result<Vec<PathBuf>> {
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
    let (mut empty, mut ours) = (true, false);
    for entry in fs::read_dir(target).with_context(unreadable)? {
        let entry = entry.with_context(unreadable)?;
        empty = false;
        let name = entry.file_name();
        let maker = made_by(&entry.path()).with_context(unreadable)?;
        if let Some(command) = &maker {
            // `lab reproduce` alone made what holds the experiments' folders, and not one of them.
            if Verb::of(command) != Some(verb) || command == "lab reproduce" {
                bail!(
                    "{} holds what `{command}` made: choose another --out",
                    target.display()
                );
            }
            ours = true;
            continue;
        }
        if !name.to_str().is_some_and(in_set) {
            kept.push(PathBuf::from(name));
        } else if !entry.file_type().with_context(unreadable)?.is_file() {
            bail!(
                "{} is there and isn't a regular file: move it away, or choose another --out",
                entry.path().display()
            );
        }
    }
    if !empty && !ours {
        bail!(
            "{} holds files that weren't made by lab: choose another --out",
            target.display()
        );
    }
    Ok(kept)
}

/// Puts somebody else's file or folder into the fresh one, as it is: a second name of the same file, whatever its kind, rights and times; a
/// copy where a file system gives no second names.
fn keep(from: &Path, to: &Path) -> io::Result<()> {
    let metadata = fs::symlink_metadata(from)?;
    if metadata.is_dir() {
        fs::create_dir(to)?;
        for entry in fs::read_dir(from)? {
            let name = entry?.file_name();
            keep(&from.join(&name), &to.join(&name))?;
        }
        return same_rights(from, to);
    }
    match fs::hard_link(from, to) {
        Err(_) if metadata.is_file() => fs::copy(from, to).map(drop),
        other => other,
    }
}

/// Gives the new folder the rights of the old one, if that is there.
fn same_rights(old: &Path, new: &Path) -> io::Result<()> {
    match fs::metadata(old) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        metadata => fs::set_permissions(new, metadata?.permissions()),
    }
}

fn write_through(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = fs::File::create_new(path)?;
    file.write_all(bytes)?;
    // A full disk may show itself only here, and a power cut must not leave empty files behind a finished rename.
    file.sync_all()
}

fn folder_beside(out: &Path, prefix: &str) -> Result<TempDir> {
    let mut builder = Builder::new();
    builder.prefix(prefix);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // What the user's umask leaves of it, as for any other folder; a temporary one would be closed to others.
        builder.permissions(fs::Permissions::from_mode(0o777));
    }
    builder
        .tempdir_in(out)
        .map_err(|error| unwritable(out, &error))
}

/// Temporary files with the rights of ordinary ones, to be renamed when they are complete.
fn writer() -> Builder<'static, 'static> {
    let mut builder = Builder::new();
    builder.prefix(UNFINISHED);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder
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
    // A file system that can't exchange: between the two renames the old set stands beside.
    let beside = target.parent().unwrap_or(Path::new("."));
    let old = folder_beside(beside, OLD).map_err(io::Error::other)?;
    fs::rename(target, old.path())?;
    if let Err(error) = fs::rename(fresh.path(), target) {
        let _ = fs::rename(old.path(), target);
        return Err(error);
    }
    let _ = fresh.keep();
    old.close()
}
