//! What a policy decides: each reason, each boundary, and the inputs that broke other libraries.

use std::time::Duration;

use backoff_core::budget::{Attempt, Failure, Grant, GrpcThrottlingConfig, RetryBudget, Unlimited};
use backoff_core::classify::{
    GrpcCode, GrpcLists, HttpLists, Idempotency, Pace, TransportError, Verdict, Why,
};
use backoff_core::policy::{
    AboveLimit, Call, Cause, Decision, Outcome, PastDate, Policy, PolicyConfig, Pushback, Refusals,
    RetryAfterRule, StopReason, TimeLimit,
};
use backoff_core::{BackoffConfig, Growth};

const NEARLY_ONE: f64 = 1.0 - f64::EPSILON / 2.0;

fn s(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn within(seconds: u64) -> TimeLimit {
    TimeLimit::Within(s(seconds))
}

/// Waits of 1, 2, 4, … 30 s without jitter, so that a decision can be told to the nanosecond.
fn config(max_attempts: u32) -> PolicyConfig {
    PolicyConfig::new(
        max_attempts,
        BackoffConfig::Exponential(Growth::doubling(s(1), s(30))),
    )
}

fn start(policy: &Policy) -> Call {
    policy.start(Idempotency::Idempotent, s(0))
}

fn decide(policy: &Policy, call: &mut Call, outcome: &Outcome<'_>, now: Duration) -> Decision {
    policy.decide(call, outcome, now, 0.5, &mut Unlimited)
}

fn first(policy: &Policy, idempotency: Idempotency, outcome: &Outcome<'_>) -> Decision {
    let mut call = policy.start(idempotency, s(0));
    decide(policy, &mut call, outcome, s(0))
}

fn retry(after: Duration) -> Decision {
    Decision::Retry { after }
}

/// How many sends a policy makes for a request that always fails so.
fn sends(policy: &Policy, outcome: &Outcome<'_>) -> (u32, StopReason) {
    let mut call = start(policy);
    for sends in 1.. {
        match decide(policy, &mut call, outcome, s(0)) {
            Decision::Retry { .. } => {}
            Decision::Stop(reason) => return (sends, reason),
        }
    }
    unreachable!()
}

#[test]
fn attempts_include_the_first_send() {
    for max in [1, 2, 3, 5, 100] {
        let policy = config(max).build().unwrap();
        let expected = (max, StopReason::Attempts { max });
        assert_eq!(sends(&policy, &Outcome::http(503)), expected);
        assert_eq!(
            sends(&policy, &Outcome::transport(TransportError::Connect)),
            expected
        );
    }
}

#[test]
fn grpc_treats_more_than_five_attempts_as_five() {
    for (given, max) in [(1, 1), (4, 4), (5, 5), (6, 5), (u32::MAX, 5)] {
        let policy = PolicyConfig::grpc(given, Growth::doubling(s(1), s(30)))
            .build()
            .unwrap();
        assert_eq!(policy.max_attempts(), max);
        let outcome = Outcome::grpc(GrpcCode::Unavailable);
        assert_eq!(
            sends(&policy, &outcome),
            (max, StopReason::Attempts { max })
        );
    }
    assert_eq!(config(u32::MAX).build().unwrap().max_attempts(), u32::MAX);
}

#[test]
fn grpc_waits_lie_around_the_value_also_above_the_cap() {
    let policy = PolicyConfig::grpc(5, Growth::doubling(s(10), s(10)))
        .build()
        .unwrap();
    for (unit, after) in [(0.0, 8.0), (0.5, 10.0), (NEARLY_ONE, 12.0)] {
        let mut call = start(&policy);
        let decision = policy.decide(
            &mut call,
            &Outcome::grpc(GrpcCode::Unavailable),
            s(0),
            unit,
            &mut Unlimited,
        );
        assert_eq!(decision, retry(Duration::from_secs_f64(after)), "{unit}");
    }
}

#[test]
fn a_wait_that_ends_past_the_deadline_is_not_begun() {
    let policy = PolicyConfig {
        deadline: within(15),
        ..config(10)
    }
    .build()
    .unwrap();
    // The first wait is 1 s: it may end at the deadline, and a nanosecond later it may not.
    let ns = Duration::from_nanos(1);
    let at = |now| decide(&policy, &mut start(&policy), &Outcome::http(503), now);
    assert_eq!(at(s(0)), retry(s(1)));
    assert_eq!(at(s(14)), retry(s(1)));
    assert_eq!(
        at(s(14) + ns),
        Decision::Stop(StopReason::Deadline {
            wait: s(1),
            left: Duration::from_nanos(999_999_999)
        })
    );
    for late in [s(15), s(16), Duration::MAX] {
        assert_eq!(at(late), Decision::Stop(StopReason::DeadlinePassed));
    }
}

#[test]
fn a_deadline_of_zero_allows_no_retry_and_none_is_no_limit() {
    for backoff in [
        BackoffConfig::Immediate,
        BackoffConfig::Fixed { wait: s(1) },
    ] {
        let zero = PolicyConfig {
            deadline: within(0),
            ..PolicyConfig::new(5, backoff)
        };
        let policy = zero.build().unwrap();
        assert_eq!(
            sends(&policy, &Outcome::http(503)),
            (1, StopReason::DeadlinePassed)
        );
        assert_eq!(policy.attempt_timeout(&start(&policy), s(0)), within(0));

        let policy = PolicyConfig::new(5, backoff).build().unwrap();
        let mut call = start(&policy);
        assert!(matches!(
            decide(&policy, &mut call, &Outcome::http(503), Duration::MAX),
            Decision::Retry { .. }
        ));
        assert_eq!(
            policy.attempt_timeout(&call, Duration::MAX),
            TimeLimit::Unlimited
        );
    }
}

#[test]
fn an_attempt_gets_the_smaller_of_its_own_time_and_what_is_left() {
    let policy = PolicyConfig {
        deadline: within(15),
        attempt_timeout: within(4),
        ..config(10)
    }
    .build()
    .unwrap();
    let call = policy.start(Idempotency::Idempotent, s(100));
    for (now, timeout) in [
        (0, 4),
        (100, 4),
        (111, 4),
        (112, 3),
        (114, 1),
        (115, 0),
        (1000, 0),
    ] {
        assert_eq!(
            policy.attempt_timeout(&call, s(now)),
            within(timeout),
            "{now}"
        );
    }
}

#[test]
fn a_clock_that_goes_backwards_means_nothing_has_elapsed() {
    let policy = PolicyConfig {
        deadline: within(15),
        ..config(10)
    }
    .build()
    .unwrap();
    let mut call = policy.start(Idempotency::Idempotent, s(100));
    assert_eq!(
        decide(&policy, &mut call, &Outcome::http(503), s(110)),
        retry(s(1))
    );
    assert_eq!(
        decide(&policy, &mut call, &Outcome::http(503), s(50)),
        retry(s(2))
    );
    assert_eq!(
        decide(&policy, &mut call, &Outcome::http(503), s(0)),
        retry(s(4))
    );
    // Neither is what had elapsed before given back.
    assert_eq!(call.elapsed(s(0)), s(10));
    for before in [0, 50, 100, 113] {
        let told: [&dyn Fn(&mut Call); 3] = [
            &|call| call.sent(s(114), &mut Unlimited),
            &|call| _ = decide(&policy, call, &Outcome::http(503), s(114)),
            &|call| _ = decide(&policy, call, &Outcome::refused_by_breaker(), s(114)),
        ];
        for tell in told {
            let mut call = policy.start(Idempotency::Idempotent, s(100));
            tell(&mut call);
            assert_eq!(policy.attempt_timeout(&call, s(before)), within(1));
            assert_eq!(call.elapsed(s(before)), s(14));
        }
        let mut call = policy.start(Idempotency::Idempotent, s(100));
        call.sent(s(114), &mut Unlimited);
        let late = Outcome::http(503).retry_after(b"2", 0);
        assert_eq!(
            decide(&policy, &mut call, &late, s(before)),
            Decision::Stop(StopReason::RetryAfterPastDeadline {
                asked: s(2),
                left: s(1)
            }),
            "{before}"
        );
    }
}

#[test]
fn retry_after_goes_before_the_backoff_and_what_is_unusable_does_not() {
    let policy = config(5).build().unwrap();
    for status in [503, 429, 502, 500, 408] {
        let outcome = Outcome::http(status).retry_after(b"7", 0);
        assert_eq!(
            first(&policy, Idempotency::Idempotent, &outcome),
            retry(s(7)),
            "{status}"
        );
    }
    let values: [&[u8]; 9] = [
        b"-1",
        b"abc",
        b"",
        b"1.5",
        b"NaN",
        b"\xff",
        b"-99999999999999999999",
        b" ",
        b"1e9",
    ];
    for value in values {
        let outcome = Outcome::http(503).retry_after(value, 0);
        assert_eq!(
            first(&policy, Idempotency::Idempotent, &outcome),
            retry(s(1)),
            "{value:?}"
        );
    }
    // 429 without a usable value takes the throttling backoff, whose base is 1 s, with full jitter.
    let policy = PolicyConfig::new(5, BackoffConfig::Immediate)
        .build()
        .unwrap();
    assert_eq!(
        first(&policy, Idempotency::Idempotent, &Outcome::http(503)),
        retry(s(0))
    );
    let outcome = Outcome::http(429).retry_after(b"-1", 0);
    assert_eq!(
        first(&policy, Idempotency::Idempotent, &outcome),
        retry(Duration::from_millis(500))
    );
}

#[test]
fn a_status_that_is_not_retried_stays_so_whatever_the_server_asks() {
    let policy = config(5).build().unwrap();
    for status in [404, 400, 501, 200, 304] {
        let outcome = Outcome::http(status).retry_after(b"1", 0);
        assert!(
            matches!(
                first(&policy, Idempotency::Idempotent, &outcome),
                Decision::Stop(_)
            ),
            "{status}"
        );
    }
}

#[test]
fn retry_after_above_the_limit_has_a_rule_and_a_reason_of_its_own() {
    let with = |above| {
        let retry_after = RetryAfterRule {
            limit: within(15 * 60),
            above,
            ..RetryAfterRule::default()
        };
        PolicyConfig {
            retry_after,
            ..config(5)
        }
        .build()
        .unwrap()
    };
    let asks = |policy: &Policy, value: &[u8]| {
        first(
            policy,
            Idempotency::Idempotent,
            &Outcome::http(503).retry_after(value, 0),
        )
    };
    let (half_hour, limit) = (s(1800), s(900));
    let above = StopReason::RetryAfterAboveLimit {
        asked: half_hour,
        limit,
    };
    assert_eq!(
        asks(&with(AboveLimit::GiveUp), b"1800"),
        Decision::Stop(above)
    );
    assert_eq!(asks(&with(AboveLimit::Cap), b"1800"), retry(limit));
    assert_eq!(asks(&with(AboveLimit::Obey), b"1800"), retry(half_hour));
    for rule in [AboveLimit::GiveUp, AboveLimit::Cap, AboveLimit::Obey] {
        assert_eq!(asks(&with(rule), b"900"), retry(limit), "{rule:?}");
        assert_eq!(asks(&with(rule), b"0"), retry(s(0)), "{rule:?}");
    }
    let endless = b"999999999999999999999999999";
    let asked = s(u64::MAX);
    assert_eq!(
        asks(&with(AboveLimit::GiveUp), endless),
        Decision::Stop(StopReason::RetryAfterAboveLimit { asked, limit })
    );
    assert_eq!(asks(&with(AboveLimit::Obey), endless), retry(asked));
    assert_eq!(
        above.to_string(),
        "the server asks for a wait of 1800s (Retry-After), above the limit of 900s"
    );

    // The limit may also be the deadline: still a reason of its own.
    let policy = PolicyConfig {
        deadline: within(900),
        retry_after: RetryAfterRule {
            limit: TimeLimit::Unlimited,
            ..RetryAfterRule::default()
        },
        ..config(5)
    };
    assert_eq!(
        asks(&policy.build().unwrap(), b"1800"),
        Decision::Stop(StopReason::RetryAfterPastDeadline {
            asked: half_hour,
            left: limit
        })
    );
}

#[test]
fn a_retry_after_date_in_the_past_has_a_rule() {
    let date = b"Sun, 06 Nov 1994 08:49:37 GMT";
    for (now, zero, backoff) in [
        (784_111_777 - 3, 3, 3),
        (784_111_777, 0, 1),
        (i64::MAX, 0, 1),
    ] {
        for (past_date, wait) in [(PastDate::Zero, zero), (PastDate::Backoff, backoff)] {
            let retry_after = RetryAfterRule {
                past_date,
                ..RetryAfterRule::default()
            };
            let policy = PolicyConfig {
                retry_after,
                ..config(5)
            }
            .build()
            .unwrap();
            let outcome = Outcome::http(503).retry_after(date, now);
            assert_eq!(
                first(&policy, Idempotency::Idempotent, &outcome),
                retry(s(wait)),
                "{now} {past_date:?}"
            );
        }
    }
}

#[test]
fn pushback_is_obeyed_exactly_or_stops() {
    let policy = PolicyConfig {
        retry_after: RetryAfterRule {
            limit: within(1),
            ..RetryAfterRule::default()
        },
        deadline: within(100_000),
        ..PolicyConfig::grpc(5, Growth::doubling(s(1), s(30)))
    }
    .build()
    .unwrap();
    let unavailable = Outcome::grpc(GrpcCode::Unavailable);
    let mut call = start(&policy);
    // 80 s, above every limit but the deadline; it goes before a Retry-After.
    let pushed = unavailable
        .retry_after(b"5", 0)
        .pushback(Pushback::read(b"80000"));
    assert_eq!(decide(&policy, &mut call, &unavailable, s(0)), retry(s(1)));
    assert_eq!(decide(&policy, &mut call, &pushed, s(0)), retry(s(80)));
    // The backoff begins again after a retry that was pushed back.
    assert_eq!(decide(&policy, &mut call, &unavailable, s(0)), retry(s(1)));
    assert_eq!(decide(&policy, &mut call, &unavailable, s(0)), retry(s(2)));
    assert_eq!(
        decide(&policy, &mut call, &pushed, s(0)),
        Decision::Stop(StopReason::Attempts { max: 5 })
    );

    let stopped = |pushback| {
        first(
            &policy,
            Idempotency::Idempotent,
            &unavailable.pushback(pushback),
        )
    };
    for value in ["-1", "-99999999999999"] {
        assert_eq!(
            stopped(Pushback::read(value.as_bytes())),
            Decision::Stop(StopReason::PushbackRefused),
            "{value}"
        );
    }
    for value in [
        "",
        "1.5",
        "NaN",
        "abc",
        "2147483648",
        "99999999999999",
        "1 ",
        "+1",
        "\u{661}",
    ] {
        assert_eq!(
            stopped(Pushback::read(value.as_bytes())),
            Decision::Stop(StopReason::PushbackUnreadable),
            "{value}"
        );
    }
    assert_eq!(stopped(Pushback::read(b"0")), retry(s(0)));
    assert_eq!(
        stopped(Pushback::After(s(100_001))),
        Decision::Stop(StopReason::PushbackPastDeadline {
            asked: s(100_001),
            left: s(100_000)
        })
    );
    assert_eq!(Pushback::read_all([]), None);
    assert_eq!(
        Pushback::read_all([&b"5"[..], b"5"]),
        Some(Pushback::Unreadable)
    );
    // It doesn't make a code retryable that isn't.
    let outcome = Outcome::grpc(GrpcCode::InvalidArgument).pushback(Pushback::After(s(1)));
    assert!(matches!(
        first(&policy, Idempotency::Idempotent, &outcome),
        Decision::Stop(StopReason::NotRetryable { .. })
    ));
}

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

/// Counts what it is told, and grants until its tokens are gone.
#[derive(Default)]
struct Ledger {
    tokens: u32,
    sent: u32,
    succeeded: u32,
    failed: Vec<Failure>,
    abandoned: u32,
    unused: u32,
    asked: u32,
    inner: Unlimited,
}

impl RetryBudget for Ledger {
    fn sent(&mut self, _: Duration, _: &Attempt) {
        self.sent += 1;
    }
    fn succeeded(&mut self, _: Duration, _: Attempt) {
        self.succeeded += 1;
    }
    fn failed(&mut self, _: Duration, _: Attempt, failure: Failure) {
        self.failed.push(failure);
    }
    fn abandoned(&mut self, _: Attempt) {
        self.abandoned += 1;
    }
    fn unused(&mut self, _: Grant) {
        self.unused += 1;
    }
    fn try_retry(&mut self, now: Duration, failure: Failure, unit: f64) -> Option<Grant> {
        assert_eq!(self.failed.last(), Some(&failure));
        self.asked += 1;
        self.tokens = self.tokens.checked_sub(1)?;
        self.inner.try_retry(now, failure, unit)
    }
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

#[test]
fn pace_chooses_the_backoff() {
    let policy = config(2).build().unwrap();
    assert_eq!(policy.backoff(Pace::Transient).bounds(1), (1.0, 1.0));
    assert_eq!(policy.backoff(Pace::Throttling).bounds(1), (0.0, 1.0));
}
