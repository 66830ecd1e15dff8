//! Budgets shared without a lock.

use alloc::sync::Arc;
use core::sync::atomic::{AtomicU64, Ordering};

use super::RetryBudget;

/// A budget whose changing part fits 64 bits, so that threads can share it as an [`Atomic`].
///
/// Only this crate's budgets are: a state that no budget ever had would break their rules, so nobody else can make or give one.
///
/// ```compile_fail,E0599
/// use backoff_core::budget::{AwsQuotaConfig, Lockless};
///
/// let quota = AwsQuotaConfig::default().build().unwrap();
/// let rich = quota.with_state(u64::MAX);
/// ```
///
/// ```compile_fail,E0277
/// use backoff_core::budget::Lockless;
///
/// fn emptied<B: Lockless>(budget: &B) -> B {
///     budget.with_state(Default::default(), 0)
/// }
/// ```
pub trait Lockless: RetryBudget + Packed {}

impl<B: RetryBudget + Packed> Lockless for B {}

/// A budget's changing part as a number; in a private module, so that no other crate can call or implement it.
pub trait Packed: Sized {
    /// Everything that changes.
    fn state(&self, key: Key) -> u64;

    /// The same budget in another state; `state` came from [`state`](Self::state).
    #[must_use]
    fn with_state(&self, key: Key, state: u64) -> Self;
}

/// Lets this module call [`Packed`], and nobody else, also where a generic bound would.
#[derive(Debug, Clone, Copy)]
pub struct Key(());

/// A budget that threads share without a lock: every call is one compare-and-swap of the whole state.
///
/// `&Atomic<B>` and `Arc<Atomic<B>>` are budgets themselves. Each call takes effect at one moment, so what the rule allows
/// holds for all threads together.
///
/// ```
/// use backoff_core::budget::{Atomic, AwsQuotaConfig, Failure, RetryBudget};
/// use core::time::Duration;
///
/// let quota = Atomic::new(AwsQuotaConfig::default().build()?);
/// let granted: usize = std::thread::scope(|scope| {
///     let client = || (0..100).filter(|_| (&quota).try_retry(Duration::ZERO, Failure::Transient, 0.0).is_some()).count();
///     let threads: Vec<_> = (0..4).map(|_| scope.spawn(client)).collect();
///     threads.into_iter().map(|thread| thread.join().unwrap()).sum()
/// });
/// assert_eq!(granted, 35); // 500 / 14
/// # Ok::<(), backoff_core::ConfigError>(())
/// ```
#[derive(Debug)]
pub struct Atomic<B> {
    /// The rules; its own state is only the first one.
    rules: B,
    state: AtomicU64,
}

impl<B: Lockless> Atomic<B> {
    /// Shares `budget` from its present state on.
    pub fn new(budget: B) -> Self {
        let state = AtomicU64::new(budget.state(Key(())));
        Self {
            rules: budget,
            state,
        }
    }

    /// The budget as it stands now.
    pub fn snapshot(&self) -> B {
        self.rules
            .with_state(Key(()), self.state.load(Ordering::Acquire))
    }

    /// What `step` returns for the state that it then replaced; it runs again if another thread was faster.
    #[inline]
    pub(super) fn with<R>(&self, mut step: impl FnMut(&mut B) -> R) -> R {
        let mut seen = self.state.load(Ordering::Acquire);
        loop {
            let mut budget = self.rules.with_state(Key(()), seen);
            let result = step(&mut budget);
            let next = budget.state(Key(()));
            if next == seen {
                return result;
            }
            match self
                .state
                .compare_exchange_weak(seen, next, Ordering::AcqRel, Ordering::Acquire)
            {
                Ok(_) => return result,
                Err(newer) => seen = newer,
            }
        }
    }

    fn draws(&self) -> bool {
        self.rules.draws()
    }
}

forward! {
    <B: Lockless> &Atomic<B>,
    <B: Lockless> Arc<Atomic<B>>,
}
