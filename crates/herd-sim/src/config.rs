//! What a herd is made from, checked once.

use core::time::Duration;

use backoff_core::ConfigError;
use sim_kernel::{CrashParams, CrashRule, Server, whole_ticks};

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
            crash: self
                .crash
                .rule(self.tick)
                .map_err(|error| refused(error.field, error.duration, error.allowed))?,
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

#[cfg(test)]
mod tests {
    use super::*;

    fn message(change: impl FnOnce(&mut HerdParams)) -> String {
        let mut params = HerdParams::published(1000);
        change(&mut params);
        params.build().expect_err("refused").to_string()
    }

    #[test]
    fn the_published_herd_in_ticks() {
        let config = HerdParams::published(1000).build().expect("valid");
        assert_eq!((config.clients(), config.horizon()), (1000, 12_000));
        let mut server = config.server();
        assert_eq!(server.down_until(), 100);
        for _ in 0..100 {
            server.serve(0);
        }
        assert_eq!([7, 4, 89].map(|n| server.serve(n)), [5, 4, 5]);
        assert_eq!(server.crashes(), 0);
        assert_eq!(server.serve(1), 0);
        assert_eq!((server.crashes(), server.down_until()), (1, 203));
    }

    #[test]
    fn the_server_grows_with_the_herd() {
        let scaled = |clients| {
            let params = HerdParams::published(clients);
            (params.capacity_per_tick, params.crash.limit)
        };
        assert_eq!(scaled(1000), (5, 100));
        assert_eq!(scaled(1_000_000), (5000, 100_000));
        assert_eq!(scaled(1), (1, 1));
        assert_eq!(scaled(u64::MAX).0, 92_233_720_368_547_758);
    }

    #[test]
    fn zeros_are_refused_by_name() {
        assert_eq!(
            message(|p| p.clients = 0),
            "clients = 0: must be at least 1"
        );
        assert_eq!(
            message(|p| p.capacity_per_tick = 0),
            "capacity_per_tick = 0: must be at least 1"
        );
        assert_eq!(
            message(|p| p.tick = Duration::ZERO),
            "tick = 0ns: must be longer than 0"
        );
        assert_eq!(
            message(|p| p.crash.window = Duration::ZERO),
            "crash.window = 0ns: must be from 1 to 2000000 ticks of 10ms"
        );
        assert_eq!(
            message(|p| p.give_up_at = Duration::ZERO),
            "give_up_at = 0ns: must be longer than 0"
        );
    }

    #[test]
    fn what_may_be_zero_is_accepted() {
        let mut params = HerdParams::published(1000);
        params.spread = Duration::ZERO;
        params.down_until = Duration::ZERO;
        params.crash.limit = 0;
        params.crash.restart = Duration::ZERO;
        assert!(params.build().is_ok());
    }

    #[test]
    fn times_between_two_ticks_are_refused_by_name() {
        let odd = Duration::from_millis(1005);
        let rule = "1.005s: must be a whole number of ticks of 10ms";
        assert_eq!(
            message(|p| p.down_until = odd),
            format!("down_until = {rule}")
        );
        assert_eq!(
            message(|p| p.crash.window = odd),
            format!("crash.window = {rule}")
        );
        assert_eq!(
            message(|p| p.crash.restart = odd),
            format!("crash.restart = {rule}")
        );
        assert_eq!(
            message(|p| p.give_up_at = odd),
            format!("give_up_at = {rule}")
        );
        let mut params = HerdParams::published(1000);
        params.spread = odd;
        assert!(params.build().is_ok());
    }

    #[test]
    fn the_end_is_at_most_so_many_ticks_away() {
        let at = |ticks: u64| Duration::from_millis(10 * ticks);
        let mut params = HerdParams::published(1000);
        params.give_up_at = at(HerdConfig::MAX_TICKS);
        assert_eq!(
            params.build().map(|config| config.horizon()),
            Ok(HerdConfig::MAX_TICKS)
        );
        assert_eq!(
            message(|p| p.give_up_at = at(HerdConfig::MAX_TICKS + 1)),
            "give_up_at = 1000000.01s: must be at most 100000000 ticks of 10ms"
        );
        let forever = message(|p| {
            p.tick = Duration::from_nanos(1);
            p.give_up_at = Duration::MAX;
        });
        assert!(
            forever.contains("must be at most 100000000 ticks of 1ns"),
            "{forever}"
        );
    }
}
