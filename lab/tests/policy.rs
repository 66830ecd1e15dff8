//! The policy scenario: its published tables, and what a user's own file gets.

mod support;

use support::Desk;

const OWN: &str = r#"model = "policy"
question = "What does our policy do?"
[policy]
max_attempts = 5
flavour = "grpc"
deadline = "10s"
backoff = { kind = "full-jitter", base = "100ms", cap = "2s" }
[policy.http]
retry = [503]
throttling = []
limited = []
never = [500]
other_server_errors = "never"
[policy.transport]
connect = "retry"
[schedule]
failures = 2
[[strategy]]
name = "ours"
backoff = { kind = "full-jitter", base = "100ms", cap = "2s" }
"#;

/// Runs a scenario text, and gives its exit code, output and errors.
fn run(text: &str) -> (Option<i32>, String, String) {
    let desk = Desk::new();
    desk.write("own.toml", text);
    let answer = desk.lab(&["run", "own.toml"]);
    (answer.code, answer.out, answer.err)
}

fn builtin() -> String {
    let answer = Desk::new().lab(&["scenario", "policy"]);
    assert_eq!(answer.code, Some(0), "{answer:?}");
    answer.out
}

#[test]
fn the_built_in_tables_are_the_published_ones() {
    let (code, out, err) = run(&builtin());
    assert_eq!(code, Some(0), "{err}");
    for line in [
        "HTTP 100-399  no: nothing failed  0  0  0",
        "HTTP 400-407  no: the same request fails again  0  0  0",
        "HTTP 408  yes  2  2  2",
        "HTTP 425  yes  2  2  2",
        "HTTP 429  yes, as throttling  2  2  2",
        "HTTP 430-499  no: the same request fails again  0  0  0",
        "HTTP 500  yes, at most once  1  1  1",
        "HTTP 501  no: the server will not learn it by waiting  0  0  0",
        "HTTP 502-504  yes  2  2  2",
        "HTTP 505  no: the server will not learn it by waiting  0  0  0",
        "HTTP 509  yes, as throttling  2  2  2",
        "HTTP 510-599  yes  2  2  2",
        "HTTP 400 Throttling  yes, as throttling  2  2  2",
        "a timeout  yes, if the request is idempotent  2  0  2",
        "UNAVAILABLE  14  yes  yes",
        "INTERNAL  13  no: not listed as retryable  yes, if the request is idempotent",
        "INVALID_ARGUMENT  3  no: the same request fails again  may not be listed",
        "1  1  1  1",
        "2  2  1.5  2",
        "5  16  5.06  16",
        "6  30  7.59  32",
        "10  30  30  512",
        "15  30  30  16384",
        "transient  3  93  93",
    ] {
        let words: Vec<&str> = line.split_whitespace().collect();
        let found = out
            .lines()
            .any(|row| row.split_whitespace().collect::<Vec<_>>() == words);
        assert!(found, "{line}\n{out}");
    }
}

#[test]
fn a_wrong_number_fails_its_row() {
    let text = builtin().replace("value = 16384", "value = 16385");
    let (code, out, err) = run(&text);
    assert_eq!(code, Some(1), "{out}{err}");
}

#[test]
fn a_policy_of_ones_own_is_judged_by_its_own_lists() {
    let (code, out, err) = run(OWN);
    assert_eq!((code, err.as_str()), (Some(0), ""));
    for line in [
        "HTTP 503  yes  4  4  4",
        "HTTP 500  no: the server will not learn it by waiting  0  0  0",
        "HTTP 504-599  no: not listed as retryable  0  0  0",
        "a failed connection attempt  yes  4  4  4",
        "transient  0  -  10",
    ] {
        let words: Vec<&str> = line.split_whitespace().collect();
        let found = out
            .lines()
            .any(|row| row.split_whitespace().collect::<Vec<_>>() == words);
        assert!(found, "{line}\n{out}");
    }
}

#[test]
fn bad_values_are_refused_with_line_key_and_what_is_allowed() {
    for (old, new, named) in [
        ("max_attempts = 5", "max_attempts = 0", "at least 1"),
        ("max_attempts = 5", "max_attempts = 1001", "at most 1000"),
        ("max_attempts = 5", "max_attempts = -1", "max_attempts"),
        ("max_attempts = 5", "max_attempts = 2.5", "max_attempts"),
        ("max_attempts = 5", "max_atempts = 5", "max_atempts"),
        ("flavour = \"grpc\"", "flavour = \"http\"", "plain"),
        ("deadline = \"10s\"", "deadline = 10", "duration in quotes"),
        (
            "deadline = \"10s\"",
            "deadline = \"-1s\"",
            "duration in quotes",
        ),
        (
            "deadline = \"10s\"",
            "attempt_timeout = \"0s\"",
            "more than zero",
        ),
        (
            "cap = \"2s\" }\n[policy.http]",
            "cap = \"2ms\" }\n[policy.http]",
            "at least base",
        ),
        (
            "kind = \"full-jitter\", base = \"100ms\", cap = \"2s\" }\n[policy.http]",
            "kind = \"jitter\" }\n[policy.http]",
            "full-jitter",
        ),
        ("retry = [503]", "retry = [503, 503]", "listed only once"),
        ("retry = [503]", "retry = [302]", "[400, 599]"),
        ("retry = [503]", "retries = [503]", "retries"),
        ("never = [500]", "never = [503]", "listed only once"),
        (
            "other_server_errors = \"never\"",
            "other_server_errors = \"no\"",
            "retry-if-idempotent",
        ),
        ("connect = \"retry\"", "connect = true", "connect"),
        (
            "[schedule]",
            "[policy.grpc]\nretryable = [\"INVALID_ARGUMENT\"]\n[schedule]",
            "another attempt could change",
        ),
        ("failures = 2", "failures = 0", "from 1 to 1000"),
        ("failures = 2", "failures = 1001", "from 1 to 1000"),
        ("question", "rng = \"cpython\"\nquestion", "draws nothing"),
        ("[schedule]\nfailures = 2\n", "", "schedule"),
    ] {
        assert!(OWN.contains(old), "{old}");
        let (code, out, err) = run(&OWN.replacen(old, new, 1));
        assert_eq!((code, out.as_str()), (Some(2), ""), "{new}: {err}");
        assert_eq!(err.lines().count(), 1, "{new}: {err}");
        assert!(
            err.starts_with("error: own.toml") && err.contains(named),
            "{new}: {err}"
        );
    }
}
