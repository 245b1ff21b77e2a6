//! Text of a pane as it is pointed at: places in history and screen, ways between them, and what a client
//! may ask about it.
//!
//! Places are absolute rows, counted from the first row that ever left the screen; a change of width
//! numbers them anew.

pub mod motion;
pub mod rows;

use self::motion::Walk;
use serde::{Deserialize, Serialize};

/// A place in history and screen: a row by its absolute number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Spot {
    /// The row.
    pub row: u64,
    /// The column.
    pub col: u16,
}

/// How a selection goes from its first to its last place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Shape {
    /// Character by character.
    Characters,
    /// Whole lines, soft-wrapped rows included.
    Lines,
    /// A rectangle.
    Block,
}

/// What is around a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Around {
    /// A word, or a path, or an address.
    Word,
    /// An address with its scheme.
    Url,
    /// The line.
    Line,
}

/// A direction through the rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Toward {
    /// To older rows.
    Older,
    /// To newer rows.
    Newer,
}

impl Toward {
    /// The other way.
    #[must_use]
    pub fn back(self) -> Self {
        match self {
            Self::Older => Self::Newer,
            Self::Newer => Self::Older,
        }
    }
}

/// What a client asks about a pane's text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Ask {
    /// Where a way leads.
    Walk(Spot, Walk),
    /// The next match of a text, from a place on and then from the other end. Letters match in either case
    /// unless the text has a capital one.
    Find {
        /// The text as it is.
        text: String,
        /// The place, which itself does not count.
        from: Spot,
        /// Which way.
        toward: Toward,
    },
    /// The first and the last cell of what is around a place.
    Around(Spot, Around),
    /// The output of the command that a row belongs to.
    Output(u64),
    /// The text between two places, both included.
    Copy(Spot, Spot, Shape),
}

/// What the server answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Answer {
    /// A place.
    At(Spot),
    /// A first and a last cell; `None` if nothing of that kind is there.
    Range(Option<(Spot, Spot)>),
    /// A text.
    Text {
        /// Lines joined with LF.
        text: String,
        /// Whether the end was left out, because it is too much.
        cut: bool,
        /// Whether some of it is not kept any more.
        lost: bool,
    },
    /// The pane is gone, or too much was asked at once.
    None,
}

/// An address without what ends a sentence or closes a bracket that was opened before it.
#[must_use]
pub fn without_ending(mut url: &str) -> &str {
    loop {
        let Some(last) = url.chars().next_back() else { return url };
        let opening = match last {
            ')' => Some('('),
            ']' => Some('['),
            '}' => Some('{'),
            '.' | ',' | ';' | ':' | '!' | '?' => None,
            _ => return url,
        };
        let balanced =
            opening.is_some_and(|opening| url.matches(opening).count() >= url.matches(last).count());
        if balanced {
            return url;
        }
        url = &url[..url.len() - last.len_utf8()];
    }
}
