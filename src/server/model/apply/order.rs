//! What changes the order of workspaces and tabs.

use super::Done;
use crate::protocol::ids::{TabId, WorkspaceId};
use crate::server::model::{Event, Model, ModelError};

impl Model {
    pub(super) fn pin_workspace(&mut self, workspace: WorkspaceId, pinned: bool) -> Done {
        let index = self.find_workspace(workspace)?;
        let mut outcome = self.about_workspace(workspace);
        if std::mem::replace(&mut self.workspaces[index].pinned, pinned) != pinned {
            outcome.events.push(Event::WorkspacePinned(workspace, pinned));
        }
        Ok(outcome)
    }

    pub(super) fn move_workspace(&mut self, workspace: WorkspaceId, to: usize) -> Done {
        let from = self.find_workspace(workspace)?;
        if to >= self.workspaces.len() {
            return Err(ModelError::OutOfRange(to));
        }
        let mut outcome = self.about_workspace(workspace);
        if from != to {
            let moved = self.workspaces.remove(from);
            self.workspaces.insert(to, moved);
            outcome.events.push(Event::WorkspaceMoved(from, to));
        }
        Ok(outcome)
    }

    pub(super) fn move_workspaces(&mut self, workspaces: &[WorkspaceId], to: usize) -> Done {
        let mut from = workspaces
            .iter()
            .map(|workspace| self.find_workspace(*workspace))
            .collect::<Result<Vec<usize>, ModelError>>()?;
        from.sort_unstable();
        from.dedup();
        let Some(first) = from.first().copied() else {
            return Err(ModelError::Apart("no workspace is named".to_owned()));
        };
        if from.len() != workspaces.len() {
            return Err(ModelError::Apart("a workspace is named twice".to_owned()));
        }
        if to > self.workspaces.len() - from.len() {
            return Err(ModelError::OutOfRange(to));
        }
        let mut outcome = self.about_workspace(self.workspaces[first].id);
        let positions: Vec<usize> = (to..to + from.len()).collect();
        if from != positions {
            let moved: Vec<_> = from.iter().rev().map(|index| self.workspaces.remove(*index)).collect();
            for workspace in moved {
                self.workspaces.insert(to, workspace);
            }
            outcome.events.push(Event::WorkspacesMoved { from, to: positions });
        }
        Ok(outcome)
    }

    pub(super) fn move_tab(&mut self, tab: TabId, to: usize) -> Done {
        let (workspace, from) = self.find_tab(tab)?;
        let mut outcome = self.about_tab(tab);
        let tabs = &mut self.workspaces[workspace].tabs;
        if to >= tabs.len() {
            return Err(ModelError::OutOfRange(to));
        }
        if from != to {
            let moved = tabs.remove(from);
            tabs.insert(to, moved);
            outcome.events.push(Event::TabMoved { tab, from, to, swap: false });
        }
        Ok(outcome)
    }

    pub(super) fn swap_tabs(&mut self, tab: TabId, with: TabId) -> Done {
        let (workspace, from) = self.find_tab(tab)?;
        let (other, to) = self.find_tab(with)?;
        if workspace != other {
            return Err(ModelError::Apart("tabs of different workspaces cannot be swapped".to_owned()));
        }
        let mut outcome = self.about_tab(tab);
        if from != to {
            self.workspaces[workspace].tabs.swap(from, to);
            outcome.events.push(Event::TabMoved { tab, from, to, swap: true });
        }
        Ok(outcome)
    }
}
