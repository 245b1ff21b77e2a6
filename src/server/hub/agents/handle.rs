//! How others ask the hub about agents.

use super::requests::SessionReport;
use super::requests::{AgentRequest, AgentsInForce, Explained, Integrations, KnownSession};
use super::resume::{AgentLaunch, LaunchError};
use crate::protocol::attach::message::Integrate;
use crate::protocol::ids::PaneId;
use crate::server::agents::registry::{LeaseError, LeaseReport};
use crate::server::agents::usage::Usage;
use crate::server::hub::event::Hook;
use crate::server::hub::{HubError, HubHandle, Request};
use tokio::sync::oneshot;

impl HubHandle {
    pub(super) async fn agent<T>(
        &self,
        request: impl FnOnce(oneshot::Sender<T>) -> AgentRequest,
    ) -> Result<T, HubError> {
        let (reply, answer) = oneshot::channel();
        self.send(Request::Agent(request(reply))).await?;
        answer.await.map_err(|_| HubError::Stopping)
    }

    /// Gives a pane an alias, or takes it away with an empty one; no event tells of it.
    ///
    /// # Errors
    /// [`HubError::Model`], [`HubError::Stopping`].
    pub async fn name_agent(&self, pane: PaneId, name: String) -> Result<(), HubError> {
        self.agent(|reply| AgentRequest::Name { pane, name, reply }).await?
    }

    /// Takes a leased report in; its number.
    ///
    /// # Errors
    /// [`HubError::Stopping`] outside, [`LeaseError`] inside.
    pub async fn report_agent(
        &self,
        pane: PaneId,
        report: LeaseReport,
    ) -> Result<Result<u64, LeaseError>, HubError> {
        self.agent(|reply| AgentRequest::Report { pane, report, reply }).await
    }

    /// Ends a lease.
    ///
    /// # Errors
    /// [`HubError::Stopping`] outside, [`LeaseError`] inside.
    pub async fn release_agent(
        &self,
        pane: PaneId,
        source: String,
    ) -> Result<Result<(), LeaseError>, HubError> {
        self.agent(|reply| AgentRequest::Release { pane, source, reply }).await
    }

    /// Binds a conversation to a pane; whether there is such a terminal.
    ///
    /// # Errors
    /// [`HubError::Stopping`].
    pub async fn report_session(&self, pane: PaneId, session: SessionReport) -> Result<bool, HubError> {
        self.agent(|reply| AgentRequest::Session { pane, session, reply }).await
    }

    /// Hands over the counters of a conversation that were read on disk.
    pub async fn report_usage(&self, pane: PaneId, agent: String, id: String, usage: Usage) {
        // Nobody is left to be told.
        let _ = self.send(Request::Agent(AgentRequest::Usage { pane, agent, id, usage })).await;
    }

    /// Takes a conversation away from a pane; whether the pane has no other one.
    ///
    /// # Errors
    /// [`HubError::Stopping`].
    pub async fn end_session(&self, pane: PaneId, agent: String, id: String) -> Result<bool, HubError> {
        self.agent(|reply| AgentRequest::EndSession { pane, agent, id, reply }).await
    }

    /// Conversations that were reported, the newest first.
    ///
    /// # Errors
    /// [`HubError::Stopping`].
    pub async fn agent_sessions(&self) -> Result<Vec<KnownSession>, HubError> {
        self.agent(AgentRequest::Sessions).await?
    }

    /// Types the command that starts an agent into a pane's shell.
    ///
    /// # Errors
    /// [`LaunchError`]; nothing was typed then.
    pub async fn launch_agent(&self, pane: PaneId, launch: AgentLaunch) -> Result<(), LaunchError> {
        let launched = self.agent(|reply| AgentRequest::Launch { pane, launch, reply }).await;
        launched.map_err(|_| LaunchError::Stopping)??;
        // The command was typed with its Enter.
        if let Some(handle) = self.pane(pane) {
            self.submitted(&handle);
        }
        Ok(())
    }

    /// Tells of a fork that was made.
    ///
    /// # Errors
    /// [`HubError::Stopping`].
    pub async fn agent_forked(&self, from: PaneId, to: PaneId, agent: String) -> Result<(), HubError> {
        self.send(Request::Agent(AgentRequest::Forked { from, to, agent })).await
    }

    /// Passes on what a hook of an agent tells.
    ///
    /// # Errors
    /// [`HubError::Stopping`].
    pub async fn agent_hook(&self, pane: PaneId, hook: Hook) -> Result<(), HubError> {
        self.send(Request::Agent(AgentRequest::Hook { pane, hook })).await
    }

    /// Everything that is known of a pane's agent or program; `None` if there is none.
    ///
    /// # Errors
    /// [`HubError::Stopping`].
    pub async fn explain_agent(&self, pane: PaneId) -> Result<Option<Explained>, HubError> {
        self.agent(|reply| AgentRequest::Explain { pane, reply }).await?
    }

    /// The manifests in force.
    ///
    /// # Errors
    /// [`HubError::Stopping`].
    pub async fn agents_in_force(&self) -> Result<AgentsInForce, HubError> {
        self.agent(AgentRequest::Manifests).await?
    }

    /// Reads the manifests again, and looks at every screen.
    ///
    /// # Errors
    /// [`HubError::Stopping`].
    pub async fn reload_manifests(&self) -> Result<AgentsInForce, HubError> {
        self.agent(AgentRequest::ReloadManifests).await?
    }

    /// A person typed into a pane: what was unread there is not any more. Costs nothing else.
    pub async fn typed(&self, pane: PaneId) {
        let unread = self.snapshots().borrow().agents.get(&pane).is_some_and(|view| view.unread);
        if unread {
            // Nobody is left to be told.
            let _ = self.send(Request::Agent(AgentRequest::Typed(pane))).await;
        }
    }

    /// Something was submitted in a pane: what is about to be quiet there has to last anew.
    pub async fn restart_dwell(&self, pane: PaneId) {
        if self.snapshots().borrow().agents.contains_key(&pane) {
            // Nobody is left to be told.
            let _ = self.send(Request::Agent(AgentRequest::Submitted(pane))).await;
        }
    }

    /// The integrations as they are, after a change if one is wanted.
    ///
    /// # Errors
    /// [`HubError::Stopping`].
    pub async fn integrations(&self, change: Option<Integrate>) -> Result<Integrations, HubError> {
        self.agent(|reply| AgentRequest::Integrations { change, reply }).await?
    }

    /// Has every attached client show Mission Control.
    ///
    /// # Errors
    /// [`HubError::Stopping`].
    pub async fn show_mission(&self, this_workspace: bool) -> Result<(), HubError> {
        self.send(Request::Agent(AgentRequest::ShowMission { this_workspace })).await
    }
}
