//! Every published number about layers, from simulated calls; the formulas are the oracles.

use backoff_core::budget::Ratio;
use layers_sim::{ChainConfig, EdgeConfig, Outcome, Own, Rule, ServiceConfig, wilson_95};
use proptest::prelude::*;
use sim_kernel::Pcg64;

const N: u64 = 10_000;

const UNLIMITED: EdgeConfig = EdgeConfig {
    attempts: 2,
    budget: None,
};

const TENTH: EdgeConfig = EdgeConfig {
    attempts: 2,
    budget: Some(Ratio::TENTH),
};

const NO_RETRY: EdgeConfig = EdgeConfig {
    attempts: 1,
    budget: None,
};

/// A chain whose last service always fails.
fn failing(rule: Rule, edges: &[EdgeConfig]) -> ChainConfig {
    let mut services = vec![ServiceConfig::default(); edges.len() + 1];
    services[edges.len()].own = Own::Fails;
    ChainConfig {
        services,
        edges: edges.to_vec(),
        rule,
    }
}

fn run(config: ChainConfig, requests: u64) -> Outcome {
    let mut stream = Pcg64::for_unit("published", 0);
    config.build().unwrap().run(requests, &mut stream).unwrap()
}

fn loads(config: ChainConfig) -> Vec<u64> {
    let outcome = run(config, N);
    assert_eq!(outcome.successes, 0);
    outcome.calls
}

#[test]
fn retries_multiply() {
    for (attempts, layers, calls) in [
        (3, 3, vec![1, 3, 9, 27]),
        (4, 3, vec![1, 4, 16, 64]),
        (3, 5, vec![1, 3, 9, 27, 81, 243]),
        (2, 3, vec![1, 2, 4, 8]),
    ] {
        let edge = EdgeConfig {
            attempts,
            budget: None,
        };
        let outcome = run(failing(Rule::Everyone, &vec![edge; layers]), 1);
        assert_eq!(outcome.calls, calls);
        let retries: Vec<u64> = calls.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert_eq!(outcome.retries, retries);
    }
}

#[test]
fn unlimited_retries_of_n_requests() {
    let config = failing(Rule::Everyone, &[UNLIMITED; 3]);
    assert_eq!(loads(config), [N, 2 * N, 4 * N, 8 * N]);
}

#[test]
fn budgets_on_every_edge_grow_by_a_tenth_each() {
    let config = failing(Rule::Everyone, &[TENTH; 3]);
    assert_eq!(loads(config), [10_000, 11_000, 12_100, 13_310]);
}

#[test]
fn a_budget_on_the_last_edge_alone() {
    let config = failing(Rule::Everyone, &[NO_RETRY, NO_RETRY, TENTH]);
    assert_eq!(loads(config), [N, N, N, 11_000]);
}

#[test]
fn budgets_alone_over_four_to_nine_edges() {
    for (edges, percent) in [(4, 46.4), (9, 135.8)] {
        let calls = loads(failing(Rule::Everyone, &vec![TENTH; edges]));
        let more = (calls[edges] as f64 / N as f64 - 1.0) * 100.0;
        assert!((more - percent).abs() < 0.5, "{edges}: {more}");
    }
}

#[test]
fn only_the_owner_retries() {
    let config = failing(Rule::Ownership, &[TENTH; 3]);
    assert_eq!(loads(config), [N, N, N, 11_000]);
    let unlimited = failing(Rule::Ownership, &[UNLIMITED; 3]);
    assert_eq!(loads(unlimited), [N, N, N, 2 * N]);
}

#[test]
fn an_unaware_service_moves_the_retry_one_edge_and_no_further() {
    let mut config = failing(Rule::Ownership, &[TENTH; 3]);
    config.services[2].aware = false;
    assert_eq!(loads(config), [N, N, 11_000, 12_100]);
}

#[test]
fn a_lost_context_moves_the_retry_one_edge_and_no_further() {
    let mut config = failing(Rule::Ownership, &[TENTH; 3]);
    config.services[2].context_loss = 1.0;
    assert_eq!(loads(config), [N, N, 11_000, 12_100]);
}

#[test]
fn a_context_lost_now_and_then_costs_in_proportion() {
    let mut config = failing(Rule::Ownership, &[UNLIMITED; 3]);
    config.services[2].context_loss = 0.3;
    let calls = loads(config);
    assert_eq!((calls[0], calls[1]), (N, N));
    // C is called again for each request whose context it lost the first time.
    let again = calls[2] - N;
    assert!(wilson_95(again, N).contains(0.3), "{again}");
    assert_eq!(calls[3], 2 * calls[2]);
}

#[test]
fn an_edge_without_a_retry_hands_the_opportunity_up() {
    let opportunity = failing(Rule::Ownership, &[TENTH, TENTH, NO_RETRY]);
    assert_eq!(loads(opportunity), [N, N, 11_000, 11_000]);
    let further = failing(Rule::Ownership, &[TENTH, NO_RETRY, NO_RETRY]);
    assert_eq!(loads(further), [N, 11_000, 11_000, 11_000]);
    let none = failing(Rule::Ownership, &[NO_RETRY; 3]);
    assert_eq!(loads(none), [N; 4]);
}

#[test]
fn a_used_up_budget_counts_as_a_chance() {
    let nothing = EdgeConfig {
        attempts: 2,
        budget: Some(Ratio::new("ratio", 0, 1).unwrap()),
    };
    let config = failing(Rule::Ownership, &[TENTH, TENTH, nothing]);
    assert_eq!(loads(config), [N; 4]);
}

#[test]
fn dont_retry_has_the_loads_of_ownership_for_a_refusing_service() {
    let config = failing(Rule::DontRetry, &[TENTH; 3]);
    assert_eq!(loads(config), [N, N, N, 11_000]);
}

#[test]
fn a_service_in_the_middle_owns_its_own_error() {
    let mut config = failing(Rule::Ownership, &[UNLIMITED; 3]);
    config.services[2].own = Own::Fails;
    config.services[3].own = Own::Succeeds;
    let outcome = run(config, N);
    // B retries C; each call to C reaches D, which succeeds.
    assert_eq!(outcome.calls, [N, N, 2 * N, 2 * N]);
    assert_eq!(outcome.retries, [0, N, 0]);
}

/// One caller, one flaky service, one retry.
fn availability(correlation: f64, requests: u64) -> Outcome {
    let mut config = failing(Rule::Everyone, &[UNLIMITED]);
    config.services[1].own = Own::Random {
        success: 0.9,
        correlation,
    };
    run(config, requests)
}

#[test]
fn one_retry_makes_two_nines_of_one() {
    let outcome = availability(0.0, 100_000);
    assert!(wilson_95(outcome.successes, outcome.requests).contains(0.99));
}

#[test]
fn correlation_takes_the_second_nine_back() {
    for tenths in 0..=10 {
        let correlation = f64::from(tenths) / 10.0;
        let outcome = availability(correlation, 100_000);
        let simulated = outcome.successes as f64 / outcome.requests as f64;
        let expected = 0.99 - 0.09 * correlation;
        let error = (expected * (1.0 - expected) / 100_000.0).sqrt();
        assert!(
            (simulated - expected).abs() < 4.0 * error,
            "{correlation}: {simulated}"
        );
    }
}

fn edges() -> impl Strategy<Value = Vec<EdgeConfig>> {
    let budget =
        prop::option::of((0..30u32).prop_map(|tenths| Ratio::new("ratio", tenths, 10).unwrap()));
    let edge = (1..4u32, budget).prop_map(|(attempts, budget)| EdgeConfig { attempts, budget });
    prop::collection::vec(edge, 1..6)
}

fn services(number: usize) -> impl Strategy<Value = Vec<ServiceConfig>> {
    let own = prop_oneof![
        3 => Just(Own::Succeeds),
        1 => Just(Own::Fails),
        2 => (0.0..=1.0f64, 0.0..=1.0f64).prop_map(|(success, correlation)| Own::Random { success, correlation }),
    ];
    let service =
        (any::<bool>(), 0.0..=1.0f64, own).prop_map(|(aware, context_loss, own)| ServiceConfig {
            aware,
            context_loss: if aware { context_loss } else { 0.0 },
            own,
        });
    prop::collection::vec(service, number)
}

fn rules() -> impl Strategy<Value = Rule> {
    prop_oneof![
        Just(Rule::Everyone),
        Just(Rule::Ownership),
        Just(Rule::DontRetry)
    ]
}

fn chains() -> impl Strategy<Value = ChainConfig> {
    (edges(), rules()).prop_flat_map(|(edges, rule)| {
        services(edges.len() + 1).prop_map(move |services| ChainConfig {
            services,
            edges: edges.clone(),
            rule,
        })
    })
}

proptest! {
    #[test]
    fn no_edge_exceeds_its_attempts_or_its_budget(config in chains(), requests in 1..60u64, seed: u64) {
        let chain = config.clone().build().unwrap();
        let outcome = chain.run(requests, &mut Pcg64::for_unit("any", seed)).unwrap();
        prop_assert_eq!(outcome.calls[0], requests);
        prop_assert!(outcome.successes <= requests);
        for (number, edge) in config.edges.iter().enumerate() {
            // A service calls on once for each call that it gets, and again for each retry.
            let first = outcome.calls[number];
            let retries = outcome.retries[number];
            prop_assert_eq!(outcome.calls[number + 1], first + retries);
            prop_assert!(retries <= first * u64::from(edge.attempts - 1));
            if let Some(ratio) = edge.budget {
                prop_assert!(retries <= ratio.of(first));
            }
        }
    }

    #[test]
    fn ownership_never_sends_more_than_everyone(edges in edges(), requests in 1..60u64) {
        let owned = run(failing(Rule::Ownership, &edges), requests);
        let everyone = run(failing(Rule::Everyone, &edges), requests);
        for (owned, everyone) in owned.calls.iter().zip(&everyone.calls) {
            prop_assert!(owned <= everyone);
        }
        // Only one edge retries, the lowest that is configured.
        prop_assert!(owned.retries.iter().filter(|retries| **retries > 0).count() <= 1);
    }

    #[test]
    fn the_same_seed_gives_the_same_run(config in chains(), seed: u64) {
        let chain = config.build().unwrap();
        let run = || chain.run(20, &mut Pcg64::for_unit("same", seed)).unwrap();
        prop_assert_eq!(run(), run());
    }
}
