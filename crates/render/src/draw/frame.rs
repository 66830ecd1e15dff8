//! A panel's frame on the canvas: from values to pixels.

use super::pen::Point;
use crate::scale::Scale;

/// An upright rectangle in pixels; y grows downwards.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Rect {
    pub(crate) left: f64,
    pub(crate) top: f64,
    pub(crate) right: f64,
    pub(crate) bottom: f64,
}

impl Rect {
    pub(crate) fn width(&self) -> f64 {
        self.right - self.left
    }

    pub(crate) fn height(&self) -> f64 {
        self.bottom - self.top
    }

    /// Whether the point is inside, or within half a pixel of it.
    pub(crate) fn holds(&self, (x, y): Point) -> bool {
        x >= self.left - 0.5
            && x <= self.right + 0.5
            && y >= self.top - 0.5
            && y <= self.bottom + 0.5
    }
}

/// The area between a panel's axes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Frame {
    pub(crate) rect: Rect,
    pub(crate) x: Scale,
    pub(crate) y: Scale,
    /// Whether the y axis runs down, as names are listed.
    pub(crate) down: bool,
    /// Whether bars and whiskers lie, because the y axis is of names.
    pub(crate) lying: bool,
}

impl Frame {
    /// The column of a share of the x axis.
    pub(crate) fn column(&self, share: f64) -> f64 {
        self.rect.left + share * self.rect.width()
    }

    /// The row of a share of the y axis.
    pub(crate) fn row(&self, share: f64) -> f64 {
        if self.down {
            self.rect.top + share * self.rect.height()
        } else {
            self.rect.bottom - share * self.rect.height()
        }
    }

    /// Where the point lies; nothing if it has no place on one of the scales.
    pub(crate) fn at(&self, x: f64, y: f64) -> Option<Point> {
        Some((self.column(self.x.place(x)?), self.row(self.y.place(y)?)))
    }

    /// The rectangle between these values, full size where none are given, cut off at the frame; nothing if it is empty or has no place.
    pub(crate) fn part(&self, x: Option<(f64, f64)>, y: Option<(f64, f64)>) -> Option<Rect> {
        let shares = |scale: &Scale, ends: Option<(f64, f64)>| -> Option<(f64, f64)> {
            let Some((a, b)) = ends else {
                return Some((0.0, 1.0));
            };
            let (a, b) = (scale.reach(a)?, scale.reach(b)?);
            let (low, high) = (a.min(b).max(0.0), a.max(b).min(1.0));
            (low < high).then_some((low, high))
        };
        let (x, y) = (shares(&self.x, x)?, shares(&self.y, y)?);
        let (a, b) = (self.row(y.0), self.row(y.1));
        Some(Rect {
            left: self.column(x.0),
            right: self.column(x.1),
            top: a.min(b),
            bottom: a.max(b),
        })
    }
}
