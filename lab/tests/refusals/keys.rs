//! Keys that are unknown, missing or given twice, and names of what there isn't.

use super::{check, refused, with};
use crate::support::SMALL_HERD;

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

/// Where one of several names is wanted.
#[test]
fn what_is_no_name_is_told_where_the_names_are() {
    for given in ["1", "true", "{}", "[]", "0.5", "{ cpython = 1, pcg64 = 2 }"] {
        check(
            &with("\"cpython\"", given),
            3,
            "rng",
            &["must be a name in quotes, see `lab scenario --help`"],
        );
    }
}

#[test]
fn a_key_given_twice_is_named() {
    let reason = refused(with("clients = 50", "clients = 50\nclients = 60"));
    assert!(
        reason.starts_with("bad.toml:8: ") && reason.contains("duplicate key `clients`"),
        "{reason}"
    );
}
