//! The server that serves so many requests a tick, and crashes when too many arrive.

/// When arrivals crash the server, and for how long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CrashRule {
    /// The number of ticks whose arrivals count together, the present one included; 0 counts as 1.
    pub window: u64,
    /// The server crashes when more requests than this arrived within the window.
    pub limit: u64,
    /// The number of ticks for which it is then down, the present one included.
    pub restart: u64,
}

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
