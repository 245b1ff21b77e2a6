//! From a tree and an area to rectangles: the only source of geometry.
//!
//! Invariant: frames of neighbours share the line between them, and together with what they enclose
//! they cover the area, each cell once. Shares give way to the smallest pane where there is room for
//! it, then to one cell of content; if even that does not fit, [`solve`] says so.

use super::layout::Tree;
use super::parts::Tab;
use crate::protocol::command::Side;
use crate::protocol::geometry::{Axis, Direction, Rect, Size};
use crate::protocol::ids::PaneId;
use crate::protocol::limits::{MIN_PANE_COLS, MIN_PANE_ROWS};
use crate::protocol::scene::{Divider, Layout, Place};

/// The frame around the smallest pane that a split may leave.
const COMFORTABLE: Size = Size::new(MIN_PANE_ROWS + 2, MIN_PANE_COLS + 2);
/// The frame around one cell.
const BARE: Size = Size::new(3, 3);
/// Sides of an area in which every layout has its shape, for asking what lies beside what.
const LOGICAL: Size = Size::new(60_000, 60_000);

/// All panes and lines of a tree.
#[derive(Debug, Clone, PartialEq, Default)]
struct Solved {
    /// The panes in layout order.
    places: Vec<Place>,
    /// The lines, each after those of the splits above it.
    dividers: Vec<Divider>,
}

/// Where a split may be cut along its axis. Lengths count the shared line on both sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cut {
    /// How long the split is.
    pub length: u16,
    /// How long side `a` is.
    pub first: u16,
    /// The least and the most that side `a` may have.
    pub bounds: (u16, u16),
}

impl Cut {
    /// The share of `a` that gives it this length.
    pub fn ratio(&self, first: u16) -> f32 {
        f32::from(first.saturating_sub(1)) / f32::from(self.length.saturating_sub(1).max(1))
    }

    /// The share of `a` that is nearest to the wanted one.
    pub fn clamp(&self, ratio: f32) -> f32 {
        ratio.clamp(self.ratio(self.bounds.0), self.ratio(self.bounds.1))
    }
}

/// What a tab is shown in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// The cells.
    pub area: Size,
    /// Whether the focused pane is shown alone: the view of a narrow screen, which is no zoom.
    pub alone: bool,
    /// Whether there is space between panes, where there is room for it (setting `layout.pane_gaps`).
    pub gaps: bool,
}

impl From<Size> for Shape {
    fn from(area: Size) -> Self {
        Self { area, alone: false, gaps: false }
    }
}

impl Shape {
    pub(super) fn at_least_one(self) -> Self {
        Self { area: self.area.at_least_one(), ..self }
    }
}

/// A tab's layout: all panes, or the focused one alone if it is zoomed or nothing else has room.
pub(super) fn layout(tab: &Tab, shape: impl Into<Shape>) -> Layout {
    let Shape { area, alone: only, gaps } = shape.into();
    let all = if tab.zoomed || only { None } else { solve(&tab.tree, area) };
    let Solved { mut places, dividers } =
        all.unwrap_or_else(|| Solved { places: vec![alone(tab.focused, area)], dividers: Vec::new() });
    if gaps && let Some(apart) = places.iter().map(|place| apart(*place, area)).collect() {
        places = apart;
    }
    Layout { area, places, dividers, focused: Some(tab.focused), zoomed: tab.zoomed }
}

/// A place that gives its half of the lines between panes away, so that they are space; nothing if less than
/// the smallest pane would be left.
fn apart(place: Place, area: Size) -> Option<Place> {
    let Some(frame) = place.frame else { return Some(place) };
    let inset = |start: u16, end: u16, whole: u16| {
        let start = start + u16::from(start > 0);
        (start, (end - u16::from(end < whole)).saturating_sub(start))
    };
    let (row, rows) = inset(frame.row, frame.bottom(), area.rows);
    let (col, cols) = inset(frame.col, frame.right(), area.cols);
    let frame = Rect { row, col, rows, cols };
    fits(COMFORTABLE, frame.size()).then(|| Place {
        frame: Some(frame),
        content: frame.inside_frame(),
        ..place
    })
}

/// Solves a tree, or nothing if the area cannot hold a cell of every pane. A pane alone has no frame.
fn solve(tree: &Tree, area: Size) -> Option<Solved> {
    let mut solved = Solved::default();
    let whole = Rect::new(0, 0, area);
    if let Tree::Pane(pane) = tree {
        solved.places.push(alone(*pane, area));
        return Some(solved);
    }
    if !fits(needs(tree, BARE), area) {
        return None;
    }
    lay(tree, whole, &mut Vec::new(), &mut solved);
    Some(solved)
}

/// Whether an area has room for every pane of a tree at the size that a split may leave it.
pub(super) fn has_room(tree: &Tree, area: Size) -> bool {
    fits(needs(tree, COMFORTABLE), area)
}

/// A pane that has the whole area.
fn alone(pane: PaneId, area: Size) -> Place {
    Place { pane, frame: None, content: Rect::new(0, 0, area) }
}

fn lay(node: &Tree, rect: Rect, path: &mut Vec<Side>, solved: &mut Solved) {
    match node {
        Tree::Pane(pane) => {
            let place = Place { pane: *pane, frame: Some(rect), content: rect.inside_frame() };
            solved.places.push(place);
        }
        Tree::Split { axis, a, b, .. } => {
            let Some((cut, first, second)) = halves(node, rect) else { return };
            let line = line(*axis, rect, cut.first);
            solved.dividers.push(Divider { path: path.clone(), axis: *axis, line, area: rect });
            for (side, node, rect) in [(Side::A, a, first), (Side::B, b, second)] {
                path.push(side);
                lay(node, rect, path, solved);
                path.pop();
            }
        }
    }
}

/// The line between the sides, without its ends, which belong to other lines.
fn line(axis: Axis, rect: Rect, first: u16) -> Rect {
    let inside = rect.inside_frame();
    match axis {
        Axis::Horizontal => Rect { col: rect.col + first - 1, cols: 1, ..inside },
        Axis::Vertical => Rect { row: rect.row + first - 1, rows: 1, ..inside },
    }
}

/// How a split's rectangle is cut, and the rectangles of its sides.
fn halves(node: &Tree, rect: Rect) -> Option<(Cut, Rect, Rect)> {
    let Tree::Split { axis, .. } = node else { return None };
    let cut = cut(node, rect)?;
    let second = cut.length + 1 - cut.first;
    let start = cut.first - 1;
    Some(match axis {
        Axis::Horizontal => {
            (cut, Rect { cols: cut.first, ..rect }, Rect { col: rect.col + start, cols: second, ..rect })
        }
        Axis::Vertical => {
            (cut, Rect { rows: cut.first, ..rect }, Rect { row: rect.row + start, rows: second, ..rect })
        }
    })
}

/// Where a split in that rectangle is cut; nothing if there is no room for both sides.
pub(super) fn cut(node: &Tree, rect: Rect) -> Option<Cut> {
    let Tree::Split { axis, ratio, a, b } = node else { return None };
    let length = along(*axis, rect.size());
    let wanted = share(*ratio, length.saturating_sub(1)) + 1;
    [COMFORTABLE, BARE].into_iter().find_map(|leaf| {
        let least = along(*axis, needs(a, leaf));
        let most = (length + 1).checked_sub(along(*axis, needs(b, leaf)))?;
        (least <= most).then(|| Cut { length, first: wanted.clamp(least, most), bounds: (least, most) })
    })
}

/// The rectangle of the node at the end of a way.
pub(super) fn rect_of(tree: &Tree, area: Size, path: &[Side]) -> Option<Rect> {
    let (mut node, mut rect) = (tree, Rect::new(0, 0, area));
    for side in path {
        let (_, first, second) = halves(node, rect)?;
        node = node.at(&[*side])?;
        rect = if *side == Side::A { first } else { second };
    }
    Some(rect)
}

/// The frame that a node needs if every pane in it needs `leaf`.
fn needs(node: &Tree, leaf: Size) -> Size {
    let Tree::Split { axis, a, b, .. } = node else { return leaf };
    let (a, b) = (needs(a, leaf), needs(b, leaf));
    let both = |a: u16, b: u16| a.saturating_add(b) - 1;
    match axis {
        Axis::Horizontal => Size::new(a.rows.max(b.rows), both(a.cols, b.cols)),
        Axis::Vertical => Size::new(both(a.rows, b.rows), a.cols.max(b.cols)),
    }
}

fn fits(needed: Size, area: Size) -> bool {
    needed.rows <= area.rows && needed.cols <= area.cols
}

const fn along(axis: Axis, size: Size) -> u16 {
    match axis {
        Axis::Horizontal => size.cols,
        Axis::Vertical => size.rows,
    }
}

/// That share of `cells`, rounded.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // the cast saturates
fn share(ratio: f32, cells: u16) -> u16 {
    ((ratio * f32::from(cells)).round() as u16).min(cells)
}

/// The axis in which a pane with that frame may be split: the wished one, or the longer side, or the
/// other one if only that has room. Nothing if a half would be smaller than the smallest pane.
pub(super) fn splittable(frame: Size, wished: Option<Axis>) -> Option<Axis> {
    let fits = |axis: &Axis| {
        // Both halves have the shared line, so half of one more, and the smaller of the two counts.
        let half = match axis {
            Axis::Horizontal => Size::new(frame.rows, frame.cols.div_ceil(2)),
            Axis::Vertical => Size::new(frame.rows.div_ceil(2), frame.cols),
        };
        self::fits(COMFORTABLE, half)
    };
    if let Some(axis) = wished {
        return Some(axis).filter(fits);
    }
    // A cell is about twice as high as it is wide.
    let wide = frame.cols >= frame.rows.saturating_mul(2);
    let order = if wide { [Axis::Horizontal, Axis::Vertical] } else { [Axis::Vertical, Axis::Horizontal] };
    order.into_iter().find(fits)
}

/// The panes that touch a pane's edge in that direction, from the top or left.
pub(super) fn neighbours(tree: &Tree, area: Size, pane: PaneId, direction: Direction) -> Vec<PaneId> {
    let Some(solved) = solve(tree, area).or_else(|| solve(tree, LOGICAL)) else { return Vec::new() };
    let frame = |place: &Place| place.frame.map(|frame| (place.pane, frame));
    let Some((_, own)) = solved.places.iter().filter_map(frame).find(|(other, _)| *other == pane) else {
        return Vec::new();
    };
    let touches = |other: Rect| match direction {
        Direction::Left => other.right() == own.col + 1,
        Direction::Right => other.col + 1 == own.right(),
        Direction::Up => other.bottom() == own.row + 1,
        Direction::Down => other.row + 1 == own.bottom(),
    };
    let overlaps = |other: Rect| match direction {
        Direction::Left | Direction::Right => meet((own.row, own.bottom()), (other.row, other.bottom())),
        Direction::Up | Direction::Down => meet((own.col, own.right()), (other.col, other.right())),
    };
    let beside = |(_, other): &(PaneId, Rect)| touches(*other) && overlaps(*other);
    solved.places.iter().filter_map(frame).filter(beside).map(|(pane, _)| pane).collect()
}

/// Whether two frames overlap by more than the line that they share.
fn meet(own: (u16, u16), other: (u16, u16)) -> bool {
    own.0.max(other.0) + 1 < own.1.min(other.1)
}

#[cfg(test)]
pub(super) mod tests;
