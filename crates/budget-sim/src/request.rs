//! Requests, and those that wait for their next attempt.

use backoff_core::breaker::Ticket;
use backoff_core::budget::Attempt;

/// A request on its way through its attempts.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) client: u32,
    /// The sends so far, refused ones included.
    pub(crate) sends: u32,
    pub(crate) attempt: Attempt,
    pub(crate) ticket: Option<Ticket>,
    pub(crate) previous_wait: f64,
    /// Whether the breaker or the budget refused this attempt, and if so, whether that may be retried.
    pub(crate) refused: Option<bool>,
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
