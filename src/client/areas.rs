//! Who gets which cells of the screen, and which part of a layout that was solved for another
//! screen is shown.

use crate::protocol::attach::message::Room;
use crate::protocol::geometry::{Rect, Size};
use crate::protocol::limits::{MIN_CLIENT_COLS, MIN_CLIENT_ROWS, SCREEN_CELLS};

/// Columns below which the panes get the sidebars' room.
const PANE_COLS: u16 = 40;
/// Rows of a narrow screen's header.
const HEADER_ROWS: u16 = 2;
/// The narrowest and widest a sidebar can be dragged.
const SIDEBAR_COLS: (u16, u16) = (16, 60);

/// The parts of the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Areas {
    /// The left sidebar, when it is shown.
    pub left: Option<Rect>,
    /// The right sidebar, when it is shown.
    pub right: Option<Rect>,
    /// The tab bar, or the header of a narrow screen.
    pub tabs: Rect,
    /// The panes.
    pub panes: Rect,
    /// The status bar; on a narrow screen the header's second row is one while something is typed into it.
    pub status: Rect,
}

impl Areas {
    /// Divides a narrow screen: two rows, and one pane below them.
    pub fn narrow(size: Size) -> Self {
        let header = HEADER_ROWS.min(size.rows);
        Self {
            left: None,
            right: None,
            tabs: Rect::new(0, 0, Size::new(header, size.cols)),
            panes: Rect::new(header, 0, Size::new(size.rows - header, size.cols)),
            status: Rect::new(header.saturating_sub(1), 0, Size::new(header.min(1), size.cols)),
        }
    }

    /// Divides a screen; `left` and `right` are the wanted widths. A sidebar for which there is
    /// not enough room is left out, the right one first.
    pub fn of(size: Size, left: Option<u16>, right: Option<u16>) -> Self {
        let body_rows = size.rows.saturating_sub(1);
        let fits = |left: Option<u16>, right: Option<u16>| {
            let taken = left.unwrap_or(0).saturating_add(right.unwrap_or(0));
            size.cols.saturating_sub(taken) >= PANE_COLS
        };
        let right = right.filter(|_| fits(left, right));
        let left = left.filter(|_| fits(left, right));
        let (left_cols, right_cols) = (left.unwrap_or(0), right.unwrap_or(0));
        let middle_cols = size.cols.saturating_sub(left_cols + right_cols);
        let column = |col, cols| Rect::new(0, col, Size::new(body_rows, cols));
        Self {
            left: left.map(|cols| column(0, cols)),
            right: right.map(|cols| column(left_cols + middle_cols, cols)),
            tabs: Rect::new(0, left_cols, Size::new(1, middle_cols)),
            panes: Rect::new(1, left_cols, Size::new(body_rows.saturating_sub(1), middle_cols)),
            status: Rect::new(body_rows, 0, Size::new(1, size.cols)),
        }
    }
}

/// Whether a screen is too small for anything but a line that says so.
pub fn too_small(size: Size) -> bool {
    size.rows < MIN_CLIENT_ROWS || size.cols < MIN_CLIENT_COLS
}

/// What is announced for panes: what a server may be told, even from a screen too small.
pub fn announced(panes: Rect, alone: bool) -> Room {
    let area = Size::new(panes.rows.min(SCREEN_CELLS), panes.cols.min(SCREEN_CELLS)).at_least_one();
    Room { area, alone }
}

/// A sidebar's width after its edge was dragged to leave it `cols` wide on a screen of `screen_cols`.
pub fn dragged_width(cols: u16, screen_cols: u16) -> u16 {
    let widest = screen_cols.saturating_sub(PANE_COLS).min(SIDEBAR_COLS.1);
    cols.min(widest).max(SIDEBAR_COLS.0)
}

/// The first cell of the layout that is shown, when the layout is larger than the panes' area.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Viewport {
    /// Its row in the layout.
    pub row: u16,
    /// Its column in the layout.
    pub col: u16,
}

/// What is seen of a rectangle of the layout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Visible {
    /// Where it is on the screen.
    pub rect: Rect,
    /// Rows of the rectangle above the first one seen.
    pub skip_rows: u16,
    /// Columns of the rectangle before the first one seen.
    pub skip_cols: u16,
}

impl Viewport {
    /// The viewport moved to show `target` (a cell of the layout), if it does not yet.
    pub fn follow(self, own: Size, layout: Size, target: Option<(u16, u16)>) -> Self {
        let axis = |start: u16, own: u16, layout: u16, target: Option<u16>| {
            let last = layout.saturating_sub(own);
            let start = match target {
                // Back to the beginning where that shows the target: what stands before a cursor is
                // what one wants to read.
                Some(cell) if cell < start || cell >= start.saturating_add(own) => {
                    cell.saturating_sub(own.saturating_sub(1))
                }
                _ => start,
            };
            start.min(last)
        };
        Self {
            row: axis(self.row, own.rows, layout.rows, target.map(|cell| cell.0)),
            col: axis(self.col, own.cols, layout.cols, target.map(|cell| cell.1)),
        }
    }

    /// Where a rectangle of the layout is seen inside `panes`, if it is.
    pub fn place(self, panes: Rect, rect: Rect) -> Option<Visible> {
        let axis = |start: u16, len: u16, from: u16, screen: u16, screen_len: u16| {
            let first = start.max(from);
            let end = start.saturating_add(len).min(from.saturating_add(screen_len));
            (first < end).then(|| (screen.saturating_add(first - from), end - first, first - start))
        };
        let (row, rows, skip_rows) = axis(rect.row, rect.rows, self.row, panes.row, panes.rows)?;
        let (col, cols, skip_cols) = axis(rect.col, rect.cols, self.col, panes.col, panes.cols)?;
        Some(Visible { rect: Rect { row, col, rows, cols }, skip_rows, skip_cols })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_narrow_screen_gives_up_the_right_sidebar_first() {
        let wide = Areas::of(Size::new(30, 100), Some(28), Some(32));
        assert_eq!(wide.panes, Rect::new(1, 28, Size::new(28, 40)));
        assert_eq!(wide.right, Some(Rect::new(0, 68, Size::new(29, 32))));
        let narrow = Areas::of(Size::new(30, 99), Some(28), Some(32));
        assert_eq!((narrow.right, narrow.left.map(|left| left.cols)), (None, Some(28)));
        assert_eq!(Areas::of(Size::new(30, 67), Some(28), None).panes.cols, 67);
    }

    #[test]
    fn a_larger_layout_is_cropped_around_the_cursor() {
        let panes = Rect::new(1, 0, Size::new(10, 20));
        let view = Viewport::default().follow(panes.size(), Size::new(30, 80), Some((25, 50)));
        assert_eq!(view, Viewport { row: 16, col: 31 });
        assert_eq!(view.follow(panes.size(), Size::new(30, 80), Some((20, 40))), view);
        let back = view.follow(panes.size(), Size::new(30, 80), Some((25, 7)));
        assert_eq!(back.col, 0, "a prompt is seen from its beginning");
        let seen = view.place(panes, Rect::new(10, 0, Size::new(20, 80)));
        let wanted = Visible { rect: Rect::new(1, 0, Size::new(10, 20)), skip_rows: 6, skip_cols: 31 };
        assert_eq!(seen, Some(wanted));
        assert_eq!(view.place(panes, Rect::new(0, 0, Size::new(16, 80))), None);
    }

    proptest! {
        #[test]
        fn the_target_is_always_seen(
            own in (1u16..50, 1u16..50), layout in (1u16..90, 1u16..90),
            start in (0u16..90, 0u16..90), target in (0u16..90, 0u16..90),
        ) {
            let (own, layout) = (Size::new(own.0, own.1), Size::new(layout.0, layout.1));
            let target = (target.0 % layout.rows, target.1 % layout.cols);
            let view = Viewport { row: start.0, col: start.1 }.follow(own, layout, Some(target));
            let cell = Rect::new(target.0, target.1, Size::new(1, 1));
            prop_assert!(view.place(Rect::new(0, 0, own), cell).is_some());
        }
    }
}
