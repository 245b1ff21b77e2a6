//! `luvus tab`

use super::close::{Target, close};
use super::{act, ask_and_print, change, envelope};
use crate::cli::args::runtime::EnvelopeArgs;
use crate::cli::args::tab::TabVerb;
use crate::cli::context::{Context, position};
use crate::cli::error::{CliError, Exit};
use crate::cli::output::{cell, mark, rows, table};
use crate::cli::refs::{TabRef, WindowRef, WorkspaceRef};
use serde_json::{Map, Value, json};

/// `luvus tab …`
///
/// # Errors
/// When it does not work.
pub fn run(context: &Context, verb: TabVerb) -> Result<Exit, CliError> {
    match verb {
        TabVerb::List { workspace } => {
            ask_and_print(context, "tab.list", Value::Object(context.workspace_params(workspace)), list)
        }
        TabVerb::New { workspace, cwd, no_focus } => {
            let mut params = context.workspace_params(workspace);
            if let Some(cwd) = cwd {
                params.insert("cwd".into(), context.absolute(&cwd)?.into());
            }
            params.insert("focus".into(), (!no_focus).into());
            change(context, "tab.new", Value::Object(params))
        }
        TabVerb::Focus { tab, workspace } => {
            act(context, "tab.focus", Value::Object(context.tab_params(tab, workspace)?))
        }
        TabVerb::Swap { tab, with, workspace } => swap(context, tab, with, workspace),
        TabVerb::Move { tab, to, window, envelope: flags } => {
            change_tab(context, "tab.move", tab, window, ("to_index", to.into()), flags)
        }
        TabVerb::Rename { tab, name, window, envelope: flags } => {
            change_tab(context, "tab.rename", tab, window, ("name", name.into()), flags)
        }
        TabVerb::Close { tab, window, close: flags } => match place(context, tab, window) {
            Ok((window, index)) => close(context, Target::Tab(window, index), flags),
            Err(error) => envelope::refuse(error, flags.envelope),
        },
    }
}

fn swap(
    context: &Context,
    tab: TabRef,
    with: TabRef,
    workspace: Option<WorkspaceRef>,
) -> Result<Exit, CliError> {
    let mut params = context.tab_params(tab, workspace)?;
    // UHP takes the other one by its position in the workspace of the first.
    let index = match with {
        TabRef::Index(index) => index,
        TabRef::Id(id) => {
            let (workspace, index) = context.locate_tab(id)?;
            params.remove("workspace");
            params.insert("workspace_id".into(), workspace.to_string().into());
            index
        }
    };
    params.insert("with".into(), position(index)?.into());
    act(context, "tab.swap", Value::Object(params))
}

fn change_tab(
    context: &Context,
    method: &str,
    tab: TabRef,
    window: Option<WindowRef>,
    (key, value): (&str, Value),
    flags: EnvelopeArgs,
) -> Result<Exit, CliError> {
    let (window, index) = match place(context, tab, window) {
        Ok(place) => place,
        Err(error) => return envelope::refuse(error, flags),
    };
    let mut params = Map::from_iter([("tab_index".to_owned(), json!(index)), (key.to_owned(), value)]);
    if let Some(window) = window {
        params.insert("window_id".into(), window.into());
    }
    envelope::verb(context, method, Value::Object(params), flags)
}

/// Window and zero-based index of a tab. Without a window it is that of this pane; outside a pane
/// the server decides.
fn place(context: &Context, tab: TabRef, window: Option<WindowRef>) -> Result<(Option<u32>, u32), CliError> {
    let given = window.map(|WindowRef(window)| window);
    match tab {
        TabRef::Index(index) => Ok((given.or_else(|| context.own_workspace().map(|id| id.0)), index)),
        TabRef::Id(id) => {
            let (workspace, index) = context.locate_tab(id)?;
            if given.is_some_and(|given| given != workspace.0) {
                return Err(CliError { message: format!("tab {id} is in another window"), exit: Exit::Gone });
            }
            Ok((Some(workspace.0), index))
        }
    }
}

fn list(result: &Map<String, Value>) -> String {
    let rows: Vec<Vec<String>> = rows(result, "tabs")
        .iter()
        .enumerate()
        .map(|(index, row)| {
            vec![
                mark(row, "active", "*"),
                index.to_string(),
                cell(row, &["tab_id"]),
                cell(row, &["name", "label", "title"]),
                cell(row, &["panes", "pane_count"]),
            ]
        })
        .collect();
    table(&["", "INDEX", "ID", "NAME", "PANES"], &rows)
}
