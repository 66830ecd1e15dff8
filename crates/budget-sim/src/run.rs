//! What one run comes to.

/// The outcome of one run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BudgetRun {
    /// What happened, second by second, from 0 to the last that began.
    pub seconds: Vec<Second>,
    /// The attempts that reached the server.
    pub arrivals: u64,
    /// Of the arrivals, those that failed; the others are the requests that succeeded.
    pub failed_arrivals: u64,
    /// The new requests, those included that were refused.
    pub new_requests: u64,
    /// The requests that succeeded.
    pub succeeded: u64,
    /// The requests that failed: no attempts left, no budget, or refused before they were sent.
    pub failed: u64,
    /// The requests whose retry was still to come at the end.
    pub pending: u64,
    /// Of those that failed, the requests whose last attempt was refused before it was sent.
    pub failed_fast: u64,
    /// The attempts refused before they were sent: by the breaker, or first sends by a budget that throttles them.
    pub refusals: u64,
    /// The arrivals during the outage.
    pub arrivals_in_outage: u64,
    /// The new requests during the outage.
    pub new_in_outage: u64,
    /// The crashes of the whole run.
    pub crashes: u64,
    /// The crashes from the outage's end on.
    pub crashes_after: u64,
    /// The first whole second from the outage's end on with which three seconds in a row begin that each have successes of at least
    /// 90 % of that second's new requests; the end of the run, in whole seconds, if there is none.
    pub back_to_normal: u64,
    /// The ticks from the outage's end to the first success at or after it.
    pub first_success_after: Option<u64>,
    /// The traced client's tokens, if asked for and if its budget keeps any.
    pub trace: Option<Trace>,
}

/// One second of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Second {
    /// The attempts that reached the server.
    pub arrivals: u64,
    /// The new requests.
    pub new_requests: u64,
    /// The requests that succeeded.
    pub successes: u64,
}

/// The tokens of one client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trace {
    /// The client, counted from 0.
    pub client: u32,
    /// Its tokens at the end of every tick, in thousandths.
    pub milli_tokens: Vec<u64>,
}

impl BudgetRun {
    /// Arrivals for each new request during the outage; `None` if there was no request.
    #[must_use]
    pub fn load_during_outage(&self) -> Option<f64> {
        (self.new_in_outage > 0).then(|| self.arrivals_in_outage as f64 / self.new_in_outage as f64)
    }
}

/// The measure `back_to_normal`: `from` and `end` are whole seconds, the second `end` not included.
pub(crate) fn back_to_normal(seconds: &[Second], from: u64, end: u64) -> u64 {
    let normal = |second: &Second| 10 * second.successes >= 9 * second.new_requests;
    let whole = &seconds[..seconds.len().min(end as usize)];
    whole
        .windows(3)
        .enumerate()
        .skip(from as usize)
        .find(|(_, three)| three.iter().all(normal))
        .map_or(end, |(second, _)| second as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normal_are_three_seconds_of_nine_tenths() {
        let second = |successes| Second {
            successes,
            new_requests: 10,
            ..Second::default()
        };
        let seconds: Vec<Second> = [9, 9, 9, 8, 9, 9, 8, 9, 9, 10].map(second).into();
        assert_eq!(back_to_normal(&seconds, 0, 10), 0);
        assert_eq!(back_to_normal(&seconds, 1, 10), 7);
        assert_eq!(back_to_normal(&seconds, 8, 10), 10);
        assert_eq!(
            back_to_normal(&seconds, 1, 9),
            9,
            "an unfinished second isn't judged"
        );
        assert_eq!(back_to_normal(&seconds, 20, 10), 10);
        assert_eq!(back_to_normal(&[], 0, 0), 0);
    }
}
