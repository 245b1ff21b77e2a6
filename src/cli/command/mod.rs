//! One file per noun of the command line: connect, ask, print.

pub mod agent;
pub mod agents;
pub mod close;
pub mod completions;
pub mod config;
pub mod ctl;
pub mod doctor;
pub mod env;
pub mod envelope;
pub mod help;
pub mod integration;
pub mod layout;
pub mod pane;
pub mod ping;
pub mod proxy;
pub mod search;
pub mod server;
pub mod session;
pub mod submit;
pub mod tab;
pub mod theme;
pub mod uhp;
pub mod workspace;

use super::context::Context;
use super::error::{CliError, Exit};
use super::{output, wire};
use serde_json::{Map, Value};

/// Calls a UHP method; prints its result as JSON if wanted, else what `text` makes of it.
fn ask_and_print(
    context: &Context,
    method: &str,
    params: Value,
    text: impl FnOnce(&Map<String, Value>) -> String,
) -> Result<Exit, CliError> {
    let result = wire::ask(&context.paths, method, params)?;
    if context.json {
        output::json(&Value::Object(result))?;
        return Ok(Exit::Ok);
    }
    let text = text(&result);
    if !text.is_empty() {
        output::line(&text)?;
    }
    Ok(Exit::Ok)
}

/// Calls a UHP method that makes or changes something; says what was made.
fn change(context: &Context, method: &str, params: Value) -> Result<Exit, CliError> {
    ask_and_print(context, method, params, output::made)
}

/// Calls a UHP method that makes nothing; success has nothing to say.
fn act(context: &Context, method: &str, params: Value) -> Result<Exit, CliError> {
    ask_and_print(context, method, params, |_| String::new())
}
