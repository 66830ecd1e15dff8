//! A panel: two axes, series, and what helps to read them.

use crate::figure::Axis;
use crate::mark::{Dash, Series};
use crate::style::Hue;

/// One pair of axes with what is drawn between them. Series are drawn in the order in which they were added, above bands and below reference lines.
#[derive(Debug, Clone, PartialEq)]
pub struct Panel {
    pub(crate) title: String,
    pub(crate) x: Axis,
    pub(crate) y: Axis,
    pub(crate) series: Vec<Series>,
    pub(crate) references: Vec<Reference>,
    pub(crate) bands: Vec<Band>,
}

/// A labelled straight line across a panel at one value: a capacity, a threshold, a ratio of one.
#[derive(Debug, Clone, PartialEq)]
pub struct Reference {
    pub(crate) across: Side,
    pub(crate) value: f64,
    pub(crate) label: String,
    pub(crate) hue: Hue,
    pub(crate) dash: Dash,
}

/// A labelled shaded part of a panel: an outage, a published range.
#[derive(Debug, Clone, PartialEq)]
pub struct Band {
    pub(crate) x: Option<(f64, f64)>,
    pub(crate) y: Option<(f64, f64)>,
    pub(crate) label: String,
}

/// Which axis a reference's value is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    X,
    Y,
}

impl Panel {
    /// An empty panel with these axes.
    #[must_use]
    pub fn new(x: Axis, y: Axis) -> Self {
        Self {
            title: String::new(),
            x,
            y,
            series: Vec::new(),
            references: Vec::new(),
            bands: Vec::new(),
        }
    }

    /// The same panel with a title above it.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = title.into();
        self
    }

    /// The same panel with one more series, drawn above the earlier ones.
    #[must_use]
    pub fn series(mut self, series: Series) -> Self {
        self.series.push(series);
        self
    }

    /// The same panel with one more reference line.
    #[must_use]
    pub fn reference(mut self, reference: Reference) -> Self {
        self.references.push(reference);
        self
    }

    /// The same panel with one more band.
    #[must_use]
    pub fn band(mut self, band: Band) -> Self {
        self.bands.push(band);
        self
    }
}

impl Reference {
    /// A horizontal line at this value of the y axis, labelled at the panel's right.
    pub fn y(value: f64, label: impl Into<String>) -> Self {
        Self {
            across: Side::Y,
            value,
            label: label.into(),
            hue: Hue::Ink,
            dash: Dash::Dashed,
        }
    }

    /// A vertical line at this value of the x axis, labelled above the panel.
    pub fn x(value: f64, label: impl Into<String>) -> Self {
        Self {
            across: Side::X,
            ..Self::y(value, label)
        }
    }

    /// The same line in this colour; [`Hue::Ink`] unless set.
    #[must_use]
    pub fn hue(mut self, hue: Hue) -> Self {
        self.hue = hue;
        self
    }

    /// The same line broken up like this; dashed unless set.
    #[must_use]
    pub fn dash(mut self, dash: Dash) -> Self {
        self.dash = dash;
        self
    }
}

impl Band {
    /// The part between two values of the x axis, over the panel's full height, labelled above the panel.
    pub fn x(from: f64, to: f64, label: impl Into<String>) -> Self {
        Self {
            x: Some((from, to)),
            y: None,
            label: label.into(),
        }
    }

    /// The part between two values of the y axis, over the panel's full width, labelled at the panel's right.
    pub fn y(from: f64, to: f64, label: impl Into<String>) -> Self {
        Self {
            x: None,
            y: Some((from, to)),
            label: label.into(),
        }
    }

    /// The same band, only between these values of the x axis.
    #[must_use]
    pub fn within_x(mut self, from: f64, to: f64) -> Self {
        self.x = Some((from, to));
        self
    }
}
