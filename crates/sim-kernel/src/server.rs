//! The server that serves so many requests a tick, and crashes when too many arrive.

use crate::crash::CrashRule;

/// The ticks `from ≤ t < until`, in which every request fails whatever the crash rule says, and in which the rule is not applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outage {
    /// The first tick.
    pub from: u64,
    /// The tick after the last.
    pub until: u64,
}

/// A server in virtual time.
#[derive(Debug, Clone)]
pub struct Server {
    capacity: u64,
    rule: CrashRule,
    outage: Option<Outage>,
    tick: u64,
    down_until: u64,
    crashes: u64,
    /// The arrivals of the last ticks, as many as there have been up to the window's length, in a ring.
    recent: Vec<u64>,
    oldest: usize,
    sum: u64,
}

impl Server {
    /// A server at tick 0 that serves `capacity` requests a tick and is down for the first `down_until` ticks.
    #[must_use]
    pub fn new(capacity: u64, rule: CrashRule, down_until: u64) -> Self {
        Self {
            capacity,
            rule,
            outage: None,
            tick: 0,
            down_until,
            crashes: 0,
            recent: Vec::new(),
            oldest: 0,
            sum: 0,
        }
    }

    /// This server with a scheduled outage.
    #[must_use]
    pub fn with_outage(mut self, outage: Outage) -> Self {
        self.outage = Some(outage);
        self
    }

    /// How many of the `arrivals` of the present tick are served: 0 while the server is down, else at most its capacity. Then the
    /// next tick is the present one.
    ///
    /// The arrivals enter the window first. If the server is up (and no outage is on) and the window's sum is above the limit, it crashes
    /// now. Call this for every tick, with 0 when nothing arrives.
    #[inline]
    pub fn serve(&mut self, arrivals: u64) -> u64 {
        self.record(arrivals);
        let tick = self.tick;
        self.tick += 1;
        if self
            .outage
            .is_some_and(|outage| (outage.from..outage.until).contains(&tick))
        {
            return 0;
        }
        if tick >= self.down_until && self.sum > self.rule.limit {
            self.down_until = tick.saturating_add(self.rule.restart);
            self.crashes += 1;
        }
        if tick < self.down_until {
            0
        } else {
            arrivals.min(self.capacity)
        }
    }

    /// How often the server has crashed.
    #[must_use]
    pub fn crashes(&self) -> u64 {
        self.crashes
    }

    /// The tick to which the next call of [`Server::serve`] belongs.
    #[must_use]
    pub fn tick(&self) -> u64 {
        self.tick
    }

    /// The first tick at which the server is up again after its start or its last crash, outages apart.
    #[must_use]
    pub fn down_until(&self) -> u64 {
        self.down_until
    }

    #[inline]
    fn record(&mut self, arrivals: u64) {
        // Saturating: a window of impossible arrivals stays above every limit instead of wrapping.
        if (self.recent.len() as u64) < self.rule.window.max(1) {
            self.recent.push(arrivals);
            self.sum = self.sum.saturating_add(arrivals);
            return;
        }
        let left = core::mem::replace(&mut self.recent[self.oldest], arrivals);
        self.sum = self.sum.saturating_sub(left).saturating_add(arrivals);
        self.oldest += 1;
        if self.oldest == self.recent.len() {
            self.oldest = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const RULE: CrashRule = CrashRule {
        window: 3,
        limit: 10,
        restart: 4,
    };

    fn served(server: &mut Server, arrivals: &[u64]) -> Vec<u64> {
        arrivals.iter().map(|&n| server.serve(n)).collect()
    }

    #[test]
    fn serves_up_to_its_capacity_once_it_is_up() {
        let mut server = Server::new(5, RULE, 2);
        assert_eq!(
            served(&mut server, &[4, 4, 1, 3, 6, 0, 2]),
            [0, 0, 1, 3, 5, 0, 2]
        );
        assert_eq!(server.crashes(), 0);
        assert_eq!(server.tick(), 7);
    }

    #[test]
    fn crashes_above_the_limit_and_not_at_it() {
        let mut at = Server::new(5, RULE, 0);
        assert_eq!(served(&mut at, &[3, 3, 4]), [3, 3, 4]);
        assert_eq!((at.crashes(), at.down_until()), (0, 0));
        let mut above = Server::new(5, RULE, 0);
        assert_eq!(served(&mut above, &[3, 3, 5]), [3, 3, 0]);
        assert_eq!((above.crashes(), above.down_until()), (1, 6));
    }

    #[test]
    fn is_down_for_the_restart_the_tick_of_the_crash_included() {
        let mut server = Server::new(5, RULE, 0);
        assert_eq!(served(&mut server, &[11, 0, 0, 0, 1]), [0, 0, 0, 0, 1]);
        assert_eq!(server.crashes(), 1);
    }

    #[test]
    fn a_server_that_is_down_does_not_crash_again_until_it_is_up() {
        let mut server = Server::new(5, RULE, 0);
        assert_eq!(served(&mut server, &[11; 9]), [0; 9]);
        assert_eq!((server.crashes(), server.down_until()), (3, 12));
    }

    #[test]
    fn arrivals_while_down_count_when_it_is_up_again() {
        let mut server = Server::new(5, RULE, 3);
        assert_eq!(served(&mut server, &[0, 5, 5, 1]), [0, 0, 0, 0]);
        assert_eq!(server.crashes(), 1);
    }

    #[test]
    fn in_an_outage_all_fail_and_nothing_crashes() {
        let outage = Outage { from: 1, until: 3 };
        let mut server = Server::new(5, RULE, 0).with_outage(outage);
        // The arrivals of the outage are in the window when it ends.
        assert_eq!(served(&mut server, &[2, 20, 20, 1]), [2, 0, 0, 0]);
        assert_eq!((server.crashes(), server.down_until()), (1, 7));
    }

    #[test]
    fn a_crash_before_an_outage_lasts_through_it() {
        let outage = Outage { from: 1, until: 2 };
        let mut server = Server::new(5, RULE, 0).with_outage(outage);
        assert_eq!(served(&mut server, &[11, 0, 0, 0, 1]), [0, 0, 0, 0, 1]);
        assert_eq!(server.crashes(), 1);
    }

    #[test]
    fn a_restart_of_no_ticks_crashes_and_serves() {
        let rule = CrashRule { restart: 0, ..RULE };
        let mut server = Server::new(5, rule, 0);
        assert_eq!(served(&mut server, &[11, 11]), [5, 5]);
        assert_eq!(server.crashes(), 2);
    }

    #[test]
    fn impossible_numbers_do_no_harm() {
        let rule = CrashRule {
            window: u64::MAX,
            limit: u64::MAX - 1,
            restart: u64::MAX,
        };
        let mut server = Server::new(u64::MAX, rule, 0);
        assert_eq!(served(&mut server, &[u64::MAX, 1, 1]), [0, 0, 0]);
        assert_eq!((server.crashes(), server.down_until()), (1, u64::MAX));
    }

    proptest! {
        /// The running sum against a sum over the window at every tick.
        #[test]
        fn as_the_rule_says(
            arrivals in prop::collection::vec(0_u64..20, 1..200),
            window in 1_u64..40,
            limit in 0_u64..200,
            restart in 0_u64..10,
            capacity in 1_u64..10,
            down in 0_u64..10,
            outage in prop::option::of((0_u64..50, 0_u64..50)),
        ) {
            let mut server = Server::new(capacity, CrashRule { window, limit, restart }, down);
            if let Some((from, length)) = outage {
                server = server.with_outage(Outage { from, until: from + length });
            }
            let (mut down_until, mut crashes) = (down, 0);
            for (tick, &n) in arrivals.iter().enumerate() {
                let first = (tick + 1).saturating_sub(window as usize);
                let sum: u64 = arrivals[first..=tick].iter().sum();
                let tick = tick as u64;
                let out = outage.is_some_and(|(from, length)| tick >= from && tick < from + length);
                if !out && tick >= down_until && sum > limit {
                    down_until = tick + restart;
                    crashes += 1;
                }
                let expected = if out || tick < down_until { 0 } else { n.min(capacity) };
                prop_assert_eq!(server.serve(n), expected);
            }
            prop_assert_eq!(server.crashes(), crashes);
        }
    }
}
