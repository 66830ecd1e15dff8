//! What a figure is drawn with: lines, areas, discs and text, in pixels.

use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, FontDesc, FontFamily, FontStyle, RGBColor, ShapeStyle, TextStyle};
use plotters_backend::{DrawingBackend, DrawingErrorKind};

use super::frame::Rect;
use super::{TEXT_SCALE, UNITS, printable};
use crate::figure::FigureError;
use crate::mark::{Dash, Marker};
use crate::style::{BACKGROUND, Font, Rgb};
use crate::typeface::{FAMILY, Typeface, X_HEIGHT};

pub(crate) type Point = (f64, f64);

/// A line of text at its place.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Text {
    pub(crate) line: String,
    pub(crate) x: f64,
    pub(crate) baseline: f64,
    pub(crate) anchor: Anchor,
    pub(crate) font: Font,
    pub(crate) rgb: Rgb,
}

/// Which part of a text stands at its x.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Anchor {
    Left,
    Center,
    Right,
}

/// The look of a line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Stroke {
    pub(crate) rgb: Rgb,
    pub(crate) width: f64,
    pub(crate) dash: Dash,
}

/// Draws on a backend in pixels, rounded to drawing units.
pub(crate) struct Pen<'a, B> {
    backend: &'a mut B,
    pub(crate) typeface: &'a Typeface,
}

fn units(value: f64) -> i32 {
    (value * f64::from(UNITS)).round() as i32
}

fn point((x, y): Point) -> (i32, i32) {
    (units(x), units(y))
}

fn area((r, g, b): Rgb, opacity: f64) -> ShapeStyle {
    RGBColor(r, g, b).mix(opacity).filled()
}

fn checked<E: std::error::Error + Send + Sync>(
    drawn: Result<(), DrawingErrorKind<E>>,
) -> Result<(), FigureError> {
    drawn.map_err(|e| FigureError::Output(e.to_string()))
}

impl<'a, B: DrawingBackend> Pen<'a, B> {
    pub(crate) fn new(backend: &'a mut B, typeface: &'a Typeface) -> Self {
        Self { backend, typeface }
    }

    pub(crate) fn finish(&mut self) -> Result<(), FigureError> {
        checked(self.backend.present())
    }

    pub(crate) fn rectangle(
        &mut self,
        rect: Rect,
        rgb: Rgb,
        opacity: f64,
    ) -> Result<(), FigureError> {
        let (from, to) = (
            point((rect.left, rect.top)),
            point((rect.right, rect.bottom)),
        );
        checked(self.backend.draw_rect(from, to, &area(rgb, opacity), true))
    }

    pub(crate) fn polygon(
        &mut self,
        corners: &[Point],
        rgb: Rgb,
        opacity: f64,
    ) -> Result<(), FigureError> {
        checked(
            self.backend
                .fill_polygon(corners.iter().copied().map(point), &area(rgb, opacity)),
        )
    }

    pub(crate) fn disc(
        &mut self,
        center: Point,
        radius: f64,
        rgb: Rgb,
        opacity: f64,
    ) -> Result<(), FigureError> {
        let radius = units(radius).unsigned_abs();
        checked(
            self.backend
                .draw_circle(point(center), radius, &area(rgb, opacity), true),
        )
    }

    /// A path through all points, in dashes if the stroke has them.
    pub(crate) fn path(&mut self, points: &[Point], stroke: Stroke) -> Result<(), FigureError> {
        let (r, g, b) = stroke.rgb;
        let style = RGBColor(r, g, b).stroke_width(units(stroke.width).unsigned_abs());
        let lengths: &[f64] = match stroke.dash {
            Dash::Solid => {
                return checked(
                    self.backend
                        .draw_path(points.iter().copied().map(point), &style),
                );
            }
            Dash::Dashed => &[11.0, 9.0],
            Dash::Dotted => &[0.5, 6.5],
            Dash::DashDot => &[11.0, 7.0, 0.5, 7.0],
        };
        for piece in pieces(points, lengths) {
            checked(self.backend.draw_path(piece.into_iter().map(point), &style))?;
        }
        Ok(())
    }

    /// A marker; [`Marker::None`] draws nothing.
    pub(crate) fn marker(
        &mut self,
        marker: Marker,
        (x, y): Point,
        radius: f64,
        rgb: Rgb,
        opacity: f64,
    ) -> Result<(), FigureError> {
        match marker {
            Marker::None => Ok(()),
            Marker::Disc => self.disc((x, y), radius, rgb, opacity),
            Marker::Ring => {
                self.disc((x, y), radius, rgb, 1.0)?;
                self.disc((x, y), radius * 0.5, BACKGROUND, 1.0)
            }
            Marker::Square => {
                let r = radius * 0.9;
                self.rectangle(
                    Rect {
                        left: x - r,
                        top: y - r,
                        right: x + r,
                        bottom: y + r,
                    },
                    rgb,
                    opacity,
                )
            }
            Marker::Triangle => {
                let r = radius * 1.15;
                self.polygon(
                    &[(x, y - r), (x + r, y + r * 0.8), (x - r, y + r * 0.8)],
                    rgb,
                    opacity,
                )
            }
            Marker::Diamond => {
                let r = radius * 1.25;
                self.polygon(
                    &[(x, y - r), (x + r, y), (x, y + r), (x - r, y)],
                    rgb,
                    opacity,
                )
            }
        }
    }

    pub(crate) fn text(&mut self, text: &Text) -> Result<(), FigureError> {
        let h_pos = match text.anchor {
            Anchor::Left => HPos::Left,
            Anchor::Center => HPos::Center,
            Anchor::Right => HPos::Right,
        };
        let (r, g, b) = text.rgb;
        let weight = if text.font.bold {
            FontStyle::Bold
        } else {
            FontStyle::Normal
        };
        let font = FontDesc::new(
            FontFamily::Name(FAMILY),
            text.font.size * TEXT_SCALE,
            weight,
        );
        // Both backends take this anchor as the middle of a lower-case x.
        let color = RGBColor(r, g, b);
        let style = TextStyle::from(font)
            .color(&color)
            .pos(Pos::new(h_pos, VPos::Center));
        let at = point((text.x, text.baseline - text.font.size * X_HEIGHT / 2.0));
        let line: String = text
            .line
            .chars()
            .map(|c| if printable(c) { c } else { ' ' })
            .collect();
        checked(self.backend.draw_text(&line, &style, at))
    }
}

/// The path cut into the drawn ones of these lengths, of which every second is left out.
fn pieces(points: &[Point], lengths: &[f64]) -> Vec<Vec<Point>> {
    let mut out = Vec::new();
    let Some(&first) = points.first() else {
        return out;
    };
    let (mut piece, mut at) = (vec![first], first);
    let (mut which, mut left) = (0, lengths[0]);
    for &end in &points[1..] {
        loop {
            let (dx, dy) = (end.0 - at.0, end.1 - at.1);
            let far = (dx * dx + dy * dy).sqrt();
            if far < left {
                left -= far;
                at = end;
                piece.push(at);
                break;
            }
            at = (at.0 + dx / far * left, at.1 + dy / far * left);
            piece.push(at);
            if which % 2 == 0 {
                out.push(std::mem::take(&mut piece));
            }
            which = (which + 1) % lengths.len();
            left = lengths[which];
            piece = vec![at];
        }
    }
    // A dash that would only begin at the very end is none.
    if which % 2 == 0
        && (out.is_empty() || piece.iter().any(|&at| at != piece[0]))
        && piece.len() > 1
    {
        out.push(piece);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dashes_run_on_around_corners() {
        let cut = pieces(&[(0.0, 0.0), (15.0, 0.0), (15.0, 20.0)], &[10.0, 10.0]);
        assert_eq!(
            cut,
            [
                vec![(0.0, 0.0), (10.0, 0.0)],
                vec![(15.0, 5.0), (15.0, 15.0)]
            ]
        );
    }

    #[test]
    fn a_path_of_one_point_or_none_has_no_dashes() {
        assert!(pieces(&[], &[10.0, 10.0]).is_empty());
        assert!(pieces(&[(1.0, 1.0)], &[10.0, 10.0]).is_empty());
        assert_eq!(
            pieces(&[(1.0, 1.0), (1.0, 1.0)], &[10.0, 10.0]),
            [vec![(1.0, 1.0), (1.0, 1.0)]]
        );
    }
}
