//! Requests through a chain, call by call.

use std::time::Duration;

use backoff_core::budget::CumulativeRatio;
use backoff_core::classify::{Idempotency, Terms, Verdict};
use backoff_core::ownership::{Mark, Retries, Service};
use backoff_core::policy::{self, Decision};
use sim_kernel::Stream;

use crate::config::{Chain, ChainError, Own, Rule};

/// What a run came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// The calls that reached each service, the requests to the first included.
    pub calls: Vec<u64>,
    /// The retries sent on each edge.
    pub retries: Vec<u64>,
    /// The requests.
    pub requests: u64,
    /// Those that the first service answered with success.
    pub successes: u64,
}

impl Chain {
    /// Sends `requests` through the chain, one after the other, with every budget at its start.
    ///
    /// Numbers are drawn only where something is random. For each call on an edge to a service whose own work ends at random: one for whether its attempts
    /// end alike, and if so one for how; otherwise one for each attempt whose own calls succeeded. For each request that a service with
    /// a context loss between 0 and 1 fails to serve because a call failed: one for whether its context is lost.
    /// A request to the first service counts as a call.
    ///
    /// # Errors
    /// 0 requests, or more than can be sure to stay under [`MAX_CALLS`](crate::MAX_CALLS).
    pub fn run(&self, requests: u64, stream: &mut impl Stream) -> Result<Outcome, ChainError> {
        self.check_requests(requests)?;
        let mut walk = Walk {
            chain: self,
            budgets: self
                .edges
                .iter()
                .map(|edge| CumulativeRatio::new(edge.retries))
                .collect(),
            calls: vec![0; self.len()],
            stream,
        };
        let mut successes = 0;
        for _ in 0..requests {
            let fate = walk.fate(0);
            successes += u64::from(walk.serve(0, fate).is_ok());
        }
        Ok(Outcome {
            retries: walk.budgets.iter().map(CumulativeRatio::retries).collect(),
            calls: walk.calls,
            requests,
            successes,
        })
    }
}

/// Nothing here takes time: a budget that counts since the start doesn't look at it.
const NOW: Duration = Duration::ZERO;

/// The state of a run.
struct Walk<'a, S> {
    chain: &'a Chain,
    /// The budget of each edge.
    budgets: Vec<CumulativeRatio>,
    calls: Vec<u64>,
    stream: &'a mut S,
}

/// How the attempts of one call end, as far as it is settled before the first.
#[derive(Clone, Copy)]
enum Fate {
    /// Each on its own.
    Each,
    /// All alike.
    Shared(Result<(), ()>),
}

impl<S: Stream> Walk<'_, S> {
    /// Serves one call to service `number`. As deep as the chain is long, which is bounded.
    fn serve(&mut self, number: usize, fate: Fate) -> Result<(), Mark> {
        self.calls[number] += 1;
        if let Err(mark) = self.call_from(number) {
            let retries = if self.chain.edges[number].policy.max_attempts() > 1 {
                Retries::Configured
            } else {
                Retries::NotConfigured
            };
            return Err(self.answering(number).passes_on(mark, retries));
        }
        self.own_work(number, fate).map_err(|()| {
            let service = self.chain.service(number);
            match self.chain.rule {
                Rule::Everyone | Rule::Ownership => service.fails(),
                Rule::DontRetry => service.refuses(),
            }
        })
    }

    /// Calls the next service, if there is one, until it succeeds, or no retry is allowed.
    fn call_from(&mut self, number: usize) -> Result<(), Mark> {
        let Some(edge) = self.chain.edges.get(number) else {
            return Ok(());
        };
        let service = self.chain.service(number);
        let fate = self.fate(number + 1);
        let mut call = edge.policy.start(Idempotency::Idempotent, NOW);
        loop {
            call.sent(NOW, &mut self.budgets[number]);
            let Err(mark) = self.serve(number + 1, fate) else {
                call.succeeded(NOW, &mut self.budgets[number]);
                return Ok(());
            };
            let failed = policy::Outcome::judged(Verdict::Retry(Terms::TRANSIENT));
            let decision = edge.policy.decide(
                &mut call,
                &failed.marked(service, mark),
                NOW,
                0.0,
                &mut self.budgets[number],
            );
            if let Decision::Stop(_) = decision {
                return Err(mark);
            }
        }
    }

    fn fate(&mut self, number: usize) -> Fate {
        match self.chain.services[number].own {
            Own::Random {
                success,
                correlation,
            } if self.stream.unit() < correlation => {
                Fate::Shared(happens(self.stream.unit() < success))
            }
            _ => Fate::Each,
        }
    }

    fn own_work(&mut self, number: usize, fate: Fate) -> Result<(), ()> {
        match (self.chain.services[number].own, fate) {
            (Own::Succeeds, _) => Ok(()),
            (Own::Fails, _) => Err(()),
            (Own::Random { .. }, Fate::Shared(outcome)) => outcome,
            (Own::Random { success, .. }, Fate::Each) => happens(self.stream.unit() < success),
        }
    }

    /// The service as it answers a request that it failed to serve because a call failed.
    fn answering(&mut self, number: usize) -> Service {
        let service = self.chain.service(number);
        let loss = self.chain.services[number].context_loss;
        if service == Service::Aware && loss > 0.0 && (loss == 1.0 || self.stream.unit() < loss) {
            Service::ContextLost
        } else {
            service
        }
    }
}

fn happens(success: bool) -> Result<(), ()> {
    if success { Ok(()) } else { Err(()) }
}
