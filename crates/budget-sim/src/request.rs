//! Requests, and those that wait for their next attempt.

use backoff_core::breaker::Ticket;
use backoff_core::policy::Call;

/// A request on its way through its attempts.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) client: u32,
    pub(crate) call: Call,
    pub(crate) ticket: Option<Ticket>,
    pub(crate) standing: Standing,
}

/// How the present attempt of a request stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Standing {
    /// It leaves in this tick.
    Leaves,
    /// The breaker refused it.
    RefusedByBreaker,
    /// The budget refused it, a first send.
    RefusedByBudget,
}

/// The requests that wait for their next attempt, by number; numbers are used again.
#[derive(Debug, Default)]
pub(crate) struct Waiting {
    requests: Vec<Option<Request>>,
    free: Vec<u32>,
}

impl Waiting {
    pub(crate) fn put(&mut self, request: Request) -> u32 {
        if let Some(id) = self.free.pop() {
            self.requests[id as usize] = Some(request);
            return id;
        }
        self.requests.push(Some(request));
        (self.requests.len() - 1) as u32
    }

    pub(crate) fn take(&mut self, id: u32) -> Option<Request> {
        self.free.push(id);
        self.requests[id as usize].take()
    }
}
