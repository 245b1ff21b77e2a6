//! What moves panes: swaps inside a tab, and moves to another one.

use super::Done;
use super::focus::stepped;
use super::open::next;
use crate::protocol::command::{Arrangement, MoveTarget, Step};
use crate::protocol::geometry::Axis;
use crate::protocol::ids::{PaneId, TabId};
use crate::protocol::tree::{Node, Tree};
use crate::server::model::parts::Tab;
use crate::server::model::{Context, Event, Model, ModelError, Outcome, arrange, solve};

/// Where a pane goes, once it is certain that it can.
enum Goal {
    /// Beside a pane of a tab.
    Beside(TabId, PaneId, Axis),
    /// Into a new tab.
    NewTab,
}

impl Model {
    pub(super) fn swap_panes(&mut self, pane: PaneId, with: PaneId) -> Done {
        let (_, tab) = self.target(Some(pane))?;
        let (_, other) = self.target(Some(with))?;
        if tab.id != other.id {
            return Err(ModelError::Apart("panes of different tabs cannot be swapped".to_owned()));
        }
        let (id, mut outcome) = (tab.id, self.about_pane(pane));
        if let Some(tab) = self.tab_mut(id).filter(|_| pane != with) {
            tab.tree.swap(pane, with);
            outcome.events.push(Event::PaneSwapped(pane, with));
        }
        Ok(outcome)
    }

    pub(super) fn apply_layout(&mut self, tab: TabId, nodes: &[Node], focus: Option<PaneId>) -> Done {
        let present = self.tab(tab).ok_or(ModelError::NoTab(tab))?;
        let tree =
            Tree::from_nodes(nodes).ok_or(ModelError::BadLayout("the layout is no tree, or too deep"))?;
        let shared = |node: &Node| match node {
            Node::Pane(_) => true,
            Node::Split { ratio, .. } => (0.0..=1.0).contains(ratio),
        };
        if !nodes.iter().all(shared) {
            return Err(ModelError::BadRatio);
        }
        let (mut wanted, mut panes) = (tree.panes(), present.panes());
        wanted.sort_unstable();
        panes.sort_unstable();
        if wanted != panes {
            return Err(ModelError::BadLayout("a layout has every pane of its tab once, and no other"));
        }
        if focus.is_some_and(|pane| !panes.contains(&pane)) {
            return Err(ModelError::BadLayout("the pane to focus is not in the layout"));
        }
        let mut events = Outcome::default();
        if let Some(tab) = self.tab_mut(tab) {
            if tab.tree != tree {
                tab.tree = tree;
                events.events.push(Event::LayoutApplied(tab.id));
            }
            if let Some(pane) = focus {
                tab.focus(pane, &mut events);
            }
        }
        Ok(Outcome { events: events.events, ..self.about_tab(tab) })
    }

    /// Refused where a pane would get less room than a split may leave it; the next one is the next that has
    /// room.
    pub(super) fn arrange_tab(
        &mut self,
        tab: Option<TabId>,
        arrangement: Option<Arrangement>,
        context: &Context,
    ) -> Done {
        let tab = match tab {
            Some(tab) => self.tab(tab).ok_or(ModelError::NoTab(tab))?,
            None => self.target(None)?.1,
        };
        let id = tab.id;
        if tab.tree.is_single() {
            return Err(ModelError::NotSplit);
        }
        let wanted: Vec<_> = arrangement.map_or_else(|| arrange::after(&tab.tree).collect(), |one| vec![one]);
        let mut trees = wanted.into_iter().filter_map(|wanted| arrange::arranged(&tab.tree, wanted));
        let tree = trees.find(|tree| solve::has_room(tree, context.area)).ok_or(ModelError::TooSmall)?;
        let mut outcome = self.about_tab(id);
        if let Some(tab) = self.tab_mut(id) {
            tab.unzoom(&mut outcome);
            if tab.tree != tree {
                tab.tree = tree;
                outcome.events.push(Event::LayoutApplied(id));
            }
        }
        Ok(outcome)
    }

    pub(super) fn swap_step(&mut self, pane: Option<PaneId>, step: Step) -> Done {
        let (pane, tab) = self.target(pane)?;
        let with = stepped(&tab.panes(), pane, step).filter(|with| *with != pane);
        self.swap_panes(pane, with.ok_or(ModelError::NotSplit)?)
    }

    /// The focus goes with the pane if it was the one shown focused in its workspace.
    pub(super) fn move_pane(&mut self, pane: Option<PaneId>, to: MoveTarget, context: &Context) -> Done {
        let (pane, source) = self.target(pane)?;
        let Some(goal) = self.goal(pane, source, to, context)? else { return Ok(self.about_pane(pane)) };
        let (from, single) = (source.id, source.tree.is_single());
        let (workspace, _) = self.find_tab(from)?;
        let shown = self.workspaces[workspace].active == from && source.focused == pane;
        let mut outcome = Outcome::default();
        if let Some(tab) = self.tab_mut(from).filter(|tab| tab.focused == pane) {
            tab.unzoom(&mut outcome);
        }
        if !single {
            self.leave_tab(pane, &mut outcome);
        }
        let tab = self.arrive(pane, workspace, &goal, &mut outcome);
        if shown && let Some(target) = self.tab_mut(tab) {
            target.focus(pane, &mut outcome);
            self.workspaces[workspace].active = tab;
        }
        outcome.events.push(Event::PaneMoved(pane));
        if single {
            self.drop_tab(from, &mut outcome);
        }
        let about = self.about_pane(pane);
        Ok(Outcome { effects: outcome.effects, events: outcome.events, ..about })
    }

    /// Where the pane can go; nothing if it is there already.
    fn goal(
        &self,
        pane: PaneId,
        source: &Tab,
        to: MoveTarget,
        context: &Context,
    ) -> Result<Option<Goal>, ModelError> {
        match to {
            MoveTarget::NewTab if source.tree.is_single() => Ok(None),
            MoveTarget::NewTab if !self.has_ids() => Err(ModelError::Full),
            MoveTarget::NewTab => Ok(Some(Goal::NewTab)),
            MoveTarget::Tab(id) => {
                let (workspace, index) = self.find_tab(id)?;
                if Some(workspace) != self.pane_place(pane).map(|(workspace, _)| workspace) {
                    return Err(ModelError::Apart("a pane cannot leave its workspace".to_owned()));
                }
                if id == source.id {
                    return Ok(None);
                }
                let beside = self.workspaces[workspace].tabs[index].focused;
                let axis = self.room_beside(beside, None, context.area)?;
                Ok(Some(Goal::Beside(id, beside, axis)))
            }
        }
    }

    fn arrive(&mut self, pane: PaneId, workspace: usize, goal: &Goal, outcome: &mut Outcome) -> TabId {
        let tab = match *goal {
            Goal::Beside(tab, beside, axis) => {
                if let Some(tab) = self.tab_mut(tab) {
                    tab.tree.insert(beside, axis, pane);
                }
                tab
            }
            Goal::NewTab => {
                let tab = TabId(next(&mut self.last_tab));
                self.workspaces[workspace].tabs.push(Tab::new(tab, pane));
                outcome.events.push(Event::TabCreated(tab));
                tab
            }
        };
        if let Some(state) = self.panes.get_mut(&pane) {
            state.tab = tab;
        }
        tab
    }
}
