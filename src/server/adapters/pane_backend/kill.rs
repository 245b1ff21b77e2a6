//! `kill` and `kill_all` (`pane-backend.md` 4.9 and 4.10): the response first, then the end, so that the
//! event never comes before it and a caller in a pane of its own still hears of it.

use super::context_id;
use super::contexts::Contexts;
use super::dispatch::{Caller, Step};
use super::list::Target;
use crate::protocol::command::{ClosePolicy, Command};
use crate::protocol::ids::PaneId;
use crate::protocol::pane_backend::error::Failure;
use crate::protocol::pane_backend::params::{context, milliseconds, plain};
use crate::protocol::params::Params;
use crate::server::hub::{HubHandle, PaneEntry};
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

/// How long a pane may take to end that is killed at once.
const LAST_WAIT: Duration = Duration::from_secs(1);

/// `kill`
pub async fn kill(mut params: Params, caller: &mut Caller) -> Result<Step, Failure> {
    let (number, context) = params.required("context_id", context)?;
    let grace = params.nullable("grace_ms", milliseconds)?.unwrap_or(0);
    let entry = Target::find(number, context, caller)?.entry;
    let own = caller.origin(None).await?;
    let wait = own.resolved && own.pane == Some(entry.handle.pane());
    let (hub, contexts) = (caller.hub()?, Arc::clone(&caller.backend.contexts));
    let then = Box::pin(async move {
        entry.handle.end_within(Duration::from_millis(grace));
        if grace == 0 {
            remove(&hub, &contexts, &entry).await;
        } else if entry.exited.is_some() {
            close(&hub, &entry).await;
        }
    });
    Ok(Step::First { result: json!({}), wait, then })
}

/// `kill_all`
pub async fn kill_all(mut params: Params, caller: &mut Caller) -> Result<Step, Failure> {
    let role = params.nullable("role", plain)?;
    let (hub, contexts) = (caller.hub()?, Arc::clone(&caller.backend.contexts));
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
    // The caller's own comes last.
    let own = entries.iter().position(|(pane, _)| Some(*pane) == own).map(|at| entries.remove(at));
    let wait = own.is_some();
    let then = Box::pin(async move {
        for (_, entry) in &entries {
            entry.handle.end_within(Duration::ZERO);
        }
        for (_, entry) in &entries {
            remove(&hub, &contexts, entry).await;
        }
        if let Some((_, entry)) = own {
            entry.handle.end_within(Duration::ZERO);
            remove(&hub, &contexts, &entry).await;
        }
    });
    Ok(Step::First { result: json!({"killed": killed}), wait, then })
}

/// Removes a pane whose end has been ordered, once everybody was told of that end. It goes with its program;
/// what had ended before, or does not go by itself, is closed.
async fn remove(hub: &HubHandle, contexts: &Contexts, entry: &PaneEntry) {
    // A program that hangs in the kernel is not waited for.
    let _ = timeout(LAST_WAIT, contexts.told(entry.handle.pane())).await;
    close(hub, entry).await;
}

async fn close(hub: &HubHandle, entry: &PaneEntry) {
    let command = Command::ClosePane { pane: Some(entry.handle.pane()), policy: ClosePolicy::Force };
    if let Err(error) = hub.command(command).await {
        // It went with its program, or was closed by somebody else meanwhile.
        tracing::debug!(%error, "a pane was not closed");
    }
}
