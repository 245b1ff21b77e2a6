//! `luvus ping`

use super::ask_and_print;
use crate::cli::context::Context;
use crate::cli::error::{CliError, Exit};
use crate::cli::output::printable;
use serde_json::{Value, json};

/// Asks the server for a sign of life.
///
/// # Errors
/// When there is none.
pub fn run(context: &Context) -> Result<Exit, CliError> {
    ask_and_print(context, "ping", json!({}), |result| {
        let version = result.get("version").and_then(Value::as_str).unwrap_or("of an unknown version");
        format!("luvus {} answers for session `{}`", printable(version), context.paths.session)
    })
}
