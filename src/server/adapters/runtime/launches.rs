//! Named agents as the runtime protocol knows them (`runtime.md` section 8.1): the core's registry, and
//! on top of it those that were started here, which have their name and id before they are seen.
//!
//! Invariants: no two active agents have one name; a generation of a name is never given twice; an
//! agent that was started and does not show itself in time is closed.

use super::counts::Counts;
use crate::protocol::ids::PaneId;
use crate::server::agents::{ClosedReason, ManagedAgent};
use crate::server::hub::{self, PaneEnd};
use crate::server::worktree::Worktree;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::time::Duration;
use tokio::time::Instant;

/// How long an agent may take to be seen.
const SEEN_WITHIN: Duration = Duration::from_secs(10);
/// Closed agents that are remembered.
const CLOSED: usize = 256;
/// Names whose generations are remembered.
const NAMES: usize = 4_096;

/// The agents that were started here.
#[derive(Debug, Default)]
pub struct Launches {
    list: Vec<Launch>,
    count: u64,
    generations: HashMap<String, u64>,
}

#[derive(Debug, Clone)]
struct Launch {
    number: u64,
    generation: u64,
    name: String,
    kind: &'static str,
    /// Where it was started; nothing while its name is only reserved.
    pane: Option<PaneId>,
    window: u32,
    /// Its record in the core's registry, once it has been seen.
    seen_as: Option<String>,
    due: Option<Instant>,
    /// Whether its pane was given its name, which from then on is the pane's.
    named: bool,
    worktree: Option<Worktree>,
    closed: Option<ClosedReason>,
}

impl Launch {
    fn id(&self) -> String {
        format!("launch-{}", self.number)
    }
}

/// One agent.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// Opaque, unique in this server's life.
    pub agent_id: String,
    /// The how-manieth under its name.
    pub generation: u64,
    /// Its name.
    pub name: String,
    /// Its kind.
    pub kind: String,
    /// Its window.
    pub window: u32,
    /// Its pane.
    pub pane: PaneId,
    /// Its conversation.
    pub session: Option<String>,
    /// The worktree that was made for it.
    pub worktree: Option<Worktree>,
    /// Why it is not active any more.
    pub closed: Option<ClosedReason>,
    /// Its id and generation in the core's registry, once it has been seen.
    pub core: Option<(String, u64)>,
}

impl Record {
    /// As it is written.
    pub fn json(&self) -> Value {
        let mut record = json!({
            "agent_id": self.agent_id,
            "generation": self.generation,
            "name": self.name,
            "kind": self.kind,
            "window_id": self.window,
            "pane_id": self.pane.0,
            "active": self.closed.is_none(),
            "observed": self.core.is_some(),
        });
        if let Some(session) = &self.session {
            record["session_id"] = json!(session);
        }
        if let Some(worktree) = &self.worktree {
            record["worktree"] = json!(worktree);
        }
        if let Some(reason) = self.closed {
            record["closed_reason"] = json!(reason.as_str());
        }
        record
    }
}

impl Launches {
    /// Reserves a name; the number of the launch, or nothing when an active agent has the name.
    pub fn reserve(&mut self, name: &str, kind: &'static str, view: &hub::Snapshot) -> Option<u64> {
        if self.records(view).iter().any(|record| record.closed.is_none() && record.name == name)
            || self
                .list
                .iter()
                .any(|launch| launch.closed.is_none() && launch.seen_as.is_none() && launch.name == name)
        {
            return None;
        }
        self.count += 1;
        let core =
            view.registry.iter().filter(|agent| agent.name == name).map(|agent| agent.generation).max();
        if self.generations.len() >= NAMES {
            let list = &self.list;
            self.generations.retain(|known, _| list.iter().any(|launch| launch.name == *known));
        }
        let last = self.generations.entry(name.to_owned()).or_insert(0);
        *last = (*last).max(core.unwrap_or(0)) + 1;
        self.list.push(Launch {
            number: self.count,
            generation: *last,
            name: name.to_owned(),
            kind,
            pane: None,
            window: 0,
            seen_as: None,
            due: None,
            named: false,
            worktree: None,
            closed: None,
        });
        Some(self.count)
    }

    /// It was not started after all: the name is free.
    pub fn release(&mut self, number: u64) {
        self.list.retain(|launch| launch.number != number);
    }

    /// Its command was submitted in that pane.
    pub fn started(&mut self, number: u64, pane: PaneId, window: u32, worktree: Option<Worktree>) {
        if let Some(launch) = self.list.iter_mut().find(|launch| launch.number == number) {
            launch.pane = Some(pane);
            launch.window = window;
            launch.worktree = worktree;
            launch.due = Some(Instant::now() + SEEN_WITHIN);
        }
    }

    /// Its pane has its name.
    pub fn named(&mut self, number: u64) {
        if let Some(launch) = self.list.iter_mut().find(|launch| launch.number == number) {
            launch.named = true;
        }
    }

    /// Whether that pane has that name from an agent that was started in it.
    pub fn has_named(&self, pane: PaneId, name: &str) -> bool {
        self.list.iter().any(|launch| launch.named && launch.pane == Some(pane) && launch.name == name)
    }

    /// The record of a launch.
    pub fn record(&self, number: u64, view: &hub::Snapshot) -> Option<Record> {
        let id = self.list.iter().find(|launch| launch.number == number)?.id();
        self.records(view).into_iter().find(|record| record.agent_id == id)
    }

    /// Takes in what has been seen since.
    pub fn observe(&mut self, view: &hub::Snapshot, counts: &Counts, now: Instant) {
        let known: Vec<String> = self.list.iter().filter_map(|launch| launch.seen_as.clone()).collect();
        for launch in self.list.iter_mut().filter(|launch| launch.closed.is_none()) {
            let Some(pane) = launch.pane else { continue };
            if let Some(seen) = &launch.seen_as {
                let core = view.registry.iter().find(|agent| agent.agent_id == *seen);
                launch.closed = core.map_or(Some(ClosedReason::AgentExited), |agent| agent.closed);
                continue;
            }
            let is_it = |agent: &&ManagedAgent| {
                agent.pane == pane && agent.kind == launch.kind && !known.contains(&agent.agent_id)
            };
            if let Some(agent) = view.registry.iter().find(is_it) {
                launch.seen_as = Some(agent.agent_id.clone());
                launch.due = None;
                launch.closed = agent.closed;
            } else if view.scene.pane(pane).is_none_or(|pane| pane.exited.is_some()) {
                launch.closed = Some(end_of(view, pane));
            } else if launch.due.is_some_and(|due| due <= now) || !counts.is_submitted(pane) {
                launch.closed = Some(ClosedReason::AgentExited);
            }
        }
        let closed = self.list.iter().filter(|launch| launch.closed.is_some()).count();
        let mut surplus = closed.saturating_sub(CLOSED);
        self.list.retain(|launch| {
            let forgotten = surplus > 0 && launch.closed.is_some();
            surplus -= usize::from(forgotten);
            !forgotten
        });
    }

    /// When an agent must have been seen.
    pub fn due(&self) -> Option<Instant> {
        let waiting = self.list.iter().filter(|launch| launch.closed.is_none() && launch.seen_as.is_none());
        waiting.filter_map(|launch| launch.due).min()
    }

    /// All agents, the newest of a name first among the closed.
    pub fn records(&self, view: &hub::Snapshot) -> Vec<Record> {
        let core = view.registry.iter().map(|agent| self.shown(agent, view));
        let unseen = self.list.iter().rev().filter(|launch| launch.seen_as.is_none());
        let unseen = unseen.filter_map(|launch| {
            Some(Record {
                agent_id: launch.id(),
                generation: launch.generation,
                name: launch.name.clone(),
                kind: launch.kind.to_owned(),
                window: launch.window,
                pane: launch.pane?,
                session: None,
                worktree: launch.worktree.clone(),
                closed: launch.closed,
                core: None,
            })
        });
        unseen.chain(core).collect()
    }

    /// A record of the core, under the name and id that its launch gave it.
    fn shown(&self, agent: &ManagedAgent, view: &hub::Snapshot) -> Record {
        let launch = self.list.iter().find(|launch| launch.seen_as.as_deref() == Some(&agent.agent_id));
        let window = view.scene.pane(agent.pane).map(|pane| pane.workspace.0);
        let before =
            || view.lifecycles.iter().find(|end| end.pane == agent.pane).map_or(0, |end| end.workspace.0);
        Record {
            agent_id: launch.map_or_else(|| agent.agent_id.clone(), Launch::id),
            generation: launch.map_or(agent.generation, |launch| launch.generation),
            name: launch.filter(|launch| !launch.named).map_or(&agent.name, |launch| &launch.name).clone(),
            kind: agent.kind.clone(),
            window: window.unwrap_or_else(before),
            pane: agent.pane,
            session: agent.session.clone(),
            worktree: launch.and_then(|launch| launch.worktree.clone()),
            closed: agent.closed,
            core: Some((agent.agent_id.clone(), agent.generation)),
        }
    }
}

fn end_of(view: &hub::Snapshot, pane: PaneId) -> ClosedReason {
    let exited = view.lifecycles.iter().any(|end| end.pane == pane && end.end == PaneEnd::Exited);
    if exited { ClosedReason::PaneExited } else { ClosedReason::PaneClosed }
}
