//! Reading what should be an artifact, whatever is at its place.

use std::fs;
use std::io::{self, Read};
use std::path::Path;

/// The greatest file that is read: many times the largest artifact.
const MAX_BYTES: u64 = 64 << 20;

/// What is at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// Nothing.
    Missing,
    /// A folder, a pipe, a device.
    NotAFile,
    /// A file of more than 64 MiB.
    TooLarge,
    /// A file with these bytes.
    Bytes(Vec<u8>),
}

/// The bytes of a file that must be there; links are followed.
///
/// # Errors
/// Nothing, no file or a file of more than 64 MiB at the path; what can't be read.
pub fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    match read(path)? {
        Content::Bytes(bytes) => Ok(bytes),
        Content::Missing => Err(io::ErrorKind::NotFound.into()),
        Content::NotAFile => Err(io::Error::other("is not a regular file")),
        Content::TooLarge => Err(io::Error::other("is larger than 64 MiB")),
    }
}

/// What is at a path; links are followed.
///
/// # Errors
/// Something that can't be looked at.
pub fn read(path: &Path) -> io::Result<Content> {
    use io::ErrorKind::{NotADirectory, NotFound};
    // The metadata first: opening a pipe would wait for a writer.
    let metadata = match fs::metadata(path) {
        Err(error) if matches!(error.kind(), NotFound | NotADirectory) => {
            return Ok(Content::Missing);
        }
        other => other?,
    };
    if !metadata.is_file() {
        return Ok(Content::NotAFile);
    }
    let mut bytes = Vec::new();
    fs::File::open(path)?
        .take(MAX_BYTES + 1)
        .read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Ok(Content::TooLarge);
    }
    Ok(Content::Bytes(bytes))
}
