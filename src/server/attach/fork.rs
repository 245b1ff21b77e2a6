//! Forking an agent's conversation for a person: a new pane beside its own, and the agent's own command there.

use crate::protocol::attach::message::{Level, ToClient};
use crate::protocol::command::{Command, Launch};
use crate::protocol::ids::PaneId;
use crate::server::hub::HubHandle;
use tokio::sync::mpsc;

/// Forks, or tells why not.
pub async fn fork(hub: &HubHandle, from: PaneId, out: &mpsc::Sender<ToClient>) {
    if let Err(told) = try_fork(hub, from).await {
        // A client that is gone needs no answer.
        let _ = out.send(ToClient::Notice(Level::Warning, told)).await;
    }
}

async fn try_fork(hub: &HubHandle, from: PaneId) -> Result<(), String> {
    let launch = hub.fork_of(from).await.map_err(|error| error.to_string())?;
    let kind = launch.kind.clone();
    let split = Command::SplitPane { pane: Some(from), axis: None, launch: Launch::default(), focus: true };
    let outcome = hub.command(split).await.map_err(|error| error.to_string())?;
    let made = outcome.pane.ok_or("no pane came of it")?;
    hub.launch_agent(made, launch).await.map_err(|error| error.to_string())?;
    hub.agent_forked(from, made, kind).await.map_err(|error| error.to_string())
}
