//! What holds for every policy and every course of events.

use std::fmt::Debug;
use std::time::Duration;

use backoff_core::budget::{RetryBudget, Unlimited};
use backoff_core::classify::{
    GrpcCode, GrpcLists, HttpLists, Idempotency, OtherServerErrors, Pace, TransportClasses,
    TransportError, TransportRule, Verdict,
};
use backoff_core::policy::{
    AboveLimit, Decision, Flavour, Outcome, PastDate, Policy, PolicyConfig, Pushback, Refusals,
    RetryAfterRule, StopReason, TimeLimit,
};
use backoff_core::retry_after::Reading;
use backoff_core::{BackoffConfig, Growth};
use proptest::prelude::*;

mod every_budget;

use every_budget::every_budget;

fn time() -> impl Strategy<Value = Duration> {
    prop_oneof![
        4 => (0_u64..100_000).prop_map(Duration::from_millis),
        1 => any::<Duration>(),
        1 => Just(Duration::ZERO),
        1 => Just(Duration::MAX),
    ]
}

fn limit() -> impl Strategy<Value = TimeLimit> {
    prop_oneof![
        Just(TimeLimit::Unlimited),
        time().prop_map(TimeLimit::Within)
    ]
}

fn backoff() -> impl Strategy<Value = BackoffConfig> {
    let multiplier = prop_oneof![8 => 1.0..4.0, 1 => any::<f64>()];
    let factor = prop_oneof![8 => 0.0..=1.0, 1 => any::<f64>()];
    (0..7, time(), time(), multiplier, any::<u32>(), factor).prop_map(
        |(kind, base, cap, multiplier, exponent_from, factor)| {
            // Half the caps are below their base, and refused.
            let growth = Growth {
                base,
                cap,
                multiplier,
                exponent_from: exponent_from % 5,
            };
            match kind {
                0 => BackoffConfig::Immediate,
                1 => BackoffConfig::Fixed { wait: base },
                2 => BackoffConfig::Exponential(growth),
                3 => BackoffConfig::FullJitter(growth),
                4 => BackoffConfig::EqualJitter(growth),
                5 => BackoffConfig::Decorrelated { base, cap },
                _ => BackoffConfig::Proportional { growth, factor },
            }
        },
    )
}

fn config() -> impl Strategy<Value = PolicyConfig> {
    let rule = (
        limit(),
        prop::sample::select(vec![AboveLimit::Obey, AboveLimit::Cap, AboveLimit::GiveUp]),
        prop::sample::select(vec![PastDate::Zero, PastDate::Backoff]),
        prop::sample::select(vec![Reading::Strict, Reading::Lenient]),
    );
    let http = (
        prop::collection::vec(380_u16..620, 0..3),
        prop::collection::vec(any::<u16>(), 0..2),
        any::<u32>(),
        0_usize..3,
    )
        .prop_map(
            |(retry, only_if_idempotent, limited_retries, other)| HttpLists {
                retry,
                only_if_idempotent,
                limited_retries,
                other_server_errors: [
                    OtherServerErrors::Retry,
                    OtherServerErrors::RetryIfIdempotent,
                    OtherServerErrors::Never,
                ][other],
                ..HttpLists::default()
            },
        );
    let grpc = prop::collection::vec(prop::sample::select(GrpcCode::ALL.to_vec()), 0..2).prop_map(
        |retryable| GrpcLists {
            retryable,
            ..GrpcLists::default()
        },
    );
    let attempts = prop_oneof![4 => 0_u32..12, 1 => any::<u32>()];
    let tables = prop_oneof![
        3 => Just((HttpLists::default(), GrpcLists::default())),
        1 => (http, grpc),
    ];
    (
        attempts,
        any::<bool>(),
        limit(),
        limit(),
        backoff(),
        backoff(),
        rule,
        tables,
        0_usize..3,
        any::<bool>(),
    )
        .prop_map(
            |(
                max_attempts,
                grpc_flavour,
                deadline,
                attempt_timeout,
                backoff,
                throttling_backoff,
                rule,
                (http, grpc),
                transport,
                retry_refusals,
            )| {
                PolicyConfig {
                    flavour: if grpc_flavour {
                        Flavour::Grpc
                    } else {
                        Flavour::Plain
                    },
                    deadline,
                    attempt_timeout,
                    throttling_backoff,
                    retry_after: RetryAfterRule {
                        limit: rule.0,
                        above: rule.1,
                        past_date: rule.2,
                        reading: rule.3,
                    },
                    refusals: if retry_refusals {
                        Refusals::Retry
                    } else {
                        Refusals::Stop
                    },
                    http,
                    grpc,
                    transport: TransportClasses {
                        connect: [
                            TransportRule::Retry,
                            TransportRule::RetryIfIdempotent,
                            TransportRule::Never,
                        ][transport],
                        ..TransportClasses::default()
                    },
                    ..PolicyConfig::new(max_attempts, backoff)
                }
            },
        )
}

/// What happens to one attempt.
#[derive(Debug, Clone)]
enum Event {
    Ends {
        kind: u8,
        number: u16,
        retry_after: Option<Vec<u8>>,
        pushback: Option<Vec<u8>>,
        open_for: Option<Duration>,
        unix_now: i64,
    },
    Sent,
    Succeeded,
    Abandoned,
}

fn retry_after() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        any::<Vec<u8>>(),
        any::<i32>().prop_map(|number| number.to_string().into_bytes()),
        Just(b"Sun, 06 Nov 1994 08:49:37 GMT".to_vec()),
        Just(b"99999999999999999999999999".to_vec()),
    ]
}

fn event() -> impl Strategy<Value = Event> {
    let number = prop_oneof![
        prop::sample::select(vec![503_u16, 429, 500, 504, 408]),
        any::<u16>()
    ];
    let hint = || prop::option::weighted(0.2, retry_after());
    let ends = (
        any::<u8>(),
        number,
        hint(),
        hint(),
        prop::option::weighted(0.1, time()),
        any::<i64>(),
    )
        .prop_map(
            |(kind, number, retry_after, pushback, open_for, unix_now)| Event::Ends {
                kind,
                number,
                retry_after,
                pushback,
                open_for,
                unix_now,
            },
        );
    prop_oneof![20 => ends, 3 => Just(Event::Sent), 1 => Just(Event::Succeeded), 1 => Just(Event::Abandoned)]
}

/// Plays the events against the policy, and checks each decision; a twin draws its numbers itself and has its budget in `Some`.
fn play<B: RetryBudget + Clone + PartialEq + Debug>(
    policy: &Policy,
    idempotent: bool,
    events: &[(Event, Duration, f64)],
    budget: &mut B,
) {
    let idempotency = if idempotent {
        Idempotency::Idempotent
    } else {
        Idempotency::NotIdempotent
    };
    let mut call = policy.start(idempotency, events[0].1);
    let (mut twin, mut twins) = (policy.start(idempotency, events[0].1), Some(budget.clone()));
    let started = events[0].1;
    let mut latest = started;
    let mut granted = 0;
    for (event, now, unit) in events {
        let Event::Ends {
            kind,
            number,
            retry_after,
            pushback,
            open_for,
            unix_now,
        } = event
        else {
            match event {
                Event::Sent => {
                    call.sent(*now, budget);
                    twin.sent(*now, &mut twins);
                }
                Event::Succeeded => {
                    call.succeeded(*now, budget);
                    twin.succeeded(*now, &mut twins);
                }
                _ => {
                    call.abandoned(budget);
                    twin.abandoned(&mut twins);
                }
            }
            continue;
        };
        let mut outcome = match kind % 8 {
            0 => Outcome::grpc(GrpcCode::from_number(i64::from(*number) % 20)),
            1 => Outcome::transport(TransportError::ALL[usize::from(*number) % 3]),
            2 => Outcome::refused_by_breaker(),
            3 => Outcome::http_with_code(*number, "SlowDown"),
            _ => Outcome::http(*number),
        };
        if let Some(value) = retry_after {
            outcome = outcome.retry_after(value, *unix_now);
        }
        if let Some(value) = pushback {
            outcome = outcome.pushback(Pushback::read(value));
        }
        if let Some(open_for) = open_for {
            outcome = outcome.breaker_open_for(*open_for);
        }
        latest = latest.max(*now);
        let elapsed = latest.saturating_sub(started);
        let decision = policy.decide(&mut call, &outcome, *now, *unit, budget);
        // A budget that draws gets another number from each.
        if !budget.draws() {
            let drawn = policy.decide_drawing(&mut twin, &outcome, *now, || *unit, &mut twins);
            assert_eq!(drawn, decision);
            assert_eq!(twins.as_ref(), Some(&*budget));
            for pace in [Pace::Transient, Pace::Throttling] {
                let waits = [&call, &twin].map(|call| call.backoff_wait(pace).to_bits());
                assert_eq!(waits[0], waits[1]);
            }
        }
        match decision {
            Decision::Retry { after } => {
                granted += 1;
                assert!(granted < policy.max_attempts(), "more sends than attempts");
                if let TimeLimit::Within(deadline) = policy.deadline() {
                    assert!(
                        elapsed < deadline && after <= deadline.saturating_sub(elapsed),
                        "{after:?} past the deadline"
                    );
                }
                let Verdict::Retry(terms) = policy.verdict(&outcome) else {
                    panic!("a retry of what is never retried");
                };
                if retry_after.is_none() && pushback.is_none() {
                    let backoff = policy.backoff(terms.pace);
                    let bounds = (1..=granted).map(|failures| backoff.bounds(failures));
                    let (low, high) = bounds
                        .fold((f64::INFINITY, 0.0_f64), |(low, high), bounds| {
                            (low.min(bounds.0), high.max(bounds.1))
                        });
                    let allowed = backoff.duration(low)..=backoff.duration(high);
                    assert!(allowed.contains(&after), "{after:?} not in {allowed:?}");
                }
            }
            Decision::Stop(reason) => {
                assert!(!reason.to_string().is_empty());
                let again = policy.decide(&mut call, &outcome, *now, *unit, budget);
                assert_eq!(again, Decision::Stop(StopReason::Over), "a stop is final");
            }
        }
    }
}

proptest! {
    #[test]
    fn no_course_of_events_panics_or_breaks_a_bound(
        config in config(),
        idempotent: bool,
        events in prop::collection::vec((event(), time(), prop_oneof![0.0..1.0, any::<f64>()]), 1..20),
    ) {
        if let Ok(policy) = config.build() {
            play(&policy, idempotent, &events, &mut Unlimited);
            for config in every_budget() {
                let mut budget = config.build().unwrap();
                play(&policy, idempotent, &events, &mut budget);
            }
        }
    }

    #[test]
    fn total_times_are_in_order_for_every_policy(config in config(), mean in time()) {
        if let Ok(policy) = config.build() {
            for pace in [Pace::Transient, Pace::Throttling] {
                let total = policy.total_time(pace, mean);
                prop_assert!(TimeLimit::Within(total.least) <= total.greatest, "{total:?}");
                prop_assert_eq!(total.mean.is_none(), policy.deadline() != TimeLimit::Unlimited);
                if let Some(mean) = total.mean {
                    prop_assert!(total.least <= mean && TimeLimit::Within(mean) <= total.greatest, "{total:?}");
                }
            }
        }
    }
}
