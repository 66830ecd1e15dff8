//! The rules, written down as counts over a whole history.

use backoff_core::budget::Failure;

/// Everything that happened, with the times as a clock that never goes back tells them.
#[derive(Debug, Default)]
pub(crate) struct History {
    now_ms: u64,
    events: Vec<(u64, Event)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Event {
    Sent { retry: bool },
    Succeeded { retry: bool, cost: u64 },
    Failed { retry: bool, failure: Failure },
    Abandoned { retry: bool },
    Granted { failure: Failure },
    Refused { failure: Failure },
    Unused { cost: u64 },
}

impl History {
    pub(crate) fn tell_time(&mut self, ms: u64) {
        self.now_ms = self.now_ms.max(ms);
    }

    pub(crate) fn sent(&mut self, retry: bool) {
        self.note(Event::Sent { retry });
    }

    pub(crate) fn succeeded(&mut self, retry: bool, cost: u64) {
        self.note(Event::Succeeded { retry, cost });
    }

    pub(crate) fn failed(&mut self, retry: bool, failure: Failure) {
        self.note(Event::Failed { retry, failure });
    }

    pub(crate) fn abandoned(&mut self, retry: bool) {
        self.note(Event::Abandoned { retry });
    }

    pub(crate) fn decided(&mut self, failure: Failure, granted: bool) {
        self.note(if granted {
            Event::Granted { failure }
        } else {
            Event::Refused { failure }
        });
    }

    pub(crate) fn unused(&mut self, cost: u64) {
        self.note(Event::Unused { cost });
    }

    fn note(&mut self, event: Event) {
        self.events.push((self.now_ms, event));
    }

    fn count(&self, counts: impl Fn(Event) -> bool) -> u64 {
        self.events
            .iter()
            .filter(|&&(_, event)| counts(event))
            .count() as u64
    }

    /// Counts the events in the slots from `slots` before now's to now's.
    fn lately(&self, slots: u64, slot_ms: u64, counts: impl Fn(Event) -> bool) -> u64 {
        self.events
            .iter()
            .filter(|&&(ms, event)| self.now_ms / slot_ms - ms / slot_ms <= slots && counts(event))
            .count() as u64
    }
}

fn not_retried(failure: Failure) -> bool {
    matches!(failure, Failure::Final | Failure::NotRetried)
}

/// A budget's rule.
pub(crate) trait Model {
    /// Whether a retry may be granted after this history; never asked about a failure that isn't retried.
    fn allows(&self, history: &History, failure: Failure, unit: f64) -> bool;

    /// What a retry after `failure` takes.
    fn cost(&self, _failure: Failure) -> u64 {
        0
    }
}

pub(crate) struct Throttling {
    pub(crate) max: i64,
    pub(crate) per_success: i64,
}

impl Model for Throttling {
    fn allows(&self, history: &History, _failure: Failure, _unit: f64) -> bool {
        let tokens = history
            .events
            .iter()
            .fold(self.max, |tokens, (_, event)| match event {
                Event::Succeeded { .. } => (tokens + self.per_success).min(self.max),
                Event::Failed { failure, .. } if !not_retried(*failure) => (tokens - 1_000).max(0),
                _ => tokens,
            });
        tokens as f64 > self.max as f64 / 2.0
    }
}

pub(crate) struct Window {
    pub(crate) num: u64,
    pub(crate) den: u64,
    pub(crate) slots: u64,
    pub(crate) slot_ms: u64,
}

impl Model for Window {
    fn allows(&self, history: &History, _failure: Failure, _unit: f64) -> bool {
        let lately = |counts: fn(Event) -> bool| history.lately(self.slots, self.slot_ms, counts);
        let sends = lately(|event| matches!(event, Event::Sent { .. }));
        let retries = lately(|event| event == Event::Sent { retry: true });
        retries * self.den < self.num * sends
    }
}

pub(crate) struct Cumulative {
    pub(crate) num: u64,
    pub(crate) den: u64,
}

impl Model for Cumulative {
    fn allows(&self, history: &History, _failure: Failure, _unit: f64) -> bool {
        let first = history.count(|event| event == Event::Sent { retry: false });
        let granted = history.count(|event| matches!(event, Event::Granted { .. }));
        let unused = history.count(|event| matches!(event, Event::Unused { .. }));
        (granted - unused + 1) * self.den <= self.num * first
    }
}

pub(crate) struct Deposits {
    pub(crate) num: u64,
    pub(crate) den: u64,
    pub(crate) floor_per_s: u64,
    pub(crate) ttl_ms: u64,
}

impl Model for Deposits {
    fn allows(&self, history: &History, _failure: Failure, _unit: f64) -> bool {
        let lately = |counts: fn(Event) -> bool| history.lately(9, self.ttl_ms / 10, counts);
        let deposits = lately(|event| event == Event::Sent { retry: false });
        let granted = lately(|event| matches!(event, Event::Granted { .. }));
        (granted + 1) * self.den * 1000
            <= self.floor_per_s * self.ttl_ms * self.den + self.num * deposits * 1000
    }
}

pub(crate) struct Quota {
    pub(crate) capacity: u64,
    pub(crate) costs: [u64; 3],
    pub(crate) first: u64,
}

impl Model for Quota {
    fn allows(&self, history: &History, failure: Failure, _unit: f64) -> bool {
        let tokens = history
            .events
            .iter()
            .fold(self.capacity, |tokens, &(_, event)| match event {
                Event::Succeeded { retry: false, .. } => (tokens + self.first).min(self.capacity),
                Event::Succeeded { retry: true, cost } | Event::Unused { cost } => {
                    (tokens + cost).min(self.capacity)
                }
                Event::Granted { failure } => tokens - self.cost(failure),
                _ => tokens,
            });
        tokens >= self.cost(failure)
    }

    fn cost(&self, failure: Failure) -> u64 {
        match failure {
            Failure::Transient => self.costs[0],
            Failure::Timeout => self.costs[1],
            Failure::Throttled => self.costs[2],
            Failure::Final | Failure::NotRetried => 0,
        }
    }
}

pub(crate) struct InFlight {
    pub(crate) num: u64,
    pub(crate) den: u64,
    pub(crate) min: u64,
}

impl Model for InFlight {
    fn allows(&self, history: &History, _failure: Failure, _unit: f64) -> bool {
        let sent = history.count(|event| matches!(event, Event::Sent { .. }));
        let ended = |retries_only: bool| {
            history.count(|event| match event {
                Event::Succeeded { retry, .. }
                | Event::Failed { retry, .. }
                | Event::Abandoned { retry } => retry || !retries_only,
                _ => false,
            })
        };
        let granted = history.count(|event| matches!(event, Event::Granted { .. }));
        let unused = history.count(|event| matches!(event, Event::Unused { .. }));
        let active = granted - unused - ended(true);
        let in_flight = sent - ended(false);
        active < self.min || (active + 1) * self.den <= self.num * in_flight
    }
}

pub(crate) struct Adaptive {
    pub(crate) k: u64,
    pub(crate) slots: u64,
    pub(crate) slot_ms: u64,
}

impl Model for Adaptive {
    fn allows(&self, history: &History, _failure: Failure, unit: f64) -> bool {
        let lately = |counts: fn(Event) -> bool| history.lately(self.slots, self.slot_ms, counts);
        let requests = lately(|event| match event {
            Event::Sent { .. } => true,
            Event::Refused { failure } => !not_retried(failure),
            _ => false,
        });
        let accepts = lately(|event| match event {
            Event::Succeeded { .. } => true,
            Event::Failed { failure, .. } => failure == Failure::Final,
            _ => false,
        });
        let excess = requests as f64 - (self.k * accepts) as f64;
        unit >= (excess / (requests + 1) as f64).max(0.0)
    }
}
