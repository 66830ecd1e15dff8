//! A table of text, and its three forms.

mod csv;
mod markdown;
mod text;

use thiserror::Error;

/// Columns with headings, rows of finished cells, and notes below. Every row has one cell for every column.
///
/// Cells are text that the caller has formatted: nothing is rounded, padded or translated here.
///
/// ```
/// use render::{Column, Table};
///
/// let mut table = Table::new([Column::left("strategy").gap(2), Column::left("finish s"), Column::left("crashes")]);
/// table.push(["full jitter", " 12.03 (  9.97- 14.10)", "  1.1"])?;
/// table.push(["equal jitter", " 11.99 ( 11.39- 18.75)", "  2.0"])?;
/// assert_eq!(
///     table.text(),
///     "strategy      finish s                 crashes\n\
///      full jitter    12.03 (  9.97- 14.10)     1.1\n\
///      equal jitter   11.99 ( 11.39- 18.75)     2.0\n"
/// );
/// # Ok::<(), render::TableError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    columns: Vec<Column>,
    rows: Vec<Vec<String>>,
    notes: Vec<String>,
}

/// A column's heading, and how its cells stand in text and Markdown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    heading: String,
    align: Align,
    gap: usize,
}

/// The side on which a column's cells, and its heading, are flush.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// Flush left: names, and cells that the caller has padded.
    Left,
    /// Flush right: numbers.
    Right,
}

/// Why a row was refused.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TableError {
    /// The row has more or fewer cells than the table has columns.
    #[error("row {row} of the table has {found} cells, but there are {expected} columns")]
    Ragged {
        /// The row's number, counted from 1 without the heading.
        row: usize,
        /// The number of cells that were given.
        found: usize,
        /// The number of columns.
        expected: usize,
    },
}

impl Column {
    /// The number of spaces between columns unless [`Column::gap`] says otherwise.
    pub const GAP: usize = 3;

    /// A column whose cells are flush left.
    pub fn left(heading: impl Into<String>) -> Self {
        Self {
            heading: heading.into(),
            align: Align::Left,
            gap: Self::GAP,
        }
    }

    /// A column whose cells are flush right.
    pub fn right(heading: impl Into<String>) -> Self {
        Self {
            align: Align::Right,
            ..Self::left(heading)
        }
    }

    /// The same column followed by this many spaces in [`Table::text`], instead of three.
    #[must_use]
    pub fn gap(mut self, spaces: usize) -> Self {
        self.gap = spaces;
        self
    }

    /// The heading.
    #[must_use]
    pub fn heading(&self) -> &str {
        &self.heading
    }

    /// The side on which the cells are flush.
    #[must_use]
    pub fn align(&self) -> Align {
        self.align
    }
}

impl Table {
    /// A table of these columns, without rows.
    pub fn new(columns: impl IntoIterator<Item = Column>) -> Self {
        Self {
            columns: columns.into_iter().collect(),
            rows: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// Adds a row below the others.
    ///
    /// # Errors
    ///
    /// [`TableError::Ragged`] if there isn't one cell for every column; the table is unchanged then.
    pub fn push<C: Into<String>>(
        &mut self,
        cells: impl IntoIterator<Item = C>,
    ) -> Result<(), TableError> {
        let row: Vec<String> = cells.into_iter().map(Into::into).collect();
        if row.len() != self.columns.len() {
            return Err(TableError::Ragged {
                row: self.rows.len() + 1,
                found: row.len(),
                expected: self.columns.len(),
            });
        }
        self.rows.push(row);
        Ok(())
    }

    /// Adds a line of its own below the table; CSV leaves notes out.
    pub fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }

    /// The columns, from left to right.
    #[must_use]
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The rows from top to bottom, each with as many cells as there are columns.
    pub fn rows(&self) -> impl Iterator<Item = &[String]> {
        self.rows.iter().map(Vec::as_slice)
    }

    /// The notes, from top to bottom.
    #[must_use]
    pub fn notes(&self) -> &[String] {
        &self.notes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ragged_row_is_refused_and_leaves_the_table_unchanged() {
        let mut table = Table::new([Column::left("a"), Column::left("b")]);
        table.push(["1", "2"]).unwrap();
        let before = table.clone();
        for cells in [vec![], vec!["1"], vec!["1", "2", "3"]] {
            let found = cells.len();
            assert_eq!(
                table.push(cells),
                Err(TableError::Ragged {
                    row: 2,
                    found,
                    expected: 2
                })
            );
        }
        assert_eq!(table, before);
        assert_eq!(
            table.push(["x"]).unwrap_err().to_string(),
            "row 2 of the table has 1 cells, but there are 2 columns"
        );
    }
}
