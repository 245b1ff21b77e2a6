//! `pane.procs` (`runtime.md` section 7.6): names and ids, never arguments or environments.

use super::{Context, input, target};
use crate::protocol::params::Params;
use crate::protocol::runtime::error::{ErrorCode, Failure};
use serde_json::{Value, json};

/// `pane.procs`
pub async fn procs(mut params: Params, context: &Context) -> Result<Value, Failure> {
    let window = target::read_window(&mut params)?;
    let pane = target::require_pane(&mut params)?;
    params.finish()?;
    let (pane, entry) = input::running(context, window, pane)?;
    let handle = entry.handle;
    let looked = tokio::task::spawn_blocking(move || handle.process_tree()).await;
    let list = looked.ok().flatten().filter(|list| !list.is_empty());
    let list = list.ok_or_else(|| Failure::new(ErrorCode::PaneExited, "the pane's program has ended"))?;
    let rows = list.iter().map(|process| {
        json!({
            "pid": process.pid,
            "parent_pid": process.parent,
            "executable": process.executable,
            "display_name": process.name,
            "depth": process.depth,
        })
    });
    Ok(json!({
        "window_id": pane.workspace.0,
        "pane_id": pane.id.0,
        "root_pid": list.first().map(|root| root.pid),
        "processes": rows.collect::<Vec<_>>(),
    }))
}
