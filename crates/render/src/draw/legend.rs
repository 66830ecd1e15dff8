//! The legend: one row or more between the subtitle and the panels.

use plotters_backend::DrawingBackend;

use super::frame::Rect;
use super::pen::{Anchor, Pen, Stroke, Text};
use crate::figure::{Figure, FigureError};
use crate::mark::{Mark, Marker, Naming, Series};
use crate::style::{DOT_RADIUS, LABEL, LINE_WIDTH, MARGIN, RIBBON_OPACITY, TEXT, WHISKER_WIDTH};
use crate::typeface::Typeface;

const SWATCH: f64 = 36.0;
const GAP: f64 = 9.0;
const BETWEEN: f64 = 30.0;
pub(crate) const ROW: f64 = 31.0;

/// A swatch at its place, and the name beside it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Entry<'a> {
    series: &'a Series,
    left: f64,
    middle: f64,
    name: String,
}

/// The entries of a figure `width` pixels wide, in rows from `top` on, and the height of the rows. What looks the same and has the same name
/// in several panels is named once.
pub(crate) fn entries<'a>(
    figure: &'a Figure,
    typeface: &Typeface,
    width: f64,
    top: f64,
) -> (Vec<Entry<'a>>, f64) {
    let mut entries: Vec<Entry<'a>> = Vec::new();
    let (mut left, mut middle) = (MARGIN, top + ROW / 2.0);
    let named = figure
        .panels
        .iter()
        .flat_map(|panel| &panel.series)
        .filter(|series| series.naming == Naming::Legend && !series.name.is_empty());
    for series in named {
        if entries.iter().any(|entry| same(entry.series, series)) {
            continue;
        }
        let name = typeface.fitted(&series.name, LABEL, width - 2.0 * MARGIN - SWATCH - GAP);
        let right = left + SWATCH + GAP + typeface.width(&name, LABEL);
        if right > width - MARGIN && left > MARGIN {
            middle += ROW;
            left = MARGIN;
        }
        let wide = SWATCH + GAP + typeface.width(&name, LABEL) + BETWEEN;
        entries.push(Entry {
            series,
            left,
            middle,
            name,
        });
        left += wide;
    }
    let height = if entries.is_empty() {
        0.0
    } else {
        middle + ROW / 2.0 - top
    };
    (entries, height)
}

fn same(a: &Series, b: &Series) -> bool {
    let look = |series: &Series| {
        (
            series.hue,
            series.dash,
            series.marker,
            std::mem::discriminant(&series.mark),
        )
    };
    a.name == b.name && look(a) == look(b)
}

pub(crate) fn draw<B: DrawingBackend>(
    pen: &mut Pen<'_, B>,
    entries: &[Entry<'_>],
) -> Result<(), FigureError> {
    for entry in entries {
        let Entry {
            series,
            left,
            middle,
            ..
        } = entry;
        let rgb = series.hue.rgb();
        let (center, right) = ((left + SWATCH / 2.0, *middle), left + SWATCH);
        match &series.mark {
            Mark::Line(_) | Mark::Step(_) => {
                let stroke = Stroke {
                    rgb,
                    width: LINE_WIDTH + 1.0,
                    dash: series.dash,
                };
                pen.path(&[(*left, *middle), (right, *middle)], stroke)?;
                if matches!(series.mark, Mark::Line(_)) {
                    pen.marker(series.marker, center, DOT_RADIUS, rgb, 1.0)?;
                }
            }
            Mark::Points(_) | Mark::Intervals(_) => {
                if matches!(series.mark, Mark::Intervals(_)) {
                    let stroke = Stroke {
                        rgb,
                        width: WHISKER_WIDTH,
                        dash: crate::mark::Dash::Solid,
                    };
                    pen.path(&[(*left, *middle), (right, *middle)], stroke)?;
                }
                let marker = if series.marker == Marker::None {
                    Marker::Disc
                } else {
                    series.marker
                };
                pen.marker(marker, center, DOT_RADIUS, rgb, 1.0)?;
            }
            Mark::Bars { .. } | Mark::Ribbon(_) => {
                let area = Rect {
                    left: *left,
                    right,
                    top: middle - 9.0,
                    bottom: middle + 9.0,
                };
                let opacity = if matches!(series.mark, Mark::Ribbon(_)) {
                    RIBBON_OPACITY
                } else {
                    1.0
                };
                pen.rectangle(area, rgb, opacity)?;
            }
        }
        let baseline = middle + LABEL.size * 0.35;
        pen.text(&Text {
            line: entry.name.clone(),
            x: right + GAP,
            baseline,
            anchor: Anchor::Left,
            font: LABEL,
            rgb: TEXT,
        })?;
    }
    Ok(())
}
