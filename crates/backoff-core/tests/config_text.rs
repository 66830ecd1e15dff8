//! A backoff as text: what is read, what is refused and in which words, and that what is written is read back.
#![cfg(feature = "serde")]

use std::time::Duration;

use backoff_core::{BackoffConfig, Growth};
use configs::configs;
use proptest::prelude::*;

mod configs;

fn read(text: &str) -> Result<BackoffConfig, String> {
    #[derive(serde::Deserialize)]
    struct Strategy {
        backoff: BackoffConfig,
    }
    toml::from_str::<Strategy>(&format!("backoff = {text}"))
        .map(|strategy| strategy.backoff)
        .map_err(|error| error.message().to_owned())
}

const GROWTH: Growth = Growth {
    base: Duration::from_millis(100),
    cap: Duration::from_secs(10),
    multiplier: 2.0,
    exponent_from: 0,
};

#[test]
fn every_kind_is_read_with_its_defaults() {
    let growth = r#"base = "100ms", cap = "10s""#;
    for (text, config) in [
        (r#"{ kind = "immediate" }"#.into(), BackoffConfig::Immediate),
        (
            r#"{ kind = "fixed", wait = "1m 30s" }"#.into(),
            BackoffConfig::Fixed {
                wait: Duration::from_secs(90),
            },
        ),
        (
            format!(r#"{{ kind = "exponential", {growth} }}"#),
            BackoffConfig::Exponential(GROWTH),
        ),
        (
            format!(r#"{{ kind = "full-jitter", {growth}, exponent_from = 1, multiplier = 3 }}"#),
            BackoffConfig::FullJitter(Growth {
                exponent_from: 1,
                multiplier: 3.0,
                ..GROWTH
            }),
        ),
        (
            r#"{ kind = "equal-jitter", base = "0s", cap = "none", multiplier = 1.5 }"#.into(),
            BackoffConfig::EqualJitter(Growth {
                base: Duration::ZERO,
                cap: Duration::MAX,
                multiplier: 1.5,
                ..GROWTH
            }),
        ),
        (
            format!(r#"{{ kind = "decorrelated", {growth} }}"#),
            BackoffConfig::Decorrelated {
                base: GROWTH.base,
                cap: GROWTH.cap,
            },
        ),
        (
            format!(r#"{{ kind = "proportional", {growth} }}"#),
            BackoffConfig::Proportional {
                growth: GROWTH,
                factor: 0.2,
            },
        ),
    ] {
        assert_eq!(read(&text), Ok(config), "{text}");
    }
}

#[test]
fn every_refusal_names_the_key_the_value_and_what_is_allowed() {
    const KINDS: &str = "one of immediate, fixed, exponential, full-jitter, equal-jitter, decorrelated, proportional";
    let duration = r#"a duration in quotes, such as "100ms" or "1m 30s""#;
    let cap = r#"a duration in quotes, such as "10s", or "none""#;
    for (text, message) in [
        (r"{ }", format!("kind is missing: must be {KINDS}")),
        (
            r#"{ kind = "jitter" }"#,
            format!(r#"kind = "jitter": must be {KINDS}"#),
        ),
        ("{ kind = 3 }", format!("kind = 3: must be {KINDS}")),
        (
            r#"{ kind = "immediate", base = "1s" }"#,
            "base is not a key of kind immediate, which takes none".into(),
        ),
        (
            r#"{ kind = "decorrelated", base = "1s", cap = "2s", multiplier = 2.0 }"#,
            "multiplier is not a key of kind decorrelated, which takes base, cap".into(),
        ),
        (
            r#"{ kind = "full-jitter", base = "1s", cap = "2s", factor = 0.2 }"#,
            "factor is not a key of kind full-jitter, which takes base, cap, multiplier, exponent_from".into(),
        ),
        (
            r#"{ kind = "fixed" }"#,
            format!("wait is missing: must be {duration}"),
        ),
        (
            r#"{ kind = "fixed", wait = 1 }"#,
            format!("wait = 1: must be {duration}"),
        ),
        (
            r#"{ kind = "fixed", wait = "-1s" }"#,
            format!(r#"wait = "-1s": must be {duration}"#),
        ),
        (
            r#"{ kind = "exponential", base = "", cap = "1s" }"#,
            format!(r#"base = "": must be {duration}"#),
        ),
        (
            r#"{ kind = "exponential", base = true, cap = "1s" }"#,
            format!("base = true: must be {duration}"),
        ),
        (
            r#"{ kind = "exponential", base = "none", cap = "none" }"#,
            format!(r#"base = "none": must be {duration}"#),
        ),
        (
            r#"{ kind = "exponential", base = "1s" }"#,
            format!("cap is missing: must be {cap}"),
        ),
        (
            r#"{ kind = "exponential", base = "1s", cap = "never" }"#,
            format!(r#"cap = "never": must be {cap}"#),
        ),
        (
            r#"{ kind = "exponential", base = "1s", cap = "10ms" }"#,
            "cap = 10ms: must be at least base = 1s".into(),
        ),
        (
            r#"{ kind = "exponential", base = "1s", cap = "2s", multiplier = nan }"#,
            "multiplier = NaN: must be finite and at least 1".into(),
        ),
        (
            r#"{ kind = "exponential", base = "1s", cap = "2s", multiplier = "2" }"#,
            r#"multiplier = "2": must be a number"#.into(),
        ),
        (
            r#"{ kind = "exponential", base = "1s", cap = "2s", exponent_from = 1.5 }"#,
            "exponent_from = 1.5: must be a whole number in [0, 4294967295]".into(),
        ),
        (
            r#"{ kind = "exponential", base = "1s", cap = "2s", exponent_from = -1 }"#,
            "exponent_from = -1: must be a whole number in [0, 4294967295]".into(),
        ),
        (
            r#"{ kind = "exponential", base = "1s", cap = "2s", exponent_from = 4294967296 }"#,
            "exponent_from = 4294967296: must be a whole number in [0, 4294967295]".into(),
        ),
        (
            r#"{ kind = "proportional", base = "1s", cap = "2s", factor = 1.2 }"#,
            "factor = 1.2: must be in [0, 1]".into(),
        ),
    ] {
        assert_eq!(read(text), Err(message), "{text}");
    }
}

#[test]
fn unknown_keys_and_nested_values_are_refused() {
    let message = read(r#"{ kind = "fixed", wiat = "1s" }"#).unwrap_err();
    assert!(message.starts_with("unknown field `wiat`"), "{message}");
    let message = read(r#"{ kind = "fixed", wait = ["1s"] }"#).unwrap_err();
    assert_eq!(message, "invalid type: sequence, expected text or a number");
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(config in configs()) {
        let toml = toml::to_string(&config).unwrap();
        prop_assert_eq!(toml::from_str::<BackoffConfig>(&toml).unwrap(), config, "{}", toml);
        // By value: serde_json's default reader of numbers may be off by an ulp.
        let json = serde_json::to_value(config).unwrap();
        prop_assert_eq!(serde_json::from_value::<BackoffConfig>(json).unwrap(), config);
    }

    #[test]
    fn any_text_is_read_or_refused(kind in "[a-z-]{0,12}", base in ".{0,8}", cap in ".{0,8}", multiplier in any::<f64>()) {
        let json = serde_json::json!({ "kind": kind, "base": base, "cap": cap, "multiplier": multiplier });
        let _ = serde_json::from_value::<BackoffConfig>(json);
    }
}
