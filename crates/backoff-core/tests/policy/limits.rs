//! Attempts, deadlines, timeouts and clocks.

use super::*;

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
