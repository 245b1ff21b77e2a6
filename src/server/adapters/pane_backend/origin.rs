//! `initialize` (`pane-backend.md` 4.1): which pane a connection comes from.

use super::dispatch::Caller;
use super::{Backend, context_id};
use crate::protocol::ids::PaneId;
use crate::protocol::pane_backend::error::{ErrorCode, Failure};
use crate::protocol::pane_backend::params::{context, plain, texts};
use crate::protocol::params::Params;
use crate::server::hub::HubHandle;
use crate::server::terminal::handle::RootProcess;
use crate::server::terminal::process;
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::timeout;

/// How far up the ancestors are looked at, and for how long.
const ANCESTORS: usize = 64;
const WALK: Duration = Duration::from_millis(100);

/// The process at the other end.
#[derive(Debug, Clone, Copy)]
pub struct Peer {
    /// Its number, where the system tells it.
    pub pid: Option<u32>,
}

/// Which pane a connection comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Origin {
    /// The pane; of several unknown ones the focused one.
    pub pane: Option<PaneId>,
    /// Whether it is really the caller's.
    pub resolved: bool,
}

/// `initialize`
pub async fn initialize(mut params: Params, caller: &mut Caller) -> Result<Value, Failure> {
    let version = params.nullable("protocol_version", plain)?;
    params.nullable("capabilities", texts)?;
    let session = params.nullable("session", plain)?;
    let hint = params.nullable("session_hint", plain)?;
    if let Some(named) = session.filter(|named| *named != caller.backend.session) {
        let failure = Failure::new(ErrorCode::SessionNotFound, "this server serves another session");
        return Err(failure.with(json!({"session": named})));
    }
    caller.old = version.as_deref() == Some("1");
    let origin = caller.origin(hint).await?;
    Ok(json!({
        "protocol_version": if caller.old { "1" } else { "2" },
        "capabilities": ["events", "capture", "run_shell", "exec", "wait_for", "wait_for_exit", "metadata"],
        "self_context_id": origin.pane.map(context_id).unwrap_or_default(),
        "self_resolved": origin.resolved,
    }))
}

impl Caller {
    /// Its own pane. Who it is is found out once; without an answer the focused pane stands in for it.
    pub async fn origin(&mut self, hint: Option<String>) -> Result<Origin, Failure> {
        let hub = self.hub()?;
        let known = match self.origin {
            Some(known) if hint.is_none() || known.resolved => known,
            _ => find(&self.backend, &hub, self.peer, hint).await,
        };
        self.origin = Some(known);
        if known.resolved { Ok(known) } else { Ok(Origin { pane: active(&hub), resolved: false }) }
    }
}

/// The focused pane.
pub fn active(hub: &HubHandle) -> Option<PaneId> {
    let snapshot = hub.snapshot();
    let workspace = snapshot.scene.workspaces.iter().find(|workspace| workspace.active)?;
    workspace.tabs.iter().find(|tab| tab.active).map(|tab| tab.focused)
}

async fn find(backend: &Backend, hub: &HubHandle, peer: Peer, hint: Option<String>) -> Origin {
    let directory = hub.snapshot().directory;
    let roots: Vec<(PaneId, RootProcess)> =
        directory.panes.iter().filter_map(|(pane, entry)| Some((*pane, entry.handle.root()?))).collect();
    let existing = |text: String| {
        let (number, _) = context(Value::String(text)).ok()?;
        directory.panes.keys().find(|pane| u64::from(pane.0) == number).copied()
    };
    let address = backend.address.clone();
    let looked = tokio::task::spawn_blocking(move || peer.pid.map(|pid| look(pid, &roots, &address)));
    let looked = timeout(WALK, looked).await.ok().and_then(Result::ok).flatten();
    let (related, told) = looked.unwrap_or_default();
    let pane = related.or_else(|| hint.and_then(existing)).or_else(|| told.and_then(existing));
    Origin { pane, resolved: pane.is_some() }
}

/// The pane that a process descends from or shares its terminal with; and the one that its environment
/// names, if that is of this server.
fn look(pid: u32, roots: &[(PaneId, RootProcess)], address: &str) -> (Option<PaneId>, Option<String>) {
    let is = |(pid, marker): &(u32, Option<String>), root: &RootProcess| {
        root.pid == *pid && (root.start_marker.is_none() || root.start_marker == *marker)
    };
    let of = |process| roots.iter().find(|(_, root)| is(process, root)).map(|(pane, _)| *pane);
    let ancestor = process::ancestors(pid, ANCESTORS).iter().find_map(of);
    let related = ancestor.or_else(|| {
        roots.iter().find(|(_, root)| process::shares_terminal(pid, root.pid)).map(|(pane, _)| *pane)
    });
    let ours = process::told(pid, "LUVUS_PANE_BACKEND_SOCKET").is_none_or(|told| told == address);
    let told = process::told(pid, "LUVUS_CONTEXT_ID").filter(|_| ours);
    (related, told)
}
