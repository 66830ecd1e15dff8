//! The records on disk: `<machine>/<number>.json`, appended and never overwritten.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use super::Record;
use crate::artifacts::{self, Turn, add_file, read_file};

/// A record with the name by which it is spoken of: `machine/number`.
#[derive(Debug, Clone, PartialEq)]
pub struct Stored {
    /// The name.
    pub name: String,
    /// What it says.
    pub record: Record,
}

/// Writes a record as the next of its machine and returns its path.
///
/// # Errors
/// A place that can't be written.
pub fn append(folder: &Path, record: &Record) -> Result<PathBuf> {
    let folder = folder.join(&record.machine.name);
    let turn = Turn::take(&folder)?;
    let value = serde_json::to_value(record).context("the record can't be written as JSON")?;
    let text = artifacts::pretty(&value);
    let mut last = numbers(&folder)?.last().copied().unwrap_or(0);
    loop {
        let Some(number) = last.checked_add(1) else {
            bail!("{} has no number left for a record", folder.display());
        };
        let name = format!("{number}.json");
        match add_file(&turn, &name, text.as_bytes()) {
            Ok(()) => return Ok(folder.join(name)),
            // Another process took the number meanwhile, where there are no locks.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => last = number,
            Err(error) => bail!("{} can't be written: {}", folder.display(), error.kind()),
        }
    }
}

/// The record that a file, or the name of a machine (its last) or of a record (`machine/number`), stands for.
///
/// # Errors
/// None such, or not a record.
pub fn load(folder: &Path, asked: &str) -> Result<Stored> {
    let given = Path::new(asked);
    if given.is_file() {
        return read(given);
    }
    let machine = folder.join(asked);
    if let Some(last) = numbers(&machine)?.last() {
        return read(&machine.join(format!("{last}.json")));
    }
    let numbered = folder.join(format!("{asked}.json"));
    if numbered.is_file() {
        return read(&numbered);
    }
    let known = match machines(folder)?.as_slice() {
        [] => "no records".to_owned(),
        machines => machines.join(", "),
    };
    bail!(
        "`{asked}` is no record's file and no machine in {}, which has: {known}",
        folder.display()
    )
}

/// The last record of each machine, by name; of a single machine its last two.
///
/// # Errors
/// A folder or record that can't be read.
pub fn latest(folder: &Path) -> Result<Vec<Stored>> {
    let machines = machines(folder)?;
    if let [machine] = machines.as_slice() {
        let machine = folder.join(machine);
        let numbers = numbers(&machine)?;
        let last_two = numbers.iter().rev().take(2).rev();
        return last_two
            .map(|number| read(&machine.join(format!("{number}.json"))))
            .collect();
    }
    let last = machines.iter().map(|machine| load(folder, machine));
    last.collect()
}

fn read(path: &Path) -> Result<Stored> {
    let bytes = read_file(path).with_context(|| format!("{} can't be read", path.display()))?;
    let record: Record = serde_json::from_slice(&bytes)
        .with_context(|| format!("{} is not a record", path.display()))?;
    if let Some(flaw) = record.flaw() {
        bail!("{} is not a record: {flaw}", path.display());
    }
    let number = path.file_stem().unwrap_or_default().to_string_lossy();
    let name = format!("{}/{number}", record.machine.name);
    Ok(Stored { name, record })
}

/// The machines that have records, sorted.
fn machines(folder: &Path) -> Result<Vec<String>> {
    let mut machines = Vec::new();
    for name in entries(folder)? {
        if !numbers(&folder.join(&name))?.is_empty() {
            machines.push(name);
        }
    }
    machines.sort();
    Ok(machines)
}

/// The numbers of a machine's records, ascending.
fn numbers(folder: &Path) -> Result<Vec<u32>> {
    let entries = entries(folder)?;
    let numbers = entries.iter().filter_map(|name| {
        let stem = name.strip_suffix(".json")?;
        let number: u32 = stem.parse().ok()?;
        // Not `007` or `+5`, which is nobody's record.
        (number.to_string() == stem).then_some(number)
    });
    let mut numbers: Vec<u32> = numbers.collect();
    numbers.sort_unstable();
    Ok(numbers)
}

/// The names in a folder; none if it isn't there or isn't a folder.
fn entries(folder: &Path) -> Result<Vec<String>> {
    match fs::read_dir(folder) {
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
            ) =>
        {
            Ok(Vec::new())
        }
        other => {
            let names = other.and_then(|entries| {
                entries
                    .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()))
                    .collect::<io::Result<_>>()
            });
            names.with_context(|| format!("{} can't be read", folder.display()))
        }
    }
}
