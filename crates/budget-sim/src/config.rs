//! What the experiment is made from, checked once.

use core::time::Duration;

use backoff_core::ConfigError;
use sim_kernel::{CrashParams, CrashRule, Outage, Server, whole_ticks};

/// The numbers of the experiment, not yet checked. Each field is named as a scenario file spells it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BudgetSimParams {
    /// The step of simulated time: above 0, at most 1 s; every other duration must be a whole number of it.
    pub tick: Duration,
    /// How many clients there are, each with a budget and a breaker of its own: from 1 to [`BudgetSimConfig::MAX_CLIENTS`].
    pub clients: u64,
    /// The new requests a second of one client, on average: above 0; at most
    /// [`BudgetSimConfig::MAX_REQUESTS`] of all clients over the whole run.
    pub rate_per_client: f64,
    /// How many requests the server can serve in one tick: at least 1.
    pub capacity_per_tick: u64,
    /// When the server fails everything; `None` for never.
    pub outage: Option<OutageParams>,
    /// When arrivals crash the server, outside the outage.
    pub crash: CrashParams,
    /// The simulation ends after this long: above 0, at most [`BudgetSimConfig::MAX_TICKS`] ticks.
    pub ends_at: Duration,
    /// The client, counted from 0, whose tokens are recorded; `None` for none.
    pub trace_client: Option<u64>,
}

/// The time in which every request fails: `from ≤ t < until`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutageParams {
    /// Its start.
    pub from: Duration,
    /// Its end: after its start, at most `ends_at`.
    pub until: Duration,
}

impl BudgetSimParams {
    /// The published experiment: 10 clients at 30/s, the herd's server, an outage from 5 s to 15 s, 40 s in all.
    #[must_use]
    pub fn published() -> Self {
        Self {
            tick: Duration::from_millis(10),
            clients: 10,
            rate_per_client: 30.0,
            capacity_per_tick: 5,
            outage: Some(OutageParams {
                from: Duration::from_secs(5),
                until: Duration::from_secs(15),
            }),
            crash: CrashParams {
                window: Duration::from_millis(100),
                limit: 100,
                restart: Duration::from_secs(1),
            },
            ends_at: Duration::from_secs(40),
            trace_client: None,
        }
    }

    /// The checked configuration.
    ///
    /// # Errors
    /// A number outside its range, a duration that is not a whole number of ticks, an outage that ends before it starts or after the run.
    pub fn build(self) -> Result<BudgetSimConfig, ConfigError> {
        if self.tick.is_zero() || self.tick > Duration::from_secs(1) {
            return Err(refused("tick", self.tick, "above 0s, at most 1s"));
        }
        if !(1..=BudgetSimConfig::MAX_CLIENTS).contains(&self.clients) {
            return Err(ConfigError {
                field: "clients",
                value: self.clients.to_string(),
                allowed: format!("from 1 to {}", BudgetSimConfig::MAX_CLIENTS),
            });
        }
        if self.capacity_per_tick == 0 {
            return Err(ConfigError {
                field: "capacity_per_tick",
                value: "0".into(),
                allowed: "at least 1".into(),
            });
        }
        let horizon = self.horizon()?;
        let expected = self.clients as f64 * self.rate_per_client * self.ends_at.as_secs_f64();
        // Written so that NaN is refused.
        if !(self.rate_per_client > 0.0 && expected <= BudgetSimConfig::MAX_REQUESTS as f64) {
            return Err(ConfigError {
                field: "rate_per_client",
                value: self.rate_per_client.to_string(),
                allowed: format!(
                    "above 0, with at most {} requests of all clients until ends_at",
                    BudgetSimConfig::MAX_REQUESTS
                ),
            });
        }
        if let Some(client) = self.trace_client.filter(|&client| client >= self.clients) {
            return Err(ConfigError {
                field: "trace_client",
                value: client.to_string(),
                allowed: format!("below clients = {}", self.clients),
            });
        }
        Ok(BudgetSimConfig {
            tick: self.tick,
            clients: self.clients as u32,
            rate_per_client: self.rate_per_client,
            capacity_per_tick: self.capacity_per_tick,
            outage: self.outage.map(|outage| self.outage(outage)).transpose()?,
            crash: self
                .crash
                .rule(self.tick)
                .map_err(|error| refused(error.field, error.duration, &error.allowed))?,
            horizon,
            trace_client: self.trace_client.map(|client| client as u32),
        })
    }

    fn horizon(&self) -> Result<u64, ConfigError> {
        let horizon = self.ticks("ends_at", self.ends_at)?;
        if !(1..=BudgetSimConfig::MAX_TICKS).contains(&horizon) {
            let allowed = format!(
                "from 1 to {} ticks of {:?}",
                BudgetSimConfig::MAX_TICKS,
                self.tick
            );
            return Err(refused("ends_at", self.ends_at, &allowed));
        }
        Ok(horizon)
    }

    fn outage(&self, outage: OutageParams) -> Result<Outage, ConfigError> {
        if outage.until <= outage.from || outage.until > self.ends_at {
            let allowed = format!(
                "after outage.from = {:?}, at most ends_at = {:?}",
                outage.from, self.ends_at
            );
            return Err(refused("outage.until", outage.until, &allowed));
        }
        Ok(Outage {
            from: self.ticks("outage.from", outage.from)?,
            until: self.ticks("outage.until", outage.until)?,
        })
    }

    fn ticks(&self, field: &'static str, duration: Duration) -> Result<u64, ConfigError> {
        whole_ticks(duration, self.tick).map_err(|_| {
            let allowed = format!("a whole number of ticks of {:?}", self.tick);
            refused(field, duration, &allowed)
        })
    }
}

/// The checked experiment, its durations in ticks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BudgetSimConfig {
    tick: Duration,
    clients: u32,
    rate_per_client: f64,
    capacity_per_tick: u64,
    outage: Option<Outage>,
    crash: CrashRule,
    horizon: u64,
    trace_client: Option<u32>,
}

impl BudgetSimConfig {
    /// The greatest number of ticks until the simulation ends: five and a half hours of 10 ms.
    pub const MAX_TICKS: u64 = 2_000_000;
    /// The greatest number of clients.
    pub const MAX_CLIENTS: u64 = 10_000;
    /// The greatest expected number of new requests in one run.
    pub const MAX_REQUESTS: u64 = 5_000_000;

    /// The step of simulated time.
    #[must_use]
    pub fn tick(&self) -> Duration {
        self.tick
    }

    /// The number of clients.
    #[must_use]
    pub fn clients(&self) -> u32 {
        self.clients
    }

    /// The new requests a second of one client, on average.
    #[must_use]
    pub fn rate_per_client(&self) -> f64 {
        self.rate_per_client
    }

    /// The ticks in which everything fails.
    #[must_use]
    pub fn outage(&self) -> Option<Outage> {
        self.outage
    }

    /// When arrivals crash the server.
    #[must_use]
    pub fn crash(&self) -> CrashRule {
        self.crash
    }

    /// The tick at which the simulation ends: ticks 0, 1, …, `horizon` − 1 take place.
    #[must_use]
    pub fn horizon(&self) -> u64 {
        self.horizon
    }

    /// The client whose tokens are recorded.
    #[must_use]
    pub fn trace_client(&self) -> Option<u32> {
        self.trace_client
    }

    /// The second, counted from 0, in which a tick begins.
    #[must_use]
    pub fn second_of(&self, tick: u64) -> u64 {
        (u128::from(tick) * self.tick.as_nanos() / 1_000_000_000) as u64
    }

    /// The server at tick 0.
    #[must_use]
    pub fn server(&self) -> Server {
        let server = Server::new(self.capacity_per_tick, self.crash, 0);
        match self.outage {
            Some(outage) => server.with_outage(outage),
            None => server,
        }
    }
}

fn refused(field: &'static str, duration: Duration, allowed: &str) -> ConfigError {
    ConfigError {
        field,
        value: format!("{duration:?}"),
        allowed: allowed.into(),
    }
}
