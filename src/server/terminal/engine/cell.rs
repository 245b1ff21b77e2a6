//! One cell of the grid in eight bytes: what it shows, and the number of its style.
//!
//! Invariants: a wide cell is followed by its spacer; the cell of all zeroes is a blank in the default
//! style.

/// A text of several characters, kept in the cluster table.
const CLUSTER: u32 = 1 << 31;
/// The cell and the one after it show one character.
const WIDE: u32 = 1 << 30;
/// The right half of a wide character.
const SPACER: u32 = 1 << 29;
/// The last column, left free because a wide character did not fit there.
const GAP: u32 = 1 << 28;
/// Kept by selective erasing (DECSCA).
pub(super) const PROTECTED: u32 = 1 << 27;
/// A character or the number of a cluster.
const TEXT: u32 = (1 << 21) - 1;

/// What a cell shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Content {
    /// Nothing.
    Blank,
    /// One character.
    Char(char),
    /// A cluster by its number.
    Cluster(u32),
}

/// A cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Cell {
    bits: u32,
    /// The number of its style; zero is the default style.
    pub(super) style: u32,
}

impl Cell {
    /// A cell with one character or, for zero, a blank; `flags` is [`PROTECTED`] or nothing.
    pub(super) const fn narrow(char: u32, flags: u32, style: u32) -> Self {
        Self { bits: char | flags, style }
    }

    /// A blank.
    pub(super) const fn blank(style: u32) -> Self {
        Self { bits: 0, style }
    }

    /// The unused last column before a wide character; a row that is wrapped anew has none there, so it
    /// has no style.
    pub(super) const fn gap() -> Self {
        Self { bits: GAP, style: 0 }
    }

    /// The same with a cluster instead of its character.
    pub(super) const fn with_cluster(self, number: u32) -> Self {
        Self { bits: self.bits & !TEXT | CLUSTER | number, style: self.style }
    }

    /// The same as the left half of a wide character, or narrow.
    pub(super) const fn with_width(self, wide: bool) -> Self {
        let bits = if wide { self.bits | WIDE } else { self.bits & !WIDE };
        Self { bits, style: self.style }
    }

    /// The right half that belongs to this left one.
    pub(super) const fn spacer(self) -> Self {
        Self { bits: SPACER | self.bits & PROTECTED, style: self.style }
    }

    /// What it shows.
    pub(super) fn content(self) -> Content {
        let text = self.bits & TEXT;
        if text == 0 && self.bits & CLUSTER == 0 {
            Content::Blank
        } else if self.bits & CLUSTER != 0 {
            Content::Cluster(text)
        } else {
            char::from_u32(text).map_or(Content::Blank, Content::Char)
        }
    }

    /// Its bits: below 0x80 for a blank or an unprotected ASCII character, and nothing else.
    pub(super) const fn bits(self) -> u32 {
        self.bits
    }

    pub(super) const fn is_wide(self) -> bool {
        self.bits & WIDE != 0
    }

    pub(super) const fn is_spacer(self) -> bool {
        self.bits & SPACER != 0
    }

    pub(super) const fn is_gap(self) -> bool {
        self.bits & GAP != 0
    }

    pub(super) const fn is_protected(self) -> bool {
        self.bits & PROTECTED != 0
    }

    /// Whether it shows no text.
    pub(super) const fn is_blank(self) -> bool {
        self.bits & (TEXT | CLUSTER | SPACER) == 0
    }
}
