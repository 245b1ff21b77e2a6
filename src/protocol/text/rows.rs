//! Rows of text as motions see them.

use std::ops::Range;

/// What a character is to a motion by words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Space.
    Blank,
    /// Part of a word.
    Word,
    /// Anything else.
    Other,
}

/// A character in one or two cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Glyph {
    /// Its first column.
    pub col: u16,
    /// What it is.
    pub kind: Kind,
    wide: bool,
}

impl Glyph {
    /// Its last column.
    #[must_use]
    pub fn last_col(self) -> u16 {
        self.col + u16::from(self.wide)
    }
}

/// One row. Blanks at its end are no part of it, unless its text goes on in the next row.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TextRow {
    /// Its characters from the left.
    pub glyphs: Vec<Glyph>,
    /// Whether its text goes on in the next row.
    pub wrapped: bool,
}

impl TextRow {
    /// Adds the next character.
    pub fn push(&mut self, text: &str, wide: bool) {
        let col = self.glyphs.last().map_or(0, |last| last.last_col() + 1);
        let kind = match text.chars().next() {
            None => Kind::Blank,
            Some(char) if char.is_whitespace() => Kind::Blank,
            Some(char) if char.is_alphanumeric() || char == '_' => Kind::Word,
            Some(_) => Kind::Other,
        };
        self.glyphs.push(Glyph { col, kind, wide });
    }

    /// The row is whole.
    #[must_use]
    pub fn finished(mut self, wrapped: bool) -> Self {
        self.wrapped = wrapped;
        if !wrapped {
            let kept = self.glyphs.iter().rposition(|glyph| glyph.kind != Kind::Blank);
            self.glyphs.truncate(kept.map_or(0, |last| last + 1));
        }
        self
    }

    /// The index of the character at a column, of the last one if there is none.
    #[must_use]
    pub fn index(&self, col: u16) -> usize {
        self.glyphs.partition_point(|glyph| glyph.col <= col).saturating_sub(1)
    }

    /// The column where the character at a column begins, of the last one if there is none.
    #[must_use]
    pub fn start(&self, col: u16) -> u16 {
        self.glyphs.get(self.index(col)).map_or(0, |glyph| glyph.col)
    }

    /// The column of the first character that is no blank.
    #[must_use]
    pub fn first_text(&self) -> u16 {
        self.glyphs.iter().find(|glyph| glyph.kind != Kind::Blank).map_or(0, |glyph| glyph.col)
    }
}

/// Where rows are read from.
pub trait Rows {
    /// Numbers of the rows that there are.
    fn all(&self) -> Range<u64>;
    /// A row, if it is at hand.
    fn row(&self, number: u64) -> Option<TextRow>;
}
