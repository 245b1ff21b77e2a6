//! What is known or said of a terminal besides its content (`uhp.md` sections 7.3, 7.4, 7.10, 7.11).

use super::super::Context;
use super::rows;
use super::terminal::{executed, locate};
use crate::protocol::command::Command;
use crate::protocol::params::Params;
use crate::protocol::uhp::error::{ErrorCode, Failure};
use crate::protocol::uhp::locator::Locator;
use crate::protocol::uhp::terminal::{Notify, SetTitle, locator};
use crate::server::hub::PaneEntry;
use crate::server::uhp::target;
use serde_json::{Value, json};

/// `validate`
pub async fn validate(params: Params, context: Context) -> Result<Value, Failure> {
    let locator = locator(params)?;
    locator.check_generation(context.hub.generation())?;
    let state = match locate(&context, &locator) {
        Ok(entry) if entry.exited.is_some() => "gone",
        Ok(_) => "alive",
        Err(failure)
            if failure.code == ErrorCode::StaleTerminal && context.hub.was_closed(locator.terminal) =>
        {
            "gone"
        }
        Err(failure) if failure.code == ErrorCode::ProcessMismatch && cannot_compare(&context, &locator) => {
            "unknown"
        }
        Err(failure) => return Err(failure),
    };
    Ok(json!({"type": "terminal_backend_validation", "state": state}))
}

/// Whether only a start mark differs that this system does not give: then nobody can say whether it is
/// the process that the client means.
fn cannot_compare(context: &Context, locator: &Locator) -> bool {
    let root = context.hub.terminal(locator.terminal).and_then(|entry| entry.handle.root());
    let (Some(expected), Some(root)) = (&locator.root, root) else { return false };
    root.start_marker.is_none() && expected.pid == u64::from(root.pid)
}

/// `processes`: from the last scan, never from a new one.
pub async fn processes(params: Params, context: Context) -> Result<Value, Failure> {
    let locator = locator(params)?;
    let entry = locate(&context, &locator)?;
    let root = entry.handle.root().ok_or_else(not_ready)?;
    let mut result = scan(Some(&entry));
    result["type"] = json!("terminal_backend_processes");
    result["server_generation"] = json!(context.hub.generation().to_string());
    result["terminal_id"] = json!(entry.handle.terminal().to_string());
    result["pane_id"] = json!(entry.handle.pane().to_string());
    result["root_process"] = rows::root_process(&root);
    Ok(result)
}

fn not_ready() -> Failure {
    Failure::new(ErrorCode::TerminalNotReady, "the terminal has not started yet")
}

fn scan(entry: Option<&PaneEntry>) -> Value {
    let names = entry.and_then(|entry| entry.handle.processes());
    json!({
        "scan": if names.is_some() { "observed" } else { "unavailable" },
        "executables": names.as_deref().unwrap_or_default(),
        "arguments_exposed": false,
    })
}

/// `pane.processes`
pub async fn pane_processes(mut params: Params, context: Context) -> Result<Value, Failure> {
    let named = target::read_pane(&mut params, "pane")?;
    params.finish()?;
    let snapshot = context.snapshot();
    let pane = target::pane(&snapshot.scene, named)?.id;
    let entry = snapshot.directory.panes.get(&pane).filter(|entry| entry.started);
    let mut result = scan(entry);
    result["type"] = json!("pane_processes");
    result["pane"] = json!(pane.to_string());
    result["terminal_id"] = json!(entry.map(|entry| entry.handle.terminal().to_string()));
    result["root_process"] =
        entry.and_then(|entry| entry.handle.root()).map_or(Value::Null, |root| rows::root_process(&root));
    Ok(result)
}

/// `set_title`: the server's label; the child gets nothing.
pub async fn set_title(params: Params, context: Context) -> Result<Value, Failure> {
    let SetTitle { locator, title } = SetTitle::read(params)?;
    let pane = locate(&context, &locator)?.handle.pane();
    let label = Some(title).filter(|title| !title.is_empty());
    context.command(Command::LabelPane { pane, label }).await?;
    Ok(executed())
}

/// `notify`
pub async fn notify(params: Params, context: Context) -> Result<Value, Failure> {
    let Notify { locator, title, body } = Notify::read(params)?;
    let pane = locate(&context, &locator)?.handle.pane();
    context.hub.notify(pane, title, body).await;
    Ok(executed())
}
