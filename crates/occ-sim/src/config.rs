//! What a table of contests is made from, checked once.

use core::time::Duration;
use std::collections::BTreeSet;

use backoff_core::{Backoff, ConfigError, Unit};

use crate::contest::Network;

/// The numbers of a contention experiment, not yet checked. Each field is named as a scenario file spells it.
#[derive(Debug, Clone, PartialEq)]
pub struct OccParams {
    /// How many clients race, one group of rows for each number: from 1 to [`OccConfig::MAX_CLIENTS`], each number once.
    pub clients: Vec<u32>,
    /// Over how many contests a row's means are taken: at least 1.
    pub repetitions: u32,
    /// Every message takes |N(mean, sd)|; this is the mean, at most [`OccConfig::MAX_DELAY`].
    pub network_mean: Duration,
    /// The standard deviation of that normal distribution, at most [`OccConfig::MAX_DELAY`].
    pub network_sd: Duration,
    /// What the clients do when they are refused, one row for each: at least one, with distinct names.
    pub strategies: Vec<Strategy>,
}

/// A backoff with the name under which its rows are listed.
#[derive(Debug, Clone, PartialEq)]
pub struct Strategy {
    /// The name.
    pub name: String,
    /// The backoff, computing in [`Unit::Millis`] as the published table was computed.
    ///
    /// Of a wait above 10^12 ms (some 30 years), 10^12 ms are waited, so that no time overflows.
    pub backoff: Backoff,
}

impl OccParams {
    /// The checked configuration.
    ///
    /// # Errors
    /// An empty list; a number of clients of 0, above [`OccConfig::MAX_CLIENTS`] or given twice; no repetitions; a delay above
    /// [`OccConfig::MAX_DELAY`]; a name given twice; a backoff that computes in another unit than milliseconds.
    pub fn build(self) -> Result<OccConfig, ConfigError> {
        check_clients(&self.clients)?;
        if self.repetitions == 0 {
            return Err(refused("repetitions", &self.repetitions, "at least 1"));
        }
        for (field, delay) in [
            ("network.mean", self.network_mean),
            ("network.sd", self.network_sd),
        ] {
            if delay > OccConfig::MAX_DELAY {
                let allowed = format!("at most {:?}", OccConfig::MAX_DELAY);
                return Err(refused(field, &format!("{delay:?}"), allowed));
            }
        }
        check_strategies(&self.strategies)?;
        Ok(OccConfig {
            clients: self.clients,
            repetitions: self.repetitions,
            network: Network {
                mean_ms: Unit::Millis.of(self.network_mean),
                sd_ms: Unit::Millis.of(self.network_sd),
            },
            strategies: self.strategies,
        })
    }
}

fn check_clients(clients: &[u32]) -> Result<(), ConfigError> {
    if clients.is_empty() {
        return Err(refused("clients", "[]", "a list of at least one number"));
    }
    let mut seen = BTreeSet::new();
    for &number in clients {
        if !(1..=OccConfig::MAX_CLIENTS).contains(&number) {
            let allowed = format!("in [1, {}]", OccConfig::MAX_CLIENTS);
            return Err(refused("clients", &number, allowed));
        }
        if !seen.insert(number) {
            return Err(refused("clients", &number, "given once"));
        }
    }
    Ok(())
}

fn check_strategies(strategies: &[Strategy]) -> Result<(), ConfigError> {
    if strategies.is_empty() {
        return Err(refused("strategy", "[]", "a list of at least one strategy"));
    }
    let mut seen = BTreeSet::new();
    for Strategy { name, backoff } in strategies {
        if !seen.insert(name) {
            return Err(refused("strategy.name", name, "given once"));
        }
        if backoff.unit() != Unit::Millis {
            return Err(refused("strategy.backoff", name, "built in milliseconds"));
        }
    }
    Ok(())
}

fn refused(
    field: &'static str,
    value: &(impl ToString + ?Sized),
    allowed: impl Into<String>,
) -> ConfigError {
    ConfigError {
        field,
        value: value.to_string(),
        allowed: allowed.into(),
    }
}

/// A checked contention experiment.
#[derive(Debug, Clone, PartialEq)]
pub struct OccConfig {
    clients: Vec<u32>,
    repetitions: u32,
    network: Network,
    strategies: Vec<Strategy>,
}

impl OccConfig {
    /// The greatest number of clients; as many may take their square's half in writes.
    pub const MAX_CLIENTS: u32 = 100_000;

    /// The greatest mean and standard deviation of a message's delay: a day.
    pub const MAX_DELAY: Duration = Duration::from_secs(86_400);

    /// The numbers of clients, in the order of the rows.
    #[must_use]
    pub fn clients(&self) -> &[u32] {
        &self.clients
    }

    /// The contests behind each row, at least 1.
    #[must_use]
    pub fn repetitions(&self) -> u32 {
        self.repetitions
    }

    /// How long a message takes.
    #[must_use]
    pub(crate) fn network(&self) -> Network {
        self.network
    }

    /// The strategies, in the order of the rows.
    #[must_use]
    pub fn strategies(&self) -> &[Strategy] {
        &self.strategies
    }
}
