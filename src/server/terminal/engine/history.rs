//! The rows that left the screen, within one budget of bytes.
//!
//! Owns two stores that share the budget: the primary screen's rows, and those of the alternate
//! screen for as long as that one is shown. A row is kept as `vt100` writes it: its text with the SGR
//! sequences where the style changes, beginning in the default style; `draft` reads it back.
//!
//! Invariants: what is held never exceeds the budget once a call returns; oldest rows go first, those
//! of the alternate screen only after the last primary one; primary row numbers are never given out
//! twice, those of alternate rows follow the primary ones and are free again once released.

use std::collections::VecDeque;
use std::ops::Range;

/// Rows are kept in blocks of about this size: large enough that a row costs no allocation of its own,
/// small enough that dropping a block drops no more than a screen of ordinary text.
const BLOCK_BYTES: usize = 4_096;
/// A small budget holds at least so many blocks, so that dropping one leaves most rows.
const BLOCKS: usize = 16;
/// The bit of a row's end that says that its text goes on in the next row.
const WRAPPED: u32 = 1 << 31;

/// A row of the history, as stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct StoredRow<'a> {
    /// Text and SGR sequences.
    pub text: &'a str,
    /// Whether the text goes on in the next row.
    pub wrapped: bool,
}

#[derive(Debug)]
struct Block {
    /// Number of its first row.
    first: u64,
    text: String,
    /// Where each row ends in `text`, with [`WRAPPED`].
    ends: Vec<u32>,
}

impl Block {
    fn new(first: u64, bytes: usize) -> Self {
        Self { first, text: String::with_capacity(bytes), ends: Vec::new() }
    }

    fn has_room(&self, row_bytes: usize) -> bool {
        // The ends count too: short rows must not make a block much larger than it should be.
        self.text.len() + row_bytes + self.ends.len() * size_of::<u32>() <= self.text.capacity()
    }

    fn push(&mut self, text: &str, wrapped: bool) {
        self.text.push_str(text);
        let end = u32::try_from(self.text.len()).unwrap_or(!WRAPPED) & !WRAPPED;
        self.ends.push(if wrapped { end | WRAPPED } else { end });
    }

    fn row(&self, index: usize) -> Option<StoredRow<'_>> {
        let end = *self.ends.get(index)?;
        let start =
            index.checked_sub(1).and_then(|before| self.ends.get(before)).map_or(0, |end| end & !WRAPPED);
        let text = self.text.get(start as usize..(end & !WRAPPED) as usize)?;
        Some(StoredRow { text, wrapped: end & WRAPPED != 0 })
    }

    /// No more rows will come: gives back what is not used.
    fn close(&mut self) {
        self.text.shrink_to_fit();
        self.ends.shrink_to_fit();
    }

    fn held_bytes(&self) -> usize {
        size_of::<Self>() + self.text.capacity() + self.ends.capacity() * size_of::<u32>()
    }
}

#[derive(Debug)]
struct Store {
    blocks: VecDeque<Block>,
    /// The size of a new block.
    block_bytes: usize,
    /// Number of the next row.
    next: u64,
    /// Held by all blocks but the last, which still grows.
    closed_bytes: usize,
}

impl Store {
    fn new(budget_bytes: usize) -> Self {
        let block_bytes = BLOCK_BYTES.min(budget_bytes / BLOCKS);
        Self { blocks: VecDeque::new(), block_bytes, next: 0, closed_bytes: 0 }
    }

    fn push(&mut self, text: &str, wrapped: bool) {
        if !self.blocks.back().is_some_and(|block| block.has_room(text.len())) {
            if let Some(full) = self.blocks.back_mut() {
                full.close();
                self.closed_bytes += full.held_bytes();
            }
            self.blocks.push_back(Block::new(self.next, self.block_bytes.max(text.len())));
        }
        if let Some(block) = self.blocks.back_mut() {
            block.push(text, wrapped);
        }
        self.next += 1;
    }

    fn first(&self) -> u64 {
        self.blocks.front().map_or(self.next, |block| block.first)
    }

    fn held_bytes(&self) -> usize {
        self.closed_bytes + self.blocks.back().map_or(0, Block::held_bytes)
    }

    fn drop_oldest(&mut self) {
        let Some(block) = self.blocks.pop_front() else { return };
        if !self.blocks.is_empty() {
            self.closed_bytes -= block.held_bytes();
        }
    }

    fn clear(&mut self) {
        self.blocks = VecDeque::new();
        self.closed_bytes = 0;
    }

    fn row(&self, number: u64) -> Option<StoredRow<'_>> {
        let after = self.blocks.partition_point(|block| block.first <= number);
        let block = self.blocks.get(after.checked_sub(1)?)?;
        block.row(usize::try_from(number - block.first).ok()?)
    }
}

/// Both histories of one terminal.
#[derive(Debug)]
pub(super) struct History {
    primary: Store,
    alternate: Store,
    alternate_shown: bool,
    budget_bytes: usize,
}

impl History {
    pub(super) fn new(budget_bytes: usize) -> Self {
        let store = || Store::new(budget_bytes);
        Self { primary: store(), alternate: store(), alternate_shown: false, budget_bytes }
    }

    /// Takes a row that left the top of a screen.
    pub(super) fn push(&mut self, text: &str, wrapped: bool, alternate: bool) {
        if alternate {
            self.alternate.push(text, wrapped);
        } else {
            self.primary.push(text, wrapped);
        }
        while self.held_bytes() > self.budget_bytes {
            if self.primary.blocks.is_empty() {
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
            self.alternate = Store::new(self.budget_bytes);
        }
    }

    /// Drops every row.
    pub(super) fn clear(&mut self) {
        self.primary.clear();
        self.alternate.clear();
    }

    /// Numbers of the oldest row kept and of the row after the newest.
    pub(super) fn range(&self) -> Range<u64> {
        let start = if self.primary.blocks.is_empty() {
            self.primary.next + self.alternate.first()
        } else {
            self.primary.first()
        };
        start..self.primary.next + self.alternate.next
    }

    /// A row by its number.
    pub(super) fn row(&self, number: u64) -> Option<StoredRow<'_>> {
        let Some(alternate) = number.checked_sub(self.primary.next) else {
            let row = self.primary.row(number)?;
            // The newest primary row does not go on on the alternate screen.
            let interrupted = self.alternate_shown && number + 1 == self.primary.next;
            return Some(StoredRow { wrapped: row.wrapped && !interrupted, ..row });
        };
        self.alternate.row(alternate)
    }
}
