//! How long a request can take until its final failure.

use core::time::Duration;

use super::{Policy, TimeLimit};
use crate::backoff::Backoff;
use crate::classify::Pace;

/// The time from the first send of a request to its final failure, if nothing but failures of one pace happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TotalTime {
    /// No request ends sooner, and one can end as near to it as you like.
    pub least: Duration,
    /// The mean; `None` for a policy with a deadline, whose end depends on the waits drawn.
    pub mean: Option<Duration>,
    /// No request ends later, if every attempt keeps to [`Policy::attempt_timeout`]; unlimited if nothing bounds an attempt.
    pub greatest: TimeLimit,
}

impl Policy {
    /// The least, mean and greatest total time until the policy stops, waits and attempts included.
    ///
    /// It is for a request whose every attempt fails with a retryable failure of this pace that has no limit of its class, and
    /// whose server asks for no wait of its own. One whose failures change from one pace to the other can take longer than either total, unless the
    /// deadline ends it. An attempt takes anything from no time to its timeout, `attempt_mean` on average (a greater
    /// one counts as the timeout).
    ///
    /// Exact but for the rounding of `f64`, and of waits to nanoseconds; no loop over the attempts.
    ///
    /// ```
    /// use backoff_core::classify::Pace;
    /// use backoff_core::policy::{PolicyConfig, TimeLimit};
    /// use backoff_core::{BackoffConfig, Growth};
    /// use core::time::Duration;
    ///
    /// let s = Duration::from_secs;
    /// let config = PolicyConfig {
    ///     attempt_timeout: TimeLimit::Within(s(30)),
    ///     ..PolicyConfig::new(3, BackoffConfig::FullJitter(Growth::doubling(s(1), s(30))))
    /// };
    /// // Three timeouts and waits in [0, 1) and [0, 2) seconds: more than 90 s in the worst case.
    /// let total = config.clone().build()?.total_time(Pace::Transient, s(30));
    /// assert_eq!(total.least, s(0));
    /// assert_eq!(total.mean, Some(Duration::from_millis(91_500)));
    /// assert_eq!(total.greatest, TimeLimit::Within(s(93)));
    ///
    /// // A deadline of a minute bounds it.
    /// let config = PolicyConfig { deadline: TimeLimit::Within(s(60)), ..config };
    /// let total = config.build()?.total_time(Pace::Transient, s(30));
    /// assert_eq!(total.greatest, TimeLimit::Within(s(60)));
    /// # Ok::<(), backoff_core::policy::PolicyError>(())
    /// ```
    #[must_use]
    pub fn total_time(&self, pace: Pace, attempt_mean: Duration) -> TotalTime {
        let backoff = self.backoff(pace);
        let attempts = self.max_attempts;
        let timeout = seconds(self.attempt_timeout);
        let (least_waits, greatest_waits) = backoff.total_bounds(attempts - 1);
        let sends = f64::from(attempts);
        match self.deadline {
            TimeLimit::Unlimited => {
                let mean = backoff.total_mean(attempts - 1)
                    + sends * attempt_mean.as_secs_f64().min(timeout);
                TotalTime {
                    least: duration(least_waits),
                    mean: Some(duration(mean)),
                    greatest: limit(greatest_waits + sends * timeout),
                }
            }
            TimeLimit::Within(deadline) => {
                let cut = Cut {
                    backoff,
                    attempts,
                    timeout,
                    deadline: deadline.as_secs_f64(),
                };
                TotalTime {
                    least: duration(cut.least()).min(deadline),
                    mean: None,
                    greatest: TimeLimit::Within(duration(cut.greatest()).min(deadline)),
                }
            }
        }
    }
}

/// A policy that a deadline cuts short, in seconds.
///
/// Attempts take any time from 0 to their timeout and waits any in their interval, so the times at which failure k can happen are an
/// interval too: from the least waits before it ([`Cut::earliest`]) to the greatest, with k timeouts, or the deadline.
struct Cut<'a> {
    backoff: &'a Backoff,
    attempts: u32,
    timeout: f64,
    deadline: f64,
}

impl Cut<'_> {
    /// When failure `failure` can happen at the soonest.
    fn earliest(&self, failure: u32) -> f64 {
        self.backoff.total_bounds(failure - 1).0
    }

    /// When failure `failure` can happen at the latest, if it is reached.
    fn latest(&self, failure: u32) -> f64 {
        let waits = self.backoff.total_bounds(failure - 1).1;
        self.deadline.min(waits + f64::from(failure) * self.timeout)
    }

    fn greatest(&self) -> f64 {
        let out_of_reach = |failure: u32| past(self.earliest(failure), self.deadline);
        let reached = match first_that(2, self.attempts, out_of_reach) {
            Some(failure) => failure - 1,
            None if self.attempts > 1 && out_of_reach(self.attempts) => self.attempts - 1,
            None => self.attempts,
        };
        self.latest(reached)
    }

    /// The soonest end: with every attempt used, or at the failure after which a wait can first be too long.
    fn least(&self) -> f64 {
        let all_used = self.earliest(self.attempts);
        let can_stop = |failure: u32| {
            let latest = self.latest(failure);
            !past(self.deadline, latest)
                || past(latest + self.backoff.bounds(failure).1, self.deadline)
        };
        let Some(first) = first_that(1, self.attempts, can_stop) else {
            return all_used;
        };
        // At first a later failure means a longer next wait, so a sooner stop. Once the waits before a failure decide when it can
        // stop, an earlier failure is better. The best is on either side of that turn.
        let turned = |failure: u32| {
            if self.backoff.remembers() {
                self.backoff.total_bounds(failure).1 >= self.deadline
            } else {
                self.earliest(failure) >= self.deadline - self.backoff.bounds(failure).1
            }
        };
        let turn = first_that(first, self.attempts, turned).unwrap_or(self.attempts - 1);
        let before = turn.saturating_sub(1).max(first);
        all_used.min(self.stop_at(turn)).min(self.stop_at(before))
    }

    /// The soonest time of this failure from which the next wait can end past the deadline.
    fn stop_at(&self, failure: u32) -> f64 {
        let earliest = self.earliest(failure);
        let (shortest, longest) = self.backoff.bounds(failure);
        if !self.backoff.remembers() {
            return earliest.max(self.deadline - longest);
        }
        // A long wait needs long ones before it: the longest that still leaves the deadline unbroken until then.
        let fits = |wait: f64| self.waits_before(failure, wait) + wait <= self.deadline;
        if fits(longest) {
            return self.deadline - longest;
        }
        let (mut low, mut high) = (shortest, longest);
        loop {
            let middle = low + (high - low) / 2.0;
            if middle <= low || middle >= high {
                break;
            }
            if fits(middle) {
                low = middle;
            } else {
                high = middle;
            }
        }
        earliest.max(self.deadline - low)
    }

    /// The least sum of the decorrelated waits before failure `failure`, if the one after it is to be `wait`.
    fn waits_before(&self, failure: u32, wait: f64) -> f64 {
        let base = self.backoff.bounds(1).0;
        let (mut sum, mut before) = (0.0, wait / 3.0);
        for left in (0..failure - 1).rev() {
            if before <= base {
                return sum + f64::from(left + 1) * base;
            }
            sum += before;
            before /= 3.0;
        }
        sum
    }
}

/// The first number in [from, end) that passes a test which, once passed, is passed by all later ones.
fn first_that(from: u32, end: u32, passes: impl Fn(u32) -> bool) -> Option<u32> {
    let (mut low, mut high) = (from, end);
    while low < high {
        let middle = low + (high - low) / 2;
        if passes(middle) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    (low < end).then_some(low)
}

fn seconds(limit: TimeLimit) -> f64 {
    match limit {
        TimeLimit::Within(limit) => limit.as_secs_f64(),
        TimeLimit::Unlimited => f64::INFINITY,
    }
}

/// Whether one time is after another as a decision sees them, in whole nanoseconds: sums of seconds that should be equal may not be.
fn past(time: f64, other: f64) -> bool {
    duration(time) > duration(other)
}

fn duration(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or(if seconds > 0.0 {
        Duration::MAX
    } else {
        Duration::ZERO
    })
}

fn limit(seconds: f64) -> TimeLimit {
    if seconds == f64::INFINITY {
        TimeLimit::Unlimited
    } else {
        TimeLimit::Within(duration(seconds))
    }
}
