//! Layouts of projects: looked for when a person's workspace is opened, offered to them, and made once they have
//! confirmed that folder's text.
//!
//! Invariant: nothing of a `.luvus.toml` runs before its very text was confirmed; what is made is what was shown.

use super::{Hub, Reason, Request};
use crate::config::project::{Pane, Project, Tab};
use crate::protocol::attach::message::{Level, Offer, ProjectWish, ToClient};
use crate::protocol::command::{Command, Launch};
use crate::protocol::ids::{PaneId, TabId, WorkspaceId};
use crate::server::model::{Effect, Event, ModelError, Outcome};
use crate::server::projects::{Found, Projects as Store};
use std::collections::BTreeMap;
use std::path::Path;

/// What was looked up of a folder: its layout, or why there is none to use.
pub(super) type Looked = Result<Option<Found>, String>;

/// What waits of projects' layouts.
pub(super) struct Projects {
    store: Store,
    /// What the person has not answered, or not been told yet.
    waiting: BTreeMap<WorkspaceId, Result<Found, String>>,
    /// What is typed into shells once they run.
    commands: BTreeMap<PaneId, String>,
}

impl Projects {
    pub(super) fn new(store: Store) -> Self {
        Self { store, waiting: BTreeMap::new(), commands: BTreeMap::new() }
    }

    /// What is to be typed into a pane's shell.
    pub(super) fn command(&mut self, pane: PaneId) -> Option<String> {
        self.commands.remove(&pane)
    }

    /// The pane is gone.
    pub(super) fn forget(&mut self, pane: PaneId) {
        self.commands.remove(&pane);
    }
}

impl Hub {
    /// Looks for the layouts of workspaces that a person has opened: those that begin with their shell.
    pub(super) fn look_for_projects(&mut self, outcome: &Outcome) {
        let by_person = |effect: &Effect| matches!(effect, Effect::Start { launch, .. } if launch.argv.is_none() && launch.spawned.is_none());
        for event in &outcome.events {
            if let Event::WorkspaceCreated(workspace) = event
                && outcome.effects.iter().any(by_person)
            {
                self.look_for_project(*workspace, false);
            }
        }
    }

    /// Looks for the layout of a workspace, away from the hub; `asked` by the person.
    fn look_for_project(&self, workspace: WorkspaceId, asked: bool) {
        let Some(root) = self.model.workspace(workspace).map(|found| found.root().to_owned()) else { return };
        let (store, requests) = (self.projects.store.clone(), self.requests.clone());
        // As with branches: a short file, and no thread that lingers and wakes up to end.
        self.settings.background.spawn(async move {
            let looked = store.look(&root);
            if let Some(requests) = requests.upgrade() {
                // Nobody is left to be told.
                let _ = requests.send(Request::ProjectLooked { workspace, looked, asked }).await;
            }
        });
    }

    /// A folder was looked at.
    pub(super) fn project_looked(&mut self, workspace: WorkspaceId, looked: Looked, asked: bool) {
        let Some(found) = self.model.workspace(workspace) else { return };
        let root = found.root().to_owned();
        match looked {
            Ok(None) if asked => self.notice(Level::Info, &format!("there is no .luvus.toml in {root}")),
            Ok(None) => {}
            Ok(Some(found)) if found.confirmed => self.make_project(workspace, &found.project),
            Ok(Some(found)) => {
                self.projects.waiting.insert(workspace, Ok(found));
                if let Some(offer) = self.offer(workspace) {
                    self.clients.tell_owner(ToClient::Project(offer));
                }
            }
            Err(told) if self.clients.count() > 0 => self.notice(Level::Warning, &format!("{told} ({root})")),
            Err(told) => {
                self.projects.waiting.insert(workspace, Err(format!("{told} ({root})")));
            }
        }
    }

    /// What a client that has just attached is told: layouts that wait for the person's word, and what is wrong
    /// with others.
    pub(super) fn projects_untold(&mut self) -> Vec<ToClient> {
        let model = &self.model;
        self.projects.waiting.retain(|workspace, _| model.workspace(*workspace).is_some());
        let waiting: Vec<WorkspaceId> = self.projects.waiting.keys().copied().collect();
        let mut told: Vec<ToClient> =
            waiting.iter().filter_map(|workspace| self.offer(*workspace)).map(ToClient::Project).collect();
        for (_, wrong) in self.projects.waiting.extract_if(.., |_, waits| waits.is_err()) {
            told.extend(wrong.err().map(|text| ToClient::Notice(Level::Warning, text)));
        }
        told
    }

    fn offer(&self, workspace: WorkspaceId) -> Option<Offer> {
        let found = self.projects.waiting.get(&workspace)?.as_ref().ok()?;
        Some(Offer {
            workspace,
            folder: self.model.workspace(workspace)?.root().to_owned(),
            lines: found.project.lines(),
            digest: found.digest.clone(),
            changed: found.changed,
        })
    }

    /// The person has said something about a project's layout.
    pub(super) fn project_wish(&mut self, wish: ProjectWish) {
        match wish {
            ProjectWish::Look(workspace) => self.look_for_project(workspace, true),
            ProjectWish::Decline(workspace) => drop(self.projects.waiting.remove(&workspace)),
            ProjectWish::Accept(workspace, digest) => {
                let waits = self.projects.waiting.remove(&workspace).and_then(Result::ok);
                match waits.filter(|found| found.digest == digest) {
                    Some(found) => {
                        self.confirm_project(workspace, digest);
                        self.make_project(workspace, &found.project);
                    }
                    None => {
                        self.notice(Level::Warning, "that layout does not wait any more; nothing was made");
                    }
                }
            }
        }
    }

    fn confirm_project(&self, workspace: WorkspaceId, digest: String) {
        let Some(root) = self.model.workspace(workspace).map(|found| found.root().to_owned()) else { return };
        let store = self.projects.store.clone();
        self.settings.background.spawn_blocking(move || {
            if let Err(error) = store.confirm(&root, &digest) {
                tracing::warn!(%error, "a confirmed folder could not be remembered; it is asked for again");
            }
        });
    }

    /// Makes a project's tabs after those that are there. The one idle shell that a fresh workspace has becomes
    /// their first pane, so that whoever opened the workspace finds the pane that they were told of.
    fn make_project(&mut self, workspace: WorkspaceId, project: &Project) {
        let Some(found) = self.model.workspace(workspace) else { return };
        let (root, panes) = (found.root().to_owned(), found.panes());
        let idle = |pane: &PaneId| {
            let shell = self.model.pane(*pane).is_some_and(|pane| pane.argv().is_none());
            shell && self.panes.get(pane).is_some_and(|state| !state.handle().is_busy())
        };
        let mut fresh = panes.first().copied().filter(|pane| panes.len() == 1 && idle(pane));
        let mut left_out = 0;
        let mut first = None;
        for tab in &project.tabs {
            match self.make_tab(workspace, &root, tab, fresh.take(), &mut left_out) {
                Ok(made) => first = first.or(Some(made)),
                Err(_) => left_out += tab.panes.len(),
            }
        }
        let shown =
            self.model.focused_workspace().map(crate::server::model::Workspace::id) == Some(workspace);
        if let Some(tab) = first.filter(|_| shown) {
            // It was made just now.
            let _ = self.change(Command::FocusTab { tab });
        }
        if left_out > 0 {
            let panes = if left_out == 1 { "a pane".to_owned() } else { format!("{left_out} panes") };
            self.notice(Level::Warning, &format!(".luvus.toml: {panes} left out, there is no room"));
        }
        self.keeping.asked();
        self.publish();
    }

    /// Makes a tab, from a fresh shell if there is one.
    fn make_tab(
        &mut self,
        workspace: WorkspaceId,
        root: &str,
        tab: &Tab,
        fresh: Option<PaneId>,
        left_out: &mut usize,
    ) -> Result<TabId, ModelError> {
        let Some((plan, others)) = tab.panes.split_first() else { return Err(ModelError::Empty) };
        let pane = match fresh {
            Some(pane) => {
                self.change(Command::LabelPane { pane, label: plan.name.clone() })?;
                self.type_into(pane, from_the_root(plan));
                pane
            }
            None => {
                let launch = launch(root, plan);
                let new = Command::NewTab { workspace: Some(workspace), launch, focus: false };
                let pane = self.change(new)?.pane.ok_or(ModelError::Empty)?;
                self.type_into(pane, plan.command.clone());
                pane
            }
        };
        let made = self.place(pane).map(|(_, tab)| tab).ok_or(ModelError::NoPane(pane))?;
        if let Some(name) = &tab.name {
            self.change(Command::RenameTab { tab: made, name: name.clone() })?;
        }
        // By their numbers; what is split off one that was left out is left out too.
        let mut panes = vec![Some(pane)];
        for plan in others {
            let from = panes.get(plan.of).copied().flatten();
            let split = from.and_then(|from| self.split(from, root, plan));
            *left_out += usize::from(split.is_none());
            panes.push(split);
        }
        if let Some(arrangement) = tab.layout {
            self.change(Command::ArrangeTab { tab: Some(made), arrangement: Some(arrangement) })?;
        }
        Ok(made)
    }

    fn split(&mut self, from: PaneId, root: &str, plan: &Pane) -> Option<PaneId> {
        let launch = launch(root, plan);
        let split = Command::SplitPane { pane: Some(from), axis: plan.split, launch, focus: false };
        let pane = self.change(split).ok()?.pane?;
        self.type_into(pane, plan.command.clone());
        if let Some(ratio) = plan.share {
            // The split was made, so it can be cut elsewhere.
            let _ = self.change(Command::SetPaneRatio { pane, ratio });
        }
        Some(pane)
    }

    /// Types a command into a shell, once that runs.
    fn type_into(&mut self, pane: PaneId, command: Option<String>) {
        let Some(command) = command else { return };
        match self.panes.get(&pane).filter(|state| state.started()) {
            // An idle shell has room for a line.
            Some(state) => drop(state.handle().enter(&command)),
            None => drop(self.projects.commands.insert(pane, command)),
        }
    }

    /// One step of several that are published together.
    fn change(&mut self, command: Command) -> Result<Outcome, ModelError> {
        let outcome = self.model.apply(command, &self.context())?;
        self.carry_out(&outcome, Reason::Closed);
        Ok(outcome)
    }
}

/// What is typed into a shell that is in the root: it goes to the pane's folder first.
fn from_the_root(plan: &Pane) -> Option<String> {
    let Some(cwd) = &plan.cwd else { return plan.command.clone() };
    let go = format!("cd '{}'", cwd.replace('\'', "'\\''"));
    Some(match &plan.command {
        Some(command) => format!("{go} && {command}"),
        None => go,
    })
}

fn launch(root: &str, pane: &Pane) -> Launch {
    let cwd = pane.cwd.as_deref().map_or_else(|| Path::new(root).to_owned(), |cwd| Path::new(root).join(cwd));
    Launch { cwd: Some(cwd.to_string_lossy().into_owned()), label: pane.name.clone(), ..Launch::default() }
}
