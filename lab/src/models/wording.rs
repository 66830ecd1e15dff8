//! Pieces of the sentences in titles and findings.

use std::time::Duration;

/// The text with its first letter in upper case.
#[must_use]
pub fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters).collect()
    })
}

/// The names as a list in a sentence: `a`, `a and b`, `a, b and c`.
#[must_use]
pub fn listed(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [only] => (*only).to_owned(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// The number rounded, its digits in groups of three: `12,000,000`.
#[must_use]
pub fn thousands(value: f64) -> String {
    let digits = format!("{value:.0}");
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        let left = digits.len() - at;
        if left.is_multiple_of(3) && text.ends_with(|c: char| c.is_ascii_digit()) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// The duration with a space between number and unit: `100 ms`, `1 s 500 ms`.
#[must_use]
pub fn spoken(duration: Duration) -> String {
    let mut text = String::new();
    for c in humantime::format_duration(duration).to_string().chars() {
        if c.is_alphabetic() && text.ends_with(|c: char| c.is_ascii_digit()) {
            text.push(' ');
        }
        text.push(c);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_read_as_written() {
        assert_eq!(capitalised("equal jitter"), "Equal jitter");
        assert_eq!(capitalised(""), "");
        assert_eq!(
            [listed(&[]), listed(&["a"]), listed(&["a", "b"])],
            ["", "a", "a and b"]
        );
        assert_eq!(listed(&["a", "b", "c"]), "a, b and c");
        assert_eq!(
            [0.0, 999.0, 1000.0, 12e6, -4321.4].map(thousands),
            ["0", "999", "1,000", "12,000,000", "-4,321"]
        );
        assert_eq!(spoken(Duration::from_millis(100)), "100 ms");
        assert_eq!(spoken(Duration::from_millis(1500)), "1 s 500 ms");
    }
}
