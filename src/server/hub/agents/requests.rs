//! What others ask of the agents: reports, leases, conversations, explanations, manifests.
//!
//! Invariant: what is asked of a pane's agent concerns the terminal that was meant, or nothing.

use super::prompt::{Prompt, PromptError, Prompted};
use super::resume::{AgentLaunch, LaunchError};
use super::{Tracked, load, moment};
use crate::protocol::attach::message::{Integrate, IntegrationState, ToClient};
use crate::protocol::command::Command;
use crate::protocol::ids::{PaneId, TerminalId};
use crate::server::agents::AgentView;
use crate::server::agents::detect::Finding;
use crate::server::agents::manifest::Manifests;
use crate::server::agents::program_status::Record;
use crate::server::agents::registry::{self, LeaseError, LeaseReport};
use crate::server::agents::usage::{Meter, Usage};
use crate::server::hub::event::{Body, Hook};
use crate::server::hub::{Hub, HubError, PaneEvent, Place, Reply, Request};
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::oneshot;

/// Conversations that are remembered.
const SESSIONS: usize = 256;

/// What reaches the agents of the hub.
pub(in crate::server::hub) enum AgentRequest {
    Screen { pane: PaneId, terminal: TerminalId, finding: Option<Finding>, kind: Option<String> },
    Script { pane: PaneId, terminal: TerminalId, kind: String },
    Typed(PaneId),
    Submitted(PaneId),
    ShowMission { this_workspace: bool },
    Name { pane: PaneId, name: String, reply: Reply<()> },
    Report { pane: PaneId, report: LeaseReport, reply: oneshot::Sender<Result<u64, LeaseError>> },
    Release { pane: PaneId, source: String, reply: oneshot::Sender<Result<(), LeaseError>> },
    Session { pane: PaneId, session: SessionReport, reply: oneshot::Sender<bool> },
    Usage { pane: PaneId, agent: String, id: String, usage: Usage },
    EndSession { pane: PaneId, agent: String, id: String, reply: oneshot::Sender<bool> },
    Hook { pane: PaneId, hook: Hook },
    Sessions(Reply<Vec<KnownSession>>),
    Launch { pane: PaneId, launch: AgentLaunch, reply: oneshot::Sender<Result<(), LaunchError>> },
    Forked { from: PaneId, to: PaneId, agent: String },
    Prompt { prompt: Prompt, reply: oneshot::Sender<Result<Prompted, PromptError>> },
    Explain { pane: PaneId, reply: Reply<Option<Explained>> },
    Manifests(Reply<AgentsInForce>),
    ReloadManifests(Reply<AgentsInForce>),
    Integrations { change: Option<Integrate>, reply: Reply<Integrations> },
    ManifestsRead { own: Vec<(String, String)>, reply: Reply<AgentsInForce> },
}

/// An agent's exact conversation.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionReport {
    /// The agent's kind.
    pub agent: String,
    /// The conversation's id.
    pub id: String,
    /// Its counters.
    pub usage: Option<Usage>,
}

/// A conversation that was reported in this server's life.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownSession {
    /// The agent's kind.
    pub agent: String,
    /// The conversation's id.
    pub id: String,
    /// Where the agent ran.
    pub cwd: Option<String>,
    /// The conversation's title.
    pub title: Option<String>,
    /// The pane in which it goes on.
    pub pane: Option<PaneId>,
    /// When it was heard of last, in milliseconds since 1970.
    pub at_ms: Option<u64>,
}

/// What an explanation is made of.
pub struct Explained {
    /// The pane's agent or program.
    pub view: Arc<AgentView>,
    /// What it reports, the newest first, each with the name that it has or inherits.
    pub records: Vec<(Record, Option<String>)>,
}

/// The integrations as they are, and why the last change did not work.
pub type Integrations = (Vec<IntegrationState>, Option<String>);

/// The manifests in force.
pub struct AgentsInForce {
    /// All of them.
    pub manifests: Arc<Manifests>,
    /// The number of the last event.
    pub sequence: u64,
}

impl Hub {
    pub(in crate::server::hub) fn agent_request(&mut self, request: AgentRequest) {
        match request {
            AgentRequest::Screen { pane, terminal, finding, kind } => {
                let Some(tracked) = self.tracked(pane, Some(terminal)) else { return };
                tracked.finding = finding;
                if kind.is_some() {
                    tracked.screen_kind = kind;
                }
            }
            AgentRequest::Script { pane, terminal, kind } => {
                let Some(tracked) = self.tracked(pane, Some(terminal)) else { return };
                tracked.script = Some(kind);
            }
            AgentRequest::Typed(pane) => {
                let Some(tracked) = self.tracked(pane, None) else { return };
                if let Some(machine) = &mut tracked.machine {
                    machine.look();
                }
            }
            AgentRequest::Submitted(pane) => {
                if let Some(machine) = self.tracked(pane, None).and_then(|tracked| tracked.machine.as_mut()) {
                    machine.submitted(moment().now);
                }
            }
            AgentRequest::ShowMission { this_workspace } => {
                return self.clients.tell_all(&ToClient::ShowMission { this_workspace });
            }
            AgentRequest::Name { pane, name, reply } => return self.name_agent(pane, name, reply),
            AgentRequest::Report { pane, report, reply } => {
                let _ = reply.send(self.report_lease(pane, report));
            }
            AgentRequest::Release { pane, source, reply } => {
                let _ = reply.send(self.release_lease(pane, &source));
            }
            AgentRequest::Session { pane, session, reply } => {
                let _ = reply.send(self.report_session(pane, session));
            }
            AgentRequest::Usage { pane, agent, id, usage } => self.take_usage(pane, &agent, &id, usage),
            AgentRequest::EndSession { pane, agent, id, reply } => {
                let _ = reply.send(self.end_session(pane, &agent, &id));
            }
            AgentRequest::Hook { pane, hook } => {
                self.happened.push(Body::Pane(pane, PaneEvent::AgentHook(Box::new(hook))));
            }
            AgentRequest::Sessions(reply) => {
                return drop(reply.send(Ok(self.known_sessions())));
            }
            AgentRequest::Launch { pane, launch, reply } => {
                let _ = reply.send(self.launch_agent(pane, launch));
            }
            AgentRequest::Forked { from, to, agent } => {
                let place = self.model.pane_place(to).map(|(workspace, tab)| Place { workspace, tab });
                self.happened.push(Body::Pane(from, PaneEvent::Forked { to, agent, place }));
            }
            AgentRequest::Prompt { prompt, reply } => return drop(reply.send(self.prompt(&prompt))),
            AgentRequest::Explain { pane, reply } => return drop(reply.send(Ok(self.explain(pane)))),
            AgentRequest::Manifests(reply) => return drop(reply.send(Ok(self.agents_in_force()))),
            AgentRequest::ReloadManifests(reply) => return self.read_manifests(reply),
            AgentRequest::Integrations { change, reply } => return self.integrations(change, reply),
            AgentRequest::ManifestsRead { own, reply } => {
                self.take_manifests(own);
                self.publish();
                return drop(reply.send(Ok(self.agents_in_force())));
            }
        }
        self.publish();
    }

    fn tracked(&mut self, pane: PaneId, terminal: Option<TerminalId>) -> Option<&mut Tracked> {
        let tracked = self.agents.panes.get_mut(&pane);
        let tracked =
            tracked.filter(|tracked| terminal.is_none_or(|terminal| terminal == tracked.terminal))?;
        self.agents.marked.insert(pane);
        Some(tracked)
    }

    /// Gives a pane an alias without telling of it: `agent.name` has no event.
    fn name_agent(&mut self, pane: PaneId, name: String, reply: Reply<()>) {
        let command = Command::RenamePane { pane: Some(pane), name };
        let named = self.model.apply(command, &self.context()).map(|_| ());
        if named.is_ok() {
            self.agents.marked.insert(pane);
            self.publish();
        }
        let _ = reply.send(named.map_err(HubError::from));
    }

    fn report_lease(&mut self, pane: PaneId, report: LeaseReport) -> Result<u64, LeaseError> {
        let Some(tracked) = self.tracked(pane, None) else { return Err(LeaseError::None) };
        let told = report.clone();
        let sequence = registry::renew(&mut tracked.lease, report, Instant::now())?;
        if let Some(id) = &told.session {
            let before = tracked.session.take().filter(|before| before.id == *id);
            if before.is_none() {
                tracked.meter = Meter::default();
            }
            let usage = before.and_then(|before| before.usage);
            tracked.session = Some(SessionReport { agent: told.agent.clone(), id: id.clone(), usage });
            self.remember_session(pane);
        }
        let event = PaneEvent::AuthorityReported {
            source: told.source,
            agent: told.agent,
            status: told.status,
            sequence,
            ttl_s: told.ttl_s,
        };
        self.happened.push(Body::Pane(pane, event));
        Ok(sequence)
    }

    fn release_lease(&mut self, pane: PaneId, source: &str) -> Result<(), LeaseError> {
        let Some(tracked) = self.tracked(pane, None) else { return Err(LeaseError::None) };
        registry::release(&mut tracked.lease, source)?;
        let event = PaneEvent::AuthorityReleased { source: source.to_owned(), expired: false };
        self.happened.push(Body::Pane(pane, event));
        Ok(())
    }

    /// Binds a conversation to a pane. Older counters than those that are known are left out.
    fn report_session(&mut self, pane: PaneId, session: SessionReport) -> bool {
        let Some(tracked) = self.tracked(pane, None) else { return false };
        let before =
            tracked.session.take().filter(|before| before.agent == session.agent && before.id == session.id);
        if before.is_none() {
            tracked.meter = Meter::default();
        }
        if let Some(usage) = &session.usage {
            tracked.meter.take(usage);
        }
        let kept = before.and_then(|before| before.usage);
        let usage = match (session.usage, kept) {
            (Some(new), Some(kept)) if new.updated_at < kept.updated_at => Some(kept),
            // What only one of the two told stays known.
            (Some(new), Some(kept)) => Some(Usage { context: new.context.or(kept.context), ..new }),
            (Some(new), None) => Some(new),
            (None, kept) => kept,
        };
        tracked.session = Some(SessionReport { usage, ..session });
        self.remember_session(pane);
        true
    }

    /// Takes counters in that were read, if that conversation is still the pane's.
    fn take_usage(&mut self, pane: PaneId, agent: &str, id: &str, usage: Usage) {
        let session = self.agents.panes.get(&pane).and_then(|tracked| tracked.session.as_ref());
        let session = session.filter(|session| session.agent == agent && session.id == id);
        // What the agent itself reports has its cost too.
        if session.is_some_and(|session| session.usage.as_ref().is_none_or(|kept| kept.cost.is_none())) {
            let session = SessionReport { agent: agent.to_owned(), id: id.to_owned(), usage: Some(usage) };
            self.report_session(pane, session);
        }
    }

    /// Keeps the conversation of a pane for later, the newest last.
    pub(super) fn remember_session(&mut self, pane: PaneId) {
        let Some(session) = self.agents.panes.get(&pane).and_then(|tracked| tracked.session.as_ref()) else {
            return;
        };
        let (agent, id) = (session.agent.clone(), session.id.clone());
        let state = self.panes.get(&pane);
        let cwd = state.map(|state| state.cwd.clone()).filter(|cwd| !cwd.is_empty());
        let title = state.and_then(|state| state.title.clone());
        let known = &mut self.agents.sessions;
        known.retain(|known| known.agent != agent || known.id != id);
        if known.len() >= SESSIONS {
            known.pop_front();
        }
        let at_ms = Some(moment().unix_ms);
        known.push_back(KnownSession { agent, id, cwd, title, pane: None, at_ms });
        self.keeping.changed();
    }

    /// Takes a conversation away from a pane; nothing happens without one. Whether it was the one meant.
    fn end_session(&mut self, pane: PaneId, agent: &str, id: &str) -> bool {
        let Some(tracked) = self.tracked(pane, None) else { return true };
        match &tracked.session {
            Some(session) if session.agent == agent && session.id == id => {
                tracked.session = None;
                tracked.launched = None;
                self.keeping.changed();
            }
            Some(_) => return false,
            None => {}
        }
        true
    }

    fn explain(&self, pane: PaneId) -> Option<Explained> {
        let view = Arc::clone(self.agents.views.get(&pane)?);
        let tracked = self.agents.panes.get(&pane)?;
        Some(Explained { view, records: tracked.records.rows() })
    }

    fn agents_in_force(&self) -> AgentsInForce {
        AgentsInForce { manifests: Arc::clone(&self.agents.manifests), sequence: self.bus.sequence() }
    }

    /// Reads the manifests away from the hub; [`AgentRequest::ManifestsRead`] follows.
    fn read_manifests(&self, reply: Reply<AgentsInForce>) {
        let (configuration, requests) = (Arc::clone(&self.settings.configuration), self.requests.clone());
        self.settings.background.spawn(async move {
            let read = tokio::task::spawn_blocking(move || configuration.manifests()).await;
            let request = AgentRequest::ManifestsRead { own: read.unwrap_or_default(), reply };
            if let Some(requests) = requests.upgrade() {
                // Nobody is left to be told.
                let _ = requests.send(Request::Agent(request)).await;
            }
        });
    }

    /// Tells of the integrations, after a change if one is wanted; away from the hub, since files are read.
    fn integrations(&self, change: Option<Integrate>, reply: Reply<Integrations>) {
        let configuration = Arc::clone(&self.settings.configuration);
        self.settings.background.spawn_blocking(move || {
            let failed = change.and_then(|change| configuration.integrate(&change).err());
            let _ = reply.send(Ok((configuration.integrations(), failed)));
        });
    }

    fn take_manifests(&mut self, own: Vec<(String, String)>) {
        self.agents.manifests = Arc::new(load(own));
        for (pane, tracked) in &mut self.agents.panes {
            tracked.watcher = None;
            tracked.script = None;
            tracked.screen_kind = None;
            self.agents.marked.insert(*pane);
        }
        for pane in self.agents.panes.keys() {
            self.look_up_script(*pane);
        }
        let rules = self.agents.manifests.rules();
        self.happened.push(Body::Session(crate::server::hub::SessionEvent::ManifestsReloaded { rules }));
    }
}
