//! What can't be a chain, and in which words it is refused.

use backoff_core::budget::Ratio;
use layers_sim::{ChainConfig, EdgeConfig, MAX_SERVICES, Own, Rule, ServiceConfig};
use sim_kernel::Pcg64;

fn chain(services: usize, attempts: u32) -> ChainConfig {
    ChainConfig {
        services: vec![ServiceConfig::default(); services],
        edges: vec![
            EdgeConfig {
                attempts,
                budget: None
            };
            services.saturating_sub(1)
        ],
        rule: Rule::Ownership,
    }
}

fn message(config: ChainConfig) -> String {
    config.build().unwrap_err().to_string()
}

#[test]
fn impossible_chains_are_refused_by_name() {
    for services in [0, 1, MAX_SERVICES + 1] {
        assert_eq!(
            message(chain(services, 2)),
            format!("chain: services = {services}: must be in [2, 32]")
        );
    }
    let mut config = chain(4, 2);
    config.edges.pop();
    assert_eq!(
        message(config),
        "chain: edges = 2: must be 3, one fewer than the services"
    );
    for attempts in [0, 1001, u32::MAX] {
        assert_eq!(
            message(chain(3, attempts)),
            format!("edge 0: attempts = {attempts}: must be in [1, 1000]")
        );
    }
}

#[test]
fn impossible_probabilities_are_refused_by_name() {
    let with = |service: ServiceConfig| {
        let mut config = chain(3, 2);
        config.services[1] = service;
        message(config)
    };
    for value in [-0.1, 1.1, f64::NAN, f64::INFINITY] {
        let service = ServiceConfig::default();
        assert_eq!(
            with(ServiceConfig {
                context_loss: value,
                ..service
            }),
            format!("service 1: context_loss = {value}: must be in [0, 1]")
        );
        let random = |success, correlation| Own::Random {
            success,
            correlation,
        };
        assert_eq!(
            with(ServiceConfig {
                own: random(value, 0.0),
                ..service
            }),
            format!("service 1: success = {value}: must be in [0, 1]")
        );
        assert_eq!(
            with(ServiceConfig {
                own: random(0.5, value),
                ..service
            }),
            format!("service 1: correlation = {value}: must be in [0, 1]")
        );
    }
    assert_eq!(
        with(ServiceConfig {
            aware: false,
            context_loss: 0.5,
            own: Own::Succeeds
        }),
        "service 1: context_loss = 0.5: must be 0 in an unaware service, which has no context to lose"
    );
}

#[test]
fn absurd_work_is_refused_before_it_begins() {
    let mut stream = Pcg64::for_unit("absurd", 0);
    for (config, requests, calls) in [
        (chain(2, 1), 0, "0"),
        (chain(2, 1), 500_000_001, "1000000002"),
        (chain(11, 10), 1, "11111111111"),
        (chain(MAX_SERVICES, 1000), u64::MAX, "18446744073709551615"),
    ] {
        let error = config
            .build()
            .unwrap()
            .run(requests, &mut stream)
            .unwrap_err();
        assert_eq!(
            error.to_string(),
            format!(
                "chain: requests = {requests}: must be at least 1, and few enough for at most 1000000000 calls if all fail (these may come to {calls})"
            )
        );
    }
}

#[test]
fn a_budget_bounds_the_work_too() {
    let mut config = chain(11, 1000);
    for edge in &mut config.edges {
        edge.budget = Some(Ratio::TENTH);
    }
    config.services[10].own = Own::Fails;
    let outcome = config
        .build()
        .unwrap()
        .run(1000, &mut Pcg64::for_unit("budget", 0));
    assert_eq!(outcome.unwrap().calls[0], 1000);
}

#[test]
fn the_longest_chain_is_walked() {
    let outcome = chain(MAX_SERVICES, 1)
        .build()
        .unwrap()
        .run(1000, &mut Pcg64::for_unit("long", 0));
    assert_eq!(outcome.unwrap().calls, [1000; MAX_SERVICES]);
}
