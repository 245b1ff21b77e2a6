//! From the evidence of one pane to its view: who it is, what it does, what is told of it.

use super::{Tracked, moment};
use crate::protocol::agent::{AgentState, BlockedKind};
use crate::protocol::ids::PaneId;
use crate::server::agents::AgentView;
use crate::server::agents::detect::kind_of_title;
use crate::server::agents::identity::{self, Identity, IdentitySource, Signs};
use crate::server::agents::program_status::Summary;
use crate::server::agents::registry::{ClosedReason, Sighting};
use crate::server::agents::state::{Candidate, Machine, Moment, Source, Transition};
use crate::server::agents::view::Authority;
use crate::server::hub::event::{AgentStatus, Body};
use crate::server::hub::{Hub, PaneEvent};
use std::path::Path;
use std::sync::Arc;

/// What is said of a state besides its word.
#[derive(Default)]
struct Told {
    label: String,
    hint: Option<String>,
    title: Option<String>,
    progress: Option<u8>,
    failed: bool,
}

impl Hub {
    /// Settles every pane with new evidence; part of publishing.
    pub(in crate::server::hub) fn settle_agents(&mut self) {
        let marked = std::mem::take(&mut self.agents.marked);
        let moment = moment();
        for pane in marked {
            self.settle_agent(pane, moment);
        }
        if std::mem::take(&mut self.agents.registry_changed) {
            self.agents.registered = Arc::new(self.agents.registry.all().cloned().collect());
        }
    }

    fn settle_agent(&mut self, pane: PaneId, moment: Moment) {
        let expired =
            |tracked: &Tracked| tracked.lease.as_ref().is_some_and(|lease| lease.expires <= moment.now);
        if self.agents.panes.get(&pane).is_some_and(expired) {
            self.end_lease(pane);
        }
        self.settle_identity(pane);
        self.settle_launch(pane, moment.now);
        let before = self.agents.views.get(&pane).cloned();
        let (view, transition) = match self.settle_state(pane, moment) {
            Some((view, transition)) => (Some(Arc::new(view)), transition),
            None => (None, None),
        };
        self.settle_watcher(pane);
        if let Some(transition) = transition.filter(|transition| transition.alert) {
            self.alert(pane, transition);
        }
        if view != before {
            if news(before.as_deref()) != news(view.as_deref()) {
                self.tell_status(pane, view.as_deref());
            }
            let views = Arc::make_mut(&mut self.agents.views);
            match view {
                Some(view) => drop(views.insert(pane, view)),
                None => drop(views.remove(&pane)),
            }
        }
    }

    /// Finds out who runs in a pane now.
    fn settle_identity(&mut self, pane: PaneId) {
        let manifests = Arc::clone(&self.agents.manifests);
        let (Some(tracked), Some(state)) = (self.agents.panes.get_mut(&pane), self.panes.get(&pane)) else {
            return;
        };
        let record = self.model.pane(pane);
        let environment = state.handle().environment();
        let hint =
            environment.iter().find(|(name, _)| name == "LUVUS_AGENT").map(|(_, value)| value.as_str());
        let argv = record.and_then(|record| record.argv());
        let launch = argv.and_then(|argv| Path::new(argv.first()?).file_name()?.to_str());
        let alive = state.exited().is_none();
        let signs = Signs {
            processes: tracked.names.as_deref(),
            program: state.program.as_deref(),
            busy: state.busy && alive,
            hint,
            script: tracked.script.as_deref(),
            launch,
            title_kind: state.title.as_deref().and_then(|title| kind_of_title(&manifests, title)),
            screen_kind: tracked.screen_kind.as_deref(),
            session: tracked.session.as_ref().map(|session| session.agent.as_str()),
            report: tracked.lease.as_ref().map(|lease| lease.agent.as_str()).filter(|_| alive),
        };
        let mut found = identity::identify(&manifests, &signs);
        // A window title changes with the task; who was known by one stays while the program does.
        if found.is_none() && signs.busy && !tracked.records_decide_only() {
            found = tracked.identity.clone().filter(|before| before.source == IdentitySource::Title);
        }
        let same_kind = |before: &Identity, now: &Identity| before.kind == now.kind;
        match (&tracked.identity, &found) {
            (Some(before), Some(now)) if same_kind(before, now) => {}
            (None, None) => {}
            (before, now) => {
                let (left, came) = (before.is_some(), now.is_some());
                if left {
                    // A lease that ends, or a title that changes, is no exit.
                    if before.as_ref().is_some_and(|before| has_exited(before.source, signs.busy)) {
                        tracked.records.producer_ended(tracked.occupant);
                    }
                    tracked.session = None;
                    tracked.launched = tracked.launched.take().filter(|launched| launched.until.is_some());
                    tracked.finding = None;
                    tracked.machine = None;
                }
                if came {
                    tracked.occupant += 1;
                    if now.as_ref().is_some_and(|now| now.source != IdentitySource::Report) {
                        tracked.records.adopt(tracked.occupant);
                    }
                    // What showed until now was of a program that is gone, and says nothing of this one.
                    if tracked.records.summary().is_some_and(|summary| summary.left_over) {
                        tracked.machine = None;
                    }
                }
                let gone = left && !came;
                tracked.identity = found;
                if gone {
                    self.agents.registry_changed |=
                        self.agents.registry.close(pane, ClosedReason::AgentExited);
                    self.end_lease(pane);
                }
                self.register(pane);
                return;
            }
        }
        tracked.identity = found;
        self.register(pane);
    }

    /// Keeps the registry true.
    fn register(&mut self, pane: PaneId) {
        let Some(tracked) = self.agents.panes.get(&pane) else { return };
        let Some(identity) = &tracked.identity else { return };
        let sighting = Sighting {
            pane,
            terminal: tracked.terminal,
            kind: &identity.kind,
            alias: self.model.pane(pane).and_then(|record| record.alias()),
            session: tracked.session.as_ref().map(|session| session.id.as_str()),
        };
        self.agents.registry_changed |= self.agents.registry.seen(sighting);
    }

    /// Finds out what a pane's program does now.
    fn settle_state(&mut self, pane: PaneId, moment: Moment) -> Option<(AgentView, Option<Transition>)> {
        let viewed = self.viewed == Some(pane);
        let manifests = Arc::clone(&self.agents.manifests);
        let tracked = self.agents.panes.get_mut(&pane)?;
        let Some((candidate, mut told)) = tracked.evidence(viewed) else {
            if let Some(machine) = tracked.machine.take() {
                tracked.seq = machine.seq();
            }
            return None;
        };
        let app = tracked.records.summary().and_then(|summary| summary.app.clone());
        told.label = identity::label(&manifests, app.as_deref(), tracked.identity.as_ref()).to_owned();
        let seq = tracked.seq;
        let machine = tracked.machine.get_or_insert_with(|| Machine::new(seq, moment));
        let transition = machine.step(candidate, viewed, moment);
        tracked.seq = machine.seq();
        let machine = machine.clone();
        let title = told.title.or_else(|| self.panes.get(&pane)?.title.clone());
        let tracked = self.agents.panes.get(&pane)?;
        let blocked = machine.state() == AgentState::Blocked;
        let view = AgentView {
            pane,
            terminal: tracked.terminal,
            identity: tracked.identity.clone(),
            label: told.label,
            state: machine.state(),
            blocked: machine.kind(),
            source: candidate.source,
            since_ms: machine.since_ms(),
            unread: machine.unread(),
            state_change_seq: machine.seq(),
            transitions: machine.transitions(),
            failed: told.failed,
            authority: tracked.lease.as_ref().map(|lease| Authority {
                source: lease.source.clone(),
                sequence: lease.sequence,
                ttl_s: lease.ttl_s,
            }),
            session: tracked.session.as_ref().map(|session| session.id.clone()),
            title: title.filter(|_| tracked.identity.is_some() || candidate.source == Source::ProgramStatus),
            hint: told.hint.filter(|_| blocked || candidate.source >= Source::ProgramStatus),
            progress: told.progress,
            finding: tracked.finding.clone(),
            reports_blocked: tracked.reports_blocked(),
            registered: self.agents.registry.of_pane(pane).cloned(),
            usage: tracked.session.as_ref().and_then(|session| session.usage.clone()),
            burn_per_hour: tracked.meter.per_hour(),
        };
        Some((view, transition))
    }

    /// Has the screen read, or not any more.
    fn settle_watcher(&mut self, pane: PaneId) {
        let Some(wanted) = self.wanted_watch(pane) else {
            if let Some(tracked) = self.agents.panes.get_mut(&pane) {
                // Nobody looks any more: what was seen last is soon out of date.
                if tracked.watcher.take().is_some() {
                    tracked.finding = None;
                }
            }
            return;
        };
        let has = self.agents.panes.get(&pane).and_then(|tracked| tracked.watcher.as_ref());
        if has.is_some_and(|watcher| watcher.kind == wanted) {
            return;
        }
        let watcher = self.watch_screen(pane, wanted);
        if let Some(tracked) = self.agents.panes.get_mut(&pane) {
            tracked.watcher = watcher;
        }
    }

    /// For which kind the screen of a pane is to be read, or (`Some(None)`) to find out which it is.
    fn wanted_watch(&self, pane: PaneId) -> Option<Option<String>> {
        let (tracked, state) = (self.agents.panes.get(&pane)?, self.panes.get(&pane)?);
        if state.exited().is_some() {
            return None;
        }
        match &tracked.identity {
            // What reports its state and is known for sure needs no look at its screen.
            Some(identity) if identity.source.is_proof() && tracked.is_reported() => None,
            Some(identity) => Some(Some(identity.kind.clone())),
            None => {
                let signs = Signs {
                    processes: tracked.names.as_deref(),
                    program: state.program.as_deref(),
                    busy: state.busy,
                    ..Signs::default()
                };
                let ambiguous = |name: &String| {
                    self.agents.manifests.iter().any(|manifest| manifest.ambiguous.contains(name))
                };
                let doubtful = state.busy && signs.processes.unwrap_or_default().iter().any(ambiguous);
                (identity::is_veiled(&signs) || doubtful).then_some(None)
            }
        }
    }

    /// Tells of a state or an identity that is news.
    fn tell_status(&mut self, pane: PaneId, view: Option<&AgentView>) {
        let place = self.place(pane);
        let workspace = place.map(|(workspace, _)| workspace);
        let cwd = self.panes.get(&pane).map(|state| state.cwd.clone()).unwrap_or_default();
        let status = AgentStatus {
            state: view.map_or(AgentState::Unknown, |view| view.state),
            agent: view.and_then(|view| view.kind().map(str::to_owned)),
            project: workspace.map(|workspace| workspace.name()).unwrap_or_default(),
            branch: workspace.and_then(|workspace| self.branches.get(workspace.root()).cloned().flatten()),
            cwd,
            authority: view.and_then(AgentView::authority_kind).map(str::to_owned),
            source: view.map(|view| view.source),
        };
        self.happened.push(Body::Pane(pane, PaneEvent::AgentStatus(Box::new(status))));
    }
}

/// Whether somebody who was known by that, and is not any more, has ended for certain.
fn has_exited(known_by: IdentitySource, busy: bool) -> bool {
    match known_by {
        IdentitySource::Process | IdentitySource::Script => true,
        IdentitySource::Report => false,
        IdentitySource::Hint
        | IdentitySource::Session
        | IdentitySource::Launch
        | IdentitySource::Title
        | IdentitySource::Screen => !busy,
    }
}

/// What an event tells of; anything else that changes is seen by whoever looks.
type News<'a> = Option<(AgentState, Option<BlockedKind>, Option<&'a str>, Option<&'a str>, Source)>;

fn news(view: Option<&AgentView>) -> News<'_> {
    view.map(|view| {
        let authority = view.authority.as_ref().map(|authority| authority.source.as_str());
        (view.state, view.blocked, view.kind(), authority, view.source)
    })
}

impl Tracked {
    /// Whether a lease or fresh reports decide the state.
    fn is_reported(&self) -> bool {
        self.lease.is_some() || self.status().is_some()
    }

    /// Whether nothing but reports says that there is a program.
    fn records_decide_only(&self) -> bool {
        self.identity.is_none() && !self.records.is_empty()
    }

    /// What the program reports of itself, where that decides: what a program that is gone left behind
    /// says nothing about an agent.
    fn status(&self) -> Option<&Summary> {
        self.records.summary().filter(|summary| !summary.left_over || self.identity.is_none())
    }

    /// Whether a report that is still in force says that it waits.
    fn reports_blocked(&self) -> bool {
        self.status().is_some_and(|summary| summary.state == AgentState::Blocked)
            || self.lease.as_ref().is_some_and(|lease| lease.status == AgentState::Blocked)
    }

    /// The evidence that decides, and what it says; `None` if there is no program to speak of.
    fn evidence(&mut self, viewed: bool) -> Option<(Candidate, Told)> {
        if let Some(lease) = &mut self.lease {
            let shown = self.machine.as_ref().is_some_and(|machine| machine.state() == AgentState::Done);
            lease.seen |= viewed && shown && lease.status == AgentState::Done;
            let state = if lease.seen { AgentState::Idle } else { lease.status };
            let candidate = Candidate {
                state,
                kind: None,
                source: Source::Integration,
                failed: false,
                fresh: true,
                immediate: !lease.seen,
            };
            return Some((candidate, Told { hint: lease.message.clone(), ..Told::default() }));
        }
        if self.status().is_some() {
            if viewed {
                self.records.acknowledge();
            }
            return self.status().map(|summary| {
                let candidate = Candidate {
                    state: summary.state,
                    kind: summary.kind,
                    source: Source::ProgramStatus,
                    failed: summary.failed,
                    fresh: summary.fresh_result,
                    immediate: false,
                };
                let told = Told {
                    hint: summary.message.clone(),
                    title: summary.title.clone(),
                    progress: summary.progress,
                    failed: summary.failed,
                    ..Told::default()
                };
                (candidate, told)
            });
        }
        self.identity.as_ref()?;
        let matched = self.finding.as_ref().and_then(|finding| finding.matched.as_ref());
        let candidate = Candidate {
            state: matched.map_or(AgentState::Unknown, |matched| matched.state),
            kind: matched.and_then(|matched| matched.kind),
            source: if matched.is_some() { Source::Screen } else { Source::Process },
            failed: false,
            fresh: true,
            immediate: false,
        };
        let hint = matched.and_then(|matched| matched.hint.clone());
        Some((candidate, Told { hint, ..Told::default() }))
    }
}
