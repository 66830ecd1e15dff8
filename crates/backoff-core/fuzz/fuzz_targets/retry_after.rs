//! Any bytes as a `Retry-After` value, at any time.
#![no_main]

use backoff_core::policy::Pushback;
use backoff_core::retry_after::{Reading, RetryAfter};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (i64, i64, &[u8])| {
    let (now, later, value) = input;
    let strict = RetryAfter::read(value, now, Reading::Strict);
    let lenient = RetryAfter::read(value, now, Reading::Lenient);
    if strict.is_ok() {
        assert_eq!(strict, lenient, "lenient reading only adds");
    }
    for after in [strict, lenient].into_iter().flatten() {
        if let RetryAfter::Date(date) = after {
            assert!((-62_167_219_200..=253_402_300_800).contains(&date.unix_seconds()));
            let wait = after.wait(later);
            assert_eq!(wait.is_none(), date.unix_seconds() <= later, "no wait for the past");
        }
    }
    if let Pushback::After(wait) = Pushback::read(value) {
        assert!(wait.as_millis() <= 2_147_483_647);
    }
});
