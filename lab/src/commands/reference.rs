//! What every key of a scenario means, for the long help.

use std::fmt::Write as _;

use crate::models;

/// The width of the help: what fits into the narrowest usual terminal, so that nothing else breaks the lines.
const WIDTH: usize = 78;

const HEADER: &str = "\
Every key of a scenario file. A key is required unless a default is given; an unknown one is refused.
Durations are text: \"10ms\", \"1s 500ms\", \"2m\". Ranges include their ends.

Every model:
  model      which of the models below
  question   text: what the experiment asks
  rng        \"pcg64\" (default) or \"cpython\", CPython's random.Random bit for bit; only for models that draw
  engine     \"exact\" (default) or, for some models, \"cohort\"
  seeds      { first, count }: the runs' seeds; first 0 to 2^53, count 1 to 10000; only for models that draw by seed

[[published]], any number of times, a number that ours must meet:
  claim      text: what was published
  metric     which of our numbers, see the model's metrics: name/measure/statistic
  value      the published number
  within     how far ours may be from it, at least 0
  source     text: where it was published

A backoff, as in `backoff = { kind = \"full-jitter\", base = \"100ms\", cap = \"10s\" }`:
  kind           immediate, fixed, exponential, full-jitter, equal-jitter, decorrelated or proportional
  wait           fixed: the wait, 0 to 365 days
  base           the others but immediate: the first nominal wait, 0 to 365 days
  cap            the same: the greatest nominal wait, base to 365 days
  multiplier     not for decorrelated: from one failure to the next, 1 to 1000, default 2
  exponent_from  not for decorrelated: the exponent at the first failure, 0 to 1000, default 0
  factor         proportional: the half-width of the jitter, 0 to 1, default 0.2

[[strategy]], 1 to 32 times, for the models that have it:
  name       1 to 60 characters without `/`, each name once
  backoff    see above
";

/// What every key means, in lines of at most 78 characters.
#[must_use]
pub fn reference() -> String {
    let mut text = HEADER.to_owned();
    for model in &models::ALL {
        let _ = write!(text, "\nModel {}:\n{}", model.name, model.reference);
    }
    filled(&text)
}

/// A paragraph or an entry: what stands before its text, and the text.
struct Entry<'a> {
    head: &'a str,
    text: String,
}

impl Entry<'_> {
    fn column(&self) -> usize {
        self.head.chars().count()
    }

    /// Whether the line goes on with the entry's text.
    fn goes_on(&self, line: &str) -> bool {
        let text = line.trim_start();
        let indent = line.len() - text.len();
        if text.is_empty() || indent != self.column() {
            return false;
        }
        // A list of values has a line for each. At the margin only a sentence goes on, and only if it isn't at its end.
        let sentence = !self.text.starts_with('[') && !self.text.ends_with(['.', ':']);
        if indent > 0 {
            !text.starts_with('"')
        } else {
            !text.starts_with('[') && !self.text.is_empty() && sentence
        }
    }
}

/// The text with its paragraphs and entries filled to the width, an entry's text under itself.
fn filled(text: &str) -> String {
    let mut entries: Vec<Entry<'_>> = Vec::new();
    for line in text.lines() {
        if let Some(last) = entries.last_mut()
            && last.goes_on(line)
        {
            last.text.push(' ');
            last.text.push_str(line.trim());
            continue;
        }
        let (head, text) = line.split_at(text_starts(line));
        entries.push(Entry {
            head,
            text: text.trim_end().to_owned(),
        });
    }
    let mut out = String::new();
    for entry in &entries {
        let mut line = entry.head.to_owned();
        let mut width = entry.column();
        let mut empty = true;
        for word in entry.text.split(' ') {
            let length = word.chars().count();
            if !empty && width + 1 + length > WIDTH {
                let _ = writeln!(out, "{line}");
                line = " ".repeat(entry.column());
                width = entry.column();
                empty = true;
            }
            if !empty {
                line.push(' ');
                width += 1;
            }
            line.push_str(word);
            width += length;
            empty = false;
        }
        let _ = writeln!(out, "{}", line.trim_end());
    }
    out
}

/// Where a line's text starts: after the two spaces or more that follow a key, else after those that it begins with.
fn text_starts(line: &str) -> usize {
    let margin = line.len() - line.trim_start().len();
    let Some(gap) = line[margin..].find("  ") else {
        return margin;
    };
    let rest = line[margin + gap..].trim_start();
    line.len() - rest.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_filled_under_themselves() {
        let words = "many words ".repeat(12);
        let text = format!(
            "A sentence\nthat goes on.\nAnother.\n[table]  {words}\n  key    first\n         second\n         \"third\"\n  other  {words}\n"
        );
        let eleven = "many words ".repeat(6).trim_end().to_owned();
        let expected = format!(
            "A sentence that goes on.\nAnother.\n[table]  {eleven}\n         {eleven}\n  key    first second\n         \"third\"\n  other  {eleven}\n         {eleven}\n"
        );
        assert_eq!(filled(&text), expected);
    }
}
