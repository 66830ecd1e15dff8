//! Which scale each panel's axes get.

use crate::figure::{Axis, Figure, FigureError, Kind, Panel, Side};
use crate::mark::{Mark, Marker, Series};
use crate::scale::{Extent, Room, Scale};

/// The scales of the x and the y axis of each panel. Axes of the same measure share one, unless they are given ranges of their own.
pub(crate) fn scales(figure: &Figure) -> Result<Vec<(Scale, Scale)>, FigureError> {
    figure
        .panels
        .iter()
        .map(|panel| {
            Ok((
                scale(figure, panel, Side::X)?,
                scale(figure, panel, Side::Y)?,
            ))
        })
        .collect()
}

fn axis(panel: &Panel, side: Side) -> &Axis {
    match side {
        Side::X => &panel.x,
        Side::Y => &panel.y,
    }
}

fn scale(figure: &Figure, panel: &Panel, side: Side) -> Result<Scale, FigureError> {
    let measured = axis(panel, side);
    let log = match &measured.kind {
        Kind::Categories(names) => return Ok(Scale::linear(-0.5, names.len().max(1) as f64 - 0.5)),
        Kind::Linear => false,
        Kind::Log => true,
    };
    if let Some((low, high)) = measured.range {
        let scale = given(&measured.label, low, high, log)?;
        return Ok(zeroed(scale, measured));
    }
    let mut extent = Extent::empty(log);
    let mut markers = false;
    if !log && !measured.tight {
        extent.add(0.0);
    }
    for other in figure
        .panels
        .iter()
        .filter(|other| axis(other, side).same_measure(measured))
    {
        let lying = matches!(other.y.kind, Kind::Categories(_));
        for series in &other.series {
            each_value(series, side, lying, |value| extent.add(value));
            markers |= has_markers(series);
        }
        for reference in other
            .references
            .iter()
            .filter(|reference| reference.across == side)
        {
            extent.add_across(reference.value);
        }
    }
    let room = match (side, markers) {
        (Side::Y, _) => Room::Round,
        (Side::X, true) => Room::Markers,
        (Side::X, false) => Room::None,
    };
    Ok(zeroed(extent.scale(room), measured))
}

/// The scale with a place for zero, if the axis asks for it.
fn zeroed(scale: Scale, axis: &Axis) -> Scale {
    if axis.zero { scale.with_zero() } else { scale }
}

fn given(axis: &str, low: f64, high: f64, log: bool) -> Result<Scale, FigureError> {
    let refused = || FigureError::Range {
        axis: axis.to_owned(),
        low,
        high,
        log,
    };
    let usable = |value: f64| value.is_finite() && value.abs() <= 1e300 && (!log || value > 0.0);
    if !(usable(low) && usable(high) && low < high) {
        return Err(refused());
    }
    if !log {
        return Ok(Scale::linear(low, high));
    }
    let (low, high) = (libm::log10(low), libm::log10(high));
    if low < high {
        Ok(Scale::log(low, high))
    } else {
        Err(refused())
    }
}

fn has_markers(series: &Series) -> bool {
    matches!(series.mark, Mark::Points(_) | Mark::Intervals(_)) || series.marker != Marker::None
}

/// Calls with each value that the series has on this side.
fn each_value(series: &Series, side: Side, lying: bool, mut each: impl FnMut(f64)) {
    // Bars and whiskers run along the y axis, and along the x axis when they lie.
    let along = (side == Side::X) == lying;
    match &series.mark {
        Mark::Line(points) | Mark::Step(points) | Mark::Points(points) => {
            for &(x, y) in points {
                each(if side == Side::X { x } else { y });
            }
        }
        Mark::Bars { width, values } => {
            for &(at, value) in values {
                if along {
                    each(value);
                    each(0.0);
                } else {
                    each(at - width / 2.0);
                    each(at + width / 2.0);
                }
            }
        }
        Mark::Intervals(intervals) => {
            for interval in intervals {
                if along {
                    [interval.low, interval.value, interval.high]
                        .into_iter()
                        .for_each(&mut each);
                } else {
                    each(interval.at);
                }
            }
        }
        Mark::Ribbon(points) => {
            for &(x, low, high) in points {
                if side == Side::X {
                    each(x);
                } else {
                    each(low);
                    each(high);
                }
            }
        }
    }
}
