//! A decision allocates nothing.

use std::time::Duration;

use allocation_counter::measure;
use backoff_core::budget::{RetryBudget, Unlimited};
use backoff_core::classify::{GrpcCode, Idempotency, Pace, TransportError};
use backoff_core::ownership::{Mark, Service};
use backoff_core::policy::{Decision, Outcome, Policy, PolicyConfig, Pushback, TimeLimit};
use backoff_core::{BackoffConfig, Growth};

mod every_budget;

use every_budget::every_budget;

fn policies() -> Vec<Policy> {
    let growth = Growth::doubling(Duration::from_millis(100), Duration::from_secs(10));
    let (base, cap) = (growth.base, growth.cap);
    let backoffs = [
        BackoffConfig::Immediate,
        BackoffConfig::Fixed { wait: base },
        BackoffConfig::Exponential(growth),
        BackoffConfig::FullJitter(growth),
        BackoffConfig::EqualJitter(growth),
        BackoffConfig::Decorrelated { base, cap },
        BackoffConfig::Proportional {
            growth,
            factor: 0.2,
        },
    ];
    let config = |backoff| PolicyConfig {
        deadline: TimeLimit::Within(Duration::from_secs(60)),
        attempt_timeout: TimeLimit::Within(Duration::from_secs(5)),
        ..PolicyConfig::new(10, backoff)
    };
    backoffs
        .map(|backoff| config(backoff).build().unwrap())
        .into()
}

fn outcomes() -> Vec<Outcome<'static>> {
    vec![
        Outcome::http(200),
        Outcome::http(404),
        Outcome::http(500),
        Outcome::http(503),
        Outcome::http(503).retry_after(b"7", 0),
        Outcome::http(503).retry_after(b"Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
        Outcome::http(503).retry_after(b"\xff not a date at all", 0),
        Outcome::http_with_code(400, "com.amazon#ThrottlingException:x"),
        Outcome::grpc(GrpcCode::Unavailable).pushback(Pushback::read(b"250")),
        Outcome::grpc(GrpcCode::InvalidArgument),
        Outcome::transport(TransportError::Timeout),
        Outcome::refused_by_breaker(),
        Outcome::http(503).marked(Service::Aware, Mark::Claimed),
        Outcome::http(503).marked(Service::Aware, Mark::Unclaimed),
    ]
}

/// How many retries of one request under each policy and outcome are granted.
fn requests<B: RetryBudget>(
    policies: &[Policy],
    outcomes: &[Outcome<'_>],
    mut budget: Option<&mut B>,
) -> u32 {
    let mut retries = 0;
    for (policy, outcome) in policies
        .iter()
        .flat_map(|policy| outcomes.iter().map(move |outcome| (policy, outcome)))
    {
        let mut now = Duration::ZERO;
        let mut request = policy.request(Idempotency::Idempotent, now, &mut budget);
        request.sent(now);
        while let Decision::Retry { after } = request.decide(outcome, now, 0.5) {
            now += after;
            request.sent(now);
            retries += u32::from(request.attempt_timeout(now) > TimeLimit::Within(Duration::ZERO));
        }
        drop(request);
        let mut drawing = policy.request(Idempotency::Idempotent, now, &mut budget);
        while let Decision::Retry { .. } = drawing.decide_drawing(outcome, now, || 0.5) {}
        drop(drawing);
        let total = policy.total_time(Pace::Transient, Duration::ZERO);
        assert!(TimeLimit::Within(total.least) <= total.greatest);
    }
    retries
}

#[test]
fn a_decision_allocates_nothing_under_any_budget() {
    let (policies, outcomes) = (policies(), outcomes());
    let mut retries = 0;
    let counted = measure(|| retries = requests(&policies, &outcomes, Some(&mut Unlimited)));
    assert_eq!(counted.count_total, 0);
    assert!(retries > 100, "{retries}");

    for config in every_budget() {
        let mut budget = config.build().unwrap();
        let counted = measure(|| retries = requests(&policies, &outcomes, Some(&mut budget)));
        assert_eq!(counted.count_total, 0, "{config:?}");
    }
}

#[test]
fn the_counter_counts() {
    let counted = measure(|| drop(std::hint::black_box(vec![0_u8; 16])));
    assert_eq!(counted.count_total, 1);
}
