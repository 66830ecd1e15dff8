//! Which of the last calls failed.

use alloc::boxed::Box;
use alloc::vec;
use core::time::Duration;

use crate::window::Window;

/// The calls that a closed breaker judges by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Calls {
    /// The last calls, however long ago.
    Last(LastCalls),
    /// Successes and failures within a span of time.
    Within(Window),
}

/// A ring of outcomes, made once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LastCalls {
    failed: Box<[bool]>,
    next: usize,
    used: usize,
    failures: u64,
}

impl LastCalls {
    /// `calls` is above 0.
    pub(super) fn new(calls: u32) -> Self {
        Self {
            failed: vec![false; calls as usize].into_boxed_slice(),
            next: 0,
            used: 0,
            failures: 0,
        }
    }

    fn record(&mut self, failed: bool) {
        if self.used < self.failed.len() {
            self.used += 1;
        } else {
            self.failures -= u64::from(self.failed[self.next]);
        }
        self.failed[self.next] = failed;
        self.failures += u64::from(failed);
        self.next = (self.next + 1) % self.failed.len();
    }
}

impl Calls {
    #[inline]
    pub(super) fn record(&mut self, now: Duration, failed: bool) {
        match self {
            Self::Last(last) => last.record(failed),
            Self::Within(window) => {
                window.advance(now);
                window.count(usize::from(failed));
            }
        }
    }

    /// All calls in the window, and those that failed.
    #[inline]
    pub(super) fn counts(&self) -> (u64, u64) {
        match self {
            Self::Last(last) => (last.used as u64, last.failures),
            Self::Within(window) => {
                let [successes, failures] = window.totals();
                (successes + failures, failures)
            }
        }
    }

    pub(super) fn forget(&mut self) {
        match self {
            Self::Last(last) => {
                last.next = 0;
                last.used = 0;
                last.failures = 0;
            }
            Self::Within(window) => window.clear(),
        }
    }
}
