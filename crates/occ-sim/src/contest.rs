//! One contest: from the first read to the answer to the last accepted write.

use backoff_core::Backoff;
use sim_kernel::Stream;

use crate::agenda::Agenda;

/// How long a message takes: |N(mean, sd)|, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Network {
    pub(crate) mean_ms: f64,
    pub(crate) sd_ms: f64,
}

impl Network {
    #[inline]
    fn delay_ms<S: Stream>(self, stream: &mut S) -> f64 {
        stream.normal(self.mean_ms, self.sd_ms).abs()
    }
}

/// A write that reached the row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Write {
    /// When, in milliseconds since the start.
    pub at_ms: f64,
    /// Whether its version was current.
    pub accepted: bool,
}

/// What came out of a contest.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Finish {
    /// When the last accepted write was answered, in milliseconds since the start.
    pub at_ms: f64,
    /// How many writes were tried, refused ones included.
    pub calls: u64,
}

/// Where a client's one message is on its way to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// A read, to the row.
    Read,
    /// A version, to the client.
    Version,
    /// A write, to the row.
    Write,
    /// A refusal, to the client.
    Refused,
    /// The acceptance, to the client.
    Accepted,
}

#[derive(Debug, Clone, Copy)]
struct Client {
    previous_ms: f64,
    version: u32,
    failures: u32,
    stage: Stage,
}

/// Runs contests one after the other, without allocating anything once it has seen as many clients.
///
/// Every contest ends: a write is refused only if another client's was accepted since its version was read, so each accepted write
/// refuses at most one write of each other client, and there are at most n (n + 1) / 2 writes, whatever the waits.
#[derive(Debug, Default)]
pub(crate) struct Contest {
    agenda: Agenda,
    clients: Vec<Client>,
}

impl Contest {
    /// Lets `clients` clients race under a backoff, and tells `on_write` of each write as it reaches the row.
    ///
    /// Of two messages that arrive at the same time, the one that was sent first is handled first.
    ///
    /// Draws: first the delay of each client's first read; then, for each message in order of arrival, the delay of the message that
    /// answers it, and after a refusal the backoff. The new read of a refused client arrives at (now + delay) + backoff.
    pub(crate) fn run<S: Stream>(
        &mut self,
        clients: u32,
        backoff: &Backoff,
        network: Network,
        stream: &mut S,
        mut on_write: impl FnMut(Write),
    ) -> Finish {
        /// In milliseconds. Longer waits would lose their fractions, and in the end overflow.
        const LONGEST_WAIT: f64 = 1e12;
        let draws = backoff.draws();
        self.clients.clear();
        self.clients.resize(
            clients as usize,
            Client {
                previous_ms: backoff.first_previous(),
                version: 0,
                failures: 0,
                stage: Stage::Read,
            },
        );
        self.agenda.reset(clients, network.mean_ms + network.sd_ms);
        for client in 0..clients {
            self.agenda.put(client, network.delay_ms(stream));
        }
        let mut version = 0;
        let mut finish = Finish {
            at_ms: 0.0,
            calls: 0,
        };
        while let Some((number, now)) = self.agenda.take() {
            let client = &mut self.clients[number as usize];
            finish.at_ms = now;
            if client.stage == Stage::Accepted {
                continue;
            }
            let mut due = now + network.delay_ms(stream);
            client.stage = match client.stage {
                Stage::Read => {
                    client.version = version;
                    Stage::Version
                }
                Stage::Version => Stage::Write,
                Stage::Write => {
                    let accepted = client.version == version;
                    version += u32::from(accepted);
                    finish.calls += 1;
                    on_write(Write {
                        at_ms: now,
                        accepted,
                    });
                    if accepted {
                        Stage::Accepted
                    } else {
                        Stage::Refused
                    }
                }
                Stage::Refused | Stage::Accepted => {
                    client.failures += 1;
                    let unit = if draws { stream.unit() } else { 0.0 };
                    let wait = backoff.wait(client.failures, client.previous_ms, unit);
                    // Also in place of the NaN of an infinite wait times a unit of 0.
                    client.previous_ms = wait.min(LONGEST_WAIT);
                    due += client.previous_ms;
                    Stage::Read
                }
            };
            self.agenda.put(number, due);
        }
        finish
    }
}
