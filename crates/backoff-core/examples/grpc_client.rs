//! A client that retries as gRPC does: the service config's retry policy, server pushback, and retry throttling that all calls share.
//!
//! The server is a function and time is a number, so the example runs in no time and always the same.
//!
//! `cargo run -p backoff-core --example grpc_client`

use std::error::Error;
use std::time::Duration;

use backoff_core::Growth;
use backoff_core::backoff::unit_from_bits;
use backoff_core::budget::{GrpcThrottling, GrpcThrottlingConfig, Shared};
use backoff_core::classify::{GrpcCode, Idempotency};
use backoff_core::policy::{Decision, Outcome, Policy, PolicyConfig, Pushback, StopReason};
use rand_core::Rng;
use rand_pcg::Pcg64Mcg;

/// A server's answer: the status, and the trailers' `grpc-retry-pushback-ms` if there is one.
type Answer = (GrpcCode, Option<&'static [u8]>);

/// A channel: what its calls share.
struct Channel {
    policy: Policy,
    throttling: Shared<GrpcThrottling>,
    rng: Pcg64Mcg,
    now: Duration,
}

impl Channel {
    fn new() -> Result<Self, Box<dyn Error>> {
        let growth = Growth::doubling(Duration::from_millis(100), Duration::from_secs(1));
        Ok(Self {
            policy: PolicyConfig::grpc(4, growth).build()?,
            throttling: Shared::new(GrpcThrottlingConfig::default().build()?),
            rng: Pcg64Mcg::new(7),
            now: Duration::ZERO,
        })
    }

    /// One call: how many sends it took, and why it ended.
    fn call(&mut self, mut server: impl FnMut(Duration) -> Answer) -> (u32, StopReason) {
        let mut request =
            self.policy
                .request(Idempotency::NotIdempotent, self.now, &self.throttling);
        let mut sends = 0;
        loop {
            sends += 1;
            request.sent(self.now);
            let (code, pushback) = server(self.now);
            let outcome = match pushback {
                Some(value) => Outcome::grpc(code).pushback(Pushback::read(value)),
                None => Outcome::grpc(code),
            };
            let unit = unit_from_bits(self.rng.next_u64());
            match request.decide(&outcome, self.now, unit) {
                Decision::Retry { after } => self.now += after,
                Decision::Stop(reason) => return (sends, reason),
            }
        }
    }

    fn tokens(&self) -> f64 {
        let milli = self.throttling.with(|throttling| throttling.milli_tokens());
        f64::from(milli) / 1000.0
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut channel = Channel::new()?;
    for number in 1..=4 {
        let (sends, reason) = channel.call(|_| (GrpcCode::Unavailable, None));
        println!(
            "call {number}: {sends} sends, {reason}; {} tokens left",
            channel.tokens()
        );
    }
    println!("the server is back");
    for number in 5..=6 {
        let (sends, reason) = channel.call(|_| (GrpcCode::Ok, None));
        println!(
            "call {number}: {sends} sends, {reason}; {} tokens left",
            channel.tokens()
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use backoff_core::classify::GrpcCode;
    use backoff_core::policy::StopReason;

    use super::Channel;

    #[test]
    fn throttling_ends_the_retries_of_all_calls() {
        let mut channel = Channel::new().unwrap();
        let mut calls = Vec::new();
        for _ in 0..4 {
            calls.push(channel.call(|_| (GrpcCode::Unavailable, None)));
        }
        // Ten tokens: the first call's four failures leave six, the fifth failure leaves five, and five aren't enough.
        let attempts = StopReason::Attempts { max: 4 };
        let budget = StopReason::Budget;
        assert_eq!(
            calls,
            [(4, attempts), (1, budget), (1, budget), (1, budget)]
        );
        assert_eq!(channel.tokens(), 3.0);
        assert_eq!(
            channel.call(|_| (GrpcCode::Ok, None)),
            (1, StopReason::NothingFailed)
        );
        assert_eq!(channel.tokens(), 3.1);
    }

    #[test]
    fn pushback_is_waited_for_exactly_or_ends_the_call() {
        let mut channel = Channel::new().unwrap();
        let mut answers = [
            (GrpcCode::Unavailable, Some(&b"2500"[..])),
            (GrpcCode::Ok, None),
        ]
        .into_iter();
        assert_eq!(
            channel.call(|_| answers.next().unwrap()),
            (2, StopReason::NothingFailed)
        );
        assert_eq!(channel.now, Duration::from_millis(2500));
        let stopped = channel.call(|_| (GrpcCode::Unavailable, Some(b"-1")));
        assert_eq!(stopped, (1, StopReason::PushbackRefused));
    }
}
