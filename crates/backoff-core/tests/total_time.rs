//! The bounds of a policy's total time, against requests played out under it.

use std::time::Duration;

use backoff_core::budget::Unlimited;
use backoff_core::classify::{Idempotency, Pace};
use backoff_core::policy::{Decision, Outcome, Policy, PolicyConfig, TimeLimit};
use backoff_core::{BackoffConfig, Growth};
use proptest::prelude::*;

const NEARLY_ONE: f64 = 1.0 - f64::EPSILON / 2.0;

fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// Every strategy with waits between 100 ms and some seconds.
fn backoffs() -> Vec<BackoffConfig> {
    let growth = Growth::doubling(ms(100), ms(3000));
    vec![
        BackoffConfig::Immediate,
        BackoffConfig::Fixed { wait: ms(500) },
        BackoffConfig::Exponential(growth),
        BackoffConfig::FullJitter(growth),
        BackoffConfig::EqualJitter(growth),
        BackoffConfig::Decorrelated {
            base: ms(100),
            cap: ms(3000),
        },
        BackoffConfig::Proportional {
            growth,
            factor: 0.2,
        },
    ]
}

/// One request that always fails; each attempt takes the next share of its timeout, each wait the next uniform number.
fn play(
    policy: &Policy,
    shares: &mut impl FnMut() -> f64,
    units: &mut impl FnMut() -> f64,
) -> Duration {
    let mut now = Duration::ZERO;
    let mut call = policy.start(Idempotency::Idempotent, now);
    loop {
        let timeout = policy
            .attempt_timeout(&call, now)
            .duration()
            .unwrap_or(ms(60_000));
        now += timeout.mul_f64(shares());
        match policy.decide(&mut call, &Outcome::http(503), now, units(), &mut Unlimited) {
            Decision::Retry { after } => now += after,
            Decision::Stop(_) => return now,
        }
    }
}

fn policy(
    backoff: BackoffConfig,
    attempts: u32,
    timeout: TimeLimit,
    deadline: TimeLimit,
) -> Policy {
    PolicyConfig {
        attempt_timeout: timeout,
        deadline,
        ..PolicyConfig::new(attempts, backoff)
    }
    .build()
    .unwrap()
}

#[test]
fn three_attempts_of_thirty_seconds_take_more_than_ninety() {
    let growth = Growth::doubling(ms(1000), ms(30_000));
    let policy = policy(
        BackoffConfig::Exponential(growth),
        3,
        TimeLimit::Within(ms(30_000)),
        TimeLimit::Unlimited,
    );
    let total = policy.total_time(Pace::Transient, ms(30_000));
    assert_eq!(total.greatest, TimeLimit::Within(ms(93_000)));
    assert_eq!(total.mean, Some(ms(93_000)));
    assert_eq!(total.least, ms(3000));
}

#[test]
fn without_a_deadline_the_ends_are_the_sums() {
    for backoff in backoffs() {
        for attempts in 1..9 {
            let policy = policy(
                backoff,
                attempts,
                TimeLimit::Within(ms(700)),
                TimeLimit::Unlimited,
            );
            let total = policy.total_time(Pace::Transient, ms(700));
            let close = |bound: Duration, played: Duration| {
                assert!(
                    bound.abs_diff(played) < Duration::from_nanos(200),
                    "{backoff:?}: {bound:?}, played {played:?}"
                );
            };
            close(total.least, play(&policy, &mut || 0.0, &mut || 0.0));
            close(
                total.greatest.duration().unwrap(),
                play(&policy, &mut || 1.0, &mut || NEARLY_ONE),
            );
        }
    }
}

#[test]
fn without_an_attempt_timeout_only_a_deadline_bounds() {
    for backoff in backoffs() {
        let total = policy(backoff, 3, TimeLimit::Unlimited, TimeLimit::Unlimited)
            .total_time(Pace::Transient, ms(5));
        assert_eq!(total.greatest, TimeLimit::Unlimited);
        let deadline = TimeLimit::Within(ms(2500));
        let total =
            policy(backoff, 3, TimeLimit::Unlimited, deadline).total_time(Pace::Transient, ms(5));
        assert_eq!(total.greatest, deadline);
        assert_eq!(total.mean, None);
    }
}

#[test]
fn the_most_attempts_there_can_be_cost_no_time_to_add_up() {
    for backoff in backoffs() {
        for deadline in [
            TimeLimit::Unlimited,
            TimeLimit::Within(Duration::MAX),
            TimeLimit::Within(ms(1_000_000_000_000)),
        ] {
            let policy = policy(backoff, u32::MAX, TimeLimit::Within(ms(1)), deadline);
            let total = policy.total_time(Pace::Transient, ms(1));
            assert!(TimeLimit::Within(total.least) <= total.greatest);
        }
    }
}

#[test]
fn a_long_wait_can_end_a_request_at_once() {
    // U(0, 10) s against a deadline of 5 s: the first draw may be 7.
    let growth = Growth::doubling(ms(10_000), ms(10_000));
    let policy = policy(
        BackoffConfig::FullJitter(growth),
        5,
        TimeLimit::Within(ms(100)),
        TimeLimit::Within(ms(5000)),
    );
    assert_eq!(policy.total_time(Pace::Transient, ms(0)).least, ms(0));
}

/// The least end of a request, by trying every course on a grid of attempt times and uniform numbers.
fn least_on_a_grid(
    policy: &Policy,
    backoff: BackoffConfig,
    timeout: f64,
    deadline: f64,
    attempts: u32,
) -> f64 {
    fn visit(at: &Grid, failure: u32, started: f64, previous: f64, best: &mut f64) {
        for share in 0..=at.steps {
            let now = started
                + at.timeout.min(at.deadline - started) * f64::from(share) / f64::from(at.steps);
            if now >= *best {
                return;
            }
            if failure == at.attempts || now >= at.deadline {
                *best = now;
                continue;
            }
            for step in 0..=at.steps {
                let unit = (f64::from(step) / f64::from(at.steps)).min(NEARLY_ONE);
                let wait = at.backoff.wait(failure, previous, unit);
                // A course that meets the deadline exactly doesn't pass it by a rounding.
                if now + wait > at.deadline + 1e-12 {
                    *best = best.min(now);
                } else {
                    visit(at, failure + 1, now + wait, wait, best);
                }
            }
        }
    }
    struct Grid {
        backoff: backoff_core::Backoff,
        timeout: f64,
        deadline: f64,
        attempts: u32,
        steps: u32,
    }
    let grid = Grid {
        backoff: backoff.build().unwrap(),
        timeout,
        deadline,
        attempts,
        steps: 12,
    };
    let mut best = f64::INFINITY;
    visit(
        &grid,
        1,
        0.0,
        policy.backoff(Pace::Transient).first_previous(),
        &mut best,
    );
    best
}

#[test]
fn the_least_total_is_the_best_of_all_courses() {
    for backoff in backoffs() {
        for attempts in 1..=4 {
            for timeout in [ms(10), ms(200)] {
                for deadline in [0, 50, 150, 300, 450, 700, 1000, 1500, 4000] {
                    let deadline = ms(deadline);
                    let policy = policy(
                        backoff,
                        attempts,
                        TimeLimit::Within(timeout),
                        TimeLimit::Within(deadline),
                    );
                    let least = policy
                        .total_time(Pace::Transient, ms(0))
                        .least
                        .as_secs_f64();
                    let found = least_on_a_grid(
                        &policy,
                        backoff,
                        timeout.as_secs_f64(),
                        deadline.as_secs_f64(),
                        attempts,
                    );
                    // A step of the grid is at most an eighth of the longest wait or time-out on the way.
                    let step =
                        0.08 * f64::from(attempts) * (timeout.as_secs_f64() + least.max(0.1));
                    assert!(
                        least <= found + 1e-9 && found <= least + step,
                        "{backoff:?} attempts {attempts} timeout {timeout:?} deadline {deadline:?}: {least}, on the grid {found}"
                    );
                }
            }
        }
    }
}

proptest! {
    #[test]
    fn no_request_ends_outside_the_bounds(
        kind in 0_usize..7,
        attempts in 1_u32..8,
        timeout in 1_u64..2000,
        deadline in prop::option::of(0_u64..8000),
        shares in prop::collection::vec(prop_oneof![Just(0.0), Just(1.0), 0.0..=1.0], 1..8),
        units in prop::collection::vec(prop_oneof![Just(0.0), Just(NEARLY_ONE), 0.0..1.0], 1..8),
    ) {
        let deadline = deadline.map_or(TimeLimit::Unlimited, |millis| TimeLimit::Within(ms(millis)));
        let policy = policy(backoffs()[kind], attempts, TimeLimit::Within(ms(timeout)), deadline);
        let (mut shares, mut units) = (shares.iter().cycle(), units.iter().cycle());
        let end = play(&policy, &mut || *shares.next().unwrap(), &mut || *units.next().unwrap());
        let total = policy.total_time(Pace::Transient, ms(timeout));
        let rounding = Duration::from_nanos(100);
        prop_assert!(total.least <= end + rounding, "{end:?} before {total:?}");
        prop_assert!(TimeLimit::Within(end.saturating_sub(rounding)) <= total.greatest, "{end:?} after {total:?}");
    }
}

/// What a policy with waits that are known comes to, in whole units: failures happen in an interval each, from the least waits to the greatest
/// attempts; those at which the next wait is too long end the request, and those that leave room for it go on.
fn ends(waits: &[u64], timeout: u64, deadline: u64) -> (u64, u64) {
    let (mut least, mut greatest) = (u64::MAX, 0);
    let (mut from, mut until) = (0, timeout.min(deadline));
    for &wait in waits {
        let fits_until = deadline.checked_sub(wait);
        if fits_until.is_none_or(|fits| until > fits) || until == deadline {
            let too_late = fits_until.map_or(0, |fits| if fits < until { fits } else { until });
            least = least.min(from.max(too_late));
            greatest = greatest.max(until);
        }
        match fits_until {
            Some(fits) if from <= fits && from < deadline => {
                (from, until) = (from + wait, deadline.min(until.min(fits) + wait + timeout));
            }
            _ => return (least, greatest),
        }
    }
    (least.min(from), greatest.max(until))
}

/// Sums of tenths of a second aren't tenths in binary, and a wait that ends just at the deadline is granted.
#[test]
fn a_sum_that_is_just_the_deadline_is_within_it() {
    for unit in [100, 110, 1, 37] {
        for (attempts, timeout, deadline) in (1..6_u32).flat_map(|attempts| {
            (1..5)
                .flat_map(move |timeout| (1..40).map(move |deadline| (attempts, timeout, deadline)))
        }) {
            for wait in 0..6_u64 {
                let doubling = |n: u32| wait << n;
                let growth = Growth::doubling(ms(wait * unit), ms(wait * unit * 64));
                let courses = [
                    (
                        BackoffConfig::Fixed {
                            wait: ms(wait * unit),
                        },
                        vec![wait; attempts as usize - 1],
                    ),
                    (
                        BackoffConfig::Exponential(growth),
                        (0..attempts - 1).map(doubling).collect(),
                    ),
                ];
                for (backoff, waits) in courses {
                    let policy = PolicyConfig {
                        deadline: TimeLimit::Within(ms(deadline * unit)),
                        attempt_timeout: TimeLimit::Within(ms(timeout * unit)),
                        ..PolicyConfig::new(attempts, backoff)
                    };
                    let total = policy.build().unwrap().total_time(Pace::Transient, ms(0));
                    let (least, greatest) = ends(&waits, timeout, deadline);
                    assert_eq!(
                        (total.least, total.greatest),
                        (ms(least * unit), TimeLimit::Within(ms(greatest * unit))),
                        "{backoff:?}, {attempts} attempts of {timeout}, deadline {deadline}, in {unit} ms"
                    );
                }
            }
        }
    }
}
