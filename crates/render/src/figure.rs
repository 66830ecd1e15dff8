//! A figure as a value: panels with axes, and what is drawn in them.

mod axis;
mod panel;

pub use axis::Axis;
pub(crate) use axis::Kind;
pub(crate) use panel::Side;
pub use panel::{Band, Panel, Reference};

use thiserror::Error;

use crate::style;

/// A figure: a title that says what it shows, and one or more panels.
///
/// ```
/// use render::{Arrangement, Axis, Figure, Hue, Interval, Panel, Series};
///
/// let names = ["fixed 1 s", "full jitter"];
/// let finish = Panel::new(Axis::linear("finish").unit("s"), Axis::categories("", names)).series(
///     Series::intervals("mean with min–max", [
///         Interval::new(0.0, 120.0).label("unfinished").hue(Hue::Orange),
///         Interval::new(1.0, 12.03).whiskers(9.97, 14.1).label("12.03").hue(Hue::Blue),
///     ])
///     .unnamed(),
/// );
/// let requests = Panel::new(Axis::log("requests"), Axis::categories("", names))
///     .series(Series::intervals("", [Interval::new(0.0, 119e3), Interval::new(1.0, 6148.0)]).unnamed());
/// let figure = Figure::new("Only jitter lets the server recover")
///     .subtitle("mean with minimum and maximum of 20 runs")
///     .arranged(Arrangement::Row)
///     .panel(finish)
///     .panel(requests);
/// assert!(figure.svg(None)?.contains("Only jitter lets the server recover"));
/// # Ok::<(), render::FigureError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    pub(crate) title: String,
    pub(crate) subtitle: String,
    pub(crate) caption: String,
    pub(crate) arrangement: Arrangement,
    pub(crate) panels: Vec<Panel>,
    pub(crate) width: u32,
    pub(crate) height: Option<u32>,
}

/// How panels stand to each other.
///
/// Panels whose axes have the same label, unit and kind share that axis' range, so that equal heights mean equal values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Arrangement {
    /// Side by side; equal categories on the y axis are named once, at the left.
    Row,
    /// One above the other; an equal label of the x axis is given once, at the bottom.
    #[default]
    Column,
}

/// Why a figure can't be drawn.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum FigureError {
    /// The canvas is too small to hold text or too large to hold in memory.
    #[error("a figure of {width}×{height} pixels can't be drawn: each side must be {low} to {high} pixels, and all of it at most {} million pixels", Figure::MOST_PIXELS / 1_000_000, low = Figure::SIDE.0, high = Figure::SIDE.1)]
    Size {
        /// The width that was asked for or is needed, in pixels.
        width: u32,
        /// The height that was asked for or is needed, in pixels.
        height: u32,
    },
    /// An axis' range is empty, not finite, or (if logarithmic) not above zero.
    #[error("the range {low} to {high} of the axis \"{axis}\" is not usable: its ends must be finite, the lower one first{}", if *.log { ", and above zero on a logarithmic axis" } else { "" })]
    Range {
        /// The axis' label.
        axis: String,
        /// The lower end given.
        low: f64,
        /// The upper end given.
        high: f64,
        /// Whether the axis is logarithmic.
        log: bool,
    },
    /// The drawing library or the encoder failed; neither does for an accepted size.
    #[error("the figure could not be written: {0}")]
    Output(String),
}

impl Figure {
    /// The least and the greatest width and height, in pixels.
    pub const SIDE: (u32, u32) = (300, 4000);

    /// The most pixels of a figure; so many take 32 MB while it is drawn.
    pub const MOST_PIXELS: u64 = 8_000_000;

    /// A figure without panels, 1,200 pixels wide; the title states the finding.
    pub fn new(title: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            subtitle: String::new(),
            caption: String::new(),
            arrangement: Arrangement::default(),
            panels: Vec::new(),
            width: style::WIDTH,
            height: None,
        }
    }

    /// The same figure with a quieter line below the title: what was measured, under which conditions.
    #[must_use]
    pub fn subtitle(mut self, subtitle: impl Into<String>) -> Self {
        self.subtitle = subtitle.into();
        self
    }

    /// The same figure with a note below the panels: how to read it, what it leaves out.
    #[must_use]
    pub fn caption(mut self, caption: impl Into<String>) -> Self {
        self.caption = caption.into();
        self
    }

    /// The same figure with one more panel, after the others.
    #[must_use]
    pub fn panel(mut self, panel: Panel) -> Self {
        self.panels.push(panel);
        self
    }

    /// The same figure with its panels side by side or, as they are unless set, one above the other.
    #[must_use]
    pub fn arranged(mut self, arrangement: Arrangement) -> Self {
        self.arrangement = arrangement;
        self
    }

    /// The same figure on a canvas of this size in pixels, within [`Figure::SIDE`]. Unless set, it is 1,200 wide and 675 high, or as high as its panels need.
    #[must_use]
    pub fn size(mut self, width: u32, height: u32) -> Self {
        self.width = width;
        self.height = Some(height);
        self
    }

    /// The title, which also serves as the text for readers who don't see the picture.
    #[must_use]
    pub fn title(&self) -> &str {
        &self.title
    }
}
