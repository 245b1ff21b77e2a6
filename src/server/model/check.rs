//! What must always hold.

use super::layout::Tree;
use super::{Model, Tab, Workspace, names};
use crate::protocol::ids::PaneId;
use crate::protocol::limits::TERMINALS;
use std::collections::BTreeSet;

impl Model {
    /// Checks everything that must always hold; the error says what does not.
    pub fn check(&self) -> Result<(), String> {
        let mut seen = BTreeSet::new();
        for workspace in &self.workspaces {
            self.check_workspace(workspace, &mut seen)?;
        }
        hold(self.panes.keys().eq(seen.iter()), || "a pane is in no tab".into())?;
        hold(self.panes.len() <= TERMINALS, || "too many panes".into())?;
        self.check_identities()?;
        self.check_focus()
    }

    fn check_workspace(&self, workspace: &Workspace, seen: &mut BTreeSet<PaneId>) -> Result<(), String> {
        let id = workspace.id;
        hold(workspace.tabs.iter().any(|tab| tab.id == workspace.active), || format!("{id} shows no tab"))?;
        workspace.tabs.iter().try_for_each(|tab| self.check_tab(tab, seen))
    }

    fn check_tab(&self, tab: &Tab, seen: &mut BTreeSet<PaneId>) -> Result<(), String> {
        let panes = tab.tree.panes();
        hold(panes.contains(&tab.focused), || format!("{}: focus outside", tab.id))?;
        hold(ratios_hold(&tab.tree), || format!("{}: a ratio out of bounds", tab.id))?;
        for pane in panes {
            hold(seen.insert(pane), || format!("pane {pane} twice"))?;
            let home = self.panes.get(&pane).map(|pane| pane.tab);
            hold(home == Some(tab.id), || format!("pane {pane} does not know its tab"))?;
        }
        Ok(())
    }

    fn check_identities(&self) -> Result<(), String> {
        let tabs: Vec<_> =
            self.workspaces.iter().flat_map(|workspace| &workspace.tabs).map(|tab| tab.id.0).collect();
        let workspaces: Vec<_> = self.workspaces.iter().map(|workspace| workspace.id.0).collect();
        let panes: Vec<_> = self.panes.keys().map(|pane| pane.0).collect();
        for (ids, last) in [(tabs, self.last_tab), (workspaces, self.last_workspace), (panes, self.last_pane)]
        {
            hold(ids.iter().all(|id| (1..=last).contains(id)), || "an id from the future".into())?;
            let unique: BTreeSet<_> = ids.iter().collect();
            hold(unique.len() == ids.len(), || "an id twice".into())?;
        }
        let aliases: Vec<_> = self.panes.values().filter_map(|pane| pane.alias.as_deref()).collect();
        let unique: BTreeSet<_> = aliases.iter().collect();
        hold(unique.len() == aliases.len(), || "an alias twice".into())?;
        hold(aliases.iter().all(|alias| names::alias(alias).is_ok()), || "a bad alias".into())
    }

    fn check_focus(&self) -> Result<(), String> {
        hold(self.focused_workspace().is_some() != self.workspaces.is_empty(), || {
            "no workspace in focus".into()
        })?;
        hold(self.history.in_order(), || "a history out of order".into())?;
        let known = self.history.panes().iter().all(|pane| self.panes.contains_key(pane));
        hold(known, || "a history of panes that are gone".into())?;
        hold(self.history.current() == self.focused(), || "a history beside the focus".into())?;
        Ok(())
    }
}

fn ratios_hold(node: &Tree) -> bool {
    match node {
        Tree::Pane(_) => true,
        Tree::Split { ratio, a, b, .. } => (0.0..=1.0).contains(ratio) && ratios_hold(a) && ratios_hold(b),
    }
}

fn hold(condition: bool, otherwise: impl FnOnce() -> String) -> Result<(), String> {
    if condition { Ok(()) } else { Err(otherwise()) }
}
