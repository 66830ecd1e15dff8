//! Tables to text, CSV and Markdown; figures to PNG and SVG.
//!
//! A [`Table`] holds cells that its caller has formatted, so a published layout comes out digit for digit. A [`Figure`] is a value that
//! says what is to be seen: panels, axes, series, reference lines and bands. How it looks is decided here, in one style, so that figures
//! agree with each other and a series keeps its [`Hue`] from figure to figure.
//!
//! Everything is deterministic: the same value gives the same bytes on every machine. The font is part of the program (Noto Sans, under the
//! Open Font License, see `LICENSE-OFL.txt`), no system library draws, and no logarithm comes from the platform.
//!
//! ```
//! use render::{Axis, Figure, Hue, Panel, Reference, Series};
//!
//! let arrivals = [(0.0, 1000.0), (0.1, 420.0), (0.2, 130.0), (0.3, 50.0)];
//! let figure = Figure::new("The herd is gone after 0.3 s").panel(
//!     Panel::new(Axis::linear("time").unit("s"), Axis::linear("requests per 100 ms"))
//!         .series(Series::step("full jitter", arrivals).hue(Hue::Blue))
//!         .reference(Reference::y(50.0, "capacity")),
//! );
//! let png = figure.png(Some("lab reproduce herd"))?;
//! assert_eq!(render::decode(&png)?.made_by(), Some("lab reproduce herd"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod canvas;
mod draw;
mod figure;
mod mark;
mod pixels;
mod png;
mod scale;
mod style;
mod svg;
mod table;
mod typeface;

pub use figure::{Arrangement, Axis, Band, Figure, FigureError, Panel, Reference};
pub use mark::{Dash, Interval, Mark, Marker, Series};
pub use pixels::{Difference, Image};
pub use png::{PngError, decode};
pub use style::Hue;
pub use table::{Align, Column, Table, TableError};
