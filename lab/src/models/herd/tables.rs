//! The experiment's tables in a scenario file.

use backoff_core::ConfigError;
use herd_sim::{CrashParams, HerdParams};
use serde::Deserialize;
use toml::Spanned;

use crate::scenario::value::{DAY, HOUR};
use crate::scenario::{Name, Problem, StrategyTable, Time, Whole};

/// The most ticks of a run, and of each time in it: the recorded arrivals then take 16 MB.
const MAX_TICKS: u128 = 2_000_000;

const YEAR: u64 = 365 * DAY;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Tables {
    pub(super) herd: HerdTable,
    pub(super) strategy: Spanned<Vec<StrategyTable>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct HerdTable {
    pub(super) clients: Spanned<Whole<1, 1_000_000_000_000>>,
    spread: Spanned<Time<0, YEAR>>,
    pub(super) tick: Spanned<Time<1, HOUR>>,
    capacity_per_tick: Whole<1, 1_000_000_000_000>,
    down_until: Spanned<Time<0, YEAR>>,
    crash: CrashTable,
    give_up_at: Spanned<Time<1, YEAR>>,
    pub(super) draw: Option<Spanned<Vec<Spanned<Name>>>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CrashTable {
    window: Spanned<Time<1, YEAR>>,
    limit: Whole<0, 1_000_000_000_000>,
    restart: Spanned<Time<0, YEAR>>,
}

impl HerdTable {
    /// The parameters, not yet checked together.
    pub(super) fn params(&self) -> Result<HerdParams, Problem> {
        let tick = self.tick.get_ref().get();
        let times = [
            (&self.spread.get_ref().get(), self.spread.span()),
            (&self.down_until.get_ref().get(), self.down_until.span()),
            (&self.crash.window.get_ref().get(), self.crash.window.span()),
            (
                &self.crash.restart.get_ref().get(),
                self.crash.restart.span(),
            ),
            (&self.give_up_at.get_ref().get(), self.give_up_at.span()),
        ];
        for (time, span) in times {
            if time.as_nanos() > MAX_TICKS * tick.as_nanos() {
                let message = format!("{time:?}: must be at most {MAX_TICKS} ticks of {tick:?}");
                return Err(Problem::at(&Spanned::new(span, ()), message));
            }
        }
        Ok(HerdParams {
            clients: self.clients.get_ref().get(),
            spread: self.spread.get_ref().get(),
            tick,
            capacity_per_tick: self.capacity_per_tick.get(),
            down_until: self.down_until.get_ref().get(),
            crash: CrashParams {
                window: self.crash.window.get_ref().get(),
                limit: self.crash.limit.get(),
                restart: self.crash.restart.get_ref().get(),
            },
            give_up_at: self.give_up_at.get_ref().get(),
        })
    }

    /// The problem at the key that the simulator refused.
    pub(super) fn place(&self, error: &ConfigError) -> Problem {
        let span = match error.field {
            "down_until" => self.down_until.span(),
            "crash.window" => self.crash.window.span(),
            "crash.restart" => self.crash.restart.span(),
            "give_up_at" => self.give_up_at.span(),
            _ => self.tick.span(),
        };
        let message = format!("{}: must be {}", error.value, error.allowed);
        Problem::at(&Spanned::new(span, ()), message)
    }
}
