//! Contests whose course is known, and what holds for all of them.

use core::time::Duration;

use backoff_core::{Backoff, BackoffConfig, Growth, Unit};
use occ_sim::{OccConfig, OccParams, Row, Strategy, run_rows_apart, run_table, trace_writes};
use proptest::prelude::{Just, prop_assert, prop_assert_eq, prop_oneof, proptest};
use proptest::strategy::Strategy as Generator;
use sim_kernel::{CPython, Pcg64, Stream};

fn params(clients: &[u32], mean: Duration, sd: Duration, backoff: Backoff) -> OccParams {
    OccParams {
        clients: clients.into(),
        repetitions: 1,
        network_mean: mean,
        network_sd: sd,
        strategies: vec![Strategy {
            name: "it".into(),
            backoff,
        }],
    }
}

fn millis(config: BackoffConfig) -> Backoff {
    config.build_in(Unit::Millis).unwrap()
}

fn exponential(base_ms: u64, cap: Duration) -> Growth {
    Growth::doubling(Duration::from_millis(base_ms), cap)
}

/// The one contest of one strategy.
fn contest(clients: u32, mean_ms: u64, sd_ms: u64, backoff: BackoffConfig, seed: u64) -> Row {
    let [mean, sd] = [mean_ms, sd_ms].map(Duration::from_millis);
    let config = params(&[clients], mean, sd, millis(backoff))
        .build()
        .unwrap();
    run_table(&config, &mut Pcg64::for_unit("contest", seed), |_| {})[0]
}

#[test]
fn one_client_takes_four_messages() {
    for seed in 0..20 {
        let row = contest(1, 10, 2, BackoffConfig::Immediate, seed);
        let mut stream = Pcg64::for_unit("contest", seed);
        let messages = (0..4).map(|_| stream.normal(10.0, 2.0).abs());
        assert_eq!(row.total_ms, messages.fold(0.0, |sum, delay| sum + delay));
        assert_eq!(row.total_calls, 1);
    }
}

/// When all messages take the same time, all clients write together, and the one that was first in line wins: round k has n - k + 1 writes.
#[test]
fn equal_delays_keep_the_clients_in_step() {
    for clients in [1, 2, 3, 10, 100] {
        let n = u64::from(clients);
        let writes = n * (n + 1) / 2;

        let row = contest(clients, 10, 0, BackoffConfig::Immediate, 0);
        assert_eq!((row.total_ms, row.total_calls), (40.0 * n as f64, writes));

        let wait = Duration::from_millis(7);
        let row = contest(clients, 10, 0, BackoffConfig::Fixed { wait }, 0);
        assert_eq!(
            (row.total_ms, row.total_calls),
            (40.0 * n as f64 + 7.0 * (n - 1) as f64, writes)
        );

        let growth = exponential(5, Duration::from_secs(2));
        let row = contest(clients, 10, 0, BackoffConfig::Exponential(growth), 0);
        let waits: f64 = (1..clients)
            .map(|round| millis(BackoffConfig::Exponential(growth)).wait(round, 0.0, 0.0))
            .sum();
        assert_eq!(
            (row.total_ms, row.total_calls),
            (40.0 * n as f64 + waits, writes)
        );
    }
}

#[test]
fn a_network_without_delay_still_finishes() {
    for clients in [1, 2, 50] {
        let n = u64::from(clients);
        let row = contest(clients, 0, 0, BackoffConfig::Immediate, 0);
        assert_eq!((row.total_ms, row.total_calls), (0.0, n * (n + 1) / 2));
    }
}

/// Two clients, immediate backoff: the second is refused exactly when its version left the row before the first write arrived.
#[test]
fn two_clients_collide_as_often_as_their_delays_say() {
    const CONTESTS: u32 = 20_000;
    let params = OccParams {
        repetitions: CONTESTS,
        ..params(
            &[2],
            Duration::from_millis(10),
            Duration::from_millis(20),
            millis(BackoffConfig::Immediate),
        )
    };
    let row = run_table(
        &params.build().unwrap(),
        &mut Pcg64::for_unit("two", 0),
        |_| {},
    )[0];
    // A client reads after one delay and writes after three. Each refused at most once, and one of them at most.
    let mut stream = Pcg64::for_unit("two, drawn", 0);
    let mut collisions = 0;
    for _ in 0..CONTESTS {
        let [a, b] = [(); 2].map(|()| {
            let read = stream.normal(10.0, 20.0).abs();
            [
                read,
                read + stream.normal(10.0, 20.0).abs() + stream.normal(10.0, 20.0).abs(),
            ]
        });
        let (first, second) = if a[1] < b[1] { (a, b) } else { (b, a) };
        collisions += u32::from(second[0] < first[1]);
    }
    let [ours, drawn] = [
        row.mean_calls() - 2.0,
        f64::from(collisions) / f64::from(CONTESTS),
    ];
    // Five standard errors of the difference of two shares.
    assert!((0.1..0.9).contains(&drawn), "{drawn}");
    let error = 5.0 * (2.0 * drawn * (1.0 - drawn) / f64::from(CONTESTS)).sqrt();
    assert!((ours - drawn).abs() <= error, "{ours} and {drawn}");
}

#[test]
fn an_unlimited_backoff_saturates() {
    let growth = exponential(1000, Duration::MAX);
    for backoff in [
        BackoffConfig::Exponential(growth),
        BackoffConfig::FullJitter(growth),
        BackoffConfig::EqualJitter(growth),
        BackoffConfig::Decorrelated {
            base: growth.base,
            cap: growth.cap,
        },
        BackoffConfig::Proportional {
            growth,
            factor: 1.0,
        },
    ] {
        // In step, so that one client is refused 1,199 times: 2^1199 s is more than an f64 can hold.
        let row = contest(1200, 10, 0, backoff, 0);
        assert!(row.total_ms.is_finite());
        assert!(row.total_ms < 1200.0 * 1.1e12);
    }
}

#[test]
fn a_trace_is_the_contest() {
    let growth = exponential(5, Duration::from_secs(2));
    let backoff = millis(BackoffConfig::FullJitter(growth));
    let config = params(
        &[60],
        Duration::from_millis(10),
        Duration::from_millis(2),
        backoff,
    )
    .build()
    .unwrap();
    let row = run_table(&config, &mut CPython::new(4), |_| {})[0];
    let writes = trace_writes(&config, 60, &backoff, &mut CPython::new(4));
    assert_eq!(writes.len() as u64, row.total_calls);
    assert_eq!(writes.iter().filter(|write| write.accepted).count(), 60);
    assert!(writes.is_sorted_by(|a, b| a.at_ms <= b.at_ms));
    let last = writes.last().unwrap();
    assert!(last.accepted && last.at_ms < row.total_ms);
}

#[test]
fn a_row_apart_does_not_depend_on_the_others() {
    let immediate = millis(BackoffConfig::Immediate);
    let fixed = millis(BackoffConfig::Fixed {
        wait: Duration::from_millis(30),
    });
    let mut two = params(
        &[5, 20],
        Duration::from_millis(10),
        Duration::from_millis(2),
        immediate,
    );
    two.repetitions = 7;
    two.strategies.push(Strategy {
        name: "other".into(),
        backoff: fixed,
    });
    let all = run_rows_apart(&two.clone().build().unwrap(), 1, |_| {});
    let order: Vec<_> = all.iter().map(|row| (row.clients, row.strategy)).collect();
    assert_eq!(order, [(5, 0), (5, 1), (20, 0), (20, 1)]);
    two.clients.remove(0);
    two.strategies.remove(0);
    let alone = run_rows_apart(&two.build().unwrap(), 1, |_| {});
    assert_eq!(
        alone,
        [Row {
            strategy: 0,
            ..all[3]
        }]
    );
}

fn any_backoff() -> impl Generator<Value = BackoffConfig> {
    let growth = (0..5000u64, 0..50_000u64, 1.0..4.0f64, 0..4u32).prop_map(
        |(base, more, multiplier, exponent_from)| Growth {
            base: Duration::from_micros(base),
            cap: Duration::from_micros(base + more),
            multiplier,
            exponent_from,
        },
    );
    growth.prop_flat_map(|growth| {
        prop_oneof![
            Just(BackoffConfig::Immediate),
            Just(BackoffConfig::Fixed { wait: growth.base }),
            Just(BackoffConfig::Exponential(growth)),
            Just(BackoffConfig::FullJitter(growth)),
            Just(BackoffConfig::EqualJitter(growth)),
            Just(BackoffConfig::Decorrelated {
                base: growth.base,
                cap: growth.cap
            }),
            (0.0..=1.0f64).prop_map(move |factor| BackoffConfig::Proportional { growth, factor }),
        ]
    })
}

proptest! {
    /// Every client has one write accepted, and each of those refuses at most one write of each client that is still there.
    #[test]
    fn writes_are_within_their_bounds(
        clients in 1u32..40,
        mean_us in prop_oneof![Just(0), 1..20_000u64, Just(86_400_000_000)],
        sd_us in prop_oneof![Just(0), 1..20_000u64, Just(86_400_000_000)],
        backoff in any_backoff(),
        seed: u64,
    ) {
        let backoff = millis(backoff);
        let [mean, sd] = [mean_us, sd_us].map(Duration::from_micros);
        let config = params(&[clients], mean, sd, backoff).build().unwrap();
        let writes = trace_writes(&config, clients, &backoff, &mut Pcg64::for_unit("any", seed));
        let n = clients as usize;
        prop_assert!((n..=n * (n + 1) / 2).contains(&writes.len()));
        prop_assert_eq!(writes.iter().filter(|write| write.accepted).count(), n);
        prop_assert!(writes.is_sorted_by(|a, b| a.at_ms <= b.at_ms));
        prop_assert!(writes.iter().all(|write| write.at_ms >= 0.0 && write.at_ms.is_finite()));
        // A refused write follows an accepted one.
        prop_assert!(writes[0].accepted);
    }
}

/// Value stability: changing one of these is an entry of its own in the changelog.
#[test]
fn rows_of_pcg64() {
    let [base, cap] = [5, 2000].map(Duration::from_millis);
    let growth = Growth {
        exponent_from: 1,
        ..exponential(5, cap)
    };
    let backoffs = [
        BackoffConfig::Exponential(growth),
        BackoffConfig::Decorrelated { base, cap },
        BackoffConfig::EqualJitter(growth),
        BackoffConfig::FullJitter(growth),
        BackoffConfig::Immediate,
        BackoffConfig::Proportional {
            growth,
            factor: 0.2,
        },
    ];
    let strategies = backoffs
        .iter()
        .enumerate()
        .map(|(place, &backoff)| Strategy {
            name: format!("strategy {place}"),
            backoff: millis(backoff),
        });
    let config = OccParams {
        clients: vec![3, 30],
        repetitions: 5,
        network_mean: Duration::from_millis(10),
        network_sd: Duration::from_millis(2),
        strategies: strategies.collect(),
    }
    .build()
    .unwrap();
    let rows = run_rows_apart(&config, 2015, |_| {});
    let seen: Vec<(f64, u64)> = rows
        .iter()
        .map(|row| (row.total_ms, row.total_calls))
        .collect();
    assert_eq!(
        seen,
        [
            (782.5952606443741, 30),
            (807.0563693672389, 30),
            (733.826533406925, 30),
            (724.6873225954114, 30),
            (632.2389538562418, 30),
            (764.0162264202058, 30),
            (104355.42884074595, 1353),
            (5761.015684362348, 887),
            (13220.687583197872, 925),
            (9256.967953213043, 857),
            (3959.8710008862927, 1437),
            (21086.31834497463, 932)
        ]
    );
}

#[test]
fn bad_values_are_refused_by_name() {
    fn refusal(change: impl FnOnce(&mut OccParams)) -> String {
        let mut params = params(
            &[10],
            Duration::from_millis(10),
            Duration::from_millis(2),
            millis(BackoffConfig::Immediate),
        );
        change(&mut params);
        params.build().unwrap_err().to_string()
    }
    assert_eq!(
        refusal(|it| it.clients.clear()),
        "clients = []: must be a list of at least one number"
    );
    assert_eq!(
        refusal(|it| it.clients.push(0)),
        "clients = 0: must be in [1, 100000]"
    );
    assert_eq!(
        refusal(|it| it.clients.push(100_001)),
        "clients = 100001: must be in [1, 100000]"
    );
    assert_eq!(
        refusal(|it| it.clients.push(10)),
        "clients = 10: must be given once"
    );
    assert_eq!(
        refusal(|it| it.repetitions = 0),
        "repetitions = 0: must be at least 1"
    );
    let longer = OccConfig::MAX_DELAY + Duration::from_nanos(1);
    assert_eq!(
        refusal(|it| it.network_mean = longer),
        "network.mean = 86400.000000001s: must be at most 86400s"
    );
    assert_eq!(
        refusal(|it| it.network_sd = longer),
        "network.sd = 86400.000000001s: must be at most 86400s"
    );
    assert_eq!(
        refusal(|it| it.strategies.clear()),
        "strategy = []: must be a list of at least one strategy"
    );
    assert_eq!(
        refusal(|it| it.strategies.push(it.strategies[0].clone())),
        "strategy.name = it: must be given once"
    );
    let seconds = BackoffConfig::Immediate.build().unwrap();
    assert_eq!(
        refusal(|it| it.strategies[0].backoff = seconds),
        "strategy.backoff = it: must be built in milliseconds"
    );
}
