//! The circuit breaker: when it opens, what it lets through half-open, and that no order of events and times breaks it.

use std::time::Duration;

use backoff_core::breaker::{Breaker, BreakerConfig, CallWindow, Outcome, Refused, State, Ticket};
use backoff_core::budget::Ratio;

mod properties;

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

fn last_calls(calls: u32) -> BreakerConfig {
    BreakerConfig {
        window: CallWindow::Calls(calls),
        minimum_calls: calls,
        ..BreakerConfig::default()
    }
}

fn call(breaker: &mut Breaker, now: Duration, outcome: Outcome) {
    let ticket = breaker.try_acquire(now).expect("closed");
    breaker.report(now, ticket, outcome);
}

fn opened(config: BreakerConfig) -> Breaker {
    let mut breaker = config.build().unwrap();
    for _ in 0..config.minimum_calls {
        call(&mut breaker, ms(0), Outcome::Failure);
    }
    assert_eq!(breaker.state(ms(0)), State::Open);
    breaker
}

#[test]
fn a_window_of_three_calls_opens_after_three_failures() {
    let mut breaker = last_calls(3).build().unwrap();
    for failures in 1..=3 {
        assert_eq!(breaker.state(ms(0)), State::Closed, "{failures}");
        call(&mut breaker, ms(0), Outcome::Failure);
    }
    assert_eq!(breaker.state(ms(0)), State::Open);
}

#[test]
fn the_rate_is_reached_at_its_value_and_older_calls_are_forgotten() {
    let mut breaker = last_calls(4).build().unwrap();
    for outcome in [
        Outcome::Failure,
        Outcome::Success,
        Outcome::Success,
        Outcome::Success,
        Outcome::Failure,
        Outcome::Success,
        Outcome::Ignored,
    ] {
        call(&mut breaker, ms(0), outcome);
        assert_eq!(breaker.state(ms(0)), State::Closed);
    }
    call(&mut breaker, ms(0), Outcome::Failure);
    assert_eq!(breaker.state(ms(0)), State::Open, "2 of 4 is 50 %");
}

#[test]
fn a_success_can_complete_the_minimum() {
    let mut breaker = last_calls(2).build().unwrap();
    call(&mut breaker, ms(0), Outcome::Failure);
    call(&mut breaker, ms(0), Outcome::Success);
    assert_eq!(breaker.state(ms(0)), State::Open);
}

#[test]
fn a_time_window_holds_both_its_ends() {
    let config = BreakerConfig {
        minimum_calls: 2,
        ..BreakerConfig::default()
    };
    for (second, state) in [(1000, State::Open), (1010, State::Closed)] {
        let mut breaker = config.build().unwrap();
        call(&mut breaker, ms(0), Outcome::Failure);
        call(&mut breaker, ms(second), Outcome::Failure);
        assert_eq!(breaker.state(ms(second)), state, "{second}");
    }
}

#[test]
fn it_refuses_until_open_for_has_passed() {
    let mut breaker = opened(last_calls(3));
    assert_eq!(
        breaker.try_acquire(ms(999)),
        Err(Refused::Open { until: ms(1000) })
    );
    assert!(breaker.try_acquire(ms(1000)).is_ok());
}

#[test]
fn all_probes_must_succeed() {
    let mut breaker = opened(last_calls(3));
    let probes: Vec<Ticket> = (0..3)
        .map(|_| breaker.try_acquire(ms(1000)).unwrap())
        .collect();
    assert_eq!(breaker.try_acquire(ms(1000)), Err(Refused::ProbesOut));
    for probe in probes {
        assert_eq!(breaker.state(ms(1100)), State::HalfOpen);
        breaker.report(ms(1100), probe, Outcome::Success);
    }
    assert_eq!(breaker.state(ms(1100)), State::Closed);

    let mut breaker = opened(last_calls(3));
    for outcome in [Outcome::Success, Outcome::Success, Outcome::Failure] {
        let probe = breaker.try_acquire(ms(1000)).unwrap();
        breaker.report(ms(1200), probe, outcome);
    }
    assert_eq!(
        breaker.try_acquire(ms(1200)),
        Err(Refused::Open { until: ms(2200) })
    );
}

#[test]
fn an_ignored_probe_gives_its_permit_back() {
    let mut breaker = opened(BreakerConfig {
        half_open_permits: 1,
        ..last_calls(3)
    });
    for _ in 0..5 {
        let probe = breaker.try_acquire(ms(1000)).unwrap();
        assert_eq!(breaker.try_acquire(ms(1000)), Err(Refused::ProbesOut));
        breaker.report(ms(1000), probe, Outcome::Ignored);
    }
    let probe = breaker.try_acquire(ms(1000)).unwrap();
    breaker.report(ms(1000), probe, Outcome::Success);
    assert_eq!(breaker.state(ms(1000)), State::Closed);
}

#[test]
fn a_lost_probe_does_not_stick() {
    let mut breaker = opened(BreakerConfig {
        half_open_permits: 1,
        half_open_limit: ms(500),
        ..last_calls(3)
    });
    let _lost = breaker.try_acquire(ms(1000)).unwrap();
    assert_eq!(breaker.try_acquire(ms(1499)), Err(Refused::ProbesOut));
    assert_eq!(
        breaker.try_acquire(ms(1500)),
        Err(Refused::Open { until: ms(2500) })
    );
    assert!(breaker.try_acquire(ms(2500)).is_ok());
}

/// A call every 5 s, each answered after 6 s: one probe at least is out all the time, and none for long.
#[test]
fn a_slow_service_whose_probes_succeed_closes_it() {
    let s = Duration::from_secs;
    let config = BreakerConfig {
        half_open_limit: s(10),
        ..BreakerConfig::default()
    };
    let mut breaker = opened(config);
    let mut out: Vec<(u64, Ticket)> = Vec::new();
    let closed = (1..60).find(|&now| {
        while out.first().is_some_and(|(until, _)| *until <= now) {
            breaker.report(s(now), out.remove(0).1, Outcome::Success);
        }
        if now % 5 == 0 {
            out.extend(breaker.try_acquire(s(now)).map(|ticket| (now + 6, ticket)));
        }
        breaker.state(s(now)) == State::Closed
    });
    assert_eq!(closed, Some(21), "probes at 5, 10 and 15 s");
}

/// A success is progress, an ignored outcome is none: a probe that is lost beside it still expires.
#[test]
fn only_a_success_gives_the_other_probes_their_time_anew() {
    for (outcome, state) in [
        (Outcome::Success, State::HalfOpen),
        (Outcome::Ignored, State::Open),
    ] {
        let mut breaker = opened(BreakerConfig {
            half_open_permits: 3,
            half_open_limit: ms(10_000),
            ..BreakerConfig::default()
        });
        let _lost = breaker.try_acquire(ms(1000)).unwrap();
        let other = breaker.try_acquire(ms(6000)).unwrap();
        breaker.report(ms(7000), other, outcome);
        assert_eq!(breaker.state(ms(11_000)), state, "{outcome:?}");
        assert_eq!(
            breaker.state(ms(17_000)),
            if state == State::Open {
                State::HalfOpen
            } else {
                State::Open
            }
        );
    }
}

#[test]
fn half_open_without_probes_has_no_limit() {
    let mut breaker = opened(BreakerConfig {
        half_open_permits: 2,
        half_open_limit: ms(500),
        ..last_calls(3)
    });
    let probe = breaker.try_acquire(ms(1000)).unwrap();
    breaker.report(ms(1001), probe, Outcome::Success);
    assert_eq!(breaker.state(ms(60_000)), State::HalfOpen);
    let probe = breaker.try_acquire(ms(60_000)).unwrap();
    breaker.report(ms(60_499), probe, Outcome::Success);
    assert_eq!(breaker.state(ms(60_499)), State::Closed);
}

#[test]
fn a_late_answer_from_an_earlier_state_counts_for_nothing() {
    let mut breaker = last_calls(3).build().unwrap();
    let from_closed: Vec<Ticket> = (0..2)
        .map(|_| breaker.try_acquire(ms(0)).unwrap())
        .collect();
    for _ in 0..3 {
        call(&mut breaker, ms(0), Outcome::Failure);
    }
    let probe = breaker.try_acquire(ms(1000)).unwrap();
    for (late, outcome) in from_closed
        .into_iter()
        .zip([Outcome::Failure, Outcome::Success])
    {
        breaker.report(ms(1000), late, outcome);
        assert_eq!(breaker.state(ms(1000)), State::HalfOpen);
    }
    breaker.report(ms(1000), probe, Outcome::Success);
    assert_eq!(breaker.state(ms(1000)), State::HalfOpen, "1 of 3 probes");
}

#[test]
fn a_clock_that_goes_backwards_has_stopped() {
    let mut breaker = opened(last_calls(3));
    assert!(breaker.try_acquire(ms(1000)).is_ok());
    assert_eq!(breaker.state(ms(0)), State::HalfOpen);
    let mut breaker = last_calls(3).build().unwrap();
    for now in [5000, 3000, 0] {
        call(&mut breaker, ms(now), Outcome::Failure);
    }
    assert_eq!(
        breaker.try_acquire(ms(0)),
        Err(Refused::Open { until: ms(6000) })
    );
}

#[test]
fn tickets_of_another_breaker_are_harmless() {
    let mut breaker = opened(last_calls(3));
    let mut other = breaker.clone();
    for outcome in [
        Outcome::Ignored,
        Outcome::Success,
        Outcome::Success,
        Outcome::Success,
        Outcome::Failure,
    ] {
        if let Ok(foreign) = other.try_acquire(ms(1000)) {
            breaker.report(ms(1000), foreign, outcome);
        }
    }
    let probes = (0..10).filter(|_| {
        let probe = breaker.try_acquire(ms(60_000));
        probe.is_ok_and(|probe| {
            breaker.report(ms(60_000), probe, Outcome::Failure);
            true
        })
    });
    assert!(probes.count() <= 3);
}

#[test]
fn impossible_numbers_are_refused_by_name() {
    let default = BreakerConfig::default();
    let time = |span, resolution| CallWindow::Time { span, resolution };
    for (config, field) in [
        (last_calls(0), "window"),
        (last_calls(65_537), "window"),
        (
            BreakerConfig {
                window: CallWindow::Calls(3),
                minimum_calls: 4,
                ..default
            },
            "minimum_calls",
        ),
        (
            BreakerConfig {
                minimum_calls: 0,
                ..default
            },
            "minimum_calls",
        ),
        (
            BreakerConfig {
                window: time(ms(0), ms(10)),
                ..default
            },
            "window",
        ),
        (
            BreakerConfig {
                window: time(ms(10), ms(0)),
                ..default
            },
            "resolution",
        ),
        (
            BreakerConfig {
                failure_rate: Ratio::new("", 0, 1).unwrap(),
                ..default
            },
            "failure_rate",
        ),
        (
            BreakerConfig {
                failure_rate: Ratio::new("", 11, 10).unwrap(),
                ..default
            },
            "failure_rate",
        ),
        (
            BreakerConfig {
                half_open_permits: 0,
                ..default
            },
            "half_open_permits",
        ),
        (
            BreakerConfig {
                half_open_limit: ms(0),
                ..default
            },
            "half_open_limit",
        ),
    ] {
        assert_eq!(config.build().unwrap_err().field, field, "{config:?}");
    }
    let whole = BreakerConfig {
        failure_rate: Ratio::new("", 1, 1).unwrap(),
        open_for: ms(0),
        half_open_limit: Duration::MAX,
        ..default
    };
    assert!(whole.build().is_ok());
}
