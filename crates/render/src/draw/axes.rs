//! A panel without its series: bands and grid under them, reference lines, axes and labels over them.

use plotters_backend::DrawingBackend;

use super::frame::Rect;
use super::panel::PanelPlan;
use super::pen::{Pen, Stroke};
use crate::figure::{FigureError, Side};
use crate::mark::Dash;
use crate::style::{BAND, FRAME, GRID, GRID_WIDTH, REFERENCE_WIDTH};

/// The length of a tick's mark, in pixels.
pub(crate) const TICK: f64 = 6.0;

/// Bands, and the grid over them.
pub(crate) fn under<B: DrawingBackend>(
    pen: &mut Pen<'_, B>,
    plan: &PanelPlan<'_>,
) -> Result<(), FigureError> {
    let rect = plan.frame.rect;
    for band in &plan.panel.bands {
        if let Some(part) = plan.frame.part(band.x, band.y) {
            pen.rectangle(part, BAND, 1.0)?;
        }
    }
    for at in plan
        .x_ticks
        .iter()
        .filter(|tick| tick.grid)
        .map(|tick| tick.at)
    {
        pen.rectangle(upright(at, rect.top, rect.bottom), GRID, 1.0)?;
    }
    for at in plan
        .y_ticks
        .iter()
        .filter(|tick| tick.grid)
        .map(|tick| tick.at)
    {
        pen.rectangle(level(at, rect.left, rect.right), GRID, 1.0)?;
    }
    Ok(())
}

/// Reference lines: over lines and areas, under dots with whiskers.
pub(crate) fn references<B: DrawingBackend>(
    pen: &mut Pen<'_, B>,
    plan: &PanelPlan<'_>,
) -> Result<(), FigureError> {
    let rect = plan.frame.rect;
    for reference in &plan.panel.references {
        let scale = if reference.across == Side::X {
            &plan.frame.x
        } else {
            &plan.frame.y
        };
        let Some(share) = scale
            .place(reference.value)
            .filter(|share| (0.0..=1.0).contains(share))
        else {
            continue;
        };
        let ends = match reference.across {
            Side::X => [
                (plan.frame.column(share), rect.bottom),
                (plan.frame.column(share), rect.top),
            ],
            Side::Y => [
                (rect.left, plan.frame.row(share)),
                (rect.right, plan.frame.row(share)),
            ],
        };
        pen.path(
            &ends,
            Stroke {
                rgb: reference.hue.text(),
                width: REFERENCE_WIDTH,
                dash: reference.dash,
            },
        )?;
    }
    Ok(())
}

/// Axes, ticks and labels.
pub(crate) fn over<B: DrawingBackend>(
    pen: &mut Pen<'_, B>,
    plan: &PanelPlan<'_>,
) -> Result<(), FigureError> {
    let rect = plan.frame.rect;
    pen.rectangle(level(rect.bottom, rect.left, rect.right), FRAME, 1.0)?;
    pen.rectangle(upright(rect.left, rect.top, rect.bottom), FRAME, 1.0)?;
    for tick in &plan.x_ticks {
        pen.rectangle(
            upright(tick.at, rect.bottom, rect.bottom + tick.length),
            FRAME,
            1.0,
        )?;
    }
    for tick in &plan.y_ticks {
        pen.rectangle(
            level(tick.at, rect.left - tick.length, rect.left),
            FRAME,
            1.0,
        )?;
    }
    for &(from, to, rgb) in &plan.leaders {
        pen.path(
            &[from, to],
            Stroke {
                rgb,
                width: GRID_WIDTH,
                dash: Dash::Solid,
            },
        )?;
    }
    for text in &plan.texts {
        pen.text(text)?;
    }
    Ok(())
}

/// A line one pixel wide that fills whole pixels.
fn upright(at: f64, top: f64, bottom: f64) -> Rect {
    Rect {
        left: at.floor(),
        right: at.floor() + GRID_WIDTH,
        top,
        bottom: bottom.max(top),
    }
}

fn level(at: f64, left: f64, right: f64) -> Rect {
    Rect {
        left,
        right: right.max(left),
        top: at.floor(),
        bottom: at.floor() + GRID_WIDTH,
    }
}
