//! Whole numbers: bits, ranges, and the order of a slice.

use crate::Random;

impl Random {
    /// A number of `bits` random bits: `getrandbits(bits)`; of more than 128 bits, the lowest 128.
    ///
    /// Up to 32 bits are the highest of one word. More are words with the lowest first, the last of them shifted down to the bits
    /// that are missing. As many words are taken as CPython takes, also for more than 128 bits; 0 bits take none.
    ///
    /// ```
    /// use cpython_random::Random;
    ///
    /// assert_eq!(Random::new(0).getrandbits(32), 3626764237);
    /// assert_eq!(Random::new(0).getrandbits(0), 0);
    /// ```
    #[inline]
    pub fn getrandbits(&mut self, bits: u32) -> u128 {
        if bits <= 64 {
            u128::from(self.bits_to_64(bits))
        } else {
            self.wide_bits(bits)
        }
    }

    /// Uniform among 0, 1, …, n - 1: `randrange(n)`. For n = 0, where CPython raises, 0 without a draw.
    ///
    /// Draws `getrandbits(bit_length(n))` until it is below n, so `randrange(1)` draws too.
    ///
    /// ```
    /// use cpython_random::Random;
    ///
    /// let mut random = Random::new(42);
    /// assert_eq!([6, 6, 6, 0].map(|n| random.randrange(n)), [5, 0, 0, 0]);
    /// ```
    #[inline]
    pub fn randrange(&mut self, n: u64) -> u64 {
        let Ok(narrow) = u32::try_from(n) else {
            return self.wide_range(n);
        };
        if narrow == 0 {
            return 0;
        }
        u64::from(self.below(narrow, narrow.leading_zeros()))
    }

    /// Puts `items` in a random order: `shuffle(items)`.
    ///
    /// For i from len - 1 down to 1, swaps item i with item `randrange(i + 1)`.
    ///
    /// ```
    /// use cpython_random::Random;
    ///
    /// let mut items = ["a", "b", "c", "d"];
    /// Random::new(0).shuffle(&mut items);
    /// assert_eq!(items, ["c", "a", "b", "d"]);
    /// ```
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            let other = self.randrange(last as u64 + 1) as usize;
            items.swap(last, other);
        }
    }

    /// Uniform among 0, 1, …, n - 1 for an n of 1 to 32 bits, whose number of leading zeros the caller has at hand.
    #[inline]
    pub(crate) fn below(&mut self, n: u32, leading_zeros: u32) -> u32 {
        loop {
            let draw = self.word() >> leading_zeros;
            if draw < n {
                return draw;
            }
        }
    }

    #[inline]
    fn bits_to_64(&mut self, bits: u32) -> u64 {
        match bits {
            0 => 0,
            1..=32 => u64::from(self.word() >> (32 - bits)),
            _ => {
                let low = u64::from(self.word());
                low | (u64::from(self.word() >> (64 - bits)) << 32)
            }
        }
    }

    #[cold]
    fn wide_bits(&mut self, bits: u32) -> u128 {
        let mut number = 0;
        let mut place = 0;
        while place < bits {
            let missing = bits - place;
            let word = self.word() >> (32 - missing.min(32));
            // Words above the 128th bit are drawn, and then have no place.
            number |= u128::from(word).checked_shl(place).unwrap_or(0);
            place = place.saturating_add(32);
        }
        number
    }

    #[cold]
    fn wide_range(&mut self, n: u64) -> u64 {
        let bits = u64::BITS - n.leading_zeros();
        loop {
            let draw = self.bits_to_64(bits);
            if draw < n {
                return draw;
            }
        }
    }
}
