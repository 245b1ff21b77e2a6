//! Session, workspaces, tabs and panes as plain data: commands in, outcomes out.
//!
//! Invariant: deterministic. No tokio, no clock, no I/O; the same commands give the same state.

use crate::protocol::command::{Command, Launch};
use crate::protocol::geometry::Size;
use crate::protocol::ids::{PaneId, TabId, WorkspaceId};
use crate::protocol::scene::Layout;

/// What the model must be told to carry out a command.
#[derive(Debug, Clone)]
pub struct Context {
    /// The area for panes, for "longer side", smallest sizes and resizing.
    pub area: Size,
    /// The home folder: root of the workspace that replaces the last one.
    pub home: String,
    /// Setting `layout.new_pane_to_workspace_root`.
    pub new_pane_to_root: bool,
    /// Setting `server.exit_when_empty`.
    pub exit_when_empty: bool,
}

/// Where a new pane starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Directory {
    /// This path.
    Path(String),
    /// The live directory of that pane; the path if it cannot be learnt.
    LiveOf(PaneId, String),
}

/// Something to be done outside the model.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Start a terminal in a new pane.
    Start {
        /// Which pane.
        pane: PaneId,
        /// Where.
        directory: Directory,
        /// What.
        launch: Launch,
    },
    /// End the terminal of a pane that is gone.
    End(PaneId),
    /// The last pane is gone and `exit_when_empty` is set: end the server.
    Empty,
}

/// What has happened, past tense, in order. The names are those of `uhp.md` section 19.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// `workspace.created`
    WorkspaceCreated(WorkspaceId),
    /// `workspace.closed`
    WorkspaceClosed(WorkspaceId),
    /// `workspace.moved`
    WorkspaceMoved(WorkspaceId, usize),
    /// `tab.created`
    TabCreated(TabId),
    /// `tab.closed`
    TabClosed(TabId),
    /// `tab.moved`
    TabMoved {
        /// Which.
        tab: TabId,
        /// From which zero-based index.
        from: usize,
        /// To which.
        to: usize,
        /// Whether two tabs changed places.
        swap: bool,
    },
    /// `pane.created`
    PaneCreated(PaneId),
    /// `pane.closed`
    PaneClosed(PaneId),
    /// `pane.focused`
    PaneFocused(PaneId),
    /// `pane.moved`
    PaneMoved(PaneId),
    /// `pane.swapped`
    PaneSwapped(PaneId, PaneId),
    /// `pane.renamed`
    PaneRenamed(PaneId),
    /// `pane.resized`
    PaneResized(PaneId, u16),
    /// `pane.zoomed`
    PaneZoomed(PaneId, bool),
}

/// What a command did.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Outcome {
    /// The workspace that the command was about (made, focused, changed).
    pub workspace: Option<WorkspaceId>,
    /// The tab that it was about.
    pub tab: Option<TabId>,
    /// The pane that it was about: the new one for a split or a new tab.
    pub pane: Option<PaneId>,
    /// What to do now, in order.
    pub effects: Vec<Effect>,
    /// What happened.
    pub events: Vec<Event>,
}

/// Why a command was refused; then nothing changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// No such workspace.
    #[error("no workspace {0}")]
    NoWorkspace(WorkspaceId),
    /// No such tab.
    #[error("no tab {0}")]
    NoTab(TabId),
    /// No such pane.
    #[error("no pane {0}")]
    NoPane(PaneId),
    /// Nothing is focused, because there is nothing.
    #[error("the session has no panes")]
    Empty,
    /// No pane lies that way.
    #[error("no pane in that direction")]
    NoNeighbour,
    /// A split would leave less than the smallest pane.
    #[error("not enough room to split: a pane needs at least 10×3 cells")]
    TooSmall,
    /// The pane has no split above it.
    #[error("the pane is alone in its tab")]
    NotSplit,
    /// No split at that path.
    #[error("the layout has no split there")]
    NoSplit,
    /// A name that breaks its rules; the text says which.
    #[error("{0}")]
    BadName(String),
    /// The alias belongs to another pane.
    #[error("pane {1} is already called `{0}`")]
    NameTaken(String, PaneId),
    /// An index outside of the list.
    #[error("index {0} is out of range")]
    OutOfRange(usize),
    /// Two things that must share a tab or a workspace do not.
    #[error("{0}")]
    Apart(String),
    /// A ratio that is not a number in bounds.
    #[error("a ratio must lie between 0 and 1")]
    BadRatio,
    /// As many panes as a server may have.
    #[error("a server has at most 1024 panes")]
    Full,
}

/// The session's structure.
#[derive(Debug, Clone, Default)]
pub struct Model {}

impl Model {
    /// Carries out a command, or refuses it and changes nothing. Close policies are the caller's
    /// matter: the model always closes.
    pub fn apply(&mut self, _command: Command, _context: &Context) -> Result<Outcome, ModelError> {
        unimplemented!("skeleton")
    }
    /// Removes a pane whose child ended by itself: focus stays where it was unless it was there.
    pub fn remove(&mut self, _pane: PaneId, _context: &Context) -> Result<Outcome, ModelError> {
        unimplemented!("skeleton")
    }
    /// The focused tab's layout for an area.
    pub fn layout(&self, _area: Size) -> Layout {
        unimplemented!("skeleton")
    }
    /// The panes that a command would close (for policies); empty for other commands.
    pub fn closing(&self, _command: &Command) -> Vec<PaneId> {
        unimplemented!("skeleton")
    }
}
