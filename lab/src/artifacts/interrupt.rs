//! Ending on a signal without leaving a half-written file behind.

use std::process;
#[cfg(unix)]
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Mutex, PoisonError};

static WRITING: Mutex<()> = Mutex::new(());
/// The exit code of a program that a signal asked to end; 0 as long as none has.
static ASKED_TO_END: AtomicI32 = AtomicI32::new(0);

/// From now on a signal to end waits for the step of `uninterrupted` that is under way, if any; the exit code is then 128 and the signal's
/// number, as a shell has it. A file that grows above the limit on its size doesn't end the program. A signal that whoever started the program
/// had it ignore stays ignored.
pub fn wait_for_writers() {
    #[cfg(unix)]
    {
        use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};

        // It is an error of writing then, which removes what is unfinished.
        let _ = signal_hook::flag::register(SIGXFSZ, Arc::default());

        // Where it isn't known, `nohup` is to be believed.
        let ignored = ignored().unwrap_or(1 << (SIGHUP - 1));
        let signals = [SIGHUP, SIGINT, SIGTERM].into_iter();
        let signals = signals.filter(|signal| ignored >> (signal - 1) & 1 == 0);
        // Without it the next run removes what an interrupted one leaves.
        let Ok(mut signals) = signal_hook::iterator::Signals::new(signals) else {
            return;
        };
        std::thread::spawn(move || {
            if let Some(signal) = signals.forever().next() {
                let code = 128 + signal;
                ASKED_TO_END.store(code, Ordering::SeqCst);
                let _writing = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
                process::exit(code);
            }
        });
    }
}

/// The signals that are ignored, the first in the lowest bit, where the system says so in a file: `nohup` and shells ignore some for a
/// program in the background.
#[cfg(unix)]
fn ignored() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let mask = status
        .lines()
        .find_map(|line| line.strip_prefix("SigIgn:"))?;
    u64::from_str_radix(mask.trim(), 16).ok()
}

/// What the step returns, which no signal cuts short; the program ends before it if it was asked to. A step contains no other.
pub(super) fn uninterrupted<R>(step: impl FnOnce() -> R) -> R {
    let _writing = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
    let code = ASKED_TO_END.load(Ordering::SeqCst);
    if code != 0 {
        process::exit(code);
    }
    step()
}
