//! Series, drawn inside their frame.

use plotters_backend::DrawingBackend;

use super::clip;
use super::frame::{Frame, Rect};
use super::pen::{Anchor, Pen, Point, Stroke, Text};
use super::thin::thinned;
use crate::figure::FigureError;
use crate::mark::{Interval, Mark, Marker, Series};
use crate::scale::Scale;
use crate::style::{
    BACKGROUND, DOT_RADIUS, LABEL, LINE_WIDTH, POINT_OPACITY, POINT_RADIUS, RIBBON_OPACITY, TEXT,
    WHISKER_WIDTH,
};

/// Half the length of the stroke that ends a whisker, in pixels.
const CAP: f64 = 8.0;

pub(crate) fn draw<B: DrawingBackend>(
    pen: &mut Pen<'_, B>,
    frame: &Frame,
    series: &Series,
) -> Result<(), FigureError> {
    match &series.mark {
        Mark::Line(points) => line(
            pen,
            frame,
            series,
            points.iter().map(|&(x, y)| frame.at(x, y)),
        ),
        Mark::Step(points) => line(
            pen,
            frame,
            &Series {
                marker: Marker::None,
                ..series.clone()
            },
            steps(points).map(|(x, y)| frame.at(x, y)),
        ),
        Mark::Points(points) => dots(pen, frame, series, points),
        Mark::Bars { width, values } => values
            .iter()
            .try_for_each(|&(at, value)| bar(pen, frame, series, *width, at, value)),
        Mark::Intervals(intervals) => intervals
            .iter()
            .try_for_each(|each| interval(pen, frame, series, each)),
        Mark::Ribbon(points) => ribbon(pen, frame, series, points),
    }
}

fn line<B: DrawingBackend>(
    pen: &mut Pen<'_, B>,
    frame: &Frame,
    series: &Series,
    points: impl Iterator<Item = Option<Point>>,
) -> Result<(), FigureError> {
    let points: Vec<Option<Point>> = points.collect();
    let rgb = series.hue.rgb();
    let stroke = Stroke {
        rgb,
        width: LINE_WIDTH,
        dash: series.dash,
    };
    for part in clip::line(points.iter().copied(), &frame.rect) {
        let part = thinned(part);
        match part[..] {
            [only] => pen.disc(only, LINE_WIDTH, rgb, 1.0)?,
            _ => pen.path(&part, stroke)?,
        }
    }
    for &at in points.iter().flatten().filter(|&&at| frame.rect.holds(at)) {
        pen.marker(series.marker, at, DOT_RADIUS, rgb, 1.0)?;
    }
    Ok(())
}

/// The corners of a step line.
fn steps(points: &[Point]) -> impl Iterator<Item = Point> {
    points.iter().enumerate().flat_map(|(i, &(x, y))| {
        // The value before is held until here.
        let corner = i.checked_sub(1).map(|before| (x, points[before].1));
        corner.into_iter().chain([(x, y)])
    })
}

fn dots<B: DrawingBackend>(
    pen: &mut Pen<'_, B>,
    frame: &Frame,
    series: &Series,
    points: &[Point],
) -> Result<(), FigureError> {
    let marker = if series.marker == Marker::None {
        Marker::Disc
    } else {
        series.marker
    };
    for at in points
        .iter()
        .filter_map(|&(x, y)| frame.at(x, y))
        .filter(|&at| frame.rect.holds(at))
    {
        pen.marker(marker, at, POINT_RADIUS, series.hue.rgb(), POINT_OPACITY)?;
    }
    Ok(())
}

fn bar<B: DrawingBackend>(
    pen: &mut Pen<'_, B>,
    frame: &Frame,
    series: &Series,
    width: f64,
    at: f64,
    value: f64,
) -> Result<(), FigureError> {
    let across = Some((at - width / 2.0, at + width / 2.0));
    let scale = if frame.lying { &frame.x } else { &frame.y };
    let Some(place) = scale.place(value) else {
        return Ok(());
    };
    let (x, y) = if frame.lying {
        (None, across)
    } else {
        (across, None)
    };
    let Some(full) = frame.part(x, y) else {
        return Ok(());
    };
    let ends = [scale.origin(), place.clamp(0.0, 1.0)];
    let bar = if frame.lying {
        let [a, b] = ends.map(|share| frame.column(share));
        Rect {
            left: a.min(b),
            right: a.max(b),
            ..full
        }
    } else {
        let [a, b] = ends.map(|share| frame.row(share));
        Rect {
            top: a.min(b),
            bottom: a.max(b),
            ..full
        }
    };
    pen.rectangle(bar, series.hue.rgb(), 1.0)
}

fn interval<B: DrawingBackend>(
    pen: &mut Pen<'_, B>,
    frame: &Frame,
    series: &Series,
    interval: &Interval,
) -> Result<(), FigureError> {
    let rgb = interval.hue.unwrap_or(series.hue).rgb();
    let (along, across) = if frame.lying {
        (&frame.x, &frame.y)
    } else {
        (&frame.y, &frame.x)
    };
    let Some(at) = across.place(interval.at) else {
        return Ok(());
    };
    let point = |share: f64| {
        if frame.lying {
            (frame.column(share), frame.row(at))
        } else {
            (frame.column(at), frame.row(share))
        }
    };
    let end =
        |value: f64, scale: &Scale| scale.reach(value).map(|share| point(share.clamp(0.0, 1.0)));
    let center = along.place(interval.value).map(point);
    let ends = end(interval.low, along).zip(end(interval.high, along));
    if let Some((a, b)) = ends.filter(|_| interval.low < interval.high) {
        let stroke = Stroke {
            rgb,
            width: WHISKER_WIDTH,
            dash: crate::mark::Dash::Solid,
        };
        let (dx, dy) = if frame.lying { (0.0, CAP) } else { (CAP, 0.0) };
        pen.path(&[a, b], stroke)?;
        for (x, y) in [a, b] {
            pen.path(&[(x - dx, y - dy), (x + dx, y + dy)], stroke)?;
        }
    }
    let Some(center) = center.filter(|&center| frame.rect.holds(center)) else {
        return Ok(());
    };
    let marker = if series.marker == Marker::None {
        Marker::Disc
    } else {
        series.marker
    };
    pen.marker(marker, center, DOT_RADIUS, rgb, 1.0)?;
    if interval.label.is_empty() {
        return Ok(());
    }
    let (a, b) = ends.unwrap_or((center, center));
    label(pen, frame, &interval.label, [a, b, center])
}

/// Text beside a dot with whiskers: after it, or before it where the frame ends too soon.
fn label<B: DrawingBackend>(
    pen: &mut Pen<'_, B>,
    frame: &Frame,
    text: &str,
    marked: [Point; 3],
) -> Result<(), FigureError> {
    let gap = DOT_RADIUS + 7.0;
    let low = |pick: fn(Point) -> f64| marked.map(pick).into_iter().fold(f64::INFINITY, f64::min);
    let high = |pick: fn(Point) -> f64| {
        marked
            .map(pick)
            .into_iter()
            .fold(f64::NEG_INFINITY, f64::max)
    };
    let font = LABEL;
    let text = pen.typeface.fitted(text, font, frame.rect.width() * 0.9);
    let width = pen.typeface.width(&text, font);
    let center = marked[2];
    let (x, baseline, anchor) = if frame.lying {
        let baseline = center.1 + font.size * 0.36;
        let (after, before) = (high(|p| p.0) + gap, low(|p| p.0) - gap);
        if after + width <= frame.rect.right || before - width < frame.rect.left {
            (after, baseline, Anchor::Left)
        } else {
            (before, baseline, Anchor::Right)
        }
    } else {
        let above = low(|p| p.1) - gap;
        let baseline = if above - font.size < frame.rect.top {
            high(|p| p.1) + gap + font.size * 0.72
        } else {
            above
        };
        (center.0, baseline, Anchor::Center)
    };
    let left = if anchor == Anchor::Left {
        x
    } else if anchor == Anchor::Right {
        x - width
    } else {
        x - width / 2.0
    };
    let behind = Rect {
        left: left - 3.0,
        right: left + width + 3.0,
        top: baseline - font.size * 0.85,
        bottom: baseline + font.size * 0.3,
    };
    pen.rectangle(behind, BACKGROUND, 0.8)?;
    pen.text(&Text {
        line: text,
        x,
        baseline,
        anchor,
        font,
        rgb: TEXT,
    })
}

fn ribbon<B: DrawingBackend>(
    pen: &mut Pen<'_, B>,
    frame: &Frame,
    series: &Series,
    points: &[(f64, f64, f64)],
) -> Result<(), FigureError> {
    let placed: Vec<Option<(Point, Point)>> = points
        .iter()
        .map(|&(x, low, high)| {
            let column = frame.column(frame.x.place(x)?);
            Some((
                (column, frame.row(frame.y.reach(low)?)),
                (column, frame.row(frame.y.reach(high)?)),
            ))
        })
        .collect();
    for run in placed.split(Option::is_none) {
        let low = thinned(run.iter().flatten().map(|ends| ends.0).collect());
        let high = thinned(run.iter().flatten().map(|ends| ends.1).collect());
        let corners: Vec<Point> = low.into_iter().chain(high.into_iter().rev()).collect();
        let area = clip::area(&corners, &frame.rect);
        if area.len() > 2 {
            pen.polygon(&area, series.hue.rgb(), RIBBON_OPACITY)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_holds_its_value_until_the_next() {
        let corners: Vec<Point> = steps(&[(0.0, 5.0), (1.0, 3.0), (2.0, 4.0)]).collect();
        assert_eq!(
            corners,
            [(0.0, 5.0), (1.0, 5.0), (1.0, 3.0), (2.0, 3.0), (2.0, 4.0)]
        );
        assert_eq!(steps(&[(0.0, 5.0)]).count(), 1);
        assert_eq!(steps(&[]).count(), 0);
    }
}
