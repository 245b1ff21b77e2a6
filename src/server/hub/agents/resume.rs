//! Agents that are started by typing their command, and those that come back after a restart.
//!
//! Invariants: no two panes go on with one conversation: who could be told apart from nobody starts nowhere;
//! whoever does not come back within a bound is in the report, and can be tried again.

use super::requests::{KnownSession, SessionReport};
use crate::config::ResumeAgents;
use crate::protocol::ids::PaneId;
use crate::server::agents::resume::{self, Kept};
use crate::server::hub::Hub;
use crate::server::persist::session::Session;
use crate::server::persist::{Problem, Report};
use crate::server::terminal::handle::InputError;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

/// How long an agent that is brought back may take until it is recognised.
const RETURN: Duration = Duration::from_secs(20);

/// A command for a shell that starts an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentLaunch {
    /// The agent's kind.
    pub kind: String,
    /// Its own arguments.
    pub args: Vec<String>,
    /// The conversation that it goes on with.
    pub session: Option<String>,
    /// The command line.
    pub line: String,
}

/// Why no agent was started.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LaunchError {
    /// There is no such pane.
    #[error("no pane {0}")]
    NoPane(PaneId),
    /// Another pane goes on with its conversation.
    #[error("pane {0} goes on with it already")]
    Owned(PaneId),
    /// The terminal refused.
    #[error(transparent)]
    Input(#[from] InputError),
    /// The server is stopping.
    #[error("the server is stopping")]
    Stopping,
}

/// What was typed into a pane to start an agent.
#[derive(Debug, Clone)]
pub(super) struct Launched {
    kind: String,
    args: Vec<String>,
    session: Option<String>,
    /// When it should have come, if somebody is to be told that it did not.
    pub(super) until: Option<Instant>,
}

/// Agents of the session before.
#[derive(Default)]
pub(super) struct Returning {
    /// Those whose shells have not started yet.
    coming: BTreeMap<PaneId, Kept>,
    /// Those that did not come back, or were not asked to.
    away: BTreeMap<PaneId, Kept>,
}

impl Hub {
    /// Types what starts an agent, unless another pane goes on with its conversation.
    pub(super) fn launch_agent(&mut self, pane: PaneId, launch: AgentLaunch) -> Result<(), LaunchError> {
        let AgentLaunch { kind, args, session, line } = launch;
        let owner = session.as_deref().and_then(|id| self.owner_of(&kind, id));
        if let Some(owner) = owner.filter(|owner| *owner != pane) {
            return Err(LaunchError::Owned(owner));
        }
        let state = self.panes.get(&pane).ok_or(LaunchError::NoPane(pane))?;
        let tracked = self.agents.panes.get_mut(&pane).ok_or(LaunchError::NoPane(pane))?;
        state.handle().text(&format!("{line}\r"))?;
        tracked.launched = Some(Launched { kind, args, session, until: None });
        Ok(())
    }

    /// The pane that goes on with a conversation, or is about to.
    fn owner_of(&self, kind: &str, id: &str) -> Option<PaneId> {
        let is_it =
            |pane: PaneId| self.kept_agent(pane).is_some_and(|kept| kept.kind == kind && kept.session == id);
        let away = &self.agents.returning.away;
        self.agents.panes.keys().copied().find(|pane| !away.contains_key(pane) && is_it(*pane))
    }

    /// Conversations that were reported, the newest first.
    pub(super) fn known_sessions(&self) -> Vec<KnownSession> {
        let with_owner = |session: &KnownSession| KnownSession {
            pane: self.owner_of(&session.agent, &session.id),
            ..session.clone()
        };
        self.agents.sessions.iter().rev().map(with_owner).collect()
    }

    /// What the next start needs to bring a pane's agent back.
    pub(in crate::server::hub) fn kept_agent(&self, pane: PaneId) -> Option<Kept> {
        let returning = &self.agents.returning;
        let waiting = || returning.coming.get(&pane).or_else(|| returning.away.get(&pane)).cloned();
        let Some(tracked) = self.agents.panes.get(&pane) else { return waiting() };
        let launched = tracked.launched.as_ref();
        if let (Some(identity), Some(session)) = (&tracked.identity, &tracked.session)
            && identity.kind == session.agent
        {
            let typed = launched.filter(|launched| launched.kind == session.agent);
            let args = typed.map(|launched| launched.args.clone());
            let args = args.or_else(|| self.own_arguments(pane, &session.agent)).unwrap_or_default();
            return Some(Kept { kind: session.agent.clone(), session: session.id.clone(), args });
        }
        let typed = launched.filter(|_| tracked.identity.is_none()).and_then(|launched| {
            let session = launched.session.clone()?;
            Some(Kept { kind: launched.kind.clone(), session, args: launched.args.clone() })
        });
        typed.or_else(waiting)
    }

    /// A prompt on the command line is nobody's business later, and not for the disk.
    pub(in crate::server::hub) fn without_prompt(&self, kept: Kept) -> Kept {
        let manifest = self.agents.manifests.get(&kept.kind);
        let start = manifest.and_then(|manifest| manifest.start.as_ref());
        let args = start.map(|start| resume::own_flags(start, &kept.args)).unwrap_or_default();
        Kept { args, ..kept }
    }

    /// The arguments of an agent that is its pane's own program.
    fn own_arguments(&self, pane: PaneId, kind: &str) -> Option<Vec<String>> {
        let argv = self.model.pane(pane)?.argv()?;
        let program = Path::new(argv.first()?).file_name()?.to_str()?;
        let is_it = self.agents.manifests.distinct(program) == Some(kind);
        is_it.then(|| argv[1..].to_vec())
    }

    /// Finds out which agents of the session before come back; says of whom that cannot be.
    pub(in crate::server::hub) fn plan_return(&mut self, session: &Session, report: &mut Report) {
        let kept: Vec<(PaneId, &str, Kept)> = session
            .panes()
            .filter_map(|pane| Some((pane.pane, pane.cwd.as_str(), Kept::read(pane.agent.as_ref()?)?)))
            .collect();
        for (pane, cwd, agent) in &kept {
            self.agents.sessions.push_back(KnownSession {
                agent: agent.kind.clone(),
                id: agent.session.clone(),
                cwd: Some((*cwd).to_owned()),
                title: None,
                pane: None,
                at_ms: None,
            });
            let same = |(_, _, other): &&(PaneId, &str, Kept)| {
                other.kind == agent.kind && other.session == agent.session
            };
            let kind = &agent.kind;
            let problem = if kept.iter().filter(same).count() > 1 {
                Some(format!(
                    "pane {pane}: another pane had the same conversation of {kind}; neither goes on"
                ))
            } else if let Err(error) = self.return_line(agent) {
                Some(format!("pane {pane}: {kind} cannot go on with its conversation: {error}"))
            } else {
                match self.settings.config.resume_agents {
                    ResumeAgents::Auto => None,
                    ResumeAgents::Ask => {
                        Some(format!("pane {pane}: {kind} goes on with its conversation when you say so"))
                    }
                    ResumeAgents::Off => continue,
                }
            };
            let returning = &mut self.agents.returning;
            match problem {
                None => drop(returning.coming.insert(*pane, agent.clone())),
                Some(text) => {
                    returning.away.insert(*pane, agent.clone());
                    let cwd = Some((*cwd).to_owned());
                    report.problems.push(Problem { pane: Some(*pane), text, cwd, ..Problem::default() });
                }
            }
        }
    }

    fn return_line(&self, kept: &Kept) -> Result<String, resume::ResumeError> {
        let manifest = self.agents.manifests.get(&kept.kind);
        let start = manifest.and_then(|manifest| manifest.start.as_ref());
        let args = if self.settings.config.resume_launch_flags { kept.args.as_slice() } else { &[] };
        resume::resume(start.ok_or(resume::ResumeError::Unsupported)?, &kept.session, args)
    }

    /// The shell of a pane runs: its agent of before goes on, if it is to.
    pub(super) fn bring_back(&mut self, pane: PaneId) {
        let Some(kept) = self.agents.returning.coming.remove(&pane) else { return };
        let kind = kept.kind.clone();
        let started = self.return_line(&kept).map_err(|error| error.to_string()).and_then(|line| {
            let Kept { kind, session, args } = kept.clone();
            let launch = AgentLaunch { kind, args, session: Some(session), line };
            self.launch_agent(pane, launch).map_err(|error| error.to_string())
        });
        match started {
            Ok(()) => {
                let launched = self.agents.panes.get_mut(&pane).and_then(|tracked| tracked.launched.as_mut());
                if let Some(launched) = launched {
                    launched.until = Some(Instant::now() + RETURN);
                }
            }
            Err(error) => {
                self.agents.returning.away.insert(pane, kept);
                self.not_returned(pane, &format!("pane {pane}: {kind} did not go on: {error}"));
            }
        }
    }

    /// Somebody wants a pane's agent to be tried again; its shell is about to start.
    pub(in crate::server::hub) fn try_return_again(&mut self, pane: PaneId) {
        if let Some(kept) = self.agents.returning.away.remove(&pane) {
            self.agents.returning.coming.insert(pane, kept);
        }
    }

    /// An agent that was started has come, or it is time to say that it did not.
    pub(super) fn settle_launch(&mut self, pane: PaneId, now: Instant) {
        let Some(tracked) = self.agents.panes.get_mut(&pane) else { return };
        let Some(launched) = &mut tracked.launched else { return };
        match &tracked.identity {
            Some(identity) if identity.kind == launched.kind => {
                let awaited = launched.until.take().is_some();
                let goes_on = launched.session.take().filter(|_| tracked.session.is_none());
                if let Some(id) = goes_on {
                    let agent = launched.kind.clone();
                    tracked.session = Some(SessionReport { agent, id, usage: None });
                    self.remember_session(pane);
                }
                if awaited {
                    self.agents.returning.away.remove(&pane);
                    self.keeping.changed();
                }
            }
            Some(_) => tracked.launched = None,
            None if launched.until.is_some_and(|until| until <= now) => {
                let Launched { kind, args, session, .. } = launched.clone();
                tracked.launched = None;
                if let Some(session) = session {
                    let text = format!("pane {pane}: {kind} did not come back with its conversation");
                    self.agents.returning.away.insert(pane, Kept { kind, session, args });
                    self.not_returned(pane, &text);
                }
            }
            None => {}
        }
    }
}
