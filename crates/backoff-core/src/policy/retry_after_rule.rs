//! What a policy makes of the wait that a server asked for.

use core::time::Duration;

use super::config::TimeLimit;
use super::decision::StopReason;
use crate::retry_after::Reading;

/// What is done about `Retry-After`. A readable one goes before the backoff; this says when it doesn't.
///
/// The default reads leniently, stops when asked for more than 15 minutes, and retries at once after a date that has passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct RetryAfterRule {
    /// How closely a value must follow the grammar.
    pub reading: Reading,
    /// The greatest wait that is taken as asked for; that much itself is still taken.
    pub limit: TimeLimit,
    /// What is done about a wait above the limit.
    pub above: AboveLimit,
    /// What is done about a date that isn't in the future.
    pub past_date: PastDate,
}

/// What is done about a `Retry-After` above the limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum AboveLimit {
    /// It is obeyed all the same.
    Obey,
    /// The limit is waited instead: sooner than the server wants.
    Cap,
    /// No retry, with [`StopReason::RetryAfterAboveLimit`].
    #[default]
    GiveUp,
}

/// What is done about a `Retry-After` date that isn't in the future.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum PastDate {
    /// The time to come back has come: no wait.
    #[default]
    Zero,
    /// It counts as unreadable (the clocks may disagree): the backoff's wait.
    Backoff,
}

impl Default for RetryAfterRule {
    fn default() -> Self {
        Self {
            reading: Reading::default(),
            limit: TimeLimit::Within(Duration::from_secs(15 * 60)),
            above: AboveLimit::default(),
            past_date: PastDate::default(),
        }
    }
}

/// A readable `Retry-After`.
#[derive(Debug, Clone, Copy)]
pub(super) enum Hint {
    Wait(Duration),
    Past,
}

impl RetryAfterRule {
    /// The wait that counts, or `None` for the backoff's.
    pub(super) fn judge(&self, hint: Hint) -> Result<Option<Duration>, StopReason> {
        let asked = match (hint, self.past_date) {
            (Hint::Wait(asked), _) => asked,
            (Hint::Past, PastDate::Zero) => Duration::ZERO,
            (Hint::Past, PastDate::Backoff) => return Ok(None),
        };
        match (self.limit, self.above) {
            (TimeLimit::Within(limit), AboveLimit::Cap) => Ok(Some(asked.min(limit))),
            (TimeLimit::Within(limit), AboveLimit::GiveUp) if asked > limit => {
                Err(StopReason::RetryAfterAboveLimit { asked, limit })
            }
            _ => Ok(Some(asked)),
        }
    }
}

/// A wait, by who asked for it.
#[derive(Debug, Clone, Copy)]
pub(super) enum Asked {
    Backoff {
        wait: Duration,
        /// In the backoff's unit, unrounded.
        exact: f64,
    },
    RetryAfter(Duration),
    Pushback(Duration),
}

impl Asked {
    pub(super) fn wait(self) -> Duration {
        let (Self::Backoff { wait, .. } | Self::RetryAfter(wait) | Self::Pushback(wait)) = self;
        wait
    }

    /// The reason for a stop when the wait ends past a deadline that is `left` away.
    pub(super) fn past_deadline(self, left: Duration) -> StopReason {
        match self {
            Self::Backoff { wait, .. } => StopReason::Deadline { wait, left },
            Self::RetryAfter(asked) => StopReason::RetryAfterPastDeadline { asked, left },
            Self::Pushback(asked) => StopReason::PushbackPastDeadline { asked, left },
        }
    }
}
