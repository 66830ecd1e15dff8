//! Breakers that threads share.

use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Barrier};
use std::thread;
use std::time::Duration;

use backoff_core::breaker::{BreakerConfig, CallWindow, Refused, SharedBreaker, State};

use super::{NOW, THREADS, together};

/// Over many times open and half-open, with answers of every kind, late ones and dropped permits, the probes under way are never more than
/// the permits, and the breaker neither sticks nor stays closed.
#[test]
fn never_more_probes_than_permits() {
    for permits in [2_u32, 3, 5] {
        let config = BreakerConfig {
            window: CallWindow::Calls(4),
            minimum_calls: 4,
            half_open_permits: permits,
            open_for: Duration::from_millis(10),
            half_open_limit: Duration::MAX,
            ..BreakerConfig::default()
        };
        let breaker = SharedBreaker::new(config.build().unwrap());
        let most = AtomicU32::new(0);
        let mut cycles = 0;
        for cycle in 0..60_u64 {
            let opened = NOW + Duration::from_millis(20 * cycle);
            while breaker.state(opened) == State::Closed {
                breaker.try_acquire(opened).unwrap().failure(opened);
            }
            let half_open = opened + config.open_for;
            assert_eq!(breaker.state(half_open), State::HalfOpen);
            cycles += 1;
            let out = AtomicU32::new(0);
            // Nobody reports before every thread has asked, so all permits are out at once.
            let asked = Barrier::new(THREADS);
            let through = together(|thread| {
                let permit = breaker.try_acquire(half_open);
                if permit.is_ok() {
                    most.fetch_max(out.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                }
                asked.wait();
                let through = usize::from(permit.is_ok());
                if let Ok(permit) = permit {
                    out.fetch_sub(1, Ordering::SeqCst);
                    match (thread as u64 + cycle) % 4 {
                        0 => permit.ignored(half_open),
                        1 if cycle % 3 == 0 => permit.failure(half_open),
                        2 => drop(permit),
                        _ => permit.success(half_open),
                    }
                }
                through
            });
            assert_eq!(through, permits as usize);
            // What came back unanswered can be had again; then all succeed and it closes, unless a probe failed.
            while breaker.state(half_open) == State::HalfOpen {
                breaker.try_acquire(half_open).unwrap().success(half_open);
            }
        }
        assert_eq!((cycles, most.into_inner()), (60, permits));
    }
}

/// Threads that ask, give back and drop at any moment share the permits of one long half-open state.
#[test]
fn permits_given_back_are_had_again_and_never_more() {
    for permits in [1_u32, 2, 5] {
        let config = BreakerConfig {
            window: CallWindow::Calls(1),
            minimum_calls: 1,
            half_open_permits: permits,
            ..BreakerConfig::default()
        };
        let breaker = SharedBreaker::new(config.build().unwrap());
        breaker.try_acquire(NOW).unwrap().failure(NOW);
        let half_open = NOW + config.open_for;
        let (out, most) = (AtomicU32::new(0), AtomicU32::new(0));
        let through = together(|thread| {
            let mut through = 0;
            for round in 0..1_000 {
                let Ok(permit) = breaker.try_acquire(half_open) else {
                    thread::yield_now();
                    continue;
                };
                most.fetch_max(out.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                through += 1;
                thread::yield_now();
                out.fetch_sub(1, Ordering::SeqCst);
                if (thread + round) % 2 == 0 {
                    permit.ignored(half_open);
                }
            }
            through
        });
        assert!(through > 0);
        assert!((1..=permits).contains(&most.into_inner()));
        for _ in 0..permits {
            assert_eq!(breaker.state(half_open), State::HalfOpen);
            breaker.try_acquire(half_open).unwrap().success(half_open);
        }
        assert_eq!(breaker.state(half_open), State::Closed);
    }
}

#[test]
fn one_of_a_thousand_callers_is_the_probe() {
    let breaker = SharedBreaker::new(
        BreakerConfig {
            window: CallWindow::Calls(1),
            minimum_calls: 1,
            half_open_permits: 1,
            ..BreakerConfig::default()
        }
        .build()
        .unwrap(),
    );
    breaker.try_acquire(NOW).unwrap().failure(NOW);
    let half_open = NOW + Duration::from_secs(1);
    let through = AtomicUsize::new(0);
    let refused = AtomicUsize::new(0);
    let start = Barrier::new(1_000);
    thread::scope(|scope| {
        for _ in 0..1_000 {
            scope.spawn(|| {
                start.wait();
                let answer = breaker.try_acquire(half_open);
                match &answer {
                    Ok(_) => through.fetch_add(1, Ordering::SeqCst),
                    Err(Refused::ProbesOut) => refused.fetch_add(1, Ordering::SeqCst),
                    Err(open) => panic!("{open}"),
                };
                // Nobody gives up the permit before all have asked.
                start.wait();
            });
        }
    });
    assert_eq!((through.into_inner(), refused.into_inner()), (1, 999));
    // The probe's permit was dropped, so the next caller gets one.
    breaker.try_acquire(half_open).unwrap().success(half_open);
    assert_eq!(breaker.state(half_open), State::Closed);
}

#[test]
fn an_owned_permit_outlives_its_scope() {
    let breaker = Arc::new(SharedBreaker::new(
        BreakerConfig::default().build().unwrap(),
    ));
    let permit = breaker.try_acquire_owned(NOW).unwrap();
    thread::spawn(move || permit.success(NOW)).join().unwrap();
    assert_eq!(breaker.state(NOW), State::Closed);
}

#[test]
fn a_shared_breaker_says_how_long_it_stays_open() {
    let config = BreakerConfig {
        window: CallWindow::Calls(1),
        minimum_calls: 1,
        ..BreakerConfig::default()
    };
    let breaker = SharedBreaker::new(config.build().unwrap());
    assert_eq!(breaker.open_for(NOW), None);
    breaker.try_acquire(NOW).unwrap().failure(NOW);
    assert_eq!(breaker.open_for(NOW), Some(config.open_for));
    assert_eq!(breaker.open_for(NOW + config.open_for), None);
}
