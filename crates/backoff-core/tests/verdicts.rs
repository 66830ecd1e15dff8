//! The verdict tables, row by row, over every status, code and method.

use backoff_core::classify::{
    Classes, GrpcCode, GrpcLists, HttpClasses, Idempotency, Terms, ThrottlingCodes,
    TransportClasses, TransportError, TransportRule, Verdict, Why,
};

const AT_MOST_ONCE: Terms = Terms {
    at_most: Some(1),
    ..Terms::TRANSIENT
};

#[test]
fn every_http_status_has_the_verdict_of_the_table() {
    let classes = HttpClasses::default();
    for status in 0..=u16::MAX {
        let expected = match status {
            100..=399 => Verdict::NothingFailed,
            429 | 509 => Verdict::Retry(Terms::THROTTLING),
            408 | 425 | 502..=504 | 506..=508 | 510..=599 => Verdict::Retry(Terms::TRANSIENT),
            500 => Verdict::Retry(AT_MOST_ONCE),
            501 | 505 => Verdict::Never(Why::NotLearned),
            400..=499 => Verdict::Never(Why::SameAgain),
            _ => Verdict::Never(Why::NotAStatus),
        };
        assert_eq!(classes.verdict(status), expected, "{status}");
    }
}

#[test]
fn verdicts_read_as_the_table_does() {
    let classes = Classes::default();
    for (status, text) in [
        (200, "no: nothing failed"),
        (304, "no: nothing failed"),
        (404, "no: the same request fails again"),
        (408, "yes"),
        (429, "yes, as throttling"),
        (500, "yes, at most once"),
        (501, "no: the server will not learn it by waiting"),
        (0, "no: not an HTTP status"),
    ] {
        assert_eq!(classes.http(status, None).to_string(), text);
    }
    assert_eq!(
        classes.transport.verdict(TransportError::Reset).to_string(),
        "yes, if the request is idempotent"
    );
}

#[test]
fn a_throttling_code_makes_any_failed_status_throttling() {
    let classes = Classes::default();
    for code in [
        "Throttling",
        "ThrottlingException",
        "RequestLimitExceeded",
        "SlowDown",
    ] {
        for status in 0..=u16::MAX {
            let expected = if (400..=599).contains(&status) {
                Verdict::Retry(Terms::THROTTLING)
            } else {
                classes.http(status, None)
            };
            assert_eq!(
                classes.http(status, Some(code)),
                expected,
                "{status} {code}"
            );
        }
    }
    for code in [
        "",
        "throttling",
        "Throttlin",
        "Throttling2",
        "ValidationException",
        "\u{0}",
        "#",
        ":",
    ] {
        assert_eq!(
            classes.http(400, Some(code)),
            classes.http(400, None),
            "{code}"
        );
    }
    let own = Classes {
        throttling_codes: ThrottlingCodes::new(["Busy"]).unwrap(),
        ..Classes::default()
    };
    assert!(own.http(400, Some("Busy")).is_retryable());
    assert!(!own.http(400, Some("Throttling")).is_retryable());
}

#[test]
fn grpc_retries_unavailable_alone_unless_configured() {
    let classes = Classes::default();
    for code in GrpcCode::ALL {
        let verdict = classes.grpc.verdict(code);
        assert_eq!(
            verdict.is_retryable(),
            code == GrpcCode::Unavailable,
            "{code}"
        );
    }
    assert_eq!(classes.grpc.verdict(GrpcCode::Ok), Verdict::NothingFailed);
    assert_eq!(
        classes.grpc.verdict(GrpcCode::Internal),
        Verdict::Never(Why::NotListed)
    );
    assert_eq!(
        classes.grpc.verdict(GrpcCode::InvalidArgument),
        Verdict::Never(Why::SameAgain)
    );

    let lists = GrpcLists {
        retryable: vec![
            GrpcCode::Internal,
            GrpcCode::ResourceExhausted,
            GrpcCode::Aborted,
        ],
        ..GrpcLists::default()
    };
    let classes = lists.build().unwrap();
    assert_eq!(
        classes.verdict(GrpcCode::Internal),
        Verdict::Retry(Terms::IF_IDEMPOTENT)
    );
    assert_eq!(
        classes.verdict(GrpcCode::ResourceExhausted),
        Verdict::Retry(Terms::THROTTLING)
    );
    assert_eq!(
        classes.verdict(GrpcCode::Aborted),
        Verdict::Retry(Terms::TRANSIENT)
    );
    assert_eq!(
        classes.verdict(GrpcCode::Unavailable),
        Verdict::Never(Why::NotListed)
    );
}

#[test]
fn transport_errors_are_retried_if_the_request_is_idempotent() {
    for error in TransportError::ALL {
        assert_eq!(
            TransportClasses::default().verdict(error),
            Verdict::Retry(Terms::IF_IDEMPOTENT)
        );
    }
    let own = TransportClasses {
        connect: TransportRule::Retry,
        timeout: TransportRule::Never,
        ..TransportClasses::default()
    };
    assert_eq!(
        own.verdict(TransportError::Connect),
        Verdict::Retry(Terms::TRANSIENT)
    );
    assert_eq!(
        own.verdict(TransportError::Timeout),
        Verdict::Never(Why::NotListed)
    );
}

#[test]
fn only_post_and_patch_become_idempotent_by_a_key() {
    for method in ["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"] {
        for key in [false, true] {
            assert_eq!(
                Idempotency::of_method(method, key),
                Idempotency::Idempotent,
                "{method}"
            );
        }
    }
    for method in ["POST", "PATCH"] {
        assert_eq!(
            Idempotency::of_method(method, true),
            Idempotency::Idempotent
        );
        assert_eq!(
            Idempotency::of_method(method, false),
            Idempotency::NotIdempotent
        );
    }
    for method in ["CONNECT", "PROPFIND", "get", "Post", "", " GET", "GET "] {
        for key in [false, true] {
            assert_eq!(
                Idempotency::of_method(method, key),
                Idempotency::NotIdempotent,
                "{method:?}"
            );
        }
    }
}

#[cfg(feature = "std")]
#[test]
fn io_errors_are_told_apart() {
    use std::io::ErrorKind;
    for (kind, error) in [
        (ErrorKind::ConnectionRefused, Some(TransportError::Connect)),
        (ErrorKind::ConnectionReset, Some(TransportError::Reset)),
        (ErrorKind::UnexpectedEof, Some(TransportError::Reset)),
        (ErrorKind::TimedOut, Some(TransportError::Timeout)),
        (ErrorKind::WouldBlock, Some(TransportError::Timeout)),
        (ErrorKind::PermissionDenied, None),
        (ErrorKind::InvalidInput, None),
    ] {
        assert_eq!(TransportError::from_io(kind), error, "{kind:?}");
    }
}

#[cfg(feature = "http")]
#[test]
fn an_empty_idempotency_key_is_none() {
    let mut headers = http::HeaderMap::new();
    let of = |headers: &http::HeaderMap| Idempotency::of_request(&http::Method::POST, headers);
    assert_eq!(of(&headers), Idempotency::NotIdempotent);
    headers.insert("Idempotency-Key", "  ".parse().unwrap());
    assert_eq!(of(&headers), Idempotency::NotIdempotent);
    headers.insert("Idempotency-Key", "8e03978e".parse().unwrap());
    assert_eq!(of(&headers), Idempotency::Idempotent);
}
