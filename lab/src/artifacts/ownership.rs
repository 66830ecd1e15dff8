//! Which files in a folder are the lab's own, so that nobody else's is ever removed or overwritten.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::path::Path;

use super::{RUNS, TABLE};
use crate::{hardware, index, ledger};

/// How much of a file's beginning and of its end is looked at.
const ENDS: u64 = 4096;

/// A command that makes files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verb {
    /// `lab reproduce`
    Reproduce,
    /// `lab run`
    Run,
    /// `lab hardware`
    Hardware,
}

impl Verb {
    /// The verb of a command line; none if it isn't one of these.
    #[must_use]
    pub fn of(command: &str) -> Option<Self> {
        let mut words = command.split(' ');
        if words.next() != Some("lab") {
            return None;
        }
        match words.next()? {
            "reproduce" => Some(Self::Reproduce),
            "run" => Some(Self::Run),
            "hardware" => Some(Self::Hardware),
            _ => None,
        }
    }
}

/// The command that a file says made it; none unless it is called and says so exactly as the lab's own files do.
///
/// # Errors
/// The file can't be read.
pub fn made_by(path: &Path) -> io::Result<Option<String>> {
    let metadata = fs::symlink_metadata(path)?;
    let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
    let extension = path.extension().and_then(OsStr::to_str).unwrap_or_default();
    let says: fn(&[u8], &[u8]) -> Option<String> = match (name, extension) {
        (TABLE | hardware::COMPARISON, _) => |_, tail| last_line(tail),
        (RUNS, _) => |head, _| json_key(head),
        (ledger::FILE, _) => |head, _| begins(head, ledger::OPENING),
        (index::FILE, _) => |head, _| begins(head, index::OPENING),
        (_, "png") => |head, _| png_comment(head),
        (_, "svg") => |head, _| svg_description(head),
        _ => return Ok(None),
    };
    // Before it is opened: a pipe would wait for a writer.
    if !metadata.is_file() {
        return Ok(None);
    }
    let mut file = fs::File::open(path)?;
    let (mut head, mut tail) = (Vec::new(), Vec::new());
    file.by_ref().take(ENDS).read_to_end(&mut head)?;
    file.seek(SeekFrom::Start(metadata.len().saturating_sub(ENDS)))?;
    file.take(ENDS).read_to_end(&mut tail)?;
    Ok(says(&head, &tail).filter(|command| Verb::of(command).is_some()))
}

fn last_line(tail: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(tail);
    let line = text.lines().next_back()?;
    let command = line.strip_prefix("Made by `")?.strip_suffix("`.")?;
    Some(command.to_owned())
}

/// The key stands among the first, on a line of its own.
fn json_key(head: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(head);
    let values = text.lines().take(8).filter_map(|line| {
        let value = line.strip_prefix("  \"command\": ")?;
        serde_json::from_str(value.strip_suffix(',').unwrap_or(value)).ok()
    });
    values.into_iter().next()
}

/// Line by line, since a checkout may have changed how lines end.
fn begins(head: &[u8], opening: &str) -> Option<String> {
    let text = String::from_utf8_lossy(head);
    let mut lines = text.lines();
    let same = opening.lines().all(|line| lines.next() == Some(line));
    same.then(|| "lab reproduce".to_owned())
}

fn png_comment(head: &[u8]) -> Option<String> {
    // The comment stands before the pixels, which are not read.
    let reader = png::Decoder::new(Cursor::new(head)).read_info().ok()?;
    let comment = reader
        .info()
        .utf8_text
        .iter()
        .find(|chunk| chunk.keyword == "Comment")?;
    comment.get_text().ok()
}

fn svg_description(head: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(head);
    let commands = text.lines().filter_map(|line| {
        let command = line.strip_prefix("<desc>Made by: ")?;
        command.strip_suffix("</desc>")
    });
    commands.into_iter().next().map(str::to_owned)
}
