//! `lab scenario`: a built-in scenario's text.

use anyhow::{Result, bail};

use crate::cli::{Verdict, print};
use crate::scenario::builtin;

/// Prints a built-in scenario as it is, comments included; with or without its published numbers.
///
/// # Errors
/// An unknown id; standard output can't be written.
pub fn scenario(id: &str, without_published: bool) -> Result<Verdict> {
    let Some(builtin) = builtin::find(id) else {
        let known: Vec<&str> = builtin::ALL.iter().map(|builtin| builtin.id).collect();
        bail!(
            "no experiment is called `{id}`, expected one of {}",
            known.join(", ")
        );
    };
    print(if without_published {
        builtin.text_without_published()
    } else {
        builtin.text
    })?;
    Ok(Verdict::Agrees)
}
