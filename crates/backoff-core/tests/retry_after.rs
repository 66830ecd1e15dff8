//! Retry-After: the published forms, the values that broke other libraries, and `httpdate` as an oracle.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use backoff_core::retry_after::{Reading, RetryAfter, RetryAfterError};
use proptest::prelude::*;

const NOW: i64 = 1_700_000_000; // Tue, 14 Nov 2023 22:13:20 GMT
const BOTH: [Reading; 2] = [Reading::Strict, Reading::Lenient];

fn unix(value: &str, reading: Reading) -> Option<i64> {
    unix_at(value, NOW, reading)
}

fn unix_at(value: &str, now: i64, reading: Reading) -> Option<i64> {
    match RetryAfter::read(value.as_bytes(), now, reading) {
        Ok(RetryAfter::Date(date)) => Some(date.unix_seconds()),
        _ => None,
    }
}

#[test]
fn what_says_nothing_usable_is_refused_and_never_a_wait() {
    for reading in BOTH {
        assert_eq!(
            RetryAfter::read(b"", NOW, reading),
            Err(RetryAfterError::Empty)
        );
        for value in [
            "-1",
            "abc",
            "1.5",
            "NaN",
            "-0",
            "+1",
            "1e3",
            "0x10",
            "1,5",
            "1 2",
            "12s",
            "inf",
            "null",
            "GMT",
            "١٢",
            "１２",
            "-9223372036854775808",
            "--5",
            "5-",
            "Sun",
            ",",
            ":",
            "::",
            "Sun, 06 Nov 1994",
            "08:49:37 GMT",
            "Sun, 31 Feb 2024 00:00:00 GMT",
            "Sun, 00 Jan 2024 00:00:00 GMT",
            "Sun, 06 Nov 1994 24:00:00 GMT",
            "Sun, 06 Nov 1994 08:60:37 GMT",
            "Sun, 06 Nov 1994 08:49:61 GMT",
            "Sun, 06 Nov 1994 08:49:37 EST",
            "Sun, 06 Nov 1994 08:49:37 +0100",
            "Sun, 06 Nov 94 08:49 GMT",
            "Sun, 06 Foo 1994 08:49:37 GMT",
            "Sun, 06 Nov 19945 08:49:37 GMT",
            "Sun, 06 Nov 1994 08:49:37 GMT GMT",
            "Sun, 06 Nov 1994 08:49:37 GMT 1995",
            "Wed, 29 Feb 2023 00:00:00 GMT",
            "2024-01-01T00:00:00Z",
        ] {
            assert_eq!(
                RetryAfter::read(value.as_bytes(), NOW, reading),
                Err(RetryAfterError::Unreadable),
                "{value:?} {reading:?}"
            );
        }
        for value in [
            &b"\xff\xfe"[..],
            b"12\xff",
            b"\0",
            b"Sun, 06 Nov 1994 08:49:37 GM\xd4",
        ] {
            assert!(RetryAfter::read(value, NOW, reading).is_err(), "{value:?}");
        }
    }
    for space in [" ", "\t", " \t "] {
        assert_eq!(
            RetryAfter::read(space.as_bytes(), NOW, Reading::Lenient),
            Err(RetryAfterError::Empty)
        );
        assert!(RetryAfter::read(space.as_bytes(), NOW, Reading::Strict).is_err());
    }
}

#[test]
fn seconds_are_read_and_saturate() {
    for reading in BOTH {
        for (value, seconds) in [
            ("0", 0),
            ("00", 0),
            ("7", 7),
            ("0120", 120),
            ("1800", 1800),
            ("18446744073709551615", u64::MAX),
            ("18446744073709551616", u64::MAX),
            ("99999999999999999999999999999999999999999999", u64::MAX),
        ] {
            let read = RetryAfter::read(value.as_bytes(), NOW, reading);
            assert_eq!(read, Ok(RetryAfter::Seconds(seconds)), "{value}");
            assert_eq!(read.unwrap().wait(NOW), Some(Duration::from_secs(seconds)));
        }
    }
    let long = vec![b'9'; 1_000_000];
    assert_eq!(
        RetryAfter::read(&long, NOW, Reading::Strict),
        Ok(RetryAfter::Seconds(u64::MAX))
    );
}

#[test]
fn the_three_forms_of_rfc_9110_name_the_same_second() {
    for reading in BOTH {
        for value in [
            "Sun, 06 Nov 1994 08:49:37 GMT",
            "Sunday, 06-Nov-94 08:49:37 GMT",
            "Sun Nov  6 08:49:37 1994",
        ] {
            assert_eq!(unix(value, reading), Some(784_111_777), "{value}");
        }
    }
    // Days of two digits in asctime, and a leap second, which counts as the next second and keeps the weekday.
    assert_eq!(
        unix("Wed Nov 16 08:49:37 1994", Reading::Strict),
        Some(784_975_777)
    );
    assert_eq!(
        unix("Sat, 31 Dec 2016 23:59:60 GMT", Reading::Strict),
        unix("Sun, 01 Jan 2017 00:00:00 GMT", Reading::Strict)
    );
    // The ends of what four digits can say.
    assert_eq!(
        unix("Sat, 01 Jan 0000 00:00:00 GMT", Reading::Strict),
        Some(-62_167_219_200)
    );
    assert_eq!(
        unix("Fri, 31 Dec 9999 23:59:59 GMT", Reading::Strict),
        Some(253_402_300_799)
    );
}

#[test]
fn only_lenient_reading_forgives() {
    for value in [
        " Sun, 06 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 08:49:37 GMT\t",
        "sun, 06 nov 1994 08:49:37 gmt",
        "SUN, 06 NOV 1994 08:49:37 GMT",
        "Mon, 06 Nov 1994 08:49:37 GMT",
        "06 Nov 1994 08:49:37 GMT",
        "Sun, 6 Nov 1994 8:49:37 GMT",
        "Sun, 06-Nov-1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 08:49:37 UTC",
        "Sun, 06 Nov 1994 08:49:37 +0000",
        "Sun, 06 Nov 1994 08:49:37 -0000",
        "Sun, 06 Nov 1994 08:49:37",
        "Sunday, 06 Nov 94 08:49:37 GMT",
        "Sun Nov 6 08:49:37 1994",
        "Sun Nov  6 08:49:37 1994 GMT",
        "Sun,06 Nov 1994 08:49:37 GMT",
    ] {
        assert_eq!(unix(value, Reading::Lenient), Some(784_111_777), "{value}");
        assert_eq!(unix(value, Reading::Strict), None, "{value}");
    }
    assert_eq!(
        RetryAfter::read(b" 7 ", NOW, Reading::Lenient),
        Ok(RetryAfter::Seconds(7))
    );
    assert!(RetryAfter::read(b" 7 ", NOW, Reading::Strict).is_err());
}

#[test]
fn two_digit_years_are_the_latest_not_more_than_fifty_years_ahead() {
    let at = |now: &str| unix(now, Reading::Strict).unwrap();
    for (now, value, full) in [
        // The boundary to the second: exactly 50 years ahead is still the future.
        (
            "Wed, 01 May 2024 12:00:00 GMT",
            "Tuesday, 01-May-74 12:00:00 GMT",
            "Tue, 01 May 2074 12:00:00 GMT",
        ),
        (
            "Wed, 01 May 2024 12:00:00 GMT",
            "Wednesday, 01-May-74 12:00:01 GMT",
            "Wed, 01 May 1974 12:00:01 GMT",
        ),
        (
            "Wed, 01 May 2024 12:00:00 GMT",
            "Saturday, 01-Jan-00 00:00:00 GMT",
            "Sat, 01 Jan 2000 00:00:00 GMT",
        ),
        // In the next century, and in the one before.
        (
            "Thu, 01 Jan 2099 00:00:00 GMT",
            "Thursday, 01-Jan-05 00:00:00 GMT",
            "Thu, 01 Jan 2105 00:00:00 GMT",
        ),
        (
            "Sat, 01 Jan 2000 00:00:00 GMT",
            "Friday, 31-Dec-99 23:59:59 GMT",
            "Fri, 31 Dec 1999 23:59:59 GMT",
        ),
        // From a leap day: 50 years later there is none.
        (
            "Thu, 29 Feb 2024 00:00:00 GMT",
            "Wednesday, 28-Feb-74 23:59:59 GMT",
            "Wed, 28 Feb 2074 23:59:59 GMT",
        ),
    ] {
        for reading in BOTH {
            assert_eq!(
                unix_at(value, at(now), reading),
                Some(at(full)),
                "{now} {value}"
            );
        }
    }
}

#[test]
fn dates_wait_until_then_and_past_ones_are_said_to_be_past() {
    let read = RetryAfter::read(b"Tue, 14 Nov 2023 22:13:20 GMT", NOW, Reading::Strict).unwrap();
    assert_eq!(read.wait(NOW - 1), Some(Duration::from_secs(1)));
    assert_eq!(read.wait(NOW), None);
    assert_eq!(read.wait(NOW + 1), None);
    assert_eq!(read.wait(i64::MAX), None);
    let ahead = 1_700_000_000 + (1_u64 << 63);
    assert_eq!(read.wait(i64::MIN), Some(Duration::from_secs(ahead)));
}

fn seconds_of(time: SystemTime) -> i64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap();
    i64::try_from(since.as_secs()).unwrap()
}

/// Bytes that look like dates more often than chance would have it.
fn nearly_a_date() -> impl Strategy<Value = Vec<u8>> {
    let word = prop::sample::select(vec![
        "Sun", "Sunday", "Mon", ",", " ", "-", ":", "Nov", "Feb", "06", "29", "6", "31", "1994",
        "94", "2024", "08:49:37", "23:59:60", "GMT", "UTC", "+0000", "0000", "\t", "\u{e9}",
    ]);
    prop::collection::vec(word, 0..12).prop_map(|words| words.concat().into_bytes())
}

proptest! {
    #[test]
    fn every_date_is_read_as_httpdate_writes_it(seconds in 0_i64..253_402_300_800, now: i64) {
        let text = httpdate::fmt_http_date(UNIX_EPOCH + Duration::from_secs(seconds as u64));
        for reading in BOTH {
            prop_assert_eq!(unix_at(&text, now, reading), Some(seconds));
        }
    }

    #[test]
    fn what_both_read_means_the_same(value in nearly_a_date()) {
        // httpdate splits two-digit years at 1970, so today's rule agrees with it only where both choose the same century.
        let now = 1_000_000_000;
        let text = String::from_utf8_lossy(&value);
        if let (Ok(theirs), Some(ours)) = (httpdate::parse_http_date(&text), unix_at(&text, now, Reading::Strict)) {
            prop_assert_eq!(seconds_of(theirs) , ours);
        }
    }

    #[test]
    fn no_bytes_panic_and_lenient_reading_only_adds(value in prop_oneof![any::<Vec<u8>>(), nearly_a_date()], now: i64, later: i64) {
        let strict = RetryAfter::read(&value, now, Reading::Strict);
        let lenient = RetryAfter::read(&value, now, Reading::Lenient);
        if let Ok(read) = strict {
            prop_assert_eq!(lenient, Ok(read));
        }
        if let Ok(read) = lenient {
            if let RetryAfter::Date(date) = read {
                prop_assert!((-62_167_219_200..=253_402_300_800).contains(&date.unix_seconds()));
            }
            let _ = read.wait(later);
        }
    }
}
