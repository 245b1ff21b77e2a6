//! The agents of the session: the hub's part of `server::agents`. Evidence comes in with facts and
//! requests, and what comes of it goes out with the next session that is published.
//!
//! Invariants: evidence marks its pane, and a pane is settled once for each session that is published; a
//! timer exists only while a state or a lease is on its way; screens are read by a task of the pane's
//! own, after output, and only while a rule about the screen could decide something.

mod fork;
mod handle;
mod prompt;
mod requests;
mod resume;
mod settle;
mod watch;

pub use fork::ForkError;
pub use prompt::{Prompt, PromptError, Prompted, Refuse};
pub(super) use requests::AgentRequest;
pub use requests::{AgentsInForce, Explained, KnownSession, SessionReport};
pub use resume::{AgentLaunch, LaunchError};

use super::event::Body;
use super::{Hub, PaneEvent};
use crate::protocol::agent::AgentScene;
use crate::protocol::ids::{PaneId, TerminalId};
use crate::server::agents::detect::Finding;
use crate::server::agents::identity::Identity;
use crate::server::agents::manifest::Manifests;
use crate::server::agents::program_status::{Records, parse};
use crate::server::agents::registry::{ClosedReason, Lease, Registry};
use crate::server::agents::state::{Machine, Moment};
use crate::server::agents::usage::Meter;
use crate::server::agents::{ManagedAgent, Views};
use crate::server::terminal::engine::Mark;
use resume::{Launched, Returning};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Arc, Weak};
use std::time::{Instant, SystemTime, UNIX_EPOCH};
use watch::Watcher;

/// All that is known of the agents.
pub(super) struct Agents {
    manifests: Arc<Manifests>,
    panes: BTreeMap<PaneId, Tracked>,
    registry: Registry,
    registry_changed: bool,
    registered: Arc<Vec<ManagedAgent>>,
    views: Arc<Views>,
    /// Conversations that were reported, the newest last.
    sessions: VecDeque<KnownSession>,
    /// Agents of the session before that are still to come back, and those that did not.
    returning: Returning,
    /// Panes with new evidence.
    marked: BTreeSet<PaneId>,
}

/// What is known of the programs in one pane.
struct Tracked {
    terminal: TerminalId,
    records: Records,
    lease: Option<Lease>,
    session: Option<SessionReport>,
    /// What its conversation costs.
    meter: Meter,
    /// What was typed to start the agent that is to come, or has come.
    launched: Option<Launched>,
    /// The kind of the script that an interpreter in it runs.
    script: Option<String>,
    /// The kind that its screen names.
    screen_kind: Option<String>,
    finding: Option<Finding>,
    machine: Option<Machine>,
    /// The counter of state changes, for as long as the pane lives.
    seq: u64,
    identity: Option<Identity>,
    /// Number of the agent that runs in it, or ran last.
    occupant: u64,
    names: Option<Arc<[String]>>,
    watcher: Option<Watcher>,
    /// Held by whoever waits for a prompt.
    waiter: Weak<()>,
}

impl Tracked {
    fn new(terminal: TerminalId) -> Self {
        Self {
            terminal,
            records: Records::default(),
            lease: None,
            session: None,
            meter: Meter::default(),
            launched: None,
            script: None,
            screen_kind: None,
            finding: None,
            machine: None,
            seq: 1,
            identity: None,
            occupant: 0,
            names: None,
            watcher: None,
            waiter: Weak::new(),
        }
    }
}

impl Agents {
    pub(super) fn new(own: Vec<(String, String)>) -> Self {
        Self {
            manifests: Arc::new(load(own)),
            panes: BTreeMap::new(),
            registry: Registry::default(),
            registry_changed: false,
            registered: Arc::default(),
            views: Arc::default(),
            sessions: VecDeque::new(),
            returning: Returning::default(),
            marked: BTreeSet::new(),
        }
    }

    /// All agents as others see them.
    pub(super) fn views(&self) -> Arc<Views> {
        Arc::clone(&self.views)
    }

    /// A pane's agent as clients draw it.
    pub(super) fn scene(&self, pane: PaneId) -> Option<AgentScene> {
        self.views.get(&pane).map(|view| view.scene())
    }

    /// All agents that were recognised.
    pub(super) fn registered(&self) -> Arc<Vec<ManagedAgent>> {
        Arc::clone(&self.registered)
    }

    /// When something is on its way.
    pub(super) fn due(&self) -> Option<Instant> {
        let due = |tracked: &Tracked| {
            let machine = tracked.machine.as_ref().and_then(Machine::due);
            let lease = tracked.lease.as_ref().map(|lease| lease.expires);
            let launch = tracked.launched.as_ref().and_then(|launched| launched.until);
            machine.into_iter().chain(lease).chain(launch).min()
        };
        self.panes.values().filter_map(due).min()
    }

    fn mark(&mut self, pane: PaneId) {
        self.marked.insert(pane);
    }

    fn mark_due(&mut self, now: Instant) {
        for (pane, tracked) in &self.panes {
            let machine = tracked.machine.as_ref().and_then(Machine::due).is_some_and(|due| due <= now);
            let launch = tracked.launched.as_ref().and_then(|launched| launched.until);
            let launch = launch.is_some_and(|until| until <= now);
            if machine || launch || tracked.lease.as_ref().is_some_and(|lease| lease.expires <= now) {
                self.marked.insert(*pane);
            }
        }
    }
}

fn load(own: Vec<(String, String)>) -> Manifests {
    let manifests = Manifests::with(own);
    for warning in &manifests.warnings {
        tracing::warn!(%warning, "an agent manifest was left out");
    }
    manifests
}

/// This moment, on both clocks.
pub(super) fn moment() -> Moment {
    let unix = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Moment { now: Instant::now(), unix_ms: u64::try_from(unix.as_millis()).unwrap_or(u64::MAX) }
}

impl Hub {
    /// Something that was on its way may be there.
    pub(super) fn agents_due(&mut self) {
        self.agents.mark_due(Instant::now());
        self.publish();
    }

    /// A terminal runs.
    pub(super) fn agent_terminal_started(&mut self, pane: PaneId) {
        if let Some(state) = self.panes.get(&pane) {
            self.agents.panes.insert(pane, Tracked::new(state.handle().terminal()));
            self.agents.mark(pane);
            self.bring_back(pane);
        }
    }

    /// A terminal is gone, and everything that was known of its programs.
    pub(super) fn agent_terminal_gone(&mut self, pane: PaneId, reason: ClosedReason) {
        self.agents.panes.remove(&pane);
        self.agents.registry_changed |= self.agents.registry.close(pane, reason);
        if self.agents.views.contains_key(&pane) {
            Arc::make_mut(&mut self.agents.views).remove(&pane);
        }
    }

    /// The root process of a pane that stays has ended.
    pub(super) fn agent_root_exited(&mut self, pane: PaneId) {
        if let Some(tracked) = self.agents.panes.get_mut(&pane) {
            tracked.records.all_ended();
            tracked.watcher = None;
            self.end_lease(pane);
            self.agents.registry_changed |= self.agents.registry.close(pane, ClosedReason::PaneExited);
            self.agents.mark(pane);
        }
    }

    /// What a program marked and told in passing. Says whether that is to be published.
    pub(super) fn agent_marks(&mut self, pane: PaneId, marks: &[Mark]) -> bool {
        let Some(tracked) = self.agents.panes.get_mut(&pane) else { return false };
        let producer = tracked.identity.as_ref().map(|_| tracked.occupant);
        let mut changed = false;
        for mark in marks {
            match mark {
                Mark::PromptStart => tracked.records.prompt_started(),
                Mark::CommandStart => tracked.records.command_started(),
                Mark::Reset => tracked.records.reset(),
                Mark::Status(body) => {
                    let Some(report) = parse(body) else { continue };
                    tracked.records.fold(report, producer);
                }
                Mark::PromptEnd | Mark::CommandEnd { .. } | Mark::Notification { .. } | Mark::Progress(_) => {
                    continue;
                }
            }
            changed = true;
        }
        if changed {
            self.agents.mark(pane);
        }
        changed
    }

    /// The processes of a pane were looked at. Says whether that is to be published.
    pub(super) fn agent_scanned(&mut self, pane: PaneId, alone: bool) -> bool {
        let Some(handle) = self.panes.get(&pane).map(|state| state.handle().clone()) else { return false };
        let Some(tracked) = self.agents.panes.get_mut(&pane) else { return false };
        let before = tracked.records.rows_count();
        if tracked.records.scanned(alone) {
            handle.look_again();
        }
        let names = handle.processes();
        let changed = names != tracked.names;
        if changed {
            tracked.names = names;
            tracked.script = None;
            self.look_up_script(pane);
        }
        let Some(tracked) = self.agents.panes.get(&pane) else { return false };
        let concerns = changed || tracked.records.rows_count() != before || tracked.machine.is_some();
        if concerns {
            self.agents.mark(pane);
        }
        concerns
    }

    /// Something that decides who runs, or what is shown of it, has changed.
    pub(super) fn agent_changed(&mut self, pane: PaneId) {
        let title = self.panes.get(&pane).and_then(|state| state.title.clone());
        if let Some(watcher) = self.agents.panes.get(&pane).and_then(|tracked| tracked.watcher.as_ref()) {
            watcher.set_title(title);
        }
        self.agents.mark(pane);
    }

    /// Somebody looks at another pane.
    pub(super) fn agent_viewed(&mut self, before: Option<PaneId>, now: Option<PaneId>) {
        for pane in [before, now].into_iter().flatten() {
            self.agents.mark(pane);
        }
    }

    /// Ends a lease that nobody released.
    fn end_lease(&mut self, pane: PaneId) {
        let lease = self.agents.panes.get_mut(&pane).and_then(|tracked| tracked.lease.take());
        if let Some(lease) = lease {
            let event = PaneEvent::AuthorityReleased { source: lease.source, expired: true };
            self.happened.push(Body::Pane(pane, event));
        }
    }
}
