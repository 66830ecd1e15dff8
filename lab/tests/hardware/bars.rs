//! The project's bars, as a record meets them, and as the README says.

use std::fs;
use std::path::Path;

use super::{bench, record};
use crate::support::{Desk, lab_in};

/// The record of a machine on which everything that the bars name was measured, with times that are easy to compute with.
fn everything(desk: &Desk, machine: &str, slower: f64) {
    for (id, median) in [
        // Of a thousand elements each, as `bench` says: 1 ns for an element is 1000 M/s.
        ("decision/bare-draw/pcg64mcg", 1_000.0),
        ("decision/wait/full-jitter", 1_500.0 * slower),
        ("decision/duration/full-jitter", 3_001.0),
        ("decision/backon/full-jitter", 16_000.0),
        ("decision/tokio-retry/full-jitter", 15_000.0),
        ("decision/tower/equal-jitter", 20_000.0),
        ("decision/tower/deposit-bucket", 1.0),
        ("tick_loop/herd-exact-pcg64/1000", 2_000.0),
        ("tick_loop/herd-exact-pcg64/10000", 4_000.0),
        ("tick_loop/herd-exact-pcg64/100000", 5_000.0),
        ("tick_loop/herd-exact-pcg64/1000000", 5_000.0),
        ("tick_loop/herd-nexosim/1000", 50_000.0),
        ("tick_loop/herd-nexosim/100000", 49_000.0),
        ("tick_loop/herd-cohort/1000000", 1_000.0),
        ("tick_loop/herd-cohort/1000000000", 5e8),
    ] {
        bench(desk, machine, id, median, median / 100.0);
    }
    desk.write(
        "peers/herd-1000.json",
        r#"{"requests_per_processor_s": {"cpython": [1e6, 1e6, 2e6], "lab exact cpython": [26e6, 24e6, 60e6]}}"#,
    );
    desk.write(
        "peers/processes.json",
        r#"{"processes": {"reproduce": {"wall_s": [7.5, 8.5], "peak_bytes": [120e6]}, "cohort-1000000000": {"wall_s": [1], "peak_bytes": [70000000, 60000000, 64000000]}}}"#,
    );
    record(desk, machine, machine);
}

#[test]
fn the_bars_are_computed_from_one_record() {
    let desk = Desk::new();
    everything(&desk, "fast", 1.0);
    let before = desk.files("reports");
    let answer = desk.lab(&["hardware", "compare", "fast", "--format", "markdown"]);
    assert_eq!(
        (answer.code, answer.err.as_str()),
        (Some(0), ""),
        "{answer:?}"
    );
    assert_eq!(desk.files("reports"), before, "nothing is written");
    let (decision, ticks) = ("`cargo bench -- decision`", "`cargo bench -- tick_loop`");
    let herd = "`python benches/peers/herd.py`";
    let processes = "`python benches/peers/processes.py`";
    for row in [
        format!("draw | ≤ 1.5 times | 1.50 (1.47–1.53) | yes | {decision} |"),
        format!("`Duration` | ≤ 3 times | 3.00 (2.94–3.06) | no | {decision} |"),
        format!("`wait` (tokio-retry) | ≥ 10 times | 10.0 (9.8–10.2) | yes | {decision} |"),
        format!("`Duration` (tokio-retry) | ≥ 7 times | 5.00 (4.90–5.10) | no | {decision} |"),
        format!("script | ≥ 25 times | 26.0 (24.0–30.0) | yes | {herd} |"),
        format!("1 M clients | ≥ 150 M requests/s | 200 (198–202) | yes | {ticks} |"),
        format!("clients' time | ≤ 1.3 times | 1.25 (1.23–1.28) | yes | {ticks} |"),
        format!("1,000 clients | ≥ 10 times | 25.0 (24.5–25.5) | yes | {ticks} |"),
        format!("100,000 clients | ≥ 10 times | 9.80 (9.61–10.00) | no | {ticks} |"),
        format!("1 M clients | ≥ 500 M requests/s | 1000 (990–1010) | yes | {ticks} |"),
        format!("herd | ≤ 1 s | 0.50 (0.49–0.51) | yes | {ticks} |"),
        format!("peak | ≤ 64 MB | 64.0 (60.0–70.0) | yes | {processes} |"),
        format!("included | ≤ 8 s | 8.00 (7.50–8.50) | yes | {processes} |"),
        format!("peak | ≤ 150 MB | 120 (120–120) | yes | {processes} |"),
    ] {
        assert!(answer.out.contains(&row), "{row}: {}", answer.out);
    }
    let end = "\nMade by `lab hardware compare fast/1 --format markdown`.\n";
    assert!(answer.out.ends_with(end), "{}", answer.out);

    everything(&desk, "slow", 2.0);
    let answer = desk.lab(&["hardware", "compare"]);
    let lines: Vec<&str> = answer.out.lines().collect();
    let row = lines
        .iter()
        .find(|line| line.starts_with("one full-jitter"));
    let row: Vec<&str> = row.expect("the bars").split("  ").collect();
    let cells: Vec<&str> = row
        .iter()
        .map(|cell| cell.trim())
        .filter(|cell| !cell.is_empty())
        .collect();
    assert_eq!(
        cells[1..],
        [
            "≤ 1.5 times",
            "1.50 (1.47–1.53)",
            "yes",
            "3.00 (2.94–3.06)",
            "no",
            decision
        ],
        "{}",
        answer.out
    );
    let answer = desk.lab(&["hardware", "compare", "--format", "markdown"]);
    assert_eq!(answer.code, Some(2), "{answer:?}");
    assert!(
        answer.err.contains("name one of fast/1, slow/1"),
        "{answer:?}"
    );
}

#[test]
fn what_was_not_measured_is_not_judged() {
    let desk = Desk::new();
    bench(
        &desk,
        "criterion",
        "tick_loop/herd-cohort/1000000",
        1e3,
        1.0,
    );
    desk.write(
        "peers/processes.json",
        r#"{"processes": {"reproduce": {"wall_s": [], "peak_bytes": [-1]}}}"#,
    );
    record(&desk, "criterion", "mine");
    let answer = desk.lab(&["hardware", "compare", "mine", "--format", "markdown"]);
    assert_eq!(
        answer.out.matches("| not measured |  |").count(),
        13,
        "{}",
        answer.out
    );
    bench(&desk, "other", "my/own", 1e3, 1.0);
    record(&desk, "other", "other");
    let answer = desk.lab(&["hardware", "compare", "other", "--format", "markdown"]);
    assert_eq!(
        (answer.code, answer.out.as_str()),
        (Some(2), ""),
        "{answer:?}"
    );
    assert!(
        answer.err.contains("other/1 measured none of the bars"),
        "{answer:?}"
    );
    assert!(
        !desk
            .lab(&["hardware", "compare", "other"])
            .out
            .contains("not measured")
    );
}

/// As long as no record is committed there is nothing that the README could say.
#[test]
fn the_readme_says_of_speed_what_its_record_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let readme = fs::read_to_string(root.join("README.md")).expect("the README");
    let block = readme
        .split_once("<!-- speed: begin -->\n")
        .and_then(|(_, rest)| rest.split_once("<!-- speed: end -->"));
    let Some((block, _)) = block else {
        let answer = lab_in(&root, &["hardware", "compare", "nothing"]);
        assert!(
            answer.err.trim_end().ends_with("which has:"),
            "records are committed, and the README doesn't show what they say: {answer:?}"
        );
        return;
    };
    let command = block
        .rsplit_once("Made by `lab ")
        .and_then(|(_, rest)| rest.split_once('`'));
    let (command, _) = command.expect("the command that made it");
    let arguments: Vec<&str> = command.split(' ').collect();
    assert_eq!(
        (arguments[..2].join(" "), arguments[3..].join(" ")),
        ("hardware compare".into(), "--format markdown".into())
    );
    let answer = lab_in(&root, &arguments);
    assert_eq!(answer.code, Some(0), "{answer:?}");
    assert_eq!(block.trim(), answer.out.trim());
}
