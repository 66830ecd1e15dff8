//! Where everything in one panel stands.

use super::axes::TICK;
use super::frame::{Frame, Rect};
use super::margin::{self, SideLabel};
use super::pen::{Anchor, Point, Text};
use crate::figure::{Axis, Kind, Panel};
use crate::scale::{Scale, Tick};
use crate::style::{LABEL, PANEL_TITLE, QUIET_TEXT, Rgb, TEXT};
use crate::typeface::Typeface;

const LEADING: f64 = 23.0;
const LABEL_GAP: f64 = 6.0;
const TITLE_HEIGHT: f64 = 34.0;
const HEADING_HEIGHT: f64 = 28.0;

/// The least distance between neighbouring labels of the x axis, in pixels.
const BETWEEN: f64 = 18.0;

/// A panel with everything at its place, in pixels.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PanelPlan<'a> {
    pub(crate) panel: &'a Panel,
    pub(crate) frame: Frame,
    pub(crate) x_ticks: Vec<TickPlan>,
    pub(crate) y_ticks: Vec<TickPlan>,
    pub(crate) texts: Vec<Text>,
    pub(crate) leaders: Vec<(Point, Point, Rgb)>,
}

/// A mark at an axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct TickPlan {
    pub(crate) at: f64,
    pub(crate) length: f64,
    pub(crate) grid: bool,
}

/// What a panel needs around its frame, measured before the frame is known.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Needs<'a> {
    pub(crate) panel: &'a Panel,
    x: Scale,
    y: Scale,
    y_labels: Labels,
    side: Vec<SideLabel>,
    /// Whether the names at the y axis, the heading of the x axis are drawn; they aren't where a neighbour has the same.
    pub(crate) names: bool,
    pub(crate) heading: bool,
}

/// Ticks with their labels broken into lines.
type Labels = Vec<(f64, Vec<String>)>;

impl<'a> Needs<'a> {
    /// For a panel in a slot this wide, whose frame will be about this high.
    pub(crate) fn new(
        panel: &'a Panel,
        (x, y): (Scale, Scale),
        typeface: &Typeface,
        width: f64,
        height: f64,
    ) -> Self {
        let y_labels = match &panel.y.kind {
            Kind::Categories(names) => categories(names, &y, typeface, 0.36 * width),
            _ => single_lines(ticks(&panel.y, &y, ((height / 52.0) as usize).clamp(3, 8))),
        };
        let side = margin::side_labels(panel, &x, &y, typeface, (0.26 * width).clamp(60.0, 240.0));
        Self {
            panel,
            x,
            y,
            y_labels,
            side,
            names: true,
            heading: true,
        }
    }

    /// The width of what stands left of the frame.
    pub(crate) fn left(&self, typeface: &Typeface) -> f64 {
        let labels = self
            .y_labels
            .iter()
            .flat_map(|(_, lines)| lines)
            .map(|line| typeface.width(line, LABEL));
        let widest = if self.names {
            labels.fold(0.0, f64::max)
        } else {
            0.0
        };
        widest + TICK + LABEL_GAP
    }

    /// The width of what stands right of the frame.
    pub(crate) fn right(&self, typeface: &Typeface) -> f64 {
        if self.side.is_empty() {
            0.0
        } else {
            margin::SIDE_GAP + margin::side_width(&self.side, typeface)
        }
    }

    /// The least height of the frame in which everything in it can be read.
    pub(crate) fn least_height(&self) -> f64 {
        match &self.panel.y.kind {
            Kind::Categories(names) => (names.len() as f64 * 36.0).max(110.0),
            _ => 230.0,
        }
    }

    /// The panel between these columns; its rows are still to be set.
    pub(crate) fn across(self, left: f64, frame: (f64, f64), typeface: &Typeface) -> Across<'a> {
        let strip = margin::strip(self.panel, left, frame, &self.x, typeface);
        let width = frame.1 - frame.0;
        let x_labels = match &self.panel.x.kind {
            Kind::Categories(names) => categories(
                names,
                &self.x,
                typeface,
                width / names.len().max(1) as f64 - BETWEEN / 2.0,
            ),
            _ => single_lines(fitting(&self.panel.x, &self.x, typeface, width)),
        };
        Across {
            needs: self,
            left,
            frame,
            strip,
            x_labels,
        }
    }
}

/// A panel whose columns are known.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Across<'a> {
    pub(crate) needs: Needs<'a>,
    left: f64,
    frame: (f64, f64),
    strip: Vec<margin::StripLabel>,
    x_labels: Labels,
}

impl<'a> Across<'a> {
    /// The height of what stands above the frame.
    pub(crate) fn above(&self) -> f64 {
        let title = if self.needs.panel.title.is_empty() {
            0.0
        } else {
            TITLE_HEIGHT
        };
        title + margin::strip_height(&self.strip)
    }

    /// The height of what stands below the frame.
    pub(crate) fn below(&self) -> f64 {
        let lines = self
            .x_labels
            .iter()
            .map(|(_, lines)| lines.len())
            .max()
            .unwrap_or(0);
        let heading = if self.headed() { HEADING_HEIGHT } else { 0.0 };
        TICK + LABEL_GAP + lines as f64 * LEADING + heading
    }

    fn headed(&self) -> bool {
        self.needs.heading && !self.needs.panel.x.heading().is_empty()
    }

    /// The panel with its frame between these rows, its title `above` the frame.
    pub(crate) fn down(
        self,
        above: f64,
        top: f64,
        bottom: f64,
        typeface: &Typeface,
    ) -> PanelPlan<'a> {
        let panel = self.needs.panel;
        let named = matches!(panel.y.kind, Kind::Categories(_));
        let rect = Rect {
            left: self.frame.0,
            right: self.frame.1,
            top,
            bottom,
        };
        let frame = Frame {
            rect,
            x: self.needs.x,
            y: self.needs.y,
            down: named,
            lying: named,
        };
        let (mut texts, leaders) =
            margin::placed_at_side(&self.needs.side, &rect, |share| frame.row(share));

        if !panel.title.is_empty() {
            let text = typeface.fitted(&panel.title, PANEL_TITLE, rect.right - self.left);
            let baseline = top - above + PANEL_TITLE.size;
            texts.push(Text {
                line: text,
                x: self.left,
                baseline,
                anchor: Anchor::Left,
                font: PANEL_TITLE,
                rgb: TEXT,
            });
        }
        for (place, lines) in self.needs.y_labels.iter().filter(|_| self.needs.names) {
            let first =
                frame.row(*place) - (lines.len() as f64 - 1.0) / 2.0 * LEADING + LABEL.size * 0.36;
            let x = rect.left - TICK - LABEL_GAP;
            texts.extend(stacked(lines, x, first, Anchor::Right));
        }
        for (place, lines) in &self.x_labels {
            let first = bottom + TICK + LABEL_GAP + LABEL.size * 0.8;
            texts.extend(stacked(lines, frame.column(*place), first, Anchor::Center));
        }
        if self.headed() {
            let text = typeface.fitted(&panel.x.heading(), LABEL, rect.width().max(120.0));
            let (x, baseline) = (
                f64::midpoint(rect.left, rect.right),
                bottom + self.below() - 5.0,
            );
            texts.push(Text {
                line: text,
                x,
                baseline,
                anchor: Anchor::Center,
                font: LABEL,
                rgb: QUIET_TEXT,
            });
        }
        if panel.series.is_empty() {
            let at = (
                f64::midpoint(rect.left, rect.right),
                f64::midpoint(top, bottom),
            );
            texts.push(Text {
                line: "no data".to_owned(),
                x: at.0,
                baseline: at.1,
                anchor: Anchor::Center,
                font: LABEL,
                rgb: QUIET_TEXT,
            });
        }
        let x_ticks = marks(&panel.x, &self.x_labels, named, |place| frame.column(place));
        let y_ticks = marks(&panel.y, &self.needs.y_labels, named, |place| {
            frame.row(place)
        });
        texts.extend(margin::placed_above(self.strip, top));
        PanelPlan {
            panel,
            frame,
            x_ticks,
            y_ticks,
            texts,
            leaders,
        }
    }
}

fn stacked(lines: &[String], x: f64, first: f64, anchor: Anchor) -> impl Iterator<Item = Text> {
    lines.iter().enumerate().map(move |(i, line)| Text {
        line: line.clone(),
        x,
        baseline: first + i as f64 * LEADING,
        anchor,
        font: LABEL,
        rgb: TEXT,
    })
}

fn ticks(axis: &Axis, scale: &Scale, most: usize) -> Vec<Tick> {
    match &axis.ticks {
        Some(values) => scale.ticks_at(values),
        None => scale.ticks(most),
    }
}

/// Ticks of an x axis whose labels keep their distance: fewer ticks, or labels left out where the ticks are given.
fn fitting(axis: &Axis, scale: &Scale, typeface: &Typeface, width: f64) -> Vec<Tick> {
    let fits = |ticks: &[Tick]| {
        let spans: Vec<(f64, f64)> = ticks
            .iter()
            .filter(|tick| !tick.label.is_empty())
            .map(|tick| (tick.place * width, typeface.width(&tick.label, LABEL) / 2.0))
            .collect();
        spans
            .windows(2)
            .all(|pair| pair[0].0 + pair[0].1 + BETWEEN <= pair[1].0 - pair[1].1)
    };
    if axis.ticks.is_none() {
        let fewer = (3..=10)
            .rev()
            .map(|most| scale.ticks(most))
            .find(|ticks| fits(ticks));
        return fewer.unwrap_or_else(|| scale.ticks(2));
    }
    let all = ticks(axis, scale, 0);
    let every = |step: usize| -> Vec<Tick> {
        all.iter()
            .enumerate()
            .map(|(i, tick)| Tick {
                place: tick.place,
                label: if i % step == 0 {
                    tick.label.clone()
                } else {
                    String::new()
                },
            })
            .collect()
    };
    (1..all.len().max(2))
        .map(every)
        .find(|ticks| fits(ticks))
        .unwrap_or_default()
}

fn single_lines(ticks: Vec<Tick>) -> Labels {
    ticks
        .into_iter()
        .map(|tick| (tick.place, vec![tick.label]))
        .collect()
}

fn categories(names: &[String], scale: &Scale, typeface: &Typeface, width: f64) -> Labels {
    let place = |i: usize| scale.place(i as f64).unwrap_or(0.0);
    names
        .iter()
        .enumerate()
        .map(|(i, name)| (place(i), typeface.wrapped(name, LABEL, width, 2)))
        .collect()
}

fn marks(axis: &Axis, labels: &Labels, lying: bool, at: impl Fn(f64) -> f64) -> Vec<TickPlan> {
    let named = matches!(axis.kind, Kind::Categories(_));
    labels
        .iter()
        .map(|(place, lines)| {
            let labelled = lines.iter().any(|line| !line.is_empty());
            let length = match (named, labelled) {
                (true, _) => 0.0,
                (false, true) => TICK,
                (false, false) => TICK / 2.0,
            };
            TickPlan {
                at: at(*place),
                length,
                grid: labelled && (!named || lying),
            }
        })
        .collect()
}
