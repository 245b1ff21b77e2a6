//! The overlays as data; what keys do in them is in [`crate::client::layers`].

use super::{Choice, Dock, Finder, Menu, Mission, Picker, Preferences, Strip, Touch};
use crate::client::field::Field;
use crate::protocol::attach::message::Offer;
use crate::protocol::ids::{PaneId, TabId, WorkspaceId};

/// One overlay.
#[derive(Debug, Clone, PartialEq)]
pub enum Layer {
    /// The effective keys.
    Help(Help),
    /// A line to fill in.
    Prompt(Prompt),
    /// A project's layout, which may be made or not.
    Project(Offered),
    /// A question.
    Confirm {
        /// The question.
        question: String,
        /// What is done on yes.
        choice: Choice,
    },
    /// The keyboard is in a dock.
    Dock(DockCursor),
    /// A list to choose from.
    Picker(Picker),
    /// A context menu.
    Menu(Menu),
    /// The menu of narrow screens.
    Touch(Touch),
    /// Mission Control.
    Mission(Mission),
    /// The settings.
    Preferences(Preferences),
    /// The finder.
    Finder(Finder),
    /// A line for several panes.
    Strip(Strip),
}

/// The help overlay.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Help {
    /// What is searched for.
    pub query: Field,
    /// Whether keys go to the query.
    pub searching: bool,
    /// The first line shown.
    pub top: usize,
}

/// A line to fill in, and what for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prompt {
    /// What for.
    pub purpose: Purpose,
    /// The line.
    pub field: Field,
}

/// What a prompt's text becomes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Purpose {
    /// A tab's name.
    RenameTab(TabId),
    /// A pane's alias.
    RenamePane(PaneId),
    /// A workspace's label.
    RenameWorkspace(WorkspaceId),
    /// The root of a workspace; relative paths start at `base`.
    NewWorkspace {
        /// The focused pane's directory.
        base: String,
    },
}

/// The selected row of a dock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DockCursor {
    /// Which dock.
    pub dock: Dock,
    /// Its row.
    pub selected: usize,
}

impl Prompt {
    /// A prompt with a text to start from.
    pub fn new(purpose: Purpose, text: &str) -> Self {
        Self { purpose, field: Field::new(text) }
    }
}

/// A project's layout that waits for the person's word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offered {
    /// What is offered.
    pub offer: Offer,
    /// The first line shown.
    pub top: usize,
    /// Whether yes is chosen: not until the person has moved there, since what they were typing goes on.
    pub yes: bool,
}
