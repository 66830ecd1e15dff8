//! Every value in `golden/`, which CPython made, comes out again.

use std::collections::HashMap;

use cpython_random::Random;
use rand_core::{Rng, SeedableRng};
use serde::Deserialize;

#[derive(Deserialize)]
struct File<V> {
    vectors: Vec<V>,
}

#[derive(Deserialize)]
struct Published {
    seed: u128,
    getrandbits_32: Vec<u128>,
    random: Vec<Hex>,
    #[serde(rename = "uniform_0.1_0.3")]
    uniform: Vec<Hex>,
    expovariate_30: Vec<Hex>,
    normalvariate_10_2: Vec<Hex>,
    randrange: Vec<(u64, u64)>,
    sample: Vec<(u32, u32, Vec<u32>)>,
}

#[derive(Deserialize)]
struct Taken {
    seed: Number,
    words: Vec<u32>,
    getrandbits: Vec<(u32, Number)>,
    randrange: Vec<(Number, Number)>,
    shuffle: Vec<Vec<usize>>,
    gauss: Vec<Hex>,
    gauss_random_gauss: [Hex; 3],
    randbytes: Vec<Vec<u8>>,
    sample: Vec<(u32, u32, Vec<u64>)>,
}

/// A number that JSON readers may not hold, written as text.
#[derive(Deserialize)]
#[serde(try_from = "String")]
struct Number(u128);

impl TryFrom<String> for Number {
    type Error = std::num::ParseIntError;

    fn try_from(digits: String) -> Result<Self, Self::Error> {
        digits.parse().map(Self)
    }
}

/// A finite `float.hex()`.
#[derive(Deserialize, Clone, Copy)]
#[serde(try_from = "String")]
struct Hex(f64);

impl TryFrom<String> for Hex {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let parse = || {
            let (sign, rest) = match text.strip_prefix('-') {
                Some(rest) => (-1.0, rest),
                None => (1.0, text.as_str()),
            };
            let (mantissa, exponent) = rest.strip_prefix("0x")?.split_once('p')?;
            let (whole, fraction) = mantissa.split_once('.')?;
            let digits = u64::from_str_radix(&format!("{whole}{fraction}"), 16).ok()?;
            let exponent =
                exponent.parse::<i32>().ok()? - 4 * i32::try_from(fraction.len()).ok()?;
            Some(sign * digits as f64 * 2f64.powi(exponent))
        };
        parse().map(Self).ok_or_else(|| format!("no float: {text}"))
    }
}

fn published() -> Vec<Published> {
    let file: File<Published> =
        serde_json::from_str(include_str!("golden/cpython_random.json")).unwrap();
    assert!(!file.vectors.is_empty());
    file.vectors
}

fn taken() -> Vec<Taken> {
    let file: File<Taken> = serde_json::from_str(include_str!("golden/cpython_3_11.json")).unwrap();
    assert_eq!(file.vectors.len(), 13);
    file.vectors
}

/// Compares what a fresh `Random(seed)` gives, entry by entry.
fn same(seed: u128, expected: &[Hex], mut draw: impl FnMut(&mut Random) -> f64) {
    let mut random = Random::new(seed);
    for (place, Hex(expected)) in expected.iter().enumerate() {
        assert_eq!(draw(&mut random), *expected, "seed {seed}, entry {place}");
    }
}

fn ulps(a: f64, b: f64) -> u64 {
    assert_eq!(a.is_sign_negative(), b.is_sign_negative(), "{a} and {b}");
    a.to_bits().abs_diff(b.to_bits())
}

#[test]
fn published_floats() {
    for vector in published() {
        same(vector.seed, &vector.random, Random::random);
        same(vector.seed, &vector.uniform, |random| {
            random.uniform(0.1, 0.3)
        });
        same(vector.seed, &vector.normalvariate_10_2, |random| {
            random.normalvariate(10.0, 2.0)
        });
        let mut random = Random::new(vector.seed);
        for Hex(expected) in vector.expovariate_30 {
            assert!(ulps(random.expovariate(30.0), expected) <= 2);
        }
    }
}

#[test]
fn published_integers_and_samples() {
    for vector in published() {
        let mut random = Random::new(vector.seed);
        for expected in vector.getrandbits_32 {
            assert_eq!(random.getrandbits(32), expected);
        }
        let mut random = Random::new(vector.seed);
        for (n, expected) in vector.randrange {
            assert_eq!(random.randrange(n), expected, "randrange({n})");
        }
        let mut random = Random::new(vector.seed);
        let mut positions = Vec::new();
        for (n, k, expected) in vector.sample {
            random.sample(n, k, &mut positions);
            assert_eq!(positions, expected, "sample({n}, {k})");
        }
    }
}

#[test]
fn integers_of_every_width_under_seeds_of_every_width() {
    for vector in taken() {
        let seed = vector.seed.0;
        let mut random = Random::new(seed);
        for expected in vector.words {
            assert_eq!(random.next_u32(), expected, "seed {seed}");
        }
        let mut random = Random::new(seed);
        for (bits, Number(expected)) in vector.getrandbits {
            assert_eq!(
                random.getrandbits(bits),
                expected,
                "seed {seed}, {bits} bits"
            );
        }
        let mut random = Random::new(seed);
        for (Number(n), Number(expected)) in vector.randrange {
            let n = u64::try_from(n).unwrap();
            assert_eq!(
                u128::from(random.randrange(n)),
                expected,
                "seed {seed}, randrange({n})"
            );
        }
    }
}

#[test]
fn shuffles() {
    for vector in taken() {
        let mut random = Random::new(vector.seed.0);
        for expected in vector.shuffle {
            let mut items: Vec<usize> = (0..expected.len()).collect();
            random.shuffle(&mut items);
            assert_eq!(items, expected);
        }
    }
}

#[test]
fn gauss_keeps_its_second_value() {
    for vector in taken() {
        let mut random = Random::new(vector.seed.0);
        for Hex(expected) in vector.gauss {
            assert!(ulps(random.gauss(0.0, 1.0), expected) <= 2);
        }
        let mut random = Random::new(vector.seed.0);
        let [Hex(first), Hex(between), Hex(second)] = vector.gauss_random_gauss;
        // A difference of 2 ulp in the standard normal number is a few ulp in these.
        assert!((random.gauss(10.0, 2.0) - first).abs() < 1e-14);
        assert_eq!(random.random(), between);
        assert!((random.gauss(-3.0, 0.5) - second).abs() < 1e-14);
    }
}

#[test]
fn samples_on_both_sides_of_every_switch() {
    for vector in taken() {
        let mut random = Random::new(vector.seed.0);
        let mut positions = Vec::new();
        for (n, k, expected) in vector.sample {
            random.sample(n, k, &mut positions);
            assert_eq!(positions.len(), k as usize);
            let seen: Vec<u64> = positions
                .iter()
                .map(|&position| u64::from(position))
                .collect();
            if k <= 50 {
                assert_eq!(seen, expected, "sample({n}, {k})");
            } else {
                let weighted = (1..)
                    .zip(&seen)
                    .map(|(place, position)| place * position)
                    .sum();
                let [.., before_last, last] = seen[..] else {
                    unreachable!()
                };
                assert_eq!(
                    [seen[0], seen[1], before_last, last, weighted][..],
                    expected,
                    "sample({n}, {k})"
                );
            }
        }
    }
}

#[test]
fn rand_core_draws_are_pythons() {
    let wide: HashMap<u128, u128> = taken()
        .iter()
        .map(|vector| (vector.seed.0, Random::new(vector.seed.0).getrandbits(64)))
        .collect();
    for vector in taken() {
        let seed = vector.seed.0;
        let mut random = Random::from_seed(seed.to_le_bytes());
        assert_eq!(u128::from(random.next_u64()), wide[&seed]);
        if let Ok(small) = u64::try_from(seed) {
            assert_eq!(Random::seed_from_u64(small), Random::new(seed));
        }
        let mut random = Random::new(seed);
        for expected in vector.randbytes {
            let mut bytes = vec![0; expected.len()];
            random.fill_bytes(&mut bytes);
            assert_eq!(bytes, expected);
        }
    }
}
