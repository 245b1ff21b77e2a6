//! The split tree of a tab as plain data, for whoever must show a whole layout: the protocols'
//! snapshots and `layout.export`. Clients draw from the solved [`Layout`](super::scene::Layout).

use super::geometry::Axis;
use super::ids::PaneId;

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

/// One tab's layout.
#[derive(Debug, Clone, PartialEq)]
pub struct TabLayout {
    /// All of its panes, also those that a zoomed one hides.
    pub tree: Tree,
    /// The pane that is shown alone.
    pub zoomed: Option<PaneId>,
}
