//! The hub: the one task that owns the model, and the directory of panes.

use super::model::{ModelError, Outcome};
use super::terminal::handle::PaneHandle;
use crate::protocol::command::Command;
use crate::protocol::ids::{PaneId, ServerGeneration, TabId, TerminalId};
use crate::protocol::scene::{ExitStatus, Scene};
use crate::protocol::tree::TabLayout;
use std::collections::BTreeMap;
use std::sync::Arc;
use tokio::sync::watch;

/// All terminals by pane, republished when one comes or goes.
#[derive(Clone, Default)]
pub struct Directory {
    /// By pane.
    pub panes: BTreeMap<PaneId, PaneEntry>,
}

/// One pane's terminal and what the hub knows of it.
#[derive(Clone)]
pub struct PaneEntry {
    /// The terminal.
    pub handle: PaneHandle,
    /// Whether the child has started.
    pub started: bool,
    /// Restart policy.
    pub restore: bool,
    /// Whether the person's shell was started in it, not a command of its own.
    pub shell: bool,
    /// How the child ended, if the pane is held.
    pub exited: Option<ExitStatus>,
}

/// Why the hub refused.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum HubError {
    /// The model refused.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// Busy panes would be closed.
    #[error("{} would be ended", busy_text(.0))]
    Busy(Vec<PaneId>),
    /// A child could not be started.
    #[error("cannot start the program: {0}")]
    StartFailed(String),
    /// The server is stopping.
    #[error("the server is stopping")]
    Stopping,
}

fn busy_text(panes: &[PaneId]) -> String {
    match panes {
        [pane] => format!("a program running in pane {pane}"),
        panes => format!("programs running in {} panes", panes.len()),
    }
}

/// The scene and the directory of one instant.
#[derive(Clone)]
pub struct Snapshot {
    /// What clients draw.
    pub scene: Arc<Scene>,
    /// The terminals.
    pub directory: Arc<Directory>,
    /// The layout of every tab.
    pub layouts: Arc<BTreeMap<TabId, TabLayout>>,
    /// How many clients are attached.
    pub attached: usize,
    /// Number of the last event.
    pub sequence: u64,
}

/// How others reach the hub; cheap to clone.
#[derive(Clone)]
pub struct HubHandle {}

impl HubHandle {
    /// Carries out a command. Answers when it has taken effect: a new pane's child runs by then.
    pub async fn command(&self, _command: Command) -> Result<Outcome, HubError> {
        unimplemented!("skeleton")
    }
    /// Scene, directory and sequence number, from one hub turn; no hub visit.
    pub fn snapshot(&self) -> Snapshot {
        unimplemented!("skeleton")
    }
    /// The scene, and every later one as it is published.
    pub fn scenes(&self) -> watch::Receiver<Arc<Scene>> {
        unimplemented!("skeleton")
    }
    /// The terminal with that id, if it is still there; no hub visit.
    pub fn terminal(&self, _id: TerminalId) -> Option<PaneEntry> {
        unimplemented!("skeleton")
    }
    /// Whether a terminal with that id was closed in this server life.
    pub fn was_closed(&self, _id: TerminalId) -> bool {
        unimplemented!("skeleton")
    }
    /// This server's life.
    pub fn generation(&self) -> ServerGeneration {
        unimplemented!("skeleton")
    }
    /// Detaches all clients but `except` none; returns how many.
    pub async fn detach_clients(&self) -> Result<usize, HubError> {
        unimplemented!("skeleton")
    }
    /// Ends the server in good order.
    pub async fn stop(&self) -> Result<(), HubError> {
        unimplemented!("skeleton")
    }
}
