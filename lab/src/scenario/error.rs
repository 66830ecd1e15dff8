//! What is wrong with a scenario file, and where.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::shown;

/// Something wrong in a scenario's text, not yet tied to a file: the place, what is wrong there, and what is allowed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    pub(crate) span: Option<Range<usize>>,
    pub(crate) message: String,
}

impl Problem {
    /// A problem with a value that was read as [`Spanned`].
    #[must_use]
    pub fn at<T>(place: &Spanned<T>, message: impl Into<String>) -> Self {
        Self {
            span: Some(place.span()),
            message: message.into(),
        }
    }

    /// A problem with the file as a whole.
    #[must_use]
    pub fn anywhere(message: impl Into<String>) -> Self {
        Self {
            span: None,
            message: message.into(),
        }
    }
}

impl From<toml::de::Error> for Problem {
    fn from(error: toml::de::Error) -> Self {
        // serde speaks of fields; a person who writes a scenario has keys.
        let message = match error.message() {
            // One of several names is wanted, and no name was given.
            message if message.starts_with("wanted ") => {
                "must be a name in quotes, see `lab scenario --help`".to_owned()
            }
            message => message
                .replace("unknown field", "unknown key")
                .replace("missing field", "missing key")
                .replace("duplicate field", "duplicate key"),
        };
        Self {
            span: error.span(),
            message,
        }
    }
}

/// Why a scenario was refused: file, line, key, what is wrong and what is allowed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}{}: {}{message}", line.map(|line| format!(":{line}")).unwrap_or_default(), key.as_ref().map(|key| format!("{key}: ")).unwrap_or_default())]
pub struct ScenarioError {
    /// The file as the user named it, or the scenario's id.
    pub file: String,
    /// The line, counted from 1.
    pub line: Option<usize>,
    /// The key, as a path: `strategy[2].backoff.cap`, entries counted from 1.
    pub key: Option<String>,
    /// What is wrong, and what is allowed.
    pub message: String,
}

impl ScenarioError {
    /// The problem, with the line and the key found from its place in the text.
    pub(crate) fn locate(
        file: &str,
        text: &str,
        root: Option<&DeTable<'_>>,
        problem: Problem,
    ) -> Self {
        let message = shown::complaint(&problem.message);
        let Some(span) = problem.span else {
            return Self {
                file: file.to_owned(),
                line: None,
                key: None,
                message,
            };
        };
        let start = span.start.min(text.len());
        let message = match text.get(span) {
            Some(given) if message == "duplicate key" && !given.is_empty() => {
                shown::complaint(&format!("duplicate key `{given}`"))
            }
            _ => message,
        };
        let line = line_after(&text.as_bytes()[..start]);
        let key = root.and_then(|root| narrowest_key(root, start));
        let key = key.map(|key| shown::cut(&shown::one_line(&key)));
        Self {
            file: file.to_owned(),
            line: Some(line),
            key,
            message,
        }
    }
}

/// The number of the line on which the text after `before` begins, counted from 1.
pub(crate) fn line_after(before: &[u8]) -> usize {
    before.split(|&byte| byte == b'\n').count()
}

/// The path of the smallest key or value whose text contains the offset.
fn narrowest_key(root: &DeTable<'_>, offset: usize) -> Option<String> {
    let mut best: Option<(usize, String)> = None;
    visit_table(root, "", &mut |path, span| {
        let width = span.end - span.start;
        if span.contains(&offset)
            && best
                .as_ref()
                .is_none_or(|(narrowest, _)| width <= *narrowest)
        {
            best = Some((width, path.to_owned()));
        }
    });
    best.map(|(_, path)| path)
}

fn visit_table(table: &DeTable<'_>, prefix: &str, seen: &mut impl FnMut(&str, Range<usize>)) {
    for (key, value) in table {
        let path = if prefix.is_empty() {
            key.get_ref().to_string()
        } else {
            format!("{prefix}.{}", key.get_ref())
        };
        seen(&path, key.span());
        visit_value(value, &path, seen);
    }
}

fn visit_value(
    value: &Spanned<DeValue<'_>>,
    path: &str,
    seen: &mut impl FnMut(&str, Range<usize>),
) {
    seen(path, value.span());
    match value.get_ref() {
        DeValue::Table(table) => visit_table(table, path, seen),
        DeValue::Array(entries) => {
            for (index, entry) in entries.iter().enumerate() {
                visit_value(entry, &format!("{path}[{}]", index + 1), seen);
            }
        }
        _ => {}
    }
}
