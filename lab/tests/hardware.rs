//! `lab hardware`: records are appended, and compared with what is noise.

mod support;

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use support::{Desk, lab_in};

/// A bench as criterion leaves it.
fn bench(desk: &Desk, folder: &str, id: &str, median: f64, half: f64) {
    let estimate = json!({
        "point_estimate": median,
        "standard_error": 0.1,
        "confidence_interval": {"confidence_level": 0.95, "lower_bound": median - half, "upper_bound": median + half},
    });
    let estimates = json!({"mean": estimate, "median": estimate, "median_abs_dev": estimate, "slope": null, "std_dev": estimate});
    let benchmark = json!({
        "group_id": id.split('/').next(), "function_id": null, "value_str": null, "throughput": {"Elements": 1000},
        "full_id": id, "directory_name": id, "title": id,
    });
    let place = format!("{folder}/{id}/new");
    desk.write(&format!("{place}/benchmark.json"), benchmark.to_string());
    desk.write(&format!("{place}/estimates.json"), estimates.to_string());
    desk.write(&format!("{folder}/{id}/report/index.html"), "");
}

fn record(desk: &Desk, folder: &str, machine: &str) -> String {
    let answer = desk.lab(&[
        "hardware",
        "record",
        "--criterion-dir",
        folder,
        "--peers-dir",
        "peers",
        "--machine",
        machine,
    ]);
    assert_eq!(
        (answer.code, answer.err.as_str()),
        (Some(0), ""),
        "{answer:?}"
    );
    answer.out
}

#[test]
fn records_are_appended_with_the_machine_and_the_peers() {
    let desk = Desk::new();
    bench(&desk, "criterion", "herd/exact/1000", 1234.5, 10.0);
    desk.write(
        "peers/herd-1000.json",
        r#"{"times_cpython": {"simpy": 0.2}}"#,
    );
    let out = record(&desk, "criterion", "old");
    assert!(out.starts_with("recorded 1 benches in reports"), "{out}");
    let first = desk.read("reports/hardware/old/1.json");
    record(&desk, "criterion", "old");
    assert_eq!(
        desk.read("reports/hardware/old/1.json"),
        first,
        "never overwritten"
    );
    let record: Value =
        serde_json::from_str(&desk.read("reports/hardware/old/2.json")).expect("JSON");
    let expected = json!({
        "id": "herd/exact/1000", "median_ns": 1234.5, "low_ns": 1224.5, "high_ns": 1244.5, "confidence": 0.95, "elements": 1000,
    });
    assert_eq!(record["benches"], json!([expected]));
    assert_eq!(record["peers"]["herd-1000"]["times_cpython"]["simpy"], 0.2);
    for key in [
        "processor",
        "cores",
        "memory_mib",
        "system",
        "compiler",
        "flags",
    ] {
        assert!(!record["machine"][key].is_null(), "{key}");
    }
}

#[test]
fn comparison_tells_differences_from_noise() {
    let desk = Desk::new();
    for (folder, factor) in [("one", 1.0), ("two", 2.0)] {
        bench(&desk, folder, "decision/wait", 100.0 * factor, 5.0);
        bench(&desk, folder, "decision/steady", 100.0 + factor, 5.0);
        bench(&desk, folder, "decision/better", 100.0 / factor, 5.0);
        record(&desk, folder, folder);
    }
    bench(&desk, "one", "decision/only here", 7.0, 1.0);
    record(&desk, "one", "one");
    let answer = desk.lab(&["hardware", "compare"]);
    assert_eq!(answer.code, Some(0), "{answer:?}");
    let line = |id: &str| {
        answer
            .out
            .lines()
            .find(|line| line.starts_with(id))
            .unwrap_or_default()
            .to_owned()
    };
    assert!(
        line("bench").contains("one/2") && line("bench").contains("two/1"),
        "{}",
        answer.out
    );
    assert!(
        line("decision/wait").ends_with("0.10 ns   0.20 ns   2.00 (1.86-2.16) slower"),
        "{}",
        answer.out
    );
    assert!(
        line("decision/steady").ends_with("within noise"),
        "{}",
        answer.out
    );
    assert!(
        line("decision/better").ends_with("0.50 (0.43-0.58) faster"),
        "{}",
        answer.out
    );
    assert!(
        line("decision/only here").ends_with("0.01 ns"),
        "{}",
        answer.out
    );
    assert!(
        answer
            .out
            .contains("two/1 against one/2: 2 of 3 differences exceed the noise."),
        "{}",
        answer.out
    );
    let picture = fs::read(desk.path("reports/hardware/comparison.png")).expect("a picture");
    assert_eq!(
        render::decode(&picture).expect("a picture").made_by(),
        Some("lab hardware compare one/2 two/1")
    );
    assert!(
        desk.read("reports/hardware/comparison.txt")
            .starts_with(&answer.out)
    );

    let other = desk.lab(&["hardware", "compare", "two", "one/1", "--out", "elsewhere"]);
    assert!(
        other
            .out
            .contains("one/1 against two/1: 2 of 3 differences"),
        "{other:?}"
    );
}

#[test]
fn nothing_to_record_or_compare_is_an_error() {
    let desk = Desk::new();
    for (arguments, part) in [
        (
            &["hardware", "record"][..],
            "holds no estimates: run `cargo bench` first",
        ),
        (&["hardware", "compare"], "holds no records"),
        (
            &["hardware", "compare", "a", "b"],
            "`a` is no record's file and no machine",
        ),
        (
            &["hardware", "record", "--machine", "../up"],
            "--machine ../up must have",
        ),
    ] {
        let answer = desk.lab(arguments);
        assert_eq!(
            (answer.code, answer.out.as_str()),
            (Some(2), ""),
            "{answer:?}"
        );
        assert!(answer.err.contains(part), "{answer:?}");
    }
    desk.write("broken.json", "{}");
    let answer = desk.lab(&["hardware", "compare", "broken.json"]);
    assert!(
        answer.err.contains("broken.json is not a record"),
        "{answer:?}"
    );
    assert_eq!(desk.names(), ["broken.json"]);
}

/// A pipe would wait for a writer for ever.
#[cfg(unix)]
#[test]
fn nothing_but_files_is_read() {
    let desk = Desk::new();
    let pipe = |name: &str| {
        let path = desk.path(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        let made = std::process::Command::new("mkfifo").arg(&path).status();
        assert!(made.expect("mkfifo").success());
        path
    };
    let refused = |arguments: &[&str], name: &str| {
        let answer = desk.lab(arguments);
        assert_eq!(answer.code, Some(2), "{answer:?}");
        let text = answer.err.replace(std::path::MAIN_SEPARATOR, "/");
        assert!(
            text.contains(name) && text.contains("is not a regular file"),
            "{answer:?}"
        );
    };
    let record = [
        "hardware",
        "record",
        "--criterion-dir",
        "criterion",
        "--peers-dir",
        "peers",
    ];
    bench(&desk, "criterion", "herd/exact/1000", 1234.5, 10.0);
    let peer = pipe("peers/x.json");
    refused(&record, "peers/x.json");
    fs::remove_file(peer).expect("removed");
    fs::remove_file(desk.path("criterion/herd/exact/1000/new/benchmark.json")).expect("removed");
    pipe("criterion/herd/exact/1000/new/benchmark.json");
    refused(&record, "new/benchmark.json");
    pipe("reports/hardware/m/1.json");
    refused(&["hardware", "compare"], "m/1.json");
}

#[test]
fn a_comparison_without_a_figure_leaves_none_of_another() {
    let desk = Desk::new();
    bench(&desk, "criterion", "herd/exact/1000", 1234.5, 10.0);
    for machine in ["one", "two"] {
        record(&desk, "criterion", machine);
    }
    let figure = desk.path("reports/hardware/comparison.png");
    assert_eq!(desk.lab(&["hardware", "compare"]).code, Some(0));
    assert!(figure.is_file());
    assert_eq!(desk.lab(&["hardware", "compare", "one"]).code, Some(0));
    assert!(!figure.exists());

    desk.write("reports/hardware/comparison.png", "mine");
    let before = desk.read("reports/hardware/comparison.txt");
    let answer = desk.lab(&["hardware", "compare", "two"]);
    assert_eq!(
        (answer.code, answer.out.as_str()),
        (Some(2), ""),
        "{answer:?}"
    );
    assert_eq!(desk.read("reports/hardware/comparison.txt"), before);
}

/// Their number is the whole stem, as it was written.
#[test]
fn a_file_that_is_nearly_a_record_is_none() {
    let desk = Desk::new();
    bench(&desk, "criterion", "herd/exact/1000", 1234.5, 10.0);
    for name in ["007", "+5", "5 ", "1e3", "-1", "99999999999"] {
        desk.write(&format!("reports/hardware/m/{name}.json"), "{}");
    }
    record(&desk, "criterion", "m");
    assert!(desk.path("reports/hardware/m/1.json").is_file());
    let last = format!("reports/hardware/m/{}.json", u32::MAX);
    fs::rename(desk.path("reports/hardware/m/1.json"), desk.path(&last)).expect("renamed");
    let answer = desk.lab(&[
        "hardware",
        "record",
        "--criterion-dir",
        "criterion",
        "--machine",
        "m",
    ]);
    assert_eq!(answer.code, Some(2), "{answer:?}");
    assert!(answer.err.contains("has no number left"), "{answer:?}");
}

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

/// Neither from criterion nor from a file.
#[test]
fn impossible_times_are_refused() {
    let desk = Desk::new();
    for (median, half) in [
        (0.0, 0.0),
        (1.0, 1.0),
        (5.0, -1.0),
        (-1e308, 0.5),
        (1e308, 1e308),
    ] {
        bench(&desk, "criterion", "decision/wait", median, half);
        let answer = desk.lab(&["hardware", "record", "--criterion-dir", "criterion"]);
        assert_eq!(
            (answer.code, answer.out.as_str()),
            (Some(2), ""),
            "{answer:?}"
        );
    }
    assert_eq!(desk.names(), ["criterion"]);
    bench(&desk, "criterion", "decision/wait", 100.0, 5.0);
    record(&desk, "criterion", "mine");
    let good = desk.read("reports/hardware/mine/1.json");
    for (old, new) in [
        ("\"median_ns\": 100.0", "\"median_ns\": 0"),
        ("\"median_ns\": 100.0", "\"median_ns\": 105.1"),
        ("\"low_ns\": 95.0", "\"low_ns\": -1e308"),
        ("\"low_ns\": 95.0", "\"low_ns\": 100.1"),
        ("\"high_ns\": 105.0", "\"high_ns\": 1e999"),
        ("\"confidence\": 0.95", "\"confidence\": 95"),
        ("\"decision/wait\"", "\"\\u001b[2J\""),
        ("\"name\": \"mine\"", "\"name\": \"a\\nb\""),
    ] {
        assert!(good.contains(old), "{old}: {good}");
        desk.write("bad.json", good.replacen(old, new, 1));
        let answer = desk.lab(&["hardware", "compare", "bad.json"]);
        assert_eq!(
            (answer.code, answer.out.as_str()),
            (Some(2), ""),
            "{new}: {answer:?}"
        );
        assert!(
            answer.err.starts_with("error: bad.json is not a record: "),
            "{answer:?}"
        );
        assert_eq!(answer.err.lines().count(), 1, "{answer:?}");
        assert!(!answer.err.contains('\u{1b}'), "{answer:?}");
    }
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
