//! Values that are impossible on their own.

use super::{check, refused, with};
use crate::support::Desk;

#[test]
fn numbers_that_are_no_number_of_clients() {
    for (value, found) in [
        ("\"50\"", "string \"50\""),
        ("-50", "integer `-50`"),
        ("0", "integer `0`"),
        ("50.0", "floating point `50.0`"),
        ("50.5", "floating point `50.5`"),
        ("nan", "floating point `NaN`"),
        ("inf", "floating point `inf`"),
        ("true", "boolean `true`"),
        ("[50]", "sequence"),
        ("1000000000000000000", "integer `1000000000000000000`"),
        ("9223372036854775808", "9223372036854775808"),
    ] {
        let text = with("clients = 50", &format!("clients = {value}"));
        check(
            &text,
            7,
            "herd.clients",
            &[found, "a whole number from 1 to 100000000000"],
        );
    }
    check(
        &with("clients = 50", "clients = 10000001"),
        7,
        "herd.clients",
        &["must be at most 10000000 with engine = \"exact\""],
    );
}

#[test]
fn zeros_where_none_is_allowed() {
    check(
        &with("capacity_per_tick = 5", "capacity_per_tick = 0"),
        10,
        "herd.capacity_per_tick",
        &["a whole number from 1 to"],
    );
    check(
        &with("tick = \"10ms\"", "tick = \"0s\""),
        9,
        "herd.tick",
        &["a duration in text from \"1ns\" to \"1h\""],
    );
    check(
        &with("window = \"100ms\"", "window = \"0s\""),
        12,
        "herd.crash.window",
        &["a duration in text from \"1ns\""],
    );
    check(
        &with("give_up_at = \"10s\"", "give_up_at = \"0s\""),
        13,
        "herd.give_up_at",
        &["a duration in text from \"1ns\""],
    );
    check(
        &with("count = 2", "count = 0"),
        4,
        "seeds.count",
        &["a whole number from 1 to 10000"],
    );
}

#[test]
fn zeros_that_are_allowed() {
    for text in [
        with("base = \"100ms\"", "base = \"0s\""),
        with("down_until = \"100ms\"", "down_until = \"0s\""),
    ] {
        let desk = Desk::new();
        desk.write("good.toml", text);
        let answer = desk.lab(&["run", "good.toml"]);
        assert_eq!(answer.code, Some(0), "{answer:?}");
    }
}

#[test]
fn durations_that_are_none() {
    for value in [
        "10",
        "0.5",
        "\"\"",
        "\"-10ms\"",
        "\"ten\"",
        "\"10 parsecs\"",
        "\"NaN\"",
        "\"10000000y\"",
        "\"100years\"",
        "{}",
    ] {
        let text = with("give_up_at = \"10s\"", &format!("give_up_at = {value}"));
        check(
            &text,
            13,
            "herd.give_up_at",
            &[
                "a duration in text from \"1ns\" to \"365days\"",
                "such as \"10ms\"",
            ],
        );
    }
    check(
        &with("spread = \"0s\"", "spread = \"-1s\""),
        8,
        "herd.spread",
        &["a duration in text from \"0s\""],
    );
    check(
        &with("window = \"100ms\"", "window = \"15ms\""),
        12,
        "herd.crash.window",
        &["15ms: must be a whole number of ticks of 10ms"],
    );
    check(
        &with("tick = \"10ms\"", "tick = \"1us\""),
        13,
        "herd.give_up_at",
        &["10s: must be at most 2000000 ticks of 1µs"],
    );
}

#[test]
fn backoffs_that_cannot_be() {
    check(
        &with("cap = \"1s\"", "cap = \"10ms\""),
        17,
        "strategy[1].backoff.cap",
        &["cap = 10ms", "at least base = 100ms"],
    );
    let multiplied = |value: &str| {
        with(
            "cap = \"1s\"",
            &format!("cap = \"1s\", multiplier = {value}"),
        )
    };
    for value in ["nan", "inf", "-2", "-2.0", "0.5", "0", "1001", "\"2\""] {
        check(
            &multiplied(value),
            17,
            "strategy[1].backoff.multiplier",
            &["a number from 1 to 1000"],
        );
    }
    for value in ["-1", "1.5", "1001"] {
        let text = with(
            "cap = \"1s\"",
            &format!("cap = \"1s\", exponent_from = {value}"),
        );
        check(
            &text,
            17,
            "strategy[1].backoff.exponent_from",
            &["a whole number from 0 to 1000"],
        );
    }
    let text = with(
        "kind = \"full-jitter\"",
        "kind = \"proportional\", factor = 1.5",
    );
    check(
        &text,
        17,
        "strategy[1].backoff.factor",
        &["a number from 0 to 1"],
    );
}

#[test]
fn names_that_cannot_be() {
    check(
        &with("name = \"fixed\"", "name = \"full jitter\""),
        20,
        "strategy[2].name",
        &["the name `full jitter` is given twice"],
    );
    let long = "x".repeat(61);
    let hidden = [
        "\\u202e",
        "\\u2066",
        "\\u200b",
        "\\u200d",
        "\\u00ad",
        "\\u2028",
        "\\u2029",
        "\\ufeff",
        "\\ufe0f",
        "\\u001b[2J",
        "\\u007f",
        "\\u0085",
        "\\U000e0041",
    ];
    let hidden = hidden.map(|c| format!("a{c}b"));
    let plain = ["", " x", "a/b", "a\\nb", &long];
    for name in plain.into_iter().chain(hidden.iter().map(String::as_str)) {
        let text = with("name = \"fixed\"", &format!("name = \"{name}\""));
        let expected = "a name of 1 to 60 printable characters";
        check(&text, 20, "strategy[2].name", &[expected]);
        assert!(
            refused(&text).chars().all(lab::shown::is_printable),
            "{name}"
        );
    }
    check(
        &with(
            "give_up_at = \"10s\"",
            "give_up_at = \"10s\"\ndraw = [\"fixd\"]",
        ),
        14,
        "herd.draw[1]",
        &["no strategy is called `fixd`", "fixed"],
    );
}
