//! Marks of lines (OSC 133): where in a block prompts and outputs begin.
//!
//! Invariant: they stand in the order of lines and, within one, of cells.

use super::{Block, Store, advance};
use crate::server::terminal::engine::history::record;
use crate::server::terminal::engine::prompts::{Prompt, RowMark};

/// What begins at a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Begins {
    Prompt(Option<i32>),
    Output,
}

/// A mark at a cell of a line.
#[derive(Debug, Clone, Copy)]
pub(super) struct LineMark {
    line: u32,
    /// Columns of the line before it.
    columns: u32,
    begins: Begins,
}

impl Block {
    /// Keeps the mark of a row that begins after so many columns of a line.
    pub(super) fn mark(&mut self, line: usize, columns: usize, mark: RowMark) {
        let (line, columns) =
            (u32::try_from(line).unwrap_or(u32::MAX), u32::try_from(columns).unwrap_or(u32::MAX));
        let at =
            |col: u16, begins| LineMark { line, columns: columns.saturating_add(u32::from(col)), begins };
        let prompt = mark.prompt.map(|prompt| at(prompt.col, Begins::Prompt(prompt.exit)));
        let output = mark.output.map(|col| at(col, Begins::Output));
        let first = self.marks.len();
        self.marks.extend(prompt.into_iter().chain(output));
        self.marks[first..].sort_by_key(|mark| mark.columns);
    }

    /// Takes the marks out that stand after so many columns of a line.
    pub(super) fn unmark(&mut self, line: usize, columns: usize) -> RowMark {
        let mut found = RowMark::default();
        while let Some(mark) = self.marks.last().copied() {
            if (mark.line as usize, mark.columns as usize) < (line, columns) {
                break;
            }
            self.marks.pop();
            let col = u16::try_from(mark.columns as usize - columns).unwrap_or(u16::MAX);
            mark.begins.put(&mut found, col);
        }
        found
    }

    /// Its marked rows, counted from `first`.
    fn marked_rows(&self, first: u64, width: usize) -> Vec<(u64, RowMark)> {
        let mut rows: Vec<(u64, RowMark)> = Vec::new();
        let (mut line, mut start) = (0, first);
        for mark in &self.marks {
            while line < mark.line as usize {
                start += u64::from(self.line_rows(line, width));
                line += 1;
            }
            let (row, col) = self.row_of(line, mark.columns as usize, width);
            let row = start + row as u64;
            if rows.last().is_none_or(|(last, _)| *last != row) {
                rows.push((row, RowMark::default()));
            }
            if let Some((_, found)) = rows.last_mut() {
                mark.begins.put(found, u16::try_from(col).unwrap_or(u16::MAX));
            }
        }
        rows
    }

    /// Row and column of a cell of a line.
    pub(super) fn row_of(&self, line: usize, columns: usize, width: usize) -> (usize, usize) {
        let last = (self.line_rows(line, width) as usize).saturating_sub(1);
        let (mut row, mut col, mut before) = (0, 0, 0);
        if !self.lines.get(line).is_some_and(|line| line.is(super::WIDE)) {
            row = (columns / width).min(last);
            return (row, columns - row * width);
        }
        for wide in record::widths(self.bytes(line)) {
            let next = before + if wide { 2 } else { 1 };
            row += usize::from(advance(&mut col, wide, width));
            if next > columns {
                return (row, col - (next - before));
            }
            before = next;
        }
        (last, col.saturating_add(columns - before).min(width))
    }
}

impl Begins {
    fn put(self, mark: &mut RowMark, col: u16) {
        match self {
            Self::Prompt(exit) => mark.prompt = Some(Prompt { col, exit }),
            Self::Output => mark.output = Some(col),
        }
    }
}

impl Store {
    /// The newest prompt's command ended.
    pub(in super::super) fn note_exit(&mut self, exit: i32) {
        let marks = self.blocks.iter_mut().rev().flat_map(|block| block.marks.iter_mut().rev());
        let prompt = marks.map(|mark| &mut mark.begins).find(|begins| matches!(begins, Begins::Prompt(_)));
        if let Some(begins) = prompt {
            *begins = Begins::Prompt(Some(exit));
        }
    }

    /// Rows with marks before a row, the newest first.
    pub(in super::super) fn marks_before(&self, row: u64) -> impl Iterator<Item = (u64, RowMark)> {
        let mut end = self.range().end;
        let blocks = self.blocks.iter().rev().map(move |block| {
            end -= u64::from(block.rows);
            (block, end)
        });
        blocks
            .filter(move |(block, first)| !block.marks.is_empty() && *first < row)
            .flat_map(|(block, first)| block.marked_rows(first, self.width).into_iter().rev())
            .filter(move |(number, _)| *number < row)
    }

    /// Rows with marks from a row on.
    pub(in super::super) fn marks_from(&self, row: u64) -> impl Iterator<Item = (u64, RowMark)> {
        let mut end = self.first;
        let blocks = self.blocks.iter().map(move |block| {
            let first = end;
            end += u64::from(block.rows);
            (block, first)
        });
        blocks
            .filter(move |(block, first)| !block.marks.is_empty() && *first + u64::from(block.rows) > row)
            .flat_map(|(block, first)| block.marked_rows(first, self.width))
            .filter(move |(number, _)| *number >= row)
    }
}
