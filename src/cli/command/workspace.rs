//! `luvus workspace` and `luvus window`

use super::close::{Target, close};
use super::{act, ask_and_print, change, envelope};
use crate::cli::args::workspace::{WindowVerb, WorkspaceVerb};
use crate::cli::context::Context;
use crate::cli::error::{CliError, Exit};
use crate::cli::output::{cell, mark, rows, table};
use crate::cli::refs::{WindowRef, WorkspaceRef};
use serde_json::{Map, Value, json};
use std::path::Path;

/// `luvus workspace …`
///
/// # Errors
/// When it does not work.
pub fn run(context: &Context, verb: WorkspaceVerb) -> Result<Exit, CliError> {
    let named = |workspace: WorkspaceRef, key: &str, value: Value| {
        let mut params = context.workspace_params(Some(workspace));
        params.insert(key.to_owned(), value);
        Value::Object(params)
    };
    match verb {
        WorkspaceVerb::List => ask_and_print(context, "workspace.list", json!({}), list),
        WorkspaceVerb::Open { path } => {
            change(context, "workspace.open", json!({"path": context.absolute(&path)?, "focus": true}))
        }
        WorkspaceVerb::New { cwd } => {
            let folder = context.absolute(cwd.as_deref().unwrap_or(Path::new(".")))?;
            change(context, "workspace.new", json!({"cwd": folder}))
        }
        WorkspaceVerb::Focus { workspace } => {
            act(context, "workspace.focus", Value::Object(context.workspace_params(Some(workspace))))
        }
        WorkspaceVerb::Rename { workspace, name } => {
            act(context, "workspace.rename", named(workspace, "name", name.into()))
        }
        WorkspaceVerb::Pin { workspace } => {
            act(context, "workspace.pin", named(workspace, "pinned", true.into()))
        }
        WorkspaceVerb::Unpin { workspace } => {
            act(context, "workspace.pin", named(workspace, "pinned", false.into()))
        }
        WorkspaceVerb::Move { workspace, to } => {
            act(context, "workspace.move", named(workspace, "to", to.into()))
        }
        WorkspaceVerb::Close { workspace, close: flags } => match context.workspace_id(workspace) {
            Ok(id) => close(context, Target::Window(id.0), flags),
            Err(error) => envelope::refuse(error, flags.envelope),
        },
    }
}

/// `luvus window …`
///
/// # Errors
/// When it does not work.
pub fn run_window(context: &Context, verb: WindowVerb) -> Result<Exit, CliError> {
    match verb {
        WindowVerb::Close { window: WindowRef(window), close: flags } => {
            close(context, Target::Window(window), flags)
        }
    }
}

fn list(result: &Map<String, Value>) -> String {
    let rows: Vec<Vec<String>> = rows(result, "workspaces")
        .iter()
        .enumerate()
        .map(|(index, row)| {
            vec![
                mark(row, "active", "*"),
                index.to_string(),
                cell(row, &["workspace_id"]),
                cell(row, &["name"]),
                cell(row, &["tabs"]),
                mark(row, "pinned", "pinned"),
                cell(row, &["cwd"]),
            ]
        })
        .collect();
    table(&["", "INDEX", "ID", "NAME", "TABS", "PIN", "FOLDER"], &rows)
}
