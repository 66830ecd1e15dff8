//! Lines with more points than a picture can show.

use super::pen::Point;

/// The points up to which a line is drawn as it is: many for each column of the largest picture.
const MOST: usize = 16_384;

/// The same line to the eye: of the points that follow each other in one column of pixels, the first, the highest, the lowest and the last.
pub(crate) fn thinned(points: Vec<Point>) -> Vec<Point> {
    if points.len() <= MOST {
        return points;
    }
    let mut kept = Vec::new();
    for column in points.chunk_by(|a, b| a.0.floor() == b.0.floor()) {
        let at = |better: fn(f64, f64) -> bool| {
            (1..column.len()).fold(0, |best, next| {
                if better(column[next].1, column[best].1) {
                    next
                } else {
                    best
                }
            })
        };
        let mut chosen = [
            0,
            at(|next, best| next < best),
            at(|next, best| next > best),
            column.len() - 1,
        ];
        chosen.sort_unstable();
        let mut before = None;
        for index in chosen {
            if before.replace(index) != Some(index) {
                kept.push(column[index]);
            }
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_points_are_left_alone() {
        let points: Vec<Point> = (0..MOST).map(|n| (0.0, n as f64)).collect();
        assert_eq!(thinned(points.clone()), points);
    }

    #[test]
    fn a_column_keeps_its_ends_and_its_extremes_in_their_order() {
        let column = |x: f64| (0..10_000).map(move |n| (x, f64::from((n * 7919) % 10_000)));
        let points: Vec<Point> = column(3.2).chain(column(4.9)).collect();
        let kept = thinned(points);
        let last = f64::from((9_999 * 7919) % 10_000);
        let of = |x: f64| [(x, 0.0), (x, 9_999.0), (x, last)];
        assert_eq!(kept, [of(3.2), of(4.9)].concat());
    }
}
