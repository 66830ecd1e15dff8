//! Series: what is drawn inside a panel's axes.

use crate::style::Hue;

/// One named set of marks in one colour.
///
/// A point that isn't finite, or whose magnitude is above 1e300, can't be placed and is skipped; on a logarithmic axis so is one at or below zero.
/// A line is broken there. Marks outside an axis' range are cut off at its edge.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    pub(crate) name: String,
    pub(crate) mark: Mark,
    pub(crate) hue: Hue,
    pub(crate) dash: Dash,
    pub(crate) marker: Marker,
    pub(crate) naming: Naming,
}

/// How a series' values are drawn.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Mark {
    /// (x, y), joined by straight lines in the order given.
    Line(Vec<(f64, f64)>),
    /// (x, y), each y held until the next x; the last one is reached and not held, so append the end of the observation.
    Step(Vec<(f64, f64)>),
    /// (x, y), each a marker of its own.
    Points(Vec<(f64, f64)>),
    /// (position, value): bars of the given width, centred on the position, from zero to the value (from the axis' edge if that is logarithmic).
    /// They lie if the panel's y axis is of categories, and stand otherwise.
    Bars {
        /// The width of each, in units of the axis they stand on (1 is the distance between categories).
        width: f64,
        /// Position and value of each.
        values: Vec<(f64, f64)>,
    },
    /// A dot with whiskers each. They lie if the panel's y axis is of categories, and stand otherwise.
    Intervals(Vec<Interval>),
    /// (x, low, high): the area between low and high.
    Ribbon(Vec<(f64, f64, f64)>),
}

/// A value with whiskers from a low to a high end: a mean with minimum and maximum, an estimate with its confidence interval.
#[derive(Debug, Clone, PartialEq)]
pub struct Interval {
    pub(crate) at: f64,
    pub(crate) value: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
    pub(crate) label: String,
    pub(crate) hue: Option<Hue>,
}

/// How a line is broken up, so that lines that cross can be told apart without their colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Dash {
    /// Unbroken.
    #[default]
    Solid,
    /// Dashes of 12 pixels.
    Dashed,
    /// Dots.
    Dotted,
    /// A dash and a dot in turn.
    DashDot,
}

/// The shape of a point. On a line, a marker other than [`Marker::None`] stands at every point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Marker {
    /// No marker on lines; a disc for points.
    #[default]
    None,
    /// A filled circle.
    Disc,
    /// A filled square.
    Square,
    /// A filled triangle.
    Triangle,
    /// A filled square standing on its corner.
    Diamond,
    /// A circle with the background inside.
    Ring,
}

/// Where a reader finds the name of a series.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Naming {
    Legend,
    End,
    Nowhere,
}

impl Series {
    fn new(name: impl Into<String>, mark: Mark) -> Self {
        Self {
            name: name.into(),
            mark,
            hue: Hue::Blue,
            dash: Dash::Solid,
            marker: Marker::None,
            naming: Naming::Legend,
        }
    }

    /// Points joined by straight lines: see [`Mark::Line`].
    pub fn line(name: impl Into<String>, points: impl IntoIterator<Item = (f64, f64)>) -> Self {
        Self::new(name, Mark::Line(points.into_iter().collect()))
    }

    /// Values held until the next: see [`Mark::Step`].
    pub fn step(name: impl Into<String>, points: impl IntoIterator<Item = (f64, f64)>) -> Self {
        Self::new(name, Mark::Step(points.into_iter().collect()))
    }

    /// Unconnected points: see [`Mark::Points`].
    pub fn points(name: impl Into<String>, points: impl IntoIterator<Item = (f64, f64)>) -> Self {
        Self::new(name, Mark::Points(points.into_iter().collect()))
    }

    /// Bars of this width: see [`Mark::Bars`].
    pub fn bars(
        name: impl Into<String>,
        width: f64,
        values: impl IntoIterator<Item = (f64, f64)>,
    ) -> Self {
        Self::new(
            name,
            Mark::Bars {
                width,
                values: values.into_iter().collect(),
            },
        )
    }

    /// Dots with whiskers: see [`Mark::Intervals`].
    pub fn intervals(
        name: impl Into<String>,
        intervals: impl IntoIterator<Item = Interval>,
    ) -> Self {
        Self::new(name, Mark::Intervals(intervals.into_iter().collect()))
    }

    /// The area between two curves, as (x, low, high): see [`Mark::Ribbon`].
    pub fn ribbon(
        name: impl Into<String>,
        points: impl IntoIterator<Item = (f64, f64, f64)>,
    ) -> Self {
        Self::new(name, Mark::Ribbon(points.into_iter().collect()))
    }

    /// The same series in this colour; [`Hue::Blue`] unless set.
    #[must_use]
    pub fn hue(mut self, hue: Hue) -> Self {
        self.hue = hue;
        self
    }

    /// The same series with lines broken up like this.
    #[must_use]
    pub fn dash(mut self, dash: Dash) -> Self {
        self.dash = dash;
        self
    }

    /// The same series with this marker at every point.
    #[must_use]
    pub fn marker(mut self, marker: Marker) -> Self {
        self.marker = marker;
        self
    }

    /// The same series, named at the right of the panel at the height of its last point, instead of in the legend.
    #[must_use]
    pub fn named_at_end(mut self) -> Self {
        self.naming = Naming::End;
        self
    }

    /// The same series, named nowhere: the panel's title or its axis says what it is.
    #[must_use]
    pub fn unnamed(mut self) -> Self {
        self.naming = Naming::Nowhere;
        self
    }
}

impl Interval {
    /// A dot at a position (a category's index, counted from 0) with this value, without whiskers.
    #[must_use]
    pub fn new(at: f64, value: f64) -> Self {
        Self {
            at,
            value,
            low: value,
            high: value,
            label: String::new(),
            hue: None,
        }
    }

    /// The same dot with whiskers from `low` to `high`; on a logarithmic axis a low end at or below zero reaches the axis' edge.
    #[must_use]
    pub fn whiskers(mut self, low: f64, high: f64) -> Self {
        self.low = low;
        self.high = high;
        self
    }

    /// The same dot with this text beside it, on the side that has room.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// The same dot in a colour of its own instead of its series'.
    #[must_use]
    pub fn hue(mut self, hue: Hue) -> Self {
        self.hue = Some(hue);
        self
    }
}
