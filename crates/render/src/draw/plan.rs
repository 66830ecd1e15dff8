//! Where the parts of a figure stand on the canvas.

use super::legend::{self, Entry};
use super::panel::{Across, Needs, PanelPlan};
use super::pen::{Anchor, Text};
use super::ranges;
use crate::figure::{Arrangement, Figure, FigureError, Kind};
use crate::style::{CAPTION, Font, HEIGHT, MARGIN, QUIET_TEXT, Rgb, SUBTITLE, TEXT, TITLE};
use crate::typeface::Typeface;

/// The distance between panels, in pixels.
const BETWEEN_COLUMNS: f64 = 40.0;
const BETWEEN_ROWS: f64 = 22.0;

/// The distance from the texts to the panels, in pixels.
const PARAGRAPH: f64 = 14.0;

/// A frame is never planned narrower than this, in pixels.
const NARROWEST: f64 = 40.0;

/// A figure with everything at its place.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Plan<'a> {
    size: (u32, u32),
    pub(crate) texts: Vec<Text>,
    pub(crate) legend: Vec<Entry<'a>>,
    pub(crate) panels: Vec<PanelPlan<'a>>,
}

impl Plan<'_> {
    /// Width and height of the canvas, in pixels.
    pub(crate) fn size(&self) -> (u32, u32) {
        self.size
    }
}

/// Decides where everything stands.
pub(crate) fn plan<'a>(figure: &'a Figure, typeface: &Typeface) -> Result<Plan<'a>, FigureError> {
    checked_size(figure.width, figure.height.unwrap_or(HEIGHT))?;
    let width = f64::from(figure.width);
    let mut texts = Vec::new();
    let mut top = MARGIN;
    top = paragraph(&mut texts, typeface, &figure.title, TITLE, TEXT, width, top);
    top = paragraph(
        &mut texts,
        typeface,
        &figure.subtitle,
        SUBTITLE,
        QUIET_TEXT,
        width,
        top,
    );
    let (legend, legend_height) = legend::entries(figure, typeface, width, top + PARAGRAPH / 2.0);
    if legend_height > 0.0 {
        top += PARAGRAPH / 2.0 + legend_height;
    }
    top += PARAGRAPH;

    let mut caption = Vec::new();
    let caption_height = paragraph(
        &mut caption,
        typeface,
        &figure.caption,
        CAPTION,
        QUIET_TEXT,
        width,
        PARAGRAPH,
    ) + MARGIN;
    let caption_height = if caption.is_empty() {
        MARGIN * 0.8
    } else {
        caption_height - MARGIN * 0.4
    };

    let scales = ranges::scales(figure)?;
    let panels = across(figure, &scales, typeface, top + caption_height);
    let height = match figure.height {
        Some(height) => height,
        None => {
            ((top + needed(figure.arrangement, &panels) + caption_height).ceil() as u32).max(HEIGHT)
        }
    };
    checked_size(figure.width, height)?;
    let bottom = f64::from(height) - caption_height;
    for mut text in caption {
        text.baseline += bottom;
        texts.push(text);
    }
    let panels = down(figure.arrangement, panels, top, bottom, typeface);
    Ok(Plan {
        size: (figure.width, height),
        texts,
        legend,
        panels,
    })
}

fn checked_size(width: u32, height: u32) -> Result<(), FigureError> {
    let sides = Figure::SIDE.0..=Figure::SIDE.1;
    if !sides.contains(&width)
        || !sides.contains(&height)
        || u64::from(width) * u64::from(height) > Figure::MOST_PIXELS
    {
        return Err(FigureError::Size { width, height });
    }
    Ok(())
}

/// Adds the text in lines from `top` on, and returns where it ends.
fn paragraph(
    texts: &mut Vec<Text>,
    typeface: &Typeface,
    text: &str,
    font: Font,
    rgb: Rgb,
    width: f64,
    top: f64,
) -> f64 {
    let width = width - 2.0 * MARGIN;
    let lines = if font == TITLE {
        typeface.balanced(text, font, width, 4)
    } else {
        typeface.wrapped(text, font, width, 4)
    };
    let mut bottom = top;
    for text in lines {
        let baseline = bottom + font.size * 0.95;
        texts.push(Text {
            line: text,
            x: MARGIN,
            baseline,
            anchor: Anchor::Left,
            font,
            rgb,
        });
        bottom += font.line();
    }
    bottom
}

/// The panels with their columns: equally wide frames, their edges in line if they stand one above the other.
fn across<'a>(
    figure: &'a Figure,
    scales: &[(crate::scale::Scale, crate::scale::Scale)],
    typeface: &Typeface,
    others: f64,
) -> Vec<Across<'a>> {
    let count = figure.panels.len().max(1) as f64;
    let content = f64::from(figure.width) - 2.0 * MARGIN;
    let height = f64::from(figure.height.unwrap_or(HEIGHT)) - others;
    let (slot, frame_height) = match figure.arrangement {
        Arrangement::Row => (
            (content - BETWEEN_COLUMNS * (count - 1.0)) / count,
            height - 90.0,
        ),
        Arrangement::Column => (
            content,
            (height / count - 90.0).max(if figure.height.is_some() { 0.0 } else { 230.0 }),
        ),
    };
    let mut needs: Vec<Needs<'a>> = figure
        .panels
        .iter()
        .zip(scales)
        .map(|(panel, &scale)| Needs::new(panel, scale, typeface, slot, frame_height))
        .collect();
    leave_out_repeated(figure.arrangement, &mut needs);

    let lefts: Vec<f64> = needs.iter().map(|needs| needs.left(typeface)).collect();
    let rights: Vec<f64> = needs.iter().map(|needs| needs.right(typeface)).collect();
    match figure.arrangement {
        Arrangement::Column => {
            let left = lefts.into_iter().fold(0.0, f64::max);
            let right = rights.into_iter().fold(0.0, f64::max);
            let frame = (
                MARGIN + left,
                (MARGIN + content - right).max(MARGIN + left + NARROWEST),
            );
            needs
                .into_iter()
                .map(|needs| needs.across(MARGIN, whole(frame), typeface))
                .collect()
        }
        Arrangement::Row => {
            let taken: f64 =
                lefts.iter().chain(&rights).sum::<f64>() + BETWEEN_COLUMNS * (count - 1.0);
            let wide = ((content - taken) / count).max(NARROWEST);
            let mut at = MARGIN;
            needs
                .into_iter()
                .zip(lefts.into_iter().zip(rights))
                .map(|(needs, (left, right))| {
                    let start = at;
                    let frame = (start + left, start + left + wide);
                    at = frame.1 + right + BETWEEN_COLUMNS;
                    needs.across(start, whole(frame), typeface)
                })
                .collect()
        }
    }
}

/// Whole pixels, so that frames have sharp edges.
fn whole((left, right): (f64, f64)) -> (f64, f64) {
    (left.round(), right.round())
}

/// Names and headings that a neighbour gives already are left out.
fn leave_out_repeated(arrangement: Arrangement, needs: &mut [Needs<'_>]) {
    for i in 1..needs.len() {
        let (before, here) = (needs[i - 1].panel, needs[i].panel);
        match arrangement {
            Arrangement::Row => {
                let named = matches!(here.y.kind, Kind::Categories(_));
                needs[i].names = !(named && before.y.same_measure(&here.y));
            }
            Arrangement::Column => {
                needs[i - 1].heading = !before.x.same_measure(&here.x);
            }
        }
    }
}

/// The height that the panels need, in pixels.
fn needed(arrangement: Arrangement, panels: &[Across<'_>]) -> f64 {
    let each = panels
        .iter()
        .map(|panel| panel.above() + panel.needs.least_height() + panel.below());
    match arrangement {
        Arrangement::Row => each.fold(0.0, f64::max),
        Arrangement::Column => {
            each.sum::<f64>() + BETWEEN_ROWS * (panels.len().max(1) as f64 - 1.0)
        }
    }
}

/// The panels with their rows: they share what height is left beyond what each needs.
fn down<'a>(
    arrangement: Arrangement,
    panels: Vec<Across<'a>>,
    top: f64,
    bottom: f64,
    typeface: &Typeface,
) -> Vec<PanelPlan<'a>> {
    let above = panels.iter().map(Across::above).fold(0.0, f64::max);
    let below = panels.iter().map(Across::below).fold(0.0, f64::max);
    let spare = (bottom - top - needed(arrangement, &panels)) / panels.len().max(1) as f64;
    let mut at = top;
    panels
        .into_iter()
        .map(|panel| {
            let (above, start, end) = match arrangement {
                Arrangement::Row => (above, top + above, bottom - below),
                Arrangement::Column => {
                    let above = panel.above();
                    let start = at + above;
                    let end = start + panel.needs.least_height() + spare;
                    at = end + panel.below() + BETWEEN_ROWS;
                    (above, start, end)
                }
            };
            let start = start.round();
            panel.down(above, start, end.round().max(start + NARROWEST), typeface)
        })
        .collect()
}
