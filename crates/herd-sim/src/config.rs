//! What a herd is made from, checked once.

use core::time::Duration;

use backoff_core::ConfigError;
use sim_kernel::{CrashRule, Server, whole_ticks};

/// The numbers of a herd experiment, not yet checked. Each field is named as a scenario file spells it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HerdParams {
    /// How many clients send one request each: at least 1.
    pub clients: u64,
    /// The first sends are uniform in [0, `spread`); 0 for all at once.
    pub spread: Duration,
    /// The step of simulated time: above 0, and every other duration but `spread` must be a whole number of it.
    pub tick: Duration,
    /// How many requests the server can serve in one tick: at least 1.
    pub capacity_per_tick: u64,
    /// The server is down at the start, for this long.
    pub down_until: Duration,
    /// When arrivals crash it.
    pub crash: CrashParams,
    /// The simulation ends after this long: above 0, at most [`HerdConfig::MAX_TICKS`] ticks.
    pub give_up_at: Duration,
}

/// When arrivals crash the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CrashParams {
    /// The time over which arrivals are counted together, the present tick included: above 0.
    pub window: Duration,
    /// The server crashes when more than this many arrived within the window.
    pub limit: u64,
    /// How long a crashed server is down, the tick of the crash included.
    pub restart: Duration,
}

impl HerdParams {
    /// The published experiment with any number of clients, the server's capacity and crash limit growing with them: 5 a tick and
    /// 100 per 1,000 clients, each at least 1.
    #[must_use]
    pub fn published(clients: u64) -> Self {
        let per_thousand =
            |share: u64| (u128::from(clients) * u128::from(share) / 1000).max(1) as u64;
        Self {
            clients,
            spread: Duration::ZERO,
            tick: Duration::from_millis(10),
            capacity_per_tick: per_thousand(5),
            down_until: Duration::from_secs(1),
            crash: CrashParams {
                window: Duration::from_millis(100),
                limit: per_thousand(100),
                restart: Duration::from_secs(1),
            },
            give_up_at: Duration::from_secs(120),
        }
    }

    /// The checked configuration.
    ///
    /// # Errors
    /// A zero where none is allowed; a duration that is not a whole number of ticks; more ticks than [`HerdConfig::MAX_TICKS`].
    pub fn build(self) -> Result<HerdConfig, ConfigError> {
        at_least_one("clients", self.clients)?;
        at_least_one("capacity_per_tick", self.capacity_per_tick)?;
        longer_than_zero("tick", self.tick)?;
        longer_than_zero("crash.window", self.crash.window)?;
        longer_than_zero("give_up_at", self.give_up_at)?;
        let ticks = |field, duration| {
            whole_ticks(duration, self.tick).map_err(|_| {
                refused(
                    field,
                    duration,
                    format!("a whole number of ticks of {:?}", self.tick),
                )
            })
        };
        let horizon = ticks("give_up_at", self.give_up_at)?;
        if horizon > HerdConfig::MAX_TICKS {
            let allowed = format!("at most {} ticks of {:?}", HerdConfig::MAX_TICKS, self.tick);
            return Err(refused("give_up_at", self.give_up_at, allowed));
        }
        Ok(HerdConfig {
            clients: self.clients,
            spread: self.spread,
            tick: self.tick,
            capacity_per_tick: self.capacity_per_tick,
            down_until: ticks("down_until", self.down_until)?,
            crash: CrashRule {
                window: ticks("crash.window", self.crash.window)?,
                limit: self.crash.limit,
                restart: ticks("crash.restart", self.crash.restart)?,
            },
            horizon,
        })
    }
}

/// A checked herd experiment, its durations in ticks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HerdConfig {
    clients: u64,
    spread: Duration,
    tick: Duration,
    capacity_per_tick: u64,
    down_until: u64,
    crash: CrashRule,
    horizon: u64,
}

impl HerdConfig {
    /// The greatest number of ticks until the simulation ends: eleven days of 10 ms.
    pub const MAX_TICKS: u64 = 100_000_000;

    /// The number of clients, at least 1.
    #[must_use]
    pub fn clients(&self) -> u64 {
        self.clients
    }

    /// The time over which the first sends are spread.
    #[must_use]
    pub fn spread(&self) -> Duration {
        self.spread
    }

    /// The step of simulated time.
    #[must_use]
    pub fn tick(&self) -> Duration {
        self.tick
    }

    /// The tick at which the simulation ends: ticks 0, 1, …, `horizon` - 1 take place. At least 1.
    #[must_use]
    pub fn horizon(&self) -> u64 {
        self.horizon
    }

    /// The server at tick 0.
    #[must_use]
    pub fn server(&self) -> Server {
        Server::new(self.capacity_per_tick, self.crash, self.down_until)
    }
}

fn at_least_one(field: &'static str, value: u64) -> Result<(), ConfigError> {
    if value == 0 {
        return Err(ConfigError {
            field,
            value: value.to_string(),
            allowed: "at least 1".into(),
        });
    }
    Ok(())
}

fn longer_than_zero(field: &'static str, duration: Duration) -> Result<(), ConfigError> {
    if duration.is_zero() {
        return Err(refused(field, duration, "longer than 0".into()));
    }
    Ok(())
}

fn refused(field: &'static str, duration: Duration, allowed: String) -> ConfigError {
    ConfigError {
        field,
        value: format!("{duration:?}"),
        allowed,
    }
}
