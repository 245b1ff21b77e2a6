//! Commands: one function each, grouped by what they are about. Every function first finds out
//! whether it can be done and only then changes something, so that a refused command changes nothing.

mod close;
mod focus;
mod open;
mod order;
mod rename;
mod size;
mod transfer;

use super::parts::Tab;
use super::{Context, Event, Model, ModelError, Outcome};
use crate::protocol::command::Command;
use crate::protocol::ids::{PaneId, TabId, WorkspaceId};

type Done = Result<Outcome, ModelError>;

impl Model {
    /// Carries out a command, or refuses it and changes nothing. Close policies are the caller's
    /// matter: the model always closes.
    pub fn apply(&mut self, command: Command, context: &Context) -> Done {
        let before = self.focused();
        let outcome = self.carry_out(command, context)?;
        Ok(self.settle(before, outcome))
    }

    /// Removes a pane whose child ended by itself: focus stays where it was unless it was there.
    pub fn remove(&mut self, pane: PaneId, context: &Context) -> Done {
        let before = self.focused();
        let outcome = self.close_pane(Some(pane), context)?;
        Ok(self.settle(before, outcome))
    }

    fn carry_out(&mut self, command: Command, context: &Context) -> Done {
        match command {
            Command::OpenWorkspace { path, focus, reuse, launch } => {
                self.open_workspace(path, focus, reuse, launch)
            }
            Command::FocusWorkspace { workspace } => self.focus_workspace(workspace),
            Command::StepWorkspace { step } => self.step_workspace(step),
            Command::RenameWorkspace { workspace, name } => self.rename_workspace(workspace, &name),
            Command::PinWorkspace { workspace, pinned } => self.pin_workspace(workspace, pinned),
            Command::MoveWorkspace { workspace, to } => self.move_workspace(workspace, to),
            Command::MoveWorkspaces { workspaces, to } => self.move_workspaces(&workspaces, to),
            Command::CloseWorkspace { workspace, policy: _ } => self.close_workspace(workspace, context),
            Command::NewTab { workspace, launch, focus } => self.new_tab(workspace, launch, focus, context),
            Command::FocusTab { tab } => self.focus_tab(tab),
            Command::StepTab { step } => self.step_tab(step),
            Command::RenameTab { tab, name } => self.rename_tab(tab, &name),
            Command::MoveTab { tab, to } => self.move_tab(tab, to),
            Command::SwapTabs { tab, with } => self.swap_tabs(tab, with),
            Command::CloseTab { tab, policy: _ } => self.close_tab(tab, context),
            Command::SplitPane { pane, axis, launch, focus } => {
                self.split_pane(pane, axis, launch, focus, context)
            }
            Command::FocusPane { pane } => self.focus_pane(pane),
            Command::FocusDirection { pane, direction } => self.focus_direction(pane, direction, context),
            Command::StepPane { step } => self.step_pane(step),
            Command::StepFocusHistory { step } => self.step_focus_history(step),
            Command::SwapPanes { pane, with } => self.swap_panes(pane, with),
            Command::SwapStep { pane, step } => self.swap_step(pane, step),
            Command::MovePane { pane, to } => self.move_pane(pane, to, context),
            Command::ResizePane { pane, direction, cells } => {
                self.resize_pane(pane, direction, cells, context)
            }
            Command::SetPaneRatio { pane, ratio } => self.set_pane_ratio(pane, ratio),
            Command::SetSplitRatio { tab, path, ratio } => self.set_split_ratio(tab, path, ratio, context),
            Command::ApplyLayout { tab, nodes, focus } => self.apply_layout(tab, &nodes, focus),
            Command::ArrangeTab { tab, arrangement } => self.arrange_tab(tab, arrangement, context),
            Command::ZoomPane { pane, zoomed } => self.zoom_pane(pane, zoomed),
            Command::LabelPane { pane, label } => self.label_pane(pane, label.as_deref()),
            Command::RenamePane { pane, name } => self.rename_pane(pane, &name),
            Command::DescribePane { pane, change } => self.describe_pane(pane, *change),
            Command::ClosePane { pane, policy: _ } => self.close_pane(pane, context),
        }
    }

    /// What every change ends with: the focus is known, remembered and told.
    fn settle(&mut self, before: Option<PaneId>, mut outcome: Outcome) -> Outcome {
        if let Some(pane) = self.focused() {
            self.history.visit(pane);
            if Some(pane) != before {
                self.focus_changes += 1;
                if let Some(state) = self.panes.get_mut(&pane) {
                    state.focused_at = self.focus_changes;
                }
                outcome.events.push(Event::PaneFocused(pane));
            }
        }
        debug_assert_eq!(self.check(), Ok(()));
        outcome
    }

    fn tab_mut(&mut self, id: TabId) -> Option<&mut Tab> {
        self.workspaces.iter_mut().flat_map(|workspace| &mut workspace.tabs).find(|tab| tab.id == id)
    }

    /// The pane that is meant, and its tab.
    fn target(&self, pane: Option<PaneId>) -> Result<(PaneId, &Tab), ModelError> {
        let pane = pane.or_else(|| self.focused()).ok_or(ModelError::Empty)?;
        let tab = self.panes.get(&pane).and_then(|state| self.tab(state.tab));
        tab.map(|tab| (pane, tab)).ok_or(ModelError::NoPane(pane))
    }

    /// Where a tab is.
    fn find_tab(&self, tab: TabId) -> Result<(usize, usize), ModelError> {
        self.tab_place(tab).ok_or(ModelError::NoTab(tab))
    }

    /// Where a workspace is.
    fn find_workspace(&self, workspace: WorkspaceId) -> Result<usize, ModelError> {
        let place = self.workspaces.iter().position(|other| other.id == workspace);
        place.ok_or(ModelError::NoWorkspace(workspace))
    }

    /// An outcome about a pane that is there.
    fn about_pane(&self, pane: PaneId) -> Outcome {
        match self.pane_place(pane) {
            Some((workspace, tab)) => {
                let workspace = &self.workspaces[workspace];
                Outcome {
                    workspace: Some(workspace.id),
                    tab: Some(workspace.tabs[tab].id),
                    pane: Some(pane),
                    ..Outcome::default()
                }
            }
            None => Outcome::default(),
        }
    }

    /// An outcome about a tab that is there.
    fn about_tab(&self, tab: TabId) -> Outcome {
        self.tab(tab).map_or_else(Outcome::default, |tab| self.about_pane(tab.focused))
    }

    /// An outcome about a workspace that is there.
    fn about_workspace(&self, workspace: WorkspaceId) -> Outcome {
        let workspace = self.workspace(workspace);
        workspace.map_or_else(Outcome::default, |workspace| self.about_tab(workspace.active))
    }
}
