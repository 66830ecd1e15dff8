//! Reading a user's scenario file, whatever the path turns out to be.

use std::fs;
use std::io::Read;
use std::path::Path;

use super::error::line_after;
use super::{Scenario, ScenarioError};

/// The greatest size of a scenario file: more than a hundred times the longest built-in one.
const MAX_BYTES: u64 = 1 << 20;

/// The scenario in a file; its id is the file's stem.
///
/// # Errors
/// A path that is no regular file, can't be read, is too large or not UTF-8; a stem that can't name a folder; anything wrong in the text.
pub fn read(path: &Path) -> Result<Scenario, ScenarioError> {
    let file = path.display().to_string();
    let refuse = |message: String| ScenarioError {
        file: file.clone(),
        line: None,
        key: None,
        message,
    };
    // The metadata first: opening a FIFO would wait for a writer.
    let metadata = fs::metadata(path).map_err(|error| refuse(format!("can't be read: {error}")))?;
    if metadata.is_dir() {
        return Err(refuse("is a folder, expected a scenario file".into()));
    }
    if !metadata.is_file() {
        return Err(refuse("is not a regular file".into()));
    }
    let too_large = || {
        refuse(format!(
            "is larger than {} KiB, the most a scenario file may have",
            MAX_BYTES / 1024
        ))
    };
    if metadata.len() > MAX_BYTES {
        return Err(too_large());
    }
    let mut bytes = Vec::new();
    let opened = fs::File::open(path).map_err(|error| refuse(format!("can't be read: {error}")))?;
    opened
        .take(MAX_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| refuse(format!("can't be read: {error}")))?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(too_large());
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        let line = line_after(&error.as_bytes()[..error.utf8_error().valid_up_to()]);
        ScenarioError {
            line: Some(line),
            ..refuse("is not text in UTF-8".into())
        }
    })?;
    let id = path
        .file_stem()
        .and_then(|stem| stem.to_str())
        .filter(|id| names_a_folder(id));
    if let Some(extension) = path.extension().and_then(|it| it.to_str())
        && !names_a_folder(extension)
    {
        return Err(refuse(
            "the file's name stands in what is made: its extension must have 1 to 100 letters, digits, spaces or `-_.+`".into(),
        ));
    }
    let Some(id) = id else {
        return Err(refuse(
            "the file's name without its extension names the folder of the results: it must have 1 to 100 letters, digits, spaces or `-_.+`, and not begin with `.`".into(),
        ));
    };
    Scenario::parse(id, &file, &text)
}

/// Whether a folder may be called so: 1 to 100 letters, digits, spaces or `-_.+`, not beginning with `.`.
#[must_use]
pub fn names_a_folder(id: &str) -> bool {
    (1..=100).contains(&id.chars().count())
        && !id.starts_with('.')
        && id
            .chars()
            .all(|c| c.is_alphanumeric() || " -_.+".contains(c))
}
