//! Every budget against a naive model that keeps the whole history and counts it anew for each decision.

use std::time::Duration;

use backoff_core::budget::{
    AdaptiveThrottlingConfig, Attempt, AwsQuotaConfig, Budget, BudgetConfig, DepositBucketConfig,
    Failure, Grant, GrpcThrottlingConfig, Ratio, RetryBudget, RetryRatioConfig,
};
use proptest::prelude::*;

mod model;

use model::{History, Model};

/// What a client does next; indices pick among the attempts in flight or the retries that wait.
#[derive(Debug, Clone)]
enum Step {
    First,
    Succeed(usize),
    Fail(usize, Failure, f64),
    Abandon(usize),
    SendRetry(usize),
    Forgo(usize),
}

fn step() -> impl Strategy<Value = Step> {
    let failure = prop_oneof![
        4 => Just(Failure::Transient),
        1 => Just(Failure::Timeout),
        1 => Just(Failure::Throttled),
        1 => Just(Failure::Final),
        1 => Just(Failure::NotRetried),
    ];
    let which = any::<usize>();
    prop_oneof![
        4 => Just(Step::First),
        2 => which.prop_map(Step::Succeed),
        6 => (which, failure, 0.0..1.0).prop_map(|(which, failure, unit)| Step::Fail(which, failure, unit)),
        1 => which.prop_map(Step::Abandon),
        4 => which.prop_map(Step::SendRetry),
        1 => which.prop_map(Step::Forgo),
    ]
}

fn time() -> impl Strategy<Value = i64> {
    prop_oneof![6 => Just(0_i64), 6 => 0_i64..40, 1 => -500_i64..0, 1 => 0_i64..3000]
}

fn steps() -> impl Strategy<Value = Vec<(i64, Step)>> {
    prop::collection::vec((time(), step()), 0..400)
}

fn take<T>(from: &mut Vec<T>, which: usize) -> Option<T> {
    (!from.is_empty()).then(|| from.swap_remove(which % from.len()))
}

/// Runs the history through the budget and the model; every decision must be the same.
fn agree(
    mut budget: Budget,
    model: &impl Model,
    steps: Vec<(i64, Step)>,
) -> Result<(), TestCaseError> {
    let mut history = History::default();
    let (mut in_flight, mut waiting): (Vec<Attempt>, Vec<(Grant, Failure)>) = (vec![], vec![]);
    let mut cost_in_flight: Vec<u64> = vec![];
    let mut clock = 0_i64;
    for (elapsed, step) in steps {
        clock = (clock + elapsed).max(0);
        let now = Duration::from_millis(clock.unsigned_abs());
        let (nothing_flies, nothing_waits) = (in_flight.is_empty(), waiting.is_empty());
        match step {
            // The budget isn't called, so it doesn't learn the time.
            Step::Succeed(_) | Step::Fail(..) | Step::Abandon(_) if nothing_flies => continue,
            Step::SendRetry(_) if nothing_waits => continue,
            Step::Abandon(_) | Step::Forgo(_) => {}
            _ => history.tell_time(clock.unsigned_abs()),
        }
        match step {
            Step::First => {
                budget.sent(now, &Attempt::First);
                history.sent(false);
                in_flight.push(Attempt::First);
                cost_in_flight.push(0);
            }
            Step::Succeed(which) => {
                if let (Some(attempt), Some(cost)) = (
                    take(&mut in_flight, which),
                    take(&mut cost_in_flight, which),
                ) {
                    history.succeeded(attempt != Attempt::First, cost);
                    budget.succeeded(now, attempt);
                }
            }
            Step::Abandon(which) => {
                let _ = take(&mut cost_in_flight, which);
                if let Some(attempt) = take(&mut in_flight, which) {
                    history.abandoned(attempt != Attempt::First);
                    budget.abandoned(attempt);
                }
            }
            Step::Fail(which, failure, unit) => {
                let _ = take(&mut cost_in_flight, which);
                if let Some(attempt) = take(&mut in_flight, which) {
                    history.failed(attempt != Attempt::First, failure);
                    budget.failed(now, attempt, failure);
                    let allowed = failure.is_retryable() && model.allows(&history, failure, unit);
                    let grant = budget.try_retry(now, failure, unit);
                    prop_assert_eq!(grant.is_some(), allowed, "at {} ms", clock);
                    history.decided(failure, allowed);
                    waiting.extend(grant.map(|grant| (grant, failure)));
                }
            }
            Step::SendRetry(which) => {
                if let Some((grant, failure)) = take(&mut waiting, which) {
                    let attempt = Attempt::Retry(grant);
                    budget.sent(now, &attempt);
                    history.sent(true);
                    in_flight.push(attempt);
                    cost_in_flight.push(model.cost(failure));
                }
            }
            Step::Forgo(which) => {
                if let Some((grant, failure)) = take(&mut waiting, which) {
                    budget.unused(grant);
                    history.unused(model.cost(failure));
                }
            }
        }
    }
    Ok(())
}

fn ratio(numerator: u32, denominator: u32) -> Ratio {
    Ratio::new("ratio", numerator, denominator).unwrap()
}

proptest! {
    #[test]
    fn grpc_throttling(max in 1_u32..12_000, per_success in 1_u32..2_000, steps in steps()) {
        let config = GrpcThrottlingConfig { max_milli_tokens: max, milli_token_ratio: per_success };
        let budget = BudgetConfig::GrpcThrottling(config).build().unwrap();
        agree(budget, &model::Throttling { max: max.into(), per_success: per_success.into() }, steps)?;
    }

    #[test]
    fn retry_ratio(num in 1_u32..5, den in 1_u32..12, slots in 1_u64..20, slot_ms in 1_u64..30, steps in steps()) {
        let config = RetryRatioConfig {
            ratio: ratio(num, den),
            window: Duration::from_millis(slots * slot_ms),
            resolution: Duration::from_millis(slot_ms),
        };
        let budget = BudgetConfig::RetryRatio(config).build().unwrap();
        let model = model::Window { num: num.into(), den: den.into(), slots, slot_ms };
        agree(budget, &model, steps)?;
    }

    #[test]
    fn cumulative_ratio(num in 0_u32..5, den in 1_u32..12, steps in steps()) {
        let budget = BudgetConfig::CumulativeRatio { ratio: ratio(num, den) }.build().unwrap();
        agree(budget, &model::Cumulative { num: num.into(), den: den.into() }, steps)?;
    }

    #[test]
    fn deposit_bucket(num in 0_u32..5, den in 1_u32..12, centiseconds in 100_u64..400, floor in 0_u32..4, steps in steps()) {
        let ttl_ms = 10 * centiseconds;
        let config = DepositBucketConfig { ttl: Duration::from_millis(ttl_ms), floor_per_s: floor, ratio: ratio(num, den) };
        let budget = BudgetConfig::DepositBucket(config).build().unwrap();
        let model = model::Deposits {
            num: num.into(),
            den: den.into(),
            floor_per_s: floor.into(),
            ttl_ms,
        };
        agree(budget, &model, steps)?;
    }

    #[test]
    fn aws_quota(capacity in 10_u32..60, costs in prop::array::uniform3(1_u32..11), first in 0_u32..4, steps in steps()) {
        let [transient_cost, timeout_cost, throttled_cost] = costs;
        let config = AwsQuotaConfig { capacity, transient_cost, timeout_cost, throttled_cost, first_success: first };
        let budget = BudgetConfig::AwsQuota(config).build().unwrap();
        let model = model::Quota { capacity: capacity.into(), costs: costs.map(u64::from), first: first.into() };
        agree(budget, &model, steps)?;
    }

    #[test]
    fn concurrency(num in 0_u32..5, den in 1_u32..12, min_retries in 0_u32..4, steps in steps()) {
        let budget = BudgetConfig::Concurrency { share: ratio(num, den), min_retries }.build().unwrap();
        agree(budget, &model::InFlight { num: num.into(), den: den.into(), min: min_retries.into() }, steps)?;
    }

    #[test]
    fn adaptive_throttling(k in 1_u32..4, slots in 1_u64..20, slot_ms in 1_u64..200, steps in steps()) {
        let config = AdaptiveThrottlingConfig {
            k: ratio(k, 1),
            window: Duration::from_millis(slots * slot_ms),
            resolution: Duration::from_millis(slot_ms),
        };
        let budget = BudgetConfig::AdaptiveThrottling(config).build().unwrap();
        agree(budget, &model::Adaptive { k: k.into(), slots, slot_ms }, steps)?;
    }

    /// Any configuration is refused or works; any order of calls, times and uniform numbers is taken.
    #[test]
    fn nothing_panics(config in any_config(), calls in prop::collection::vec((any::<(u64, u32)>(), 0_u8..6, any::<f64>()), 0..200)) {
        let Ok(mut budget) = config.build() else { return Ok(()) };
        let mut grants: Vec<Grant> = Vec::new();
        for ((secs, nanos), call, unit) in calls {
            let now = Duration::new(secs / 2, nanos);
            let attempt = match grants.pop() {
                Some(grant) if call % 2 == 0 => Attempt::Retry(grant),
                Some(grant) => {
                    budget.unused(grant);
                    Attempt::First
                }
                None => Attempt::First,
            };
            match call {
                0 => budget.succeeded(now, attempt),
                1 => budget.failed(now, attempt, Failure::Throttled),
                2 => budget.abandoned(attempt),
                3 => budget.sent(now, &attempt),
                _ => grants.extend(budget.try_retry(now, Failure::Transient, unit)),
            }
        }
    }
}

fn any_config() -> impl Strategy<Value = BudgetConfig> {
    let duration = || {
        prop_oneof![
            any::<(u64, u32)>().prop_map(|(secs, nanos)| Duration::new(secs / 2, nanos)),
            (0_u64..100_000).prop_map(Duration::from_millis),
            Just(Duration::MAX),
        ]
    };
    let fraction = || (any::<u32>(), 1..=u32::MAX).prop_map(|(num, den)| ratio(num, den));
    prop_oneof![
        any::<(u32, u32)>().prop_map(|(max, ratio)| BudgetConfig::GrpcThrottling(
            GrpcThrottlingConfig {
                max_milli_tokens: max >> (max % 24),
                milli_token_ratio: ratio >> (ratio % 24),
            }
        )),
        (fraction(), duration(), duration()).prop_map(|(ratio, window, resolution)| {
            BudgetConfig::RetryRatio(RetryRatioConfig {
                ratio,
                window,
                resolution,
            })
        }),
        fraction().prop_map(|ratio| BudgetConfig::CumulativeRatio { ratio }),
        (duration(), any::<u32>(), fraction()).prop_map(|(ttl, floor_per_s, ratio)| {
            BudgetConfig::DepositBucket(DepositBucketConfig {
                ttl,
                floor_per_s,
                ratio,
            })
        }),
        any::<(u32, u32, u32, u32)>().prop_map(|(capacity, a, b, first_success)| {
            BudgetConfig::AwsQuota(AwsQuotaConfig {
                capacity,
                transient_cost: a,
                timeout_cost: b,
                throttled_cost: a.min(b),
                first_success,
            })
        }),
        (fraction(), any::<u32>())
            .prop_map(|(share, min_retries)| BudgetConfig::Concurrency { share, min_retries }),
        (fraction(), duration(), duration()).prop_map(|(k, window, resolution)| {
            BudgetConfig::AdaptiveThrottling(AdaptiveThrottlingConfig {
                k,
                window,
                resolution,
            })
        }),
    ]
}
