//! `luvus search`

use super::ask_and_print;
use crate::cli::args::search::SearchArgs;
use crate::cli::context::Context;
use crate::cli::error::{CliError, Exit};
use crate::cli::output::printable;
use serde_json::{Map, Value, json};

/// Searches the output of all panes for a text, or names as well.
///
/// # Errors
/// When it does not work. Finding nothing is no error.
pub fn run(context: &Context, args: SearchArgs) -> Result<Exit, CliError> {
    let SearchArgs { text, fuzzy, scope, limit } = args;
    if fuzzy || scope.is_some() {
        let scope = scope.unwrap_or_else(|| "all".to_owned());
        let params = json!({"query": text, "scope": scope, "limit": limit});
        return ask_and_print(context, "search.query", params, |result| {
            listed(result, |found| {
                format!("{}\t{}\t{}", word(found, "kind"), word(found, "label"), word(found, "detail"))
            })
        });
    }
    ask_and_print(context, "search", json!({"text": text, "limit": limit}), |result| {
        listed(result, |found| format!("{}\t{}", word(found, "pane"), word(found, "text")))
    })
}

fn word(found: &Value, field: &str) -> String {
    printable(found.get(field).and_then(Value::as_str).unwrap_or_default()).to_string()
}

/// A line for each match; that something was left out is said last.
fn listed(result: &Map<String, Value>, line: impl Fn(&Value) -> String) -> String {
    let matches = result.get("matches").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let mut lines: Vec<String> = matches.iter().map(line).collect();
    let number = |field: &str| result.get(field).and_then(Value::as_u64).unwrap_or(0);
    let partial = result.get("partial").and_then(Value::as_bool).unwrap_or(false);
    if partial || number("total") > number("shown") {
        lines.push("(there may be more)".to_owned());
    }
    lines.join("\n")
}
