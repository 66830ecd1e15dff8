//! The checks of one decision, in the order that [`policy`](super) gives.

use core::time::Duration;

use super::call::NextAttempt;
use super::numbers::{Drawn, Numbers, One};
use super::outcome::What;
use super::retry_after_rule::Asked;
use super::{Call, Decision, Outcome, Policy, Pushback, Refusals, StopReason, TimeLimit};
use crate::budget::{self, RetryBudget};
use crate::classify::{Idempotency, Pace, Requests, Terms, Verdict, Why};

impl Policy {
    /// Whether the request is retried after `outcome`, and when.
    ///
    /// Counts the failure in `call` and reports it to the budget. On [`Decision::Retry`] the caller waits `after` and sends again,
    /// telling [`Call::sent`] when it does; on [`Decision::Stop`] the call is over.
    ///
    /// `unit` is uniform in [0, 1) and comes from the caller; a number outside counts as the nearest inside, NaN as 0. A budget that draws
    /// gets another number that is made from it, the wait `unit` itself. A `now` before the latest that the call was told counts as that.
    pub fn decide<B: RetryBudget + ?Sized>(
        &self,
        call: &mut Call,
        outcome: &Outcome<'_>,
        now: Duration,
        unit: f64,
        budget: &mut B,
    ) -> Decision {
        self.decide_with(call, outcome, now, One(unit), budget)
    }

    /// [`Policy::decide`] with a number from `draw` for everything that needs one, and none where nothing does.
    ///
    /// A budget that [draws](RetryBudget::draws) gets the first and the wait, if it [draws](crate::Backoff::draws), the second, so that nothing is drawn
    /// for a retry that is refused. Under a deadline, or with [`Outcome::breaker_open_for`], the wait comes first, as it may forbid the retry.
    ///
    /// ```
    /// use backoff_core::budget::Unlimited;
    /// use backoff_core::classify::Idempotency;
    /// use backoff_core::policy::{Decision, Outcome, PolicyConfig, StopReason};
    /// use backoff_core::{BackoffConfig, Growth};
    /// use core::time::Duration;
    ///
    /// let ms = Duration::from_millis;
    /// let backoff = BackoffConfig::FullJitter(Growth::doubling(ms(100), ms(10_000)));
    /// let policy = PolicyConfig::new(2, backoff).build()?;
    /// let mut call = policy.start(Idempotency::Idempotent, ms(0));
    /// let mut drawn = 0;
    /// let mut draw = || { drawn += 1; 0.25 };
    /// let failed = Outcome::http(503);
    /// let decision = policy.decide_drawing(&mut call, &failed, ms(0), &mut draw, &mut Unlimited);
    /// assert_eq!(decision, Decision::Retry { after: ms(25) });
    /// let decision = policy.decide_drawing(&mut call, &failed, ms(30), &mut draw, &mut Unlimited);
    /// assert_eq!(decision, Decision::Stop(StopReason::Attempts { max: 2 }));
    /// assert_eq!(drawn, 1);
    /// # Ok::<(), backoff_core::policy::PolicyError>(())
    /// ```
    pub fn decide_drawing<B: RetryBudget + ?Sized>(
        &self,
        call: &mut Call,
        outcome: &Outcome<'_>,
        now: Duration,
        draw: impl FnMut() -> f64,
        budget: &mut B,
    ) -> Decision {
        self.decide_with(call, outcome, now, Drawn(draw), budget)
    }

    fn decide_with<B: RetryBudget + ?Sized>(
        &self,
        call: &mut Call,
        outcome: &Outcome<'_>,
        now: Duration,
        numbers: impl Numbers,
        budget: &mut B,
    ) -> Decision {
        let verdict = self.verdict(outcome);
        if call.is_over() {
            return Decision::Stop(StopReason::Over);
        }
        if outcome.what == What::BreakerRefused {
            // A refused attempt never left: the service's health and the budget's counts know nothing of it.
            call.tell_time(now);
            call.abandoned(budget);
        } else if let Some(attempt) = call.take_attempt(now, budget) {
            if verdict == Verdict::NothingFailed {
                budget.succeeded(now, attempt);
                return Decision::Stop(StopReason::NothingFailed);
            }
            budget.failed(now, attempt, kind_for_budget(outcome, verdict));
        }
        call.count_failure();
        match self.granted(call, outcome, verdict, now, numbers, budget) {
            Ok(next) => {
                let after = next.asked.wait();
                call.count_retry(next);
                Decision::Retry { after }
            }
            Err(reason) => Decision::Stop(reason),
        }
    }

    /// The checks in their order, then the budget's grant.
    fn granted<B: RetryBudget + ?Sized>(
        &self,
        call: &mut Call,
        outcome: &Outcome<'_>,
        verdict: Verdict,
        now: Duration,
        mut numbers: impl Numbers,
        budget: &mut B,
    ) -> Result<NextAttempt, StopReason> {
        let cause = outcome.cause();
        let terms = match verdict {
            _ if outcome.what == What::BreakerRefused && self.refusals == Refusals::Stop => {
                return Err(StopReason::BreakerRefused);
            }
            Verdict::Never(why) => return Err(StopReason::NotRetryable { cause, why }),
            Verdict::Retry(terms) => terms,
            Verdict::NothingFailed => return Err(StopReason::NothingFailed),
        };
        if let Some(mark) = outcome.disowned {
            return Err(StopReason::NotOwned { mark });
        }
        self.counts(call, outcome, terms)?;

        let elapsed = call.elapsed(now);
        let left = self.deadline.minus(elapsed);
        if left == TimeLimit::Within(Duration::ZERO) {
            return Err(StopReason::DeadlinePassed);
        }
        let wait_may_forbid = left != TimeLimit::Unlimited || outcome.breaker_open_for.is_some();
        let asked = match self.asked(outcome)? {
            None if wait_may_forbid => Some(self.backed_off(call, terms.pace, &mut numbers)),
            asked => asked,
        };
        if let Some(asked) = asked {
            self.fits(asked, left, outcome)?;
        }
        let unit = if budget.draws() {
            numbers.for_budget()
        } else {
            0.0
        };
        let grant = budget
            .try_retry(now, kind_for_budget(outcome, verdict), unit)
            .ok_or(StopReason::Budget)?;
        // Before the draw, which is the caller's code and may panic: the call then still holds the grant.
        call.hold(grant);
        let asked = asked.unwrap_or_else(|| self.backed_off(call, terms.pace, &mut numbers));
        Ok(NextAttempt {
            asked,
            pace: terms.pace,
            limited: terms.at_most.is_some(),
        })
    }

    /// Whether a wait ends within the time that is `left` and not while the breaker is open.
    fn fits(&self, asked: Asked, left: TimeLimit, outcome: &Outcome<'_>) -> Result<(), StopReason> {
        let after = asked.wait();
        if let TimeLimit::Within(left) = left
            && after > left
        {
            return Err(asked.past_deadline(left));
        }
        if let Some(open_for) = outcome.breaker_open_for
            && after < open_for
            && self.refusals == Refusals::Stop
        {
            return Err(StopReason::BreakerOpen { open_for });
        }
        Ok(())
    }

    /// The checks that need neither time nor a wait.
    fn counts(&self, call: &Call, outcome: &Outcome<'_>, terms: Terms) -> Result<(), StopReason> {
        let cause = outcome.cause();
        if terms.requests == Requests::Idempotent
            && call.idempotency() == Idempotency::NotIdempotent
        {
            return Err(StopReason::NotIdempotent { cause });
        }
        match outcome.pushback {
            Some(Pushback::Refused) => return Err(StopReason::PushbackRefused),
            Some(Pushback::Unreadable) => return Err(StopReason::PushbackUnreadable),
            Some(Pushback::After(_)) | None => {}
        }
        if let Some(at_most) = terms.at_most
            && call.limited_retries() >= at_most
        {
            return Err(StopReason::ClassLimit { cause, at_most });
        }
        if call.failures() >= self.max_attempts {
            return Err(StopReason::Attempts {
                max: self.max_attempts,
            });
        }
        Ok(())
    }

    /// The wait that the server asked for, if it did; `None` for the backoff's.
    fn asked(&self, outcome: &Outcome<'_>) -> Result<Option<Asked>, StopReason> {
        if let Some(Pushback::After(wait)) = outcome.pushback {
            return Ok(Some(Asked::Pushback(wait)));
        }
        let Some(hint) = outcome.asked(self.retry_after.reading) else {
            return Ok(None);
        };
        Ok(self.retry_after.judge(hint)?.map(Asked::RetryAfter))
    }

    fn backed_off(&self, call: &Call, pace: Pace, numbers: &mut impl Numbers) -> Asked {
        let backoff = self.backoff(pace);
        let (failures, previous) = (call.failures_for_backoff(), call.backoff_wait(pace));
        let exact = backoff.wait_drawing(failures, previous, || numbers.for_wait());
        Asked::Backoff {
            wait: backoff.duration(exact),
            exact,
        }
    }
}

/// What kind of failure a budget is told of.
///
/// A failure that is never retried, or that is another caller's to retry, says nothing about the service's health, unless the server adds
/// "don't retry" (gRPC proposal A6). Only one
/// that is the request's fault says that the service works.
fn kind_for_budget(outcome: &Outcome<'_>, verdict: Verdict) -> budget::Failure {
    let server_says_stop = matches!(
        outcome.pushback,
        Some(Pushback::Refused | Pushback::Unreadable)
    );
    match verdict {
        Verdict::Never(Why::NotListed) if !server_says_stop => budget::Failure::NotRetried,
        Verdict::Retry(_) if outcome.disowned.is_some() && !server_says_stop => {
            budget::Failure::NotRetried
        }
        Verdict::Never(_) | Verdict::NothingFailed if !server_says_stop => budget::Failure::Final,
        Verdict::Retry(terms) if terms.pace == Pace::Throttling => budget::Failure::Throttled,
        _ if outcome.is_timeout() => budget::Failure::Timeout,
        _ => budget::Failure::Transient,
    }
}
