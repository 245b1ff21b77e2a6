//! Rows of one screen as logical lines in packed blocks, wrapped when they are read.
//!
//! Invariants: a line is in one block; one that is too long for it goes on in a line of the next block,
//! which begins a row of its own. `rows` counts the rows of all lines at the present width.

mod anchored;
mod marked;
mod write;

use super::record::{self, Cells, advance, measure};
use crate::protocol::style::Style;
use crate::server::terminal::engine::cell::Cell;
use crate::server::terminal::engine::prompts::RowMark;
use crate::server::terminal::engine::tables::Tables;
use marked::LineMark;
use std::collections::VecDeque;
use std::ops::Range;
use write::{Pen, byte};

/// Lines are kept in blocks of about this size: large enough that a line costs no allocation of its
/// own, small enough that dropping a block drops little.
const BLOCK_BYTES: usize = 8_192;
/// A small budget holds at least so many blocks, so that dropping one leaves most rows.
const BLOCKS: usize = 16;
/// The line goes on in the next one, or on the screen.
const OPEN: u32 = 1 << 31;
/// Not every byte is a cell of its own.
const MARKED: u32 = 1 << 30;
/// Some cells take two columns.
const WIDE: u32 = 1 << 29;
/// The line's columns.
const COLUMNS: u32 = WIDE - 1;

#[derive(Debug, Clone, Copy)]
struct Line {
    /// Where it ends in the block.
    end: u32,
    /// Flags and columns.
    info: u32,
}

impl Line {
    fn is(self, flag: u32) -> bool {
        self.info & flag != 0
    }

    fn columns(self) -> usize {
        (self.info & COLUMNS) as usize
    }
}

#[derive(Debug, Default)]
struct Block {
    data: Vec<u8>,
    lines: Vec<Line>,
    /// The styles that its lines name, from number one on.
    styles: Vec<Style>,
    marks: Vec<LineMark>,
    /// Rows at the present width.
    rows: u32,
    /// Rows that it had at the width before.
    rows_before: u32,
}

impl Block {
    fn held_bytes(&self) -> usize {
        size_of::<Self>()
            + self.data.capacity()
            + self.lines.capacity() * size_of::<Line>()
            + self.styles.capacity() * size_of::<Style>()
            + self.marks.capacity() * size_of::<LineMark>()
    }

    fn has_room(&self, bytes: usize, block_bytes: usize) -> bool {
        let lines = (self.lines.len() + 1) * size_of::<Line>() + self.marks.len() * size_of::<LineMark>();
        self.data.len() + bytes + lines + self.styles.len() * size_of::<Style>() <= block_bytes
    }

    fn start(&self, line: usize) -> usize {
        line.checked_sub(1).and_then(|before| self.lines.get(before)).map_or(0, |line| line.end as usize)
    }

    fn bytes(&self, line: usize) -> &[u8] {
        let end = self.lines.get(line).map_or(0, |line| line.end as usize);
        self.data.get(self.start(line)..end).unwrap_or_default()
    }

    fn cells(&self, line: usize) -> Cells<'_> {
        Cells::new(self.bytes(line), &self.styles)
    }

    /// Rows of a line.
    fn line_rows(&self, line: usize, width: usize) -> u32 {
        let Some(info) = self.lines.get(line) else { return 0 };
        let rows = if info.columns() <= width {
            1
        } else if info.is(WIDE) {
            record::rows(self.bytes(line), width)
        } else {
            info.columns().div_ceil(width)
        };
        u32::try_from(rows).unwrap_or(u32::MAX)
    }

    fn count_rows(&mut self, width: usize) {
        self.rows_before = self.rows;
        self.rows = (0..self.lines.len()).map(|line| self.line_rows(line, width)).sum();
    }

    /// Reads one row of a line.
    fn read(&self, line: usize, row: usize, width: usize, mut cell: impl FnMut(&str, bool, Style)) {
        if !self.lines.get(line).is_some_and(|line| line.is(MARKED)) {
            let bytes = self.bytes(line).get(row * width..).unwrap_or_default();
            let text = std::str::from_utf8(&bytes[..bytes.len().min(width)]).unwrap_or_default();
            for (at, _) in text.char_indices() {
                cell(&text[at..=at], false, Style::default());
            }
            return;
        }
        let (mut at, mut col) = (0, 0);
        for (text, wide, style) in self.cells(line) {
            at += usize::from(advance(&mut col, wide, width));
            if at > row {
                break;
            }
            if at == row {
                cell(text, wide, style);
            }
        }
    }
}

/// How the next row meets the last line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tail {
    /// It begins a line.
    Closed,
    /// It goes on with the last line, whose last row has so many columns.
    Open(usize),
    /// It goes on with the last line, but begins a record of its own: that one's rows may not be full.
    Sealed,
}

/// How rows were numbered.
#[derive(Debug, Clone)]
struct Numbers {
    width: usize,
    rows: Range<u64>,
}

#[derive(Debug)]
pub(super) struct Store {
    blocks: VecDeque<Block>,
    /// The size of a new block.
    block_bytes: usize,
    width: usize,
    /// Number of the oldest row.
    first: u64,
    /// How rows were numbered at the width before.
    before: Numbers,
    /// Number of the oldest line, as anchors count them.
    first_line: u64,
    rows: u64,
    /// Held by all blocks but the last, which still grows.
    closed_bytes: usize,
    tail: Tail,
    /// For each style number of the terminal: when it got a number in a block, and that number.
    numbers: Vec<(u64, u16)>,
    /// The present block, as far as `numbers` is concerned.
    era: u64,
    generation: u32,
}

impl Store {
    pub(super) fn new(budget_bytes: usize, width: usize) -> Self {
        Self {
            blocks: VecDeque::new(),
            block_bytes: BLOCK_BYTES.min(budget_bytes / BLOCKS),
            width,
            first: 0,
            before: Numbers { width, rows: 0..0 },
            first_line: 0,
            rows: 0,
            closed_bytes: 0,
            tail: Tail::Closed,
            numbers: Vec::new(),
            era: 1,
            generation: 0,
        }
    }

    /// Takes a row.
    pub(super) fn push(&mut self, cells: &[Cell], wrapped: bool, mark: RowMark, tables: &Tables) {
        if tables.generation() != self.generation {
            self.generation = tables.generation();
            self.era += 1;
        }
        let cells = shown(cells, wrapped);
        let cells = &cells[..cells.len().min(self.width)];
        let goes_on = self.open_line(cells);
        let width = self.width;
        let Some(block) = self.blocks.back_mut() else { return };
        let mut line = if goes_on { block.lines.pop() } else { None }.unwrap_or(Line { end: 0, info: 0 });
        let (bits, styles) =
            cells.iter().fold((0, 0), |(bits, styles), cell| (bits | cell.bits(), styles | cell.style));
        let mut columns = cells.len();
        if bits < 0x80 && styles == 0 && !line.is(MARKED) {
            block.data.extend(cells.iter().map(byte));
        } else {
            line.info |= MARKED;
            let mut pen = Pen { numbers: &mut self.numbers, era: self.era, tables };
            columns = pen.write(block, cells, &mut line.info, goes_on);
        }
        let full = if cells.last().is_some_and(|cell| cell.is_gap()) { width - 1 } else { width };
        // The end of a line is a row even if it is blank.
        let least = if wrapped { full } else { usize::from(goes_on) };
        if columns < least {
            pad(block, &mut line, least - columns);
            columns = least;
        }
        line.info = line.info & !OPEN | if wrapped { OPEN } else { 0 };
        let sum = line.columns() + columns;
        line.info = line.info & !COLUMNS | (u32::try_from(sum).unwrap_or(COLUMNS) & COLUMNS);
        line.end = u32::try_from(block.data.len()).unwrap_or(u32::MAX);
        block.lines.push(line);
        if mark.is_some() {
            block.mark(block.lines.len() - 1, sum - columns, mark);
        }
        block.rows += 1;
        self.rows += 1;
        self.tail = if wrapped { Tail::Open(columns) } else { Tail::Closed };
    }

    /// Sees to a block with room for the cells; whether they go on with its last line.
    fn open_line(&mut self, cells: &[Cell]) -> bool {
        let bytes = cells.len();
        if self.blocks.back().is_some_and(|block| block.has_room(bytes, self.block_bytes)) {
            let Tail::Open(columns) = self.tail else { return false };
            let gap = columns + 1 == self.width && cells.first().is_some_and(|cell| cell.is_wide());
            if let Some(block) = self.blocks.back_mut()
                && columns < self.width
                && !gap
                && let Some(mut line) = block.lines.pop()
            {
                // The wide character that did not fit is no longer there.
                let missing = self.width - columns;
                pad(block, &mut line, missing);
                line.info += u32::try_from(missing).unwrap_or(0);
                line.end = u32::try_from(block.data.len()).unwrap_or(u32::MAX);
                block.lines.push(line);
            }
            return true;
        }
        if let Some(full) = self.blocks.back_mut() {
            full.data.shrink_to_fit();
            full.lines.shrink_to_fit();
            full.styles.shrink_to_fit();
            full.marks.shrink_to_fit();
            self.closed_bytes += full.held_bytes();
        }
        self.era += 1;
        let data = Vec::with_capacity(self.block_bytes.max(bytes));
        self.blocks.push_back(Block { data, ..Block::default() });
        false
    }

    /// Gives the newest row back; whether its text goes on, and its mark.
    pub(super) fn pop(&mut self, cell: impl FnMut(&str, bool, Style)) -> Option<(bool, RowMark)> {
        let width = self.width;
        let block = self.blocks.back_mut()?;
        let index = block.lines.len().checked_sub(1)?;
        let mut line = block.lines[index];
        let wrapped = line.is(OPEN);
        let row = block.line_rows(index, width).saturating_sub(1) as usize;
        block.read(index, row, width, cell);
        block.rows -= 1;
        self.rows -= 1;
        block.lines.pop();
        let start = block.start(index);
        let mark;
        if row == 0 {
            mark = block.unmark(index, 0);
            block.data.truncate(start);
            self.forget_empty_block();
            let open = self.goes_on();
            self.tail = if open { Tail::Sealed } else { Tail::Closed };
        } else {
            let (bytes, columns, last) = if line.is(MARKED) {
                measure(Cells::new(&block.data[start..line.end as usize], &block.styles), row, width)
            } else {
                (row * width, row * width, width)
            };
            mark = block.unmark(index, columns);
            block.data.truncate(start + bytes);
            line.end = u32::try_from(start + bytes).unwrap_or(u32::MAX);
            line.info = line.info & !COLUMNS | OPEN | u32::try_from(columns).unwrap_or(0);
            block.lines.push(line);
            self.tail = Tail::Open(last);
        }
        Some((wrapped, mark))
    }

    fn forget_empty_block(&mut self) {
        if self.blocks.back().is_some_and(|block| block.lines.is_empty()) {
            self.blocks.pop_back();
            self.era += 1;
            if let Some(block) = self.blocks.back() {
                self.closed_bytes -= block.held_bytes();
            }
        }
    }

    /// Whether the newest line goes on on the screen.
    pub(super) fn goes_on(&self) -> bool {
        self.blocks.back().and_then(|block| block.lines.last()).is_some_and(|line| line.is(OPEN))
    }

    /// Wraps all lines anew.
    pub(super) fn set_width(&mut self, width: usize) {
        if width == self.width {
            return;
        }
        self.before = Numbers { width: self.width, rows: self.range() };
        self.width = width;
        self.rows = 0;
        for block in &mut self.blocks {
            block.count_rows(width);
            self.rows += u64::from(block.rows);
        }
        if self.tail != Tail::Closed {
            self.tail = Tail::Sealed;
        }
    }

    /// Reads a row by its number; whether its text goes on in the next one.
    pub(super) fn read(&self, number: u64, cell: impl FnMut(&str, bool, Style)) -> Option<bool> {
        let found = self.find(number)?;
        found.block.read(found.line, found.row, self.width, cell);
        Some(found.goes_on)
    }

    /// Adds the text of a row to `out`.
    pub(super) fn read_text(&self, number: u64, out: &mut String) {
        let Some(Found { block, line, row, .. }) = self.find(number) else { return };
        if block.lines.get(line).is_some_and(|line| line.is(MARKED)) {
            return block.read(line, row, self.width, |text, _, _| out.push_str(text));
        }
        let bytes = block.bytes(line).get(row * self.width..).unwrap_or_default();
        out.push_str(std::str::from_utf8(&bytes[..bytes.len().min(self.width)]).unwrap_or_default());
    }

    /// Whether the text of a row goes on in the next one.
    pub(super) fn row_goes_on(&self, number: u64) -> bool {
        self.find(number).is_some_and(|found| found.goes_on)
    }

    fn find(&self, number: u64) -> Option<Found<'_>> {
        let mut left = number.checked_sub(self.first)?;
        let block = self.blocks.iter().find(|block| {
            let here = left < u64::from(block.rows);
            left -= if here { 0 } else { u64::from(block.rows) };
            here
        })?;
        for (index, line) in block.lines.iter().enumerate() {
            let rows = u64::from(block.line_rows(index, self.width));
            if left < rows {
                let goes_on = left + 1 < rows || line.is(OPEN);
                return Some(Found { block, line: index, row: usize::try_from(left).ok()?, goes_on });
            }
            left -= rows;
        }
        None
    }

    pub(super) fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// Numbers of the oldest row and of the next one.
    pub(super) fn range(&self) -> Range<u64> {
        self.first..self.first + self.rows
    }

    pub(super) fn held_bytes(&self) -> usize {
        self.closed_bytes + self.blocks.back().map_or(0, Block::held_bytes)
    }

    pub(super) fn drop_oldest(&mut self) {
        let Some(block) = self.blocks.pop_front() else { return };
        if self.blocks.is_empty() {
            self.era += 1;
            // What is on the screen goes on with nothing.
            self.tail = Tail::Closed;
        } else {
            self.closed_bytes -= block.held_bytes();
        }
        self.first += u64::from(block.rows);
        self.before.rows.start += u64::from(block.rows_before);
        self.first_line += block.lines.len() as u64;
        self.rows -= u64::from(block.rows);
    }

    /// Drops every row; numbers are not given out again.
    pub(super) fn clear(&mut self) {
        while !self.blocks.is_empty() {
            self.drop_oldest();
        }
    }

    /// Drops every row and begins to count anew.
    pub(super) fn reset(&mut self) {
        self.clear();
        self.first = 0;
    }
}

/// A row in its line.
struct Found<'a> {
    block: &'a Block,
    line: usize,
    row: usize,
    goes_on: bool,
}

/// Fills a row up with blanks in the default style.
fn pad(block: &mut Block, line: &mut Line, columns: usize) {
    if line.is(MARKED) {
        record::write_style(&mut block.data, 0);
    }
    block.data.resize(block.data.len() + columns, b' ');
}

/// Without blanks in the default style at the end, unless they are in the middle of a line.
fn shown(cells: &[Cell], wrapped: bool) -> &[Cell] {
    let is_bare = |cell: &Cell| cell.style == 0 && matches!(cell.bits(), 0 | 0x20);
    let end = if wrapped {
        cells.len()
    } else {
        cells.iter().rposition(|cell| !is_bare(cell)).map_or(0, |at| at + 1)
    };
    &cells[..end]
}
