//! A table as comma-separated values.

use super::Table;

impl Table {
    /// The table as CSV: the headings, then the rows. Notes are left out.
    ///
    /// Fields are quoted as RFC 4180 has it: one that holds a comma, a double quote, a carriage return or a line feed stands between double
    /// quotes, and a double quote inside it is doubled. Lines end with a line feed alone, as version control and every reader prefer.
    #[must_use]
    pub fn csv(&self) -> String {
        let mut out = String::new();
        line(
            &mut out,
            self.columns.iter().map(|column| column.heading.as_str()),
        );
        for row in &self.rows {
            line(&mut out, row.iter().map(String::as_str));
        }
        out
    }
}

fn line<'a>(out: &mut String, fields: impl Iterator<Item = &'a str>) {
    for (i, field) in fields.enumerate() {
        if i > 0 {
            out.push(',');
        }
        if field.contains([',', '"', '\r', '\n']) {
            out.push('"');
            out.push_str(&field.replace('"', "\"\""));
            out.push('"');
        } else {
            out.push_str(field);
        }
    }
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::Column;
    use super::*;

    #[test]
    fn only_fields_that_need_it_are_quoted() {
        let mut table = Table::new([
            Column::left("clients"),
            Column::left("a,b"),
            Column::left("Algorithm"),
        ]);
        table.push(["10", "say \"no\"", " None "]).unwrap();
        table.push(["20", "two\r\nlines", ""]).unwrap();
        table.note("not in the CSV");
        assert_eq!(
            table.csv(),
            "clients,\"a,b\",Algorithm\n10,\"say \"\"no\"\"\", None \n20,\"two\r\nlines\",\n"
        );
    }

    /// The records of a CSV text, read as RFC 4180 says.
    fn read(text: &str) -> Vec<Vec<String>> {
        let (mut records, mut record, mut field, mut quoted) =
            (Vec::new(), Vec::new(), String::new(), false);
        let mut chars = text.chars().peekable();
        while let Some(c) = chars.next() {
            match (quoted, c) {
                (true, '"') if chars.peek() == Some(&'"') => field.extend(chars.next()),
                (_, '"') => quoted = !quoted,
                (false, ',') => record.push(std::mem::take(&mut field)),
                (false, '\n') => {
                    record.push(std::mem::take(&mut field));
                    records.push(std::mem::take(&mut record));
                }
                _ => field.push(c),
            }
        }
        records
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back(rows in proptest::collection::vec(proptest::array::uniform2("(?s)[a,\"\r\n ]*"), 0..5)) {
            let mut table = Table::new([Column::left("x"), Column::left("y")]);
            for row in &rows {
                table.push(row.clone()).unwrap();
            }
            let mut expected = vec![vec!["x".to_owned(), "y".to_owned()]];
            expected.extend(rows.iter().map(|row| row.to_vec()));
            prop_assert_eq!(read(&table.csv()), expected);
        }
    }
}
