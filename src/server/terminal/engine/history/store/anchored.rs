//! Places in the history that a change of width does not move.

use super::super::record::{self, advance};
use super::{Block, Store, WIDE};

/// A line of a store, counted from the first one ever, and a column of it.
#[derive(Debug, Clone, Copy)]
pub(in crate::server::terminal::engine) struct Place {
    line: u64,
    column: usize,
}

impl Store {
    /// Where a row is.
    pub(in crate::server::terminal::engine::history) fn anchor(&self, number: u64) -> Option<Place> {
        let found = self.find(number)?;
        let before = self.blocks.iter().take_while(|block| !std::ptr::eq(*block, found.block));
        let lines: usize = before.map(|block| block.lines.len()).sum();
        let column = found.block.column_of(found.line, found.row, self.width);
        Some(Place { line: self.first_line + (lines + found.line) as u64, column })
    }

    /// The row that is there now: the oldest one if it is gone, the one after the newest if it went back to
    /// the screen.
    pub(in crate::server::terminal::engine::history) fn row_at(&self, place: Place) -> u64 {
        let Some(left) = place.line.checked_sub(self.first_line) else { return self.first };
        let (mut left, mut row) = (usize::try_from(left).unwrap_or(usize::MAX), self.first);
        for block in &self.blocks {
            if left < block.lines.len() {
                let before: u32 = (0..left).map(|line| block.line_rows(line, self.width)).sum();
                let (inside, _) = block.row_of(left, place.column, self.width);
                return row + u64::from(before) + inside as u64;
            }
            left -= block.lines.len();
            row += u64::from(block.rows);
        }
        row
    }
}

impl Block {
    /// The column of a line where one of its rows begins.
    fn column_of(&self, line: usize, row: usize, width: usize) -> usize {
        if !self.lines.get(line).is_some_and(|line| line.is(WIDE)) {
            return row * width;
        }
        let (mut at, mut col, mut columns) = (0, 0, 0);
        for wide in record::widths(self.bytes(line)) {
            at += usize::from(advance(&mut col, wide, width));
            if at == row {
                break;
            }
            columns += if wide { 2 } else { 1 };
        }
        columns
    }
}
