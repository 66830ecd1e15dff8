//! What is possible on its own and not together.

use super::{check, refused, with};
use crate::support::{Desk, SMALL_HERD};

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

/// Each of its own accepted; together they would take hours.
#[test]
fn work_that_nobody_would_wait_for() {
    check(
        &with("clients = 50", "clients = 10000000")
            .replace("kind = \"fixed\", wait = \"1s\"", "kind = \"immediate\"")
            .replace("count = 2", "count = 100"),
        7,
        "herd.clients",
        &["10000000: all runs may come to", "more than 1e11", "cohort"],
    );
    let budget = |seeds: &str| {
        format!(
            r#"model = "budget"
question = "Does it run?"
seeds = {{ first = 0, count = {seeds} }}
[budget]
tick = "10ms"
clients = 10
rate_per_client = 10000
capacity_per_tick = 5
outage = {{ from = "1s", until = "2s" }}
crash = {{ window = "100ms", limit = 100, restart = "1s" }}
ends_at = "50s"
[[policy]]
name = "many"
max_attempts = 1000
backoff = {{ kind = "immediate" }}
"#
        )
    };
    check(
        &budget("3"),
        7,
        "budget.rate_per_client",
        &["10000: all runs may come to 1.5e10 attempts, more than 1e10"],
    );
    check(
        "model = \"waits\"\nquestion = \"?\"\n[waits]\nseed = 0\nclients = 10000\nfailures = 100\n\
         unjittered = { kind = \"immediate\" }\n\
         [[strategy]]\nname = \"a\"\nbackoff = { kind = \"immediate\" }\n\
         [[strategy]]\nname = \"b\"\nbackoff = { kind = \"immediate\" }\n",
        5,
        "waits.clients",
        &["10000: 2000000 waits of all strategies, expected at most 1000000"],
    );
}
