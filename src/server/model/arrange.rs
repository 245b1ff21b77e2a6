//! Layouts by name (`product.md` section 3): what a tab's tree looks like in each of them.
//!
//! Invariant: the order of the panes stays, so that every arrangement can be left for any other.

use super::layout::Tree;
use crate::protocol::command::Arrangement;
use crate::protocol::geometry::Axis;
use crate::protocol::ids::PaneId;

/// The share of the large pane beside or above the others.
const MAIN: f32 = 0.6;

/// In this order the arrangements follow each other.
const CYCLE: [Arrangement; 5] =
    [Arrangement::Columns, Arrangement::Rows, Arrangement::MainLeft, Arrangement::MainTop, Arrangement::Grid];

/// The arrangements after the one that a tree is in, itself last; all from the first one on for a tree
/// made by hand.
pub fn after(tree: &Tree) -> impl Iterator<Item = Arrangement> {
    let here = CYCLE.iter().position(|arrangement| arranged(tree, *arrangement).as_ref() == Some(tree));
    let start = here.map_or(0, |here| here + 1);
    CYCLE.into_iter().cycle().skip(start).take(CYCLE.len())
}

/// The tree in another arrangement; nothing for a pane alone.
pub fn arranged(tree: &Tree, arrangement: Arrangement) -> Option<Tree> {
    let panes = tree.panes();
    let (main, others) = panes.split_first()?;
    if others.is_empty() {
        return None;
    }
    let line = |axis, panes: &[PaneId]| {
        let leaves: Vec<Tree> = panes.iter().map(|pane| Tree::Pane(*pane)).collect();
        in_line(axis, &leaves)
    };
    let beside = |axis: Axis, across: Axis| {
        let (a, b) = (Box::new(Tree::Pane(*main)), Box::new(line(across, others)?));
        Some(Tree::Split { axis, ratio: MAIN, a, b })
    };
    match arrangement {
        Arrangement::Columns => line(Axis::Horizontal, &panes),
        Arrangement::Rows => line(Axis::Vertical, &panes),
        Arrangement::MainLeft => beside(Axis::Horizontal, Axis::Vertical),
        Arrangement::MainTop => beside(Axis::Vertical, Axis::Horizontal),
        Arrangement::Grid => {
            let rows = grid_rows(panes.len());
            let rows: Vec<Tree> =
                cut(&panes, rows).into_iter().filter_map(|row| line(Axis::Horizontal, row)).collect();
            in_line(Axis::Vertical, &rows)
        }
        Arrangement::Even => Some(even(tree)),
    }
}

/// Rows of a grid that is at least as wide as it is high: cells are higher than they are wide.
fn grid_rows(panes: usize) -> usize {
    (1..=panes).take_while(|rows| rows * rows <= panes).last().unwrap_or(1)
}

/// Cuts a list into parts whose lengths differ by one at most, longer ones last.
fn cut<T>(list: &[T], parts: usize) -> Vec<&[T]> {
    let mut rest = list;
    let mut found = Vec::new();
    for left in (1..=parts).rev() {
        let (part, after) = rest.split_at(rest.len() / left);
        found.push(part);
        rest = after;
    }
    found
}

/// Trees side by side with equal shares. Halves of halves: a chain would be as deep as it is long.
fn in_line(axis: Axis, trees: &[Tree]) -> Option<Tree> {
    match trees {
        [] => None,
        [one] => Some(one.clone()),
        several => {
            let (a, b) = several.split_at(several.len() / 2);
            let ratio = share(a.len(), b.len());
            Some(Tree::Split { axis, ratio, a: Box::new(in_line(axis, a)?), b: Box::new(in_line(axis, b)?) })
        }
    }
}

/// The same splits with equal shares: along each axis every pane of a line gets as much as the others.
fn even(tree: &Tree) -> Tree {
    match tree {
        Tree::Pane(pane) => Tree::Pane(*pane),
        Tree::Split { axis, a, b, .. } => {
            let ratio = share(along(a, *axis), along(b, *axis));
            Tree::Split { axis: *axis, ratio, a: Box::new(even(a)), b: Box::new(even(b)) }
        }
    }
}

/// How many panes lie in a line along an axis.
fn along(tree: &Tree, line: Axis) -> usize {
    match tree {
        Tree::Split { axis, a, b, .. } if *axis == line => along(a, line) + along(b, line),
        _ => 1,
    }
}

#[expect(clippy::cast_precision_loss, reason = "a tab has far fewer panes than an f32 counts")]
fn share(a: usize, b: usize) -> f32 {
    a as f32 / (a + b) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(panes: u32) -> Tree {
        let leaves: Vec<Tree> = (1..=panes).map(|pane| Tree::Pane(PaneId(pane))).collect();
        in_line(Axis::Horizontal, &leaves).expect("panes")
    }

    #[test]
    fn each_arrangement_keeps_the_panes_and_their_order() {
        for panes in 2..=17 {
            for arrangement in CYCLE.into_iter().chain([Arrangement::Even]) {
                let arranged = arranged(&tree(panes), arrangement).expect("several panes");
                assert_eq!(arranged.panes(), tree(panes).panes(), "{arrangement:?}");
            }
        }
        assert_eq!(arranged(&tree(1), Arrangement::Grid), None);
    }

    #[test]
    fn the_cycle_comes_back_to_its_start() {
        let mut now = tree(5);
        for wanted in [Arrangement::Rows, Arrangement::MainLeft, Arrangement::MainTop, Arrangement::Grid] {
            assert_eq!(after(&now).next(), Some(wanted));
            now = arranged(&now, wanted).expect("several panes");
        }
        assert_eq!(after(&now).next(), Some(Arrangement::Columns));
    }

    #[test]
    fn a_grid_is_wider_than_high() {
        let rows: Vec<usize> = [2, 3, 4, 5, 6, 8, 9, 12].into_iter().map(grid_rows).collect();
        assert_eq!(rows, [1, 1, 2, 2, 2, 2, 3, 3]);
        let cut: Vec<usize> = cut(&[1, 2, 3, 4, 5], 2).iter().map(|part| part.len()).collect();
        assert_eq!(cut, [2, 3]);
    }

    #[test]
    fn even_shares_follow_the_line_not_the_tree() {
        let (one, two, three) = (PaneId(1), PaneId(2), PaneId(3));
        let leaf = |pane| Box::new(Tree::Pane(pane));
        let inner = Tree::Split { axis: Axis::Horizontal, ratio: 0.9, a: leaf(two), b: leaf(three) };
        let uneven = Tree::Split { axis: Axis::Horizontal, ratio: 0.2, a: leaf(one), b: Box::new(inner) };
        let Tree::Split { ratio, b, .. } = even(&uneven) else { panic!("a split") };
        assert!((ratio - 1.0 / 3.0).abs() < 1e-6);
        assert!(matches!(*b, Tree::Split { ratio, .. } if (ratio - 0.5).abs() < 1e-6));
    }
}
