//! Carrying out what the model asks for, without ever waiting.

use super::facts::PaneState;
use super::{Hub, Reason, Request};
use crate::protocol::attach::message::Farewell;
use crate::protocol::command::Launch;
use crate::protocol::geometry::Size;
use crate::protocol::ids::{PaneId, ServerGeneration, TabId, TerminalId};
use crate::server::environment::overlaid;
use crate::server::git;
use crate::server::model::{Directory, Effect, Event, Outcome, Workspace};
use crate::server::terminal::handle::{Announce, Fact, Report, Start};
use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::Instant;

/// How long the end of the server waits for its children: longer than a child's grace period, shorter
/// than the 3 s that `uhp.md` section 13 allows.
const SHUTDOWN: Duration = Duration::from_millis(2_000);
/// A replacement shell that lives shorter than this did not work (`spec/README.md` point 37).
const NEUTRAL_LIFE: Duration = Duration::from_secs(1);

/// The shells that replaced a last pane: one that ends at once twice in a row is held, or the server
/// would start shells for ever.
#[derive(Default)]
pub(super) struct Neutral {
    current: Option<(PaneId, Instant)>,
    failures: u32,
}

impl Neutral {
    /// Remembers a pane that the model opened by itself.
    pub(super) fn replaced(&mut self, outcome: &Outcome) {
        for effect in &outcome.effects {
            if let Effect::Start { pane, .. } = effect {
                self.current = Some((*pane, Instant::now()));
            }
        }
    }

    /// Whether the pane that just ended must be held.
    pub(super) fn must_hold(&mut self, pane: PaneId) -> bool {
        match self.current {
            Some((current, since)) if current == pane => {
                self.failures = if since.elapsed() < NEUTRAL_LIFE { self.failures + 1 } else { 0 };
                self.failures >= 2
            }
            _ => false,
        }
    }
}

impl Hub {
    /// Does what an outcome asks for and records what happened; `reason` is that of closed terminals.
    pub(super) fn carry_out(&mut self, outcome: &Outcome, reason: Reason) {
        for effect in &outcome.effects {
            match effect {
                Effect::Start { pane, directory, launch } => self.start(*pane, directory, launch),
                Effect::End(pane) => {
                    // Forgotten first: how it ends once it is told to is no news to anybody.
                    if let Some(handle) = self.forget(*pane, reason) {
                        handle.end();
                    }
                }
                Effect::Empty => self.stopping = true,
            }
        }
        for event in &outcome.events {
            if let Event::PaneDescribed(pane) = event
                && let (Some(state), Some(record)) = (self.panes.get_mut(pane), self.model.pane(*pane))
            {
                state.describe(record);
                self.directory_changed();
            }
        }
        self.record(&outcome.events);
        self.look_for_projects(outcome);
    }

    /// Starts a terminal in a pane that the model has.
    pub(super) fn start(&mut self, pane: PaneId, directory: &Directory, launch: &Launch) {
        let Some((workspace, tab)) = self.place(pane).map(|(workspace, tab)| (workspace.id(), tab)) else {
            return;
        };
        let cwd = match directory {
            Directory::Path(path) => PathBuf::from(path),
            Directory::LiveOf(source, otherwise) => {
                self.panes.get(source).map_or_else(|| PathBuf::from(otherwise), |state| state.handle().cwd())
            }
        };
        let terminal = fresh_terminal(self.shared.generation(), pane);
        let area = self.clients.area();
        let places = self.model.tab_layout(tab, self.shape()).map(|layout| layout.places).unwrap_or_default();
        let size =
            places.iter().find(|placed| placed.pane == pane).map_or(area, |placed| placed.content.size());
        let (bus, activity) = (self.bus.clone(), self.keeping.activity());
        let env = overlaid(self.settings.environment.of_pane(pane, terminal, tab, workspace), &launch.env);
        let start = Start {
            cwd: cwd.clone(),
            size: size.at_least_one(),
            announce: Announce::new(move |revision| {
                activity.touch();
                bus.output(terminal, revision)
            }),
            recalled: self.recalled(pane),
            ..self.child(pane, terminal, launch, env)
        };
        self.bus.turn().introduce(terminal, pane);
        let handle = self.terminals.start(start);
        if let Some(introduce) = &self.settings.introduce {
            introduce.tell(&handle);
        }
        if let Some(record) = self.model.pane(pane) {
            let state = PaneState::new(handle, record, cwd.to_string_lossy().into_owned());
            self.panes.insert(pane, state);
        }
        self.directory_changed();
        self.look_up_branch_of(pane);
    }

    /// What to start for a launch, as the settings have it; where, how large and who hears of its output is
    /// the caller's matter.
    pub(super) fn child(
        &self,
        pane: PaneId,
        terminal: TerminalId,
        launch: &Launch,
        env: Vec<(String, String)>,
    ) -> Start {
        let config = &self.settings.config;
        let mut argv =
            launch.argv.clone().unwrap_or_else(|| vec![self.settings.environment.shell().to_owned()]);
        let command = argv.clone();
        let shells = self.settings.shells.as_ref().filter(|_| config.shell_integration);
        let integration = shells.and_then(|shells| shells.integrate(&mut argv, &env));
        Start {
            pane,
            terminal,
            argv,
            command,
            shell: launch.argv.is_none() || launch.interactive,
            env,
            integration,
            cwd: PathBuf::new(),
            size: Size::new(1, 1),
            history_bytes: config.scrollback_bytes,
            checksum_reports: config.checksum_reports,
            shift_enter: config.shift_enter,
            announce: Announce::new(|_| None),
            recalled: None,
        }
    }

    /// The workspace and the tab of a pane.
    pub(super) fn place(&self, pane: PaneId) -> Option<(&Workspace, TabId)> {
        let (workspace, tab) = self.model.pane_place(pane)?;
        let workspace = self.model.workspaces().get(workspace)?;
        Some((workspace, workspace.tabs().get(tab)?.id()))
    }

    /// Looks up the git branches of a pane's workspace and of the folder it is in, away from the hub.
    pub(super) fn look_up_branch_of(&mut self, pane: PaneId) {
        let root = self.place(pane).map(|(workspace, _)| workspace.root().to_owned());
        let cwd = self.panes.get(&pane).map(|state| state.cwd.clone()).filter(|cwd| !cwd.is_empty());
        let cwd = cwd.filter(|cwd| root.as_ref() != Some(cwd));
        for folder in root.into_iter().chain(cwd) {
            let requests = self.requests.clone();
            self.settings.background.spawn(async move {
                let branch = git::branch(std::path::Path::new(&folder));
                if let Some(requests) = requests.upgrade() {
                    let _ = requests.send(Request::Branch { folder, branch }).await;
                }
            });
        }
    }

    /// A branch was looked up. Folders that nothing is in any more are forgotten.
    pub(super) fn branch(&mut self, folder: String, branch: Option<String>) {
        if self.branches.get(&folder) == Some(&branch) {
            return;
        }
        let known = Arc::make_mut(&mut self.branches);
        known.insert(folder, branch);
        let roots = self.model.workspaces().iter().map(Workspace::root);
        let used: HashSet<&str> = roots.chain(self.panes.values().map(|state| state.cwd.as_str())).collect();
        known.retain(|folder, _| used.contains(folder.as_str()));
        self.publish();
    }

    /// Says farewell, ends every child and waits for their exits, within a bound.
    pub(super) async fn shut_down(&mut self, reports: &mut mpsc::Receiver<Report>) {
        let farewell = if self.restarting { Farewell::Restarting } else { Farewell::Ended };
        self.clients.dismiss_all(&farewell);
        self.bus.stop();
        self.freeze().await;
        let deadline = Instant::now() + SHUTDOWN;
        let mut living: HashSet<TerminalId> = self
            .panes
            .values()
            .filter(|state| state.exited().is_none())
            .map(|state| state.handle().terminal())
            .collect();
        for state in self.panes.values() {
            state.handle().end();
        }
        if let Some(scratch) = &self.scratch {
            scratch.handle().end();
            living.insert(scratch.handle().terminal());
        }
        while !living.is_empty() {
            let Ok(Some(report)) = tokio::time::timeout_at(deadline, reports.recv()).await else { break };
            if matches!(report.fact, Fact::Exited(_) | Fact::StartFailed(_)) {
                living.remove(&report.terminal);
            }
        }
    }
}

/// A fresh id. Should the system's random source fail in mid-life, the server's own random generation
/// and the pane's number still make one that no other terminal has.
pub(super) fn fresh_terminal(generation: ServerGeneration, pane: PaneId) -> TerminalId {
    let generation = u128::from_be_bytes(generation.0);
    let bytes = crate::server::random_128();
    TerminalId(bytes.unwrap_or_else(|| generation.wrapping_add(u128::from(pane.0)).to_be_bytes()))
}
