//! What others ask of the agents: reports, leases, prompts, explanations, manifests.
//!
//! Invariant: identity and state are checked in the turn in which a prompt is queued; a prompt is never
//! sent twice.

use super::resume::{AgentLaunch, LaunchError};
use super::{Tracked, load};
use crate::protocol::agent::AgentState;
use crate::protocol::attach::message::{PastAlert, ToClient};
use crate::protocol::command::Command;
use crate::protocol::ids::{PaneId, TerminalId};
use crate::server::agents::AgentView;
use crate::server::agents::detect::{ComposerText, Finding};
use crate::server::agents::manifest::Manifests;
use crate::server::agents::program_status::Record;
use crate::server::agents::registry::{self, LeaseError, LeaseReport};
use crate::server::hub::event::{Body, Hook};
use crate::server::hub::{Hub, HubError, PaneEvent, Place, Reply, Request};
use crate::server::terminal::handle::InputError;
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
    ShowMission { this_workspace: bool },
    Alerts(oneshot::Sender<Vec<PastAlert>>),
    Name { pane: PaneId, name: String, reply: Reply<()> },
    Report { pane: PaneId, report: LeaseReport, reply: oneshot::Sender<Result<u64, LeaseError>> },
    Release { pane: PaneId, source: String, reply: oneshot::Sender<Result<(), LeaseError>> },
    Session { pane: PaneId, session: SessionReport, reply: oneshot::Sender<bool> },
    EndSession { pane: PaneId, agent: String, id: String, reply: oneshot::Sender<bool> },
    Hook { pane: PaneId, hook: Hook },
    Sessions(Reply<Vec<KnownSession>>),
    Launch { pane: PaneId, launch: AgentLaunch, reply: oneshot::Sender<Result<(), LaunchError>> },
    Forked { from: PaneId, to: PaneId, agent: String },
    Prompt { prompt: Prompt, reply: oneshot::Sender<Result<Prompted, PromptError>> },
    Explain { pane: PaneId, reply: Reply<Option<Explained>> },
    Manifests(Reply<AgentsInForce>),
    ReloadManifests(Reply<AgentsInForce>),
    ManifestsRead { own: Vec<(String, String)>, reply: Reply<AgentsInForce> },
}

/// Counters of a conversation, as an agent reports them.
#[derive(Debug, Clone, PartialEq)]
pub struct Usage {
    /// The model.
    pub model: Option<String>,
    /// Tokens that went in and came out, and those read from and written to a cache.
    pub tokens: [u64; 4],
    /// What it cost.
    pub cost: Option<f64>,
    /// When that was, by the reporter's clock.
    pub updated_at: u64,
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
}

/// When a prompt is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refuse {
    /// While the agent is blocked, starts, wants a sign-in, or its composer holds a text.
    NotReady,
    /// While an approval waits (`runtime.md` 8.2).
    Attention,
}

/// A text for an agent.
#[derive(Debug, Clone)]
pub struct Prompt {
    /// Its pane.
    pub pane: PaneId,
    /// Its terminal, if it must be that one.
    pub terminal: Option<TerminalId>,
    /// Id and generation of the agent, if it must be that one.
    pub agent: Option<(String, u64)>,
    /// The text.
    pub text: String,
    /// Whether Enter follows, in the same action.
    pub submit: bool,
    /// When it is refused.
    pub refuse: Refuse,
    /// Whether somebody waits for what comes of it: one at a time and pane.
    pub waits: bool,
    /// What the screen told just now.
    pub finding: Option<Finding>,
}

/// A queued prompt.
#[derive(Debug, Clone)]
pub struct Prompted {
    /// The agent as it was when the text was queued: changes after its counter are of this prompt.
    pub view: Arc<AgentView>,
    /// The content revision by then.
    pub content_revision: u64,
    /// Held while somebody waits.
    pub waiting: Option<Arc<()>>,
}

/// Why a prompt was refused; nothing was queued then.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PromptError {
    /// There is no such pane.
    #[error("no pane {0}")]
    NoPane(PaneId),
    /// No agent runs there.
    #[error("no agent runs in pane {0}")]
    NoAgent(PaneId),
    /// It is another agent, or another terminal, than was meant.
    #[error("another agent runs there now")]
    Replaced,
    /// It cannot take a prompt now; the text says why.
    #[error("the agent {0}")]
    NotReady(&'static str),
    /// Somebody waits for another prompt.
    #[error("another prompt is being waited for in pane {0}")]
    Busy(PaneId),
    /// The terminal refused.
    #[error(transparent)]
    Input(#[from] InputError),
    /// The server is stopping.
    #[error("the server is stopping")]
    Stopping,
}

/// What an explanation is made of.
pub struct Explained {
    /// The pane's agent or program.
    pub view: Arc<AgentView>,
    /// What it reports, the newest first, each with the name that it has or inherits.
    pub records: Vec<(Record, Option<String>)>,
    /// Counters of its conversation.
    pub usage: Option<Usage>,
}

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
            AgentRequest::ShowMission { this_workspace } => {
                return self.clients.tell_all(&ToClient::ShowMission { this_workspace });
            }
            AgentRequest::Alerts(reply) => return drop(reply.send(self.alerts.told())),
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
            let usage =
                tracked.session.take().filter(|before| before.id == *id).and_then(|before| before.usage);
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
        let kept = before.and_then(|before| before.usage);
        let usage = match (session.usage, kept) {
            (Some(new), Some(kept)) if new.updated_at < kept.updated_at => Some(kept),
            (Some(new), _) => Some(new),
            (None, kept) => kept,
        };
        tracked.session = Some(SessionReport { usage, ..session });
        self.remember_session(pane);
        true
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
        known.push_back(KnownSession { agent, id, cwd, title, pane: None });
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
        let usage = tracked.session.as_ref().and_then(|session| session.usage.clone());
        Some(Explained { view, records: tracked.records.rows(), usage })
    }

    /// Queues a text for an agent, if it is the one that is meant and can take it.
    fn prompt(&mut self, prompt: &Prompt) -> Result<Prompted, PromptError> {
        let pane = prompt.pane;
        let state = self.panes.get(&pane).ok_or(PromptError::NoPane(pane))?;
        let handle = state.handle().clone();
        let view = self.agents.views.get(&pane).cloned().ok_or(PromptError::NoAgent(pane))?;
        if view.identity.is_none() || state.exited().is_some() {
            return Err(PromptError::NoAgent(pane));
        }
        let registered = view.registered.as_ref();
        let same = |(id, generation): &(String, u64)| {
            registered.is_some_and(|agent| agent.agent_id == *id && agent.generation == *generation)
        };
        let other_terminal = prompt.terminal.is_some_and(|terminal| terminal != view.terminal);
        if other_terminal || prompt.agent.as_ref().is_some_and(|agent| !same(agent)) {
            return Err(PromptError::Replaced);
        }
        if let Some(problem) = refusal(&view, prompt) {
            return Err(PromptError::NotReady(problem));
        }
        let Some(tracked) = self.agents.panes.get_mut(&pane) else { return Err(PromptError::NoAgent(pane)) };
        if prompt.waits && tracked.waiter.strong_count() > 0 {
            return Err(PromptError::Busy(pane));
        }
        let content_revision = handle.revision();
        if prompt.submit {
            handle.submit(&prompt.text)?;
        } else {
            handle.paste(&prompt.text)?;
        }
        let waiting = prompt.waits.then(|| Arc::new(()));
        if let Some(waiting) = &waiting {
            tracked.waiter = Arc::downgrade(waiting);
        }
        Ok(Prompted { view, content_revision, waiting })
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

/// Why an agent takes no prompt now.
fn refusal(view: &AgentView, prompt: &Prompt) -> Option<&'static str> {
    let finding = prompt.finding.as_ref().or(view.finding.as_ref());
    // What the program reports itself is better than what its screen looks like.
    let reported = view.source >= crate::server::agents::state::Source::ProgramStatus;
    let matched = finding.and_then(|finding| finding.matched.as_ref());
    let on_screen = matched.is_some_and(|matched| matched.state == AgentState::Blocked);
    let blocked = view.state == AgentState::Blocked || view.reports_blocked || on_screen;
    match prompt.refuse {
        Refuse::Attention => {
            let kind =
                matched.filter(|_| on_screen && !reported).and_then(|matched| matched.kind).or(view.blocked);
            let question = kind == Some(crate::protocol::agent::BlockedKind::Question);
            (blocked && !question).then_some("waits for an approval")
        }
        Refuse::NotReady if blocked => Some("waits for a person"),
        Refuse::NotReady if matched.is_some_and(|matched| matched.refuses_prompts) => {
            Some("shows a screen that takes no prompt")
        }
        Refuse::NotReady => {
            let working = matched.is_some_and(|matched| matched.state == AgentState::Working);
            let written = finding.is_some_and(|finding| finding.composer == Some(ComposerText::Written));
            (written && !working).then_some("has a text in its composer already")
        }
    }
}
