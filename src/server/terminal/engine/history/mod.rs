//! The rows that left the screen, within one budget of bytes.
//!
//! Owns two stores that share the budget: the primary screen's rows, and those of the alternate
//! screen for as long as that one is shown.
//!
//! Invariants: what is held never exceeds the budget once a call returns; oldest rows go first, those
//! of the alternate screen only after the last primary one; a row keeps its number while output arrives,
//! the numbers of alternate rows follow the primary ones.

mod record;
mod store;

use super::prompts::RowMark;
use super::row::Row;
use super::tables::Tables;
use crate::protocol::style::Style;
use std::ops::Range;
use store::Store;

/// Rows that left the screen.
#[derive(Debug)]
pub(super) struct History {
    primary: Store,
    alternate: Store,
    alternate_shown: bool,
    budget_bytes: usize,
}

impl History {
    /// An empty history of rows `cols` cells wide.
    pub(super) fn new(budget_bytes: usize, cols: usize) -> Self {
        let store = || Store::new(budget_bytes, cols);
        Self { primary: store(), alternate: store(), alternate_shown: false, budget_bytes }
    }

    /// Takes a row that left the top of the shown screen.
    pub(super) fn push(&mut self, row: &Row, tables: &Tables) {
        let store = if self.alternate_shown { &mut self.alternate } else { &mut self.primary };
        store.push(row.cells(), row.wrapped(), row.mark(), tables);
        self.keep_budget();
    }

    /// Takes a row that left the top of the primary screen, whichever is shown.
    pub(super) fn push_primary(&mut self, row: &Row, tables: &Tables) {
        self.primary.push(row.cells(), row.wrapped(), row.mark(), tables);
        self.keep_budget();
    }

    /// Gives the newest row of the primary screen back, cell by cell; whether its text goes on, and its mark.
    pub(super) fn pop_primary(&mut self, cell: impl FnMut(&str, bool, Style)) -> Option<(bool, RowMark)> {
        self.primary.pop(cell)
    }

    /// Whether the newest primary row goes on on the screen.
    pub(super) fn goes_on(&self) -> bool {
        self.primary.goes_on()
    }

    /// Wraps its lines anew.
    pub(super) fn set_width(&mut self, cols: usize) {
        self.primary.set_width(cols);
        self.alternate.set_width(cols);
    }

    /// The newest prompt's command ended.
    pub(super) fn note_exit(&mut self, exit: i32) {
        self.primary.note_exit(exit);
    }

    /// Rows of the primary screen with marks before a row, the newest first.
    pub(super) fn marks_before(&self, row: u64) -> impl Iterator<Item = (u64, RowMark)> {
        self.primary.marks_before(row)
    }

    /// Rows of the primary screen with marks from a row on.
    pub(super) fn marks_from(&self, row: u64) -> impl Iterator<Item = (u64, RowMark)> {
        self.primary.marks_from(row)
    }

    /// The number after the newest row of the primary screen.
    pub(super) fn primary_end(&self) -> u64 {
        self.primary.range().end
    }

    fn keep_budget(&mut self) {
        while self.held_bytes() > self.budget_bytes {
            if self.primary.is_empty() {
                self.alternate.drop_oldest();
            } else {
                self.primary.drop_oldest();
            }
        }
    }

    /// What both histories hold.
    pub(super) fn held_bytes(&self) -> usize {
        self.primary.held_bytes() + self.alternate.held_bytes()
    }

    /// The child went to the other screen; on the primary one no alternate rows are kept.
    pub(super) fn show_alternate(&mut self, shown: bool) {
        self.alternate_shown = shown;
        if !shown {
            self.alternate.reset();
        }
    }

    /// Drops every row.
    pub(super) fn clear(&mut self) {
        self.primary.clear();
        self.alternate.clear();
    }

    /// Numbers of the oldest row kept and of the row after the newest.
    pub(super) fn range(&self) -> Range<u64> {
        let (primary, alternate) = (self.primary.range(), self.alternate.range());
        let start = if self.primary.is_empty() { primary.end + alternate.start } else { primary.start };
        start..primary.end + alternate.end
    }

    /// Reads a row by its number, cell by cell; whether its text goes on in the next row.
    pub(super) fn read(&self, number: u64, cell: impl FnMut(&str, bool, Style)) -> Option<bool> {
        let primary_end = self.primary.range().end;
        match number.checked_sub(primary_end) {
            Some(alternate) => self.alternate.read(alternate, cell),
            // The newest primary row does not go on on the alternate screen.
            None => {
                let wrapped = self.primary.read(number, cell)?;
                Some(wrapped && !(self.alternate_shown && number + 1 == primary_end))
            }
        }
    }

    /// Adds the text of a row to `out`.
    pub(super) fn read_text(&self, number: u64, out: &mut String) {
        let primary_end = self.primary.range().end;
        match number.checked_sub(primary_end) {
            Some(alternate) => self.alternate.read_text(alternate, out),
            None => self.primary.read_text(number, out),
        }
    }

    /// Whether the text of a row goes on in the next one.
    pub(super) fn row_goes_on(&self, number: u64) -> bool {
        let primary_end = self.primary.range().end;
        match number.checked_sub(primary_end) {
            Some(alternate) => self.alternate.row_goes_on(alternate),
            None => {
                let interrupted = self.alternate_shown && number + 1 == primary_end;
                self.primary.row_goes_on(number) && !interrupted
            }
        }
    }
}
