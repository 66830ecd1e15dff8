//! What holds for every run, what is refused, and the literal values of some runs.

use core::time::Duration;

use backoff_core::{Backoff, BackoffConfig, Growth};
use herd_sim::cohort::{self, CohortError, Cohorts, MAX_CELLS};
use herd_sim::{CrashParams, HerdConfig, HerdParams, HerdRun, Record};
use proptest::prelude::*;
use sim_kernel::Pcg64;

use crate::herds::{herd, strategies};

const TRILLION: u64 = 1_000_000_000_000;

fn full_jitter(config: &HerdConfig, seed: u64) -> HerdRun {
    let (name, backoff) = strategies()[3];
    cohort::run(
        config,
        &backoff,
        &mut Pcg64::for_unit(name, seed),
        Record::Arrivals,
    )
    .expect("accepted")
}

fn refusal(config: &HerdConfig, backoff: BackoffConfig) -> CohortError {
    let backoff = backoff.build().expect("a valid backoff");
    Cohorts::new(config, &backoff).expect_err("refused")
}

#[test]
fn decorrelated_jitter_is_refused_with_the_reason() {
    let decorrelated = BackoffConfig::Decorrelated {
        base: Duration::from_millis(100),
        cap: Duration::from_secs(10),
    };
    let error = refusal(&herd(10, |_| ()), decorrelated);
    assert_eq!(error, CohortError::Remembers);
    assert!(
        error
            .to_string()
            .contains("previous wait, a continuous state")
    );
}

#[test]
fn more_clients_than_can_be_counted_exactly_are_refused() {
    let (_, fixed) = strategies()[1];
    let most = 1 << 53;
    let short = |params: &mut HerdParams| params.give_up_at = Duration::from_secs(20);
    assert!(Cohorts::new(&herd(most, short), &fixed).is_ok());
    let refused = Cohorts::new(&herd(most + 1, short), &fixed).expect_err("refused");
    assert_eq!(
        refused,
        CohortError::TooManyClients {
            clients: most + 1,
            allowed: most
        }
    );
    // With 12,000 ticks each client may send 12,000 times, and the requests must fit as well.
    let allowed = u64::MAX / 12_000;
    assert!(Cohorts::new(&herd(allowed, |_| ()), &fixed).is_ok());
    let refused = Cohorts::new(&herd(allowed + 1, |_| ()), &fixed).expect_err("refused");
    assert_eq!(
        refused,
        CohortError::TooManyClients {
            clients: allowed + 1,
            allowed
        }
    );
}

/// Whichever makes them too many: its number stands in the refusal, and a remedy for it.
#[test]
fn counts_that_take_too_much_memory_are_refused_by_what_makes_them_many() {
    let slowly = Growth {
        multiplier: 1.000_001,
        ..Growth::doubling(Duration::from_secs(60), Duration::MAX)
    };
    let day = Duration::from_secs(86_400);
    let eight_days = BackoffConfig::Fixed { wait: day * 8 };
    for (name, spread, give_up_at, backoff, numbers, remedy) in [
        (
            "the spread",
            day * 8,
            day * 9,
            BackoffConfig::Immediate,
            (69_119_999, 0, 1..=1),
            "a shorter spread",
        ),
        (
            "one wait",
            Duration::ZERO,
            day * 9,
            eight_days,
            (0, 69_120_000, 1..=1),
            "a shorter wait",
        ),
        (
            "many waits",
            Duration::ZERO,
            Duration::from_secs(36_000),
            BackoffConfig::FullJitter(slowly),
            // Nominal waits of 60 s · 1.000001^8181.
            (0, 6_049, 8_000..=8_192),
            "a lower cap",
        ),
    ] {
        let long = herd(10, |params| {
            params.spread = spread;
            params.give_up_at = give_up_at;
        });
        let error = refusal(&long, backoff);
        let CohortError::TooManyCells {
            cells,
            spread_ticks,
            wait_ticks,
            stages,
        } = error
        else {
            panic!("{name}: {error}");
        };
        assert!(cells > MAX_CELLS, "{name}");
        assert_eq!((spread_ticks, wait_ticks), (numbers.0, numbers.1), "{name}");
        assert!(numbers.2.contains(&stages), "{name}: {stages}");
        let message = error.to_string();
        assert!(message.contains(remedy), "{name}: {message}");
        assert!(
            [spread_ticks, wait_ticks, stages]
                .iter()
                .all(|number| message.contains(&number.to_string())),
            "{name}: {message}"
        );
    }
}

/// Without a cap the waits outgrow the horizon, and whoever gets such a wait is never seen again.
#[test]
fn waits_without_a_cap_are_accepted() {
    let growth = Growth::doubling(Duration::from_millis(100), Duration::MAX);
    for config in [
        BackoffConfig::Exponential(growth),
        BackoffConfig::FullJitter(growth),
        BackoffConfig::EqualJitter(growth),
        BackoffConfig::Proportional {
            growth,
            factor: 1.0,
        },
        BackoffConfig::Fixed {
            wait: Duration::MAX,
        },
    ] {
        let backoff = config.build().expect("a valid backoff");
        let config = herd(1_000, |params| params.give_up_at = Duration::from_secs(30));
        let run = cohort::run(
            &config,
            &backoff,
            &mut Pcg64::for_unit("no cap", 0),
            Record::Arrivals,
        )
        .expect("accepted");
        assert_consistent(&config, &run);
    }
}

#[test]
fn the_stream_that_replays_is_named_in_its_refusal() {
    assert!(CohortError::Replays.to_string().contains("cpython"));
}

#[test]
fn a_trillion_clients_recover_like_a_thousand() {
    let config = herd(TRILLION, |_| ());
    let run = full_jitter(&config, 0);
    assert_consistent(&config, &run);
    let finish = run.finish_ticks.expect("all succeed") as f64 * 0.01;
    // A law of large numbers: runs of a billion differ from each other only past these digits.
    assert!((12.4..12.6).contains(&finish), "{finish}");
    let per_client = run.requests as f64 / TRILLION as f64;
    assert!((6.02..6.04).contains(&per_client), "{per_client}");
    assert_eq!(run.crashes, 1);
}

/// A run leaves nothing behind for the next.
#[test]
fn runs_of_one_herd_do_not_depend_on_those_before() {
    let (name, backoff) = strategies()[3];
    let config = herd(1_000, |params| params.give_up_at = Duration::from_secs(3));
    let mut engine = Cohorts::new(&config, &backoff).expect("accepted");
    for seed in 0..20 {
        let reused = engine.run(&mut Pcg64::for_unit(name, seed), Record::Arrivals);
        assert_eq!(reused, full_jitter(&config, seed));
    }
}

#[test]
fn nothing_is_recorded_unless_asked() {
    let (name, backoff) = strategies()[3];
    let mut engine = Cohorts::new(&herd(1_000, |_| ()), &backoff).expect("accepted");
    let recorded = engine.run(&mut Pcg64::for_unit(name, 0), Record::Arrivals);
    let totals = engine.run(&mut Pcg64::for_unit(name, 0), Record::Totals);
    assert_eq!(
        totals,
        HerdRun {
            arrivals: Vec::new(),
            ..recorded
        }
    );
}

/// Value stability: a change of one of these numbers is a change of every committed cohort result.
#[test]
fn values_are_stable() {
    let of = |clients, index: usize, seed| {
        let (name, backoff) = strategies()[index];
        let config = herd(clients, |params| params.spread = Duration::from_millis(900));
        let run = cohort::run(
            &config,
            &backoff,
            &mut Pcg64::for_unit(name, seed),
            Record::Totals,
        )
        .expect("accepted");
        (run.finish_ticks, run.requests, run.crashes)
    };
    let runs = [
        of(1_000, 0, 0),
        of(1_000, 1, 0),
        of(1_000, 2, 0),
        of(1_000, 3, 0),
        of(1_000, 4, 0),
        of(1_000, 5, 0),
        of(1_000_000, 3, 1),
        of(TRILLION, 3, 2),
        of(TRILLION, 5, 3),
    ];
    let expected = [
        (None, 11_955_394, 119),
        (Some(1_702), 11_547, 12),
        (None, 11_465, 14),
        (Some(1_142), 5_807, 1),
        (Some(1_222), 5_702, 2),
        (Some(1_482), 6_868, 3),
        (Some(1_276), 5_744_377, 1),
        (Some(1_284), 5_744_889_100_613, 1),
        (Some(1_500), 6_809_574_969_621, 3),
    ];
    assert_eq!(runs, expected);
}

/// What every run owes, whatever happened.
fn assert_consistent(config: &HerdConfig, run: &HerdRun) {
    let ticks = run.arrivals.len() as u64;
    assert_eq!(ticks, run.finish_ticks.unwrap_or(config.horizon()));
    assert_eq!(run.arrivals.iter().sum::<u64>(), run.requests);
    assert_eq!(run.finish_ticks.is_some(), run.unfinished_clients == 0);
    assert!(run.unfinished_clients <= config.clients());
    // Each success is a request; the rest of the requests are failures, of which each client has at most one a tick.
    let successes = config.clients() - run.unfinished_clients;
    assert!(run.requests >= successes);
    let failures = u128::from(run.requests - successes);
    assert!(failures <= u128::from(config.clients()) * u128::from(ticks));
    assert!(
        run.arrivals
            .iter()
            .all(|&arrivals| arrivals <= config.clients())
    );
}

fn any_backoff() -> impl Strategy<Value = Backoff> {
    let times = (
        0..500_u64,
        0..4_000_u64,
        1.0..3.0_f64,
        0..4_u32,
        0.0..=1.0_f64,
        0..6_usize,
    );
    times.prop_map(|(base, more, multiplier, exponent_from, factor, kind)| {
        let growth = Growth {
            base: Duration::from_millis(base),
            cap: Duration::from_millis(base + more),
            multiplier,
            exponent_from,
        };
        let config = match kind {
            0 => BackoffConfig::Immediate,
            1 => BackoffConfig::Fixed { wait: growth.cap },
            2 => BackoffConfig::Exponential(growth),
            3 => BackoffConfig::FullJitter(growth),
            4 => BackoffConfig::EqualJitter(growth),
            _ => BackoffConfig::Proportional { growth, factor },
        };
        config.build().expect("a valid backoff")
    })
}

fn any_herd() -> impl Strategy<Value = HerdConfig> {
    let size = prop_oneof![1..100_u64, 1..1_000_000_u64, 1..TRILLION * 1_000];
    (
        size,
        0..1_500_u64,
        1..1_000_u64,
        0..200_u64,
        1..20_u64,
        0..1_000_u64,
        0..150_u64,
        1..400_u64,
    )
        .prop_map(
            |(clients, spread, capacity, down, window, limit, restart, ticks)| {
                let tick = Duration::from_millis(7);
                let share =
                    |per_thousand| (u128::from(clients) * u128::from(per_thousand) / 1_000) as u64;
                HerdParams {
                    clients,
                    spread: Duration::from_millis(spread),
                    tick,
                    capacity_per_tick: share(capacity).max(1),
                    down_until: tick * down as u32,
                    crash: CrashParams {
                        window: tick * window as u32,
                        limit: share(limit * 3),
                        restart: tick * restart as u32,
                    },
                    give_up_at: tick * ticks as u32,
                }
                .build()
                .expect("a valid herd")
            },
        )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn every_run_is_consistent(config in any_herd(), backoff in any_backoff(), seed: u64) {
        let run = cohort::run(&config, &backoff, &mut Pcg64::for_unit("any", seed), Record::Arrivals).expect("accepted");
        assert_consistent(&config, &run);
    }
}
