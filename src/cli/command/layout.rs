//! `luvus layout`: a tab's layout as data, out and in (`spec/README.md` point 32).

use crate::cli::args::tab::{LayoutVerb, TabOf};
use crate::cli::context::Context;
use crate::cli::error::{CliError, Exit};
use crate::cli::{output, wire};
use crate::protocol::limits::UHP_FRAME_BYTES;
use serde_json::{Map, Value, json};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// `luvus layout …`
///
/// # Errors
/// When it does not work; then every tab is as it was.
pub fn run(context: &Context, verb: &LayoutVerb) -> Result<Exit, CliError> {
    match verb {
        LayoutVerb::Export { of } => {
            let result = wire::ask(&context.paths, "layout.export", json!(params(context, of)?))?;
            print(context, result)
        }
        LayoutVerb::Apply { file, of } => {
            let mut params = params(context, of)?;
            let given = read(file.as_deref())?;
            // What export prints may be handed in as it is.
            let layout = if given["type"] == "layout" { given["layout"].clone() } else { given };
            params.insert("layout".into(), layout);
            let result = wire::ask(&context.paths, "layout.apply", Value::Object(params))?;
            if context.json { print(context, result) } else { Ok(Exit::Ok) }
        }
    }
}

fn params(context: &Context, of: &TabOf) -> Result<Map<String, Value>, CliError> {
    match of.tab {
        Some(tab) => context.tab_params(tab, of.workspace),
        None => Ok(context.workspace_params(of.workspace)),
    }
}

/// The layout is data either way; `--json` adds what belongs to it.
fn print(context: &Context, mut result: Map<String, Value>) -> Result<Exit, CliError> {
    let shown =
        if context.json { Value::Object(result) } else { result.remove("layout").unwrap_or_default() };
    output::json(&shown)?;
    Ok(Exit::Ok)
}

fn read(file: Option<&Path>) -> Result<Value, CliError> {
    let mut text = String::new();
    let limit = u64::try_from(UHP_FRAME_BYTES).unwrap_or(u64::MAX);
    let (name, read) = match file.filter(|path| path.as_os_str() != "-") {
        Some(path) => {
            let read = File::open(path).and_then(|file| file.take(limit).read_to_string(&mut text));
            (path.display().to_string(), read)
        }
        None => ("standard input".to_owned(), io::stdin().lock().take(limit).read_to_string(&mut text)),
    };
    read.map_err(|error| CliError::failed(format_args!("cannot read {name}: {error}")))?;
    serde_json::from_str(&text)
        .map_err(|error| CliError::failed(format_args!("{name} is no layout: {error}; nothing was changed")))
}
