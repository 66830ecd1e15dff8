//! Bad scenario files: one error with file, line, key and what is allowed; exit code 2; nothing written.

mod files;
mod keys;
#[path = "../support/mod.rs"]
mod support;
mod together;
mod values;

use support::{Answer, Desk, SMALL_HERD};

/// Runs a scenario text that must be refused, and gives the one line that says why.
fn refused(text: impl AsRef<[u8]>) -> String {
    let desk = Desk::new();
    desk.write("bad.toml", text);
    let answer = desk.lab(&["run", "bad.toml", "--out", "results"]);
    assert_eq!(
        desk.names(),
        ["bad.toml"],
        "nothing may be written: {answer:?}"
    );
    reason(&answer)
}

fn reason(answer: &Answer) -> String {
    assert_eq!(answer.code, Some(2), "{answer:?}");
    // Which metrics there are is known only after the run, whose results are printed all the same.
    let printed = answer.err.contains("no metric is called");
    assert_eq!(!answer.out.is_empty(), printed, "{answer:?}");
    let lines: Vec<&str> = answer.err.lines().collect();
    assert_eq!(lines.len(), 1, "one error on one line: {answer:?}");
    lines[0]
        .strip_prefix("error: ")
        .expect("an error")
        .to_owned()
}

/// The small herd with one piece of text replaced.
fn with(old: &str, new: &str) -> String {
    assert!(SMALL_HERD.contains(old), "{old}");
    SMALL_HERD.replacen(old, new, 1)
}

/// Whether the refusal names the line, the key and what is allowed.
fn check(text: &str, line: usize, key: &str, parts: &[&str]) {
    let reason = refused(text);
    let start = format!("bad.toml:{line}: {key}: ");
    assert!(reason.starts_with(&start), "expected {start:?}: {reason}");
    for part in parts {
        assert!(reason.contains(part), "expected {part:?}: {reason}");
    }
}

#[test]
fn the_small_herd_itself_is_accepted() {
    let desk = Desk::new();
    desk.write("good.toml", SMALL_HERD);
    let answer = desk.lab(&["run", "good.toml"]);
    assert_eq!(
        (answer.code, answer.err.as_str()),
        (Some(0), ""),
        "{answer:?}"
    );
    assert!(
        answer.out.starts_with("strategy     finish s"),
        "{}",
        answer.out
    );
    assert_eq!(
        desk.names(),
        ["good.toml"],
        "without --out nothing is written"
    );
}

/// Text and numbers of any length and content, wherever a scenario can have them: the refusal stays one short line that shows.
#[test]
fn refusals_repeat_little_of_what_was_given() {
    let long = "y\\u001b[31m\\u202e".repeat(1000);
    let digits = "9".repeat(300);
    let row = |value: &str, within: &str| {
        format!(
            "{SMALL_HERD}\n[[published]]\nclaim = \"c\"\nmetric = \"{long}\"\nvalue = {value}\nwithin = {within}\nsource = \"s\"\n"
        )
    };
    for text in [
        with("\"herd\"", &format!("\"{long}\"")),
        with("\"cpython\"", &format!("\"{long}\"")),
        with("\"10ms\"", &format!("\"{long}\"")),
        with("\"full-jitter\"", &format!("\"{long}\"")),
        with("\"full jitter\"", &format!("\"{long}\"")),
        with("clients = 50", &format!("clients = \"{long}\"")),
        with("clients = 50", "clients = 1e300"),
        with("clients = 50", "clients = -1e-300"),
        with("clients = 50", &format!("clients = {digits}")),
        with("clients = 50", &format!("clients = {digits}.0")),
        with("clients = 50", &format!("\"{long}\" = 1")),
        with("model =", &format!("\"{long}\" = 1\nmodel =")),
        with(
            "tick =",
            &format!("\"{long}\" = {{ \"{long}\" = 1 }}\ntick ="),
        ),
        with(
            "give_up_at = \"10s\"",
            &format!("give_up_at = \"10s\"\ndraw = [\"{long}\"]"),
        ),
        with("cap = \"1s\"", "cap = \"1s\", multiplier = 1e300"),
        row("1", "-1e300"),
        row("1e300", "1e300"),
        row("1", "1").replacen("count = 2", "count = 300", 1),
    ] {
        let reason = refused(&text);
        let shown = reason.chars().count();
        let start = text.chars().take(60).collect::<String>();
        assert!(shown < 600, "{shown} characters for {start}: {reason}");
        assert!(
            reason.chars().all(lab::shown::is_printable),
            "{start}: {reason:?}"
        );
        assert!(
            !reason.contains(&"9".repeat(61)) && !reason.contains(&"0".repeat(61)),
            "{reason}"
        );
    }
}
