//! Handing the session over to whoever keeps it, and bringing one back (`spec/README.md` point 33).
//!
//! Invariant: a session that ended without anybody asking is never handed over in place of the one
//! before: neither by many children that end at once, nor by a signal that they heard first.

use super::{Hub, HubError, Reason, Reply, Snapshot};
use crate::protocol::attach::message::Level;
use crate::protocol::command::Launch;
use crate::protocol::ids::PaneId;
use crate::server::model::{Directory, Model, Outcome, Tab};
use crate::server::persist::session::Session;
use crate::server::persist::{Activity, Handed, Outlet, Problem, Report, Restored};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::time::{Instant, timeout};

/// All panes that end within this time without anybody asking did not mean it.
const MASS_EXIT: Duration = Duration::from_secs(2);
/// How long the end waits for the last screens.
const LAST_SCREENS: Duration = Duration::from_millis(500);

/// What the hub remembers for whoever keeps the session.
pub(super) struct Keeping {
    outlet: Outlet,
    /// The structure may differ from what was handed over.
    dirty: bool,
    burst: Option<Burst>,
    /// Everything ended unasked: what was handed over stays until somebody asks for something.
    held: bool,
    copies: u32,
    /// Restored panes whose shells have not started yet.
    starting: BTreeSet<PaneId>,
    /// The last screens of panes that have not been started yet.
    recalled: BTreeMap<PaneId, Arc<str>>,
    /// Those of them that are being tried again.
    retrying: BTreeSet<PaneId>,
    pub(super) report: Report,
    /// The report has not been shown to anybody.
    untold: bool,
}

/// Panes that end without anybody asking.
struct Burst {
    before: Arc<Session>,
    panes: BTreeSet<PaneId>,
    since: Instant,
}

impl Keeping {
    pub(super) fn new(outlet: Outlet) -> Self {
        Self {
            outlet,
            dirty: false,
            burst: None,
            held: false,
            copies: 0,
            starting: BTreeSet::new(),
            recalled: BTreeMap::new(),
            retrying: BTreeSet::new(),
            report: Report::default(),
            untold: false,
        }
    }

    /// Somebody asked for a change of the structure.
    pub(super) fn asked(&mut self) {
        self.dirty = true;
        self.burst = None;
        if std::mem::take(&mut self.held) {
            // What follows is less than what is on disk.
            self.copies += 1;
        }
    }

    /// A pane's directory is another one.
    pub(super) fn changed(&mut self) {
        self.dirty = true;
    }

    /// Some terminal shows something else.
    pub(super) fn activity(&self) -> Arc<Activity> {
        Arc::clone(&self.outlet.activity)
    }

    /// Whether the last screens are kept.
    pub(super) fn keep_screens(&mut self, wanted: bool) {
        let changed = self.outlet.handed.borrow().screens != wanted;
        if changed {
            self.outlet.handed.send_modify(|out| out.screens = wanted);
            if !wanted {
                // What is on disk goes now.
                self.outlet.activity.press();
            }
        }
    }

    fn hand_over(&mut self, session: Arc<Session>) {
        let copies = self.copies;
        self.outlet.handed.send_if_modified(|out| {
            let changed = *out.session != *session;
            if changed {
                *out = Handed { session, copies, screens: out.screens };
            }
            changed
        });
    }
}

impl Hub {
    /// Brings a session back: the structure at once, a fresh shell for each pane.
    pub fn restore(&mut self, restored: Restored) {
        let Restored { session, screens, mut report } = restored;
        self.keeping.recalled = screens;
        self.keeping.keep_screens(self.settings.config.persist_pane_screen);
        let mut lost = Vec::new();
        self.model = Model::restored(&session, &mut lost);
        lost.into_iter().for_each(|line| report.tell(format!("not restored: {line}")));
        self.plan_return(&session, &mut report);
        for problem in &report.problems {
            // Paths are not for the log.
            tracing::warn!(pane = problem.pane.map(|pane| pane.0), "something could not be restored");
        }
        self.keeping.untold = report.notice().is_some();
        self.keeping.report = report;
        let first: Vec<PaneId> = self.model.focused_tab().map(Tab::panes).unwrap_or_default();
        let rest = self.model.panes().map(|(pane, _)| pane).filter(|pane| !first.contains(pane));
        let order: Vec<PaneId> = first.iter().copied().chain(rest).collect();
        let mut cwds: BTreeMap<PaneId, String> =
            session.panes().map(|pane| (pane.pane, pane.cwd.clone())).collect();
        for pane in order {
            let cwd = cwds.remove(&pane).unwrap_or_else(|| self.settings.home.to_string_lossy().into_owned());
            self.keeping.starting.insert(pane);
            self.start(pane, &Directory::Path(cwd), &Launch::default());
        }
        self.keeping.changed();
        self.publish();
    }

    /// Whether there is anything to show.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.model.workspaces().is_empty()
    }

    /// Hands the session over if it may have changed.
    pub(super) fn keep(&mut self) {
        if self.keeping.held || !std::mem::take(&mut self.keeping.dirty) {
            return;
        }
        let session = Arc::new(self.saved());
        self.keeping.hand_over(session);
    }

    fn saved(&self) -> Session {
        self.model.saved(|pane, kept| {
            let cwd = self.panes.get(&pane).map(|state| state.cwd.clone()).unwrap_or_default();
            kept.cwd = self.keeping.report.kept_cwd(pane, cwd);
            kept.agent = self.kept_agent(pane).and_then(|agent| self.without_prompt(agent).write());
        })
    }

    /// A pane is about to go because its child ended by itself.
    pub(super) fn leaving(&mut self) {
        let now = Instant::now();
        let keeping = &mut self.keeping;
        keeping.dirty = true;
        if keeping.held || keeping.burst.as_ref().is_some_and(|burst| now - burst.since <= MASS_EXIT) {
            return;
        }
        let before = Arc::new(self.saved());
        let panes = self.model.panes().map(|(pane, _)| pane).collect();
        self.keeping.burst = Some(Burst { before, panes, since: now });
    }

    /// It is gone. If nothing is left of what there was, the session before is the one to be kept.
    pub(super) fn has_left(&mut self) {
        let gone = |burst: &Burst| burst.panes.iter().all(|pane| self.model.pane(*pane).is_none());
        if self.keeping.burst.as_ref().is_some_and(gone)
            && let Some(burst) = self.keeping.burst.take()
        {
            tracing::warn!(panes = burst.panes.len(), "all panes ended at once; the session before is kept");
            self.keeping.hand_over(burst.before);
            self.keeping.held = true;
        }
    }

    /// A signal asks for the end. Children that heard it first have not changed the session.
    pub(super) fn stop_on_signal(&mut self) {
        if let Some(burst) = self.keeping.burst.take().filter(|burst| burst.since.elapsed() <= MASS_EXIT) {
            self.keeping.hand_over(burst.before);
            self.keeping.held = true;
        }
        self.stopping = true;
    }

    /// Nothing changes any more: waits, within a bound, until everything is read from the terminals.
    pub(super) async fn freeze(&mut self) {
        self.keep();
        let (frozen, read) = oneshot::channel();
        if self.keeping.outlet.freeze.take().is_some_and(|freeze| freeze.send(frozen).is_ok()) {
            let _ = timeout(LAST_SCREENS, read).await;
        }
    }

    /// The screen that a pane showed before this server's life.
    pub(super) fn recalled(&mut self, pane: PaneId) -> Option<Arc<str>> {
        self.keeping.recalled.remove(&pane).filter(|_| self.settings.config.persist_pane_screen)
    }

    /// The shell of a restored pane runs.
    pub(super) fn has_started(&mut self, pane: PaneId) {
        self.keeping.starting.remove(&pane);
        if self.keeping.retrying.remove(&pane) {
            self.keeping.report.solved(pane);
        }
    }

    /// Whether a pane whose program could not be started was restored; then it stays, to be tried again.
    pub(super) fn was_restored(&mut self, pane: PaneId, reason: &str) -> bool {
        if !self.keeping.starting.contains(&pane) {
            return false;
        }
        self.keeping.retrying.remove(&pane);
        let cwd = self.panes.get(&pane).map(|state| state.cwd.clone());
        let before = self.keeping.report.of_pane(pane).cloned().unwrap_or_default();
        self.keeping.report.solved(pane);
        let text = format!("pane {pane}: its shell could not be started: {reason}");
        let (cwd, instead) = (before.cwd.or(cwd), before.instead);
        self.keeping.report.problems.push(Problem { pane: Some(pane), text, cwd, instead });
        self.keeping.untold = true;
        true
    }

    /// What a client that has just attached should know.
    pub(super) fn untold(&mut self) -> Option<String> {
        if std::mem::take(&mut self.keeping.untold) { self.keeping.report.notice() } else { None }
    }

    /// An agent did not come back.
    pub(super) fn not_returned(&mut self, pane: PaneId, text: &str) {
        let cwd = self.panes.get(&pane).map(|state| state.cwd.clone());
        let instead = self.keeping.report.of_pane(pane).map(|problem| problem.instead.clone());
        let cwd = cwd.map(|cwd| self.keeping.report.kept_cwd(pane, cwd));
        self.keeping.report.solved(pane);
        self.keeping.report.problems.push(Problem {
            pane: Some(pane),
            text: text.to_owned(),
            cwd,
            instead: instead.unwrap_or_default(),
        });
        self.notice(Level::Warning, text);
        self.keeping.untold |= self.clients.count() == 0;
    }

    /// The session cannot be kept, or can again.
    pub(super) fn kept(&mut self, unsaved: Option<String>) {
        if let Some(text) = &unsaved {
            self.notice(Level::Warning, text);
            self.keeping.untold = self.clients.count() == 0;
        }
        self.keeping.report.unsaved = unsaved;
    }

    /// Starts a pane's shell anew where it belongs; the answer waits for it.
    pub(super) fn retry(&mut self, pane: PaneId, cwd: String, reply: Reply<(Outcome, Snapshot)>) {
        let busy = self.panes.get(&pane).is_some_and(|state| state.exited().is_none() && state.busy);
        // Of several who try at once, one starts it.
        let done = self.keeping.report.of_pane(pane).is_none() || self.keeping.retrying.contains(&pane);
        if busy || done {
            let _ = reply.send(Err(HubError::Busy(vec![pane])));
            return;
        }
        if let Some(state) = self.panes.get(&pane) {
            state.handle().end();
        }
        self.forget(pane, Reason::Closed);
        self.keeping.starting.insert(pane);
        self.keeping.retrying.insert(pane);
        self.try_return_again(pane);
        self.keeping.changed();
        self.start(pane, &Directory::Path(cwd), &Launch::default());
        let outcome = Outcome { pane: Some(pane), ..Outcome::default() };
        self.pending.insert(pane, (reply, outcome));
        self.publish();
    }
}
