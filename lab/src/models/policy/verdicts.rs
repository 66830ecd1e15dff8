//! The verdict tables, asked of the policy answer by answer.

use backoff_core::budget::Unlimited;
use backoff_core::classify::{GrpcCode, GrpcLists, Idempotency, TransportError};
use backoff_core::policy::{Decision, Outcome, Policy};
use render::{Column, Table};
use serde_json::{Value, json};
use std::time::Duration;

use crate::models::Metrics;

/// The requests for which the HTTP answers are played out: a name, a method, whether it carries an idempotency key.
const REQUESTS: [(&str, &str, bool); 3] = [
    ("GET", "GET", false),
    ("POST", "POST", false),
    ("POST with key", "POST", true),
];

/// What the policy does after one answer, or after each of a range of statuses.
#[derive(Debug)]
pub(super) struct Http {
    first: String,
    last: Option<u16>,
    /// The verdict, as `backoff-core` words it.
    verdict: String,
    /// The most retries of each of [`REQUESTS`].
    retries: [u32; REQUESTS.len()],
}

/// What the policy does after one gRPC code.
#[derive(Debug)]
pub(super) struct Grpc {
    code: GrpcCode,
    verdict: String,
    /// The verdict under the same policy with this code as the one listed.
    if_listed: String,
    /// The most retries of an idempotent and of another request.
    retries: [u32; 2],
    /// The same with this code as the one listed.
    retries_if_listed: [u32; 2],
}

/// How a gRPC code's two numbers of retries are named.
const BY_IDEMPOTENCY: [&str; 2] = ["idempotent", "not idempotent"];

/// The most retries of a request that always fails so: attempts fail at once, and waits are the least.
fn retries(policy: &Policy, idempotency: Idempotency, outcome: &Outcome<'_>) -> u32 {
    let mut now = Duration::ZERO;
    let mut request = policy.request(idempotency, now, Unlimited);
    let mut retries = 0;
    while let Decision::Retry { after } = request.decide(outcome, now, 0.0) {
        now = now.saturating_add(after);
        retries += 1;
    }
    retries
}

impl Http {
    fn of(policy: &Policy, name: String, outcome: &Outcome<'_>) -> Self {
        Self {
            first: name,
            last: None,
            verdict: policy.verdict(outcome).to_string(),
            retries: REQUESTS.map(|(_, method, has_key)| {
                retries(policy, Idempotency::of_method(method, has_key), outcome)
            }),
        }
    }

    /// `502-504`, `429`, `a timeout`.
    fn name(&self) -> String {
        match self.last {
            Some(last) => format!("{}-{last}", self.first),
            None => self.first.clone(),
        }
    }

    pub(super) fn json(&self) -> Value {
        let retries = REQUESTS.iter().zip(self.retries);
        let retries: serde_json::Map<String, Value> = retries
            .map(|((name, ..), retries)| ((*name).to_owned(), retries.into()))
            .collect();
        json!({ "answer": self.name(), "retried": self.verdict, "retries": retries })
    }
}

impl Grpc {
    pub(super) fn json(&self) -> Value {
        json!({
            "code": self.code.name(),
            "number": self.code.number(),
            "retried": self.verdict,
            "if_listed": self.if_listed,
            "retries": { "idempotent": self.retries[0], "not idempotent": self.retries[1] },
        })
    }
}

/// Every HTTP status, those side by side that are treated alike as one; then a throttling code and the transport errors.
pub(super) fn http(policy: &Policy) -> Vec<Http> {
    let mut rows: Vec<Http> = Vec::new();
    for status in 100..=599 {
        let row = Http::of(policy, format!("HTTP {status}"), &Outcome::http(status));
        match rows.last_mut() {
            Some(before) if (&before.verdict, before.retries) == (&row.verdict, row.retries) => {
                before.last = Some(status);
            }
            _ => rows.push(row),
        }
    }
    if let Some(code) = policy.classes().throttling_codes.names().next() {
        let outcome = Outcome::http_with_code(400, code);
        rows.push(Http::of(policy, format!("HTTP 400 {code}"), &outcome));
    }
    for error in TransportError::ALL {
        rows.push(Http::of(
            policy,
            error.to_string(),
            &Outcome::transport(error),
        ));
    }
    rows
}

/// Every gRPC code.
pub(super) fn grpc(policy: &Policy) -> Vec<Grpc> {
    let of = |code| {
        let outcome = Outcome::grpc(code);
        let listed = GrpcLists {
            retryable: vec![code],
            ..policy.classes().grpc.lists().clone()
        };
        let listed = listed.build().map(|classes| classes.verdict(code));
        let most = |outcome: Outcome<'_>| {
            [Idempotency::Idempotent, Idempotency::NotIdempotent]
                .map(|idempotency| retries(policy, idempotency, &outcome))
        };
        Grpc {
            code,
            verdict: policy.verdict(&outcome).to_string(),
            if_listed: match listed {
                Ok(verdict) => verdict.to_string(),
                Err(_) => "may not be listed".to_owned(),
            },
            retries: most(outcome),
            retries_if_listed: listed.map_or([0, 0], |verdict| most(Outcome::judged(verdict))),
        }
    };
    GrpcCode::ALL.map(of).into()
}

pub(super) fn http_table(policy: &Policy, rows: &[Http]) -> Table {
    let mut columns = vec![Column::left("answer"), Column::left("retried")];
    columns.extend(REQUESTS.map(|(name, ..)| Column::right(name)));
    let mut table = Table::new(columns);
    for row in rows {
        let mut cells = vec![row.name(), row.verdict.clone()];
        cells.extend(row.retries.map(|retries| retries.to_string()));
        table.push(cells).expect("a cell for each request");
    }
    table.note(format!(
        "Under each request: the most retries when every attempt fails so, of at most {} attempts.",
        policy.max_attempts()
    ));
    table
}

pub(super) fn grpc_table(rows: &[Grpc]) -> Table {
    let mut table = Table::new([
        Column::left("gRPC status"),
        Column::right("number"),
        Column::left("retried"),
        Column::left("if listed as retryable"),
    ]);
    for row in rows {
        let cells = [
            row.code.name().to_owned(),
            row.code.number().to_string(),
            row.verdict.clone(),
            row.if_listed.clone(),
        ];
        table.push(cells).expect("four cells for four columns");
    }
    table
}

pub(super) fn measure(http: &[Http], grpc: &[Grpc], metrics: &mut Metrics) {
    for row in http {
        for ((name, ..), retries) in REQUESTS.iter().zip(row.retries) {
            metrics.add(&row.name(), "retries", name, retries.into());
        }
    }
    for row in grpc {
        for (measure, retries) in [
            ("retries", row.retries),
            ("retries_if_listed", row.retries_if_listed),
        ] {
            for (name, retries) in BY_IDEMPOTENCY.iter().zip(retries) {
                metrics.add(row.code.name(), measure, name, retries.into());
            }
        }
    }
}
