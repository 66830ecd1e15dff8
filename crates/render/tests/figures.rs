//! Figures as a whole: their SVG, their pixels, and that no value makes them fail.

use proptest::prelude::*;
use render::{
    Arrangement, Axis, Band, Dash, Difference, Figure, FigureError, Hue, Interval, Marker, Panel,
    Reference, Series, decode,
};

/// A figure with every mark, marker, dash and note.
fn everything() -> Figure {
    let names = ["fixed 1 s", "full jitter"];
    let over_time = Panel::new(
        Axis::linear("time").unit("s"),
        Axis::linear("arrivals per second"),
    )
    .title("Over time")
    .series(
        Series::ribbon("range", [(0.0, 1.0, 3.0), (2.0, 2.0, 5.0), (4.0, 1.0, 2.0)]).hue(Hue::Sky),
    )
    .series(Series::bars("writes", 0.5, [(1.0, 2.0), (2.0, 1.0)]).hue(Hue::Purple))
    .series(
        Series::step(
            "full jitter",
            [(0.0, 4.0), (1.0, 2.0), (2.5, 3.0), (4.0, 3.0)],
        )
        .hue(Hue::Blue),
    )
    .series(
        Series::line("exponential", [(0.0, 1.0), (2.0, 6.0), (4.0, 0.5)])
            .hue(Hue::Orange)
            .dash(Dash::DashDot)
            .named_at_end(),
    )
    .series(
        Series::line("fixed", [(0.0, 5.0), (4.0, 1.0)])
            .hue(Hue::Green)
            .dash(Dash::Dotted)
            .marker(Marker::Triangle),
    )
    .series(
        Series::points("waits", [(0.5, 0.5), (1.5, 4.5), (3.5, 5.5)])
            .hue(Hue::Vermilion)
            .marker(Marker::Diamond),
    )
    .series(Series::points("more", [(0.7, 0.7)]).marker(Marker::Square))
    .series(Series::points("others", [(0.9, 0.9)]).marker(Marker::Ring))
    .band(Band::x(1.0, 2.0, "outage"))
    .band(Band::y(0.2, 0.4, "published").within_x(3.0, 4.0))
    .reference(Reference::y(3.5, "capacity <3.5/s> & more"))
    .reference(
        Reference::x(3.0, "restart")
            .hue(Hue::Vermilion)
            .dash(Dash::Solid),
    );
    let requests = Panel::new(Axis::log("requests"), Axis::categories("", names))
        .title("By strategy")
        .series(
            Series::intervals(
                "mean",
                [
                    Interval::new(0.0, 119e3).label("119,000"),
                    Interval::new(1.0, 6148.0)
                        .whiskers(0.0, 6571.0)
                        .hue(Hue::Blue),
                ],
            )
            .unnamed(),
        );
    Figure::new("Every mark has its place")
        .subtitle("made up")
        .caption("Nothing was measured.")
        .panel(over_time)
        .panel(requests)
}

#[test]
fn svg_is_as_it_was() {
    let figure = Figure::new("Waits < 1 s & more")
        .subtitle("two waits")
        .size(400, 300)
        .panel(
            Panel::new(Axis::linear("failures"), Axis::linear("wait").unit("s"))
                .series(Series::line("full jitter", [(0.0, 0.0), (1.0, 2.0)]).dash(Dash::Dashed))
                .reference(Reference::y(1.0, "cap")),
        );
    insta::assert_snapshot!(figure.svg(Some("lab reproduce \"waits\" <all>")).unwrap());
}

/// FNV-1a, 64 bits.
fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[test]
fn pixels_are_as_they_were() {
    // Pixels are a contract: `lab check` compares them. If a change is meant, look at the figures, then put the new value here and in the changelog.
    let image = everything().image().unwrap();
    assert_eq!(
        (image.width(), image.height(), hash(image.rgba())),
        (1200, 799, 2_519_877_130_967_120_782)
    );
}

#[test]
fn a_png_holds_the_pixels_and_the_command_and_is_the_same_each_time() {
    let figure = everything();
    let file = figure.png(Some("lab reproduce everything")).unwrap();
    assert_eq!(file, figure.png(Some("lab reproduce everything")).unwrap());
    let image = decode(&file).unwrap();
    assert_eq!(image.made_by(), Some("lab reproduce everything"));
    assert_eq!(image.difference(&figure.image().unwrap()), None);
}

#[test]
fn a_changed_value_changes_pixels() {
    let line = |y: f64| {
        let panel = Panel::new(Axis::linear("x"), Axis::linear("y").range(0.0, 10.0));
        Figure::new("t")
            .panel(panel.series(Series::line("l", [(0.0, 1.0), (1.0, y)]).unnamed()))
            .image()
            .unwrap()
    };
    assert!(matches!(
        line(5.0).difference(&line(5.1)),
        Some(Difference::Pixels { .. })
    ));
}

#[test]
fn what_has_no_place_changes_nothing() {
    let with = |points: Vec<(f64, f64)>| {
        let panel = Panel::new(Axis::linear("x"), Axis::log("y").range(1.0, 100.0))
            .series(Series::points("p", points));
        Figure::new("t").panel(panel).image().unwrap()
    };
    let odd = [
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        0.0,
        -1.0,
        f64::MAX,
    ];
    let points = |more: bool| -> Vec<(f64, f64)> {
        let odd = odd.iter().filter(|_| more).map(|&y| (1.0, y));
        [(0.0, 10.0), (2.0, 20.0)].into_iter().chain(odd).collect()
    };
    assert_eq!(with(points(true)).difference(&with(points(false))), None);
}

#[test]
fn panels_with_the_same_measure_share_its_range() {
    let panel = |greatest: f64| {
        Panel::new(Axis::linear("time").unit("s"), Axis::linear("requests"))
            .series(Series::line("l", [(0.0, 0.0), (1.0, greatest)]).unnamed())
    };
    let svg = Figure::new("t")
        .panel(panel(1000.0))
        .panel(panel(10.0))
        .svg(None)
        .unwrap();
    assert_eq!(svg.matches("\n1,000\n").count(), 2, "{svg}");
    assert_eq!(
        svg.matches("\ntime (s)\n").count(),
        1,
        "the heading of the shared x axis stands once"
    );
}

#[test]
fn a_range_that_is_not_usable_is_an_error() {
    let figure = |axis: Axis| {
        Figure::new("t")
            .panel(Panel::new(axis, Axis::linear("y")))
            .svg(None)
    };
    for (low, high) in [
        (1.0, 1.0),
        (2.0, 1.0),
        (f64::NAN, 1.0),
        (0.0, f64::INFINITY),
    ] {
        assert!(
            matches!(
                figure(Axis::linear("wait").range(low, high)),
                Err(FigureError::Range { .. })
            ),
            "{low} to {high}"
        );
    }
    let error = figure(Axis::log("wait").range(0.0, 1.0)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the range 0 to 1 of the axis \"wait\" is not usable: its ends must be finite, the lower one first, and above zero on a logarithmic axis"
    );
}

#[test]
fn a_canvas_too_small_or_too_large_is_an_error() {
    for (width, height) in [
        (0, 0),
        (299, 600),
        (600, 4001),
        (u32::MAX, u32::MAX),
        (4000, 4000),
    ] {
        assert_eq!(
            Figure::new("t").size(width, height).png(None),
            Err(FigureError::Size { width, height })
        );
    }
    let rows = Axis::categories("", (0..500).map(|i| i.to_string()));
    let figure = Figure::new("t").panel(Panel::new(Axis::linear("x"), rows));
    assert!(matches!(
        figure.png(None),
        Err(FigureError::Size {
            width: 1200,
            height: 18_000..
        })
    ));
}

#[test]
fn a_figure_grows_with_its_rows() {
    let figure = |rows: u32| {
        let names = Axis::categories("", (0..rows).map(|i| format!("bench {i}")));
        Figure::new("t")
            .panel(Panel::new(Axis::linear("x"), names))
            .image()
            .unwrap()
            .height()
    };
    assert_eq!(figure(5), 675);
    assert!(figure(40) > 40 * 36);
}

/// Whether each tag that is opened is closed, and no character stands bare that XML forbids.
fn well_formed(svg: &str) -> bool {
    let mut open = Vec::new();
    let mut rest = svg;
    while let Some(start) = rest.find('<') {
        let Some(length) = rest[start..].find('>') else {
            return false;
        };
        let tag = &rest[start + 1..start + length];
        if let Some(name) = tag.strip_prefix('/') {
            if open.pop() != Some(name) {
                return false;
            }
        } else if !tag.ends_with('/') {
            open.push(tag.split(' ').next().unwrap_or(""));
        }
        rest = &rest[start + length + 1..];
    }
    let entities = ["amp;", "lt;", "gt;", "quot;", "apos;"];
    open.is_empty()
        && svg
            .split('&')
            .skip(1)
            .all(|after| entities.iter().any(|entity| after.starts_with(entity)))
        && svg.chars().all(|c| c == '\n' || !c.is_control())
}

fn value() -> impl Strategy<Value = f64> {
    let special = prop::sample::select(vec![
        0.0,
        -0.0,
        1.0,
        -1.0,
        5e-324,
        1e-300,
        1e300,
        f64::MAX,
        f64::MIN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
    ]);
    prop_oneof![3 => -10.0..100.0, 1 => any::<f64>(), 2 => special]
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(String::new()),
        "[a-z ]{1,20}",
        "(?s).{0,40}",
        "[a-z<&\"]{200}"
    ]
}

fn hue() -> impl Strategy<Value = Hue> {
    prop::sample::select(Hue::ALL.to_vec())
}

fn series() -> impl Strategy<Value = Series> {
    let points = || prop::collection::vec((value(), value()), 0..12);
    let intervals = prop::collection::vec((value(), value(), value(), value(), text()), 0..6);
    let made = prop_oneof![
        (text(), points()).prop_map(|(name, points)| Series::line(name, points)),
        (text(), points()).prop_map(|(name, points)| Series::step(name, points).named_at_end()),
        (text(), points()).prop_map(|(name, points)| Series::points(name, points)),
        (text(), value(), points())
            .prop_map(|(name, width, points)| Series::bars(name, width, points)),
        (text(), intervals).prop_map(|(name, each)| {
            let each = each.into_iter().map(|(at, value, low, high, label)| {
                Interval::new(at, value).whiskers(low, high).label(label)
            });
            Series::intervals(name, each).named_at_end()
        }),
        (
            text(),
            prop::collection::vec((value(), value(), value()), 0..12)
        )
            .prop_map(|(name, points)| Series::ribbon(name, points)),
    ];
    let dash = prop::sample::select(vec![Dash::Solid, Dash::Dashed, Dash::Dotted, Dash::DashDot]);
    let marker = prop::sample::select(vec![
        Marker::None,
        Marker::Disc,
        Marker::Square,
        Marker::Triangle,
        Marker::Diamond,
        Marker::Ring,
    ]);
    (made, hue(), dash, marker)
        .prop_map(|(series, hue, dash, marker)| series.hue(hue).dash(dash).marker(marker))
}

fn axis() -> impl Strategy<Value = Axis> {
    let kind = prop_oneof![
        text().prop_map(Axis::linear),
        text().prop_map(|label| Axis::linear(label).tight()),
        text().prop_map(Axis::log),
        (text(), prop::collection::vec(text(), 0..6))
            .prop_map(|(label, names)| Axis::categories(label, names)),
    ];
    let range = prop::option::weighted(0.3, (value(), value()));
    let ticks = prop::option::weighted(0.2, prop::collection::vec(value(), 0..6));
    (kind, text(), range, ticks).prop_map(|(mut axis, unit, range, ticks)| {
        axis = axis.unit(unit);
        if let Some((low, high)) = range.filter(|(low, high)| low < high) {
            axis = axis.range(low, high);
        }
        if let Some(ticks) = ticks {
            axis = axis.ticks(ticks);
        }
        axis
    })
}

fn panel() -> impl Strategy<Value = Panel> {
    let notes = (value(), value(), text());
    (
        axis(),
        axis(),
        text(),
        prop::collection::vec(series(), 0..4),
        prop::collection::vec(notes, 0..3),
    )
        .prop_map(|(x, y, title, series, notes)| {
            let panel = series
                .into_iter()
                .fold(Panel::new(x, y).title(title), Panel::series);
            notes.into_iter().fold(panel, |panel, (a, b, label)| {
                panel
                    .reference(Reference::x(a, label.clone()))
                    .reference(Reference::y(b, label.clone()))
                    .band(Band::x(a, b, label.clone()))
                    .band(Band::y(b, a, label).within_x(b, a))
            })
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn nothing_makes_drawing_fail(
        texts in [text(), text(), text()],
        panels in prop::collection::vec(panel(), 0..4),
        row: bool,
        size in prop::option::of((300u32..700, 300u32..500)),
    ) {
        let [title, subtitle, caption] = texts;
        let mut figure = Figure::new(title).subtitle(subtitle).caption(caption);
        figure = figure.arranged(if row { Arrangement::Row } else { Arrangement::Column });
        if let Some((width, height)) = size {
            figure = figure.size(width, height);
        }
        let figure = panels.into_iter().fold(figure, Figure::panel);
        match figure.svg(Some("made by <a test>")) {
            Ok(svg) => {
                prop_assert!(well_formed(&svg), "{svg}");
                prop_assert!(!svg.contains("NaN") && !svg.contains("inf\""), "{svg}");
                prop_assert!(figure.image().is_ok());
            }
            Err(error) => prop_assert!(matches!(error, FigureError::Range { .. } | FigureError::Size { .. }), "{error}"),
        }
    }
}
