//! From a figure to strokes: first a plan of where everything stands, then the drawing, the same for pixels and for SVG.

mod axes;
mod clip;
mod frame;
mod legend;
mod margin;
mod marks;
mod panel;
mod pen;
mod plan;
mod ranges;
mod thin;

use plotters_backend::DrawingBackend;

use crate::figure::FigureError;
use crate::mark::{Mark, Series};
use crate::typeface::Typeface;
use pen::Pen;
use plan::Plan;

pub(crate) use plan::plan;

/// Drawing units in a pixel: the backends take whole numbers, and a tenth of a pixel is fine enough.
pub(crate) const UNITS: i32 = 10;

/// What plotters calls the size of a font for each pixel of its em, in drawing units.
pub(crate) const TEXT_SCALE: f64 = 1.24 * UNITS as f64;

/// Draws what is planned.
pub(crate) fn draw<B: DrawingBackend>(
    plan: &Plan<'_>,
    typeface: &Typeface,
    backend: &mut B,
) -> Result<(), FigureError> {
    let mut pen = Pen::new(backend, typeface);
    for panel in &plan.panels {
        axes::under(&mut pen, panel)?;
        let (dots, others): (Vec<&Series>, Vec<&Series>) = panel
            .panel
            .series
            .iter()
            .partition(|series| matches!(series.mark, Mark::Intervals(_)));
        for series in others {
            marks::draw(&mut pen, &panel.frame, series)?;
        }
        axes::references(&mut pen, panel)?;
        for series in dots {
            marks::draw(&mut pen, &panel.frame, series)?;
        }
        axes::over(&mut pen, panel)?;
    }
    legend::draw(&mut pen, &plan.legend)?;
    for text in &plan.texts {
        pen.text(text)?;
    }
    pen.finish()
}

/// Whether the character can stand in a figure: XML has no place for control characters and two others.
pub(crate) fn printable(c: char) -> bool {
    !c.is_control() && !matches!(c, '\u{FFFE}' | '\u{FFFF}')
}
