//! Value stability: literal draws that no version may change. Changing one is an entry of its own in the changelog.

use cpython_random::Random;
use rand_core::{Rng, SeedableRng};

#[test]
fn one_stream_through_every_method() {
    let mut random = Random::new(2015);
    let mut positions = Vec::new();
    let mut letters = ['a', 'b', 'c', 'd', 'e'];

    assert_eq!(random.random(), 0.7268026104345942);
    assert_eq!(random.uniform(-1.0, 3.0), 1.5608885779873516);
    assert_eq!(random.getrandbits(7), 125);
    assert_eq!(random.getrandbits(100), 851354646252524916380058743338);
    assert_eq!(random.randrange(1000), 747);
    assert_eq!(random.randrange(1 << 40), 300339495806);
    random.sample(12, 3, &mut positions);
    assert_eq!(positions, [11, 9, 6]);
    random.sample(5000, 3, &mut positions);
    assert_eq!(positions, [2851, 256, 4658]);
    random.shuffle(&mut letters);
    assert_eq!(letters, ['c', 'd', 'b', 'a', 'e']);
    assert_eq!(random.normalvariate(10.0, 2.0), 13.551051494221246);
    assert_eq!(random.expovariate(0.5), 2.0103011438278835);
    assert_eq!(random.gauss(0.0, 1.0), -1.0767155642348916);
    assert_eq!(random.gauss(0.0, 1.0), -0.255857354378344);
    assert_eq!(random.next_u64(), 2210989276635723411);
}

#[test]
fn seeds_through_rand() {
    assert_eq!(Random::seed_from_u64(7).next_u32(), 1390851128);
    assert_eq!(
        Random::from_seed(*b"sixteen byte key").next_u32(),
        806073695
    );
}
