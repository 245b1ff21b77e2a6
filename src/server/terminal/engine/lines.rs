//! Logical lines: soft-wrapped rows of history and screen as one text that knows the place of each cell.
//!
//! Invariant: a line is at most `LINE_ROWS` rows; a longer one is read in pieces of that.

use super::cell::Content;
use super::prompts::Spot;
use super::terminal::Terminal;
use std::ops::Range;

/// Rows of one line; what a program prints without an end of line is cut here.
pub(super) const LINE_ROWS: u64 = 512;

/// A cell of a line.
#[derive(Debug, Clone, Copy)]
struct Placed {
    byte: usize,
    spot: Spot,
    wide: bool,
}

/// A line.
#[derive(Debug, Default)]
pub(super) struct Line {
    text: String,
    cells: Vec<Placed>,
}

impl Line {
    /// Its text, with the blanks at its end.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// The cell that a byte of the text belongs to, and the column after it.
    pub(super) fn cell(&self, byte: usize) -> Option<(Spot, u16)> {
        let at = self.cells.partition_point(|cell| cell.byte <= byte).checked_sub(1)?;
        let Placed { spot, wide, .. } = *self.cells.get(at)?;
        Some((spot, spot.col + if wide { 2 } else { 1 }))
    }

    /// The bytes of the cell at a place, if something is there.
    pub(super) fn bytes(&self, spot: Spot) -> Option<Range<usize>> {
        let at = self.cells.partition_point(|cell| cell.spot <= spot).checked_sub(1)?;
        let cell = self.cells.get(at)?;
        let width = if cell.wide { 2 } else { 1 };
        let inside = cell.spot.row == spot.row && spot.col < cell.spot.col + width;
        let end = self.cells.get(at + 1).map_or(self.text.len(), |next| next.byte);
        inside.then_some(cell.byte..end)
    }
}

impl Terminal {
    /// Numbers of the rows of history and screen.
    pub(super) fn all_rows(&self) -> Range<u64> {
        let history = self.history.range();
        history.start..history.end + u64::from(self.size.rows)
    }

    /// Whether the text of a row goes on in the next one.
    pub(super) fn row_goes_on(&self, number: u64) -> bool {
        match number.checked_sub(self.history.range().end) {
            Some(row) => {
                let row = u16::try_from(row).ok().and_then(|row| self.grid().row(row));
                row.is_some_and(super::row::Row::wrapped)
            }
            None => self.history.row_goes_on(number),
        }
    }

    /// Reads the cells of a row.
    pub(super) fn each_cell(&self, number: u64, mut cell: impl FnMut(&str, bool)) {
        let Some(row) = number.checked_sub(self.history.range().end) else {
            self.history.read(number, |text, wide, _| cell(text, wide));
            return;
        };
        let Some(row) = u16::try_from(row).ok().and_then(|row| self.grid().row(row)) else { return };
        let mut buffer = [0; 4];
        for shown in row.cells().iter().take(self.cols()).filter(|cell| !cell.is_spacer() && !cell.is_gap()) {
            match shown.content() {
                Content::Blank => cell(" ", false),
                Content::Char(char) => cell(char.encode_utf8(&mut buffer), shown.is_wide()),
                Content::Cluster(number) => cell(self.tables.cluster(number), shown.is_wide()),
            }
        }
    }

    /// The rows of the line that a row belongs to.
    pub(super) fn line_rows(&self, row: u64) -> Range<u64> {
        let all = self.all_rows();
        let row = row.clamp(all.start, all.end.saturating_sub(1));
        let (mut start, mut end) = (row, row + 1);
        while start > all.start && row - start < LINE_ROWS / 2 && self.row_goes_on(start - 1) {
            start -= 1;
        }
        while end < all.end && end - start < LINE_ROWS && self.row_goes_on(end - 1) {
            end += 1;
        }
        start..end
    }

    /// The rows of a line from one of them on.
    pub(super) fn line_from(&self, row: u64) -> Range<u64> {
        let all_end = self.all_rows().end;
        let mut end = row + 1;
        while end < all_end && end - row < LINE_ROWS && self.row_goes_on(end - 1) {
            end += 1;
        }
        row..end
    }

    /// The rows of a line up to one of them.
    pub(super) fn line_up_to(&self, row: u64) -> Range<u64> {
        let all_start = self.all_rows().start;
        let mut start = row;
        while start > all_start && row - start < LINE_ROWS - 1 && self.row_goes_on(start - 1) {
            start -= 1;
        }
        start..row + 1
    }

    /// Reads rows as one line.
    pub(super) fn line(&self, rows: Range<u64>) -> Line {
        let mut line = Line::default();
        for row in rows {
            let mut col = 0;
            self.each_cell(row, |text, wide| {
                line.cells.push(Placed { byte: line.text.len(), spot: Spot { row, col }, wide });
                line.text.push_str(text);
                col += if wide { 2 } else { 1 };
            });
        }
        line
    }
}
