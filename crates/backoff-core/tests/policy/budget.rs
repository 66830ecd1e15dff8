//! What the budget and the breaker hear and decide.

use super::*;

#[test]
fn the_breaker_stops_the_retries_inside_it_unless_they_are_to_go_on() {
    let refused = Outcome::refused_by_breaker();
    let open = Outcome::http(503).breaker_open_for(s(2));
    let policy = config(5).build().unwrap();
    assert_eq!(
        first(&policy, Idempotency::NotIdempotent, &refused),
        Decision::Stop(StopReason::BreakerRefused)
    );
    let mut call = start(&policy);
    assert_eq!(
        decide(&policy, &mut call, &Outcome::http(503), s(0)),
        retry(s(1))
    );
    assert_eq!(
        decide(&policy, &mut call, &open, s(0)),
        retry(s(2)),
        "the wait ends when the breaker opens its door"
    );
    assert_eq!(
        first(&policy, Idempotency::Idempotent, &open),
        Decision::Stop(StopReason::BreakerOpen { open_for: s(2) })
    );

    let policy = PolicyConfig {
        refusals: Refusals::Retry,
        ..config(5)
    }
    .build()
    .unwrap();
    assert_eq!(
        first(&policy, Idempotency::NotIdempotent, &refused),
        retry(s(1))
    );
    assert_eq!(first(&policy, Idempotency::Idempotent, &open), retry(s(1)));
    assert_eq!(
        sends(&policy, &refused),
        (5, StopReason::Attempts { max: 5 })
    );
}

#[test]
fn the_budget_is_charged_only_for_a_retry_that_nothing_else_forbids() {
    use Idempotency::{Idempotent, NotIdempotent};
    let policy = PolicyConfig {
        deadline: within(15),
        ..config(2)
    }
    .build()
    .unwrap();
    let asks = |idempotency, outcome: &Outcome<'_>, now| {
        let mut ledger = Ledger {
            tokens: 10,
            ..Ledger::default()
        };
        let mut call = policy.start(idempotency, s(0));
        let decision = policy.decide(&mut call, outcome, now, 0.5, &mut ledger);
        assert_eq!(10 - ledger.tokens, ledger.asked);
        assert_eq!(
            matches!(decision, Decision::Retry { .. }),
            ledger.asked == 1,
            "{decision:?}"
        );
        (
            ledger.asked,
            ledger.failed,
            ledger.succeeded,
            ledger.abandoned,
        )
    };
    let transient = vec![Failure::Transient];
    assert_eq!(
        asks(Idempotent, &Outcome::http(503), s(0)),
        (1, transient.clone(), 0, 0)
    );
    assert_eq!(
        asks(Idempotent, &Outcome::http(429), s(0)),
        (1, vec![Failure::Throttled], 0, 0)
    );
    let timeout = Outcome::transport(TransportError::Timeout);
    assert_eq!(
        asks(Idempotent, &timeout, s(0)),
        (1, vec![Failure::Timeout], 0, 0)
    );
    assert_eq!(
        asks(NotIdempotent, &timeout, s(0)),
        (0, vec![Failure::Timeout], 0, 0)
    );
    assert_eq!(
        asks(Idempotent, &Outcome::http(404), s(0)),
        (0, vec![Failure::Final], 0, 0)
    );
    assert_eq!(
        asks(Idempotent, &Outcome::http(503), s(15)),
        (0, transient.clone(), 0, 0)
    );
    assert_eq!(
        asks(
            Idempotent,
            &Outcome::http(503).retry_after(b"1800", 0),
            s(0)
        ),
        (0, transient.clone(), 0, 0)
    );
    assert_eq!(
        asks(Idempotent, &Outcome::http(503).breaker_open_for(s(9)), s(0)),
        (0, transient.clone(), 0, 0)
    );
    let pushed = Outcome::grpc(GrpcCode::Unavailable).pushback(Pushback::Refused);
    assert_eq!(
        asks(Idempotent, &pushed, s(0)),
        (0, transient.clone(), 0, 0)
    );
    // A6: "don't retry" counts against the server even with a code that isn't retryable.
    let pushed = Outcome::grpc(GrpcCode::NotFound).pushback(Pushback::Refused);
    assert_eq!(asks(Idempotent, &pushed, s(0)), (0, transient, 0, 0));
    assert_eq!(
        asks(Idempotent, &Outcome::http(200), s(0)),
        (0, vec![], 1, 0)
    );
    // A refused attempt never left.
    assert_eq!(
        asks(Idempotent, &Outcome::refused_by_breaker(), s(0)),
        (0, vec![], 0, 0)
    );
}

#[test]
fn a_budget_that_is_used_up_stops() {
    let policy = config(100).build().unwrap();
    let mut ledger = Ledger {
        tokens: 0,
        ..Ledger::default()
    };
    let mut call = policy.start(Idempotency::Idempotent, s(0));
    let decision = policy.decide(&mut call, &Outcome::http(503), s(0), 0.5, &mut ledger);
    assert_eq!(decision, Decision::Stop(StopReason::Budget));

    let mut throttling = GrpcThrottlingConfig::default().build().unwrap();
    let mut retries = 0;
    for _ in 0..10 {
        let mut call = policy.start(Idempotency::Idempotent, s(0));
        while let Decision::Retry { .. } =
            policy.decide(&mut call, &Outcome::http(503), s(0), 0.5, &mut throttling)
        {
            retries += 1;
        }
    }
    assert_eq!(
        retries, 4,
        "10 tokens, none above 5 after the fifth failure"
    );
}

#[test]
fn every_send_has_one_outcome_whatever_becomes_of_the_request() {
    let policy = config(3).build().unwrap();
    let balance = |ledger: &Ledger| {
        ledger.sent - ledger.succeeded - ledger.failed.len() as u32 - ledger.abandoned
    };

    let mut ledger = Ledger {
        tokens: 10,
        ..Ledger::default()
    };
    drop(policy.request(Idempotency::Idempotent, s(0), &mut ledger));
    assert_eq!((ledger.sent, ledger.abandoned), (0, 0));
    let mut request = policy.request(Idempotency::Idempotent, s(0), &mut ledger);
    request.sent(s(0));
    request.sent(s(0));
    drop(request);
    assert_eq!((ledger.sent, ledger.abandoned), (1, 1));

    let mut ledger = Ledger {
        tokens: 10,
        ..Ledger::default()
    };
    let mut request = policy.request(Idempotency::Idempotent, s(0), &mut ledger);
    assert_eq!(request.decide(&Outcome::http(503), s(0), 0.0), retry(s(1)));
    request.sent(s(1));
    request.sent(s(1));
    request.succeeded(s(2));
    request.succeeded(s(2));
    assert_eq!(
        request.decide(&Outcome::http(503), s(3), 0.0),
        Decision::Stop(StopReason::Over)
    );
    drop(request);
    assert_eq!(
        (
            ledger.sent,
            ledger.succeeded,
            ledger.abandoned,
            balance(&ledger)
        ),
        (2, 1, 0, 0)
    );

    // Dropped between a grant and its send: the grant goes back.
    let mut ledger = Ledger {
        tokens: 10,
        ..Ledger::default()
    };
    let mut request = policy.request(Idempotency::Idempotent, s(0), &mut ledger);
    assert_eq!(request.decide(&Outcome::http(503), s(0), 0.0), retry(s(1)));
    drop(request);
    assert_eq!(
        (
            ledger.sent,
            ledger.failed.len(),
            ledger.abandoned,
            ledger.unused
        ),
        (1, 1, 0, 1)
    );
    // Refused by the breaker at its second attempt, which never left.
    let mut ledger = Ledger {
        tokens: 10,
        ..Ledger::default()
    };
    let mut request = policy.request(Idempotency::Idempotent, s(0), &mut ledger);
    assert_eq!(request.decide(&Outcome::http(503), s(0), 0.0), retry(s(1)));
    let refused = request.decide(&Outcome::refused_by_breaker(), s(1), 0.0);
    assert_eq!(refused, Decision::Stop(StopReason::BreakerRefused));
    drop(request);
    assert_eq!(
        (
            ledger.sent,
            ledger.failed.len(),
            ledger.abandoned,
            ledger.unused
        ),
        (1, 1, 0, 1)
    );
}

#[test]
fn a_request_taken_up_again_goes_on_where_it_was() {
    let policy = config(5).build().unwrap();
    let mut call = start(&policy).with_failures(2);
    assert_eq!(
        decide(&policy, &mut call, &Outcome::http(503), s(0)),
        retry(s(4))
    );
    assert_eq!(
        decide(&policy, &mut call, &Outcome::http(503), s(0)),
        retry(s(8))
    );
    assert_eq!(
        decide(&policy, &mut call, &Outcome::http(503), s(0)),
        Decision::Stop(StopReason::Attempts { max: 5 })
    );
    let mut call = start(&policy).with_failures(u32::MAX);
    assert_eq!(
        decide(&policy, &mut call, &Outcome::http(503), s(0)),
        Decision::Stop(StopReason::Attempts { max: 5 })
    );
}
