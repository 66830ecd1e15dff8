//! How much of each pixel a shape covers.

/// Sub-rows in a pixel when polygons are filled; across a row, coverage is exact.
const SUBROWS: usize = 8;

/// The share of each pixel that is covered, 0 to 1, and the rectangle outside of which it is 0.
///
/// Shapes added before the coverage is taken make one shape: where they overlap, a pixel counts the larger share.
#[derive(Debug)]
pub(super) struct Coverage {
    width: usize,
    height: usize,
    shares: Vec<u8>,
    /// Rows and columns that may be covered, ends excluded.
    rows: (usize, usize),
    columns: (usize, usize),
}

impl Coverage {
    pub(super) fn new(width: usize, height: usize) -> Self {
        Self {
            width,
            height,
            shares: vec![0; width * height],
            rows: (height, 0),
            columns: (width, 0),
        }
    }

    /// Calls with the index and share of each pixel that is covered, and clears it.
    pub(super) fn take(&mut self, mut each: impl FnMut(usize, f32)) {
        for y in self.rows.0..self.rows.1 {
            for x in self.columns.0..self.columns.1 {
                let index = y * self.width + x;
                let share = std::mem::take(&mut self.shares[index]);
                if share > 0 {
                    each(index, f32::from(share) / 255.0);
                }
            }
        }
        self.rows = (self.height, 0);
        self.columns = (self.width, 0);
    }

    /// The whole pixels from `low` to `high`, cut off at the picture's edge; empty if none.
    fn span(low: f32, high: f32, size: usize) -> (usize, usize) {
        let low = low.floor().max(0.0) as usize;
        let high = (high.ceil().max(0.0) as usize).min(size);
        (low.min(high), high)
    }

    fn touch(&mut self, rows: (usize, usize), columns: (usize, usize)) {
        if rows.0 < rows.1 && columns.0 < columns.1 {
            self.rows = (self.rows.0.min(rows.0), self.rows.1.max(rows.1));
            self.columns = (self.columns.0.min(columns.0), self.columns.1.max(columns.1));
        }
    }

    fn cover(&mut self, x: usize, y: usize, share: f32) {
        let share = (share.clamp(0.0, 1.0) * 255.0 + 0.5) as u8;
        let old = &mut self.shares[y * self.width + x];
        *old = share.max(*old);
    }

    /// All points within `radius` of the line from `a` to `b`; a disc if they are one point.
    pub(super) fn capsule(&mut self, a: (f32, f32), b: (f32, f32), radius: f32) {
        let reach = radius + 0.5;
        let (top, bottom) = (a.1.min(b.1), a.1.max(b.1));
        let rows = Self::span(top - reach, bottom + reach, self.height);
        let (dx, dy) = (b.0 - a.0, b.1 - a.1);
        let squared = dx * dx + dy * dy;
        for y in rows.0..rows.1 {
            let cy = y as f32 + 0.5;
            // The part of the line that can reach this row.
            let (from, to) = if dy == 0.0 {
                (0.0, 1.0)
            } else {
                let (p, q) = ((cy - reach - a.1) / dy, (cy + reach - a.1) / dy);
                (p.min(q).clamp(0.0, 1.0), p.max(q).clamp(0.0, 1.0))
            };
            let (p, q) = (a.0 + from * dx, a.0 + to * dx);
            let columns = Self::span(p.min(q) - reach, p.max(q) + reach, self.width);
            for x in columns.0..columns.1 {
                let (px, py) = (x as f32 + 0.5 - a.0, cy - a.1);
                let along = if squared > 0.0 {
                    ((px * dx + py * dy) / squared).clamp(0.0, 1.0)
                } else {
                    0.0
                };
                let (ex, ey) = (px - along * dx, py - along * dy);
                let share = reach - (ex * ex + ey * ey).sqrt();
                if share > 0.0 {
                    self.cover(x, y, share);
                }
            }
            self.touch((y, y + 1), columns);
        }
    }

    /// All points whose distance from the circle is at most `half_width`.
    pub(super) fn ring(&mut self, center: (f32, f32), radius: f32, half_width: f32) {
        let reach = radius + half_width + 0.5;
        let rows = Self::span(center.1 - reach, center.1 + reach, self.height);
        let columns = Self::span(center.0 - reach, center.0 + reach, self.width);
        for y in rows.0..rows.1 {
            for x in columns.0..columns.1 {
                let (dx, dy) = (x as f32 + 0.5 - center.0, y as f32 + 0.5 - center.1);
                let off = ((dx * dx + dy * dy).sqrt() - radius).abs();
                self.cover(x, y, half_width + 0.5 - off);
            }
        }
        self.touch(rows, columns);
    }

    /// The upright rectangle between two opposite corners.
    pub(super) fn rectangle(&mut self, a: (f32, f32), b: (f32, f32)) {
        let (left, right) = (a.0.min(b.0), a.0.max(b.0));
        let (top, bottom) = (a.1.min(b.1), a.1.max(b.1));
        let rows = Self::span(top, bottom, self.height);
        let columns = Self::span(left, right, self.width);
        let overlap = |pixel: usize, low: f32, high: f32| {
            high.min(pixel as f32 + 1.0) - low.max(pixel as f32)
        };
        for y in rows.0..rows.1 {
            let share = overlap(y, top, bottom);
            for x in columns.0..columns.1 {
                self.cover(x, y, share * overlap(x, left, right));
            }
        }
        self.touch(rows, columns);
    }

    /// The inside of a polygon, by the even–odd rule; the last corner is joined to the first.
    pub(super) fn polygon(&mut self, corners: &[(f32, f32)]) {
        let low =
            |pick: fn(&(f32, f32)) -> f32| corners.iter().map(pick).fold(f32::INFINITY, f32::min);
        let high = |pick: fn(&(f32, f32)) -> f32| {
            corners.iter().map(pick).fold(f32::NEG_INFINITY, f32::max)
        };
        let rows = Self::span(low(|c| c.1), high(|c| c.1), self.height);
        let columns = Self::span(low(|c| c.0), high(|c| c.0), self.width);
        let mut row = vec![0.0_f32; self.width];
        let mut crossings = Vec::new();
        for y in rows.0..rows.1 {
            row[columns.0..columns.1].fill(0.0);
            for sub in 0..SUBROWS {
                let sy = y as f32 + (sub as f32 + 0.5) / SUBROWS as f32;
                crossings.clear();
                for (i, a) in corners.iter().enumerate() {
                    let b = corners[(i + 1) % corners.len()];
                    if (a.1 <= sy) != (b.1 <= sy) {
                        crossings.push(a.0 + (sy - a.1) / (b.1 - a.1) * (b.0 - a.0));
                    }
                }
                crossings.sort_by(f32::total_cmp);
                for ends in crossings.chunks_exact(2) {
                    let span = Self::span(ends[0], ends[1], self.width);
                    for (x, covered) in row.iter_mut().enumerate().take(span.1).skip(span.0) {
                        *covered += ends[1].min(x as f32 + 1.0) - ends[0].max(x as f32);
                    }
                }
            }
            for (x, covered) in row.iter().enumerate().take(columns.1).skip(columns.0) {
                self.cover(x, y, covered / SUBROWS as f32);
            }
        }
        self.touch(rows, columns);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The area covered by what `add` adds, in pixels.
    fn area(add: impl Fn(&mut Coverage)) -> f64 {
        let mut coverage = Coverage::new(60, 40);
        add(&mut coverage);
        let mut sum = 0.0;
        coverage.take(|_, share| sum += f64::from(share));
        let mut again = 0;
        coverage.take(|_, _| again += 1);
        assert_eq!(again, 0, "the coverage was not forgotten");
        sum
    }

    #[test]
    fn areas_are_those_of_the_shapes() {
        let near = |found: f64, expected: f64| {
            assert!(
                (found - expected).abs() < 0.02 * expected + 0.02,
                "{found} instead of {expected}"
            );
        };
        near(
            area(|c| c.rectangle((3.25, 4.5), (10.5, 8.75))),
            7.25 * 4.25,
        );
        near(
            area(|c| c.rectangle((10.5, 8.75), (3.25, 4.5))),
            7.25 * 4.25,
        );
        near(
            area(|c| c.polygon(&[(5.0, 5.0), (25.0, 5.0), (5.0, 35.0)])),
            300.0,
        );
        near(
            area(|c| c.capsule((20.0, 20.0), (20.0, 20.0), 8.0)),
            std::f64::consts::PI * 64.0,
        );
        near(
            area(|c| c.capsule((10.0, 10.0), (40.0, 10.0), 2.0)),
            120.0 + std::f64::consts::PI * 4.0,
        );
        near(
            area(|c| c.capsule((10.0, 5.0), (34.0, 37.0), 2.0)),
            160.0 + std::f64::consts::PI * 4.0,
        );
        near(
            area(|c| c.ring((20.0, 20.0), 10.0, 1.5)),
            std::f64::consts::PI * 60.0,
        );
    }

    #[test]
    fn overlapping_parts_of_one_shape_count_once() {
        let once = area(|c| c.capsule((10.0, 10.0), (40.0, 30.0), 2.0));
        let twice = area(|c| {
            c.capsule((10.0, 10.0), (40.0, 30.0), 2.0);
            c.capsule((40.0, 30.0), (10.0, 10.0), 2.0);
        });
        assert!((once - twice).abs() < 0.5);
    }

    #[test]
    fn shapes_outside_the_picture_are_cut_off() {
        assert_eq!(
            area(|c| c.capsule((-50.0, -50.0), (-20.0, -20.0), 3.0)),
            0.0
        );
        assert_eq!(area(|c| c.rectangle((70.0, 0.0), (90.0, 10.0))), 0.0);
        assert_eq!(
            area(|c| c.polygon(&[(0.0, 50.0), (9.0, 50.0), (9.0, 90.0)])),
            0.0
        );
        assert_eq!(area(|c| c.polygon(&[])), 0.0);
        assert_eq!(area(|c| c.rectangle((-1e9, -1e9), (1e9, 1e9))), 60.0 * 40.0);
        assert_eq!(area(|c| c.rectangle((-5.0, -5.0), (5.0, 5.0))), 25.0);
    }
}
