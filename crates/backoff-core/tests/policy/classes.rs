//! Which requests and which failures are retried, and with which backoff.

use super::*;

#[test]
fn what_may_have_been_processed_is_repeated_only_if_idempotent() {
    let policy = PolicyConfig {
        grpc: GrpcLists {
            retryable: vec![GrpcCode::Internal],
            ..GrpcLists::default()
        },
        ..config(5)
    }
    .build()
    .unwrap();
    let mut outcomes = TransportError::ALL.map(Outcome::transport).to_vec();
    outcomes.push(Outcome::grpc(GrpcCode::Internal));
    for outcome in outcomes {
        let post = Idempotency::of_method("POST", false);
        let cause = outcome.cause();
        assert_eq!(
            first(&policy, post, &outcome),
            Decision::Stop(StopReason::NotIdempotent { cause })
        );
        let with_key = Idempotency::of_method("POST", true);
        assert_eq!(first(&policy, with_key, &outcome), retry(s(1)), "{cause}");
    }
    let cautious = PolicyConfig {
        http: HttpLists::cautious(),
        ..config(5)
    }
    .build()
    .unwrap();
    for status in [500, 502, 504, 599] {
        let reason = StopReason::NotIdempotent {
            cause: Cause::Http(status),
        };
        assert_eq!(
            first(
                &cautious,
                Idempotency::NotIdempotent,
                &Outcome::http(status)
            ),
            Decision::Stop(reason)
        );
        assert_eq!(
            first(&policy, Idempotency::NotIdempotent, &Outcome::http(status)),
            retry(s(1))
        );
    }
    for status in [408, 425, 503] {
        assert_eq!(
            first(
                &cautious,
                Idempotency::NotIdempotent,
                &Outcome::http(status)
            ),
            retry(s(1))
        );
    }
}

#[test]
fn a_500_is_retried_at_most_once_unless_configured() {
    let policy = config(5).build().unwrap();
    let limit = StopReason::ClassLimit {
        cause: Cause::Http(500),
        at_most: 1,
    };
    assert_eq!(sends(&policy, &Outcome::http(500)), (2, limit));
    assert_eq!(limit.to_string(), "HTTP status 500 is retried at most once");
    // Other failures in between neither use up its one retry nor give it back.
    let mut call = start(&policy);
    for status in [503, 500, 503] {
        assert!(
            matches!(
                decide(&policy, &mut call, &Outcome::http(status), s(0)),
                Decision::Retry { .. }
            ),
            "{status}"
        );
    }
    assert_eq!(
        decide(&policy, &mut call, &Outcome::http(500), s(0)),
        Decision::Stop(limit)
    );

    for (retries, sent) in [(0, 1), (3, 4), (u32::MAX, 5)] {
        let http = HttpLists {
            limited_retries: retries,
            ..HttpLists::default()
        };
        let policy = PolicyConfig { http, ..config(5) }.build().unwrap();
        assert_eq!(sends(&policy, &Outcome::http(500)).0, sent, "{retries}");
    }
}

#[test]
fn each_backoff_keeps_its_own_previous_wait() {
    let decorrelated = |base, cap| BackoffConfig::Decorrelated {
        base: s(base),
        cap: s(cap),
    };
    let policy = PolicyConfig {
        throttling_backoff: decorrelated(10, 1000),
        ..PolicyConfig::new(9, decorrelated(1, 100))
    }
    .build()
    .unwrap();
    let mut call = start(&policy);
    let mut wait = |status, unit| match policy.decide(
        &mut call,
        &Outcome::http(status),
        s(0),
        unit,
        &mut Unlimited,
    ) {
        Decision::Retry { after } => after,
        Decision::Stop(reason) => panic!("{reason}"),
    };
    assert_eq!(wait(503, 0.5), s(2)); // U(1, 3)
    assert_eq!(wait(429, 0.5), s(20)); // U(10, 30)
    assert_eq!(wait(503, 0.5), Duration::from_millis(3500)); // U(1, 6)
    assert_eq!(wait(429, 0.0), s(10)); // U(10, 60)
    assert_eq!(wait(429, 0.5), s(20)); // U(10, 30)
}

#[test]
fn a_failure_of_ones_own_is_judged_by_the_caller() {
    let policy = config(2).build().unwrap();
    let verdict = Verdict::Never(Why::SameAgain);
    let reason = StopReason::NotRetryable {
        cause: Cause::Other,
        why: Why::SameAgain,
    };
    assert_eq!(
        first(&policy, Idempotency::Idempotent, &Outcome::judged(verdict)),
        Decision::Stop(reason)
    );
    let verdict = policy.verdict(&Outcome::http(503));
    assert_eq!(
        first(&policy, Idempotency::Idempotent, &Outcome::judged(verdict)),
        retry(s(1))
    );
}

#[test]
fn pace_chooses_the_backoff() {
    let policy = config(2).build().unwrap();
    assert_eq!(policy.backoff(Pace::Transient).bounds(1), (1.0, 1.0));
    assert_eq!(policy.backoff(Pace::Throttling).bounds(1), (0.0, 1.0));
}
