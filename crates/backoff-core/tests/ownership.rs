//! Error ownership: the whole table of decisions, whole chains by hand, and the header.

use backoff_core::ownership::{Mark, MarkHeader, Retries, Service};
use proptest::prelude::*;

use Mark::{Claimed, DontRetry, Overloaded, Unclaimed, Unmarked};
use Service::{Aware, ContextLost, Unaware};

#[test]
fn the_whole_table() {
    // Got; may an aware service retry; what it passes on with a retry configured, and without.
    for (mark, may_retry, configured, not_configured) in [
        (Unmarked, true, Unclaimed, Claimed),
        (Claimed, true, Unclaimed, Claimed),
        (Overloaded, true, DontRetry, DontRetry),
        (Unclaimed, false, Unclaimed, Unclaimed),
        (DontRetry, false, DontRetry, DontRetry),
    ] {
        assert_eq!(Aware.may_retry(mark), may_retry);
        assert_eq!(Aware.passes_on(mark, Retries::Configured), configured);
        assert_eq!(
            Aware.passes_on(mark, Retries::NotConfigured),
            not_configured
        );
        assert_eq!(ContextLost.may_retry(mark), may_retry, "as usual");
        assert!(Unaware.may_retry(mark), "every error");
        for retries in [Retries::Configured, Retries::NotConfigured] {
            assert_eq!(ContextLost.passes_on(mark, retries), Claimed, "by mistake");
            assert_eq!(Unaware.passes_on(mark, retries), Unmarked);
        }
    }
    for (service, fails, refuses) in [
        (Aware, Claimed, Overloaded),
        (ContextLost, Claimed, Overloaded),
        (Unaware, Unmarked, Unmarked),
    ] {
        assert_eq!(service.fails(), fails);
        assert_eq!(service.refuses(), refuses);
    }
}

/// Which callers retry an error that starts with `mark`, from the one next to the fault upwards.
fn retrying(mark: Mark, callers: &[(Service, Retries)]) -> Vec<bool> {
    let mut mark = mark;
    callers
        .iter()
        .map(|&(service, retries)| {
            let retried = service.may_retry(mark) && retries == Retries::Configured;
            mark = service.passes_on(mark, retries);
            retried
        })
        .collect()
}

#[test]
fn only_the_caller_next_to_the_fault_retries() {
    let c = Retries::Configured;
    let n = Retries::NotConfigured;
    let chain = |mark, services: [(Service, Retries); 3]| retrying(mark, &services);
    // C, B, A.
    assert_eq!(
        chain(Claimed, [(Aware, c), (Aware, c), (Aware, c)]),
        [true, false, false]
    );
    assert_eq!(
        chain(Overloaded, [(Aware, c), (Aware, c), (Aware, c)]),
        [true, false, false]
    );
    // C unaware: B is the first aware service, and the last to retry.
    assert_eq!(
        chain(Claimed, [(Unaware, c), (Aware, c), (Aware, c)]),
        [true, true, false]
    );
    assert_eq!(
        chain(Claimed, [(ContextLost, c), (Aware, c), (Aware, c)]),
        [true, true, false]
    );
    // The opportunity goes up to the first configured edge, and ends there.
    assert_eq!(
        chain(Claimed, [(Aware, n), (Aware, c), (Aware, c)]),
        [false, true, false]
    );
    assert_eq!(
        chain(Unmarked, [(Aware, n), (Aware, n), (Aware, c)]),
        [false, false, true]
    );
    // The older remedy knows no opportunity.
    assert_eq!(
        chain(Overloaded, [(Aware, n), (Aware, c), (Aware, c)]),
        [false, false, false]
    );
}

fn services() -> impl Strategy<Value = Vec<(Service, Retries)>> {
    let service = prop_oneof![Just(Aware), Just(ContextLost), Just(Unaware)];
    let retries = prop_oneof![Just(Retries::Configured), Just(Retries::NotConfigured)];
    prop::collection::vec((service, retries), 1..10)
}

proptest! {
    #[test]
    fn aware_chains_use_exactly_one_configured_retry(retries in prop::collection::vec(any::<bool>(), 1..12)) {
        let callers: Vec<_> = retries.iter().map(|configured| {
            (Aware, if *configured { Retries::Configured } else { Retries::NotConfigured })
        }).collect();
        let used = retrying(Claimed, &callers);
        let first = retries.iter().position(|configured| *configured);
        prop_assert_eq!(used.iter().position(|retried| *retried), first);
        prop_assert_eq!(used.iter().filter(|retried| **retried).count(), usize::from(first.is_some()));
    }

    #[test]
    fn each_mistaken_service_lets_at_most_one_more_caller_retry(callers in services()) {
        let used = retrying(Claimed, &callers).iter().filter(|retried| **retried).count();
        let mistaken = callers.iter().filter(|(service, _)| *service != Aware).count();
        // An unaware service retries by itself and hides the mark from one more.
        prop_assert!(used <= 1 + 2 * mistaken);
    }

    #[test]
    fn any_header_is_read_without_a_panic(name in any::<Vec<u8>>(), value in any::<Vec<u8>>()) {
        MarkHeader::default().read([(name, value)]);
    }

    #[test]
    fn any_name_is_accepted_or_refused(name in ".{0,12}") {
        if let Ok(header) = MarkHeader::new(&name) {
            for mark in Mark::ALL {
                prop_assert_eq!(header.read(header.write(mark)), mark);
            }
        }
    }
}

#[test]
fn a_mark_is_read_as_it_was_written_and_junk_is_no_mark() {
    for (value, mark) in [
        ("claimed", Claimed),
        (" \tClaimed ", Claimed),
        ("UNCLAIMED", Unclaimed),
        ("overloaded", Overloaded),
        ("dont-retry", DontRetry),
        ("unclaimed; by=orders", Unclaimed),
        ("", Unmarked),
        (",", Unmarked),
        (";claimed", Unmarked),
        ("claim", Unmarked),
        ("claimed unclaimed", Unmarked),
        ("unmarked", Unmarked),
        ("\u{0}\u{ff}", Unmarked),
        // Of several, the one that forbids most.
        ("claimed, unclaimed", Unclaimed),
        ("unclaimed, junk", Unclaimed),
        ("claimed,overloaded", Overloaded),
    ] {
        assert_eq!(MarkHeader::parse(value.as_bytes()), mark, "{value:?}");
    }
    let header = MarkHeader::new("X-Owner").unwrap();
    assert_eq!(header.name(), "x-owner");
    let answer = [("x-owner", "claimed"), ("X-OWNER", "unclaimed")];
    assert_eq!(header.read(answer), Unclaimed);
    assert_eq!(header.read([("error-ownership", "claimed")]), Unmarked);
    assert_eq!(header.write(Unmarked), None);
}

#[test]
fn impossible_header_names_are_refused_by_name() {
    for name in ["", "a b", "a:b", "ä", "a\r\n", "(a)"] {
        let message = MarkHeader::new(name).unwrap_err().to_string();
        assert!(
            message.starts_with(&format!("header = {name:?}: must be a header name")),
            "{message}"
        );
    }
}
