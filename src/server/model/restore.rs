//! The model as a [`Session`] that outlives the server, and back.
//!
//! Invariant: whatever a session says, the model that comes of it holds everything that must always hold.

use super::layout::Tree;
use super::parts::{Pane, Tab, Workspace};
use super::{Model, names};
use crate::protocol::ids::PaneId;
use crate::server::persist::session::{self, Last, Node, Session};

impl Model {
    /// What is kept for the next start: everything but terminals that are not to be restored, over whose
    /// places the layouts close. `live` completes what the model does not know of a pane.
    #[must_use]
    pub fn saved(&self, live: impl Fn(PaneId, &mut session::Pane)) -> Session {
        let last = Last { workspace: self.last_workspace, tab: self.last_tab, pane: self.last_pane };
        let workspaces: Vec<session::Workspace> =
            self.workspaces.iter().filter_map(|workspace| self.saved_workspace(workspace, &live)).collect();
        let active = self.active.filter(|active| workspaces.iter().any(|kept| kept.id == *active));
        let active = active.or_else(|| workspaces.first().map(|workspace| workspace.id));
        Session { active, last, workspaces }
    }

    fn saved_workspace(
        &self,
        workspace: &Workspace,
        live: &impl Fn(PaneId, &mut session::Pane),
    ) -> Option<session::Workspace> {
        let tabs: Vec<session::Tab> =
            workspace.tabs.iter().filter_map(|tab| self.saved_tab(tab, live)).collect();
        let active = tabs.iter().find(|tab| tab.id == workspace.active).or(tabs.first())?.id;
        Some(session::Workspace {
            id: workspace.id,
            label: workspace.label.clone(),
            root: workspace.root.clone(),
            pinned: workspace.pinned,
            active,
            tabs,
        })
    }

    fn saved_tab(&self, tab: &Tab, live: &impl Fn(PaneId, &mut session::Pane)) -> Option<session::Tab> {
        let layout = self.saved_nodes(&tab.tree, live);
        let mut panes = layout.iter().filter_map(|node| match node {
            Node::Pane(pane) => Some(pane.pane),
            Node::Split { .. } => None,
        });
        let first = panes.next()?;
        let kept = tab.focused == first || panes.any(|pane| pane == tab.focused);
        Some(session::Tab {
            id: tab.id,
            name: tab.name.clone(),
            focused: if kept { tab.focused } else { first },
            zoomed: tab.zoomed && kept,
            layout,
        })
    }

    /// Empty if nothing of it is kept.
    fn saved_nodes(&self, tree: &Tree, live: &impl Fn(PaneId, &mut session::Pane)) -> Vec<Node> {
        match tree {
            Tree::Pane(id) => {
                let Some(pane) = self.panes.get(id).filter(|pane| pane.restore) else { return Vec::new() };
                let mut kept = session::Pane {
                    pane: *id,
                    alias: pane.alias.clone(),
                    label: pane.label.clone(),
                    cwd: String::new(),
                    focused_at: pane.focused_at,
                    agent: None,
                };
                live(*id, &mut kept);
                vec![Node::Pane(kept)]
            }
            Tree::Split { axis, ratio, a, b } => {
                let (mut a, mut b) = (self.saved_nodes(a, live), self.saved_nodes(b, live));
                if a.is_empty() || b.is_empty() {
                    a.append(&mut b);
                    return a;
                }
                let mut nodes = vec![Node::Split { split: *axis, ratio: *ratio }];
                nodes.append(&mut a);
                nodes.append(&mut b);
                nodes
            }
        }
    }

    /// The model of a kept session. What breaks a rule of the model is left out and told in `lost`.
    #[must_use]
    pub fn restored(session: &Session, lost: &mut Vec<String>) -> Self {
        let Last { workspace, tab, pane } = session.last;
        let mut model = Self { last_workspace: workspace, last_tab: tab, last_pane: pane, ..Self::default() };
        for kept in &session.workspaces {
            let tabs: Vec<Tab> = kept.tabs.iter().filter_map(|tab| model.restore_tab(tab, lost)).collect();
            let Some(first) = tabs.first() else { continue };
            let active = if tabs.iter().any(|tab| tab.id == kept.active) { kept.active } else { first.id };
            let label = kept.label.as_deref().and_then(|label| told(names::workspace(label), lost));
            let (id, root, pinned) = (kept.id, kept.root.clone(), kept.pinned);
            model.workspaces.push(Workspace { id, label, root, pinned, tabs, active });
        }
        let active = session.active.filter(|id| model.workspace(*id).is_some());
        model.active = active.or_else(|| model.workspaces.first().map(|workspace| workspace.id));
        model.focus_changes = model.panes.values().map(|pane| pane.focused_at).max().unwrap_or(0);
        if let Some(pane) = model.focused() {
            model.history.visit(pane);
        }
        debug_assert_eq!(model.check(), Ok(()));
        model
    }

    fn restore_tab(&mut self, kept: &session::Tab, lost: &mut Vec<String>) -> Option<Tab> {
        let Some(tree) = tree(&kept.layout) else {
            lost.push(format!("the layout of tab {} is not whole", kept.id));
            return None;
        };
        let first = kept.panes().next()?.pane;
        let whole = kept.panes().any(|pane| pane.pane == kept.focused);
        let focused = if whole { kept.focused } else { first };
        let mut tab = Tab::new(kept.id, focused);
        tab.tree = tree;
        tab.zoomed = kept.zoomed && whole;
        tab.name = kept.name.as_deref().and_then(|name| told(names::tab(name), lost)).flatten();
        for pane in kept.panes() {
            let label = pane.label.as_deref().and_then(|label| told(names::label(label), lost)).flatten();
            let alias = pane.alias.as_deref().and_then(|alias| told(names::alias(alias), lost)).flatten();
            let focused_at = pane.focused_at.min(u64::MAX / 2);
            let restored = Pane {
                tab: kept.id,
                alias,
                label,
                argv: None,
                restore: true,
                spawned: false,
                metadata: None,
                focused_at,
            };
            self.panes.insert(pane.pane, restored);
        }
        Some(tab)
    }
}

/// A name that keeps its rule; one that breaks it is told.
fn told<T>(name: Result<T, super::ModelError>, lost: &mut Vec<String>) -> Option<T> {
    name.map_err(|error| lost.push(format!("a name: {error}"))).ok()
}

/// The tree that a list describes, however deep.
fn tree(nodes: &[Node]) -> Option<Tree> {
    let mut sides: Vec<Tree> = Vec::new();
    for node in nodes.iter().rev() {
        let side = match node {
            Node::Pane(pane) => Tree::Pane(pane.pane),
            Node::Split { split, ratio } => {
                let (a, b) = (Box::new(sides.pop()?), Box::new(sides.pop()?));
                Tree::Split { axis: *split, ratio: *ratio, a, b }
            }
        };
        sides.push(side);
    }
    sides.pop().filter(|_| sides.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::geometry::Axis;
    use crate::protocol::ids::{TabId, WorkspaceId};
    use crate::server::model::layout::Tree;
    use crate::server::model::notation::{node, text};

    /// A model with one tab for each layout; panes in `gone` are not to be restored.
    fn model(layouts: &[&str], gone: &[u32]) -> Model {
        let mut tabs = Vec::new();
        let mut model = Model { last_workspace: 1, last_tab: 9, last_pane: 99, ..Model::default() };
        for (index, layout) in layouts.iter().enumerate() {
            let id = TabId(u32::try_from(index).expect("few") + 1);
            let tree = node(layout);
            for pane in tree.panes() {
                let restore = !gone.contains(&pane.0);
                let alias = (pane.0 == 2).then(|| "two".to_owned());
                let pane_state = Pane {
                    tab: id,
                    alias,
                    label: None,
                    argv: None,
                    restore,
                    spawned: false,
                    metadata: None,
                    focused_at: 7,
                };
                model.panes.insert(pane, pane_state);
            }
            let focused = *tree.panes().last().expect("a pane");
            let mut tab = Tab::new(id, focused);
            (tab.tree, tab.zoomed) = (tree, true);
            tabs.push(tab);
        }
        let (id, active) = (WorkspaceId(1), tabs[0].id);
        let root = "/project".to_owned();
        model.workspaces.push(Workspace { id, label: None, root, pinned: true, tabs, active });
        model.active = Some(id);
        model.history.visit(model.focused().expect("a focus"));
        model.focus_changes = 7;
        model.check().expect("a sound model");
        model
    }

    fn saved(model: &Model) -> Session {
        model.saved(|pane, kept| kept.cwd = format!("/{pane}"))
    }

    #[test]
    fn what_was_saved_comes_back_as_it_was() {
        let model = model(&["(1 |0.3 2) /0.7 3", "4"], &[]);
        let mut lost = Vec::new();
        let restored = Model::restored(&saved(&model), &mut lost);
        assert_eq!((&restored, lost.is_empty()), (&model, true));
        let read = Session::read(&serde_json::to_value(saved(&model)).expect("JSON"), &mut lost);
        assert_eq!((read, lost), (saved(&model), Vec::new()));
    }

    #[test]
    fn terminals_that_are_not_to_be_restored_leave_no_gap() {
        let model = model(&["1 | (2 / 3)", "4", "5 | 6"], &[3, 4, 6]);
        let mut lost = Vec::new();
        let restored = Model::restored(&saved(&model), &mut lost);
        let trees: Vec<String> = restored.workspaces[0].tabs.iter().map(|tab| text(&tab.tree)).collect();
        assert_eq!(trees, ["1 | 2", "5"]);
        assert_eq!(restored.workspaces[0].tabs[0].zoomed(), None, "the zoomed one is gone");
        assert_eq!(restored.pane_named("two"), Some(PaneId(2)));
        assert_eq!(restored.check(), Ok(()));
        let nothing = Model::restored(&saved(&self::model(&["1"], &[1])), &mut lost);
        assert_eq!((nothing.workspaces.len(), nothing.last_pane), (0, 99));
    }

    #[test]
    fn a_deep_layout_comes_back() {
        let mut tree = Tree::Pane(PaneId(1));
        for pane in 2..200 {
            let (a, b) = (Box::new(Tree::Pane(PaneId(pane))), Box::new(tree));
            tree = Tree::Split { axis: Axis::Vertical, ratio: 0.5, a, b };
        }
        let mut model = model(&["1"], &[]);
        let tab = &mut model.workspaces[0].tabs[0];
        (tab.tree, tab.focused) = (tree, PaneId(1));
        model.last_pane = 200;
        for pane in 2..200 {
            let copy = model.panes[&PaneId(1)].clone();
            model.panes.insert(PaneId(pane), copy);
        }
        let mut lost = Vec::new();
        let read = Session::read(&serde_json::to_value(saved(&model)).expect("JSON"), &mut lost);
        assert_eq!(Model::restored(&read, &mut lost).panes.len(), 199);
    }
}
