//! Pointing at text as data: a selection, copy mode, a search, and the questions to the server about them.

use crate::client::field::Field;
use crate::protocol::ids::PaneId;
use crate::protocol::key::KeyEvent;
use crate::protocol::text::{Shape, Spot, Toward};
use std::collections::VecDeque;

/// Selected text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Selection {
    /// In which pane.
    pub pane: PaneId,
    /// Where it began.
    pub from: Spot,
    /// Where it has come to.
    pub to: Spot,
    /// How it goes from one to the other.
    pub shape: Shape,
}

/// Copy mode, in one pane.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Copy {
    /// Which pane.
    pub pane: PaneId,
    /// The first row shown before, if that was not the live screen.
    pub before: Option<u64>,
    /// The first row shown, once the server has answered.
    pub top: u64,
    /// The cursor.
    pub cursor: Spot,
    /// The column that up and down keep to.
    pub col: u16,
    /// Where the selection began, and its shape.
    pub mark: Option<(Spot, Shape)>,
    /// The number typed so far.
    pub count: Option<u16>,
    /// Keys that wait for the server to say where one before them leads.
    pub keys: VecDeque<KeyEvent>,
}

/// A search in a pane.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Find {
    /// Which pane.
    pub pane: PaneId,
    /// What for.
    pub query: Field,
    /// Whether it was begun with `?`.
    pub back: bool,
    /// Which way it goes.
    pub toward: Toward,
    /// Whether keys go to the query.
    pub editing: bool,
    /// Where it began, and the first row shown then.
    pub origin: (Spot, u64),
    /// The match that it has come to.
    pub at: Option<(Spot, Spot)>,
}

/// What a question to the server is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// Where copy mode's cursor goes.
    Cursor {
        /// Whether the column that up and down keep to stays.
        keeps: bool,
    },
    /// The output that copy mode selects.
    Output,
    /// The next match.
    Match,
    /// What was clicked twice or three times.
    Clicked,
    /// The text to copy.
    Text,
}

/// A question under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Asked {
    /// Its number.
    pub number: u32,
    /// About which pane.
    pub pane: PaneId,
    /// What for.
    pub wanted: Wanted,
}

/// Clicks on one cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Clicks {
    /// How many, the first one included.
    pub count: u8,
    /// When the last one was.
    pub at_ms: u64,
    /// The cell of the screen.
    pub cell: (u16, u16),
}
