//! `lab hardware`: records are appended, and compared with what is noise.

mod support;

use std::fs;

use serde_json::{Value, json};
use support::Desk;

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
