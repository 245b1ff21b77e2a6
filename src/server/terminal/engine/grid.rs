//! The rows of one screen.
//!
//! Invariant: there are as many rows as the screen is high; rows that scroll out are used again for those
//! that come in.

use super::cell::Cell;
use super::row::Row;
use std::collections::VecDeque;
use std::ops::Range;

/// A screen.
#[derive(Debug, Default)]
pub(super) struct Grid {
    rows: VecDeque<Row>,
}

impl Grid {
    pub(super) fn new(rows: u16) -> Self {
        Self { rows: (0..rows).map(|_| Row::default()).collect() }
    }

    pub(super) fn row(&self, row: u16) -> Option<&Row> {
        self.rows.get(usize::from(row))
    }

    pub(super) fn row_mut(&mut self, row: u16) -> Option<&mut Row> {
        self.rows.get_mut(usize::from(row))
    }

    pub(super) fn rows(&self) -> impl DoubleEndedIterator<Item = &Row> + ExactSizeIterator {
        self.rows.iter()
    }

    pub(super) fn rows_mut(&mut self) -> impl DoubleEndedIterator<Item = &mut Row> {
        self.rows.iter_mut()
    }

    /// The cells of a row of the range `cols`.
    pub(super) fn copy(&self, row: u16, cols: Range<u16>) -> impl Iterator<Item = Cell> + '_ {
        cols.map(move |col| self.row(row).map_or(Cell::default(), |row| row.cell(usize::from(col))))
    }

    /// Moves the rows of a range up by one; the first becomes a blank last one.
    pub(super) fn scroll_up(&mut self, rows: Range<u16>, blank: Cell, cols: usize) {
        let (top, bottom) = (usize::from(rows.start), usize::from(rows.end));
        let row = if top == 0 { self.rows.pop_front() } else { self.rows.remove(top) };
        let Some(mut row) = row else { return };
        row.recycle(blank, cols);
        if bottom > self.rows.len() {
            self.rows.push_back(row);
        } else {
            self.rows.insert(bottom - 1, row);
        }
    }

    /// Moves the rows of a range down by one; the last becomes a blank first one.
    pub(super) fn scroll_down(&mut self, rows: Range<u16>, blank: Cell, cols: usize) {
        let (top, bottom) = (usize::from(rows.start), usize::from(rows.end));
        let Some(mut row) = bottom.checked_sub(1).and_then(|last| self.rows.remove(last)) else { return };
        row.recycle(blank, cols);
        self.rows.insert(top, row);
    }

    /// Takes all rows out.
    pub(super) fn take_rows(&mut self) -> VecDeque<Row> {
        std::mem::take(&mut self.rows)
    }

    /// Puts rows in.
    pub(super) fn set_rows(&mut self, rows: VecDeque<Row>) {
        self.rows = rows;
    }
}
