//! How long a request can take until its final failure.

use std::time::Duration;

use backoff_core::classify::Pace;
use backoff_core::policy::{Policy, TimeLimit, TotalTime};
use render::{Column, Table};
use serde_json::{Value, json};

use super::schedule::number;
use crate::models::Metrics;

/// The total time of requests whose attempts all fail in one way.
pub(super) struct Total {
    name: &'static str,
    time: TotalTime,
}

impl Total {
    fn greatest_s(&self) -> Option<f64> {
        self.time
            .greatest
            .duration()
            .map(|greatest| greatest.as_secs_f64())
    }

    fn mean_s(&self) -> Option<f64> {
        self.time.mean.map(|mean| mean.as_secs_f64())
    }

    pub(super) fn json(&self) -> Value {
        json!({
            "failures": self.name,
            "least_s": self.time.least.as_secs_f64(),
            "mean_s": self.mean_s(),
            "greatest_s": self.greatest_s(),
        })
    }
}

/// What an attempt takes on average for the mean: its whole timeout if it has one.
fn attempt_mean(policy: &Policy) -> Duration {
    policy
        .own_attempt_timeout()
        .duration()
        .unwrap_or(Duration::ZERO)
}

pub(super) fn of(policy: &Policy) -> [Total; 2] {
    [
        ("transient", Pace::Transient),
        ("throttling", Pace::Throttling),
    ]
    .map(|(name, pace)| Total {
        name,
        time: policy.total_time(pace, attempt_mean(policy)),
    })
}

pub(super) fn table(policy: &Policy, totals: &[Total]) -> Table {
    let mut table = Table::new([
        Column::left("every attempt fails"),
        Column::right("least s"),
        Column::right("mean s"),
        Column::right("greatest s"),
    ]);
    for total in totals {
        let mean = total.mean_s().map_or_else(|| "-".to_owned(), number);
        let greatest = total
            .greatest_s()
            .map_or_else(|| "no limit".to_owned(), number);
        let cells = [
            total.name.to_owned(),
            number(total.time.least.as_secs_f64()),
            mean,
            greatest,
        ];
        table.push(cells).expect("four cells for four columns");
    }
    let attempts = policy.max_attempts();
    table.note(match policy.own_attempt_timeout() {
        TimeLimit::Within(timeout) => format!(
            "The time to the final failure of at most {attempts} attempts of up to {timeout:?} each; the mean is for attempts that all time out."
        ),
        TimeLimit::Unlimited => format!(
            "The time to the final failure of at most {attempts} attempts without a timeout; the mean is for attempts that fail at once."
        ),
    });
    table
}

pub(super) fn measure(policy: &Policy, totals: &[Total], metrics: &mut Metrics) {
    if let TimeLimit::Within(timeout) = policy.own_attempt_timeout() {
        let all = timeout.as_secs_f64() * f64::from(policy.max_attempts());
        metrics.add("attempts alone", "total_s", "max", all);
    }
    for total in totals {
        let statistics = [
            ("min", Some(total.time.least.as_secs_f64())),
            ("mean", total.mean_s()),
            ("max", total.greatest_s()),
        ];
        for (statistic, value) in statistics {
            if let Some(value) = value {
                metrics.add(total.name, "total_s", statistic, value);
            }
        }
    }
}
