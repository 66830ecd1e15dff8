//! Many balls into equally likely bins.

use sim_kernel::Stream;

use super::binomial::binomial;

/// Up to this many clients a bin, drawing a bin for each client is cheaper than splitting their number.
pub(super) const SINGLY_PER_BIN: u64 = 48;

/// Equally likely parts of an interval, 2^`shift` of them in each offset.
#[derive(Debug, Clone, Copy)]
pub(super) struct Parts {
    first: usize,
    count: u32,
    shift: u32,
}

impl Parts {
    pub(super) fn new(from: f64, end: f64, shift: u32) -> Option<Self> {
        let per_offset = f64::from(1_u32 << shift);
        let (from, end) = (from * per_offset, end * per_offset);
        (from.fract() == 0.0 && end.fract() == 0.0).then_some(Self {
            first: from as usize,
            count: (end - from) as u32,
            shift,
        })
    }
}

/// Adds `count` clients to `bins` ≥ 1 cells from `start` on, all equally likely.
///
/// Splitting in halves by binomial draws visits the cells in order, and stops where few clients are left.
pub(super) fn evenly<S: Stream>(
    stream: &mut S,
    count: u64,
    cells: &mut [u64],
    start: usize,
    bins: usize,
) {
    if bins == 1 {
        add(cells, start, count);
    } else if count <= SINGLY_PER_BIN * bins as u64 {
        let parts = Parts {
            first: 0,
            count: bins as u32,
            shift: 0,
        };
        singly(stream, count, cells, start, parts);
    } else {
        let half = bins / 2;
        let left = binomial(stream, count, half as f64 / bins as f64);
        evenly(stream, left, cells, start, half);
        evenly(stream, count - left, cells, start + half, bins - half);
    }
}

/// Adds `count` clients one by one, each in a part of its own choice: Lemire's multiplication on half words, rejecting the draws
/// that would make some parts likelier ("Fast Random Integer Generation in an Interval", 2019).
pub(super) fn singly<S: Stream>(
    stream: &mut S,
    count: u64,
    cells: &mut [u64],
    origin: usize,
    parts: Parts,
) {
    let bound = u64::from(parts.count);
    let least = parts.count.wrapping_neg() % parts.count;
    let mut left = count;
    while left > 0 {
        let bits = stream.bits();
        for half in [bits & 0xffff_ffff, bits >> 32] {
            let product = half * bound;
            if product as u32 >= least && left > 0 {
                let part = parts.first + (product >> 32) as usize;
                add(cells, origin + (part >> parts.shift), 1);
                left -= 1;
            }
        }
    }
}

#[inline]
pub(super) fn add(cells: &mut [u64], index: usize, count: u64) {
    let mask = cells.len() - 1;
    if let Some(cell) = cells.get_mut(index & mask) {
        *cell += count;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim_kernel::Pcg64;

    #[test]
    fn nobody_is_lost_and_nobody_lands_elsewhere() {
        let mut stream = Pcg64::for_unit("evenly", 0);
        for bins in [1, 2, 3, 7, 16] {
            for count in [0, 1, 5, 400, 1_000_000, 1 << 53] {
                let mut cells = [0; 16];
                evenly(&mut stream, count, &mut cells, 13, bins);
                assert_eq!(cells.iter().sum::<u64>(), count);
                // The ring starts at cell 13.
                cells.rotate_left(13);
                assert!(cells[bins..].iter().all(|&cell| cell == 0));
            }
        }
    }

    #[test]
    fn parts_are_whole_or_half_offsets() {
        assert_eq!(Parts::new(0.0, 3.0, 0).map(|parts| parts.count), Some(3));
        assert!(Parts::new(0.5, 3.5, 0).is_none());
        assert_eq!(
            Parts::new(0.5, 3.5, 1).map(|parts| (parts.first, parts.count)),
            Some((1, 6))
        );
        assert!(Parts::new(0.25, 3.5, 1).is_none());
    }

    /// Value stability: a change of one of these numbers is a change of every committed cohort result.
    #[test]
    fn values_are_stable() {
        let mut stream = Pcg64::for_unit("evenly", 1);
        let mut cells = [0; 8];
        evenly(&mut stream, 20, &mut cells, 0, 8);
        assert_eq!(cells, [3, 5, 1, 3, 3, 2, 2, 1]);
        evenly(&mut stream, 1_000_000, &mut cells, 0, 8);
        assert_eq!(
            cells,
            [
                124679, 124949, 125394, 124314, 125057, 125338, 125506, 124783
            ]
        );
    }
}
