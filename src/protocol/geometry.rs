//! Cells of a screen: sizes, rectangles, axes and directions. Rows come before columns everywhere;
//! positions are zero-based.

use serde::{Deserialize, Serialize};

/// A size in cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Size {
    /// Height in cells.
    pub rows: u16,
    /// Width in cells.
    pub cols: u16,
}

impl Size {
    /// A size of `rows` × `cols` cells.
    #[must_use]
    pub const fn new(rows: u16, cols: u16) -> Self {
        Self { rows, cols }
    }

    /// The same size with both sides at least one cell, as a PTY needs it.
    #[must_use]
    pub fn at_least_one(self) -> Self {
        Self { rows: self.rows.max(1), cols: self.cols.max(1) }
    }
}

/// A rectangle of cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Rect {
    /// First row.
    pub row: u16,
    /// First column.
    pub col: u16,
    /// Height in cells.
    pub rows: u16,
    /// Width in cells.
    pub cols: u16,
}

impl Rect {
    /// The rectangle of `size` whose top left cell is (`row`, `col`).
    #[must_use]
    pub const fn new(row: u16, col: u16, size: Size) -> Self {
        Self { row, col, rows: size.rows, cols: size.cols }
    }

    /// Its size.
    #[must_use]
    pub const fn size(self) -> Size {
        Size { rows: self.rows, cols: self.cols }
    }

    /// One past the last row.
    #[must_use]
    pub const fn bottom(self) -> u16 {
        self.row.saturating_add(self.rows)
    }

    /// One past the last column.
    #[must_use]
    pub const fn right(self) -> u16 {
        self.col.saturating_add(self.cols)
    }

    /// Whether the cell (`row`, `col`) lies inside.
    #[must_use]
    pub const fn contains(self, row: u16, col: u16) -> bool {
        row >= self.row && row < self.bottom() && col >= self.col && col < self.right()
    }

    /// The rectangle without a frame of one cell on each side; empty when there is nothing inside.
    #[must_use]
    pub const fn inside_frame(self) -> Self {
        Self {
            row: self.row.saturating_add(1),
            col: self.col.saturating_add(1),
            rows: self.rows.saturating_sub(2),
            cols: self.cols.saturating_sub(2),
        }
    }
}

/// How the two sides of a split lie. Spelt as in layout JSON (`spec/README.md` point 32).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Axis {
    /// Side by side, a vertical line between them.
    Horizontal,
    /// One above the other.
    Vertical,
}

/// A direction on the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// Towards column zero.
    Left,
    /// Towards the last column.
    Right,
    /// Towards row zero.
    Up,
    /// Towards the last row.
    Down,
}
