//! `lab hardware`: records are appended, and compared with what is noise.

mod bars;
mod records;
#[path = "../support/mod.rs"]
mod support;

use serde_json::json;
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
