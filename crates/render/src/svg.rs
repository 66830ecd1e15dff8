//! SVG: text stays text, so that it can be searched, copied and read aloud.

use std::fmt::Write as _;

use plotters::backend::SVGBackend;

use crate::draw::{self, UNITS};
use crate::figure::{Figure, FigureError};
use crate::style::BACKGROUND;
use crate::typeface::Typeface;

impl Figure {
    /// The figure as an SVG document, with its title, and the command that made it as a description if given.
    ///
    /// Text is set in Noto Sans where the viewer has it, in its sans-serif otherwise; lines are placed for Noto Sans.
    ///
    /// # Errors
    ///
    /// [`FigureError::Size`] and [`FigureError::Range`].
    pub fn svg(&self, made_by: Option<&str>) -> Result<String, FigureError> {
        let typeface = Typeface::embedded()?;
        let plan = draw::plan(self, &typeface)?;
        let (width, height) = plan.size();
        let (full_width, full_height) = (width * UNITS as u32, height * UNITS as u32);
        let mut body = String::new();
        {
            let mut backend = SVGBackend::with_string(&mut body, (full_width, full_height));
            draw::draw(&plan, &typeface, &mut backend)?;
        }
        let mut out = format!(
            "<svg width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {full_width} {full_height}\" \
             xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" stroke-linejoin=\"round\">\n"
        );
        let _ = writeln!(out, "<title>{}</title>", escaped(&self.title));
        if let Some(command) = made_by {
            let _ = writeln!(out, "<desc>Made by: {}</desc>", escaped(command));
        }
        let (r, g, b) = BACKGROUND;
        let _ = writeln!(
            out,
            "<rect width=\"100%\" height=\"100%\" fill=\"#{r:02X}{g:02X}{b:02X}\"/>"
        );
        // The backend's own opening tag knows no pixels, only units.
        out.push_str(body.split_once('\n').map_or("", |(_, rest)| rest));
        Ok(out)
    }
}

/// Text as XML has it; characters that XML has no place for become a replacement character.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            c => out.push(if draw::printable(c) { c } else { '\u{FFFD}' }),
        }
    }
    out
}
