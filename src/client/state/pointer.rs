//! What the pointer can be over, and what a pressed button drags.

use super::Dock;
use crate::config::keymap::Action;
use crate::protocol::command::Side;
use crate::protocol::geometry::{Axis, Rect};
use crate::protocol::ids::{PaneId, TabId, WorkspaceId};
use crate::protocol::key::MouseButton;
use crate::protocol::text::Spot;

/// What lies under the pointer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hit {
    /// A pane's terminal.
    Pane(PaneId),
    /// A pane's frame.
    Frame(PaneId),
    /// The divider with that index in the layout.
    Divider(usize),
    /// A tab.
    Tab(TabId),
    /// A tab's `×`.
    CloseTab(TabId),
    /// The `+` of the tab bar.
    NewTab,
    /// An arrow of the tab bar, which makes that tab the first one shown.
    FirstTab(usize),
    /// The toggle of the left sidebar.
    ToggleLeft,
    /// The toggle of the right sidebar.
    ToggleRight,
    /// A dock, where it is nothing else.
    Dock(Dock),
    /// A row of the WORKSPACES dock.
    Workspace(WorkspaceId),
    /// The `+` of the WORKSPACES dock.
    NewWorkspace,
    /// A row of the AGENTS dock.
    Agent(PaneId),
    /// A conversation in the AGENTS dock, with its index in that list.
    Past(usize),
    /// The word beside AGENTS that says whose are listed.
    AgentScope,
    /// The heading AGENTS, which says whether conversations are listed.
    AgentFilter,
    /// The edge of the left sidebar.
    LeftEdge,
    /// The edge of the right sidebar.
    RightEdge,
    /// An overlay, where it is nothing else.
    Overlay,
    /// The match with that index in a list.
    Match(usize),
    /// The row with that index in Mission Control.
    MissionRow(usize),
    /// The toast.
    Toast,
    /// The section with that index of the settings.
    Section(usize),
    /// The line with that index of a menu.
    Item(usize),
    /// The way back in the menu of narrow screens.
    TouchBack,
    /// The way out of it.
    TouchClose,
    /// Its lines before (false) or after those shown.
    TouchPage(bool),
    /// A button that does what an action does.
    Action(Action),
    /// The yes of a question.
    Yes,
    /// The no of a question.
    No,
}

/// A divider that is dragged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grip {
    /// The way to the split.
    pub path: Vec<Side>,
    /// How its sides lie.
    pub axis: Axis,
    /// The split's rectangle in the layout.
    pub area: Rect,
    /// The column or row that the line was last sent to.
    pub line: u16,
    /// How far after the pointer it is.
    pub after: i32,
}

/// What the pressed button drags.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Drag {
    /// A divider, or the two that meet near the pointer.
    Dividers {
        /// The tab of their splits.
        tab: TabId,
        /// Each of them.
        grips: Vec<Grip>,
    },
    /// A selection.
    Select {
        /// In which pane.
        pane: PaneId,
        /// Where it begins.
        from: Spot,
        /// The cell of the screen that was pressed.
        pressed: (u16, u16),
        /// The cell of the screen under the pointer.
        pointer: (u16, u16),
        /// Whether the pointer has moved.
        begun: bool,
    },
    /// A tab, and the place that it was last sent to.
    Tab(TabId, Option<usize>),
    /// A workspace of the sidebar, and the place that it was last sent to.
    Workspace(WorkspaceId, Option<usize>),
    /// The edge of the left sidebar.
    LeftEdge,
    /// The edge of the right sidebar.
    RightEdge,
    /// The pane's own matter.
    Pane {
        /// Which pane got the press.
        pane: PaneId,
        /// Of which button.
        button: MouseButton,
        /// Where the pointer was last, in the pane.
        at: (u16, u16),
    },
}
