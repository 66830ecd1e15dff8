//! HTTP status codes.

use alloc::{format, vec, vec::Vec};

use super::{Requests, Terms, Verdict, Why};
use crate::config::ConfigError;

/// The statuses of each class, not yet checked; [`HttpLists::default`] is this crate's table.
///
/// | status | verdict |
/// |---|---|
/// | below 400 | nothing failed |
/// | 408, 425, 502, 503, 504 | retry |
/// | 429, 509 | retry, as throttling |
/// | 500 | retry, at most once: it may be a broken deployment |
/// | 501, 505 | never: the server will not learn it by waiting |
/// | other 5xx | retry, unless `other_server_errors` says never |
/// | other 4xx | never: the same request fails again |
///
/// By this table a POST is retried after a 502 or 504 too, although a gateway's timeout doesn't mean "not processed".
/// [`HttpLists::cautious`] retries only idempotent requests after answers that leave it open.
///
/// Sources: RFC 9110, section 15, for the meanings; RFC 6585 (429), RFC 8470 (425).
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct HttpLists {
    /// Retried like any transient failure.
    pub retry: Vec<u16>,
    /// Retried with the throttling backoff.
    pub throttling: Vec<u16>,
    /// Retried, but only [`limited_retries`](Self::limited_retries) times for one request.
    pub limited: Vec<u16>,
    /// How many retries the limited statuses may cause together for one request; 0 or more.
    pub limited_retries: u32,
    /// Never retried.
    pub never: Vec<u16>,
    /// Of the retried ones, those that don't say whether the request was processed: retried only if it is idempotent.
    pub only_if_idempotent: Vec<u16>,
    /// What is done about 5xx in no list.
    pub other_server_errors: OtherServerErrors,
}

/// What is done about 5xx statuses that stand in no list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum OtherServerErrors {
    /// They are retried like any transient failure.
    #[default]
    Retry,
    /// They are retried if the request is idempotent.
    RetryIfIdempotent,
    /// They are never retried.
    Never,
}

impl Default for HttpLists {
    fn default() -> Self {
        Self {
            retry: vec![408, 425, 502, 503, 504],
            throttling: vec![429, 509],
            limited: vec![500],
            limited_retries: 1,
            never: vec![501, 505],
            only_if_idempotent: Vec::new(),
            other_server_errors: OtherServerErrors::Retry,
        }
    }
}

impl HttpLists {
    /// The default table, but 500, 502, 504 and unlisted 5xx, which don't say whether the request was processed, are retried
    /// only for idempotent requests.
    #[must_use]
    pub fn cautious() -> Self {
        Self {
            only_if_idempotent: vec![500, 502, 504],
            other_server_errors: OtherServerErrors::RetryIfIdempotent,
            ..Self::default()
        }
    }

    /// The checked table.
    ///
    /// # Errors
    /// A status outside [400, 599]; one that stands in two of `retry`, `throttling`, `limited` and `never`, or twice in a list;
    /// one in `only_if_idempotent` that isn't retried.
    pub fn build(self) -> Result<HttpClasses, ConfigError> {
        let mut listed = [false; 200];
        let lists = [
            ("retry", &self.retry),
            ("throttling", &self.throttling),
            ("limited", &self.limited),
            ("never", &self.never),
        ];
        for (field, statuses) in lists {
            for &status in statuses {
                let at = usize::from(status).checked_sub(400);
                match at.and_then(|at| listed.get_mut(at)) {
                    None => return Err(refused(field, status, "a status in [400, 599]")),
                    Some(true) => return Err(refused(field, status, "listed only once")),
                    Some(seen) => *seen = true,
                }
            }
        }
        let classes = HttpClasses { lists: self };
        for &status in &classes.lists.only_if_idempotent {
            if !classes.verdict(status).is_retryable() {
                let allowed = "a status that is retried";
                return Err(refused("only_if_idempotent", status, allowed));
            }
        }
        Ok(classes)
    }
}

fn refused(field: &'static str, status: u16, allowed: &str) -> ConfigError {
    ConfigError {
        field,
        value: format!("{status}"),
        allowed: allowed.into(),
    }
}

/// Which HTTP statuses may be retried: a checked [`HttpLists`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HttpClasses {
    lists: HttpLists,
}

impl HttpClasses {
    /// The verdict on a status, for any `u16`.
    #[must_use]
    pub fn verdict(&self, status: u16) -> Verdict {
        let lists = &self.lists;
        let terms = match status {
            100..=399 => return Verdict::NothingFailed,
            0..=99 | 600.. => return Verdict::Never(Why::NotAStatus),
            _ if lists.never.contains(&status) => {
                return Verdict::Never(if status < 500 {
                    Why::SameAgain
                } else {
                    Why::NotLearned
                });
            }
            _ if lists.retry.contains(&status) => Terms::TRANSIENT,
            _ if lists.throttling.contains(&status) => Terms::THROTTLING,
            _ if lists.limited.contains(&status) => Terms {
                at_most: Some(lists.limited_retries),
                ..Terms::TRANSIENT
            },
            400..=499 => return Verdict::Never(Why::SameAgain),
            500..=599 => match lists.other_server_errors {
                OtherServerErrors::Retry => Terms::TRANSIENT,
                OtherServerErrors::RetryIfIdempotent => Terms::IF_IDEMPOTENT,
                OtherServerErrors::Never => return Verdict::Never(Why::NotListed),
            },
        };
        let requests = if lists.only_if_idempotent.contains(&status) {
            Requests::Idempotent
        } else {
            terms.requests
        };
        Verdict::Retry(Terms { requests, ..terms })
    }

    /// The lists behind the verdicts.
    #[must_use]
    pub fn lists(&self) -> &HttpLists {
        &self.lists
    }
}

#[cfg(test)]
mod tests {
    use super::{HttpClasses, HttpLists, OtherServerErrors};
    use crate::classify::{Terms, Verdict, Why};

    #[test]
    fn the_default_lists_and_the_cautious_ones_are_allowed() {
        assert_eq!(HttpLists::default().build(), Ok(HttpClasses::default()));
        assert!(HttpLists::cautious().build().is_ok());
    }

    #[test]
    fn cautious_lists_change_nothing_but_who_may_retry() {
        let usual = HttpClasses::default();
        let cautious = HttpLists::cautious().build().unwrap();
        for status in 0..=u16::MAX {
            let (usual, cautious) = (usual.verdict(status), cautious.verdict(status));
            match (usual, cautious) {
                (Verdict::Retry(a), Verdict::Retry(b)) => {
                    assert_eq!((a.pace, a.at_most), (b.pace, b.at_most));
                    let says_not_processed = matches!(status, 408 | 425 | 429 | 503 | 509);
                    assert_eq!(a == b, says_not_processed, "{status}");
                }
                _ => assert_eq!(usual, cautious, "{status}"),
            }
        }
    }

    #[test]
    fn lists_that_contradict_themselves_are_refused_by_name() {
        let twice = |field: &str| {
            let mut lists = HttpLists::default();
            match field {
                "retry" => lists.retry.push(503),
                "throttling" => lists.throttling.push(503),
                "limited" => lists.limited.push(503),
                _ => lists.never.push(503),
            }
            lists.build().unwrap_err()
        };
        for field in ["retry", "throttling", "limited", "never"] {
            let error = twice(field);
            assert_eq!(error.field, field);
            assert_eq!(error.value, "503");
        }
        for status in [0, 200, 399, 600, u16::MAX] {
            let lists = HttpLists {
                retry: alloc::vec![status],
                ..HttpLists::default()
            };
            assert_eq!(lists.build().unwrap_err().field, "retry", "{status}");
            let lists = HttpLists {
                only_if_idempotent: alloc::vec![status],
                ..HttpLists::default()
            };
            assert_eq!(lists.build().unwrap_err().field, "only_if_idempotent");
        }
    }

    #[test]
    fn each_list_can_be_replaced() {
        let lists = HttpLists {
            retry: alloc::vec![404, 500],
            throttling: alloc::vec![420],
            limited: alloc::vec![502],
            limited_retries: 2,
            never: alloc::vec![503, 429],
            only_if_idempotent: alloc::vec![404],
            other_server_errors: OtherServerErrors::Never,
        };
        let classes = lists.build().unwrap();
        assert_eq!(classes.verdict(404), Verdict::Retry(Terms::IF_IDEMPOTENT));
        assert_eq!(classes.verdict(500), Verdict::Retry(Terms::TRANSIENT));
        assert_eq!(classes.verdict(420), Verdict::Retry(Terms::THROTTLING));
        let twice = Terms {
            at_most: Some(2),
            ..Terms::TRANSIENT
        };
        assert_eq!(classes.verdict(502), Verdict::Retry(twice));
        assert_eq!(classes.verdict(503), Verdict::Never(Why::NotLearned));
        assert_eq!(classes.verdict(429), Verdict::Never(Why::SameAgain));
        assert_eq!(classes.verdict(599), Verdict::Never(Why::NotListed));
    }
}
