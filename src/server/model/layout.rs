//! How the panes of one tab lie: a binary tree of splits, without any cell counted.
//!
//! Invariant: a share is never changed by a small screen; only a person or a protocol changes it.

use crate::protocol::command::Side;
use crate::protocol::geometry::Axis;
use crate::protocol::ids::PaneId;
pub use crate::protocol::tree::Tree;

impl Tree {
    /// Its panes in layout order: `a` before `b`.
    #[must_use]
    pub fn panes(&self) -> Vec<PaneId> {
        let mut panes = Vec::new();
        self.collect(&mut panes);
        panes
    }

    fn collect(&self, panes: &mut Vec<PaneId>) {
        match self {
            Self::Pane(pane) => panes.push(*pane),
            Self::Split { a, b, .. } => {
                a.collect(panes);
                b.collect(panes);
            }
        }
    }

    /// Whether it is one pane alone.
    #[must_use]
    pub fn is_single(&self) -> bool {
        matches!(self, Self::Pane(_))
    }

    /// The first pane, `Side::A`, or the last one, `Side::B`.
    fn outermost(&self, side: Side) -> PaneId {
        match (self, side) {
            (Self::Pane(pane), _) => *pane,
            (Self::Split { a, .. }, Side::A) => a.outermost(side),
            (Self::Split { b, .. }, Side::B) => b.outermost(side),
        }
    }

    /// The way from here to a pane.
    #[must_use]
    pub fn path_to(&self, pane: PaneId) -> Option<Vec<Side>> {
        let mut path = Vec::new();
        self.find(pane, &mut path).then_some(path)
    }

    fn find(&self, pane: PaneId, path: &mut Vec<Side>) -> bool {
        match self {
            Self::Pane(other) => *other == pane,
            Self::Split { a, b, .. } => {
                for (side, node) in [(Side::A, a), (Side::B, b)] {
                    path.push(side);
                    if node.find(pane, path) {
                        return true;
                    }
                    path.pop();
                }
                false
            }
        }
    }

    /// The node at the end of a way.
    #[must_use]
    pub fn at(&self, path: &[Side]) -> Option<&Self> {
        path.iter().try_fold(self, |node, side| match (node, side) {
            (Self::Pane(_), _) => None,
            (Self::Split { a, .. }, Side::A) => Some(&**a),
            (Self::Split { b, .. }, Side::B) => Some(&**b),
        })
    }

    fn at_mut(&mut self, path: &[Side]) -> Option<&mut Self> {
        path.iter().try_fold(self, |node, side| match (node, side) {
            (Self::Pane(_), _) => None,
            (Self::Split { a, .. }, Side::A) => Some(&mut **a),
            (Self::Split { b, .. }, Side::B) => Some(&mut **b),
        })
    }

    /// The share of side `a` of the split at the end of a way.
    #[must_use]
    pub fn ratio(&self, path: &[Side]) -> Option<f32> {
        match self.at(path)? {
            Self::Pane(_) => None,
            Self::Split { ratio, .. } => Some(*ratio),
        }
    }

    /// Sets that share; says whether it is another one now.
    pub(super) fn set_ratio(&mut self, path: &[Side], new: f32) -> bool {
        match self.at_mut(path) {
            Some(Self::Split { ratio, .. }) if ratio.to_bits() != new.to_bits() => {
                *ratio = new;
                true
            }
            _ => false,
        }
    }

    /// The pane that lies beside a pane across the split directly above it.
    #[must_use]
    pub fn beside(&self, pane: PaneId) -> Option<PaneId> {
        let mut path = self.path_to(pane)?;
        let side = path.pop()?;
        let (sibling, near) = match side {
            Side::A => (Side::B, Side::A),
            Side::B => (Side::A, Side::B),
        };
        path.push(sibling);
        Some(self.at(&path)?.outermost(near))
    }

    /// Splits a pane in halves; `new` is right of or below it. Says whether the pane is there.
    pub(super) fn insert(&mut self, pane: PaneId, axis: Axis, new: PaneId) -> bool {
        match self {
            Self::Pane(other) if *other == pane => {
                let (a, b) = (Box::new(Self::Pane(pane)), Box::new(Self::Pane(new)));
                *self = Self::Split { axis, ratio: 0.5, a, b };
                true
            }
            Self::Pane(_) => false,
            Self::Split { a, b, .. } => a.insert(pane, axis, new) || b.insert(pane, axis, new),
        }
    }

    /// Takes a pane out; its sibling takes its place. Says whether it was there and not alone.
    pub(super) fn remove(&mut self, pane: PaneId) -> bool {
        let Self::Split { a, b, .. } = self else { return false };
        let gone = Self::Pane(pane);
        let rest = match (**a == gone, **b == gone) {
            (true, _) => std::mem::replace(&mut **b, gone),
            (_, true) => std::mem::replace(&mut **a, gone),
            _ => return a.remove(pane) || b.remove(pane),
        };
        *self = rest;
        true
    }

    /// Puts each of two panes where the other is.
    pub(super) fn swap(&mut self, one: PaneId, other: PaneId) {
        match self {
            Self::Pane(pane) if *pane == one => *pane = other,
            Self::Pane(pane) if *pane == other => *pane = one,
            Self::Pane(_) => {}
            Self::Split { a, b, .. } => {
                a.swap(one, other);
                b.swap(one, other);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::model::notation::{node, text};

    #[test]
    fn splitting_and_removing_keep_the_rest_as_it_is() {
        let mut tree = node("1");
        assert!(tree.insert(PaneId(1), Axis::Horizontal, PaneId(2)));
        assert!(tree.insert(PaneId(2), Axis::Vertical, PaneId(3)));
        assert_eq!(text(&tree), "1 | (2 / 3)");
        assert!(!tree.insert(PaneId(9), Axis::Vertical, PaneId(4)));
        assert!(!tree.remove(PaneId(9)));
        for (gone, left) in [(1, "2 / 3"), (2, "1 | 3"), (3, "1 | 2")] {
            let mut tree = tree.clone();
            assert!(tree.remove(PaneId(gone)));
            assert_eq!(text(&tree), left);
        }
        assert!(!node("1").remove(PaneId(1)), "the last pane goes with its tab");
    }

    #[test]
    fn shares_stay_when_a_pane_elsewhere_goes() {
        let mut tree = node("(1 |0.3 2) /0.7 3");
        assert!(tree.remove(PaneId(3)));
        assert_eq!(text(&tree), "1 |0.3 2");
    }

    #[test]
    fn a_pane_s_neighbour_across_its_split_is_the_near_one() {
        let tree = node("(1 / 2) | (3 / (4 | 5))");
        for (pane, near) in [(1, 2), (2, 1), (3, 4), (4, 5), (5, 4)] {
            assert_eq!(tree.beside(PaneId(pane)), Some(PaneId(near)), "{pane}");
        }
        assert_eq!(node("1 | (2 / 3)").beside(PaneId(1)), Some(PaneId(2)));
        assert_eq!(node("1").beside(PaneId(1)), None);
    }

    #[test]
    fn paths_lead_to_panes_and_splits() {
        let mut tree = node("1 | (2 / 3)");
        assert_eq!(tree.path_to(PaneId(3)), Some(vec![Side::B, Side::B]));
        assert_eq!(tree.path_to(PaneId(4)), None);
        assert_eq!(tree.ratio(&[Side::B]), Some(0.5));
        assert_eq!(tree.ratio(&[Side::A]), None);
        assert_eq!(tree.ratio(&[Side::A, Side::A]), None);
        assert!(tree.set_ratio(&[Side::B], 0.25));
        assert!(!tree.set_ratio(&[Side::B], 0.25));
        tree.swap(PaneId(1), PaneId(3));
        assert_eq!(text(&tree), "3 | (2 /0.25 1)");
    }
}
