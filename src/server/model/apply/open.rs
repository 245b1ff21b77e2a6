//! What makes something new: workspaces, tabs, panes.

use super::Done;
use crate::protocol::command::Launch;
use crate::protocol::geometry::{Axis, Size};
use crate::protocol::ids::{PaneId, TabId, WorkspaceId};
use crate::protocol::limits::TERMINALS;
use crate::server::model::parts::{Pane, Tab, Workspace};
use crate::server::model::{Context, Directory, Effect, Event, Model, ModelError, Outcome, names, solve};
use std::path::Path;

impl Model {
    pub(super) fn open_workspace(&mut self, path: String, focus: bool, reuse: bool, launch: Launch) -> Done {
        let same = |workspace: &&Workspace| Path::new(&workspace.root) == Path::new(&path);
        if let Some(workspace) = self.workspaces.iter().find(same).filter(|_| reuse) {
            let id = workspace.id;
            if focus {
                self.active = Some(id);
            }
            return Ok(self.about_workspace(id));
        }
        if !Path::new(&path).has_root() {
            return Err(ModelError::BadName("a workspace needs the absolute path of a folder".to_owned()));
        }
        let label = self.ready_for(&launch)?;
        let mut outcome = Outcome::default();
        let workspace = self.add_workspace(path, launch, label, &mut outcome);
        if focus {
            self.active = Some(workspace);
        }
        Ok(outcome)
    }

    pub(super) fn new_tab(
        &mut self,
        workspace: Option<WorkspaceId>,
        launch: Launch,
        focus: bool,
        context: &Context,
    ) -> Done {
        let index = match workspace.or(self.active) {
            Some(workspace) => self.find_workspace(workspace)?,
            None => return self.first_workspace(launch, context),
        };
        let label = self.ready_for(&launch)?;
        let workspace = &self.workspaces[index];
        let source = workspace.active_tab().focused;
        let directory = directory(&launch, source, &workspace.root, context);
        let (id, tab) = (workspace.id, TabId(next(&mut self.last_tab)));
        let mut outcome = Outcome { workspace: Some(id), tab: Some(tab), ..Outcome::default() };
        outcome.events.push(Event::TabCreated(tab));
        let pane = self.add_pane(tab, launch, label, directory, &mut outcome);
        let workspace = &mut self.workspaces[index];
        workspace.tabs.push(Tab::new(tab, pane));
        if focus {
            workspace.active = tab;
            self.active = Some(id);
        }
        Ok(outcome)
    }

    pub(super) fn split_pane(
        &mut self,
        pane: Option<PaneId>,
        axis: Option<Axis>,
        launch: Launch,
        focus: bool,
        context: &Context,
    ) -> Done {
        if pane.is_none() && self.workspaces.is_empty() {
            return self.first_workspace(launch, context);
        }
        let (source, tab) = self.target(pane)?;
        let tab = tab.id;
        let axis = self.room_beside(source, axis, context.area)?;
        let label = self.ready_for(&launch)?;
        let mut outcome = self.about_pane(source);
        let root = self.root_of(source);
        let directory = directory(&launch, source, &root, context);
        let new = self.add_pane(tab, launch, label, directory, &mut outcome);
        if let Some(tab) = self.tab_mut(tab) {
            tab.tree.insert(source, axis, new);
        }
        if focus {
            self.show(new, &mut outcome);
        }
        Ok(outcome)
    }

    /// What asks for a place in an empty session gets a workspace in the home folder.
    fn first_workspace(&mut self, launch: Launch, context: &Context) -> Done {
        let label = self.ready_for(&launch)?;
        let mut outcome = Outcome::default();
        self.add_workspace(context.home.clone(), launch, label, &mut outcome);
        Ok(outcome)
    }

    /// Adds a workspace with one pane; it has the focus if nothing else could have it.
    pub(super) fn add_workspace(
        &mut self,
        root: String,
        launch: Launch,
        label: Option<String>,
        outcome: &mut Outcome,
    ) -> WorkspaceId {
        let id = WorkspaceId(next(&mut self.last_workspace));
        let tab = TabId(next(&mut self.last_tab));
        outcome.events.extend([Event::WorkspaceCreated(id), Event::TabCreated(tab)]);
        outcome.workspace = Some(id);
        outcome.tab = Some(tab);
        let directory = Directory::Path(launch.cwd.clone().unwrap_or_else(|| root.clone()));
        let pane = self.add_pane(tab, launch, label, directory, outcome);
        let tabs = vec![Tab::new(tab, pane)];
        self.workspaces.push(Workspace { id, label: None, root, pinned: false, tabs, active: tab });
        self.active.get_or_insert(id);
        id
    }

    /// Adds a pane's record and has its terminal started; where it lies is the caller's matter.
    fn add_pane(
        &mut self,
        tab: TabId,
        launch: Launch,
        label: Option<String>,
        directory: Directory,
        outcome: &mut Outcome,
    ) -> PaneId {
        let id = PaneId(next(&mut self.last_pane));
        let (argv, restore) = (launch.argv.clone(), launch.restore.unwrap_or(true));
        let spawned = launch.spawned.is_some();
        let metadata = launch.spawned.as_ref().and_then(|spawned| spawned.metadata.clone());
        let pane = Pane { tab, alias: None, label, argv, restore, spawned, metadata, focused_at: 0 };
        self.panes.insert(id, pane);
        outcome.pane = Some(id);
        outcome.effects.push(Effect::Start { pane: id, directory, launch });
        outcome.events.push(Event::PaneCreated(id));
        id
    }

    /// Whether there may be one more pane; the label that it would have.
    fn ready_for(&self, launch: &Launch) -> Result<Option<String>, ModelError> {
        if self.panes.len() >= TERMINALS || !self.has_ids() {
            return Err(ModelError::Full);
        }
        names::label(launch.label.as_deref().unwrap_or_default())
    }

    /// Ids are never used twice, so they can run out.
    pub(super) fn has_ids(&self) -> bool {
        [self.last_workspace, self.last_tab, self.last_pane].iter().all(|last| *last < u32::MAX - 1)
    }

    /// The axis in which a pane can be split, whatever is zoomed.
    pub(super) fn room_beside(
        &self,
        pane: PaneId,
        axis: Option<Axis>,
        area: Size,
    ) -> Result<Axis, ModelError> {
        let (_, tab) = self.target(Some(pane))?;
        let path = tab.tree.path_to(pane).ok_or(ModelError::NoPane(pane))?;
        let frame = solve::rect_of(&tab.tree, area, &path).ok_or(ModelError::TooSmall)?;
        solve::splittable(frame.size(), axis).ok_or(ModelError::TooSmall)
    }

    /// An id for a terminal that is in no tab; it is never used for a pane.
    pub fn pane_beside_layout(&mut self) -> Option<PaneId> {
        self.has_ids().then(|| PaneId(next(&mut self.last_pane)))
    }

    fn root_of(&self, pane: PaneId) -> String {
        self.pane_place(pane)
            .map(|(workspace, _)| self.workspaces[workspace].root.clone())
            .unwrap_or_default()
    }
}

/// Where a new pane starts that a person wants beside or after `source`.
fn directory(launch: &Launch, source: PaneId, root: &str, context: &Context) -> Directory {
    match &launch.cwd {
        Some(cwd) => Directory::Path(cwd.clone()),
        None if context.new_pane_to_root => Directory::Path(root.to_owned()),
        None => Directory::LiveOf(source, root.to_owned()),
    }
}

pub(super) fn next(last: &mut u32) -> u32 {
    *last = last.saturating_add(1);
    *last
}
