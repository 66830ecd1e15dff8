//! What the herd's figures say of a scenario of one's own: ties, runs that end early, small numbers; and what takes too long.

mod support;

use lab::models::Outcome;
use lab::progress::Progress;
use lab::scenario::Scenario;
use support::{Desk, SMALL_HERD};

fn run(text: &str) -> Outcome {
    let scenario = Scenario::parse("mine", "mine.toml", text).expect("a scenario");
    scenario.experiment.run(&Progress::hidden())
}

/// Title and finding of the figure.
fn said(text: &str, stem: &str) -> [String; 2] {
    let outcome = run(text);
    let picture = outcome.pictures.into_iter().find(|it| it.stem == stem);
    let picture = picture.expect("the figure");
    [picture.figure.title().to_owned(), picture.finding]
}

/// The small herd with other strategies, all of them immediate, against a server that never crashes.
fn immediate(names: &[&str]) -> String {
    let head = SMALL_HERD.split("[[strategy]]").next().expect("a head");
    let strategies = names.iter().map(|name| {
        format!("[[strategy]]\nname = \"{name}\"\nbackoff = {{ kind = \"immediate\" }}\n")
    });
    head.replace("limit = 30", "limit = 1000000") + &strategies.collect::<String>()
}

#[test]
fn equals_share_the_first_place() {
    let [title, finding] = said(&immediate(&["S1", "ünï", "s3"]), "finish");
    let all = "Everybody is served after 0.2 s on average with every strategy";
    assert_eq!([title, finding], [all.to_owned(), format!("{all}.")]);
    let text = immediate(&["S1", "ünï"])
        + "[[strategy]]\nname = \"slow\"\nbackoff = { kind = \"fixed\", wait = \"20ms\" }\n";
    assert_eq!(
        said(&text, "finish")[1],
        "Everybody is served soonest with S1 and ünï, after 0.2 s on average."
    );
}

/// Under `pcg64` each name has a stream of its own, so the same strategy twice differs by noise alone.
#[test]
fn a_difference_within_the_noise_names_no_winner() {
    let head = SMALL_HERD.split("[[strategy]]").next().expect("a head");
    let head = head
        .replace("cpython", "pcg64")
        .replace("count = 2", "count = 20");
    let jittered = r#"kind = "full-jitter", base = "100ms", cap = "4s""#;
    let beside = |other: &str| {
        let strategies = [("one", jittered), ("other", other)].map(|(name, backoff)| {
            format!("[[strategy]]\nname = \"{name}\"\nbackoff = {{ {backoff} }}\n")
        });
        said(&(head.clone() + &strategies.concat()), "finish")
    };
    let [title, finding] = beside(jittered);
    assert_eq!(
        title,
        "Everybody is served after 1.2 to 1.4 s on average with every strategy"
    );
    assert_eq!(
        finding,
        format!("{title}, a difference within the noise of 20 runs.")
    );
    let [title, finding] = beside(r#"kind = "full-jitter", base = "3s", cap = "4s""#);
    assert_eq!(title, "Everybody is served soonest with one");
    assert!(!finding.contains("noise"), "{finding}");
}

#[test]
fn a_name_is_never_altered() {
    let [title, finding] = said(&immediate(&["ünï"]), "finish");
    assert_eq!(title, "With ünï everybody is served after 0.2 s on average");
    assert_eq!(finding, format!("{title}."));
    assert_eq!(
        said(&immediate(&["ünï", "none"]), "arrivals")[0],
        "With ünï everybody is served after 0.2 s, with none everybody is served after 0.2 s"
    );
}

#[test]
fn a_strategy_that_finishes_in_some_runs_alone_is_not_called_finished() {
    let text = SMALL_HERD.replace("count = 2", "count = 40");
    let finishes = |text: &str| -> Vec<Option<u64>> {
        let json = serde_json::Value::from(run(text).json);
        let runs = json["strategies"][0]["runs"].as_array().expect("runs");
        runs.iter()
            .map(|run| run["finish_ticks"].as_u64())
            .collect()
    };
    let mut all = finishes(&text);
    all.sort_unstable();
    let median = all[20].expect("10 s are enough");
    let text = text.replace("\"10s\"", &format!("\"{}ms\"", median * 10));
    let unfinished = finishes(&text).iter().filter(|it| it.is_none()).count();
    assert!((1..40).contains(&unfinished), "{unfinished} of 40");
    let desk = Desk::new();
    desk.write("mine.toml", &text);
    let answer = desk.lab(&["run", "mine.toml", "--svg", "--out", "results"]);
    assert_eq!(answer.code, Some(0), "{answer:?}");
    let svg = desk.read("results/mine/finish.svg");
    assert!(
        svg.contains(&format!(", {unfinished} of 40 unfinished")),
        "{svg}"
    );
}

#[test]
fn one_client_and_ticks_of_a_nanosecond() {
    let text = immediate(&["only"])
        .replace("clients = 50", "clients = 1")
        .replace("tick = \"10ms\"", "tick = \"1ns\"")
        .replace("\"100ms\"", "\"100ns\"")
        .replace("\"200ms\"", "\"200ns\"")
        .replace("\"10s\"", "\"10us\"");
    let outcome = run(&text);
    let table = outcome.tables[0].text();
    assert!(
        table.contains("0.000000101 (0.000000101-0.000000101)"),
        "{table}"
    );
    assert_eq!(
        said(&text, "arrivals")[0],
        "With only everybody is served after 0.0000001 s"
    );
    let desk = Desk::new();
    desk.write("mine.toml", &text);
    let answer = desk.lab(&["run", "mine.toml", "--svg", "--out", "results"]);
    assert_eq!(answer.code, Some(0), "{answer:?}");
    let svg = desk.read("results/mine/arrivals.svg");
    assert!(
        svg.contains("1 client,") && !svg.contains("1 clients"),
        "{svg}"
    );
}

#[test]
fn a_cohort_run_that_takes_hours_is_refused() {
    let text = SMALL_HERD
        .replace("rng = \"cpython\"", "rng = \"pcg64\"\nengine = \"cohort\"")
        .replace("tick = \"10ms\"", "tick = \"10us\"");
    let desk = Desk::new();
    desk.write("bad.toml", text);
    let answer = desk.lab(&["run", "bad.toml", "--out", "results"]);
    assert_eq!(answer.code, Some(2), "{answer:?}");
    assert!(
        answer
            .err
            .starts_with("error: bad.toml:10: herd.tick: 10µs: ")
            && answer.err.contains("more than 1e11"),
        "{}",
        answer.err
    );
    assert_eq!(desk.names(), ["bad.toml"]);
}
