//! Any budget, shared under a lock.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::RetryBudget;

/// A budget that threads share under a lock, held for one call at a time.
///
/// `&Shared<B>` and `Arc<Shared<B>>` are budgets themselves. For gRPC throttling, the AWS quota and the concurrency budget
/// [`Atomic`](super::Atomic) does without the lock.
///
/// Threads that read the clock before they get the lock may come with a time slightly in the past: it counts as the latest seen.
#[derive(Debug)]
pub struct Shared<B> {
    budget: Mutex<B>,
}

impl<B: RetryBudget> Shared<B> {
    /// Shares `budget`.
    pub fn new(budget: B) -> Self {
        Self {
            budget: Mutex::new(budget),
        }
    }

    /// What `look` returns for the budget, which stays locked meanwhile.
    pub fn with<R>(&self, look: impl FnOnce(&mut B) -> R) -> R {
        look(&mut self.lock())
    }

    /// No call of a budget panics half way, so a poisoned lock still guards a sound one.
    fn lock(&self) -> MutexGuard<'_, B> {
        self.budget.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn draws(&self) -> bool {
        self.lock().draws()
    }
}

forward! {
    <B: RetryBudget> &Shared<B>,
    <B: RetryBudget> Arc<Shared<B>>,
}
