//! The rows of the live screen, painted again only where something may have changed.
//!
//! Invariant: a row that looks the same as before is the same `Arc`.

use super::draft::Draft;
use crate::protocol::frame::{Cursor, CursorShape, Row};
use crate::protocol::geometry::Size;
use std::ops::Range;
use std::sync::Arc;
use vt100::{CursorStyle, Screen};

/// The last painted rows, and which of them are out of date.
#[derive(Debug)]
pub(super) struct Painter {
    /// As they were last given out.
    shown: Vec<Arc<Row>>,
    /// The same, moved as the screen scrolled since.
    rows: Vec<Arc<Row>>,
    stale: Vec<bool>,
    draft: Draft,
}

impl Painter {
    pub(super) fn new(size: Size) -> Self {
        let count = usize::from(size.rows);
        let rows = vec![Arc::default(); count];
        Self { shown: rows.clone(), rows, stale: vec![true; count], draft: Draft::default() }
    }

    /// Rows may have changed; those beyond the screen are ignored.
    pub(super) fn mark(&mut self, rows: Range<u16>) {
        let end = usize::from(rows.end).min(self.stale.len());
        let start = usize::from(rows.start).min(end);
        self.stale[start..end].fill(true);
    }

    /// All rows moved up by so many, with new ones at the end.
    pub(super) fn scroll(&mut self, rows: usize) {
        let rows = rows.min(self.rows.len());
        self.rows.rotate_left(rows);
        self.stale.rotate_left(rows);
        let kept = self.stale.len() - rows;
        self.stale[kept..].fill(true);
    }

    /// Every row may have changed, and their number too.
    pub(super) fn mark_all(&mut self, rows: u16) {
        self.shown.resize(usize::from(rows), Arc::default());
        self.rows.resize(usize::from(rows), Arc::default());
        self.stale.clear();
        self.stale.resize(usize::from(rows), true);
    }

    /// The rows of the screen, `cols` cells wide.
    pub(super) fn paint(&mut self, screen: &Screen, cols: u16) -> &[Arc<Row>] {
        for ((number, row), stale) in (0_u16..).zip(&mut self.rows).zip(&mut self.stale) {
            if std::mem::take(stale) {
                let wrapped = screen.row_wrapped(number);
                self.draft.read_screen(screen, number, cols);
                self.draft.trim();
                if row.wrapped != wrapped || !self.draft.matches(row) {
                    *row = Arc::new(self.draft.to_row(wrapped));
                }
            }
        }
        for (row, shown) in self.rows.iter_mut().zip(&mut self.shown) {
            if Arc::ptr_eq(row, shown) {
                continue;
            }
            if row == shown {
                // Another row moved here that looks the same as the one before.
                row.clone_from(shown);
            } else {
                shown.clone_from(row);
            }
        }
        &self.shown
    }
}

/// The screen's cursor.
pub(super) fn cursor(screen: &Screen, size: Size) -> Cursor {
    let (row, col) = screen.cursor_position();
    let shape = match screen.cursor_style() {
        CursorStyle::Default => CursorShape::Default,
        CursorStyle::BlinkBlock => CursorShape::Block { blink: true },
        CursorStyle::SteadyBlock => CursorShape::Block { blink: false },
        CursorStyle::BlinkUnderline => CursorShape::Underline { blink: true },
        CursorStyle::SteadyUnderline => CursorShape::Underline { blink: false },
        CursorStyle::BlinkVerticalBar => CursorShape::Bar { blink: true },
        CursorStyle::SteadyVerticalBar => CursorShape::Bar { blink: false },
    };
    // After the last column is written the cursor waits beyond it.
    Cursor { row: row.min(size.rows.saturating_sub(1)), col: col.min(size.cols.saturating_sub(1)), shape }
}
