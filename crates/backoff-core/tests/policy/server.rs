//! What the server asked for: Retry-After and pushback.

use super::*;

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
