//! A call chain, checked once.

use std::fmt;

use backoff_core::budget::Ratio;
use backoff_core::ownership::Service;
use backoff_core::policy::{Policy, PolicyConfig};
use backoff_core::{BackoffConfig, ConfigError};

/// The most services in a chain; the walk is as deep as the chain is long.
pub const MAX_SERVICES: usize = 32;

/// The most attempts on an edge.
pub const MAX_ATTEMPTS: u32 = 1000;

/// The most calls that a run may come to if every attempt fails and every retry that attempts and budgets allow is sent: seconds of work.
pub const MAX_CALLS: u64 = 1_000_000_000;

/// Who may retry, apart from attempts and budgets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Rule {
    /// Every caller retries every error: no service knows marks.
    Everyone,
    /// Error ownership: a failing service claims its error, a caller retries what is claimed and passes it on unclaimed.
    Ownership,
    /// The older remedy: a failing service says that it is overloaded; its direct caller may retry and then says "don't retry".
    DontRetry,
}

/// How a service's own work ends, once its calls to others have succeeded.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Own {
    /// It always succeeds.
    Succeeds,
    /// It always fails.
    Fails,
    /// It succeeds with probability `success`. Of the calls made to it, a share `correlation` have attempts that all end alike; the attempts of
    /// the others are independent.
    Random {
        /// In [0, 1].
        success: f64,
        /// In [0, 1].
        correlation: f64,
    },
}

/// A service of a chain, not yet checked.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ServiceConfig {
    /// Whether it reads and sends marks. Without meaning under [`Rule::Everyone`].
    pub aware: bool,
    /// The probability with which it loses the context of a request that it fails to serve, in [0, 1]; 0 if it is unaware.
    pub context_loss: f64,
    /// How its own work ends.
    pub own: Own,
}

impl Default for ServiceConfig {
    /// Aware, never loses a context, always succeeds.
    fn default() -> Self {
        Self {
            aware: true,
            context_loss: 0.0,
            own: Own::Succeeds,
        }
    }
}

/// The calls from a service to the next, not yet checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EdgeConfig {
    /// The most attempts of a call, in [1, [`MAX_ATTEMPTS`]]; 1 means that no retry is configured here.
    pub attempts: u32,
    /// The share of the first sends on this edge that may be sent again; none for no budget.
    pub budget: Option<Ratio>,
}

/// A call chain, not yet checked.
#[derive(Debug, Clone, PartialEq)]
pub struct ChainConfig {
    /// The services, from the one that gets the requests to the last; 2 to [`MAX_SERVICES`].
    pub services: Vec<ServiceConfig>,
    /// The edges between them, from the first service down; one fewer than the services.
    pub edges: Vec<EdgeConfig>,
    /// Who may retry.
    pub rule: Rule,
}

/// A checked call chain.
#[derive(Debug, Clone, PartialEq)]
pub struct Chain {
    pub(crate) services: Vec<ServiceConfig>,
    pub(crate) edges: Vec<Edge>,
    pub(crate) rule: Rule,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Edge {
    /// Its attempts; retries follow at once, as nothing here takes time.
    pub(crate) policy: Policy,
    /// The retries for each first send; without a budget, as many as the attempts allow anyway.
    pub(crate) retries: Ratio,
}

/// Which part of a chain was wrong; services and edges are counted from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// The chain as a whole.
    Chain,
    /// A service.
    Service(usize),
    /// The edge from the service of this number to the next.
    Edge(usize),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Chain => write!(f, "chain"),
            Self::Service(number) => write!(f, "service {number}"),
            Self::Edge(number) => write!(f, "edge {number}"),
        }
    }
}

/// Why a chain was refused: the place, the field, its value, and what is allowed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {field} = {value}: must be {allowed}")]
pub struct ChainError {
    /// Where.
    pub place: Place,
    /// The field's name.
    pub field: &'static str,
    /// The value that was given.
    pub value: String,
    /// What is allowed.
    pub allowed: String,
}

impl ChainConfig {
    /// The checked chain.
    ///
    /// # Errors
    /// Fewer than 2 or more than [`MAX_SERVICES`] services, edges that aren't one fewer, attempts or probabilities out of range, context loss in
    /// an unaware service.
    pub fn build(self) -> Result<Chain, ChainError> {
        let services = self.services.len();
        require(
            Place::Chain,
            "services",
            (2..=MAX_SERVICES).contains(&services),
            &services,
            || format!("in [2, {MAX_SERVICES}]"),
        )?;
        require(
            Place::Chain,
            "edges",
            self.edges.len() == services - 1,
            &self.edges.len(),
            || format!("{}, one fewer than the services", services - 1),
        )?;
        for (number, service) in self.services.iter().enumerate() {
            service.check(Place::Service(number))?;
        }
        let edges = self
            .edges
            .iter()
            .enumerate()
            .map(|(number, edge)| edge.checked(Place::Edge(number)))
            .collect::<Result<_, _>>()?;
        Ok(Chain {
            services: self.services,
            edges,
            rule: self.rule,
        })
    }
}

impl EdgeConfig {
    fn checked(self, place: Place) -> Result<Edge, ChainError> {
        require(
            place,
            "attempts",
            (1..=MAX_ATTEMPTS).contains(&self.attempts),
            &self.attempts,
            || format!("in [1, {MAX_ATTEMPTS}]"),
        )?;
        let within = |error: ConfigError| ChainError {
            place,
            field: error.field,
            value: error.value,
            allowed: error.allowed,
        };
        let retries = match self.budget {
            Some(ratio) => ratio,
            None => Ratio::new("attempts", self.attempts - 1, 1).map_err(within)?,
        };
        let policy = PolicyConfig::new(self.attempts, BackoffConfig::Immediate).build();
        Ok(Edge {
            policy: policy.map_err(|error| within(error.into()))?,
            retries,
        })
    }
}

impl ServiceConfig {
    fn check(&self, place: Place) -> Result<(), ChainError> {
        let probability = |field, value: f64| {
            let inside = (0.0..=1.0).contains(&value);
            require(place, field, inside, &value, || "in [0, 1]".into())
        };
        probability("context_loss", self.context_loss)?;
        let lossless = self.aware || self.context_loss == 0.0;
        require(place, "context_loss", lossless, &self.context_loss, || {
            "0 in an unaware service, which has no context to lose".into()
        })?;
        if let Own::Random {
            success,
            correlation,
        } = self.own
        {
            probability("success", success)?;
            probability("correlation", correlation)?;
        }
        Ok(())
    }
}

impl Chain {
    /// The number of services.
    #[must_use]
    pub fn len(&self) -> usize {
        self.services.len()
    }

    /// Never: a chain has at least 2 services.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The service as ownership sees it, as long as it keeps its contexts.
    pub(crate) fn service(&self, number: usize) -> Service {
        if self.services[number].aware && self.rule != Rule::Everyone {
            Service::Aware
        } else {
            Service::Unaware
        }
    }

    /// The most calls, the requests themselves included, that so many requests can come to: if all that may be sent is sent.
    #[must_use]
    pub fn most_calls(&self, requests: u64) -> u64 {
        let (mut reaching, mut calls) = (requests, requests);
        for edge in &self.edges {
            reaching = edge.most_sends(reaching);
            calls = calls.saturating_add(reaching);
        }
        calls
    }

    /// Whether `requests` are between 1 and as many as can be sure not to exceed [`MAX_CALLS`]: all that [`Chain::run`] can refuse.
    ///
    /// # Errors
    /// Otherwise, with the most calls that they could come to.
    pub fn check_requests(&self, requests: u64) -> Result<(), ChainError> {
        let calls = self.most_calls(requests);
        let possible = requests > 0 && calls <= MAX_CALLS;
        require(Place::Chain, "requests", possible, &requests, || {
            format!(
                "at least 1, and few enough for at most {MAX_CALLS} calls if all fail (these may come to {calls})"
            )
        })
    }
}

impl Edge {
    /// The most sends that `calls` calls can lead to.
    fn most_sends(&self, calls: u64) -> u64 {
        let attempts = calls.saturating_mul(u64::from(self.policy.max_attempts()));
        attempts.min(calls.saturating_add(self.retries.of(calls)))
    }
}

fn require(
    place: Place,
    field: &'static str,
    holds: bool,
    value: &dyn fmt::Display,
    allowed: impl FnOnce() -> String,
) -> Result<(), ChainError> {
    if holds {
        return Ok(());
    }
    Err(ChainError {
        place,
        field,
        value: value.to_string(),
        allowed: allowed(),
    })
}
