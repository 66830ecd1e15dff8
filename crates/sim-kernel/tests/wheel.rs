//! The wheel against a sorted map of queues.

use std::collections::BTreeMap;

use proptest::prelude::*;
use sim_kernel::Wheel;

#[derive(Debug, Clone)]
enum Step {
    One(u64),
    Many(u64, u64),
    Each(Vec<u64>),
    Take(u8),
}

fn wait() -> impl Strategy<Value = u64> {
    prop_oneof![
        8 => 0_u64..4,
        8 => 0_u64..70,
        4 => 0_u64..1500,
        1 => Just(u64::MAX),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        wait().prop_map(Step::One),
        (wait(), 0_u64..700).prop_map(|(wait, count)| Step::Many(wait, count)),
        prop::collection::vec(wait(), 0..600).prop_map(Step::Each),
        (1_u8..80).prop_map(Step::Take),
    ]
}

/// Items of the width of T, told apart as far as that goes.
fn agrees<T: Copy + Default + PartialEq + std::fmt::Debug>(
    steps: &[Step],
    horizon: u64,
    ring: u64,
    item: impl Fn(u32) -> T,
) -> Result<(), TestCaseError> {
    let mut wheel = Wheel::with_ring(horizon, ring);
    let mut naive: BTreeMap<u64, Vec<T>> = BTreeMap::new();
    let mut never = 0;
    let mut scheduled = 0;
    let mut batch = Vec::new();
    let mut now = 0;
    for step in steps {
        let mut expect = |wait: u64, items: &[T]| match u64::checked_add(now, wait) {
            Some(due) if due < horizon => naive.entry(due).or_default().extend(items),
            _ => never += items.len() as u64,
        };
        match step {
            Step::One(wait) => {
                expect(*wait, &[item(scheduled)]);
                wheel.schedule(*wait, item(scheduled));
                scheduled += 1;
            }
            Step::Many(wait, count) => {
                expect(*wait, &vec![item(scheduled); *count as usize]);
                wheel.schedule_many(*wait, item(scheduled), *count);
                scheduled += 1;
            }
            Step::Each(waits) => {
                let items: Vec<T> = (scheduled..).take(waits.len()).map(&item).collect();
                for (&wait, &item) in waits.iter().zip(&items) {
                    expect(wait, &[item]);
                }
                wheel.schedule_each(waits, &items);
                scheduled += waits.len() as u32;
            }
            Step::Take(ticks) => {
                for _ in 0..*ticks {
                    wheel.take(&mut batch);
                    let expected = naive.remove(&now).unwrap_or_default();
                    if now < horizon {
                        prop_assert_eq!(&batch, &expected);
                    }
                    now += 1;
                    prop_assert_eq!(wheel.now(), now);
                }
            }
        }
        if now < horizon {
            // Short waits past the horizon may be kept; nothing is lost either way.
            let waiting: usize = naive.values().map(Vec::len).sum();
            prop_assert_eq!(wheel.kept() + wheel.beyond(), waiting as u64 + never);
        }
    }
    Ok(())
}

proptest! {
    /// Under short rings most of the waits are kept aside.
    #[test]
    fn takes_what_a_sorted_map_would(
        steps in prop::collection::vec(step(), 1..40),
        horizon in 1_u64..3000,
        ring in prop_oneof![0_u64..300, Just(u64::MAX)],
    ) {
        agrees(&steps, horizon, ring, |n| n as u8)?;
        agrees(&steps, horizon, ring, |n| n)?;
        agrees(&steps, horizon, ring, |n| [u64::from(n); 20])?;
        agrees(&steps, horizon, ring, |_| ())?;
    }
}
