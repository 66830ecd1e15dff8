//! A report with one section for each scenario, of which some are made anew and the others stay.

use std::collections::BTreeMap;

use crate::scenario::builtin;

/// Sections by scenario id, each beginning with a line `## id` or `## id: …` and ending in a line end.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Sections(BTreeMap<String, String>);

impl Sections {
    /// The sections of a report's text that belong to built-in scenarios; text before, between and after is dropped.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let mut sections = BTreeMap::new();
        let mut rest = text;
        while let Some(start) = heading(rest) {
            rest = &rest[start..];
            let end = heading(&rest[1..]).map_or(rest.len(), |next| next + 1);
            let section = &rest[..end];
            let id = section[3..].split(['\n', ':']).next().unwrap_or_default();
            if builtin::find(id).is_some() {
                sections.insert(id.to_owned(), format!("{}\n", section.trim_end()));
            }
            rest = &rest[end..];
        }
        Self(sections)
    }

    /// Puts a section in the place of the one with the same id, or beside the others.
    pub fn replace(&mut self, id: &str, section: String) {
        self.0.insert(id.to_owned(), section);
    }

    /// The sections in the order of the built-in scenarios.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        builtin::ALL
            .iter()
            .filter_map(|builtin| self.0.get(builtin.id))
            .map(String::as_str)
    }

    /// The sections in that order, a blank line between two.
    #[must_use]
    pub fn join(&self) -> String {
        let texts: Vec<&str> = self.texts().collect();
        texts.join("\n")
    }
}

/// Where the next line that begins with `## ` begins.
fn heading(text: &str) -> Option<usize> {
    if text.starts_with("## ") {
        return Some(0);
    }
    text.find("\n## ").map(|at| at + 1)
}
