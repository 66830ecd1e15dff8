//! What a policy tells its budget, and what each budget makes of it.

use std::time::Duration;

use backoff_core::budget::{
    AdaptiveThrottlingConfig, Attempt, Budget, Failure, Grant, GrpcThrottlingConfig, RetryBudget,
    RetryRatioConfig, Unlimited,
};
use backoff_core::classify::{
    GrpcCode, GrpcLists, HttpLists, Idempotency, OtherServerErrors, TransportClasses,
    TransportError, TransportRule, Verdict, Why,
};
use backoff_core::policy::{Decision, Outcome, Policy, PolicyConfig, Refusals, StopReason};
use backoff_core::{BackoffConfig, Growth};

mod every_budget;

use every_budget::every_budget;

const NOW: Duration = Duration::from_secs(1);

fn config() -> PolicyConfig {
    let growth = Growth::doubling(Duration::from_millis(100), Duration::from_secs(10));
    PolicyConfig {
        http: HttpLists {
            other_server_errors: OtherServerErrors::Never,
            ..HttpLists::default()
        },
        transport: TransportClasses {
            connect: TransportRule::Never,
            ..TransportClasses::default()
        },
        ..PolicyConfig::new(3, BackoffConfig::FullJitter(growth))
    }
}

/// What becomes of one request whose first attempt ends so.
fn ends<B: RetryBudget>(policy: &Policy, outcome: &Outcome<'_>, budget: &mut B) -> Decision {
    policy
        .request(Idempotency::Idempotent, NOW, budget)
        .decide(outcome, NOW, 0.5)
}

/// The outcomes that are never retried, and whether the request is at fault.
fn never_retried() -> Vec<(Outcome<'static>, bool)> {
    vec![
        (Outcome::http(404), true),
        (Outcome::http(501), true),
        (Outcome::http(599), false),
        (Outcome::grpc(GrpcCode::InvalidArgument), true),
        (Outcome::grpc(GrpcCode::Unimplemented), true),
        (Outcome::grpc(GrpcCode::ResourceExhausted), false),
        (Outcome::grpc(GrpcCode::DeadlineExceeded), false),
        (Outcome::grpc(GrpcCode::Internal), false),
        (Outcome::transport(TransportError::Connect), false),
        (Outcome::judged(Verdict::Never(Why::SameAgain)), true),
        (Outcome::judged(Verdict::Never(Why::NotLearned)), true),
        (Outcome::judged(Verdict::Never(Why::NotListed)), false),
    ]
}

/// A failure isn't an accept because the client doesn't retry it, and isn't a failing server because the request is at fault.
#[test]
fn what_is_not_retried_counts_by_whose_fault_it_is() {
    let policy = config().build().unwrap();
    for (outcome, fault_of_request) in never_retried() {
        let mut adaptive = AdaptiveThrottlingConfig::default().build().unwrap();
        let mut grpc = GrpcThrottlingConfig::default().build().unwrap();
        for _ in 0..9 {
            for decision in [
                ends(&policy, &outcome, &mut adaptive),
                ends(&policy, &outcome, &mut grpc),
            ] {
                let Decision::Stop(StopReason::NotRetryable { .. }) = decision else {
                    panic!("{outcome:?}: {decision:?}");
                };
            }
        }
        let refusals = if fault_of_request { 0.0 } else { 0.9 };
        assert_eq!(adaptive.refusal_probability(NOW), refusals, "{outcome:?}");
        assert_eq!(grpc.milli_tokens(), 10_000, "A6 ignores {outcome:?}");
    }
}

/// The same code is a failure once it is listed.
#[test]
fn a_listed_code_costs_tokens() {
    let policy = PolicyConfig {
        grpc: GrpcLists {
            retryable: vec![GrpcCode::Unavailable, GrpcCode::ResourceExhausted],
            ..GrpcLists::default()
        },
        ..config()
    }
    .build()
    .unwrap();
    let mut grpc = GrpcThrottlingConfig::default().build().unwrap();
    let outcome = Outcome::grpc(GrpcCode::ResourceExhausted);
    assert!(matches!(
        ends(&policy, &outcome, &mut grpc),
        Decision::Retry { .. }
    ));
    assert_eq!(grpc.milli_tokens(), 9_000);
}

#[test]
fn no_budget_grants_a_retry_of_what_is_not_retried() {
    for failure in [Failure::Final, Failure::NotRetried] {
        assert_eq!(Unlimited.try_retry(NOW, failure, 0.5), None);
        for config in every_budget() {
            let mut budget = config.build().unwrap();
            for _ in 0..100 {
                budget.sent(NOW, &Attempt::First);
            }
            assert_eq!(budget.try_retry(NOW, failure, 0.99), None, "{config:?}");
            assert!(
                budget.try_retry(NOW, Failure::Transient, 0.999).is_some(),
                "{config:?}"
            );
        }
    }
}

/// Notes what it is told beside the budget within.
struct Witness {
    within: Budget,
    sent: u32,
    failed: u32,
    granted: u32,
    unused: u32,
}

impl Witness {
    fn new(within: Budget) -> Self {
        Self {
            within,
            sent: 0,
            failed: 0,
            granted: 0,
            unused: 0,
        }
    }
}

impl RetryBudget for Witness {
    fn sent(&mut self, now: Duration, attempt: &Attempt) {
        self.sent += 1;
        self.within.sent(now, attempt);
    }
    fn succeeded(&mut self, now: Duration, attempt: Attempt) {
        self.within.succeeded(now, attempt);
    }
    fn failed(&mut self, now: Duration, attempt: Attempt, failure: Failure) {
        self.failed += 1;
        self.within.failed(now, attempt, failure);
    }
    fn abandoned(&mut self, attempt: Attempt) {
        self.within.abandoned(attempt);
    }
    fn unused(&mut self, grant: Grant) {
        self.unused += 1;
        self.within.unused(grant);
    }
    fn try_retry(&mut self, now: Duration, failure: Failure, unit: f64) -> Option<Grant> {
        let grant = self.within.try_retry(now, failure, unit)?;
        self.granted += 1;
        Some(grant)
    }
}

/// A breaker's refusals leave a budget as if the requests had never been made.
#[test]
fn no_budget_knows_of_requests_that_the_breaker_refused() {
    let policy = config().build().unwrap();
    for config in every_budget() {
        let mut budget = config.build().unwrap();
        for _ in 0..100 {
            let decision = ends(&policy, &Outcome::refused_by_breaker(), &mut budget);
            assert_eq!(decision, Decision::Stop(StopReason::BreakerRefused));
        }
        assert_eq!(budget, config.build().unwrap(), "{config:?}");
    }
}

/// A share of what is sent is a share of nothing while the breaker refuses everything.
#[test]
fn refused_requests_earn_no_retries() {
    let policy = PolicyConfig {
        refusals: Refusals::Retry,
        ..config()
    }
    .build()
    .unwrap();
    let mut budget = RetryRatioConfig::default().build().unwrap();
    for _ in 0..100 {
        let decision = ends(&policy, &Outcome::refused_by_breaker(), &mut budget);
        assert_eq!(decision, Decision::Stop(StopReason::Budget));
    }
    assert_eq!(budget.sends(NOW), (0, 0));
}

/// Refusals that are retried ask the budget without a send and without a failure, and every grant comes back.
#[test]
fn a_refusal_that_is_retried_asks_the_budget_and_sends_nothing() {
    let policy = PolicyConfig {
        refusals: Refusals::Retry,
        ..config()
    }
    .build()
    .unwrap();
    for config in every_budget() {
        let mut witness = Witness::new(config.build().unwrap());
        let mut call = policy.start(Idempotency::Idempotent, NOW);
        let refused = Outcome::refused_by_breaker();
        while let Decision::Retry { .. } =
            policy.decide(&mut call, &refused, NOW, 0.5, &mut witness)
        {}
        assert_eq!((witness.sent, witness.failed), (0, 0), "{config:?}");
        assert_eq!(witness.unused, witness.granted, "{config:?}");
        assert!(witness.granted <= 2, "{config:?}");
        // Afterwards an attempt gets through.
        let mut call = policy.start(Idempotency::Idempotent, NOW);
        let _ = policy.decide(&mut call, &refused, NOW, 0.5, &mut witness);
        call.sent(NOW, &mut witness);
        call.succeeded(NOW, &mut witness);
        assert!(witness.sent <= 1 && witness.failed == 0, "{config:?}");
    }
    let mut witness = Witness::new(every_budget()[4].build().unwrap());
    let mut call = policy.start(Idempotency::Idempotent, NOW);
    let _ = policy.decide(
        &mut call,
        &Outcome::refused_by_breaker(),
        NOW,
        0.5,
        &mut witness,
    );
    call.sent(NOW, &mut witness);
    call.succeeded(NOW, &mut witness);
    assert_eq!((witness.granted, witness.sent, witness.unused), (1, 1, 0));
}

/// Only adaptive throttling refuses first sends, and by the rule of its retries; through every handle.
#[test]
fn first_sends_are_admitted_unless_the_budget_throttles_them() {
    fn admitted<B: RetryBudget>(mut budget: B) -> bool {
        for _ in 0..100 {
            budget.sent(NOW, &Attempt::First);
            budget.failed(NOW, Attempt::First, Failure::Timeout);
        }
        budget.admit_first(NOW, 0.5)
    }
    assert!(admitted(Unlimited));
    for config in every_budget() {
        let built = || config.build().unwrap();
        let expected = !built().draws();
        assert_eq!(admitted(built()), expected, "{config:?}");
        assert_eq!(admitted(&mut built()), expected, "{config:?}");
        #[cfg(feature = "std")]
        {
            use backoff_core::budget::Shared;
            assert_eq!(admitted(&Shared::new(built())), expected, "{config:?}");
            assert_eq!(
                admitted(std::sync::Arc::new(Shared::new(built()))),
                expected,
                "{config:?}"
            );
        }
    }
}
