//! `kill` and `kill_all` (`pane-backend.md` 4.9 and 4.10): the response first, then the end, so that the
//! event never comes before it and a caller in a pane of its own still hears of it.

use super::context_id;
use super::dispatch::{Caller, Step};
use super::list::Target;
use crate::protocol::command::{ClosePolicy, Command};
use crate::protocol::ids::PaneId;
use crate::protocol::pane_backend::error::Failure;
use crate::protocol::pane_backend::params::{context, milliseconds, plain};
use crate::protocol::params::Params;
use crate::server::hub::{HubHandle, PaneEntry};
use serde_json::json;
use std::time::Duration;

/// `kill`
pub async fn kill(mut params: Params, caller: &mut Caller) -> Result<Step, Failure> {
    let (number, context) = params.required("context_id", context)?;
    let grace = params.nullable("grace_ms", milliseconds)?.unwrap_or(0);
    let entry = Target::find(number, context, caller)?.entry;
    let own = caller.origin(None).await?;
    let wait = own.resolved && own.pane == Some(entry.handle.pane());
    let hub = caller.hub()?;
    let then = Box::pin(async move { end(&hub, &entry, Duration::from_millis(grace)).await });
    Ok(Step::First { result: json!({}), wait, then })
}

/// `kill_all`
pub async fn kill_all(mut params: Params, caller: &mut Caller) -> Result<Step, Failure> {
    let role = params.nullable("role", plain)?;
    let hub = caller.hub()?;
    let own = caller.origin(None).await?;
    let own = own.pane.filter(|_| own.resolved);
    let directory = hub.snapshot().directory;
    let has_role = |entry: &PaneEntry| match &role {
        Some(role) => entry.metadata.as_ref().is_some_and(|metadata| metadata.role.as_ref() == Some(role)),
        None => true,
    };
    let mut entries: Vec<(PaneId, PaneEntry)> = directory
        .panes
        .iter()
        .filter(|(_, entry)| entry.started && entry.spawned && has_role(entry))
        .map(|(pane, entry)| (*pane, entry.clone()))
        .collect();
    let killed: Vec<String> = entries.iter().map(|(pane, _)| context_id(*pane)).collect();
    let wait = entries.iter().any(|(pane, _)| Some(*pane) == own);
    // The caller's own comes last.
    entries.sort_by_key(|(pane, _)| (Some(*pane) == own, *pane));
    let then = Box::pin(async move {
        for (_, entry) in &entries {
            end(&hub, entry, Duration::ZERO).await;
        }
    });
    Ok(Step::First { result: json!({"killed": killed}), wait, then })
}

/// Ends a pane. Without grace it goes at once; with grace it goes with its program.
async fn end(hub: &HubHandle, entry: &PaneEntry, grace: Duration) {
    entry.handle.end_within(grace);
    if grace.is_zero() || entry.exited.is_some() {
        let command = Command::ClosePane { pane: Some(entry.handle.pane()), policy: ClosePolicy::Force };
        if let Err(error) = hub.command(command).await {
            // It was closed by somebody else meanwhile.
            tracing::debug!(%error, "a pane was not closed");
        }
    }
}
