//! The contention experiment through the real binary: the published rows, a scenario of one's own, and what is refused.

mod support;

use support::Desk;

const SMALL: &str = r#"model = "occ"
question = "Does it run?"

[occ]
seed = 7
clients = [1, 12, 3]
repetitions = 5
network = { mean = "10ms", sd = "2ms" }

[[strategy]]
name = "full jitter"
backoff = { kind = "full-jitter", base = "5ms", cap = "2s", exponent_from = 1 }

[[strategy]]
name = "none, at all"
backoff = { kind = "immediate" }
"#;

/// The small scenario with one piece of text replaced.
fn with(old: &str, new: &str) -> String {
    assert!(SMALL.contains(old), "{old}");
    SMALL.replacen(old, new, 1)
}

/// What a run prints.
fn printed(text: &str, arguments: &[&str]) -> String {
    let desk = Desk::new();
    desk.write("mine.toml", text);
    let answer = desk.lab(&[&["run", "mine.toml"], arguments].concat());
    assert_eq!(
        (answer.code, answer.err.as_str()),
        (Some(0), ""),
        "{answer:?}"
    );
    answer.out
}

#[track_caller]
fn check(text: &str, line: usize, key: &str, parts: &[&str]) {
    let desk = Desk::new();
    desk.write("bad.toml", text);
    let answer = desk.lab(&["run", "bad.toml", "--out", "results"]);
    assert_eq!(
        (answer.code, answer.out.as_str()),
        (Some(2), ""),
        "{answer:?}"
    );
    assert_eq!(desk.names(), ["bad.toml"], "nothing may be written");
    let start = format!("error: bad.toml:{line}: {key}: ");
    assert!(
        answer.err.starts_with(&start),
        "expected {start:?}: {}",
        answer.err
    );
    assert_eq!(answer.err.lines().count(), 1, "{}", answer.err);
    for part in parts {
        assert!(
            answer.err.contains(part),
            "expected {part:?}: {}",
            answer.err
        );
    }
}

#[test]
fn the_published_scenario_meets_every_row_and_prints_the_peers_csv() {
    let desk = Desk::new();
    let scenario = desk.lab(&["scenario", "occ"]);
    assert_eq!(scenario.code, Some(0));
    desk.write("occ.toml", scenario.out);
    let answer = desk.lab(&["run", "occ.toml", "--format", "csv", "--out", "results"]);
    assert_eq!(answer.code, Some(0), "{}", answer.err);
    let published = include_str!("golden/occ_seed0.csv");
    assert_eq!(answer.out, published);
    assert_eq!(desk.read("results/occ/backoff_results.csv"), published);
    let names: Vec<String> = desk
        .files("results/occ")
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    assert_eq!(
        names,
        [
            "backoff_results.csv",
            "calls.png",
            "outcome.json",
            "table.txt",
            "time.png",
            "writes.png"
        ]
    );
}

#[test]
fn a_wrong_published_number_fails_and_is_shown() {
    let desk = Desk::new();
    let row = "\n[[published]]\nclaim = \"one client makes two calls\"\nmetric = \"full jitter/calls/1 clients\"\nvalue = 2\nwithin = 0\nsource = \"nowhere\"\n";
    desk.write("wrong.toml", format!("{SMALL}{row}"));
    let answer = desk.lab(&["run", "wrong.toml"]);
    assert_eq!(answer.code, Some(1), "{answer:?}");
    assert!(
        format!("{}{}", answer.out, answer.err).contains("one client makes two calls"),
        "{answer:?}"
    );
}

#[test]
fn a_scenario_of_ones_own() {
    let csv = printed(SMALL, &["--format", "csv"]);
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines[0], "clients,time,calls,Algorithm");
    assert_eq!(lines.len(), 7);
    // One client: four messages of about 10 ms, one write.
    assert!(
        lines[1].starts_with("1,") && lines[1].ends_with(",1,full jitter"),
        "{csv}"
    );
    assert!(
        lines[4].starts_with("12,") && lines[4].ends_with(",\"none, at all\""),
        "{csv}"
    );
    assert!(lines[5].starts_with("3,"), "{csv}");

    let json: serde_json::Value =
        serde_json::from_str(&printed(SMALL, &["--format", "json"])).expect("JSON");
    assert_eq!(json["model"], "occ");
    let run = &json["strategies"][1]["runs"][2];
    assert_eq!(
        (&run["seed"], &run["clients"], &run["repetitions"]),
        (&7.into(), &3.into(), &5.into())
    );
    assert!(
        run["mean_calls"]
            .as_f64()
            .is_some_and(|calls| (3.0..=6.0).contains(&calls)),
        "{run}"
    );
}

#[test]
fn threads_change_nothing() {
    for text in [SMALL.to_owned(), with("[occ]", "rng = \"cpython\"\n[occ]")] {
        let one = printed(&text, &["--format", "json", "--jobs", "1"]);
        assert_eq!(one, printed(&text, &["--format", "json", "--jobs", "2"]));
    }
}

/// What is unusual, and allowed: no delay at all, one number of clients, one strategy, equal results.
#[test]
fn edges_run_and_are_drawn() {
    let only_none = format!(
        "{}{}",
        SMALL.split("[[strategy]]").next().expect("a head"),
        "[[strategy]]\nname = \"a\"\nbackoff = { kind = \"immediate\" }\n"
    );
    let twice = format!(
        "{only_none}\n[[strategy]]\nname = \"b\"\nbackoff = {{ kind = \"fixed\", wait = \"0s\" }}\n"
    );
    for text in [
        with(
            "mean = \"10ms\", sd = \"2ms\"",
            "mean = \"0s\", sd = \"0s\"",
        ),
        with("[1, 12, 3]", "[1]"),
        with("repetitions = 5", "repetitions = 1"),
        with("[1, 12, 3]", "[2]").replace("cap = \"2s\"", "cap = \"365days\""),
        only_none,
        twice.replace("\"2ms\"", "\"0s\""),
    ] {
        let desk = Desk::new();
        desk.write("edge.toml", &text);
        let answer = desk.lab(&["run", "edge.toml", "--out", "results"]);
        assert_eq!(answer.code, Some(0), "{answer:?}\n{text}");
        assert_eq!(desk.files("results/edge").len(), 6, "{text}");
    }
}

#[test]
fn numbers_of_clients() {
    check(
        &with("[1, 12, 3]", "[]"),
        6,
        "occ.clients",
        &["0 numbers of clients", "1 to 200"],
    );
    check(
        &with("[1, 12, 3]", "[1, 0]"),
        6,
        "occ.clients[2]",
        &["`0`", "from 1 to 100000"],
    );
    check(
        &with("[1, 12, 3]", "[1, -3]"),
        6,
        "occ.clients[2]",
        &["`-3`", "from 1 to 100000"],
    );
    check(
        &with("[1, 12, 3]", "[1, 100001]"),
        6,
        "occ.clients[2]",
        &["`100001`", "from 1 to 100000"],
    );
    check(
        &with("[1, 12, 3]", "[1, 2.5]"),
        6,
        "occ.clients[2]",
        &["2.5", "a whole number"],
    );
    check(
        &with("[1, 12, 3]", "[1, nan]"),
        6,
        "occ.clients[2]",
        &["NaN", "a whole number"],
    );
    check(
        &with("[1, 12, 3]", "[1, \"2\"]"),
        6,
        "occ.clients[2]",
        &["\"2\"", "a whole number"],
    );
    check(
        &with("[1, 12, 3]", "10"),
        6,
        "occ.clients",
        &["10", "a sequence"],
    );
    check(
        &with("[1, 12, 3]", "[3, 12, 3]"),
        6,
        "occ.clients[3]",
        &["3 is given twice"],
    );
    let many: Vec<String> = (1..=201).map(|number| number.to_string()).collect();
    check(
        &with("[1, 12, 3]", &format!("[{}]", many.join(", "))),
        6,
        "occ.clients",
        &["201 numbers of clients", "1 to 200"],
    );
}

#[test]
fn repetitions_seed_and_network() {
    for wrong in ["0", "-1", "1000001", "1.5", "nan", "\"5\"", "inf", "[5]"] {
        check(
            &with("repetitions = 5", &format!("repetitions = {wrong}")),
            7,
            "occ.repetitions",
            &["from 1 to 1000000"],
        );
    }
    check(
        &with("[1, 12, 3]\nrepetitions = 5", "[100000]\nrepetitions = 6"),
        7,
        "occ.repetitions",
        &["120000000000 pairs of clients, more than 100000000000"],
    );
    for wrong in ["-1", "0.5", "nan", "9007199254740993"] {
        check(
            &with("seed = 7", &format!("seed = {wrong}")),
            5,
            "occ.seed",
            &["from 0 to 9007199254740992"],
        );
    }
    for wrong in [
        "10",
        "\"-10ms\"",
        "\"10\"",
        "\"2days\"",
        "\"\"",
        "nan",
        "\"nan\"",
    ] {
        check(
            &with("\"10ms\"", wrong),
            8,
            "occ.network.mean",
            &["a duration in text"],
        );
        check(
            &with("\"2ms\"", wrong),
            8,
            "occ.network.sd",
            &["a duration in text"],
        );
    }
    check(
        &with(", sd = \"2ms\"", ""),
        8,
        "occ.network",
        &["missing key `sd`"],
    );
    check(
        &with("sd = \"2ms\"", "sd = \"2ms\", loss = 0.1"),
        8,
        "occ.network.loss",
        &["unknown key `loss`", "`mean`"],
    );
    check(
        &with("{ mean = \"10ms\", sd = \"2ms\" }", "\"10ms\""),
        8,
        "occ.network",
        &["\"10ms\""],
    );
}

#[test]
fn keys_of_other_models() {
    check(
        &with("seed = 7", "seeds = 7"),
        5,
        "occ.seeds",
        &["unknown key `seeds`", "`seed`"],
    );
    check(
        &with("[occ]", "seeds = { first = 0, count = 0 }\n[occ]"),
        4,
        "seeds.count",
        &["from 1"],
    );
    check(
        &with("[occ]", "seeds = { first = 0, count = 1 }\n[occ]"),
        4,
        "seeds",
        &["has no `seeds`"],
    );
    check(
        &with("[occ]", "engine = \"cohort\"\n[occ]"),
        4,
        "engine",
        &["no cohort engine"],
    );
    check(
        &with("[occ]", "[herd]\n[occ]"),
        4,
        "herd",
        &["unknown key `herd`", "`occ`"],
    );
}

#[test]
fn strategies_and_what_is_drawn() {
    check(
        &with("none, at all", "full jitter"),
        15,
        "strategy[2].name",
        &["`full jitter` is given twice"],
    );
    check(
        &with("cap = \"2s\"", "cap = \"1ms\""),
        12,
        "strategy[1].backoff.cap",
        &["at least base"],
    );
    let draw = |text: &str| with("[[strategy]]", &format!("draw = {text}\n[[strategy]]"));
    check(
        &draw("{ clients = 0, strategies = [\"full jitter\"] }"),
        10,
        "occ.draw.clients",
        &["from 1 to 2000"],
    );
    check(
        &draw("{ clients = 2001, strategies = [\"full jitter\"] }"),
        10,
        "occ.draw.clients",
        &["from 1 to 2000"],
    );
    check(
        &draw("{ clients = 3, strategies = [] }"),
        10,
        "occ.draw.strategies",
        &["0 names", "1 to 4"],
    );
    check(
        &draw("{ clients = 3, strategies = [\"half\"] }"),
        10,
        "occ.draw.strategies[1]",
        &["`half`", "full jitter, none, at all"],
    );
    check(
        &draw("{ clients = 3, strategies = [\"full jitter\", \"full jitter\"] }"),
        10,
        "occ.draw.strategies[2]",
        &["named twice"],
    );
    check(
        &draw("{ clients = 3 }"),
        10,
        "occ.draw",
        &["missing key `strategies`"],
    );
}

#[test]
fn titles_quote_the_names() {
    let scenario = lab::scenario::Scenario::parse("mine", "mine.toml", SMALL).expect("a scenario");
    let outcome = scenario.experiment.run(&lab::progress::Progress::hidden());
    for picture in outcome.pictures {
        for name in ["full jitter", "none, at all"] {
            let quoted = format!("“{name}”");
            let finding = &picture.finding;
            assert_eq!(
                finding.matches(name).count(),
                finding.matches(&quoted).count(),
                "{finding}"
            );
        }
    }
}
