//! When arrivals crash the server.

use core::time::Duration;

use crate::ticks::whole_ticks;

/// When arrivals crash the server, and for how long, in ticks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CrashRule {
    /// The number of ticks whose arrivals count together, the present one included; 0 counts as 1.
    pub window: u64,
    /// The server crashes when more requests than this arrived within the window.
    pub limit: u64,
    /// The number of ticks for which it is then down, the present one included.
    pub restart: u64,
}

/// A [`CrashRule`] in time, not yet checked. Each field is named as a scenario file spells it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CrashParams {
    /// The time over which arrivals are counted together, the present tick included: above 0, at most
    /// [`CrashParams::MAX_WINDOW_TICKS`] ticks.
    pub window: Duration,
    /// The server crashes when more than this many arrived within the window.
    pub limit: u64,
    /// How long a crashed server is down, the tick of the crash included.
    pub restart: Duration,
}

impl CrashParams {
    /// The greatest window in ticks: the server keeps 8 bytes for each.
    pub const MAX_WINDOW_TICKS: u64 = 2_000_000;

    /// The rule in ticks of `tick`.
    ///
    /// # Errors
    /// [`CrashError`]: a window outside its range; a window or a restart that is not a whole number of ticks.
    pub fn rule(self, tick: Duration) -> Result<CrashRule, CrashError> {
        let ticks = |field, duration| {
            whole_ticks(duration, tick).map_err(|_| CrashError {
                field,
                duration,
                allowed: format!("a whole number of ticks of {tick:?}"),
            })
        };
        let window = ticks("crash.window", self.window)?;
        if !(1..=Self::MAX_WINDOW_TICKS).contains(&window) {
            return Err(CrashError {
                field: "crash.window",
                duration: self.window,
                allowed: format!("from 1 to {} ticks of {tick:?}", Self::MAX_WINDOW_TICKS),
            });
        }
        Ok(CrashRule {
            window,
            limit: self.limit,
            restart: ticks("crash.restart", self.restart)?,
        })
    }
}

/// Why a [`CrashParams`] was refused: the field, its value, and what is allowed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{field} = {duration:?}: must be {allowed}")]
pub struct CrashError {
    /// The field's name, as a configuration file spells it.
    pub field: &'static str,
    /// The value that was given.
    pub duration: Duration,
    /// What is allowed.
    pub allowed: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    const TICK: Duration = Duration::from_millis(10);

    fn rule(window: Duration, restart: Duration) -> Result<CrashRule, String> {
        let params = CrashParams {
            window,
            limit: 7,
            restart,
        };
        params.rule(TICK).map_err(|error| error.to_string())
    }

    #[test]
    fn in_ticks() {
        assert_eq!(
            rule(TICK, Duration::ZERO),
            Ok(CrashRule {
                window: 1,
                limit: 7,
                restart: 0
            })
        );
        let longest = TICK * CrashParams::MAX_WINDOW_TICKS as u32;
        assert_eq!(rule(longest, TICK).map(|rule| rule.window), Ok(2_000_000));
    }

    #[test]
    fn what_is_no_rule_is_refused_by_name() {
        let longest = TICK * CrashParams::MAX_WINDOW_TICKS as u32;
        let between = TICK / 2;
        for (window, restart, message) in [
            (
                Duration::ZERO,
                TICK,
                "crash.window = 0ns: must be from 1 to 2000000 ticks of 10ms",
            ),
            (
                longest + TICK,
                TICK,
                "crash.window = 20000.01s: must be from 1 to 2000000 ticks of 10ms",
            ),
            (
                between,
                TICK,
                "crash.window = 5ms: must be a whole number of ticks of 10ms",
            ),
            (
                TICK,
                between,
                "crash.restart = 5ms: must be a whole number of ticks of 10ms",
            ),
        ] {
            assert_eq!(rule(window, restart), Err(message.into()));
        }
        // Ever so long a window overflows nothing.
        assert!(rule(Duration::MAX, TICK).is_err());
    }
}
