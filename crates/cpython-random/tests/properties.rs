//! What holds for every seed and every argument.

use std::collections::HashSet;

use cpython_random::Random;
use proptest::num::f64::ANY;
use proptest::prelude::*;
use rand_core::Rng;

/// `sample` written as CPython's source has it, with a pool and a set.
fn sample_as_written(random: &mut Random, n: u32, k: u32) -> Vec<u32> {
    let mut set_size = 21;
    if k > 5 {
        set_size += 4u64.pow((f64::from(k) * 3.0).log(4.0).ceil() as u32);
    }
    if u64::from(n) <= set_size {
        let mut pool: Vec<u32> = (0..n).collect();
        (0..k)
            .map(|_| pool.swap_remove(random.randrange(pool.len() as u64) as usize))
            .collect()
    } else {
        let mut selected = HashSet::new();
        let mut hit = || loop {
            let position = random.randrange(u64::from(n)) as u32;
            if selected.insert(position) {
                return position;
            }
        };
        (0..k).map(|_| hit()).collect()
    }
}

proptest! {
    #[test]
    fn random_is_a_multiple_of_two_to_the_minus_53(seed: u128) {
        let unit = Random::new(seed).random();
        prop_assert!((0.0..1.0).contains(&unit));
        prop_assert_eq!((unit * 2f64.powi(53)).fract(), 0.0);
    }

    #[test]
    fn uniform_is_the_formula(seed: u128, low in ANY, high in ANY) {
        let unit = Random::new(seed).random();
        let expected = low + (high - low) * unit;
        prop_assert_eq!(Random::new(seed).uniform(low, high).to_bits(), expected.to_bits());
    }

    #[test]
    fn bits_fit_and_take_the_words_they_need(seed: u128, bits in 0u32..=300) {
        let mut random = Random::new(seed);
        let number = random.getrandbits(bits);
        prop_assert_eq!(number.checked_shr(bits).unwrap_or(0), 0);
        let mut words = Random::new(seed);
        for _ in 0..bits.div_ceil(32) {
            words.next_u32();
        }
        prop_assert_eq!(random, words);
    }

    #[test]
    fn ranges_are_kept(seed: u128, n in 1u64..) {
        prop_assert!(Random::new(seed).randrange(n) < n);
    }

    #[test]
    fn samples_are_pythons(seed: u128, n in 0u32..6000, share in 0.0..1.0f64, few in 0u32..40) {
        let mut positions = Vec::new();
        for k in [few.min(n), (f64::from(n) * share) as u32] {
            let mut random = Random::new(seed);
            let mut model = random.clone();
            random.sample(n, k, &mut positions);
            prop_assert_eq!(&positions, &sample_as_written(&mut model, n, k));
            prop_assert_eq!(random, model);
        }
    }

    #[test]
    fn a_warm_sample_keeps_its_memory(seed: u128, n in 0u32..6000, k in 0u32..500) {
        let mut random = Random::new(seed);
        let mut positions = Vec::with_capacity(12 * k as usize + 32);
        let warm = positions.capacity();
        random.sample(n, k, &mut positions);
        prop_assert_eq!(positions.capacity(), warm);
    }

    #[test]
    fn more_than_there_is_means_all(seed: u128, n in 0u32..200, more in 0u32..) {
        let mut all = Vec::new();
        Random::new(seed).sample(n, n, &mut all);
        let mut positions = vec![7; 3];
        Random::new(seed).sample(n, n.saturating_add(more), &mut positions);
        prop_assert_eq!(positions, all);
    }

    #[test]
    fn shuffles_lose_nothing(seed: u128, mut items: Vec<u8>) {
        let mut shuffled = items.clone();
        Random::new(seed).shuffle(&mut shuffled);
        shuffled.sort_unstable();
        items.sort_unstable();
        prop_assert_eq!(shuffled, items);
    }

    #[test]
    fn any_argument_gives_the_formula(seed: u128, mean in ANY, sd in ANY) {
        let standard = Random::new(seed).normalvariate(0.0, 1.0);
        let z = Random::new(seed).normalvariate(mean, sd);
        prop_assert_eq!(bits(z), bits(mean + standard * sd));
        let standard = Random::new(seed).gauss(0.0, 1.0);
        prop_assert_eq!(bits(Random::new(seed).gauss(mean, sd)), bits(mean + standard * sd));
        let standard = Random::new(seed).expovariate(1.0);
        prop_assert_eq!(bits(Random::new(seed).expovariate(sd)), bits(standard / sd));
    }
}

/// The bits of a number, the same for every NaN: which of two NaNs a sum carries on is the compiler's choice.
fn bits(number: f64) -> u64 {
    if number.is_nan() { f64::NAN } else { number }.to_bits()
}

#[test]
fn an_empty_range_draws_nothing() {
    let mut random = Random::new(3);
    let mut positions = vec![1];
    assert_eq!(random.randrange(0), 0);
    random.sample(0, 9, &mut positions);
    assert_eq!(positions, []);
    assert_eq!(random, Random::new(3));
}

/// The sums of many draws, within five standard errors of what the distributions say.
#[test]
fn moments() {
    const DRAWS: u32 = 200_000;
    let mean_of = |mut draw: Box<dyn FnMut(&mut Random) -> f64>| {
        let mut random = Random::new(1);
        (0..DRAWS).map(|_| draw(&mut random)).sum::<f64>() / f64::from(DRAWS)
    };
    let error = 5.0 / f64::from(DRAWS).sqrt();
    assert!((mean_of(Box::new(|random| random.normalvariate(3.0, 1.0))) - 3.0).abs() < error);
    assert!(
        (mean_of(Box::new(|random| random.normalvariate(0.0, 1.0).powi(2))) - 1.0).abs()
            < error * 2f64.sqrt()
    );
    assert!(
        (mean_of(Box::new(|random| random.gauss(0.0, 1.0).powi(2))) - 1.0).abs()
            < error * 2f64.sqrt()
    );
    assert!((mean_of(Box::new(|random| random.expovariate(2.0))) - 0.5).abs() < error / 2.0);
}
