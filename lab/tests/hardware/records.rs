//! Records: appended, compared, and refused where they can't be.

use std::fs;

use serde_json::{Value, json};

use super::{bench, record};
use crate::support::Desk;

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
    let peer = desk.pipe("peers/x.json");
    refused(&record, "peers/x.json");
    fs::remove_file(peer).expect("removed");
    fs::remove_file(desk.path("criterion/herd/exact/1000/new/benchmark.json")).expect("removed");
    desk.pipe("criterion/herd/exact/1000/new/benchmark.json");
    refused(&record, "new/benchmark.json");
    desk.pipe("reports/hardware/m/1.json");
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
