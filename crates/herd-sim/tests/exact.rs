//! The exact engine against a plain transcription of the published rules, and at the edges of what may be configured.

use std::collections::BTreeMap;
use std::time::Duration;

use backoff_core::{Backoff, BackoffConfig, Growth, Unit};
use herd_sim::{CrashParams, HerdParams, HerdRun, Record, exact};
use proptest::prelude::*;
use sim_kernel::{CPython, Pcg64, Stream};

/// The rules in the order in which they are published, client by client, with nothing shared with the engine but the draws, the waits and
/// the parameters.
fn transcription<S: Stream>(params: &HerdParams, backoff: &Backoff, stream: &mut S) -> HerdRun {
    let ticks = |duration: Duration| (duration.as_nanos() / params.tick.as_nanos()) as u64;
    let seconds_per_tick = params.tick.as_secs_f64();
    let mut due: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
    let mut failures = vec![0; params.clients as usize];
    let mut previous = vec![backoff.first_previous(); params.clients as usize];
    for client in 0..params.clients as usize {
        let first = stream.uniform(0.0, params.spread.as_secs_f64()) / seconds_per_tick;
        due.entry(first as u64).or_default().push(client);
    }
    let mut down_until = ticks(params.down_until);
    let mut crashes = 0;
    let mut arrivals: Vec<u64> = Vec::new();
    let mut succeeded = 0;
    let mut finish_ticks = None;
    for t in 0..ticks(params.give_up_at) {
        let batch = due.remove(&t).unwrap_or_default();
        arrivals.push(batch.len() as u64);
        let window = ticks(params.crash.window).min(t + 1) as usize;
        let recent: u64 = arrivals.iter().rev().take(window).sum();
        if t >= down_until && recent > params.crash.limit {
            down_until = t + ticks(params.crash.restart);
            crashes += 1;
        }
        let mut succeed = Vec::new();
        if t >= down_until {
            let capacity = params.capacity_per_tick.min(batch.len() as u64);
            stream.sample(batch.len() as u32, capacity as u32, &mut succeed);
        }
        succeeded += succeed.len() as u64;
        for (position, &client) in batch.iter().enumerate() {
            if succeed.contains(&(position as u32)) {
                continue;
            }
            failures[client] += 1;
            let unit = if backoff.draws() { stream.unit() } else { 0.0 };
            let wait = backoff.wait(failures[client], previous[client], unit);
            previous[client] = wait;
            let wait_s = match backoff.unit() {
                Unit::Seconds => wait / seconds_per_tick,
                Unit::Millis => wait / (seconds_per_tick * 1e3),
            };
            let wait = wait_s.round_ties_even() as u64;
            due.entry((t + 1).saturating_add(wait))
                .or_default()
                .push(client);
        }
        if succeeded == params.clients {
            finish_ticks = Some(t + 1);
            break;
        }
    }
    let waiting: usize = due.values().map(Vec::len).sum();
    assert_eq!(
        waiting as u64 + succeeded,
        params.clients,
        "the transcription lost a client"
    );
    HerdRun {
        finish_ticks,
        requests: arrivals.iter().sum(),
        crashes,
        unfinished_clients: params.clients - succeeded,
        arrivals,
    }
}

fn backoff() -> impl Strategy<Value = BackoffConfig> {
    let growth = (0_u64..500, 0_u64..3000, 1.0..3.0_f64, 0_u32..3).prop_map(
        |(base, above, multiplier, exponent_from)| Growth {
            base: Duration::from_millis(base),
            cap: Duration::from_millis(base + above),
            // 1 and just above it: waits that never grow, and waits that grow for more than 255 failures.
            multiplier: match multiplier {
                m if m < 1.2 => 1.0,
                m if m < 1.4 => 1.005,
                m => m,
            },
            exponent_from,
        },
    );
    (0..7, growth, 0.0..=1.0_f64).prop_map(|(kind, growth, factor)| match kind {
        0 => BackoffConfig::Immediate,
        1 => BackoffConfig::Fixed { wait: growth.cap },
        2 => BackoffConfig::Exponential(growth),
        3 => BackoffConfig::FullJitter(growth),
        4 => BackoffConfig::EqualJitter(growth),
        5 => BackoffConfig::Decorrelated {
            base: growth.base,
            cap: growth.cap,
        },
        _ => BackoffConfig::Proportional { growth, factor },
    })
}

fn herd() -> impl Strategy<Value = HerdParams> {
    let sizes = (1_u64..300, 1_u64..20, 0_u64..200);
    let tick_ms = prop_oneof![Just(10_u64), Just(1), Just(250)];
    // In ticks: the spread (in hundredths), the start, the window, the restart, the end.
    let times = (0_u64..5000, 0_u64..80, 1_u64..60, 0_u64..60, 1_u64..400);
    (sizes, tick_ms, times).prop_map(
        |((clients, capacity_per_tick, limit), tick_ms, (spread, down, window, restart, end))| {
            let tick = Duration::from_millis(tick_ms);
            let ticks = |n: u64| tick * n as u32;
            HerdParams {
                clients,
                spread: ticks(spread) / 100,
                tick,
                capacity_per_tick,
                down_until: ticks(down),
                crash: CrashParams {
                    window: ticks(window),
                    limit,
                    restart: ticks(restart),
                },
                give_up_at: ticks(end),
            }
        },
    )
}

fn agrees<S: Stream>(
    params: &HerdParams,
    backoff: &Backoff,
    mut stream: S,
    mut twin: S,
) -> Result<(), TestCaseError> {
    let config = params.build().expect("valid parameters");
    let run = exact::run(&config, backoff, &mut stream, Record::Arrivals).expect("few clients");
    prop_assert_eq!(run.arrivals.iter().sum::<u64>(), run.requests);
    prop_assert_eq!(run.finish_ticks.is_some(), run.unfinished_clients == 0);
    prop_assert_eq!(run, transcription(params, backoff, &mut twin));
    // Not a draw more or less.
    prop_assert_eq!(stream.bits(), twin.bits());
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn replays_the_published_rules(params in herd(), config in backoff(), millis: bool, seed: u64) {
        let unit = if millis { Unit::Millis } else { Unit::Seconds };
        let backoff = config.build_in(unit).expect("valid strategies");
        agrees(&params, &backoff, CPython::new(seed), CPython::new(seed))?;
        let pcg64 = || Pcg64::for_unit("herd", seed);
        agrees(&params, &backoff, pcg64(), pcg64())?;
    }
}

fn full_jitter() -> Backoff {
    let growth = Growth {
        base: Duration::from_millis(100),
        cap: Duration::from_secs(10),
        multiplier: 2.0,
        exponent_from: 1,
    };
    BackoffConfig::FullJitter(growth).build().expect("valid")
}

fn run(params: HerdParams, backoff: &Backoff) -> HerdRun {
    let config = params.build().expect("valid parameters");
    let mut stream = Pcg64::for_unit("edge", 0);
    exact::run(&config, backoff, &mut stream, Record::Totals).expect("not too many clients")
}

/// Changing one of these is a change of every `pcg64` result, and needs an entry of its own in the changelog.
#[test]
fn the_outcomes_under_pcg64_never_change() {
    let growth = Growth {
        base: Duration::from_millis(100),
        cap: Duration::from_secs(10),
        multiplier: 2.0,
        exponent_from: 1,
    };
    let params = HerdParams {
        spread: Duration::from_millis(900),
        ..HerdParams::published(1000)
    };
    let outcome = |config: BackoffConfig| {
        let run = run(params, &config.build().expect("valid"));
        (run.finish_ticks, run.requests, run.crashes)
    };
    let second = Duration::from_secs(1);
    let (base, cap) = (growth.base, growth.cap);
    assert_eq!(outcome(BackoffConfig::Immediate), (None, 11956377, 119));
    assert_eq!(
        outcome(BackoffConfig::Fixed { wait: second }),
        (Some(1702), 11705, 12)
    );
    assert_eq!(
        outcome(BackoffConfig::Exponential(growth)),
        (None, 11659, 14)
    );
    assert_eq!(
        outcome(BackoffConfig::FullJitter(growth)),
        (Some(1145), 5808, 1)
    );
    assert_eq!(
        outcome(BackoffConfig::EqualJitter(growth)),
        (Some(1207), 5738, 2)
    );
    assert_eq!(
        outcome(BackoffConfig::Decorrelated { base, cap }),
        (Some(1281), 7998, 3)
    );
    let factor = 0.2;
    assert_eq!(
        outcome(BackoffConfig::Proportional { growth, factor }),
        (Some(1490), 5906, 3)
    );
}

#[test]
fn a_server_that_is_up_and_large_enough_ends_it_in_one_tick() {
    let params = HerdParams {
        capacity_per_tick: u64::MAX,
        down_until: Duration::ZERO,
        crash: CrashParams {
            limit: 1000,
            ..HerdParams::published(1000).crash
        },
        ..HerdParams::published(1000)
    };
    let run = run(params, &full_jitter());
    assert_eq!(
        (run.finish_ticks, run.requests, run.crashes),
        (Some(1), 1000, 0)
    );
    assert!(run.arrivals.is_empty());
}

#[test]
fn a_tick_longer_than_every_wait_retries_in_the_next_one() {
    let minute = Duration::from_secs(60);
    let params = HerdParams {
        tick: minute,
        capacity_per_tick: 10,
        down_until: minute * 2,
        crash: CrashParams {
            window: minute,
            limit: 100,
            restart: minute,
        },
        give_up_at: minute * 100,
        ..HerdParams::published(100)
    };
    let run = run(params, &full_jitter());
    // Two ticks down, then ten of a hundred succeed in each: 100 + 100 + (100 + 90 + … + 10).
    assert_eq!(
        (run.finish_ticks, run.requests, run.crashes),
        (Some(12), 750, 0)
    );
}

#[test]
fn giving_up_before_the_server_is_up_leaves_all_waiting() {
    let params = HerdParams {
        give_up_at: Duration::from_millis(500),
        ..HerdParams::published(1000)
    };
    let run = run(params, &full_jitter());
    assert_eq!(
        (run.finish_ticks, run.unfinished_clients, run.crashes),
        (None, 1000, 0)
    );
}

#[test]
fn first_sends_after_the_end_are_never_sent() {
    let params = HerdParams {
        spread: Duration::from_secs(1 << 40),
        give_up_at: Duration::from_millis(10),
        ..HerdParams::published(1000)
    };
    let run = run(params, &full_jitter());
    assert_eq!((run.requests, run.unfinished_clients), (0, 1000));
}

#[test]
fn a_window_longer_than_the_run_counts_every_arrival() {
    let params = HerdParams {
        down_until: Duration::ZERO,
        crash: CrashParams {
            window: Duration::from_secs(20_000),
            limit: 1000,
            restart: Duration::from_millis(10),
        },
        ..HerdParams::published(1000)
    };
    let run = run(params, &full_jitter());
    // The first retries pass the limit, and the window never forgets: it crashes at every tick from there on.
    assert_eq!((run.finish_ticks, run.unfinished_clients), (None, 995));
    assert_eq!(run.crashes, 12_000 - 1);
}

#[test]
fn ten_million_clients_are_all_accounted_for() {
    let params = HerdParams {
        give_up_at: Duration::from_millis(1020),
        ..HerdParams::published(10_000_000)
    };
    let fixed = BackoffConfig::Fixed {
        wait: Duration::from_secs(1),
    };
    let run = run(params, &fixed.build().expect("valid"));
    // All at once at t = 0, again a second and a tick later, and crashed.
    assert_eq!((run.requests, run.crashes), (20_000_000, 1));
    assert_eq!(run.unfinished_clients, 10_000_000);
}

#[test]
fn more_clients_than_fit_are_refused() {
    let config = HerdParams::published(exact::MAX_CLIENTS + 1)
        .build()
        .expect("valid for the cohort engine");
    let refused = exact::run(
        &config,
        &full_jitter(),
        &mut CPython::new(0),
        Record::Totals,
    )
    .unwrap_err();
    assert_eq!(refused.clients, exact::MAX_CLIENTS + 1);
    assert!(refused.to_string().contains("at most 268435456"));
}
