//! The streams: value stability, and that draws are distributed as they say.

use proptest::prelude::*;
use sim_kernel::{CPython, Pcg64, Stream};

/// Every kind of draw once, from a fresh stream.
#[derive(Debug, PartialEq)]
struct Literals {
    bits: u64,
    unit: f64,
    uniform: f64,
    below_ten: u64,
    below_greatest: u64,
    exponential: f64,
    normal: f64,
    sample: Vec<u32>,
}

fn literals(stream: &mut impl Stream) -> Literals {
    let mut sample = Vec::new();
    let mut literals = Literals {
        bits: stream.bits(),
        unit: stream.unit(),
        uniform: stream.uniform(0.25, 4.0),
        below_ten: stream.below(10),
        below_greatest: stream.below(u64::MAX),
        exponential: stream.exponential(30.0),
        normal: stream.normal(10.0, 2.0),
        sample: Vec::new(),
    };
    stream.sample(100, 5, &mut sample);
    literals.sample = sample;
    literals
}

/// Changing one of these is a change of every `pcg64` result, and needs an entry of its own in the changelog.
#[test]
fn the_values_of_pcg64_never_change() {
    assert_eq!(
        literals(&mut Pcg64::for_unit("full jitter", 0)),
        Literals {
            bits: 0x3210_d6e6_9262_ea25,
            unit: f64::from_bits(0x3fec_fdeb_4725_67c1),
            uniform: f64::from_bits(0x4005_4050_f89e_6e03),
            below_ten: 5,
            below_greatest: 0x29c8_3aa2_8109_6a47,
            exponential: f64::from_bits(0x3fab_2ae0_8c2f_21e6),
            normal: f64::from_bits(0x4023_0dae_585a_f925),
            sample: vec![67, 23, 96, 81, 88],
        }
    );
    assert_eq!(
        literals(&mut Pcg64::for_unit("full jitter", 1)),
        Literals {
            bits: 0x05f3_197f_5e75_7e67,
            unit: f64::from_bits(0x3fcb_6987_0ad6_4f80),
            uniform: f64::from_bits(0x3fe7_a846_3809_a30a),
            below_ten: 0,
            below_greatest: 0xc993_0b1e_c80d_2be3,
            exponential: f64::from_bits(0x3f95_71a1_0f06_8d89),
            normal: f64::from_bits(0x4026_be63_8203_9e2d),
            sample: vec![85, 91, 57, 35, 15],
        }
    );
    assert_eq!(
        literals(&mut Pcg64::for_unit("", u64::MAX)),
        Literals {
            bits: 0x3f36_0ef8_fee1_a672,
            unit: f64::from_bits(0x3fcc_bb7a_60e0_863c),
            uniform: f64::from_bits(0x3ffc_49eb_66ba_2394),
            below_ten: 8,
            below_greatest: 0x592e_c37b_c7f5_68f7,
            exponential: f64::from_bits(0x3f96_e14b_f861_a3ef),
            normal: f64::from_bits(0x4025_6c37_ea32_4b80),
            sample: vec![12, 30, 47, 72, 24],
        }
    );
}

/// As Python prints them: `getrandbits(64)`, `random`, `uniform`, `randrange` twice, `expovariate`, `normalvariate`, `sample`.
#[test]
fn the_values_of_cpython_are_those_of_python() {
    assert_eq!(
        literals(&mut CPython::new(0)),
        Literals {
            bits: 0x629f_6fbe_d82c_07cd,
            unit: f64::from_bits(0x3fe8_4129_978f_9c1a),
            uniform: f64::from_bits(0x3ffd_3bfa_bf4d_bae0),
            below_ten: 4,
            below_greatest: 0x82e2_e662_f728_b4fa,
            exponential: f64::from_bits(0x3f96_b647_43fb_21bc),
            normal: f64::from_bits(0x4029_0022_f494_bcb4),
            sample: vec![27, 64, 17, 36, 96],
        }
    );
}

#[test]
fn every_unit_of_work_has_a_stream_of_its_own() {
    let mut first_draws = std::collections::BTreeSet::new();
    let names = ["", "a", "b", "ab", "a ", "full jitter", "equal jitter"];
    let seeds = (0..1000).chain([1 << 63, u64::MAX]);
    for seed in seeds {
        for name in names {
            assert!(
                first_draws.insert(Pcg64::for_unit(name, seed).bits()),
                "{name} {seed}"
            );
        }
    }
}

#[test]
fn nothing_to_choose_takes_no_draw_from_pcg64() {
    let mut stream = Pcg64::for_unit("none", 0);
    let mut positions = vec![9];
    assert_eq!((stream.below(0), stream.below(1)), (0, 0));
    stream.sample(4, 7, &mut positions);
    assert_eq!(positions, [0, 1, 2, 3]);
    stream.sample(0, 3, &mut positions);
    assert!(positions.is_empty());
    stream.sample(3, 0, &mut positions);
    assert!(positions.is_empty());
    assert_eq!(stream.bits(), Pcg64::for_unit("none", 0).bits());
}

/// The sum of (observed - expected)² / expected; its mean is the number of cells less 1.
fn chi_square(counts: &[u32]) -> f64 {
    let total: u32 = counts.iter().sum();
    let expected = f64::from(total) / counts.len() as f64;
    let deviation = |&count: &u32| (f64::from(count) - expected).powi(2) / expected;
    counts.iter().map(deviation).sum()
}

/// Fixed seeds, so the outcome is the same each time; for a fair stream the chance of a value above these bounds was 1 in 10,000.
fn is_fair(stream: &mut impl Stream) {
    let mut thirds = [0; 3];
    let mut pairs = [0; 20];
    let mut sets = [0; 10];
    let mut positions = Vec::new();
    for _ in 0..60_000 {
        thirds[stream.below(3) as usize] += 1;
        stream.sample(5, 2, &mut positions);
        let (first, second) = (positions[0] as usize, positions[1] as usize);
        pairs[first * 4 + second - usize::from(second > first)] += 1;
        // A population above the sizes of which CPython makes a pool.
        stream.sample(40, 1, &mut positions);
        sets[positions[0] as usize / 4] += 1;
    }
    assert!(chi_square(&thirds) < 18.4, "{thirds:?}");
    assert!(chi_square(&pairs) < 50.8, "{pairs:?}");
    assert!(chi_square(&sets) < 33.7, "{sets:?}");
    // A bound just above half of all results, where an unadjusted multiplication would give each third result double weight.
    let bound = (1 << 63) + 1;
    let mut below_third = 0_u32;
    let (mut sum, mut squares, mut exponentials) = (0.0, 0.0, 0.0);
    for _ in 0..60_000 {
        below_third += u32::from(stream.below(bound) % 3 == 0);
        let z = stream.normal(0.0, 1.0);
        sum += z;
        squares += z * z;
        exponentials += stream.exponential(4.0);
    }
    assert!(below_third.abs_diff(20_000) < 450, "{below_third}");
    let n = 60_000.0_f64;
    assert!((sum / n).abs() < 3.9 / n.sqrt());
    assert!((squares / n - 1.0).abs() < 3.9 * (2.0 / n).sqrt());
    assert!((exponentials / n - 0.25).abs() < 3.9 * 0.25 / n.sqrt());
}

#[test]
fn pcg64_is_fair() {
    is_fair(&mut Pcg64::for_unit("fair", 0));
}

#[test]
fn cpython_is_fair() {
    is_fair(&mut CPython::new(1));
}

fn holds_its_contract<S: Stream>(
    mut stream: S,
    mut twin: S,
    n: u32,
    k: u32,
    bound: u64,
) -> Result<(), TestCaseError> {
    let mut positions = Vec::new();
    stream.sample(n, k, &mut positions);
    twin.sample(n, k, &mut Vec::new());
    prop_assert_eq!(positions.len() as u32, k.min(n));
    prop_assert!(positions.iter().all(|&position| position < n));
    positions.sort_unstable();
    positions.dedup();
    prop_assert_eq!(positions.len() as u32, k.min(n));
    prop_assert!(stream.below(bound) < bound.max(1));
    twin.below(bound);
    let mut units = Vec::new();
    stream.with_units(0..100, |item, unit| units.push((item, unit)));
    let expected: Vec<(u32, f64)> = (0..100).map(|item| (item, twin.unit())).collect();
    prop_assert!(units.iter().all(|(_, unit)| (0.0..1.0).contains(unit)));
    prop_assert_eq!(units, expected);
    prop_assert_eq!(stream.bits(), twin.bits());
    Ok(())
}

proptest! {
    #[test]
    fn draws_stay_within_their_ranges(
        seed: u64,
        name in ".{0,8}",
        n in 0_u32..2000,
        k in 0_u32..2000,
        bound: u64,
    ) {
        holds_its_contract(CPython::new(seed), CPython::new(seed), n, k, bound)?;
        let pcg64 = || Pcg64::for_unit(&name, seed);
        holds_its_contract(pcg64(), pcg64(), n, k, bound)?;
    }
}
