//! A table as aligned text.

use unicode_width::UnicodeWidthStr;

use super::{Align, Table};

impl Table {
    /// The table as aligned text: a line of headings, a line for each row, then the notes after an empty line. Each line ends with a line feed
    /// and has no spaces before it.
    ///
    /// A column is as wide as its widest cell or heading, in terminal columns (so `ρ` counts one and `漢` two), and is followed by its gap.
    /// Line breaks, tabs and other control characters inside a cell become spaces, as they would break the layout.
    #[must_use]
    pub fn text(&self) -> String {
        let headings: Vec<String> = self
            .columns
            .iter()
            .map(|column| one_line(&column.heading))
            .collect();
        let rows: Vec<Vec<String>> = self
            .rows
            .iter()
            .map(|row| row.iter().map(|cell| one_line(cell)).collect())
            .collect();
        let lines = || std::iter::once(&headings).chain(&rows);
        let widths: Vec<usize> = (0..self.columns.len())
            .map(|i| lines().map(|line| line[i].width()).max().unwrap_or(0))
            .collect();

        let mut out = String::new();
        for cells in lines() {
            let mut line = String::new();
            let mut spaces = 0;
            for ((cell, column), width) in cells.iter().zip(&self.columns).zip(&widths) {
                let padding = width.saturating_sub(cell.width());
                let (before, after) = match column.align {
                    Align::Left => (0, padding),
                    Align::Right => (padding, 0),
                };
                line.extend(std::iter::repeat_n(' ', spaces + before));
                line.push_str(cell);
                spaces = after + column.gap;
            }
            out.push_str(line.trim_end());
            out.push('\n');
        }
        if !self.notes.is_empty() {
            out.push('\n');
        }
        for note in &self.notes {
            out.push_str(note.trim_end());
            out.push('\n');
        }
        out
    }
}

fn one_line(cell: &str) -> String {
    cell.chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::Column;
    use super::*;

    #[test]
    fn alignment_gaps_and_notes() {
        let mut table = Table::new([
            Column::left("tier"),
            Column::right("calls").gap(1),
            Column::left("remark"),
        ]);
        table.push(["frontend", "3", ""]).unwrap();
        table.push(["db", "27", "always fails"]).unwrap();
        table.note("three attempts each");
        assert_eq!(
            table.text(),
            "tier       calls remark\n\
             frontend       3\n\
             db            27 always fails\n\
             \n\
             three attempts each\n"
        );
    }

    #[test]
    fn widths_are_terminal_columns() {
        let mut table = Table::new([Column::left("x"), Column::left("y")]);
        table.push(["ρ = 0.5", "1"]).unwrap();
        table.push(["漢字", "2"]).unwrap();
        table.push(["e\u{301}tat", "3"]).unwrap();
        assert_eq!(
            table.text(),
            "x         y\nρ = 0.5   1\n漢字      2\ne\u{301}tat      3\n"
        );
    }

    #[test]
    fn a_line_break_in_a_cell_does_not_break_the_row() {
        let mut table = Table::new([Column::left("a")]);
        table.push(["one\ntwo\tthree\r"]).unwrap();
        assert_eq!(table.text(), "a\none two three\n");
    }

    #[test]
    fn a_table_without_columns_or_rows_is_drawn() {
        assert_eq!(
            Table::new([Column::left("a"), Column::left("b")]).text(),
            "a   b\n"
        );
        assert_eq!(Table::new([]).text(), "\n");
    }

    proptest! {
        #[test]
        fn one_line_per_row_and_no_trailing_space(rows in proptest::collection::vec(proptest::array::uniform3(".*"), 0..6)) {
            let mut table = Table::new([Column::left("a"), Column::right("b"), Column::left("c").gap(0)]);
            for row in &rows {
                table.push(row.clone()).unwrap();
            }
            let text = table.text();
            prop_assert_eq!(text.matches('\n').count(), rows.len() + 1);
            prop_assert!(text.split('\n').all(|line| line.trim_end() == line));
        }
    }
}
