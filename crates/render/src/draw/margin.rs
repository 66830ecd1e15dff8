//! Labels outside the frame, so that they never cover data: at its right, and in rows above it.

use super::frame::Rect;
use super::pen::{Anchor, Point, Text};
use crate::figure::{Panel, Side};
use crate::mark::{Mark, Naming, Series};
use crate::scale::Scale;
use crate::style::{Font, LABEL, QUIET_TEXT, Rgb};
use crate::typeface::Typeface;

/// The distance from the frame to the labels at its right, in pixels.
pub(crate) const SIDE_GAP: f64 = 16.0;

/// The height of a row of labels above the frame, and the distance of the lowest baseline from it, in pixels: half a label of the y axis must fit.
pub(crate) const ROW: f64 = 28.0;
const BASELINE: f64 = 16.0;

const FONT: Font = LABEL;
const LEADING: f64 = 23.0;

/// A label at the right of the frame, for something at a share of the y axis.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SideLabel {
    pub(crate) share: f64,
    pub(crate) lines: Vec<String>,
    pub(crate) rgb: Rgb,
}

/// The labels at the panel's right: series named at their ends, horizontal reference lines and bands; none wider than `width`.
pub(crate) fn side_labels(
    panel: &Panel,
    x: &Scale,
    y: &Scale,
    typeface: &Typeface,
    width: f64,
) -> Vec<SideLabel> {
    let mut labels = Vec::new();
    let mut add = |share: Option<f64>, text: &str, rgb: Rgb| {
        let lines = typeface.balanced(text, FONT, width, 3);
        if let Some(share) = share.filter(|_| !lines.is_empty()) {
            labels.push(SideLabel { share, lines, rgb });
        }
    };
    for series in panel
        .series
        .iter()
        .filter(|series| series.naming == Naming::End)
    {
        add(end(series, x, y), &series.name, series.hue.text());
    }
    for reference in panel
        .references
        .iter()
        .filter(|reference| reference.across == Side::Y)
    {
        let share = y
            .place(reference.value)
            .filter(|share| (0.0..=1.0).contains(share));
        add(share, &reference.label, reference.hue.text());
    }
    for band in panel.bands.iter().filter(|band| band.y.is_some()) {
        let middle = band.y.and_then(|(a, b)| {
            let (a, b) = (y.reach(a)?, y.reach(b)?);
            let (low, high) = (a.min(b).max(0.0), a.max(b).min(1.0));
            (low < high).then_some(f64::midpoint(low, high))
        });
        add(middle, &band.label, QUIET_TEXT);
    }
    labels
}

/// The height at which a series ends, as a share of the y axis.
fn end(series: &Series, x: &Scale, y: &Scale) -> Option<f64> {
    let last = |points: &[Point]| {
        points.iter().rev().find_map(|&(a, b)| {
            x.place(a).filter(|share| (0.0..=1.0).contains(share))?;
            y.place(b)
        })
    };
    let share = match &series.mark {
        Mark::Line(points)
        | Mark::Step(points)
        | Mark::Points(points)
        | Mark::Bars { values: points, .. } => last(points),
        Mark::Ribbon(points) => points
            .iter()
            .rev()
            .find_map(|&(_, low, high)| Some(f64::midpoint(y.reach(low)?, y.reach(high)?))),
        Mark::Intervals(intervals) => intervals
            .iter()
            .rev()
            .find_map(|interval| y.place(interval.value)),
    };
    share.map(|share| share.clamp(0.0, 1.0))
}

/// The width of the widest label, in pixels.
pub(crate) fn side_width(labels: &[SideLabel], typeface: &Typeface) -> f64 {
    labels
        .iter()
        .flat_map(|label| &label.lines)
        .map(|line| typeface.width(line, FONT))
        .fold(0.0, f64::max)
}

/// The labels as text, moved apart where they would overlap, and for each moved one a line that leads to it.
pub(crate) fn placed_at_side(
    labels: &[SideLabel],
    frame: &Rect,
    row: impl Fn(f64) -> f64,
) -> (Vec<Text>, Vec<(Point, Point, Rgb)>) {
    let mut order: Vec<(f64, &SideLabel)> = labels
        .iter()
        .map(|label| (row(label.share), label))
        .collect();
    order.sort_by(|a, b| a.0.total_cmp(&b.0));
    let height = |label: &SideLabel| label.lines.len() as f64 * LEADING;
    let mut tops: Vec<f64> = Vec::new();
    for (at, label) in &order {
        let free = tops
            .last()
            .zip(tops.len().checked_sub(1))
            .map_or(f64::NEG_INFINITY, |(top, i)| top + height(order[i].1) + 3.0);
        tops.push(
            (at - height(label) / 2.0)
                .max(free)
                .max(frame.top - LEADING),
        );
    }
    let mut limit = frame.bottom + LEADING;
    for (top, (_, label)) in tops.iter_mut().zip(&order).rev() {
        *top = top.min(limit - height(label));
        limit = *top - 3.0;
    }
    let (mut texts, mut leaders) = (Vec::new(), Vec::new());
    for ((at, label), top) in order.iter().zip(tops) {
        let middle = top + height(label) / 2.0;
        if (middle - at).abs() > 4.0 {
            leaders.push((
                (frame.right + 2.0, *at),
                (frame.right + SIDE_GAP - 3.0, middle),
                label.rgb,
            ));
        }
        for (i, line) in label.lines.iter().enumerate() {
            let baseline = top + (i as f64 + 0.5) * LEADING + FONT.size * 0.34;
            texts.push(Text {
                line: line.clone(),
                x: frame.right + SIDE_GAP,
                baseline,
                anchor: Anchor::Left,
                font: FONT,
                rgb: label.rgb,
            });
        }
    }
    (texts, leaders)
}

/// A label above the frame: its left edge, its width, and how many rows above the lowest it stands.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct StripLabel {
    text: String,
    left: f64,
    width: f64,
    row: usize,
    rgb: Rgb,
}

/// The labels above a frame: vertical reference lines and bands, then the heading of the y axis from `left` on, each in the lowest row with room.
pub(crate) fn strip(
    panel: &Panel,
    left: f64,
    frame: (f64, f64),
    x: &Scale,
    typeface: &Typeface,
) -> Vec<StripLabel> {
    let wanted = |text: &str, middle: Option<f64>, rgb: Rgb| -> Option<StripLabel> {
        let text = typeface.fitted(text, FONT, frame.1 - left);
        let width = typeface.width(&text, FONT);
        let start = middle.map_or(left, |share| {
            (frame.0 + share * (frame.1 - frame.0) - width / 2.0)
                .min(frame.1 - width)
                .max(left)
        });
        (!text.is_empty()).then_some(StripLabel {
            text,
            left: start,
            width,
            row: 0,
            rgb,
        })
    };
    let bands = panel
        .bands
        .iter()
        .filter(|band| band.y.is_none())
        .filter_map(|band| {
            let (a, b) = band.x?;
            let (a, b) = (x.place(a)?, x.place(b)?);
            let (low, high) = (a.min(b).max(0.0), a.max(b).min(1.0));
            if low < high {
                wanted(&band.label, Some(f64::midpoint(low, high)), QUIET_TEXT)
            } else {
                None
            }
        });
    let references = panel
        .references
        .iter()
        .filter(|reference| reference.across == Side::X)
        .filter_map(|reference| {
            let share = x
                .place(reference.value)
                .filter(|share| (0.0..=1.0).contains(share))?;
            wanted(&reference.label, Some(share), reference.hue.text())
        });
    let heading = wanted(&panel.y.heading(), None, QUIET_TEXT);
    let mut placed: Vec<StripLabel> = Vec::new();
    for mut label in bands.chain(references).chain(heading) {
        let taken = |row: usize, label: &StripLabel| {
            placed.iter().any(|other| {
                other.row == row
                    && label.left < other.left + other.width + 16.0
                    && other.left < label.left + label.width + 16.0
            })
        };
        while taken(label.row, &label) {
            label.row += 1;
        }
        placed.push(label);
    }
    placed
}

/// The height of the labels above a frame, in pixels.
pub(crate) fn strip_height(labels: &[StripLabel]) -> f64 {
    labels
        .iter()
        .map(|label| label.row)
        .max()
        .map_or(0.0, |highest| highest as f64 * ROW + ROW + BASELINE - 6.0)
}

/// The labels above a frame as text.
pub(crate) fn placed_above(labels: Vec<StripLabel>, top: f64) -> impl Iterator<Item = Text> {
    labels.into_iter().map(move |label| Text {
        line: label.text,
        x: label.left,
        baseline: top - BASELINE - label.row as f64 * ROW,
        anchor: Anchor::Left,
        font: FONT,
        rgb: label.rgb,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::{Axis, Band, Reference};

    const FRAME: Rect = Rect {
        left: 0.0,
        top: 100.0,
        right: 500.0,
        bottom: 400.0,
    };

    #[test]
    fn labels_at_the_side_never_overlap_and_stay_at_the_frame() {
        let labels: Vec<SideLabel> = (0..6)
            .map(|i| SideLabel {
                share: 0.02 * f64::from(i),
                lines: vec![format!("line {i}"), "more".to_owned()],
                rgb: (0, 0, 0),
            })
            .collect();
        let (texts, leaders) = placed_at_side(&labels, &FRAME, |share| {
            FRAME.bottom - share * FRAME.height()
        });
        let mut baselines: Vec<f64> = texts.iter().map(|text| text.baseline).collect();
        baselines.sort_by(f64::total_cmp);
        assert!(
            baselines.windows(2).all(|pair| pair[1] - pair[0] > 22.0),
            "{baselines:?}"
        );
        assert!(
            baselines
                .iter()
                .all(|&b| b > FRAME.top - LEADING && b < FRAME.bottom + LEADING)
        );
        assert!(!leaders.is_empty());
    }

    #[test]
    fn a_label_alone_stands_at_its_height() {
        let label = SideLabel {
            share: 0.5,
            lines: vec!["capacity".to_owned()],
            rgb: (0, 0, 0),
        };
        let (texts, leaders) = placed_at_side(&[label], &FRAME, |share| {
            FRAME.bottom - share * FRAME.height()
        });
        assert!((texts[0].baseline - 250.0).abs() < 10.0);
        assert!(leaders.is_empty());
    }

    #[test]
    fn labels_above_give_way_upwards() {
        let typeface = Typeface::embedded().unwrap();
        let panel = Panel::new(Axis::linear("time"), Axis::linear("requests per second"))
            .band(Band::x(1.0, 2.0, "outage"))
            .band(Band::x(8.0, 9.0, "restart"))
            .reference(Reference::x(1.6, "first success"));
        let labels = strip(
            &panel,
            0.0,
            (50.0, 550.0),
            &Scale::linear(0.0, 10.0),
            &typeface,
        );
        let rows: Vec<(&str, usize)> = labels
            .iter()
            .map(|label| (label.text.as_str(), label.row))
            .collect();
        assert_eq!(
            rows,
            [
                ("outage", 0),
                ("restart", 0),
                ("first success", 1),
                ("requests per second", 2)
            ]
        );
        assert_eq!(strip_height(&labels), 3.0 * ROW + BASELINE - 6.0);
    }
}
