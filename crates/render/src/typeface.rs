//! The embedded typeface: how wide text is, how it is broken into lines, and the shapes of its glyphs.

use ab_glyph::{Font as _, FontRef, OutlinedGlyph, PxScale, ScaleFont as _, point};

use crate::figure::FigureError;
use crate::style::Font;

/// Noto Sans, regular and bold.
#[derive(Debug, Clone)]
pub(crate) struct Typeface {
    regular: FontRef<'static>,
    bold: FontRef<'static>,
}

/// How families are named in an SVG, where the viewer has the font or not.
pub(crate) const FAMILY: &str = "Noto Sans, sans-serif";

/// The height of a lower-case x, in ems.
pub(crate) const X_HEIGHT: f64 = 0.536;

impl Typeface {
    pub(crate) fn embedded() -> Result<Self, FigureError> {
        let parsed = |bytes| {
            FontRef::try_from_slice(bytes)
                .map_err(|e| FigureError::Output(format!("embedded font: {e}")))
        };
        Ok(Self {
            regular: parsed(notosans::REGULAR_TTF)?,
            bold: parsed(notosans::BOLD_TTF)?,
        })
    }

    fn face(&self, font: Font) -> (&FontRef<'static>, PxScale) {
        let face = if font.bold { &self.bold } else { &self.regular };
        let height_per_em = face.height_unscaled() / face.units_per_em().unwrap_or(1000.0);
        (face, PxScale::from(font.size as f32 * height_per_em))
    }

    /// The width of a line of text, in pixels.
    pub(crate) fn width(&self, text: &str, font: Font) -> f64 {
        let (face, scale) = self.face(font);
        let scaled = face.as_scaled(scale);
        text.chars()
            .map(|c| f64::from(scaled.h_advance(face.glyph_id(c))))
            .sum()
    }

    /// The outlines of a line of text that begins at `x` and stands on `baseline`, both in pixels. Each glyph keeps its own bearing and its
    /// fraction of a pixel, so that even small text is evenly spaced.
    pub(crate) fn outlines(
        &self,
        text: &str,
        font: Font,
        x: f64,
        baseline: f64,
    ) -> Vec<OutlinedGlyph> {
        let (face, scale) = self.face(font);
        let scaled = face.as_scaled(scale);
        let mut pen = x as f32;
        let mut outlines = Vec::new();
        for c in text.chars() {
            let id = face.glyph_id(c);
            let glyph = id.with_scale_and_position(scale, point(pen, baseline as f32));
            outlines.extend(face.outline_glyph(glyph));
            pen += scaled.h_advance(id);
        }
        outlines
    }

    /// The text broken at spaces, but not between a number and its unit, into lines no wider than `width` pixels, at most `lines` of them (the last one ends in an ellipsis if text is left over). A word that is wider than a line is cut.
    pub(crate) fn wrapped(&self, text: &str, font: Font, width: f64, lines: usize) -> Vec<String> {
        let space = self.width(" ", font);
        let mut out: Vec<String> = Vec::new();
        let (mut line, mut used) = (String::new(), 0.0);
        let mut words = unbroken(text).into_iter();
        while let Some(word) = words.next() {
            let wide = self.width(&word, font);
            if !line.is_empty() && used + space + wide > width {
                if out.len() + 1 == lines {
                    let rest: Vec<String> = std::iter::once(word).chain(words).take(40).collect();
                    line.push(' ');
                    line.push_str(&rest.join(" "));
                    break;
                }
                out.push(std::mem::take(&mut line));
                used = 0.0;
            }
            if !line.is_empty() {
                line.push(' ');
                used += space;
            }
            line.push_str(&word);
            used += wide;
        }
        if !line.is_empty() {
            out.push(line);
        }
        out.into_iter()
            .map(|line| self.fitted(&line, font, width))
            .collect()
    }

    /// The text in as many lines as [`Typeface::wrapped`] needs, but of about equal length, so that no word is left alone.
    pub(crate) fn balanced(&self, text: &str, font: Font, width: f64, lines: usize) -> Vec<String> {
        let mut best = self.wrapped(text, font, width, lines);
        if best.len() < 2 {
            return best;
        }
        let (mut low, mut high) = (width / best.len() as f64, width);
        while high - low > 2.0 {
            let middle = f64::midpoint(low, high);
            let tried = self.wrapped(text, font, middle, lines);
            if tried.len() == best.len() && tried.join(" ") == best.join(" ") {
                (best, high) = (tried, middle);
            } else {
                low = middle;
            }
        }
        best
    }

    /// The text, cut and ended with an ellipsis if it is wider than `width` pixels.
    pub(crate) fn fitted(&self, text: &str, font: Font, width: f64) -> String {
        if self.width(text, font) <= width {
            return text.to_owned();
        }
        let mut left = width - self.width("…", font);
        let kept: String = text
            .chars()
            .take_while(|c| {
                left -= self.width(c.encode_utf8(&mut [0; 4]), font);
                left >= 0.0
            })
            .collect();
        format!("{}…", kept.trim_end())
    }
}

/// The words of a text, a number and its unit as one: `120 s`.
fn unbroken(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in text.split(|c: char| c.is_whitespace() && c != '\u{A0}') {
        match words.last_mut() {
            Some(number) if is_number(number) && is_unit(word) => {
                number.push(' ');
                number.push_str(word);
            }
            _ if word.is_empty() => {}
            _ => words.push(word.to_owned()),
        }
    }
    words
}

fn is_number(word: &str) -> bool {
    word.ends_with(|c: char| c.is_ascii_digit())
        && word
            .chars()
            .all(|c| c.is_ascii_digit() || ".,−-–+±".contains(c))
}

fn is_unit(word: &str) -> bool {
    ["%", "s", "ms", "µs", "ns", "h", "min"]
        .contains(&word.trim_end_matches(|c: char| ".,;:)".contains(c)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::style::{LABEL, TITLE};

    fn typeface() -> Typeface {
        Typeface::embedded().unwrap()
    }

    #[test]
    fn both_weights_hold_every_character_that_figures_use() {
        let typeface = typeface();
        for face in [&typeface.regular, &typeface.bold] {
            for c in "azAZ09.,:;()%+-−×–—…ρ≤≥≈µ·±²°".chars() {
                assert_ne!(face.glyph_id(c).0, 0, "{c} has no glyph");
            }
        }
    }

    #[test]
    fn the_height_of_an_x_is_the_fonts_own() {
        let typeface = typeface();
        let x = typeface.outlines(
            "x",
            Font {
                size: 1000.0,
                bold: false,
            },
            0.0,
            0.0,
        );
        let height = -f64::from(x[0].px_bounds().min.y) / 1000.0;
        assert!((height - X_HEIGHT).abs() < 0.002, "{height}");
    }

    #[test]
    fn advances_add_up() {
        let typeface = typeface();
        let sum = typeface.width("wai", LABEL) + typeface.width("ts", LABEL);
        assert!((typeface.width("waits", LABEL) - sum).abs() < 1e-9);
        assert!(typeface.width("waits", TITLE) > typeface.width("waits", LABEL));
        assert_eq!(typeface.width("", LABEL), 0.0);
    }

    #[test]
    fn lines_stay_within_their_width_and_keep_the_words() {
        let typeface = typeface();
        let text = "Without jitter all thousand clients come back at the same instant";
        let lines = typeface.wrapped(text, LABEL, 200.0, 10);
        assert!(lines.len() > 2);
        assert!(
            lines
                .iter()
                .all(|line| typeface.width(line, LABEL) <= 200.0)
        );
        assert_eq!(lines.join(" "), text);
        let cut = typeface.wrapped(text, LABEL, 200.0, 2);
        assert_eq!(cut[0], lines[0]);
        assert!(cut.len() == 2 && cut[1].ends_with('…') && typeface.width(&cut[1], LABEL) <= 200.0);
        assert!(typeface.wrapped("  ", LABEL, 200.0, 2).is_empty());
    }

    #[test]
    fn balanced_lines_are_as_many_and_nearly_equal() {
        let typeface = typeface();
        let text = "Without jitter the herd comes back whole; with full jitter it is gone in 14 s";
        let width = typeface.width(text, TITLE) - 10.0;
        assert_eq!(typeface.wrapped(text, TITLE, width, 4)[1], "14 s");
        let lines = typeface.balanced(text, TITLE, width, 4);
        assert_eq!(lines.join(" "), text);
        let widths: Vec<f64> = lines
            .iter()
            .map(|line| typeface.width(line, TITLE))
            .collect();
        assert!(
            widths.len() == 2 && (widths[0] - widths[1]).abs() < 0.2 * width,
            "{widths:?}"
        );
        assert_eq!(
            typeface.wrapped("14\u{A0}s", TITLE, 30.0, 4).len(),
            1,
            "a no-break space doesn't break"
        );
    }

    #[test]
    fn a_number_stays_with_its_unit() {
        let words = |text| unbroken(text).join("|");
        assert_eq!(
            words("in 120 s, 90.3 %  of 1,000"),
            "in|120 s,|90.3 %|of|1,000"
        );
        assert_eq!(words("14 clients, S1 s, a s"), "14|clients,|S1|s,|a|s");
    }

    #[test]
    fn a_word_that_is_too_wide_is_cut() {
        let typeface = typeface();
        let word = "x".repeat(1000);
        let lines = typeface.wrapped(&word, LABEL, 100.0, 3);
        assert!(
            lines.len() == 1
                && lines[0].ends_with('…')
                && typeface.width(&lines[0], LABEL) <= 100.0
        );
        assert_eq!(typeface.fitted("anything", LABEL, 1.0), "…");
        assert_eq!(typeface.fitted("anything", LABEL, -5.0), "…");
    }
}
