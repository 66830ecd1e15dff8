//! Bad scenario files: one error with file, line, key and what is allowed; exit code 2; nothing written.

mod support;

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
    assert_eq!(answer.out, "", "{answer:?}");
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

#[test]
fn files_that_are_no_scenario() {
    assert!(refused("").contains("the file is empty"));
    assert!(refused("# only a comment\n").contains("the file is empty"));
    assert!(refused(b"model = \"herd\"\n\xff\xfe\0").contains("bad.toml:2: is not text in UTF-8"));
    assert!(refused([0_u8; 64]).contains("bad.toml:1: "));
    assert!(refused("no toml at all").contains("bad.toml:1: "));
    assert!(refused("[".repeat(100_000)).contains("bad.toml:1: "));
    assert!(refused(format!("a = {}", "[".repeat(100_000))).contains("bad.toml:1: "));
    assert!(refused("#".repeat(10_000_000)).contains("is larger than 1024 KiB"));
}

#[test]
fn paths_that_are_no_file() {
    let desk = Desk::new();
    assert!(reason(&desk.lab(&["run", "absent.toml"])).starts_with("absent.toml: can't be read: "));
    std::fs::create_dir(desk.path("folder.toml")).expect("a folder");
    assert_eq!(
        reason(&desk.lab(&["run", "folder.toml"])),
        "folder.toml: is a folder, expected a scenario file"
    );
}

#[cfg(unix)]
#[test]
fn devices_and_pipes_are_not_waited_for() {
    let desk = Desk::new();
    assert_eq!(
        reason(&desk.lab(&["run", "/dev/zero"])),
        "/dev/zero: is not a regular file"
    );
    let fifo = desk.path("fifo.toml");
    let made = std::process::Command::new("mkfifo")
        .arg(&fifo)
        .status()
        .expect("mkfifo");
    assert!(made.success());
    assert_eq!(
        reason(&desk.lab(&["run", "fifo.toml"])),
        "fifo.toml: is not a regular file"
    );
}

#[test]
fn names_that_cannot_name_a_folder() {
    let desk = Desk::new();
    for name in ["...toml", ".toml", "a;b.toml"] {
        desk.write(name, SMALL_HERD);
        assert!(
            reason(&desk.lab(&["run", name])).contains("names the folder of the results"),
            "{name}"
        );
    }
}

#[test]
fn unknown_models_keys_and_kinds() {
    check(
        &with("\"herd\"", "\"heard\""),
        1,
        "model",
        &["unknown model `heard`", "`herd`", "`waits`"],
    );
    check(
        &with("clients =", "klients ="),
        7,
        "herd.klients",
        &["unknown key `klients`", "`clients`", "`spread`"],
    );
    check(
        &with("[herd]", "extra = 1\n[herd]"),
        6,
        "extra",
        &["unknown key `extra`", "`seeds`", "`strategy`"],
    );
    check(
        &with("limit = 30", "limits = 30"),
        12,
        "herd.crash.limits",
        &["unknown key", "`limit`"],
    );
    check(
        &with("\"full-jitter\"", "\"jitter\""),
        17,
        "strategy[1].backoff.kind",
        &["unknown kind `jitter`", "`full-jitter`"],
    );
    check(
        &with("rng = \"cpython\"", "rng = \"dice\""),
        3,
        "rng",
        &["unknown variant `dice`", "`cpython`", "`pcg64`"],
    );
    check(
        &with("wait = \"1s\"", "wait = \"1s\", cap = \"2s\""),
        21,
        "strategy[2].backoff.cap",
        &["kind `fixed` has no key `cap`", "`wait`"],
    );
    check(
        &with("question", "[[published]]\nclam = \"x\"\n[a]\nquestion"),
        3,
        "published[1].clam",
        &["unknown key `clam`", "`claim`"],
    );
}

#[test]
fn missing_keys() {
    let reason = refused(with("question = \"Does it run?\"\n", ""));
    assert_eq!(reason, "bad.toml: missing key `question`");
    let reason = refused(with("seeds = { first = 3, count = 2 }\n", ""));
    assert!(
        reason.starts_with("bad.toml: missing key `seeds`"),
        "{reason}"
    );
    check(
        &with("clients = 50\n", ""),
        6,
        "herd",
        &["missing key `clients`"],
    );
    check(
        &with(", cap = \"1s\"", ""),
        17,
        "strategy[1].backoff.kind",
        &["missing key `cap`", "`full-jitter`"],
    );
    let no_strategy = SMALL_HERD.split("[[strategy]]").next().expect("a head");
    assert_eq!(refused(no_strategy), "bad.toml: missing key `strategy`");
    check(
        &format!("strategy = []\n{no_strategy}"),
        1,
        "strategy",
        &["0 entries of `strategy`, expected 1 to 32"],
    );
}

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
fn seeds_beyond_what_can_be_run() {
    check(
        &with("count = 2", "count = 1000000000"),
        4,
        "seeds.count",
        &["a whole number from 1 to 10000"],
    );
    check(
        &with("first = 3", "first = -1"),
        4,
        "seeds.first",
        &["integer `-1`", "a whole number from 0 to 9007199254740992"],
    );
    check(
        &with("first = 3", "first = 0.5"),
        4,
        "seeds.first",
        &["a whole number"],
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

#[test]
fn more_strategies_than_a_table_holds() {
    let many: Vec<String> = (0..40)
        .map(|n| format!("[[strategy]]\nname = \"s{n}\"\nbackoff = {{ kind = \"immediate\" }}\n"))
        .collect();
    assert!(
        refused(format!("{SMALL_HERD}{}", many.concat()))
            .contains("42 entries of `strategy`, expected 1 to 32")
    );
}

#[test]
fn engines_that_cannot_run_it() {
    let cohort = |text: &str| {
        text.replacen(
            "rng = \"cpython\"",
            "rng = \"pcg64\"\nengine = \"cohort\"",
            1,
        )
    };
    let reason = refused(with(
        "rng = \"cpython\"",
        "rng = \"cpython\"\nengine = \"cohort\"",
    ));
    assert!(
        reason
            .starts_with("bad.toml:3: rng: rng = \"cpython\" replays published runs draw by draw"),
        "{reason}"
    );
    check(
        &cohort(&with("kind = \"full-jitter\"", "kind = \"decorrelated\"")),
        4,
        "engine",
        &[
            "strategy `full jitter`: under decorrelated jitter each client carries its previous wait",
        ],
    );
    let desk = Desk::new();
    desk.write("good.toml", cohort(SMALL_HERD));
    assert_eq!(desk.lab(&["run", "good.toml"]).code, Some(0));
}

#[test]
fn published_rows_that_cannot_be_judged() {
    let row = |metric: &str, value: &str, within: &str| {
        format!(
            "{SMALL_HERD}\n[[published]]\nclaim = \"c\"\nmetric = \"{metric}\"\nvalue = {value}\nwithin = {within}\nsource = \"s\"\n"
        )
    };
    check(
        &row("full jitter/finish/mean", "1", "0"),
        25,
        "published[1].metric",
        &[
            "no metric is called `full jitter/finish/mean`",
            "`full jitter/finish_s/mean`",
        ],
    );
    check(
        &row("fixed/crashes/mean", "1", "-0.5"),
        27,
        "published[1].within",
        &["must be at least 0"],
    );
    check(
        &row("fixed/crashes/mean", "1", "nan"),
        27,
        "published[1].within",
        &["a finite number"],
    );
    check(
        &row("fixed/crashes/mean", "nan", "1"),
        26,
        "published[1].value",
        &["a finite number"],
    );
    check(
        &row("fixed/crashes/mean", "\"1\"", "1"),
        26,
        "published[1].value",
        &["a finite number"],
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
