//! The waits of each strategy, failure by failure.

use render::{Column, Table};
use serde_json::{Value, json};

use crate::models::Metrics;
use crate::scenario::Strategy;

/// A strategy's waits after failures 1, 2, …, in seconds.
pub(super) struct Schedule {
    name: String,
    waits: Vec<Wait>,
}

struct Wait {
    least: f64,
    mean: f64,
    greatest: f64,
}

impl Schedule {
    pub(super) fn json(&self) -> Value {
        let waits: Vec<Value> = self
            .waits
            .iter()
            .map(|wait| json!([wait.least, wait.mean, wait.greatest]))
            .collect();
        json!({ "name": self.name, "waits_s_least_mean_greatest": waits })
    }
}

pub(super) fn of(strategies: &[Strategy], failures: u32) -> Vec<Schedule> {
    let schedule = |strategy: &Strategy| Schedule {
        name: strategy.name.clone(),
        waits: (1..=failures)
            .map(|failure| {
                let (least, greatest) = strategy.backoff.bounds(failure);
                let mean = strategy.backoff.mean(failure);
                Wait {
                    least,
                    mean,
                    greatest,
                }
            })
            .collect(),
    };
    strategies.iter().map(schedule).collect()
}

pub(super) fn table(schedules: &[Schedule], failures: u32) -> Table {
    let mut columns = vec![Column::right("failure")];
    columns.extend(
        schedules
            .iter()
            .map(|schedule| Column::right(&schedule.name)),
    );
    let mut table = Table::new(columns);
    for index in 0..failures as usize {
        let mut cells = vec![(index + 1).to_string()];
        cells.extend(
            schedules
                .iter()
                .map(|schedule| schedule.waits[index].text()),
        );
        table.push(cells).expect("a cell for each schedule");
    }
    let jitter = schedules
        .iter()
        .flat_map(|schedule| &schedule.waits)
        .any(|wait| wait.least != wait.greatest);
    table.note(if jitter {
        "Seconds to wait after each failure; with jitter, the least and the greatest."
    } else {
        "Seconds to wait after each failure."
    });
    table
}

impl Wait {
    /// `30`, `2.25`, `0-30`.
    fn text(&self) -> String {
        if self.least == self.greatest {
            number(self.greatest)
        } else {
            format!("{}-{}", number(self.least), number(self.greatest))
        }
    }
}

/// The seconds with two decimals at most, without zeros behind them.
pub(super) fn number(seconds: f64) -> String {
    let text = format!("{seconds:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

pub(super) fn measure(schedules: &[Schedule], metrics: &mut Metrics) {
    for schedule in schedules {
        for (wait, failure) in schedule.waits.iter().zip(1..) {
            let measure = format!("wait_{failure}_s");
            metrics.add(&schedule.name, &measure, "min", wait.least);
            metrics.add(&schedule.name, &measure, "mean", wait.mean);
            metrics.add(&schedule.name, &measure, "max", wait.greatest);
        }
    }
}
