//! Which lines of two texts differ, shortly.

use std::fmt::Write as _;

/// The most lines that are shown of a difference.
const SHOWN: usize = 8;

/// The lines that differ, `-` in the first text and `+` in the second, with their numbers; the first few.
///
/// Texts with as many lines are compared line by line, as a table with changed digits needs; others from both ends, as inserted or removed
/// lines need.
pub(super) fn difference(first: &str, second: &str) -> String {
    let (a, b): (Vec<&str>, Vec<&str>) =
        (first.split('\n').collect(), second.split('\n').collect());
    let changed: Vec<(char, usize, &str)> = if a.len() == b.len() {
        let pairs = a.iter().zip(&b).enumerate().filter(|(_, (a, b))| a != b);
        pairs
            .flat_map(|(at, (a, b))| [('-', at, *a), ('+', at, *b)])
            .collect()
    } else {
        let head = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
        let ends = a[head..].iter().rev().zip(b[head..].iter().rev());
        let tail = ends.take_while(|(a, b)| a == b).count();
        let removed = a[head..a.len() - tail]
            .iter()
            .enumerate()
            .map(|(at, line)| ('-', head + at, *line));
        let added = b[head..b.len() - tail]
            .iter()
            .enumerate()
            .map(|(at, line)| ('+', head + at, *line));
        removed.chain(added).collect()
    };
    let mut text = String::new();
    for (sign, at, line) in changed.iter().take(SHOWN) {
        let _ = writeln!(text, "  {sign} {:4}  {}", at + 1, shortened(line));
    }
    if changed.len() > SHOWN {
        let _ = writeln!(text, "  … and {} more lines", changed.len() - SHOWN);
    }
    text
}

/// The line, cut to what fits on a screen.
fn shortened(line: &str) -> String {
    const WIDTH: usize = 160;
    match line.char_indices().nth(WIDTH) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}
