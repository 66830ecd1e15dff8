//! A policy from a configuration file, and what it comes to: its waits, its verdicts, how long a request can take.
//!
//! `cargo run -p backoff-core --example policy_from_config --features serde [FILE]`

use std::error::Error;
use std::time::Duration;

use backoff_core::classify::Pace;
use backoff_core::policy::{Outcome, Policy, PolicyConfig};

const CONFIG: &str = r#"
max_attempts = 4
deadline = "2m"
attempt_timeout = "10s"
backoff = { kind = "full-jitter", base = "100ms", cap = "10s" }

[retry_after]
limit = "1m"
above = "give-up"

[http]
# A 500 is retried like any other failure here, instead of at most once.
retry = [408, 425, 500, 502, 503, 504]
limited = []
"#;

fn policy(text: &str) -> Result<Policy, Box<dyn Error>> {
    Ok(toml::from_str::<PolicyConfig>(text)?.build()?)
}

fn describe(policy: &Policy) -> String {
    let mut lines = vec![format!("attempts: at most {}", policy.max_attempts())];
    for failures in 1..policy.max_attempts() {
        let (low, high) = policy.backoff(Pace::Transient).bounds(failures);
        lines.push(format!("wait after failure {failures}: {low} to {high} s"));
    }
    for status in [404, 429, 500, 503] {
        lines.push(format!(
            "HTTP {status}: {}",
            policy.verdict(&Outcome::http(status))
        ));
    }
    let total = policy.total_time(Pace::Transient, Duration::from_secs(1));
    lines.push(format!(
        "a request that keeps failing ends after {:?} to {}",
        total.least, total.greatest
    ));
    lines.join("\n")
}

fn main() -> Result<(), Box<dyn Error>> {
    let text = match std::env::args().nth(1) {
        Some(file) => std::fs::read_to_string(file)?,
        None => CONFIG.to_owned(),
    };
    println!("{}", describe(&policy(&text)?));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{CONFIG, describe, policy};

    #[test]
    fn the_configuration_is_read_and_described() {
        let text = describe(&policy(CONFIG).unwrap());
        for line in [
            "attempts: at most 4",
            "wait after failure 3: 0 to 0.4 s",
            "HTTP 500: yes",
            "a request that keeps failing ends after 0ns to 40.7s",
        ] {
            assert!(text.lines().any(|found| found == line), "{text}");
        }
    }

    #[test]
    fn a_misspelt_key_is_an_error_that_names_it() {
        let text = CONFIG.replace("max_attempts", "max_atempts");
        assert!(
            policy(&text)
                .unwrap_err()
                .to_string()
                .contains("max_atempts")
        );
    }
}
