//! How an agent's conversation is forked: by the agent's own command, with its exact id.

use super::AgentLaunch;
use crate::protocol::ids::PaneId;
use crate::server::agents::resume::{self, ResumeError};
use crate::server::hub::{HubError, HubHandle};

/// Why a conversation cannot be forked.
#[derive(Debug, thiserror::Error)]
pub enum ForkError {
    /// There is no recognised agent in the pane.
    #[error("there is no agent in pane {0}")]
    NoAgent(PaneId),
    /// Nobody has told which conversation it is.
    #[error("the agent's conversation is not known")]
    UnknownConversation,
    /// Nothing says how that kind is started.
    #[error("`{0}` cannot be started")]
    NoStart(String),
    /// That kind has no command for it.
    #[error("`{0}`: {1}")]
    Unsupported(String, ResumeError),
    /// The hub is gone.
    #[error(transparent)]
    Hub(#[from] HubError),
}

impl HubHandle {
    /// What starts a fork of the conversation of a pane's agent.
    ///
    /// # Errors
    /// [`ForkError`].
    pub async fn fork_of(&self, from: PaneId) -> Result<AgentLaunch, ForkError> {
        let snapshot = self.snapshot();
        let view = snapshot.agents.get(&from).filter(|view| view.identity.is_some());
        let view = view.ok_or(ForkError::NoAgent(from))?;
        let kind = view.kind().unwrap_or_default().to_owned();
        let id = view.session.clone().ok_or(ForkError::UnknownConversation)?;
        let manifests = self.agents_in_force().await?.manifests;
        let start = manifests.get(&kind).and_then(|manifest| manifest.start.clone());
        let start = start.ok_or_else(|| ForkError::NoStart(kind.clone()))?;
        let line = resume::fork(&start, &id).map_err(|error| ForkError::Unsupported(kind.clone(), error))?;
        Ok(AgentLaunch { kind, args: Vec::new(), session: None, line })
    }
}
