//! What the commands print, in which form, and that nothing but the scenario decides it.

mod support;

use std::io::Read;
use std::process::Stdio;

use serde_json::{Value, json};
use support::{Answer, Desk, SMALL_HERD, lab};

#[test]
fn list_names_every_experiment_with_its_question_and_artifacts() {
    let answer = Desk::new().lab(&["list"]);
    assert_eq!(
        (answer.code, answer.err.as_str()),
        (Some(0), ""),
        "{answer:?}"
    );
    for builtin in lab::scenario::builtin::ALL {
        let line = answer
            .out
            .lines()
            .find(|line| line.starts_with(&format!("{} ", builtin.id)))
            .expect("a line");
        let scenario = builtin.scenario().expect("a scenario");
        assert!(line.contains(&scenario.header.question), "{line}");
        for artifact in scenario.experiment.artifacts() {
            assert!(line.contains(&artifact), "{line}");
        }
    }
}

#[test]
fn scenario_prints_what_run_accepts() {
    let desk = Desk::new();
    for builtin in lab::scenario::builtin::ALL {
        let answer = desk.lab(&["scenario", builtin.id]);
        assert_eq!((answer.code, answer.out.as_str()), (Some(0), builtin.text));
    }
    let answer = desk.lab(&["scenario", "nothing"]);
    assert_eq!(answer.code, Some(2), "{answer:?}");
    assert!(
        answer
            .err
            .contains("no experiment is called `nothing`, expected one of waits, herd"),
        "{answer:?}"
    );
}

#[test]
fn a_scenario_without_its_published_numbers_is_the_same_experiment() {
    let desk = Desk::new();
    for builtin in lab::scenario::builtin::ALL {
        let answer = desk.lab(&["scenario", builtin.id, "--without-published"]);
        assert_eq!(answer.code, Some(0), "{answer:?}");
        let mut whole: toml::Table = builtin.text.parse().expect("TOML");
        let own: toml::Table = answer.out.parse().expect("TOML");
        whole.remove("published");
        assert_eq!(own, whole, "{}", builtin.id);
        let last = answer.out.lines().last().expect("a line");
        assert!(!last.starts_with('#') && !last.is_empty(), "{last:?}");
    }
}

/// Every key in a value, at any depth.
fn keys(value: &toml::Value, found: &mut Vec<String>) {
    match value {
        toml::Value::Table(table) => {
            for (key, value) in table {
                found.push(key.clone());
                keys(value, found);
            }
        }
        toml::Value::Array(entries) => entries.iter().for_each(|entry| keys(entry, found)),
        _ => {}
    }
}

#[test]
fn help_explains_every_key_of_every_built_in_scenario() {
    let help = Desk::new().lab(&["scenario", "--help"]).out;
    for builtin in lab::scenario::builtin::ALL {
        let mut found = Vec::new();
        keys(
            &toml::Value::Table(builtin.text.parse().expect("TOML")),
            &mut found,
        );
        // Names that the scenario itself gives, of services, are in capitals.
        for key in found
            .iter()
            .filter(|key| !key.chars().any(char::is_uppercase))
        {
            assert!(
                help.split(|c: char| !c.is_alphanumeric() && c != '_')
                    .any(|word| word == *key),
                "{}: {key}",
                builtin.id
            );
        }
    }
}

/// So that no terminal breaks them.
#[test]
fn the_lines_of_the_help_are_short_and_lose_no_word() {
    let help = Desk::new().lab(&["scenario", "--help"]).out;
    let (_, reference) = help
        .split_once("Every key of a scenario file.")
        .expect("the reference");
    for line in reference.lines() {
        assert!(line.chars().count() <= 78, "{line}");
    }
    let words =
        |text: &str| -> Vec<String> { text.split_whitespace().map(str::to_owned).collect() };
    for model in &lab::models::ALL {
        let own = words(model.reference);
        let there = words(reference);
        assert!(
            there.windows(own.len()).any(|part| part == own),
            "{}",
            model.name
        );
    }
}

/// Whoever writes a `[[published]]` row finds there what there is to name.
#[test]
fn the_help_names_the_measure_of_every_published_number() {
    for builtin in lab::scenario::builtin::ALL {
        let header = builtin.scenario().expect("a scenario").header;
        let model = lab::models::find(&header.model).expect("a model");
        let (_, metrics) = model.reference.split_once("\nMetrics  ").expect("metrics");
        for row in &header.published {
            let parts: Vec<&str> = row.metric.get_ref().rsplit('/').collect();
            let words = parts[1].split('_');
            let words = words.map(|word| {
                if word.parse::<u32>().is_ok() {
                    "N"
                } else {
                    word
                }
            });
            let measure = words.collect::<Vec<_>>().join("_");
            assert!(metrics.contains(&measure), "{}: {measure}", builtin.id);
        }
    }
}

/// Claims and questions are a user's: they stay on their line and command no terminal.
#[test]
fn text_of_a_scenario_breaks_no_line_and_no_terminal() {
    let desk = Desk::new();
    let row = r#"
[[published]]
claim = "a\u001b[2J\nb\u202ec"
metric = "fixed/unfinished/count"
value = 1e300
within = 1e-300
source = "d\r\ne"
"#;
    let question = r#""Does it\n\n## herd: run\u001b[31m?""#;
    desk.write(
        "mine.toml",
        format!("{SMALL_HERD}{row}").replacen("\"Does it run?\"", question, 1),
    );
    let answer = desk.lab(&["run", "mine.toml"]);
    assert_eq!(answer.code, Some(1), "{answer:?}");
    assert_eq!(
        answer.err,
        "mine: FAIL fixed/unfinished/count: expected 1e300 within 1e-300, got 2 (a [2J b c; d  e)\n"
    );
    assert!(
        answer
            .out
            .contains("\n## mine: Does it  ## herd: run [31m?\n"),
        "{}",
        answer.out
    );
    assert!(
        answer
            .out
            .lines()
            .all(|line| line.chars().all(lab::shown::is_printable)),
        "{}",
        answer.out
    );
    assert!(
        answer
            .out
            .contains("FAIL      1e300  1e-300     2  fixed/unfinished/count"),
        "{}",
        answer.out
    );
}

#[test]
fn json_is_one_object_in_the_documented_shape() {
    let desk = Desk::new();
    desk.write("small.toml", SMALL_HERD);
    let answer = desk.lab(&["run", "small.toml", "--format", "json"]);
    assert_eq!(
        (answer.code, answer.err.as_str()),
        (Some(0), ""),
        "{answer:?}"
    );
    let object: Value = serde_json::from_str(&answer.out).expect("one JSON object");
    let keys: Vec<&String> = object.as_object().expect("an object").keys().collect();
    assert_eq!(
        keys,
        ["id", "model", "rng", "engine", "command", "strategies"]
    );
    assert_eq!(
        (&object["id"], &object["model"]),
        (&json!("small"), &json!("herd"))
    );
    assert_eq!(
        (&object["rng"], &object["engine"]),
        (&json!("cpython"), &json!("exact"))
    );
    let run = &object["strategies"][0]["runs"][0];
    assert_eq!(object["strategies"][0]["name"], "full jitter");
    let keys: Vec<&String> = run.as_object().expect("an object").keys().collect();
    assert_eq!(keys, ["seed", "finish_ticks", "requests", "crashes"]);
    assert_eq!(run["seed"], 3);
}

#[test]
fn csv_has_a_line_for_each_run() {
    let desk = Desk::new();
    desk.write("small.toml", SMALL_HERD);
    let answer = desk.lab(&["run", "small.toml", "--format", "csv"]);
    let lines: Vec<&str> = answer.out.lines().collect();
    assert_eq!(lines[0], "strategy,seed,finish_ticks,requests,crashes");
    assert_eq!(lines.len(), 5, "{lines:?}");
    assert!(lines[4].starts_with("fixed,4,"), "{lines:?}");
}

#[test]
fn unfinished_runs_have_no_finish() {
    let desk = Desk::new();
    desk.write(
        "small.toml",
        SMALL_HERD.replace("give_up_at = \"10s\"", "give_up_at = \"10ms\""),
    );
    let answer = desk.lab(&["run", "small.toml", "--format", "json"]);
    let object: Value = serde_json::from_str(&answer.out).expect("JSON");
    assert_eq!(
        object["strategies"][1]["runs"][0],
        json!({"seed": 3, "finish_ticks": null, "requests": 50, "crashes": 0})
    );
    let answer = desk.lab(&["run", "small.toml"]);
    assert!(answer.out.contains("(2 unfinished)"), "{answer:?}");
}

#[test]
fn the_number_of_threads_and_the_working_folder_change_no_byte() {
    let desk = Desk::new();
    let file = desk.write("deep/er/small.toml", SMALL_HERD);
    for rng in ["cpython", "pcg64"] {
        desk.write("deep/er/small.toml", SMALL_HERD.replace("cpython", rng));
        let one = desk.lab(&["run", "deep/er/small.toml", "--out", "one", "--jobs", "1"]);
        assert_eq!(one.code, Some(0), "{one:?}");
        let folder = desk.path("deep");
        let output = lab()
            .args(["run", "er/../er/small.toml", "--jobs", "2", "--out"])
            .arg(desk.path("two"))
            .current_dir(&folder)
            .output()
            .expect("lab runs");
        assert_eq!(one.out.as_bytes(), output.stdout);
        assert_eq!(desk.files("one"), desk.files("two"));
        assert!(!desk.files("one").is_empty(), "{}", file.display());
    }
}

#[test]
fn arguments_that_cannot_be() {
    let desk = Desk::new();
    for arguments in [
        &["reproduce", "nothing"][..],
        &["check", "nothing"],
        &["run"],
        &["run", "x.toml", "--format", "xml"],
        &["list", "--jobs", "0"],
        &["list", "--jobs", "-1"],
        &["list", "--jobs", "many"],
        &["list", "--jobs", "1000000"],
        &["dance"],
        &[],
    ] {
        let answer = desk.lab(arguments);
        assert_eq!(
            (answer.code, answer.out.as_str()),
            (Some(2), ""),
            "{arguments:?}: {answer:?}"
        );
        assert_ne!(answer.err, "", "{arguments:?}");
    }
    assert_eq!(desk.names(), [""; 0]);
}

#[test]
fn a_reader_who_goes_away_is_no_error() {
    let mut child = lab()
        .args(["scenario", "herd"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("lab runs");
    drop(child.stdout.take());
    let mut said = String::new();
    child
        .stderr
        .take()
        .expect("a pipe")
        .read_to_string(&mut said)
        .expect("text");
    assert_eq!(said, "");
    assert_eq!(child.wait().expect("an end").code(), Some(0));
}

#[cfg(target_os = "linux")]
#[test]
fn output_that_cannot_be_written_is_an_error() {
    for arguments in [
        &["scenario", "herd"][..],
        &["list"],
        &["--help"],
        &["scenario", "--help"],
        &["--version"],
    ] {
        let full = std::fs::File::options()
            .write(true)
            .open("/dev/full")
            .expect("a full device");
        let output = lab()
            .args(arguments)
            .stdout(full)
            .output()
            .expect("lab runs");
        let answer = Answer::of(&output);
        assert_eq!(answer.code, Some(2), "{arguments:?}: {answer:?}");
        assert!(
            answer.err.contains("standard output can't be written"),
            "{arguments:?}: {answer:?}"
        );
    }
}

#[test]
fn arguments_that_are_repeated_command_no_terminal() {
    for given in ["a\u{1b}[2J\u{202e}", "--\u{1b}[2J", "--jobs=\u{1b}[2J"] {
        let answer = Desk::new().lab(&[given]);
        assert_eq!(
            (answer.code, answer.out.as_str()),
            (Some(2), ""),
            "{answer:?}"
        );
        assert!(
            answer.err.starts_with("error: ") && !answer.err.contains(['\u{1b}', '\u{202e}']),
            "{answer:?}"
        );
    }
}
