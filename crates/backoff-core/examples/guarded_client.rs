//! A client with all three guards: a policy for each request, and a retry budget and a circuit breaker that its requests share.
//!
//! The order within a request: ask the breaker, send, report to the breaker, decide. The decision asks the budget itself.
//! The server is a function and time is a number, so the example runs in no time and always the same.
//!
//! `cargo run -p backoff-core --example guarded_client`

use std::error::Error;
use std::time::Duration;

use backoff_core::backoff::unit_from_bits;
use backoff_core::breaker::{self, BreakerConfig, SharedBreaker};
use backoff_core::budget::{RetryRatio, RetryRatioConfig, Shared};
use backoff_core::classify::{Idempotency, Verdict};
use backoff_core::policy::{Decision, Outcome, Policy, PolicyConfig, StopReason};
use backoff_core::{BackoffConfig, Growth};
use rand_core::Rng;
use rand_pcg::Pcg64Mcg;

/// How long the server takes to answer.
const LATENCY: Duration = Duration::from_millis(2);

/// What all requests to one service share.
struct Client {
    policy: Policy,
    budget: Shared<RetryRatio>,
    breaker: SharedBreaker,
    rng: Pcg64Mcg,
}

/// How a request ended.
#[derive(Debug, PartialEq)]
struct Ended {
    sends: u32,
    at: Duration,
    reason: StopReason,
}

impl Client {
    fn new() -> Result<Self, Box<dyn Error>> {
        let growth = Growth::doubling(Duration::from_millis(10), Duration::from_millis(100));
        Ok(Self {
            policy: PolicyConfig::new(3, BackoffConfig::FullJitter(growth)).build()?,
            budget: Shared::new(RetryRatioConfig::default().build()?),
            breaker: SharedBreaker::new(BreakerConfig::default().build()?),
            rng: Pcg64Mcg::new(7),
        })
    }

    /// One GET that starts at `now`.
    fn get(&mut self, mut now: Duration, server: impl Fn(Duration) -> u16) -> Ended {
        let idempotency = Idempotency::of_method("GET", false);
        let mut request = self.policy.request(idempotency, now, &self.budget);
        let mut sends = 0;
        loop {
            let outcome = match self.breaker.try_acquire(now) {
                Ok(permit) => {
                    request.sent(now);
                    sends += 1;
                    let outcome = Outcome::http(server(now));
                    now += LATENCY;
                    permit.report(now, health(self.policy.verdict(&outcome)));
                    match self.breaker.open_for(now) {
                        Some(remaining) => outcome.breaker_open_for(remaining),
                        None => outcome,
                    }
                }
                Err(_) => Outcome::refused_by_breaker(),
            };
            let unit = unit_from_bits(self.rng.next_u64());
            match request.decide(&outcome, now, unit) {
                Decision::Retry { after } => now += after,
                Decision::Stop(reason) => {
                    let at = now;
                    return Ended { sends, at, reason };
                }
            }
        }
    }
}

/// What an answer says about the service: nothing, if the request is refused for itself.
fn health(verdict: Verdict) -> breaker::Outcome {
    match verdict {
        Verdict::NothingFailed => breaker::Outcome::Success,
        Verdict::Retry(_) => breaker::Outcome::Failure,
        Verdict::Never(_) => breaker::Outcome::Ignored,
    }
}

/// Down from the first second to the third.
fn server(now: Duration) -> u16 {
    if (1..3).contains(&now.as_secs()) {
        503
    } else {
        200
    }
}

/// A request every 10 ms for 6 s.
fn starts() -> impl Iterator<Item = Duration> {
    (0..600).map(|number| Duration::from_millis(10 * number))
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut client = Client::new()?;
    let mut last = None;
    for start in starts() {
        let ended = client.get(start, server);
        if last != Some(ended.reason) {
            println!("{start:>6?}: {} sends, {}", ended.sends, ended.reason);
        }
        last = Some(ended.reason);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outage_gets_few_requests_and_its_end_is_noticed() {
        let mut client = Client::new().unwrap();
        let ended: Vec<(Duration, Ended)> = starts()
            .map(|start| (start, client.get(start, server)))
            .collect();
        let within = |from: u64, until: u64| {
            let range = Duration::from_secs(from)..Duration::from_secs(until);
            ended.iter().filter(move |(start, _)| range.contains(start))
        };
        // Nobody waits for a retry that the open breaker would refuse.
        let ends = |reason: fn(&StopReason) -> bool| {
            let sent = ended.iter().filter(|(_, ended)| ended.sends > 0);
            sent.filter(|(_, ended)| reason(&ended.reason)).count()
        };
        assert_eq!(ends(|reason| *reason == StopReason::BreakerRefused), 0);
        assert!(ends(|reason| matches!(reason, StopReason::BreakerOpen { .. })) > 0);
        let served = |ended: &Ended| ended.reason == StopReason::NothingFailed;
        assert!(within(0, 1).all(|(_, ended)| served(ended)));
        assert!(within(4, 6).all(|(_, ended)| served(ended) && ended.sends == 1));
        let sends: u32 = within(1, 3).map(|(_, ended)| ended.sends).sum();
        assert!((50..150).contains(&sends), "{sends} sends of 200 requests");
        let refused = within(1, 3).filter(|(_, ended)| ended.sends == 0);
        assert!(refused.clone().count() > 50);
        assert!(refused.clone().all(|(start, ended)| ended.at == *start));
    }

    #[test]
    fn a_request_that_is_wrong_opens_no_breaker() {
        let mut client = Client::new().unwrap();
        for start in starts() {
            assert_eq!(client.get(start, |_| 404).sends, 1);
        }
        assert_eq!(client.get(Duration::from_secs(7), |_| 200).sends, 1);
    }
}
