//! What moves the focus.

use super::Done;
use crate::protocol::command::Step;
use crate::protocol::geometry::Direction;
use crate::protocol::ids::{PaneId, TabId, WorkspaceId};
use crate::server::model::{Context, Model, ModelError, Outcome};

impl Model {
    pub(super) fn focus_workspace(&mut self, workspace: WorkspaceId) -> Done {
        self.find_workspace(workspace)?;
        self.active = Some(workspace);
        Ok(self.about_workspace(workspace))
    }

    /// In the order of the sidebar, which is what the person sees.
    pub(super) fn step_workspace(&mut self, step: Step) -> Done {
        let order = self.display_order();
        let active = self.active.ok_or(ModelError::Empty)?;
        let next = stepped(&order, active, step).ok_or(ModelError::Empty)?;
        self.focus_workspace(next)
    }

    pub(super) fn focus_tab(&mut self, tab: TabId) -> Done {
        let (workspace, _) = self.find_tab(tab)?;
        let workspace = &mut self.workspaces[workspace];
        workspace.active = tab;
        self.active = Some(workspace.id);
        Ok(self.about_tab(tab))
    }

    pub(super) fn step_tab(&mut self, step: Step) -> Done {
        let workspace = self.focused_workspace().ok_or(ModelError::Empty)?;
        let order: Vec<TabId> = workspace.tabs.iter().map(|tab| tab.id).collect();
        let next = stepped(&order, workspace.active, step).ok_or(ModelError::Empty)?;
        self.focus_tab(next)
    }

    pub(super) fn focus_pane(&mut self, pane: PaneId) -> Done {
        self.target(Some(pane))?;
        let mut outcome = self.about_pane(pane);
        self.show(pane, &mut outcome);
        Ok(outcome)
    }

    pub(super) fn focus_direction(
        &mut self,
        pane: Option<PaneId>,
        direction: Direction,
        context: &Context,
    ) -> Done {
        let (pane, _) = self.target(pane)?;
        let next = self.neighbour(pane, direction, context.area).ok_or(ModelError::NoNeighbour)?;
        self.focus_pane(next)
    }

    pub(super) fn step_pane(&mut self, step: Step) -> Done {
        let (pane, tab) = self.target(None)?;
        let next = stepped(&tab.panes(), pane, step).ok_or(ModelError::NoNeighbour)?;
        self.focus_pane(next)
    }

    pub(super) fn step_focus_history(&mut self, step: Step) -> Done {
        let next = match step {
            Step::Previous => self.history.back(),
            Step::Next => self.history.forward(),
        };
        self.focus_pane(next.ok_or(ModelError::NoNeighbour)?)
    }

    /// Focuses a pane that is there, its tab and its workspace.
    pub(super) fn show(&mut self, pane: PaneId, outcome: &mut Outcome) {
        let Some((workspace, tab)) = self.pane_place(pane) else { return };
        let workspace = &mut self.workspaces[workspace];
        let tab = &mut workspace.tabs[tab];
        tab.focus(pane, outcome);
        workspace.active = tab.id;
        self.active = Some(workspace.id);
    }
}

/// The item after or before another one; the list is a ring.
pub(super) fn stepped<T: Copy + PartialEq>(ring: &[T], from: T, step: Step) -> Option<T> {
    let at = ring.iter().position(|item| *item == from)?;
    let by = match step {
        Step::Next => 1,
        Step::Previous => ring.len() - 1,
    };
    Some(ring[(at + by) % ring.len()])
}
