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
