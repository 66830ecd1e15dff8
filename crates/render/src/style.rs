//! How every figure looks: colours, sizes, weights. Nothing else in the crate names a colour or a font size.

/// The colour of a series. A caller maps each name to one hue and keeps to it, so that a strategy looks the same in every figure.
///
/// Readers with any of the common colour deficiencies can tell the hues apart (after Okabe and Ito, without their yellow, which can't be read
/// on white); where lines cross, add a [`Dash`](crate::Dash) or a [`Marker`](crate::Marker) all the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Hue {
    /// #0072B2.
    Blue,
    /// #E69F00.
    Orange,
    /// #009E73, a bluish green.
    Green,
    /// #D55E00, an orange red.
    Vermilion,
    /// #CC79A7, a reddish purple.
    Purple,
    /// #56B4E9.
    Sky,
    /// #1A1A1A, nearly black.
    Ink,
    /// #5E5E5E, dark enough not to be taken for green by readers who see no red or green.
    Gray,
}

/// Red, green and blue, each 0 to 255.
pub(crate) type Rgb = (u8, u8, u8);

impl Hue {
    /// Every hue, in the order in which unnamed things may take them.
    pub const ALL: [Self; 8] = [
        Self::Blue,
        Self::Orange,
        Self::Green,
        Self::Vermilion,
        Self::Purple,
        Self::Sky,
        Self::Ink,
        Self::Gray,
    ];

    /// The colour in which marks are drawn: red, green and blue, each 0 to 255.
    #[must_use]
    pub fn rgb(self) -> (u8, u8, u8) {
        match self {
            Self::Blue => (0x00, 0x72, 0xB2),
            Self::Orange => (0xE6, 0x9F, 0x00),
            Self::Green => (0x00, 0x9E, 0x73),
            Self::Vermilion => (0xD5, 0x5E, 0x00),
            Self::Purple => (0xCC, 0x79, 0xA7),
            Self::Sky => (0x56, 0xB4, 0xE9),
            Self::Ink => (0x1A, 0x1A, 0x1A),
            Self::Gray => (0x5E, 0x5E, 0x5E),
        }
    }

    /// A darker shade of the same hue for text, at least 4.5 : 1 against the background.
    pub(crate) fn text(self) -> Rgb {
        match self {
            Self::Blue => (0x00, 0x65, 0x9E),
            Self::Orange => (0x8F, 0x60, 0x00),
            Self::Green => (0x00, 0x75, 0x55),
            Self::Vermilion => (0xB0, 0x4C, 0x00),
            Self::Purple => (0x9A, 0x45, 0x75),
            Self::Sky => (0x1B, 0x6F, 0xA3),
            Self::Ink => (0x1A, 0x1A, 0x1A),
            Self::Gray => (0x5E, 0x5E, 0x5E),
        }
    }
}

pub(crate) const BACKGROUND: Rgb = (0xFF, 0xFF, 0xFF);
pub(crate) const TEXT: Rgb = (0x1A, 0x1A, 0x1A);
pub(crate) const QUIET_TEXT: Rgb = (0x55, 0x55, 0x55);
pub(crate) const FRAME: Rgb = (0x88, 0x88, 0x88);
pub(crate) const GRID: Rgb = (0xE4, 0xE4, 0xE4);
pub(crate) const BAND: Rgb = (0xEC, 0xEA, 0xE0);

/// Widths in pixels.
pub(crate) const LINE_WIDTH: f64 = 3.0;
pub(crate) const REFERENCE_WIDTH: f64 = 2.0;
pub(crate) const GRID_WIDTH: f64 = 1.0;
pub(crate) const WHISKER_WIDTH: f64 = 3.0;

/// Radii in pixels.
pub(crate) const POINT_RADIUS: f64 = 4.5;
pub(crate) const DOT_RADIUS: f64 = 7.0;

pub(crate) const POINT_OPACITY: f64 = 0.55;
pub(crate) const RIBBON_OPACITY: f64 = 0.22;

/// The default canvas and its outer margin, in pixels.
pub(crate) const WIDTH: u32 = 1200;
pub(crate) const HEIGHT: u32 = 675;
pub(crate) const MARGIN: f64 = 28.0;

/// A weight and size of the one typeface; the size is the em in pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Font {
    pub(crate) size: f64,
    pub(crate) bold: bool,
}

impl Font {
    /// The distance from one baseline to the next, in pixels.
    pub(crate) fn line(self) -> f64 {
        (self.size * 1.3).round()
    }
}

pub(crate) const TITLE: Font = Font {
    size: 30.0,
    bold: true,
};
pub(crate) const SUBTITLE: Font = Font {
    size: 22.0,
    bold: false,
};
pub(crate) const PANEL_TITLE: Font = Font {
    size: 22.0,
    bold: true,
};
pub(crate) const LABEL: Font = Font {
    size: 20.0,
    bold: false,
};
pub(crate) const CAPTION: Font = Font {
    size: 20.0,
    bold: false,
};

#[cfg(test)]
mod tests {
    use super::*;

    fn luminance((r, g, b): Rgb) -> f64 {
        let linear = |c: u8| {
            let c = f64::from(c) / 255.0;
            if c <= 0.04045 {
                c / 12.92
            } else {
                libm::pow((c + 0.055) / 1.055, 2.4)
            }
        };
        0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b)
    }

    fn contrast(a: Rgb, b: Rgb) -> f64 {
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    #[test]
    fn text_can_be_read_on_the_background_and_on_a_band() {
        for hue in Hue::ALL {
            assert!(
                contrast(hue.text(), BACKGROUND) >= 4.5,
                "{hue:?}: {}",
                contrast(hue.text(), BACKGROUND)
            );
        }
        for text in [TEXT, QUIET_TEXT] {
            assert!(contrast(text, BAND) >= 4.5);
        }
    }

    /// Red, green and blue as seen without one kind of cone (Viénot, Brettel and Mollon 1999, in linear light).
    fn seen(rgb: Rgb, rows: [[f64; 3]; 3]) -> [f64; 3] {
        let linear = [rgb.0, rgb.1, rgb.2].map(|c| libm::pow(f64::from(c) / 255.0, 2.2));
        rows.map(|row| {
            let sum: f64 = row.iter().zip(linear).map(|(weight, c)| weight * c).sum();
            libm::pow(sum.clamp(0.0, 1.0), 1.0 / 2.2) * 255.0
        })
    }

    #[test]
    fn hues_differ_for_readers_without_red_or_green_cones() {
        let protan = [
            [0.112_38, 0.887_62, 0.0],
            [0.112_38, 0.887_62, 0.0],
            [0.004_01, -0.004_01, 1.0],
        ];
        let deutan = [
            [0.292_75, 0.707_25, 0.0],
            [0.292_75, 0.707_25, 0.0],
            [-0.022_34, 0.022_34, 1.0],
        ];
        for rows in [protan, deutan] {
            for (i, a) in Hue::ALL.into_iter().enumerate() {
                for b in &Hue::ALL[i + 1..] {
                    let distance: f64 = seen(a.rgb(), rows)
                        .iter()
                        .zip(seen(b.rgb(), rows))
                        .map(|(x, y)| (x - y) * (x - y))
                        .sum();
                    assert!(
                        distance.sqrt() > 35.0,
                        "{a:?} and {b:?} are {} apart",
                        distance.sqrt()
                    );
                }
            }
        }
    }
}
