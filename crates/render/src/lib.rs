//! Tables to text, CSV and Markdown; figures to PNG and SVG.
