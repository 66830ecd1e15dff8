//! Which files in a folder are the lab's own, so that nobody else's is ever removed or overwritten.

use std::fs;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

/// How far into a file the command that made it is looked for: a PNG has it before the pixels, a JSON among the first keys.
const HEAD: u64 = 4096;
/// Likewise at the end, where `table.txt` has it.
const TAIL: u64 = 512;

/// Whether a file says that the lab made it.
///
/// # Errors
/// The file can't be read.
pub fn made_by_lab(path: &Path) -> io::Result<bool> {
    let metadata = fs::symlink_metadata(path)?;
    if !metadata.is_file() {
        return Ok(false);
    }
    let mut file = fs::File::open(path)?;
    let (mut head, mut tail) = (Vec::new(), Vec::new());
    file.by_ref().take(HEAD).read_to_end(&mut head)?;
    file.seek(SeekFrom::Start(metadata.len().saturating_sub(TAIL)))?;
    file.take(TAIL).read_to_end(&mut tail)?;
    Ok(names_a_command(&head) || names_a_command(&tail))
}

fn names_a_command(bytes: &[u8]) -> bool {
    [&b"lab reproduce"[..], b"lab run ", b"lab hardware "]
        .iter()
        .any(|command| {
            bytes
                .windows(command.len())
                .any(|window| window == *command)
        })
}
