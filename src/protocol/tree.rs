//! The split tree of a tab as plain data, for whoever must show a whole layout: the protocols'
//! snapshots and `layout.export`. Clients draw from the solved [`Layout`](super::scene::Layout).

use super::geometry::Axis;
use super::ids::PaneId;
use super::limits::LAYOUT_DEPTH;
use serde::{Deserialize, Serialize};

/// A layout: one pane, or two layouts side by side or one above the other.
#[derive(Debug, Clone, PartialEq)]
pub enum Tree {
    /// A leaf.
    Pane(PaneId),
    /// A division in two.
    Split {
        /// How the sides lie.
        axis: Axis,
        /// The share of `a`, 0–1.
        ratio: f32,
        /// Left or above.
        a: Box<Tree>,
        /// Right or below.
        b: Box<Tree>,
    },
}

/// One step of a layout written as a list: a split is followed by its side `a` and then its side `b`.
/// A list can be read from a peer without going as deep as it likes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Node {
    /// A leaf.
    Pane(PaneId),
    /// A division in two; both sides follow.
    Split {
        /// How the sides lie.
        axis: Axis,
        /// The share of `a`.
        ratio: f32,
    },
}

impl Tree {
    /// The layout that a list describes; nothing if it is not one, or deeper than layouts may be.
    #[must_use]
    pub fn from_nodes(nodes: &[Node]) -> Option<Self> {
        // From the end, so that the sides of a split are there when it comes.
        let mut sides: Vec<(Self, usize)> = Vec::new();
        for node in nodes.iter().rev() {
            let side = match *node {
                Node::Pane(pane) => (Self::Pane(pane), 0),
                Node::Split { axis, ratio } => {
                    let ((a, depth_a), (b, depth_b)) = (sides.pop()?, sides.pop()?);
                    let depth = depth_a.max(depth_b) + 1;
                    (Self::Split { axis, ratio, a: Box::new(a), b: Box::new(b) }, depth)
                }
            };
            if side.1 > LAYOUT_DEPTH {
                return None;
            }
            sides.push(side);
        }
        let (tree, _) = sides.pop()?;
        sides.is_empty().then_some(tree)
    }
}

/// One tab's layout.
#[derive(Debug, Clone, PartialEq)]
pub struct TabLayout {
    /// All of its panes, also those that a zoomed one hides.
    pub tree: Tree,
    /// The pane that is shown alone.
    pub zoomed: Option<PaneId>,
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPLIT: Node = Node::Split { axis: Axis::Vertical, ratio: 0.25 };

    fn pane(id: u32) -> Node {
        Node::Pane(PaneId(id))
    }

    #[test]
    fn a_list_is_read_side_by_side() {
        let leaf = |id| Box::new(Tree::Pane(PaneId(id)));
        let split = |a, b| Tree::Split { axis: Axis::Vertical, ratio: 0.25, a, b };
        assert_eq!(Tree::from_nodes(&[pane(1)]), Some(Tree::Pane(PaneId(1))));
        let nodes = [SPLIT, pane(1), SPLIT, pane(2), pane(3)];
        assert_eq!(Tree::from_nodes(&nodes), Some(split(leaf(1), Box::new(split(leaf(2), leaf(3))))));
        for bad in [&[][..], &[SPLIT], &[SPLIT, pane(1)], &[pane(1), pane(2)], &[pane(1), SPLIT, pane(2)]] {
            assert_eq!(Tree::from_nodes(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn a_layout_has_a_greatest_depth() {
        let deep = |splits: usize| {
            let mut nodes: Vec<Node> = (0..).take(splits).flat_map(|at| [SPLIT, pane(at)]).collect();
            nodes.push(pane(1_000_000));
            Tree::from_nodes(&nodes)
        };
        assert!(deep(LAYOUT_DEPTH).is_some());
        assert!(deep(LAYOUT_DEPTH + 1).is_none());
        assert!(deep(500_000).is_none());
    }
}
