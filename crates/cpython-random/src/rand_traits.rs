//! The generator behind `rand`'s interface.

use core::convert::Infallible;

use rand_core::{SeedableRng, TryRng};

use crate::Random;

impl TryRng for Random {
    type Error = Infallible;

    /// `getrandbits(32)`.
    #[inline]
    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok(self.word())
    }

    /// `getrandbits(64)`: the first word is the low half.
    #[inline]
    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        let low = u64::from(self.word());
        Ok(low | (u64::from(self.word()) << 32))
    }

    /// `randbytes(dst.len())`: words, little end first; of the last word its highest bytes.
    fn try_fill_bytes(&mut self, dst: &mut [u8]) -> Result<(), Infallible> {
        for bytes in dst.chunks_mut(4) {
            let word = self.word().to_le_bytes();
            bytes.copy_from_slice(&word[4 - bytes.len()..]);
        }
        Ok(())
    }
}

impl SeedableRng for Random {
    type Seed = [u8; 16];

    /// [`Random::new`] of the seed read as a number, little end first.
    fn from_seed(seed: [u8; 16]) -> Self {
        Self::new(u128::from_le_bytes(seed))
    }

    /// [`Random::new`] of the number itself, which `rand`'s default would stretch to 16 bytes first.
    fn seed_from_u64(seed: u64) -> Self {
        Self::new(u128::from(seed))
    }
}
