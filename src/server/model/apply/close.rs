//! What closes something, and where the focus goes then.

use super::Done;
use crate::protocol::command::Launch;
use crate::protocol::ids::{PaneId, TabId, WorkspaceId};
use crate::server::model::{Context, Effect, Event, Model, ModelError, Outcome};

impl Model {
    pub(super) fn close_pane(&mut self, pane: Option<PaneId>, context: &Context) -> Done {
        let (pane, tab) = self.target(pane)?;
        if tab.tree.is_single() {
            let tab = tab.id;
            return self.close_tab(Some(tab), context);
        }
        let mut outcome = self.about_pane(pane);
        self.leave_tab(pane, &mut outcome);
        self.drop_pane(pane, &mut outcome);
        Ok(outcome)
    }

    pub(super) fn close_tab(&mut self, tab: Option<TabId>, context: &Context) -> Done {
        let tab = tab.or_else(|| self.focused_tab().map(|tab| tab.id)).ok_or(ModelError::Empty)?;
        let (workspace, index) = self.find_tab(tab)?;
        if self.workspaces[workspace].tabs.len() == 1 {
            let workspace = self.workspaces[workspace].id;
            return self.close_workspace(Some(workspace), context);
        }
        let mut outcome = self.about_tab(tab);
        for pane in self.workspaces[workspace].tabs[index].panes() {
            self.drop_pane(pane, &mut outcome);
        }
        self.drop_tab(tab, &mut outcome);
        Ok(outcome)
    }

    pub(super) fn close_workspace(&mut self, workspace: Option<WorkspaceId>, context: &Context) -> Done {
        let workspace = workspace.or(self.active).ok_or(ModelError::Empty)?;
        let index = self.find_workspace(workspace)?;
        let mut outcome = self.about_workspace(workspace);
        for tab in self.workspaces.remove(index).tabs {
            for pane in tab.panes() {
                self.drop_pane(pane, &mut outcome);
            }
            outcome.events.push(Event::TabClosed(tab.id));
        }
        outcome.events.push(Event::WorkspaceClosed(workspace));
        if self.active == Some(workspace) {
            let next = self.workspaces.get(index).or(self.workspaces.last());
            self.active = next.map(|workspace| workspace.id);
        }
        if self.workspaces.is_empty() {
            self.go_on_empty(context, &mut outcome);
        }
        Ok(outcome)
    }

    /// The session has no pane any more: a fresh one in the home folder, or the end.
    fn go_on_empty(&mut self, context: &Context, outcome: &mut Outcome) {
        if context.exit_when_empty {
            outcome.effects.push(Effect::Empty);
            return;
        }
        let mut fresh = Outcome::default();
        self.add_workspace(context.home.clone(), Launch::default(), None, &mut fresh);
        outcome.effects.append(&mut fresh.effects);
        outcome.events.append(&mut fresh.events);
    }

    /// Takes a pane out of its tab, which has others. The pane focused last there is focused, among
    /// panes that never were the one beside it.
    pub(super) fn leave_tab(&mut self, pane: PaneId, outcome: &mut Outcome) {
        let Some(tab) = self.panes.get(&pane).and_then(|state| self.tab(state.tab)) else { return };
        let (id, beside) = (tab.id, tab.tree.beside(pane));
        let others = tab.panes().into_iter().filter(|other| *other != pane);
        let heir = others.max_by_key(|other| (self.focused_at(*other), Some(*other) == beside));
        if let (Some(tab), Some(heir)) = (self.tab_mut(id), heir) {
            tab.tree.remove(pane);
            if tab.focused == pane {
                tab.focus(heir, outcome);
            }
        }
    }

    /// Forgets a pane that is in no layout any more.
    fn drop_pane(&mut self, pane: PaneId, outcome: &mut Outcome) {
        self.panes.remove(&pane);
        self.history.forget(pane);
        outcome.effects.push(Effect::End(pane));
        outcome.events.push(Event::PaneClosed(pane));
    }

    /// Removes a tab without panes, not the last one of its workspace. The next one is shown.
    pub(super) fn drop_tab(&mut self, tab: TabId, outcome: &mut Outcome) {
        let Some((workspace, index)) = self.tab_place(tab) else { return };
        let workspace = &mut self.workspaces[workspace];
        workspace.tabs.remove(index);
        if workspace.active == tab {
            let next = workspace.tabs.get(index).or(workspace.tabs.last());
            workspace.active = next.map_or(tab, |tab| tab.id);
        }
        outcome.events.push(Event::TabClosed(tab));
    }
}
