//! What changes how much of a tab a pane has.

use super::Done;
use crate::protocol::command::Side;
use crate::protocol::geometry::{Axis, Direction};
use crate::protocol::ids::{PaneId, TabId};
use crate::server::model::layout::Tree;
use crate::server::model::solve;
use crate::server::model::{Context, Event, Model, ModelError, Outcome};

impl Model {
    /// Moves the edge that lies that way; of a pane at the border of the tab the opposite edge, so
    /// that four arrows are enough to make any pane smaller again.
    pub(super) fn resize_pane(
        &mut self,
        pane: Option<PaneId>,
        direction: Direction,
        cells: u16,
        context: &Context,
    ) -> Done {
        let (pane, tab) = self.target(pane)?;
        if tab.tree.is_single() {
            return Err(ModelError::NotSplit);
        }
        let (id, mut outcome) = (tab.id, self.about_pane(pane));
        let path = edge(&tab.tree, pane, direction).ok_or(ModelError::NoNeighbour)?;
        let cut = tab
            .tree
            .at(&path)
            .zip(solve::rect_of(&tab.tree, context.area, &path))
            .and_then(|(split, rect)| solve::cut(split, rect))
            .ok_or(ModelError::TooSmall)?;
        let wanted = match direction {
            Direction::Left | Direction::Up => cut.first.saturating_sub(cells),
            Direction::Right | Direction::Down => cut.first.saturating_add(cells),
        };
        let first = wanted.clamp(cut.bounds.0, cut.bounds.1);
        if first != cut.first {
            self.change_ratio(id, path, cut.ratio(first), &mut outcome);
            outcome.events.push(Event::PaneResized(pane, first.abs_diff(cut.first)));
        }
        Ok(outcome)
    }

    pub(super) fn set_pane_ratio(&mut self, pane: PaneId, ratio: f32) -> Done {
        let (_, tab) = self.target(Some(pane))?;
        if !(0.05..=0.95).contains(&ratio) {
            return Err(ModelError::BadRatio);
        }
        let mut path = tab.tree.path_to(pane).ok_or(ModelError::NoPane(pane))?;
        let first = match path.pop().ok_or(ModelError::NotSplit)? {
            Side::A => ratio,
            Side::B => 1.0 - ratio,
        };
        let (id, mut outcome) = (tab.id, self.about_pane(pane));
        self.change_ratio(id, path, first, &mut outcome);
        Ok(outcome)
    }

    pub(super) fn set_split_ratio(
        &mut self,
        tab: TabId,
        path: Vec<Side>,
        ratio: f32,
        context: &Context,
    ) -> Done {
        let mut outcome = self.about_tab(tab);
        let tree = &self.tab(tab).ok_or(ModelError::NoTab(tab))?.tree;
        let split = tree.at(&path).filter(|node| !node.is_single()).ok_or(ModelError::NoSplit)?;
        if !(0.0..=1.0).contains(&ratio) {
            return Err(ModelError::BadRatio);
        }
        let cut = solve::rect_of(tree, context.area, &path).and_then(|rect| solve::cut(split, rect));
        let ratio = cut.map_or(ratio, |cut| cut.clamp(ratio));
        self.change_ratio(tab, path, ratio, &mut outcome);
        Ok(outcome)
    }

    fn change_ratio(&mut self, tab: TabId, path: Vec<Side>, ratio: f32, outcome: &mut Outcome) {
        if self.tab_mut(tab).is_some_and(|tab| tab.tree.set_ratio(&path, ratio)) {
            outcome.events.push(Event::RatioChanged { tab, path, ratio });
        }
    }

    pub(super) fn zoom_pane(&mut self, pane: Option<PaneId>, zoomed: Option<bool>) -> Done {
        let (pane, tab) = self.target(pane)?;
        let is_zoomed = tab.zoomed() == Some(pane);
        let (id, mut outcome) = (tab.id, self.about_pane(pane));
        let wanted = zoomed.unwrap_or(!is_zoomed);
        if let Some(tab) = self.tab_mut(id).filter(|_| wanted != is_zoomed) {
            tab.focus(pane, &mut outcome);
            tab.zoomed = wanted;
            outcome.events.push(Event::PaneZoomed(pane, wanted));
        }
        Ok(outcome)
    }
}

/// The way to the split whose line is a pane's edge in that direction, or else its opposite edge.
fn edge(tree: &Tree, pane: PaneId, direction: Direction) -> Option<Vec<Side>> {
    let (axis, side) = match direction {
        Direction::Left => (Axis::Horizontal, Side::B),
        Direction::Right => (Axis::Horizontal, Side::A),
        Direction::Up => (Axis::Vertical, Side::B),
        Direction::Down => (Axis::Vertical, Side::A),
    };
    let path = tree.path_to(pane)?;
    let lies = |length: &usize| matches!(tree.at(&path[..*length]), Some(Tree::Split { axis: other, .. }) if *other == axis);
    let splits: Vec<usize> = (0..path.len()).rev().filter(lies).collect();
    let that_way = splits.iter().find(|length| path[**length] == side);
    that_way.or(splits.first()).map(|length| path[..*length].to_vec())
}
