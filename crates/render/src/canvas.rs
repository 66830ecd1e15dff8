//! Pixels for plotters: a drawing backend with antialiased edges and evenly spaced text.
//!
//! The backends of plotters take whole numbers, so figures are drawn in tenths of a pixel ([`UNITS`]); an edge then lies where it belongs, and
//! covers a pixel in part. Only additions, multiplications, divisions and square roots are used, which are the same on every machine.

mod coverage;

use std::convert::Infallible;

use plotters_backend::text_anchor::{HPos, VPos};
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind,
    FontStyle,
};

use crate::draw::{self, UNITS};
use crate::figure::{Figure, FigureError};
use crate::style::{BACKGROUND, Font};
use crate::typeface::{Typeface, X_HEIGHT};
use coverage::Coverage;

type Drawn = Result<(), DrawingErrorKind<Infallible>>;

/// An opaque picture that plotters can draw on.
#[derive(Debug)]
pub(crate) struct Canvas {
    width: u32,
    height: u32,
    rgb: Vec<u8>,
    coverage: Coverage,
    typeface: Typeface,
}

/// The figure, drawn.
pub(crate) fn drawn(figure: &Figure) -> Result<Canvas, FigureError> {
    let typeface = Typeface::embedded()?;
    let plan = draw::plan(figure, &typeface)?;
    let (width, height) = plan.size();
    let mut canvas = Canvas::new(width, height, typeface.clone());
    draw::draw(&plan, &typeface, &mut canvas)?;
    Ok(canvas)
}

impl Canvas {
    fn new(width: u32, height: u32, typeface: Typeface) -> Self {
        let (r, g, b) = BACKGROUND;
        let pixels = width as usize * height as usize;
        Self {
            width,
            height,
            rgb: [r, g, b].repeat(pixels),
            coverage: Coverage::new(width as usize, height as usize),
            typeface,
        }
    }

    pub(crate) fn size(&self) -> (u32, u32) {
        (self.width, self.height)
    }

    /// Red, green and blue of each pixel, row after row from the top left.
    pub(crate) fn rgb(&self) -> &[u8] {
        &self.rgb
    }

    /// Paints what is covered, and forgets the coverage.
    fn paint(&mut self, color: BackendColor) {
        let (r, g, b) = color.rgb;
        let ink = [r, g, b].map(f32::from);
        let alpha = color.alpha.clamp(0.0, 1.0) as f32;
        let rgb = &mut self.rgb;
        self.coverage
            .take(|index, covered| blend(rgb, index, ink, covered * alpha));
    }

    fn stroke(&mut self, path: &[(f32, f32)], width: u32, color: BackendColor) {
        let radius = width as f32 / (2 * UNITS) as f32;
        for ends in path.windows(2) {
            self.coverage.capsule(ends[0], ends[1], radius);
        }
        self.paint(color);
    }
}

fn blend(rgb: &mut [u8], index: usize, ink: [f32; 3], alpha: f32) {
    if let Some(pixel) = rgb.get_mut(index * 3..index * 3 + 3) {
        for (channel, ink) in pixel.iter_mut().zip(ink) {
            let under = f32::from(*channel);
            *channel = (under + (ink - under) * alpha.min(1.0) + 0.5) as u8;
        }
    }
}

fn pixels((x, y): BackendCoord) -> (f32, f32) {
    (x as f32 / UNITS as f32, y as f32 / UNITS as f32)
}

impl DrawingBackend for Canvas {
    type ErrorType = Infallible;

    fn get_size(&self) -> (u32, u32) {
        (self.width * UNITS as u32, self.height * UNITS as u32)
    }

    fn ensure_prepared(&mut self) -> Drawn {
        Ok(())
    }

    fn present(&mut self) -> Drawn {
        Ok(())
    }

    fn draw_pixel(&mut self, point: BackendCoord, color: BackendColor) -> Drawn {
        let (x, y) = pixels(point);
        self.coverage
            .rectangle((x, y), (x + 1.0 / UNITS as f32, y + 1.0 / UNITS as f32));
        self.paint(color);
        Ok(())
    }

    fn draw_line<S: BackendStyle>(
        &mut self,
        from: BackendCoord,
        to: BackendCoord,
        style: &S,
    ) -> Drawn {
        self.stroke(
            &[pixels(from), pixels(to)],
            style.stroke_width(),
            style.color(),
        );
        Ok(())
    }

    fn draw_rect<S: BackendStyle>(
        &mut self,
        from: BackendCoord,
        to: BackendCoord,
        style: &S,
        fill: bool,
    ) -> Drawn {
        if fill {
            self.coverage.rectangle(pixels(from), pixels(to));
            self.paint(style.color());
            return Ok(());
        }
        let corners = [from, (to.0, from.1), to, (from.0, to.1), from];
        self.draw_path(corners, style)
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        style: &S,
    ) -> Drawn {
        let path: Vec<(f32, f32)> = path.into_iter().map(pixels).collect();
        self.stroke(&path, style.stroke_width(), style.color());
        Ok(())
    }

    fn draw_circle<S: BackendStyle>(
        &mut self,
        center: BackendCoord,
        radius: u32,
        style: &S,
        fill: bool,
    ) -> Drawn {
        let (center, radius) = (pixels(center), radius as f32 / UNITS as f32);
        if fill {
            self.coverage.capsule(center, center, radius);
        } else {
            self.coverage.ring(
                center,
                radius,
                style.stroke_width() as f32 / (2 * UNITS) as f32,
            );
        }
        self.paint(style.color());
        Ok(())
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        corners: I,
        style: &S,
    ) -> Drawn {
        let corners: Vec<(f32, f32)> = corners.into_iter().map(pixels).collect();
        self.coverage.polygon(&corners);
        self.paint(style.color());
        Ok(())
    }

    /// Upright text only, anchored as the SVG backend anchors it, so that the two agree.
    fn draw_text<S: BackendTextStyle>(&mut self, text: &str, style: &S, at: BackendCoord) -> Drawn {
        let font = Font {
            size: style.size() / draw::TEXT_SCALE,
            bold: matches!(style.style(), FontStyle::Bold),
        };
        let (x, y) = pixels(at);
        let width = self.typeface.width(text, font);
        let left = f64::from(x)
            - match style.anchor().h_pos {
                HPos::Left => 0.0,
                HPos::Center => width / 2.0,
                HPos::Right => width,
            };
        let baseline = f64::from(y)
            + font.size
                * match style.anchor().v_pos {
                    VPos::Top => 0.76,
                    VPos::Center => X_HEIGHT / 2.0,
                    VPos::Bottom => -X_HEIGHT / 2.0,
                };
        let color = style.color();
        let (r, g, b) = color.rgb;
        let (ink, alpha) = ([r, g, b].map(f32::from), color.alpha as f32);
        let (width, height) = (i64::from(self.width), i64::from(self.height));
        for glyph in self.typeface.outlines(text, font, left, baseline) {
            let corner = glyph.px_bounds().min;
            let rgb = &mut self.rgb;
            glyph.draw(|x, y, covered| {
                let (x, y) = (
                    corner.x as i64 + i64::from(x),
                    corner.y as i64 + i64::from(y),
                );
                if (0..width).contains(&x) && (0..height).contains(&y) {
                    blend(rgb, (y * width + x) as usize, ink, covered * alpha);
                }
            });
        }
        Ok(())
    }
}
