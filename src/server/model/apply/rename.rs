//! What gives names.

use super::Done;
use crate::protocol::ids::{PaneId, TabId, WorkspaceId};
use crate::protocol::metadata::MetadataChange;
use crate::server::model::{Event, Model, ModelError, names};

impl Model {
    pub(super) fn rename_workspace(&mut self, workspace: WorkspaceId, name: &str) -> Done {
        let index = self.find_workspace(workspace)?;
        let label = Some(names::workspace(name)?);
        let mut outcome = self.about_workspace(workspace);
        if self.workspaces[index].label != label {
            self.workspaces[index].label = label;
            outcome.events.push(Event::WorkspaceRenamed(workspace));
        }
        Ok(outcome)
    }

    pub(super) fn rename_tab(&mut self, tab: TabId, name: &str) -> Done {
        let (workspace, index) = self.find_tab(tab)?;
        let name = names::tab(name)?;
        let mut outcome = self.about_tab(tab);
        let present = &mut self.workspaces[workspace].tabs[index].name;
        if *present != name {
            *present = name;
            outcome.events.push(Event::TabRenamed(tab));
        }
        Ok(outcome)
    }

    pub(super) fn rename_pane(&mut self, pane: Option<PaneId>, name: &str) -> Done {
        let (pane, _) = self.target(pane)?;
        let alias = names::alias(name)?;
        if let Some(owner) = self.pane_named(name).filter(|owner| *owner != pane) {
            return Err(ModelError::NameTaken(name.to_owned(), owner));
        }
        let mut outcome = self.about_pane(pane);
        if let Some(state) = self.panes.get_mut(&pane)
            && state.alias != alias
        {
            state.alias = alias;
            outcome.events.push(Event::PaneRenamed(pane));
        }
        Ok(outcome)
    }

    pub(super) fn label_pane(&mut self, pane: PaneId, label: Option<&str>) -> Done {
        let label = names::label(label.unwrap_or_default())?;
        let (pane, _) = self.target(Some(pane))?;
        let mut outcome = self.about_pane(pane);
        if let Some(state) = self.panes.get_mut(&pane)
            && state.label != label
        {
            state.label = label;
            outcome.events.push(Event::PaneLabelled(pane));
        }
        Ok(outcome)
    }

    pub(super) fn describe_pane(&mut self, pane: PaneId, change: MetadataChange) -> Done {
        let (pane, _) = self.target(Some(pane))?;
        let mut outcome = self.about_pane(pane);
        if let Some(state) = self.panes.get_mut(&pane) {
            let label = state.label().map(str::to_owned);
            let before = state.metadata.clone();
            let after = Some(before.clone().unwrap_or_default().changed(change));
            if before != after {
                state.metadata = after;
                outcome.events.push(Event::PaneDescribed(pane));
            }
            if state.label() != label.as_deref() {
                outcome.events.push(Event::PaneLabelled(pane));
            }
        }
        Ok(outcome)
    }

    /// A bell rang in a pane: its tab is marked until somebody sees it. Says whether the mark is new.
    pub fn ring(&mut self, pane: PaneId) -> bool {
        self.mark_tab_of(pane, true)
    }

    /// Somebody sees a pane: the mark of its tab goes. Says whether there was one.
    pub fn see(&mut self, pane: PaneId) -> bool {
        self.mark_tab_of(pane, false)
    }

    fn mark_tab_of(&mut self, pane: PaneId, bell: bool) -> bool {
        let tab = self.panes.get(&pane).map(|state| state.tab);
        let tab = tab.and_then(|tab| self.tab_mut(tab));
        tab.is_some_and(|tab| std::mem::replace(&mut tab.bell, bell) != bell)
    }
}
