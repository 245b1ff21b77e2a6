//! Conversations that can be gone on with, and going on with one: the same for every driver.
//!
//! Invariant: a conversation is only gone on with by its exact id, and never in two panes at once.

use super::agents::resume::{self, ResumeError};
use super::conversations::{self, Stored};
use super::hub::{AgentLaunch, HubError, HubHandle, KnownSession, LaunchError};
use crate::protocol::command::{Command, Launch};
use crate::protocol::ids::{PaneId, WorkspaceId};
use crate::protocol::scene::Scene;
use std::path::Path;
use std::time::UNIX_EPOCH;

/// Why a conversation does not go on.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ResumptionError {
    /// Nobody knows it.
    #[error("no such conversation is known")]
    Unknown,
    /// Two kinds have one of that id.
    #[error("two agents have a conversation of that id")]
    Ambiguous,
    /// It goes on already.
    #[error("pane {0} goes on with it already")]
    Owned(PaneId),
    /// Its agent cannot be started.
    #[error("`{0}` cannot be started")]
    NoStart(String),
    /// Its agent has no way.
    #[error("`{0}`: {1}")]
    Unsupported(String, ResumeError),
    /// No pane came of it.
    #[error("its program has not started")]
    NoTerminal,
    /// The hub refused.
    #[error(transparent)]
    Hub(#[from] HubError),
    /// Nothing was typed.
    #[error(transparent)]
    Launch(#[from] LaunchError),
}

/// A conversation that goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resumed {
    /// The agent's kind.
    pub agent: String,
    /// In this pane.
    pub pane: PaneId,
}

/// What was reported, and after that what the agents' own stores hold, each the newest first. Reads files, away from
/// whoever waits.
///
/// # Errors
/// [`HubError`].
pub async fn known(hub: &HubHandle, home: &Path) -> Result<Vec<KnownSession>, HubError> {
    let mut known = hub.agent_sessions().await?;
    let home = home.to_owned();
    let stored = tokio::task::spawn_blocking(move || conversations::stored(&home)).await.unwrap_or_default();
    for stored in stored {
        let is_it = |session: &&mut KnownSession| session.agent == stored.agent && session.id == stored.id;
        let at_ms = stored.at.duration_since(UNIX_EPOCH).ok();
        let at_ms = at_ms.and_then(|at| u64::try_from(at.as_millis()).ok());
        if let Some(session) = known.iter_mut().find(is_it) {
            session.at_ms = session.at_ms.max(at_ms);
            continue;
        }
        let Stored { agent, id, cwd, title, .. } = stored;
        known.push(KnownSession { agent: agent.to_owned(), id, cwd, title, pane: None, at_ms });
    }
    Ok(known)
}

/// Goes on with a conversation in a new tab of the workspace that it belongs to; of any kind, if none is named.
///
/// # Errors
/// [`ResumptionError`]; nothing was started then.
pub async fn resume(
    hub: &HubHandle,
    home: &Path,
    kind: Option<&str>,
    id: &str,
) -> Result<Resumed, ResumptionError> {
    let is_it = |session: &KnownSession| session.id == id && kind.is_none_or(|kind| session.agent == kind);
    let mut meant = known(hub, home).await?.into_iter().filter(is_it);
    let session = meant.next().ok_or(ResumptionError::Unknown)?;
    if meant.next().is_some() {
        return Err(ResumptionError::Ambiguous);
    }
    if let Some(pane) = session.pane {
        return Err(ResumptionError::Owned(pane));
    }
    let kind = session.agent.clone();
    let in_force = hub.agents_in_force().await?;
    let start = in_force.manifests.get(&kind).and_then(|manifest| manifest.start.as_ref());
    let start = start.ok_or_else(|| ResumptionError::NoStart(kind.clone()))?;
    let line =
        resume::resume(start, id, &[]).map_err(|error| ResumptionError::Unsupported(kind.clone(), error))?;
    let workspace = session.cwd.as_deref().and_then(|cwd| home_of(&hub.snapshot().scene, cwd));
    let launch = Launch { cwd: session.cwd, ..Launch::default() };
    let made = hub.command(Command::NewTab { workspace, launch, focus: true }).await?;
    let pane = made.pane.ok_or(ResumptionError::NoTerminal)?;
    let launch = AgentLaunch { kind: kind.clone(), args: Vec::new(), session: Some(id.to_owned()), line };
    hub.launch_agent(pane, launch).await?;
    Ok(Resumed { agent: kind, pane })
}

/// The workspace that a folder lies in: the innermost one.
fn home_of(scene: &Scene, folder: &str) -> Option<WorkspaceId> {
    let folder = Path::new(folder);
    let holding = scene.workspaces.iter().filter(|workspace| folder.starts_with(&workspace.root));
    holding.max_by_key(|workspace| workspace.root.len()).map(|workspace| workspace.id)
}
