//! Printing: data on standard output, one line on standard error when something did not work.

use super::error::{CliError, Exit};
use super::wire::one_line;
use serde_json::{Map, Value};
use std::io::{self, ErrorKind, Write as _};
use unicode_width::UnicodeWidthStr as _;

/// Writes `text` and a line end to standard output. A reader that has gone is no error.
///
/// # Errors
/// When it cannot be written.
pub fn line(text: &str) -> Result<(), CliError> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.write_all(b"\n")).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(CliError::failed(format_args!("cannot write the output: {error}")))
        }
        _ => Ok(()),
    }
}

/// Writes `luvus: <message>` to standard error.
pub fn tell(message: &str) {
    let _ = writeln!(io::stderr(), "luvus: {}", one_line(&printable(message)));
}

/// Prints a value as compact JSON.
///
/// # Errors
/// As [`line`].
pub fn json(value: &Value) -> Result<(), CliError> {
    line(&value.to_string())
}

/// Prints a runtime envelope and says what it means; an error is told to people too.
///
/// # Errors
/// As [`line`].
pub fn envelope(envelope: &Value, pretty: bool) -> Result<Exit, CliError> {
    line(&if pretty { format!("{envelope:#}") } else { envelope.to_string() })?;
    if envelope["ok"] == true {
        return Ok(Exit::Ok);
    }
    let code = envelope["error"]["code"].as_str().unwrap_or_default();
    let message = envelope["error"]["message"].as_str().filter(|text| !text.is_empty());
    tell(message.unwrap_or(code));
    Ok(Exit::of_error_code(code))
}

/// `text` with everything replaced that a terminal would act on.
#[must_use]
pub fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

/// Lines of text, each with everything replaced that a terminal would act on.
#[must_use]
pub fn printable_lines(lines: impl Iterator<Item = String>) -> String {
    lines.map(|line| printable(&line)).collect::<Vec<_>>().join("\n")
}

/// Lays rows out in columns under their heads.
#[must_use]
pub fn table(heads: &[&str], rows: &[Vec<String>]) -> String {
    let heads: Vec<String> = heads.iter().map(|&head| head.to_owned()).collect();
    let rows: Vec<Vec<String>> =
        rows.iter().map(|row| row.iter().map(|cell| printable(cell)).collect()).collect();
    let lines: Vec<&Vec<String>> = std::iter::once(&heads).chain(&rows).collect();
    let width_of =
        |column: usize| lines.iter().filter_map(|row| row.get(column)).map(|cell| cell.width()).max();
    let widths: Vec<usize> = (0..heads.len()).map(|column| width_of(column).unwrap_or(0)).collect();
    let laid_out: Vec<String> = lines
        .iter()
        .map(|row| {
            let cells = row.iter().zip(&widths);
            let line: String =
                cells.map(|(cell, width)| format!("{cell}{}  ", " ".repeat(width - cell.width()))).collect();
            line.trim_end().to_owned()
        })
        .collect();
    laid_out.join("\n")
}

/// A member of a row as a person reads it: texts bare, lists by their length.
#[must_use]
pub fn cell(row: &Value, keys: &[&str]) -> String {
    match keys.iter().map(|key| &row[*key]).find(|value| !value.is_null()) {
        None => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(items)) => items.len().to_string(),
        Some(value) => value.to_string(),
    }
}

/// `text` where the member is true.
#[must_use]
pub fn mark(row: &Value, key: &str, text: &str) -> String {
    if row[key] == true { text.to_owned() } else { String::new() }
}

/// The rows of a listing: its one member that is an array.
#[must_use]
pub fn rows(result: &Map<String, Value>, name: &str) -> Vec<Value> {
    result.get(name).or_else(|| result.get("rows")).and_then(Value::as_array).cloned().unwrap_or_default()
}

/// What an answer says was made, in one line; empty when nothing was.
#[must_use]
pub fn made(result: &Map<String, Value>) -> String {
    let named = [("workspace_id", "workspace"), ("tab_id", "tab"), ("pane", "pane")];
    let parts = named.iter().filter_map(|(key, word)| match result.get(*key)? {
        Value::String(id) => Some(format!("{word} {}", printable(id))),
        Value::Number(id) => Some(format!("{word} {id}")),
        _ => None,
    });
    parts.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn columns_line_up_by_their_width_on_the_screen() {
        let rows = [vec!["a".into(), "x".into()], vec!["日本".into(), String::new()]];
        assert_eq!(table(&["N", "STATE"], &rows), "N     STATE\na     x\n日本");
    }

    #[test]
    fn names_cannot_drive_the_terminal() {
        assert_eq!(table(&["N"], &[vec!["\u{1b}[2J".into()]]), "N\n\u{fffd}[2J");
        assert_eq!(printable("a\nb\u{9b}c"), "a\u{fffd}b\u{fffd}c");
    }

    #[test]
    fn cells_take_the_first_member_that_is_there() {
        let row = json!({"name": null, "label": "x", "tabs": [1, 2], "active": true});
        assert_eq!(cell(&row, &["name", "label"]), "x");
        assert_eq!(cell(&row, &["tabs"]), "2");
        assert_eq!(cell(&row, &["missing"]), "");
        assert_eq!(mark(&row, "active", "*"), "*");
    }

    #[test]
    fn what_was_made_is_named() {
        let result = json!({"type": "ok", "tab": 2, "tab_id": "t7", "pane": "9"});
        assert_eq!(made(result.as_object().expect("an object")), "tab t7, pane 9");
    }
}
