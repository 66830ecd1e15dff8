//! The scenarios that are part of the program, so that it works from any folder.

use super::{Scenario, ScenarioError};

/// A scenario that is part of the program.
#[derive(Debug, Clone, Copy)]
pub struct Builtin {
    /// Its id.
    pub id: &'static str,
    /// Its text, with the comments.
    pub text: &'static str,
}

macro_rules! builtin {
    ($($id:literal),* $(,)?) => {
        [$(Builtin { id: $id, text: include_str!(concat!("../../scenarios/", $id, ".toml")) }),*]
    };
}

/// Every built-in scenario, in the order in which they are listed, indexed and entered in the ledger.
pub static ALL: &[Builtin] = &builtin![
    "waits",
    "herd",
    "herd-spread",
    "layers",
    "ownership",
    "availability",
    "budget",
    "breaker",
    "occ",
    "policy",
    // one line each, in the order of the specification
];

/// The built-in scenario with this id.
#[must_use]
pub fn find(id: &str) -> Option<Builtin> {
    ALL.iter().find(|builtin| builtin.id == id).copied()
}

impl Builtin {
    /// Its text up to the first `[[published]]` row and the comment above it: the rows come last in every built-in scenario.
    #[must_use]
    pub fn text_without_published(self) -> &'static str {
        let (mut read, mut kept) = (0, 0);
        for line in self.text.split_inclusive('\n') {
            if line.trim_end() == "[[published]]" {
                return &self.text[..kept];
            }
            read += line.len();
            if !line.starts_with('#') && !line.trim_end().is_empty() {
                kept = read;
            }
        }
        self.text
    }

    /// The checked scenario.
    ///
    /// # Errors
    /// None, as long as the program's tests pass: one of them parses every built-in scenario.
    pub fn scenario(self) -> Result<Scenario, ScenarioError> {
        Scenario::parse(self.id, &format!("{}.toml", self.id), self.text)
    }
}
