//! Erasing, inserting and deleting.

use super::terminal::{PRIMARY, Terminal};
use std::ops::Range;

impl Terminal {
    /// Whether the cursor is in the rows that scroll.
    pub(super) fn in_rows(&self) -> bool {
        self.margins.rows().contains(&self.place.row)
    }

    /// ED, DECSED.
    pub(super) fn erase_display(&mut self, what: u16, selective: bool) {
        let (row, rows) = (self.place.row, self.size.rows);
        match what {
            0 => {
                self.erase_line(0, selective);
                self.erase_rows(row + 1..rows, selective);
            }
            1 => {
                self.erase_line(1, selective);
                self.erase_rows(0..row, selective);
            }
            2 => {
                if !selective {
                    self.keep_screen();
                }
                self.erase_rows(0..rows, selective);
            }
            3 => {
                self.history.clear();
                self.changed = true;
            }
            _ => {}
        }
        self.place.pending = false;
    }

    /// What a person saw is not lost when the screen is cleared: the rows join the history.
    fn keep_screen(&mut self) {
        if self.shown != PRIMARY {
            return;
        }
        let grid = &self.grids[PRIMARY];
        let shown = |row: &super::row::Row| row.cells().iter().any(|cell| !cell.is_blank());
        let count = grid.rows().rposition(shown).map_or(0, |last| last + 1);
        for row in grid.rows().take(count) {
            self.history.push(row, &self.tables);
        }
    }

    fn erase_rows(&mut self, rows: Range<u16>, selective: bool) {
        let (blank, cols) = (self.blank(), self.cols());
        let kept = self.keeps_protected(selective);
        for number in rows {
            if let Some(row) = self.row_mut(number) {
                if kept {
                    row.erase_unprotected(0..cols, blank);
                } else {
                    row.recycle(blank, cols);
                }
            }
        }
    }

    /// EL, DECSEL.
    pub(super) fn erase_line(&mut self, what: u16, selective: bool) {
        let (col, cols) = (usize::from(self.place.col), self.cols());
        let range = match what {
            0 => col..cols,
            1 => 0..col + 1,
            2 => 0..cols,
            _ => return,
        };
        let (blank, kept) = (self.blank(), self.keeps_protected(selective));
        if let Some(row) = self.row_mut(self.place.row) {
            if range.end == cols {
                row.set_wrapped(false);
            }
            if kept {
                row.erase_unprotected(range, blank);
            } else {
                row.erase(range, blank);
            }
        }
        self.place.pending = false;
    }

    /// ECH.
    pub(super) fn erase_characters(&mut self, count: u16) {
        let col = usize::from(self.place.col);
        let end = (col + usize::from(count)).min(self.cols());
        let (blank, cols, kept) = (self.blank(), self.cols(), self.keeps_protected(false));
        if let Some(row) = self.row_mut(self.place.row) {
            if end == cols {
                row.set_wrapped(false);
            }
            if kept {
                row.erase_unprotected(col..end, blank);
            } else {
                row.erase(col..end, blank);
            }
        }
        self.place.pending = false;
    }

    /// ICH.
    pub(super) fn insert_characters(&mut self, count: u16) {
        self.shift_characters(count, true);
    }

    /// DCH.
    pub(super) fn delete_characters(&mut self, count: u16) {
        self.shift_characters(count, false);
    }

    fn shift_characters(&mut self, count: u16, insert: bool) {
        self.place.pending = false;
        if !self.in_columns() {
            return;
        }
        let cols = usize::from(self.place.col)..usize::from(self.margins.right);
        let blank = self.blank();
        if let Some(row) = self.row_mut(self.place.row) {
            row.set_wrapped(false);
            if insert {
                row.insert(cols, usize::from(count), blank);
            } else {
                row.delete(cols, usize::from(count), blank);
            }
        }
    }

    /// IL.
    pub(super) fn insert_lines(&mut self, count: u16) {
        if self.in_rows() && self.in_columns() {
            self.scroll_down(self.place.row..self.margins.bottom, count);
            self.place.col = self.margins.left;
            self.place.pending = false;
        }
    }

    /// DL.
    pub(super) fn delete_lines(&mut self, count: u16) {
        if self.in_rows() && self.in_columns() {
            self.scroll_up(self.place.row..self.margins.bottom, count, false);
            self.place.col = self.margins.left;
            self.place.pending = false;
        }
    }

    /// SL, SR: moves what is between the margins sideways.
    pub(super) fn shift_rows(&mut self, count: u16, right: bool) {
        if self.in_rows() && self.in_columns() {
            self.shift_columns(self.margins.left, count, right);
        }
    }

    /// DECIC, DECDC and their like: moves the columns from `col` to the right margin, in all rows that
    /// scroll.
    pub(super) fn shift_columns(&mut self, col: u16, count: u16, right: bool) {
        let cols = usize::from(col)..usize::from(self.margins.right);
        let blank = self.blank();
        for row in self.margins.rows() {
            if let Some(row) = self.row_mut(row) {
                row.set_wrapped(false);
                if right {
                    row.insert(cols.clone(), usize::from(count), blank);
                } else {
                    row.delete(cols.clone(), usize::from(count), blank);
                }
            }
        }
        self.place.pending = false;
    }
}
