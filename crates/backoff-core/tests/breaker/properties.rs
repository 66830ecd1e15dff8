//! What holds for every breaker and every order of events and times.

use std::time::Duration;

use backoff_core::breaker::{BreakerConfig, CallWindow, Outcome, Refused, State, Ticket};
use backoff_core::budget::Ratio;
use proptest::prelude::*;

use super::ms;

#[derive(Debug, Clone)]
enum Step {
    Acquire,
    Report(usize, Outcome),
    Lose(usize),
}

fn step() -> impl Strategy<Value = Step> {
    let outcome = prop_oneof![
        1 => Just(Outcome::Success),
        2 => Just(Outcome::Failure),
        1 => Just(Outcome::Ignored)
    ];
    prop_oneof![
        3 => Just(Step::Acquire),
        3 => (any::<usize>(), outcome).prop_map(|(which, outcome)| Step::Report(which, outcome)),
        1 => any::<usize>().prop_map(Step::Lose),
    ]
}

fn config() -> impl Strategy<Value = BreakerConfig> {
    let window = prop_oneof![
        (1_u32..6).prop_map(CallWindow::Calls),
        (1_u64..6).prop_map(|slots| CallWindow::Time {
            span: ms(slots * 10),
            resolution: ms(10)
        }),
    ];
    (window, 1_u32..6, 1_u32..4, 0_u64..40, 1_u32..4, 1_u64..60).prop_map(
        |(window, minimum, rate, open_for, permits, limit)| BreakerConfig {
            window,
            failure_rate: Ratio::new("", rate, 3).unwrap(),
            minimum_calls: match window {
                CallWindow::Calls(calls) => minimum.min(calls),
                CallWindow::Time { .. } => minimum,
            },
            open_for: ms(open_for),
            half_open_permits: permits,
            half_open_limit: ms(limit),
        },
    )
}

fn time() -> impl Strategy<Value = i64> {
    prop_oneof![8 => 0_i64..30, 1 => -100_i64..0, 1 => 0_i64..2000]
}

proptest! {
    /// In one half-open period the probes without an answer and those that succeeded never exceed the permits, closed lets
    /// everything through, and open refuses everything until its time.
    #[test]
    fn never_more_probes_than_permits(
        config in config(),
        steps in prop::collection::vec((time(), step()), 0..300),
    ) {
        let mut breaker = config.build().unwrap();
        let mut tickets: Vec<(u64, Ticket)> = Vec::new();
        let (mut clock, mut latest) = (0_i64, 0_i64);
        let (mut period, mut out, mut succeeded) = (0, 0, 0);
        for (elapsed, step) in steps {
            clock = (clock + elapsed).max(0);
            latest = latest.max(clock);
            let now = ms(clock.unsigned_abs());
            let before = breaker.state(now);
            prop_assert_eq!(breaker.open_for(now).is_some(), before == State::Open);
            if breaker.changes() != period {
                (period, out, succeeded) = (breaker.changes(), 0, 0);
            }
            match step {
                Step::Acquire => match (breaker.try_acquire(now), before) {
                    (Ok(ticket), State::Closed) => tickets.push((period, ticket)),
                    (Ok(ticket), State::HalfOpen) => {
                        out += 1;
                        prop_assert!(out + succeeded <= config.half_open_permits);
                        tickets.push((period, ticket));
                    }
                    (Err(Refused::Open { until }), State::Open) => {
                        let latest = ms(latest.unsigned_abs());
                        prop_assert!(until > latest);
                        prop_assert_eq!(breaker.open_for(now), until.checked_sub(latest));
                    }
                    (Err(Refused::ProbesOut), State::HalfOpen) => {
                        prop_assert_eq!(out + succeeded, config.half_open_permits);
                    }
                    (answer, state) => prop_assert!(false, "{answer:?} while {state:?}"),
                },
                Step::Report(which, outcome) if !tickets.is_empty() => {
                    let (from, ticket) = tickets.swap_remove(which % tickets.len());
                    breaker.report(now, ticket, outcome);
                    if from != period {
                        prop_assert_eq!(breaker.changes(), period, "a late answer counted");
                    } else if before == State::HalfOpen {
                        out -= 1;
                        succeeded += u32::from(outcome == Outcome::Success);
                        let decided = outcome == Outcome::Failure || succeeded == config.half_open_permits;
                        prop_assert_eq!(breaker.changes() != period, decided);
                        if succeeded == config.half_open_permits {
                            prop_assert_eq!(breaker.state(now), State::Closed);
                        }
                    }
                }
                Step::Report(..) => {}
                Step::Lose(which) => {
                    if !tickets.is_empty() {
                        // It stays counted as out: nobody told the breaker.
                        let _ = tickets.swap_remove(which % tickets.len());
                    }
                }
            }
        }
    }

    /// Whatever happened, a breaker that is left alone and then gets successes closes again.
    #[test]
    fn it_never_sticks(
        config in config(),
        steps in prop::collection::vec((time(), step()), 0..100),
    ) {
        let mut breaker = config.build().unwrap();
        let mut tickets: Vec<Ticket> = Vec::new();
        let mut clock = 0_i64;
        for (elapsed, step) in steps {
            clock = (clock + elapsed).max(0);
            let now = ms(clock.unsigned_abs());
            match step {
                Step::Acquire => tickets.extend(breaker.try_acquire(now)),
                Step::Report(which, outcome) if !tickets.is_empty() => {
                    let ticket = tickets.swap_remove(which % tickets.len());
                    breaker.report(now, ticket, outcome);
                }
                _ => {}
            }
        }
        // A closed breaker with failures in its window may open only with the call that makes up the minimum; the round after closes it.
        let mut later = Duration::from_secs(1_000_000);
        for _ in 0..config.minimum_calls + 2 {
            later += config.open_for + config.half_open_limit;
            let _ = breaker.state(later);
            for _ in 0..config.half_open_permits {
                if let Ok(ticket) = breaker.try_acquire(later) {
                    breaker.report(later, ticket, Outcome::Success);
                }
            }
        }
        prop_assert_eq!(breaker.state(later), State::Closed);
    }

    /// No configuration and no time makes it panic.
    #[test]
    fn arbitrary_configurations_and_times(
        calls in any::<u32>(),
        spans in prop::array::uniform4(any::<(u64, u32)>()),
        counts in prop::array::uniform2(any::<u32>()),
        rate in any::<(u32, u32)>(),
        by_calls in any::<bool>(),
        steps in prop::collection::vec((any::<(u64, u32)>(), step()), 0..100),
    ) {
        let duration = |(secs, nanos): (u64, u32)| Duration::new(secs / 2, nanos);
        let window = if by_calls {
            CallWindow::Calls(calls % 70_000)
        } else {
            CallWindow::Time { span: duration(spans[0]), resolution: duration(spans[1]) }
        };
        let config = BreakerConfig {
            window,
            failure_rate: Ratio::new("", rate.0, rate.1.max(1)).unwrap(),
            minimum_calls: counts[0] % 4,
            open_for: duration(spans[2]),
            half_open_permits: counts[1],
            half_open_limit: duration(spans[3]),
        };
        if let Ok(mut breaker) = config.build() {
            let mut tickets: Vec<Ticket> = Vec::new();
            for (time, step) in steps {
                let (now, before) = (duration(time), breaker.changes());
                match step {
                    Step::Acquire => tickets.extend(breaker.try_acquire(now)),
                    Step::Report(..) | Step::Lose(_) if tickets.is_empty() => {}
                    Step::Report(which, outcome) => {
                        let ticket = tickets.swap_remove(which % tickets.len());
                        breaker.report(now, ticket, outcome);
                    }
                    Step::Lose(which) => drop(tickets.swap_remove(which % tickets.len())),
                }
                // Time alone can end a half-open and an open state and begin the next one; an answer adds one change.
                prop_assert!(breaker.changes() - before <= 3);
            }
        }
    }
}
