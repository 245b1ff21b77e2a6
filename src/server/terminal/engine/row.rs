//! One row of the grid.
//!
//! Invariants: cells past the stored ones are blanks in the default style; no half of a wide character
//! stands without the other; `stale` is set by every change of what the row shows.

use super::cell::Cell;
use super::prompts::RowMark;
use crate::protocol::frame::Row as PaintedRow;
use std::ops::Range;
use std::sync::Arc;

/// A row of cells with what belongs to it.
#[derive(Debug, Default)]
pub(super) struct Row {
    cells: Vec<Cell>,
    /// Wide characters may be among the cells.
    wide: bool,
    wrapped: bool,
    mark: RowMark,
    stale: bool,
    /// As it was last painted; moves with the row when the screen scrolls.
    painted: Arc<PaintedRow>,
}

impl Row {
    /// The stored cells.
    pub(super) fn cells(&self) -> &[Cell] {
        &self.cells
    }

    /// The cell of a column.
    pub(super) fn cell(&self, col: usize) -> Cell {
        self.cells.get(col).copied().unwrap_or_default()
    }

    /// Whether its text goes on in the next row.
    pub(super) fn wrapped(&self) -> bool {
        self.wrapped
    }

    pub(super) fn set_wrapped(&mut self, wrapped: bool) {
        self.stale |= self.wrapped != wrapped;
        self.wrapped = wrapped;
    }

    /// What begins on it.
    pub(super) fn mark(&self) -> RowMark {
        self.mark
    }

    pub(super) fn set_mark(&mut self, mark: RowMark) {
        self.mark = mark;
    }

    /// Paints it again if it changed, with `paint`, which gets what it looked like before.
    pub(super) fn painted(
        &mut self,
        paint: impl FnOnce(&Self, &Arc<PaintedRow>) -> Arc<PaintedRow>,
    ) -> &mut Arc<PaintedRow> {
        if std::mem::take(&mut self.stale) {
            self.painted = paint(self, &self.painted);
        }
        &mut self.painted
    }

    /// It must be painted again.
    pub(super) fn make_stale(&mut self) {
        self.stale = true;
    }

    /// Makes it a row that never held anything, and keeps its memory.
    pub(super) fn recycle(&mut self, blank: Cell, cols: usize) {
        self.cells.clear();
        self.wide = false;
        self.wrapped = false;
        self.mark = RowMark::default();
        self.stale = true;
        if blank != Cell::default() {
            self.cells.resize(cols, blank);
        }
    }

    /// Takes over other cells.
    pub(super) fn fill(&mut self, cells: &[Cell], wrapped: bool) {
        self.cells.clear();
        self.cells.extend_from_slice(cells);
        self.wide = true;
        self.wrapped = wrapped;
        self.stale = true;
    }

    /// Forgets the cells past a width.
    pub(super) fn clip(&mut self, cols: usize) {
        if self.cells.len() > cols {
            self.split(cols);
            self.cells.truncate(cols);
        }
        self.set_wrapped(false);
        self.stale = true;
    }

    /// Writes printable ASCII from a column on; the caller has checked that it fits.
    pub(super) fn write_ascii(&mut self, col: usize, text: &[u8], flags: u32, style: u32) {
        self.open(col, text.len());
        let cell = |byte: &u8| Cell::narrow(u32::from(*byte), flags, style);
        let over = (self.cells.len() - col).min(text.len());
        for (cell_at, byte) in self.cells[col..col + over].iter_mut().zip(text) {
            *cell_at = cell(byte);
        }
        self.cells.extend(text[over..].iter().map(cell));
    }

    /// Writes one narrow cell, or the left half of a wide one together with its right half.
    pub(super) fn put(&mut self, col: usize, cell: Cell) {
        let width = if cell.is_wide() { 2 } else { 1 };
        self.open(col, width);
        if self.cells.len() < col + width {
            self.cells.resize(col + width, Cell::default());
        }
        self.cells[col] = cell;
        if width == 2 {
            self.wide = true;
            self.cells[col + 1] = cell.spacer();
        }
    }

    /// Writes wide characters from a column on; the caller has checked that they fit.
    pub(super) fn write_wide(&mut self, col: usize, chars: &[u32], flags: u32, style: u32) {
        self.open(col, chars.len() * 2);
        self.wide = true;
        let end = col + chars.len() * 2;
        if self.cells.len() < end {
            self.cells.resize(end, Cell::default());
        }
        for (pair, char) in self.cells[col..end].as_chunks_mut::<2>().0.iter_mut().zip(chars) {
            let cell = Cell::narrow(*char, flags, style).with_width(true);
            *pair = [cell, cell.spacer()];
        }
    }

    /// Replaces a cell by one of the same width.
    pub(super) fn replace(&mut self, col: usize, cell: Cell) {
        if let Some(old) = self.cells.get_mut(col) {
            *old = cell;
            self.stale = true;
        }
    }

    /// Blanks a range of columns.
    pub(super) fn erase(&mut self, cols: Range<usize>, blank: Cell) {
        self.split(cols.start);
        self.split(cols.end);
        self.stale = true;
        if blank == Cell::default() && cols.end >= self.cells.len() {
            self.cells.truncate(cols.start);
            return;
        }
        if self.cells.len() < cols.end {
            self.cells.resize(cols.end, Cell::default());
        }
        self.cells[cols].fill(blank);
    }

    /// Blanks the cells of a range that selective erasing does not keep.
    pub(super) fn erase_unprotected(&mut self, cols: Range<usize>, blank: Cell) {
        for col in cols {
            if !self.cell(col).is_protected() && self.cell(col) != blank {
                self.erase(col..col + 1, blank);
            }
        }
    }

    /// Moves the cells from `cols.start` on `count` columns to the right; those past `cols.end` are lost.
    pub(super) fn insert(&mut self, cols: Range<usize>, count: usize, blank: Cell) {
        let count = count.min(cols.len());
        self.reserve_columns(&cols);
        // A wide character that is cut by the right end goes as a whole.
        self.split(cols.end - count);
        self.cells.copy_within(cols.start..cols.end - count, cols.start + count);
        self.cells[cols.start..cols.start + count].fill(blank);
        self.stale = true;
    }

    /// Removes `count` cells from `cols.start` on; blanks come in from `cols.end`.
    pub(super) fn delete(&mut self, cols: Range<usize>, count: usize, blank: Cell) {
        let count = count.min(cols.len());
        self.reserve_columns(&cols);
        self.split(cols.start + count);
        self.cells.copy_within(cols.start + count..cols.end, cols.start);
        self.cells[cols.end - count..cols.end].fill(blank);
        self.stale = true;
    }

    /// Copies cells into the columns from `col` on.
    pub(super) fn overwrite(&mut self, col: usize, cells: &[Cell]) {
        self.reserve_columns(&(col..col + cells.len()));
        self.cells[col..col + cells.len()].copy_from_slice(cells);
        self.wide = true;
        self.stale = true;
        // A half that was copied alone.
        self.halves(col);
        self.halves(col + cells.len());
    }

    /// Changes the looks of the cells of a range.
    pub(super) fn restyle(&mut self, cols: Range<usize>, mut style: impl FnMut(u32) -> u32) {
        self.reserve_columns(&cols);
        for cell in &mut self.cells[cols] {
            cell.style = style(cell.style);
        }
        self.stale = true;
    }

    /// Gives every cell the number that `numbers` has for it.
    pub(super) fn renumber(&mut self, mut cell: impl FnMut(&mut Cell)) {
        self.cells.iter_mut().for_each(&mut cell);
    }

    fn reserve_columns(&mut self, cols: &Range<usize>) {
        if self.cells.len() < cols.end {
            self.cells.resize(cols.end, Cell::default());
        }
        self.split(cols.start);
        self.split(cols.end);
    }

    /// Makes the columns from `col` on ready to be written.
    fn open(&mut self, col: usize, width: usize) {
        self.stale = true;
        if self.wide {
            self.split(col);
            self.split(col + width);
        }
        if self.cells.len() < col {
            self.cells.resize(col, Cell::default());
        }
    }

    /// Blanks a wide character that stands across the left edge of `col`.
    fn split(&mut self, col: usize) {
        if self.wide && self.cell(col).is_spacer() {
            for half in [col.wrapping_sub(1), col] {
                if let Some(cell) = self.cells.get_mut(half) {
                    *cell = Cell::blank(cell.style);
                }
            }
        }
    }

    /// Blanks halves beside the left edge of `col` that have lost the other half.
    fn halves(&mut self, col: usize) {
        let left_is_wide = col.checked_sub(1).is_some_and(|left| self.cell(left).is_wide());
        let right_is_spacer = self.cell(col).is_spacer();
        if left_is_wide && !right_is_spacer {
            self.cells[col - 1] = Cell::blank(self.cells[col - 1].style);
        } else if right_is_spacer && !left_is_wide {
            self.cells[col] = Cell::blank(self.cells[col].style);
        }
    }
}
