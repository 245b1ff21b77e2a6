//! One pane's picture: immutable, its rows behind `Arc` so that an unchanged row is the same row.

use super::geometry::Size;
use super::style::Style;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// How the text of a [`Run`] is laid on cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Unit {
    /// Every character is one cell.
    Narrow,
    /// Every character is two cells.
    Wide,
    /// The whole text is one grapheme in one cell.
    NarrowCluster,
    /// The whole text is one grapheme in two cells.
    WideCluster,
}

impl Unit {
    /// Columns that a text takes.
    #[must_use]
    pub fn columns(self, text: &str) -> usize {
        match self {
            Self::Narrow => text.chars().count(),
            Self::Wide => 2 * text.chars().count(),
            Self::NarrowCluster => 1,
            Self::WideCluster => 2,
        }
    }
}

/// Neighbouring cells of one style.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Run {
    /// Their style.
    pub style: Style,
    /// How the text lies on them.
    pub unit: Unit,
    /// Their text, never with a control character.
    pub text: String,
}

impl Run {
    /// The graphemes of the run with their widths in cells (1 or 2), in order.
    pub fn cells(&self) -> impl Iterator<Item = (&str, u16)> {
        let (whole, width) = match self.unit {
            Unit::Narrow => (false, 1),
            Unit::Wide => (false, 2),
            Unit::NarrowCluster => (true, 1),
            Unit::WideCluster => (true, 2),
        };
        let mut rest = self.text.as_str();
        std::iter::from_fn(move || {
            let first = rest.chars().next()?;
            let (cell, tail) = rest.split_at(if whole { rest.len() } else { first.len_utf8() });
            rest = tail;
            Some((cell, width))
        })
    }
}

/// A hyperlink (OSC 8).
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct Link {
    /// The program's id for it; empty if it gave none.
    pub id: String,
    /// Where it leads: printable ASCII.
    pub uri: String,
}

/// One row of cells. Blank cells in the default style at its end are left out.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct Row {
    /// The runs from the first column on, without gaps.
    pub runs: Vec<Run>,
    /// Whether the text goes on in the next row (a soft wrap).
    pub wrapped: bool,
    /// The links that the runs' styles name by number.
    pub links: Vec<(u32, Arc<Link>)>,
}

impl Row {
    /// The link of a run.
    #[must_use]
    pub fn link(&self, run: &Run) -> Option<&Link> {
        let found = self.links.iter().find(|(number, _)| *number == run.style.link);
        found.filter(|_| run.style.link != 0).map(|(_, link)| link.as_ref())
    }

    /// The text without styles and without blanks at the end.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text: String = self.runs.iter().map(|run| run.text.as_str()).collect();
        text.truncate(text.trim_end_matches(' ').len());
        text
    }
}

/// The shape of the cursor (DECSCUSR).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub enum CursorShape {
    /// Whatever the outer terminal uses.
    #[default]
    Default,
    /// Block.
    Block {
        /// Whether it blinks.
        blink: bool,
    },
    /// Underline.
    Underline {
        /// Whether it blinks.
        blink: bool,
    },
    /// Vertical bar.
    Bar {
        /// Whether it blinks.
        blink: bool,
    },
}

/// A visible cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Cursor {
    /// Row in the pane.
    pub row: u16,
    /// Column in the pane.
    pub col: u16,
    /// Its shape.
    pub shape: CursorShape,
}

/// What a client must know of the child's modes to route keys, wheel and clicks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct ScreenModes(pub u16);

impl ScreenModes {
    /// The alternate screen is shown.
    pub const ALTERNATE: Self = Self(1);
    /// Cursor keys are in application mode (DECCKM).
    pub const APPLICATION_CURSOR: Self = Self(1 << 1);
    /// Some mouse reporting is on: clicks and wheel belong to the child.
    pub const MOUSE: Self = Self(1 << 2);
    /// Motion without a button is wanted too (mode 1003).
    pub const MOUSE_MOTION: Self = Self(1 << 3);

    /// Whether every mode of `other` is set.
    #[must_use]
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Both sets together.
    #[must_use]
    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// Where in the history a picture was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct Position {
    /// History rows above the picture.
    pub above: u64,
    /// Rows below the picture; zero is the live view.
    pub below: u64,
}

/// One pane's picture at one revision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// The content revision that it shows (`spec/README.md` point 22).
    pub revision: u64,
    /// Its size; `rows` has exactly `size.rows` items.
    pub size: Size,
    /// The rows from the top.
    pub rows: Vec<Arc<Row>>,
    /// The number of the first one (see [`crate::protocol::text`]).
    pub first: u64,
    /// The cursor, if it is visible and inside the picture.
    pub cursor: Option<Cursor>,
    /// Where the picture stands in the history.
    pub position: Position,
    /// The child's modes.
    pub modes: ScreenModes,
}

impl Frame {
    /// An empty picture of `size` at revision zero.
    #[must_use]
    pub fn blank(size: Size) -> Self {
        let row = Arc::new(Row::default());
        Self {
            revision: 0,
            size,
            rows: vec![row; usize::from(size.rows)],
            first: 0,
            cursor: None,
            position: Position::default(),
            modes: ScreenModes::default(),
        }
    }
}
