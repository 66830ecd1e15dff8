//! How text and numbers from anywhere are shown, so that none of them breaks a line, a terminal or a reader.

/// The most characters that are repeated of what was given.
const QUOTED: usize = 60;

/// Whether a character shows as itself: no control character, and none that is invisible, breaks a line or turns the direction of its
/// neighbours (Unicode's format characters, separators and default ignorables).
#[must_use]
pub fn is_printable(c: char) -> bool {
    const HIDDEN: [(char, char); 26] = [
        ('\u{ad}', '\u{ad}'),
        ('\u{34f}', '\u{34f}'),
        ('\u{600}', '\u{605}'),
        ('\u{61c}', '\u{61c}'),
        ('\u{6dd}', '\u{6dd}'),
        ('\u{70f}', '\u{70f}'),
        ('\u{890}', '\u{891}'),
        ('\u{8e2}', '\u{8e2}'),
        ('\u{115f}', '\u{1160}'),
        ('\u{17b4}', '\u{17b5}'),
        ('\u{180b}', '\u{180f}'),
        ('\u{200b}', '\u{200f}'),
        ('\u{2028}', '\u{202e}'),
        ('\u{2060}', '\u{206f}'),
        ('\u{3164}', '\u{3164}'),
        ('\u{fe00}', '\u{fe0f}'),
        ('\u{feff}', '\u{feff}'),
        ('\u{ffa0}', '\u{ffa0}'),
        ('\u{fff0}', '\u{fffb}'),
        ('\u{110bd}', '\u{110bd}'),
        ('\u{110cd}', '\u{110cd}'),
        ('\u{13430}', '\u{1343f}'),
        ('\u{1bca0}', '\u{1bca3}'),
        ('\u{1d173}', '\u{1d17a}'),
        ('\u{e0000}', '\u{e0fff}'),
        ('\u{f0000}', '\u{10ffff}'),
    ];
    !c.is_control()
        && !HIDDEN
            .iter()
            .any(|(first, last)| (*first..=*last).contains(&c))
}

/// The text with a space for each character that doesn't show as itself, line breaks included.
#[must_use]
pub fn one_line(text: &str) -> String {
    text.replace(|c| !is_printable(c), " ")
}

/// The same line by line: line breaks stay.
#[must_use]
pub fn lines(text: &str) -> String {
    text.replace(|c| c != '\n' && !is_printable(c), " ")
}

/// The text, cut after 60 characters.
#[must_use]
pub fn cut(text: &str) -> String {
    match text.char_indices().nth(QUOTED) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// The number with all its digits, by powers of ten from 10^15 up and below 10^-6.
#[must_use]
pub fn number(value: f64) -> String {
    if value == 0.0 || (1e-6..1e15).contains(&value.abs()) {
        value.to_string()
    } else {
        format!("{value:e}")
    }
}

/// A message about something wrong on one line, with what it quotes of it cut: a text after 60 characters, a number to its digits that count.
#[must_use]
pub fn complaint(message: &str) -> String {
    let message = one_line(message);
    let Some(start) = message.find(['`', '"']) else {
        return message;
    };
    let quote = &message[start..=start];
    let rest = &message[start + 1..];
    // What was given comes first, and may contain anything; then comes what is allowed.
    let ends = [", expected ", ": must "].map(|then| rest.find(&format!("{quote}{then}")));
    let end = ends.into_iter().flatten().min();
    let Some(end) = end.or_else(|| rest.rfind(quote)) else {
        return message;
    };
    let given = &rest[..end];
    let given = match given.parse() {
        Ok(value) if message[..start].ends_with("floating point ") => {
            // A number that is no whole one was written with a point or a power.
            let plain = (1e-6..1e15).contains(&f64::abs(value));
            if plain {
                given.to_owned()
            } else {
                number(value)
            }
        }
        _ => cut(given),
    };
    format!("{}{quote}{given}{}", &message[..start], &rest[end..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_show_is_a_space() {
        assert_eq!(
            one_line("a\u{1b}[2J\nb\u{202e}c\u{200b}d\u{2028}é漢"),
            "a [2J b c d é漢"
        );
        assert_eq!(lines("a\u{1b}\nb\r\n"), "a \nb \n");
    }

    #[test]
    fn numbers_at_the_ends_of_plain_digits() {
        for (value, text) in [
            (0.0, "0"),
            (-0.5, "-0.5"),
            (1e-6, "0.000001"),
            (9.9e-7, "9.9e-7"),
            (999_999_999_999_999.0, "999999999999999"),
            (1e15, "1e15"),
            (-1e300, "-1e300"),
            (f64::NAN, "NaN"),
        ] {
            assert_eq!(number(value), text);
        }
    }

    #[test]
    fn complaints_repeat_little_of_what_was_given() {
        let long = "x`, y".repeat(100);
        let x60 = cut(&long);
        assert_eq!(x60.chars().count(), 61);
        for (message, shown) in [
            (
                format!("unknown `{long}`, expected one of `a`, `b`"),
                format!("unknown `{x60}`, expected one of `a`, `b`"),
            ),
            (
                format!("string \"{long}\", expected a name"),
                format!("string \"{x60}\", expected a name"),
            ),
            (
                format!("floating point `{}`, expected less", 1e300),
                "floating point `1e300`, expected less".into(),
            ),
            (
                "floating point `50.0`, expected".into(),
                "floating point `50.0`, expected".into(),
            ),
            (
                "kind `fixed` has no key `cap`, expected `wait`".into(),
                "kind `fixed` has no key `cap`, expected `wait`".into(),
            ),
            (
                format!("base = \"{long}\": must be a duration in quotes, such as \"1s\""),
                format!("base = \"{x60}\": must be a duration in quotes, such as \"1s\""),
            ),
            ("no quotes".into(), "no quotes".into()),
            ("one ` only".into(), "one ` only".into()),
        ] {
            assert_eq!(complaint(&message), shown);
        }
    }
}
