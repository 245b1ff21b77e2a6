//! The rows that left the screen, within one budget of bytes.
//!
//! Owns three stores that share the budget: rows of a screen before this terminal's life, the primary
//! screen's rows, and those of the alternate screen for as long as that one is shown.
//!
//! Invariants: what is held never exceeds the budget once a call returns; oldest rows go first, those
//! of the alternate screen only after the last primary one; a row keeps its number while output arrives,
//! the numbers of alternate rows follow the primary ones.

mod record;
mod store;

use super::prompts::RowMark;
use super::row::Row;
use super::tables::Tables;
use crate::protocol::limits::SCREEN_CELLS;
use crate::protocol::style::Style;
use std::ops::Range;
use store::Store;

/// Rows that left the screen.
#[derive(Debug)]
pub(super) struct History {
    /// What was there before this terminal began: shown, and never part of a capture.
    old: Store,
    primary: Store,
    alternate: Store,
    alternate_shown: bool,
    budget_bytes: usize,
    /// Rises when a change of width numbers rows anew.
    numbering: u64,
}

impl History {
    /// An empty history of rows `cols` cells wide.
    pub(super) fn new(budget_bytes: usize, cols: usize) -> Self {
        let store = || Store::new(budget_bytes, cols);
        Self {
            old: store(),
            primary: store(),
            alternate: store(),
            alternate_shown: false,
            budget_bytes,
            numbering: 0,
        }
    }

    /// Takes a row that left the top of the shown screen.
    pub(super) fn push(&mut self, row: &Row, tables: &Tables) {
        let store = if self.alternate_shown { &mut self.alternate } else { &mut self.primary };
        store.push(row.cells(), row.wrapped(), row.mark(), tables);
        self.keep_budget();
    }

    /// Takes the rows of a screen before this terminal's life, as wide as they were.
    pub(super) fn recall<'a>(&mut self, rows: impl Iterator<Item = &'a Row>, tables: &Tables, cols: usize) {
        self.old.set_width(usize::from(SCREEN_CELLS));
        rows.for_each(|row| self.old.push(row.cells(), row.wrapped(), row.mark(), tables));
        self.old.set_width(cols);
        self.keep_budget();
    }

    /// Number of the first row that this terminal has put out itself.
    pub(super) fn live_start(&self) -> u64 {
        self.range().start.max(self.old.range().end)
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
        self.numbering += 1;
        self.old.set_width(cols);
        self.primary.set_width(cols);
        self.alternate.set_width(cols);
    }

    /// The newest prompt's command ended.
    pub(super) fn note_exit(&mut self, exit: i32) {
        self.primary.note_exit(exit);
    }

    /// Rows of the primary screen with marks before a row, the newest first.
    pub(super) fn marks_before(&self, row: u64) -> impl Iterator<Item = (u64, RowMark)> {
        let base = self.old.range().end;
        self.primary.marks_before(row.saturating_sub(base)).map(move |(row, mark)| (row + base, mark))
    }

    /// Rows of the primary screen with marks from a row on.
    pub(super) fn marks_from(&self, row: u64) -> impl Iterator<Item = (u64, RowMark)> {
        let base = self.old.range().end;
        self.primary.marks_from(row.saturating_sub(base)).map(move |(row, mark)| (row + base, mark))
    }

    /// The number after the newest row of the primary screen.
    pub(super) fn primary_end(&self) -> u64 {
        self.old.range().end + self.primary.range().end
    }

    fn keep_budget(&mut self) {
        while self.held_bytes() > self.budget_bytes {
            if !self.old.is_empty() {
                self.old.drop_oldest();
            } else if self.primary.is_empty() {
                self.alternate.drop_oldest();
            } else {
                self.primary.drop_oldest();
            }
        }
    }

    /// What all of them hold.
    pub(super) fn held_bytes(&self) -> usize {
        self.old.held_bytes() + self.primary.held_bytes() + self.alternate.held_bytes()
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
        self.old.clear();
        self.primary.clear();
        self.alternate.clear();
    }

    /// Numbers of the oldest row kept and of the row after the newest.
    pub(super) fn range(&self) -> Range<u64> {
        let (old, primary, alternate) = (self.old.range(), self.primary.range(), self.alternate.range());
        let start = if !self.old.is_empty() {
            old.start
        } else if self.primary.is_empty() {
            old.end + primary.end + alternate.start
        } else {
            old.end + primary.start
        };
        start..old.end + primary.end + alternate.end
    }

    /// Reads a row by its number, cell by cell; whether its text goes on in the next row.
    pub(super) fn read(&self, number: u64, cell: impl FnMut(&str, bool, Style)) -> Option<bool> {
        match self.find(number) {
            Found::Old(number) => self.old.read(number, cell),
            Found::Alternate(number) => self.alternate.read(number, cell),
            // The newest primary row does not go on on the alternate screen.
            Found::Primary(number) => {
                let wrapped = self.primary.read(number, cell)?;
                Some(wrapped && !self.is_interrupted(number))
            }
        }
    }

    /// Adds the text of a row to `out`.
    pub(super) fn read_text(&self, number: u64, out: &mut String) {
        match self.find(number) {
            Found::Old(number) => self.old.read_text(number, out),
            Found::Alternate(number) => self.alternate.read_text(number, out),
            Found::Primary(number) => self.primary.read_text(number, out),
        }
    }

    /// Whether the text of a row goes on in the next one.
    pub(super) fn row_goes_on(&self, number: u64) -> bool {
        match self.find(number) {
            Found::Old(number) => self.old.row_goes_on(number),
            Found::Alternate(number) => self.alternate.row_goes_on(number),
            Found::Primary(number) => self.primary.row_goes_on(number) && !self.is_interrupted(number),
        }
    }

    /// Which numbering of rows is in force.
    pub(super) fn numbering(&self) -> u64 {
        self.numbering
    }

    /// The present number of a row, by its number in the numbering before this one.
    pub(super) fn renumber(&self, number: u64) -> u64 {
        let stores = [&self.old, &self.primary, &self.alternate];
        let (mut left, mut base) = (number, 0);
        for store in stores {
            let end = store.end_before();
            if left < end {
                return base + store.row_at(store.anchor_before(left));
            }
            left -= end;
            base += store.range().end;
        }
        // A row of the screen.
        base
    }

    /// Which store has a row, and under which number.
    fn find(&self, number: u64) -> Found {
        let old = self.old.range().end;
        let Some(number) = number.checked_sub(old) else { return Found::Old(number) };
        match number.checked_sub(self.primary.range().end) {
            Some(alternate) => Found::Alternate(alternate),
            None => Found::Primary(number),
        }
    }

    fn is_interrupted(&self, number: u64) -> bool {
        self.alternate_shown && number + 1 == self.primary.range().end
    }
}

/// A row in its store.
enum Found {
    Old(u64),
    Primary(u64),
    Alternate(u64),
}
