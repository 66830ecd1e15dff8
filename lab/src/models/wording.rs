//! Pieces of the sentences in titles and findings.

use std::time::Duration;

/// The name in quotes, so that a strategy called `None` isn't read as a word of the sentence.
#[must_use]
pub fn quoted(name: &str) -> String {
    format!("“{name}”")
}

/// The number with its noun: `1 client`, `1,000 clients`.
#[must_use]
pub fn counted(number: u64, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", thousands(number as f64))
}

/// What a table's numbers are of: `Mean (least-greatest) of 20 runs`, `Of one run`.
#[must_use]
pub fn of_runs(count: u32) -> String {
    match count {
        1 => "Of one run".to_owned(),
        count => format!(
            "Mean (least-greatest) of {}",
            counted(u64::from(count), "run")
        ),
    }
}

/// Seconds as a figure names them: one decimal from 1 s on, below it as many as make two digits.
#[must_use]
pub fn seconds(value: f64) -> String {
    let decimals = (1..=9).find(|&decimals| {
        let tenfold = (0..decimals).fold(value, |value, _| value * 10.0);
        tenfold >= 9.95
    });
    match decimals {
        _ if value >= 0.95 || value <= 0.0 => format!("{value:.1} s"),
        Some(decimals) => {
            let text = format!("{value:.decimals$}");
            format!("{} s", text.trim_end_matches('0'))
        }
        None => format!("{value:.9} s"),
    }
}

/// Seconds that were chosen: `120 s`; fractions as [`seconds`] has them.
#[must_use]
pub fn chosen_seconds(value: f64) -> String {
    if value >= 1.0 && value.fract() == 0.0 {
        format!("{value:.0} s")
    } else {
        seconds(value)
    }
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
        assert_eq!(quoted("None"), "“None”");
        assert_eq!(
            [0, 1, 1000].map(|number| counted(number, "client")),
            ["0 clients", "1 client", "1,000 clients"]
        );
        assert_eq!(
            [120.0, 2.5, 0.01].map(chosen_seconds),
            ["120 s", "2.5 s", "0.01 s"]
        );
        assert_eq!(
            [0.0, 1e-9, 0.01, 0.0123, 0.25, 0.996, 1.0, 12.03].map(seconds),
            [
                "0.0 s",
                "0.000000001 s",
                "0.01 s",
                "0.012 s",
                "0.25 s",
                "1.0 s",
                "1.0 s",
                "12.0 s"
            ]
        );
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
