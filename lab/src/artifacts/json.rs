//! JSON that a person can read and `diff` can compare: one run a line.

use std::fmt::Write as _;

use serde_json::Value;

/// The value over several lines, except that an object or array of plain values takes one line; ends in a line end.
#[must_use]
pub fn pretty(value: &Value) -> String {
    let mut text = String::new();
    write_value(value, 0, &mut text);
    text.push('\n');
    text
}

fn write_value(value: &Value, depth: usize, text: &mut String) {
    match value {
        Value::Array(entries) if !entries.iter().all(is_plain) => {
            let parts = entries.iter().map(|entry| (None, entry));
            write_block('[', ']', parts, depth, text);
        }
        Value::Object(entries) if depth == 0 || !entries.values().all(is_plain) => {
            let parts = entries.iter().map(|(key, entry)| (Some(key), entry));
            write_block('{', '}', parts, depth, text);
        }
        Value::Array(entries) => {
            let parts: Vec<String> = entries.iter().map(Value::to_string).collect();
            let _ = write!(text, "[{}]", parts.join(", "));
        }
        Value::Object(entries) => {
            let parts: Vec<String> = entries
                .iter()
                .map(|(key, entry)| format!("{}: {entry}", Value::from(key.as_str())))
                .collect();
            let _ = write!(text, "{{{}}}", parts.join(", "));
        }
        plain => text.push_str(&plain.to_string()),
    }
}

fn write_block<'a>(
    open: char,
    close: char,
    parts: impl Iterator<Item = (Option<&'a String>, &'a Value)>,
    depth: usize,
    text: &mut String,
) {
    text.push(open);
    let mut first = true;
    for (key, entry) in parts {
        text.push_str(if first { "\n" } else { ",\n" });
        first = false;
        text.push_str(&"  ".repeat(depth + 1));
        if let Some(key) = key {
            let _ = write!(text, "{}: ", Value::from(key.as_str()));
        }
        write_value(entry, depth + 1, text);
    }
    if !first {
        text.push('\n');
        text.push_str(&"  ".repeat(depth));
    }
    text.push(close);
}

fn is_plain(value: &Value) -> bool {
    !matches!(value, Value::Array(_) | Value::Object(_))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_run_is_one_line_and_reads_back_as_it_was() {
        let value = json!({
            "id": "a \"quoted\" id",
            "strategies": [{"name": "x", "runs": [{"seed": 0, "finish_ticks": null}, {"seed": 1, "finish_ticks": 7}]}],
            "curve": [[0.1, 2], [0.2, 3]],
            "none": [],
        });
        let text = pretty(&value);
        assert_eq!(
            text,
            "{\n  \"id\": \"a \\\"quoted\\\" id\",\n  \"strategies\": [\n    {\n      \"name\": \"x\",\n      \"runs\": [\n        \
             {\"seed\": 0, \"finish_ticks\": null},\n        {\"seed\": 1, \"finish_ticks\": 7}\n      ]\n    }\n  ],\n  \
             \"curve\": [\n    [0.1, 2],\n    [0.2, 3]\n  ],\n  \"none\": []\n}\n"
        );
        let back: Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(back, value);
    }
}
