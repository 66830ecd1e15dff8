//! A table as Markdown.

use super::{Align, Table};

impl Table {
    /// The table in the pipe form that GitHub and `CommonMark` extensions render, then each note as a paragraph.
    ///
    /// Pipes and backslashes in cells are escaped, line breaks become `<br>`, and spaces at a cell's ends go, as a renderer drops them anyway.
    /// Other markup in a cell is left as it is, so that a caller can set code or a link.
    #[must_use]
    pub fn markdown(&self) -> String {
        let mut out = String::new();
        line(
            &mut out,
            self.columns.iter().map(|column| column.heading.as_str()),
        );
        out.push('|');
        for column in &self.columns {
            out.push_str(match column.align {
                Align::Left => " --- |",
                Align::Right => " ---: |",
            });
        }
        out.push('\n');
        for row in &self.rows {
            line(&mut out, row.iter().map(String::as_str));
        }
        for note in &self.notes {
            out.push('\n');
            out.push_str(note.trim_end());
            out.push('\n');
        }
        out
    }
}

fn line<'a>(out: &mut String, cells: impl Iterator<Item = &'a str>) {
    out.push('|');
    for cell in cells {
        out.push(' ');
        out.push_str(&escaped(cell.trim()));
        out.push_str(" |");
    }
    out.push('\n');
}

fn escaped(cell: &str) -> String {
    cell.replace('\\', "\\\\")
        .replace('|', "\\|")
        .replace("\r\n", "<br>")
        .replace(['\r', '\n'], "<br>")
}

#[cfg(test)]
mod tests {
    use super::super::Column;
    use super::*;

    #[test]
    fn pipes_breaks_and_alignment() {
        let mut table = Table::new([Column::left("answer"), Column::right("waits")]);
        table.push(["429 | throttled", "  1.00"]).unwrap();
        table.push(["a\\|b", "x\r\ny\nz"]).unwrap();
        table.note("Waits in seconds.");
        assert_eq!(
            table.markdown(),
            "| answer | waits |\n\
             | --- | ---: |\n\
             | 429 \\| throttled | 1.00 |\n\
             | a\\\\\\|b | x<br>y<br>z |\n\
             \n\
             Waits in seconds.\n"
        );
    }
}
