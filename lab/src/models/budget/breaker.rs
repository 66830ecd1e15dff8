//! `breaker = { … }` of a policy.

use std::time::Duration;

use backoff_core::breaker::{BreakerConfig, CallWindow};
use backoff_core::budget::Ratio;
use budget_sim::BreakerPlace;
use serde::Deserialize;
use toml::Spanned;

use super::policies::check_window;
use crate::scenario::value::DAY;
use crate::scenario::{Positive, Problem, Time, Whole};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BreakerTable {
    window: Option<Spanned<Time<1, DAY>>>,
    calls: Option<Spanned<Whole<1, 65_536>>>,
    failure_rate: Spanned<Positive<1>>,
    minimum_calls: Spanned<Whole<1, 65_536>>,
    open_for: Time<0, DAY>,
    half_open_permits: Whole<1, 65_536>,
    half_open_limit: Option<Time<1, DAY>>,
    place: PlaceKey,
}

#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "kebab-case")]
enum PlaceKey {
    EachAttempt,
    EachAttemptRefusalsRetried,
    WholeRequest,
}

impl BreakerTable {
    /// The checked configuration, its window cut into ticks. `itself` is the table in the text.
    pub(super) fn config(
        &self,
        itself: &Spanned<Self>,
        tick: Duration,
        clients: u64,
    ) -> Result<(BreakerConfig, BreakerPlace), Problem> {
        let window = match (&self.window, &self.calls) {
            (Some(window), None) => {
                let span = window.get_ref().get();
                check_window(span, tick, clients, 65_536)
                    .map_err(|message| Problem::at(window, message))?;
                CallWindow::Time {
                    span,
                    resolution: tick,
                }
            }
            (None, Some(calls)) => CallWindow::Calls(calls.get_ref().small()),
            (Some(_), Some(calls)) => {
                let message = "a breaker has a `window` or a number of `calls`, not both";
                return Err(Problem::at(calls, message));
            }
            (None, None) => {
                let message = "missing key `window` (a time) or `calls` (a number of calls)";
                return Err(Problem::at(itself, message));
            }
        };
        let rate = self.failure_rate.get_ref().get();
        let config = BreakerConfig {
            window,
            failure_rate: Ratio::from_decimal("failure_rate", rate)
                .map_err(|error| Problem::at(&self.failure_rate, refusal(&error)))?,
            minimum_calls: self.minimum_calls.get_ref().small(),
            open_for: self.open_for.get(),
            half_open_permits: self.half_open_permits.small(),
            half_open_limit: self
                .half_open_limit
                .map_or(BreakerConfig::default().half_open_limit, Time::get),
        };
        // Whatever types and the checks above leave is about the minimum.
        config
            .build()
            .map_err(|error| Problem::at(&self.minimum_calls, refusal(&error)))?;
        let place = match self.place {
            PlaceKey::EachAttempt => BreakerPlace::EachAttempt,
            PlaceKey::EachAttemptRefusalsRetried => BreakerPlace::EachAttemptRefusalsRetried,
            PlaceKey::WholeRequest => BreakerPlace::WholeRequest,
        };
        Ok((config, place))
    }
}

fn refusal(error: &backoff_core::ConfigError) -> String {
    format!("{}: must be {}", error.value, error.allowed)
}
