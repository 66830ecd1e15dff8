//! Scenarios of `layers`, `ownership` and `availability`: the published tables, a user's own, and what is refused.

mod support;

use serde_json::{Value, json};
use support::Desk;

const LAYERS: &str = r#"model = "layers"
question = "Does it run?"

[[chain]]
name = "mine"
services = ["a", "b", "c"]
requests = 100
attempts = [2, 3]
retry_budget = ["none", 0.5]
rule = "everyone"

[depth]
from = 1
to = 3
band = { label = "published", depth = [1, 2], load = [1.1, 1.3] }

[[depth.retries]]
name = "all"
requests = 10
attempts = 2
"#;

const OWNERSHIP: &str = r#"model = "ownership"
question = "Does it run?"
rng = "pcg64"

[ownership]
services = ["a", "b", "c"]
requests = 1000
seed = 1

[[case]]
name = "mine"
rule = "ownership"
attempts = 2
retry_budget = 0.1
unaware = ["b"]
context_loss = { a = 0.5 }
"#;

const AVAILABILITY: &str = r#"model = "availability"
question = "Does it run?"

[availability]
seed = 0
requests = 1000
success = 0.5
attempts = 3
correlations = [0.25, 1]
"#;

fn run_json(text: &str) -> Value {
    let desk = Desk::new();
    desk.write("mine.toml", text);
    let answer = desk.lab(&["run", "mine.toml", "--format", "json"]);
    assert_eq!((answer.code, answer.err.as_str()), (Some(0), ""));
    serde_json::from_str(&answer.out).expect("JSON")
}

/// The table that a built-in scenario prints.
fn table(id: &str) -> String {
    let desk = Desk::new();
    let scenario = desk.lab(&["scenario", id]);
    assert_eq!(scenario.code, Some(0));
    desk.write("mine.toml", scenario.out);
    let answer = desk.lab(&["run", "mine.toml"]);
    assert_eq!(answer.code, Some(0), "{answer:?}");
    answer.out
}

#[test]
fn the_published_tables_come_out() {
    let layers = table("layers");
    for row in [
        "                       frontend       3\n",
        "                       backend        9\n",
        "                       db            27\n",
        "                       db            64\n",
        "                       db           243\n",
    ] {
        assert!(layers.contains(row), "{row:?}: {layers}");
    }
    let ownership = table("ownership");
    assert!(
        ownership.starts_with(
            "\
retries                   A      B       C       D
unlimited                 N     2N      4N      8N
budget on every edge      N   1.1N   1.21N   1.33N
budget on the last edge   N      N       N    1.1N
owner only                N      N       N    1.1N
owner, C unaware          N      N    1.1N   1.21N
owner, C's context lost   N      N    1.1N   1.21N
don't retry               N      N       N    1.1N
"
        ),
        "{ownership}"
    );
    let availability = table("availability");
    assert!(availability.contains("95 % interval"), "{availability}");
}

#[test]
fn own_scenarios_run() {
    let layers = run_json(LAYERS);
    let services = &layers["chains"][0]["services"];
    let calls: Vec<&Value> = services
        .as_array()
        .expect("services")
        .iter()
        .map(|service| &service["calls"])
        .collect();
    // b is called twice for each request; half of the 200 calls to c may be sent again.
    assert_eq!(calls, [100, 200, 300]);
    assert_eq!(
        layers["depth"][0]["loads"][2],
        json!({ "edges": 3, "load": 8.0 })
    );

    // b hides that c claimed the error, so a may retry too; what a makes of the context that it loses, nobody sees.
    let ownership = run_json(OWNERSHIP);
    assert_eq!(ownership["cases"][0]["calls"], json!([1000, 1100, 1210]));

    let availability = run_json(AVAILABILITY);
    let points = availability["points"].as_array().expect("points");
    for (point, expected) in points.iter().zip([0.78125, 0.5]) {
        let simulated = point["availability"].as_f64().expect("a share");
        assert!((simulated - expected).abs() < 0.08, "{point}");
        assert!(point["low_95"].as_f64() < Some(simulated));
    }
}

#[test]
fn a_chain_without_depths_needs_no_figure() {
    let text = &LAYERS[..LAYERS.find("[depth]").expect("a table")];
    let desk = Desk::new();
    desk.write("mine.toml", text);
    let answer = desk.lab(&["run", "mine.toml", "--out", "results"]);
    assert_eq!(answer.code, Some(0), "{answer:?}");
    assert!(
        desk.files("results")
            .iter()
            .all(|(name, _)| !name.contains("png"))
    );
}

/// What is replaced, by what; the line and the beginning of the key that the error names; a part of what it says.
type Bad<'a> = (&'a str, &'a str, usize, &'a str, &'a str);

/// Whether the text is refused with each of these changes, in one line, and nothing is written.
fn refused(text: &str, changes: &[Bad<'_>]) {
    for &(old, new, line, key, part) in changes {
        assert!(text.contains(old), "{old}");
        let desk = Desk::new();
        desk.write("bad.toml", text.replacen(old, new, 1));
        let answer = desk.lab(&["run", "bad.toml", "--out", "results"]);
        assert_eq!(desk.names(), ["bad.toml"], "{new}: {answer:?}");
        assert_eq!(answer.code, Some(2), "{new}: {answer:?}");
        assert_eq!(answer.out, "", "{new}");
        let start = format!("error: bad.toml:{line}: {key}");
        assert!(answer.err.starts_with(&start), "{start:?}: {}", answer.err);
        assert!(answer.err.contains(part), "{part:?}: {}", answer.err);
        assert_eq!(answer.err.lines().count(), 1, "{answer:?}");
    }
}

#[test]
fn impossible_chains_are_refused() {
    let services = r#"["a", "b", "c"]"#;
    refused(
        LAYERS,
        &[
            (
                "question",
                "rng = \"pcg64\"\nquestion",
                2,
                "rng: ",
                "draws nothing",
            ),
            (
                services,
                r#"["a"]"#,
                6,
                "chain[1].services: ",
                "expected 2 to 32",
            ),
            (services, "[]", 6, "chain[1].services: ", "expected 1 to 32"),
            (
                services,
                r#"["a", "b", "a"]"#,
                6,
                "chain[1].services[3]: ",
                "given twice",
            ),
            ("\"mine\"", "\"\"", 5, "chain[1].name", "a name of 1 to 60"),
            (
                "\"everyone\"",
                "\"nobody\"",
                10,
                "chain[1].rule",
                "`dont-retry`",
            ),
            (
                "rule = ",
                "rules = ",
                10,
                "chain[1].rules: ",
                "unknown key `rules`",
            ),
            (
                "requests = 100",
                "",
                4,
                "chain[1]",
                "missing key `requests`",
            ),
        ],
    );
    for requests in ["0", "-1", "1.5", "nan", "1000000001", "\"1\""] {
        let new = format!("requests = {requests}");
        let key = "chain[1].requests: ";
        let part = "a whole number from 1 to 1000000000";
        refused(LAYERS, &[("requests = 100", &new, 7, key, part)]);
    }
    let (key, part) = ("chain[1].requests: ", "at most 1000000000 calls");
    refused(
        LAYERS,
        &[("requests = 100", "requests = 500000000", 7, key, part)],
    );
}

#[test]
fn impossible_edges_are_refused() {
    let either = "one value for all edges, or a list with one for each edge";
    let each = "expected one for each of the 2 edges";
    for (attempts, part) in [
        ("0", "from 1 to 1000"),
        ("1001", "from 1 to 1000"),
        ("[2, 0]", "from 1 to 1000"),
        ("2.5", "a whole number"),
        ("nan", "a whole number"),
        ("\"2\"", "a whole number"),
        ("true", either),
        ("[2]", each),
        ("[2, 2, 2]", each),
    ] {
        refused(
            LAYERS,
            &[("[2, 3]", attempts, 8, "chain[1].attempts", part)],
        );
    }
    let range = "a number from 0 to 100, or \"none\"";
    for (budget, part) in [
        ("-0.1", range),
        ("-1", range),
        ("101", range),
        ("100.5", range),
        ("nan", range),
        ("inf", range),
        ("\"some\"", range),
        ("[0.1, -0.1]", range),
        ("true", either),
        ("[0.1]", each),
    ] {
        let key = "chain[1].retry_budget";
        refused(LAYERS, &[("[\"none\", 0.5]", budget, 9, key, part)]);
    }
}

#[test]
fn impossible_depths_are_refused() {
    let load = "load = [1.1, 1.3]";
    refused(
        LAYERS,
        &[
            ("from = 1", "from = 0", 13, "depth.from: ", "from 1 to 31"),
            (
                "from = 1",
                "from = 4",
                14,
                "depth.to: ",
                "at least `from`, 4",
            ),
            ("to = 3", "to = 32", 14, "depth.to: ", "from 1 to 31"),
            (
                "to = 3\nband = { label = \"published\", depth = [1, 2], load = [1.1, 1.3] }\n\n[[depth.retries]]\nname = \"all\"\nrequests = 10\nattempts = 2",
                "to = 31\n\n\n[[depth.retries]]\nname = \"all\"\nrequests = 30000000\nattempts = 1",
                17,
                "depth.retries",
                "at most 10000000000 calls in all (these may come to 15810000000)",
            ),
            ("[1, 2]", "[2, 1]", 15, "depth.band", "the lesser one first"),
            (
                load,
                "load = [1.1, nan]",
                15,
                "depth.band",
                "from 1 to 1000000000",
            ),
            (load, "load = [1.1]", 15, "depth.band", "length 1"),
            (
                "attempts = 2\n",
                "attempts = 1000\n",
                19,
                "depth.retries[1].requests: ",
                "1000000000 calls",
            ),
            (
                "[[depth.retries]]",
                "[depth.retries]",
                17,
                "depth.retries",
                "sequence",
            ),
        ],
    );
}

#[test]
fn impossible_ownership_is_refused() {
    let (services, loss) = ("expected one of `a`, `b`, `c`", "case[1].context_loss");
    refused(
        OWNERSHIP,
        &[
            ("[\"b\"]", "[\"z\"]", 15, "case[1].unaware[1]: ", services),
            (
                "a = 0.5",
                "z = 0.5",
                16,
                "case[1].context_loss.z: ",
                services,
            ),
            (
                "a = 0.5",
                "b = 0.5",
                16,
                "case[1].context_loss.b: ",
                "no context to lose",
            ),
            ("a = 0.5", "a = -0.5", 16, loss, "a number from 0 to 1"),
            ("a = 0.5", "a = 1.5", 16, loss, "a number from 0 to 1"),
            ("a = 0.5", "a = nan", 16, loss, "a number from 0 to 1"),
            ("a = 0.5", "a = \"1\"", 16, loss, "a number from 0 to 1"),
            (
                "seed = 1",
                "seed = -1",
                8,
                "ownership.seed: ",
                "a whole number from 0",
            ),
            (
                "requests = 1000",
                "requests = 900000000",
                7,
                "ownership.requests: ",
                "1000000000 calls",
            ),
            ("[[case]]", "[case]", 10, "case", "sequence"),
            (
                "rule = \"ownership\"",
                "",
                10,
                "case[1]",
                "missing key `rule`",
            ),
        ],
    );
}

#[test]
fn a_title_states_no_digit_that_its_interval_does_not_support() {
    let title = |requests: u64| {
        let text = AVAILABILITY
            .replace("requests = 1000", &format!("requests = {requests}"))
            .replace("attempts = 3", "attempts = 1");
        let scenario = lab::scenario::Scenario::parse("mine", "mine.toml", &text);
        let experiment = scenario.expect("a scenario").experiment;
        let outcome = experiment.run(&lab::progress::Progress::hidden());
        outcome.pictures[0].figure.title().to_owned()
    };
    let few = title(1);
    assert!(few.contains(" to "), "{few}");
    let many = title(1_000_000);
    assert!(many.contains("50 % of calls succeed"), "{many}");
}

#[test]
fn impossible_availability_is_refused() {
    let (list, key) = ("[0.25, 1]", "availability.correlations");
    let rising = "each entry must be greater than the one before";
    refused(
        AVAILABILITY,
        &[
            (list, "[]", 9, key, "0 entries, expected 1 to 101"),
            (list, "[0.5, 0.5]", 9, key, rising),
            (list, "[1, 0]", 9, key, rising),
            (list, "[-0.1]", 9, key, "a number from 0 to 1"),
            (list, "[1.1]", 9, key, "a number from 0 to 1"),
            (list, "[nan]", 9, key, "a number from 0 to 1"),
            (
                "requests = 1000\nsuccess = 0.5\nattempts = 3\ncorrelations = [0.25, 1]",
                "requests = 320000000\nsuccess = 0.5\nattempts = 2\ncorrelations = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1]",
                6,
                "availability.requests: ",
                "at most 10000000000 calls in all (these may come to 10560000000)",
            ),
            (
                "success = 0.5",
                "success = 1.5",
                7,
                "availability.success: ",
                "from 0 to 1",
            ),
            (
                "attempts = 3",
                "attempts = 0",
                8,
                "availability.attempts: ",
                "from 1 to 1000",
            ),
            (
                "attempts = 3",
                "attempts = [3]",
                8,
                "availability.attempts: ",
                "a whole number",
            ),
            (
                "requests = 1000",
                "requests = 300000000",
                6,
                "availability.requests: ",
                "1000000000 calls",
            ),
            (
                "seed = 0",
                "seed = 9007199254740993",
                5,
                "availability.seed: ",
                "9007199254740992",
            ),
        ],
    );
}
