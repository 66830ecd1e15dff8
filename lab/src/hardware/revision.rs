//! The code that was measured.

use super::machine::said;

/// The commit in whose working tree this runs, such as `commit 1aea2cc4f0b1`, with ` and changes` if a tracked file differs from it; none
/// outside a repository.
#[must_use]
pub fn revision() -> Option<String> {
    let commit = said("git", &["rev-parse", "--short=12", "HEAD"])?;
    let changed = said("git", &["status", "--porcelain", "--untracked-files=no"]).is_some();
    Some(format!(
        "commit {commit}{}",
        if changed { " and changes" } else { "" }
    ))
}
