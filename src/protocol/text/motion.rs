//! Ways through text, as vi's hands know them. A client walks over the rows that it shows; where that is
//! not enough it asks the server, which walks in the same way over all of them.
//!
//! Invariants: a way leads to the first cell of a character, or to the first column of a row without any;
//! soft-wrapped rows are one line, and up and down go by rows; a walk reads a bounded number of rows and
//! stops where they are used up.

use super::Spot;
use super::rows::{Kind, Rows, TextRow};
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::rc::Rc;

/// Rows that one walk reads: a moment of a pane's time.
const READ_ROWS: u32 = 10_000;

/// One step's kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Motion {
    /// The character before, in the line.
    Left,
    /// The character after, in the line.
    Right,
    /// The row above.
    Up,
    /// The row below.
    Down,
    /// The beginning of a word, forward.
    WordForward,
    /// The beginning of a word, backward.
    WordBack,
    /// The end of a word, forward.
    WordEnd,
    /// As [`Self::WordForward`], with blanks alone between words.
    BigForward,
    /// As [`Self::WordBack`], with blanks alone between words.
    BigBack,
    /// As [`Self::WordEnd`], with blanks alone between words.
    BigEnd,
    /// The first column of the line.
    LineStart,
    /// The line's first character that is no blank.
    LineText,
    /// The line's last character.
    LineEnd,
    /// The blank row before the paragraph.
    ParagraphBack,
    /// The blank row after the paragraph.
    ParagraphForward,
    /// The oldest row, or the one with the number of the count from there on.
    Top,
    /// The last row with text, or the one with the number of the count from the oldest on.
    Bottom,
    /// That row, its first character that is no blank.
    Row(u64),
    /// The last prompt above, where the shell marks them.
    PromptAbove,
    /// The next prompt below.
    PromptBelow,
}

/// A motion, how often, and where it is going.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Walk {
    /// One step.
    pub motion: Motion,
    /// How many steps, if a number was given.
    pub count: Option<u16>,
    /// The column that up and down keep to.
    pub col: u16,
    /// Whether they may stand where no text is.
    pub free: bool,
}

/// The walk needs rows that are not at hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Beyond;

/// Walks.
///
/// # Errors
/// [`Beyond`]
pub fn walk(rows: &impl Rows, from: Spot, walk: Walk) -> Result<Spot, Beyond> {
    let Walk { motion, count, col, free } = walk;
    let all = rows.all();
    let last = all.end.saturating_sub(1).max(all.start);
    let from = Spot { row: from.row.clamp(all.start, last), ..from };
    let times = u64::from(count.unwrap_or(1).max(1));
    let on = |row: u64| Ok(Spot { row, col: rows.row(row).ok_or(Beyond)?.first_text() });
    let vertical = |row: u64| {
        let text = rows.row(row).ok_or(Beyond)?;
        let end = text.glyphs.last().map_or(0, |glyph| glyph.last_col() + 1);
        Ok(Spot { row, col: if free && col >= end { col } else { text.start(col) } })
    };
    match motion {
        Motion::Up => vertical(from.row.saturating_sub(times).max(all.start)),
        Motion::Down => vertical((from.row + times).min(last)),
        Motion::Row(row) => on(row.clamp(all.start, last)),
        Motion::Top | Motion::Bottom => match count {
            Some(count) => on((all.start + u64::from(count.max(1)) - 1).min(last)),
            None if motion == Motion::Top => on(all.start),
            None => on(last_text(rows, &all)?),
        },
        // Only who keeps the marks can tell.
        Motion::PromptAbove | Motion::PromptBelow => Err(Beyond),
        _ => {
            let mut walker = Walker::start(rows, all, from)?;
            for step in 0..times {
                let before = walker.spot();
                walker.step(motion, step + 1 == times)?;
                if walker.spot() == before {
                    break;
                }
            }
            Ok(walker.spot())
        }
    }
}

/// The last row with text.
fn last_text(rows: &impl Rows, all: &Range<u64>) -> Result<u64, Beyond> {
    for row in all.clone().rev().take(READ_ROWS as usize) {
        if !rows.row(row).ok_or(Beyond)?.glyphs.is_empty() {
            return Ok(row);
        }
    }
    Ok(all.start)
}

/// What a step led to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Moved {
    /// A character of the same line.
    Within,
    /// Another line.
    Line,
    /// Nowhere.
    End,
}

/// A place among characters.
struct Walker<'rows, R: Rows> {
    rows: &'rows R,
    all: Range<u64>,
    left: u32,
    row: u64,
    text: Rc<TextRow>,
    at: usize,
}

impl<'rows, R: Rows> Walker<'rows, R> {
    fn start(rows: &'rows R, all: Range<u64>, from: Spot) -> Result<Self, Beyond> {
        let text = Rc::new(rows.row(from.row).ok_or(Beyond)?);
        let at = text.index(from.col);
        Ok(Self { rows, all, left: READ_ROWS, row: from.row, text, at })
    }

    fn spot(&self) -> Spot {
        Spot { row: self.row, col: self.text.glyphs.get(self.at).map_or(0, |glyph| glyph.col) }
    }

    fn kind(&self, big: bool) -> Kind {
        match self.text.glyphs.get(self.at).map(|glyph| glyph.kind) {
            Some(Kind::Other) if big => Kind::Word,
            kind => kind.unwrap_or(Kind::Blank),
        }
    }

    fn empty(&self) -> bool {
        self.text.glyphs.is_empty()
    }

    /// A neighbouring row; `None` at the end of the rows, or when enough were read.
    fn beside(&mut self, up: bool) -> Result<Option<Rc<TextRow>>, Beyond> {
        let row = if up { self.row.checked_sub(1) } else { Some(self.row + 1) };
        let Some(row) = row.filter(|row| self.all.contains(row) && self.left > 0) else { return Ok(None) };
        self.left -= 1;
        Ok(Some(Rc::new(self.rows.row(row).ok_or(Beyond)?)))
    }

    fn forward(&mut self) -> Result<Moved, Beyond> {
        if self.at + 1 < self.text.glyphs.len() {
            self.at += 1;
            return Ok(Moved::Within);
        }
        let Some(below) = self.beside(false)? else { return Ok(Moved::End) };
        let moved = if self.text.wrapped { Moved::Within } else { Moved::Line };
        (self.row, self.text, self.at) = (self.row + 1, below, 0);
        Ok(moved)
    }

    fn back(&mut self) -> Result<Moved, Beyond> {
        if self.at > 0 {
            self.at -= 1;
            return Ok(Moved::Within);
        }
        let Some(above) = self.beside(true)? else { return Ok(Moved::End) };
        let moved = if above.wrapped { Moved::Within } else { Moved::Line };
        self.at = above.glyphs.len().saturating_sub(1);
        (self.row, self.text) = (self.row - 1, above);
        Ok(moved)
    }

    /// A step that is undone where it leads somewhere else.
    fn try_step(&mut self, up: bool, stays: impl Fn(&Self, Moved) -> bool) -> Result<bool, Beyond> {
        let before = (self.row, Rc::clone(&self.text), self.at);
        let moved = if up { self.back()? } else { self.forward()? };
        let good = moved != Moved::End && stays(self, moved);
        if !good {
            (self.row, self.text, self.at) = before;
        }
        Ok(good)
    }

    fn step(&mut self, motion: Motion, last: bool) -> Result<(), Beyond> {
        let within = |_: &Self, moved| moved == Moved::Within;
        match motion {
            Motion::Left => {
                self.try_step(true, within)?;
            }
            Motion::Right => {
                self.try_step(false, within)?;
            }
            Motion::WordForward => self.word_forward(false)?,
            Motion::BigForward => self.word_forward(true)?,
            Motion::WordBack => self.word_back(false)?,
            Motion::BigBack => self.word_back(true)?,
            Motion::WordEnd => self.word_end(false)?,
            Motion::BigEnd => self.word_end(true)?,
            Motion::LineStart | Motion::LineText => self.line_start(motion == Motion::LineText)?,
            Motion::LineEnd => self.line_end(last)?,
            Motion::ParagraphBack => self.paragraph(true)?,
            Motion::ParagraphForward => self.paragraph(false)?,
            Motion::Up
            | Motion::Down
            | Motion::Top
            | Motion::Bottom
            | Motion::Row(_)
            | Motion::PromptAbove
            | Motion::PromptBelow => {}
        }
        Ok(())
    }

    fn word_forward(&mut self, big: bool) -> Result<(), Beyond> {
        let kind = self.kind(big);
        loop {
            match self.forward()? {
                Moved::End => return Ok(()),
                Moved::Within if kind != Kind::Blank && self.kind(big) == kind => {}
                Moved::Within | Moved::Line => break,
            }
        }
        // A row without text counts as a word.
        while !self.empty() && self.kind(big) == Kind::Blank {
            if self.forward()? == Moved::End {
                break;
            }
        }
        Ok(())
    }

    fn word_back(&mut self, big: bool) -> Result<(), Beyond> {
        if self.back()? == Moved::End {
            return Ok(());
        }
        while !self.empty() && self.kind(big) == Kind::Blank {
            if self.back()? == Moved::End {
                return Ok(());
            }
        }
        let kind = self.kind(big);
        let same = |walker: &Self, moved| moved == Moved::Within && walker.kind(big) == kind;
        while !self.empty() && self.try_step(true, same)? {}
        Ok(())
    }

    fn word_end(&mut self, big: bool) -> Result<(), Beyond> {
        if self.forward()? == Moved::End {
            return Ok(());
        }
        while self.kind(big) == Kind::Blank {
            if self.forward()? == Moved::End {
                return Ok(());
            }
        }
        let kind = self.kind(big);
        let same = |walker: &Self, moved| moved == Moved::Within && walker.kind(big) == kind;
        while self.try_step(false, same)? {}
        Ok(())
    }

    fn line_start(&mut self, text: bool) -> Result<(), Beyond> {
        self.at = 0;
        while self.try_step(true, |_, moved| moved == Moved::Within)? {
            self.at = 0;
        }
        let within = |_: &Self, moved| moved == Moved::Within;
        while text && self.kind(false) == Kind::Blank && self.try_step(false, within)? {}
        Ok(())
    }

    /// With a count, of a line further down: `last` is the step that looks for the end.
    fn line_end(&mut self, last: bool) -> Result<(), Beyond> {
        self.at = self.text.glyphs.len().saturating_sub(1);
        while self.try_step(false, |_, moved| moved == Moved::Within)? {
            self.at = self.text.glyphs.len().saturating_sub(1);
        }
        if !last {
            self.forward()?;
        }
        Ok(())
    }

    fn paragraph(&mut self, up: bool) -> Result<(), Beyond> {
        let mut text_passed = false;
        loop {
            text_passed |= !self.empty();
            let Some(beside) = self.beside(up)? else { break };
            self.row = if up { self.row - 1 } else { self.row + 1 };
            (self.text, self.at) = (beside, 0);
            if self.empty() && text_passed {
                return Ok(());
            }
        }
        self.at = if up { 0 } else { self.text.glyphs.len().saturating_sub(1) };
        Ok(())
    }
}

#[cfg(test)]
#[path = "motion_tests.rs"]
mod tests;
