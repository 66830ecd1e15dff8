//! Ending on a signal without leaving a half-written file behind.

use std::process;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// What a program returns that ended because it was interrupted.
const INTERRUPTED: i32 = 130;

static WRITING: Mutex<()> = Mutex::new(());
static ASKED_TO_END: AtomicBool = AtomicBool::new(false);

/// From now on a signal to end waits for the step of [`uninterrupted`] that is under way, if any.
pub fn wait_for_writers() {
    // Fails if someone decided already what such a signal does, such as `nohup`: then that holds.
    let _ = ctrlc::try_set_handler(|| {
        ASKED_TO_END.store(true, Ordering::SeqCst);
        let _writing = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
        process::exit(INTERRUPTED);
    });
}

/// What the step returns, which no signal cuts short; the program ends before it if it was asked to. A step contains no other.
pub(super) fn uninterrupted<R>(step: impl FnOnce() -> R) -> R {
    let _writing = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
    if ASKED_TO_END.load(Ordering::SeqCst) {
        process::exit(INTERRUPTED);
    }
    step()
}
