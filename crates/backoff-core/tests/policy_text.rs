//! A policy from a configuration file: what is read, what is refused, and how the refusal reads.
#![cfg(feature = "serde")]

use std::time::Duration;

use backoff_core::classify::{GrpcCode, TransportRule};
use backoff_core::policy::{AboveLimit, Flavour, PastDate, PolicyConfig, Refusals, TimeLimit};
use backoff_core::retry_after::Reading;
use backoff_core::{BackoffConfig, Growth};

const SMALL: &str = r#"
max_attempts = 4
backoff = { kind = "full-jitter", base = "100ms", cap = "10s" }
"#;

const FULL: &str = include_str!("../fuzz/seeds/config/full.toml");

fn small() -> PolicyConfig {
    let growth = Growth::doubling(Duration::from_millis(100), Duration::from_secs(10));
    PolicyConfig::new(4, BackoffConfig::FullJitter(growth))
}

#[test]
fn what_is_left_out_is_the_default() {
    assert_eq!(toml::from_str(SMALL), Ok(small()));
    let json =
        r#"{"max_attempts": 4, "backoff": {"kind": "full-jitter", "base": "100ms", "cap": "10s"}}"#;
    assert_eq!(serde_json::from_str::<PolicyConfig>(json).unwrap(), small());
    for table in ["retry_after", "http", "grpc", "transport"] {
        assert_eq!(
            toml::from_str(&format!("{SMALL}[{table}]\n")),
            Ok(small()),
            "{table}"
        );
    }
}

#[test]
fn every_key_is_read_and_written() {
    let config: PolicyConfig = toml::from_str(FULL).unwrap();
    assert_eq!(config.flavour, Flavour::Grpc);
    assert_eq!(config.deadline, TimeLimit::Within(Duration::from_secs(90)));
    assert_eq!(config.attempt_timeout, TimeLimit::Unlimited);
    assert_eq!(config.refusals, Refusals::Retry);
    assert_eq!(config.retry_after.reading, Reading::Strict);
    assert_eq!(config.retry_after.above, AboveLimit::GiveUp);
    assert_eq!(config.retry_after.past_date, PastDate::Backoff);
    assert_eq!(config.http.only_if_idempotent, [503]);
    assert_eq!(
        config.grpc.retryable,
        [GrpcCode::Unavailable, GrpcCode::Internal]
    );
    assert_eq!(config.transport.connect, TransportRule::Retry);
    assert_eq!(
        config.throttling_codes.names().collect::<Vec<_>>(),
        ["Throttling", "SlowDown"]
    );
    for config in [config, small()] {
        let written = toml::to_string(&config).unwrap();
        assert_eq!(toml::from_str(&written), Ok(config.clone()), "{written}");
        let written = serde_json::to_string(&config).unwrap();
        assert_eq!(
            serde_json::from_str::<PolicyConfig>(&written).unwrap(),
            config,
            "{written}"
        );
        assert!(config.build().is_ok());
    }
}

#[test]
fn none_is_no_limit_and_zero_is_zero() {
    for (text, limit) in [
        ("none", TimeLimit::Unlimited),
        ("0s", TimeLimit::Within(Duration::ZERO)),
        ("1m 30s", TimeLimit::Within(Duration::from_secs(90))),
        ("250ms", TimeLimit::Within(Duration::from_millis(250))),
    ] {
        let config: PolicyConfig =
            toml::from_str(&format!("deadline = {text:?}\n{SMALL}")).unwrap();
        assert_eq!(config.deadline, limit);
    }
}

/// A line put before the small policy, and what the refusal must name.
#[test]
fn what_is_wrong_is_refused_and_named() {
    for (line, named) in [
        ("max_atempts = 3", "max_atempts"),
        ("timeout = \"3s\"", "timeout"),
        ("deadline = 15", "duration in quotes"),
        ("deadline = \"15\"", "15"),
        ("deadline = \"-1s\"", "-1s"),
        ("deadline = \"soon\"", "soon"),
        ("deadline = \"\"", "none"),
        ("deadline = \"None\"", "none"),
        ("deadline = nan", "duration in quotes"),
        ("attempt_timeout = true", "duration in quotes"),
        ("flavour = \"http\"", "grpc"),
        ("refusals = \"ignore\"", "retry"),
        ("retry_after = { limit = \"1m\", over = \"cap\" }", "over"),
        ("retry_after = { above = \"refuse\" }", "give-up"),
        ("retry_after = 5", "RetryAfterRule"),
        ("http = { retry = [99999] }", "99999"),
        ("http = { retry = [-1] }", "-1"),
        ("http = { retries = [503] }", "retries"),
        ("grpc = { retryable = [\"UNAVAILBLE\"] }", "UNAVAILBLE"),
        ("grpc = { retryable = [17] }", "17"),
        ("grpc = { retryable = [-1] }", "-1"),
        ("grpc = { retryable = [1.5] }", "1.5"),
        ("transport = { connect = \"always\" }", "always"),
        ("throttling_codes = [\"\"]", "throttling_codes"),
        ("throttling_codes = \"SlowDown\"", "sequence"),
        (
            "throttling_backoff = { kind = \"fixed\", wait = \"1s\", cap = \"2s\" }",
            "cap",
        ),
        (
            "throttling_backoff = { kind = \"full-jitter\", base = \"1s\", cap = \"10ms\" }",
            "cap",
        ),
    ] {
        let error = toml::from_str::<PolicyConfig>(&format!("{line}\n{SMALL}"))
            .unwrap_err()
            .to_string();
        assert!(error.contains(named), "{line}: {error}");
    }
    for text in ["", "max_attempts = 3", "backoff = { kind = \"immediate\" }"] {
        let error = toml::from_str::<PolicyConfig>(text)
            .unwrap_err()
            .to_string();
        assert!(error.contains("missing field"), "{text:?}: {error}");
    }
    for value in ["-1", "1.5", "nan", "4294967296", "\"3\""] {
        let text = SMALL.replace("max_attempts = 4", &format!("max_attempts = {value}"));
        let error = toml::from_str::<PolicyConfig>(&text)
            .unwrap_err()
            .to_string();
        assert!(error.contains("max_attempts"), "{error}");
    }
}
