//! What programs outside report about panes and workspaces: the agent's session that a pane holds, what
//! an agent's hooks say, facts of a workspace (`uhp.md` section 17).
//!
//! Invariants: a report changes nothing but what is known; a session is released only by whoever names
//! exactly that one; everything is bounded, and gone with its pane or workspace.

use super::{Body, Hub, HubError, PaneEvent, Reply, SessionEvent};
use crate::protocol::ids::{PaneId, WorkspaceId};
use crate::server::model::ModelError;
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Facts of one workspace at most.
const FACTS: usize = 32;

/// An agent's session, as the agent itself names it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AgentSession {
    /// Which agent.
    pub agent: String,
    /// Its name for the session.
    pub session_id: String,
    /// What it has used up, if that was told.
    pub usage: Option<Usage>,
}

/// What a session has used up.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Usage {
    /// The model's name.
    pub model: Option<String>,
    /// Tokens sent.
    pub tokens_in: u64,
    /// Tokens received.
    pub tokens_out: u64,
    /// Tokens read from a cache.
    pub cache_read: u64,
    /// Tokens written to a cache.
    pub cache_write: u64,
    /// What it cost, if that is known.
    pub cost: Option<f64>,
    /// When that was so, as the reporter counts time.
    pub updated_at: u64,
}

/// What an agent's hook said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookEvent {
    /// Which agent.
    pub agent: String,
    /// What kind of event.
    pub kind: String,
    /// What it said.
    pub message: Option<String>,
    /// The tool that it is about.
    pub tool: Option<String>,
}

/// Facts of a workspace by name.
pub type Facts = BTreeMap<String, String>;

/// A report.
#[derive(Debug, Clone, PartialEq)]
pub enum Told {
    /// A pane holds that session.
    Session(PaneId, AgentSession),
    /// A pane no longer holds that session of that agent.
    Released(PaneId, String, String),
    /// A hook ran in a pane.
    Hook(PaneId, HookEvent),
    /// Facts of a workspace; those without a value are dropped.
    Facts(WorkspaceId, BTreeMap<String, Option<String>>),
}

impl Hub {
    pub(super) fn told_of(&mut self, told: Told, if_revision: Option<u64>, reply: Reply<()>) {
        let done = self.check_unchanged(if_revision).and_then(|()| self.take_report(told));
        let _ = reply.send(done);
    }

    fn take_report(&mut self, told: Told) -> Result<(), HubError> {
        match told {
            Told::Session(pane, session) => {
                let held = self.held_session(pane)?;
                *held = Some(Arc::new(newer(held.as_deref(), session)));
            }
            Told::Released(pane, agent, session_id) => {
                let held = self.held_session(pane)?;
                match held {
                    Some(own) if own.agent == agent && own.session_id == session_id => *held = None,
                    Some(_) => return Err(HubError::OtherSession),
                    None => return Ok(()),
                }
            }
            Told::Hook(pane, event) => {
                self.held_session(pane)?;
                self.happened.push(Body::Pane(pane, PaneEvent::Hook(event)));
            }
            Told::Facts(workspace, facts) => self.take_facts(workspace, facts)?,
        }
        self.directory_changed();
        self.publish();
        Ok(())
    }

    fn held_session(&mut self, pane: PaneId) -> Result<&mut Option<Arc<AgentSession>>, HubError> {
        let state = self.panes.get_mut(&pane);
        state.map(|state| state.session()).ok_or_else(|| ModelError::NoPane(pane).into())
    }

    fn take_facts(
        &mut self,
        workspace: WorkspaceId,
        told: BTreeMap<String, Option<String>>,
    ) -> Result<(), HubError> {
        let index = self.model.workspaces().iter().position(|known| known.id() == workspace);
        let index = index.ok_or(ModelError::NoWorkspace(workspace))?;
        let mut facts = self.facts.get(&workspace).map(|facts| Facts::clone(facts)).unwrap_or_default();
        for (name, value) in told {
            match value {
                Some(value) => drop(facts.insert(name, value)),
                None => drop(facts.remove(&name)),
            }
        }
        if facts.len() > FACTS {
            return Err(HubError::TooManyFacts(FACTS));
        }
        let known: Vec<WorkspaceId> = self.model.workspaces().iter().map(|known| known.id()).collect();
        self.facts.retain(|workspace, _| known.contains(workspace));
        self.facts.insert(workspace, Arc::new(facts));
        self.happened.push(Body::Session(SessionEvent::MetadataReported(index)));
        Ok(())
    }
}

/// The report, with the usage that is known already if that is newer.
fn newer(held: Option<&AgentSession>, told: AgentSession) -> AgentSession {
    let same = held.filter(|held| held.agent == told.agent && held.session_id == told.session_id);
    let known = same.and_then(|held| held.usage.clone());
    let usage = match (known, told.usage) {
        (Some(known), Some(told)) if told.updated_at >= known.updated_at => Some(told),
        (Some(known), _) => Some(known),
        (None, told) => told,
    };
    AgentSession { usage, ..told }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session(id: &str, updated_at: Option<u64>) -> AgentSession {
        let usage = updated_at.map(|updated_at| Usage {
            model: None,
            tokens_in: updated_at,
            tokens_out: 0,
            cache_read: 0,
            cache_write: 0,
            cost: None,
            updated_at,
        });
        AgentSession { agent: "claude".to_owned(), session_id: id.to_owned(), usage }
    }

    #[test]
    fn usage_never_goes_back_within_a_session() {
        let at = |session: AgentSession| session.usage.map(|usage| usage.updated_at);
        let held = session("a", Some(5));
        assert_eq!(at(newer(Some(&held), session("a", Some(4)))), Some(5));
        assert_eq!(at(newer(Some(&held), session("a", Some(6)))), Some(6));
        assert_eq!(at(newer(Some(&held), session("a", None))), Some(5));
        assert_eq!(at(newer(Some(&held), session("b", Some(4)))), Some(4));
        assert_eq!(at(newer(None, session("a", None))), None);
    }
}
