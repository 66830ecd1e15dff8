//! Which reason wins, how it reads, and why a policy is refused.

use backoff_core::ownership::{Mark, Service};

use super::*;

#[test]
fn the_first_check_that_fails_gives_the_reason() {
    let policy = PolicyConfig {
        deadline: within(1),
        ..config(1)
    }
    .build()
    .unwrap();
    let everything =
        |outcome: Outcome<'static>| outcome.retry_after(b"1800", 0).breaker_open_for(s(99));
    let reason = |outcome: Outcome<'static>| match first(
        &policy,
        Idempotency::NotIdempotent,
        &everything(outcome),
    ) {
        Decision::Stop(reason) => reason,
        Decision::Retry { .. } => panic!(),
    };
    assert_eq!(reason(Outcome::http(200)), StopReason::NothingFailed);
    assert_eq!(
        reason(Outcome::refused_by_breaker()),
        StopReason::BreakerRefused
    );
    assert_eq!(
        reason(Outcome::http(404).pushback(Pushback::Refused)),
        StopReason::NotRetryable {
            cause: Cause::Http(404),
            why: Why::SameAgain
        }
    );
    let timeout = Outcome::transport(TransportError::Timeout);
    let mark = Mark::Unclaimed;
    assert_eq!(
        reason(
            timeout
                .pushback(Pushback::Refused)
                .marked(Service::Aware, mark)
        ),
        StopReason::NotOwned { mark }
    );
    assert_eq!(
        reason(timeout.pushback(Pushback::Refused)),
        StopReason::NotIdempotent {
            cause: timeout.cause()
        }
    );
    assert_eq!(
        reason(Outcome::http(503).pushback(Pushback::Refused)),
        StopReason::PushbackRefused
    );
    assert_eq!(reason(Outcome::http(503)), StopReason::Attempts { max: 1 });

    let policy = PolicyConfig {
        deadline: within(1),
        ..config(2)
    }
    .build()
    .unwrap();
    let at = |outcome: Outcome<'static>, now, tokens| {
        let mut ledger = Ledger {
            tokens,
            ..Ledger::default()
        };
        let mut call = policy.start(Idempotency::NotIdempotent, s(0));
        match policy.decide(&mut call, &outcome, now, 0.5, &mut ledger) {
            Decision::Stop(reason) => reason,
            Decision::Retry { .. } => panic!(),
        }
    };
    let outcome = everything(Outcome::http(503));
    assert_eq!(at(outcome, s(1), 0), StopReason::DeadlinePassed);
    assert_eq!(
        at(outcome, s(0), 0),
        StopReason::RetryAfterAboveLimit {
            asked: s(1800),
            limit: s(900)
        }
    );
    let outcome = outcome.retry_after(b"2", 0);
    assert_eq!(
        at(outcome, s(0), 0),
        StopReason::RetryAfterPastDeadline {
            asked: s(2),
            left: s(1)
        }
    );
    let outcome = outcome.retry_after(b"1", 0);
    assert_eq!(
        at(outcome, s(0), 0),
        StopReason::BreakerOpen { open_for: s(99) }
    );
    assert_eq!(
        at(outcome.breaker_open_for(s(1)), s(0), 0),
        StopReason::Budget
    );
}

#[test]
fn reasons_are_sentences() {
    let cause = Cause::Transport(TransportError::Timeout);
    for (reason, text) in [
        (
            StopReason::Attempts { max: 5 },
            "all 5 attempts failed, and no more are allowed",
        ),
        (
            StopReason::Attempts { max: 1 },
            "the only attempt failed, and no more are allowed",
        ),
        (
            StopReason::NotRetryable {
                cause: Cause::Http(404),
                why: Why::SameAgain,
            },
            "HTTP status 404 is not retried: the same request fails again",
        ),
        (
            StopReason::NotRetryable {
                cause: Cause::Grpc(GrpcCode::Internal),
                why: Why::NotListed,
            },
            "gRPC status INTERNAL is not retried: not listed as retryable",
        ),
        (
            StopReason::NotIdempotent { cause },
            "a timeout is retried only for an idempotent request, as the failed one may have been processed",
        ),
        (
            StopReason::Deadline {
                wait: s(4),
                left: Duration::from_millis(1500),
            },
            "the next wait, 4s, would end past the deadline, which is 1.5s away",
        ),
        (StopReason::Budget, "the retry budget is used up"),
    ] {
        assert_eq!(reason.to_string(), text);
    }
}

#[test]
fn impossible_policies_are_refused_by_name() {
    let error = |config: PolicyConfig| config.build().unwrap_err().to_string();
    assert_eq!(
        error(config(0)),
        "max_attempts = 0: must be at least 1; it counts the first send"
    );
    assert_eq!(
        error(PolicyConfig {
            attempt_timeout: within(0),
            ..config(1)
        }),
        "attempt_timeout = 0s: must be more than zero, or no limit"
    );
    let bad = BackoffConfig::Exponential(Growth::doubling(s(1), Duration::from_millis(10)));
    for (table, config) in [
        (
            "backoff",
            PolicyConfig {
                backoff: bad,
                ..config(1)
            },
        ),
        (
            "throttling_backoff",
            PolicyConfig {
                throttling_backoff: bad,
                ..config(1)
            },
        ),
    ] {
        let text = error(config);
        assert!(
            text.starts_with(&format!("in {table}: cap = 10ms: ")) && text.contains("1s"),
            "{text}"
        );
    }
    let http = HttpLists {
        retry: vec![200],
        ..HttpLists::default()
    };
    assert_eq!(
        error(PolicyConfig { http, ..config(1) }),
        "in http: retry = 200: must be a status in [400, 599]"
    );
    let grpc = GrpcLists {
        retryable: vec![GrpcCode::InvalidArgument],
        ..GrpcLists::default()
    };
    assert!(
        error(PolicyConfig { grpc, ..config(1) })
            .starts_with("in grpc: retryable = INVALID_ARGUMENT: must be")
    );
}
