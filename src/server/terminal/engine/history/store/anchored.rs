//! Places in the history that a change of width does not move.

use super::super::record::{self, advance};
use super::{Block, Store, WIDE};

/// A line of a store, counted from the first one ever, and a column of it.
#[derive(Debug, Clone, Copy)]
pub(in crate::server::terminal::engine::history) struct Place {
    line: u64,
    column: usize,
}

impl Store {
    /// Where a row is by the number that it had at the width before.
    pub(in crate::server::terminal::engine::history) fn anchor_before(&self, number: u64) -> Place {
        let (mut left, mut lines) = (number.saturating_sub(self.before.rows.start), self.first_line);
        for block in &self.blocks {
            if left < u64::from(block.rows_before) {
                let width = self.before.width;
                for line in 0..block.lines.len() {
                    let rows = u64::from(block.line_rows(line, width));
                    if left < rows {
                        let row = usize::try_from(left).unwrap_or(usize::MAX);
                        let column = block.column_of(line, row, width);
                        return Place { line: lines + line as u64, column };
                    }
                    left -= rows;
                }
                left = 0;
            }
            left = left.saturating_sub(u64::from(block.rows_before));
            lines += block.lines.len() as u64;
        }
        // It went back to the screen.
        Place { line: lines, column: 0 }
    }

    /// The number after the newest row at the width before.
    pub(in crate::server::terminal::engine::history) fn end_before(&self) -> u64 {
        self.before.rows.end
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
