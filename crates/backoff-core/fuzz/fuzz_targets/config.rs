//! Any text as a policy's configuration; whatever builds must decide within its bounds.
#![no_main]

use core::time::Duration;

use backoff_core::budget::Unlimited;
use backoff_core::classify::{Idempotency, Pace};
use backoff_core::policy::{Decision, Outcome, PolicyConfig, TimeLimit};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let Ok(config) = toml::from_str::<PolicyConfig>(text) else {
        return;
    };
    let written = toml::to_string(&config).expect("what was read can be written");
    assert_eq!(toml::from_str(&written), Ok(config.clone()), "and read again");
    let Ok(policy) = config.build() else {
        return;
    };
    for pace in [Pace::Transient, Pace::Throttling] {
        let total = policy.total_time(pace, Duration::from_secs(1));
        assert!(TimeLimit::Within(total.least) <= total.greatest);
    }
    let statuses = [503, 429, 500, 408, 599, 404];
    let units = [0.0, 0.5, 1.0 - f64::EPSILON / 2.0];
    let mut now = Duration::ZERO;
    let mut call = policy.start(Idempotency::Idempotent, now);
    for sends in 1..=20_u32 {
        let status = statuses[sends as usize % statuses.len()];
        let unit = units[sends as usize % units.len()];
        match policy.decide(&mut call, &Outcome::http(status), now, unit, &mut Unlimited) {
            Decision::Retry { after } => {
                assert!(sends < policy.max_attempts());
                let end = now.saturating_add(after);
                assert!(TimeLimit::Within(end) <= policy.deadline());
                now = end;
            }
            Decision::Stop(reason) => {
                assert!(!reason.to_string().is_empty());
                break;
            }
        }
    }
});
