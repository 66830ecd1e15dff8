//! What of a line or an area lies inside a rectangle.

use super::frame::Rect;
use super::pen::Point;

/// The parts of a line that lie inside; the line is broken where a point is missing. A lone point inside comes as a part of one point.
pub(crate) fn line(
    points: impl IntoIterator<Item = Option<Point>>,
    inside: &Rect,
) -> Vec<Vec<Point>> {
    let mut parts: Vec<Vec<Point>> = Vec::new();
    let mut part: Vec<Point> = Vec::new();
    let mut previous: Option<Point> = None;
    let mut alone = false;
    for point in points {
        match (previous, point) {
            (Some(from), Some(to)) => {
                if alone {
                    part.clear();
                    alone = false;
                }
                if let Some((a, b)) = segment(from, to, inside) {
                    if part.last() != Some(&a) {
                        parts.push(std::mem::replace(&mut part, vec![a]));
                    }
                    part.push(b);
                }
            }
            (None, Some(to)) => {
                parts.push(std::mem::take(&mut part));
                alone = inside.holds(to);
                if alone {
                    part.push(to);
                }
            }
            (_, None) => {
                parts.push(std::mem::take(&mut part));
                alone = false;
            }
        }
        previous = point;
    }
    parts.push(part);
    parts.retain(|part| !part.is_empty());
    parts
}

/// The part of a straight line that lies inside (Liang and Barsky 1984).
fn segment(a: Point, b: Point, inside: &Rect) -> Option<(Point, Point)> {
    let (dx, dy) = (b.0 - a.0, b.1 - a.1);
    let (mut from, mut to) = (0.0_f64, 1.0_f64);
    for (step, room) in [
        (-dx, a.0 - inside.left),
        (dx, inside.right - a.0),
        (-dy, a.1 - inside.top),
        (dy, inside.bottom - a.1),
    ] {
        if step == 0.0 {
            if room < 0.0 {
                return None;
            }
        } else if step < 0.0 {
            from = from.max(room / step);
        } else {
            to = to.min(room / step);
        }
    }
    if from > to {
        return None;
    }
    let at = |share: f64| (a.0 + share * dx, a.1 + share * dy);
    Some((
        if from > 0.0 { at(from) } else { a },
        if to < 1.0 { at(to) } else { b },
    ))
}

/// The part of an area that lies inside (Sutherland and Hodgman 1974).
pub(crate) fn area(corners: &[Point], inside: &Rect) -> Vec<Point> {
    let sides: [fn(Point, &Rect) -> f64; 4] = [
        |p, r| p.0 - r.left,
        |p, r| r.right - p.0,
        |p, r| p.1 - r.top,
        |p, r| r.bottom - p.1,
    ];
    let mut area = corners.to_vec();
    for side in sides {
        let mut kept = Vec::with_capacity(area.len() + 4);
        for (i, &to) in area.iter().enumerate() {
            let from = area[(i + area.len() - 1) % area.len()];
            let (a, b) = (side(from, inside), side(to, inside));
            if (a < 0.0) != (b < 0.0) {
                let share = a / (a - b);
                kept.push((
                    from.0 + share * (to.0 - from.0),
                    from.1 + share * (to.1 - from.1),
                ));
            }
            if b >= 0.0 {
                kept.push(to);
            }
        }
        area = kept;
    }
    area
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOX: Rect = Rect {
        left: 0.0,
        top: 0.0,
        right: 10.0,
        bottom: 10.0,
    };

    #[test]
    fn a_line_is_cut_where_it_leaves_and_goes_on_where_it_returns() {
        let parts = line(
            [
                (-5.0, 5.0),
                (5.0, 5.0),
                (5.0, 20.0),
                (8.0, 20.0),
                (8.0, 5.0),
            ]
            .map(Some),
            &BOX,
        );
        assert_eq!(
            parts,
            [
                vec![(0.0, 5.0), (5.0, 5.0), (5.0, 10.0)],
                vec![(8.0, 10.0), (8.0, 5.0)]
            ]
        );
        assert_eq!(
            line([(-5.0, -5.0), (20.0, 20.0)].map(Some), &BOX),
            [vec![(0.0, 0.0), (10.0, 10.0)]]
        );
        assert!(line([(-5.0, 0.0), (-5.0, 20.0)].map(Some), &BOX).is_empty());
    }

    #[test]
    fn a_missing_point_breaks_the_line_and_a_lone_point_stays() {
        let parts = line(
            [
                Some((1.0, 1.0)),
                None,
                Some((2.0, 2.0)),
                Some((3.0, 3.0)),
                None,
                Some((50.0, 2.0)),
            ],
            &BOX,
        );
        assert_eq!(parts, [vec![(1.0, 1.0)], vec![(2.0, 2.0), (3.0, 3.0)]]);
        assert!(line([], &BOX).is_empty());
    }

    #[test]
    fn an_area_is_cut_off_at_the_edges() {
        assert_eq!(
            area(
                &[(-5.0, -5.0), (20.0, -5.0), (20.0, 20.0), (-5.0, 20.0)],
                &BOX
            )
            .len(),
            4
        );
        assert!(area(&[(11.0, 0.0), (20.0, 0.0), (15.0, 9.0)], &BOX).is_empty());
        assert!(area(&[], &BOX).is_empty());
        let inside = [(1.0, 1.0), (9.0, 1.0), (5.0, 9.0)];
        assert_eq!(area(&inside, &BOX), inside);
    }
}
