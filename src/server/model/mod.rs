//! Session, workspaces, tabs and panes as plain data: commands in, outcomes out.
//!
//! Invariant: deterministic. No tokio, no clock, no I/O; the same commands give the same state. What
//! must always hold is in `check.rs`.

mod apply;
mod arrange;
mod check;
mod history;
pub mod layout;
mod names;
#[cfg(test)]
mod notation;
mod parts;
mod restore;
mod solve;

pub use parts::{Pane, Tab, Workspace};

use crate::protocol::command::{Command, Launch, Side};
use crate::protocol::geometry::{Direction, Size};
use crate::protocol::ids::{PaneId, TabId, WorkspaceId};
use crate::protocol::scene::Layout;
use history::History;
pub use solve::Shape;
use std::collections::BTreeMap;

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
    /// `workspace.moved`, from one index to another
    WorkspaceMoved(usize, usize),
    /// `workspace.block_moved`
    WorkspacesMoved {
        /// The indices that they had, in order.
        from: Vec<usize>,
        /// The indices that they have.
        to: Vec<usize>,
    },
    /// `workspace.renamed`
    WorkspaceRenamed(WorkspaceId),
    /// `workspace.pinned`
    WorkspacePinned(WorkspaceId, bool),
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
    /// `tab.renamed`
    TabRenamed(TabId),
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
    /// `terminal.metadata_changed`
    PaneLabelled(PaneId),
    /// An orchestrator describes it otherwise; it is no event of UHP.
    PaneDescribed(PaneId),
    /// `pane.resized`
    PaneResized(PaneId, u16),
    /// `pane.zoomed`
    PaneZoomed(PaneId, bool),
    /// `layout.applied`
    LayoutApplied(TabId),
    /// `layout.ratio_changed`
    RatioChanged {
        /// In which tab.
        tab: TabId,
        /// The way from the root to the split.
        path: Vec<Side>,
        /// The new share of side `a`.
        ratio: f32,
    },
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

impl Outcome {
    /// Whether a terminal is to be started in `pane`, which the command has made then.
    #[must_use]
    pub fn starts(&self, pane: PaneId) -> bool {
        self.effects
            .iter()
            .any(|effect| matches!(effect, Effect::Start { pane: started, .. } if *started == pane))
    }
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
    /// A layout that does not fit its tab; the text says why.
    #[error("{0}")]
    BadLayout(&'static str),
    /// A ratio that is not a number in bounds.
    #[error("a ratio must lie between 0 and 1")]
    BadRatio,
    /// As many panes as a server may have.
    #[error("a server has at most 1024 panes")]
    Full,
}

/// The session's structure. Empty until the first workspace is opened.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Model {
    /// In index order.
    workspaces: Vec<Workspace>,
    /// The focused one; there is one if there is any.
    active: Option<WorkspaceId>,
    panes: BTreeMap<PaneId, Pane>,
    history: History,
    /// Counts changes of the focus, to tell which pane was focused last.
    focus_changes: u64,
    last_workspace: u32,
    last_tab: u32,
    last_pane: u32,
}

impl Model {
    /// All workspaces in index order.
    #[must_use]
    pub fn workspaces(&self) -> &[Workspace] {
        &self.workspaces
    }

    /// All workspaces in the order of the sidebar: the pinned ones first.
    #[must_use]
    pub fn display_order(&self) -> Vec<WorkspaceId> {
        let (pinned, others): (Vec<_>, Vec<_>) =
            self.workspaces.iter().partition(|workspace| workspace.pinned);
        pinned.into_iter().chain(others).map(|workspace| workspace.id).collect()
    }

    /// The workspace with that id.
    #[must_use]
    pub fn workspace(&self, id: WorkspaceId) -> Option<&Workspace> {
        self.workspaces.iter().find(|workspace| workspace.id == id)
    }

    /// The tab with that id.
    #[must_use]
    pub fn tab(&self, id: TabId) -> Option<&Tab> {
        self.workspaces.iter().flat_map(|workspace| &workspace.tabs).find(|tab| tab.id == id)
    }

    /// The pane with that id.
    #[must_use]
    pub fn pane(&self, id: PaneId) -> Option<&Pane> {
        self.panes.get(&id)
    }

    /// All panes by id.
    pub fn panes(&self) -> impl Iterator<Item = (PaneId, &Pane)> {
        self.panes.iter().map(|(id, pane)| (*id, pane))
    }

    /// The pane with that alias.
    #[must_use]
    pub fn pane_named(&self, alias: &str) -> Option<PaneId> {
        self.panes().find(|(_, pane)| pane.alias() == Some(alias)).map(|(id, _)| id)
    }

    /// The focused workspace.
    #[must_use]
    pub fn focused_workspace(&self) -> Option<&Workspace> {
        self.workspace(self.active?)
    }

    /// The focused tab.
    #[must_use]
    pub fn focused_tab(&self) -> Option<&Tab> {
        self.focused_workspace().map(Workspace::active_tab)
    }

    /// The focused pane.
    #[must_use]
    pub fn focused(&self) -> Option<PaneId> {
        self.focused_tab().map(Tab::focused)
    }

    /// The index of a pane's workspace, and the index of its tab in there; both from zero.
    #[must_use]
    pub fn pane_place(&self, pane: PaneId) -> Option<(usize, usize)> {
        self.tab_place(self.panes.get(&pane)?.tab)
    }

    /// The index of a tab's workspace, and its own index in there; both from zero.
    #[must_use]
    pub fn tab_place(&self, tab: TabId) -> Option<(usize, usize)> {
        self.workspaces.iter().enumerate().find_map(|(index, workspace)| {
            let place = workspace.tabs.iter().position(|other| other.id == tab)?;
            Some((index, place))
        })
    }

    /// The focused tab's layout for an area.
    #[must_use]
    pub fn layout(&self, shape: impl Into<Shape>) -> Layout {
        let shape = shape.into().at_least_one();
        let area = shape.area;
        let nothing = Layout { area, places: Vec::new(), dividers: Vec::new(), focused: None, zoomed: false };
        self.focused_tab().map_or(nothing, |tab| solve::layout(tab, shape))
    }

    /// Any tab's layout for an area. An area without cells counts as one cell, as a PTY needs it.
    #[must_use]
    pub fn tab_layout(&self, tab: TabId, shape: impl Into<Shape>) -> Option<Layout> {
        self.tab(tab).map(|tab| solve::layout(tab, shape.into().at_least_one()))
    }

    /// The pane that lies beside a pane: of several the one focused last.
    #[must_use]
    pub fn neighbour(&self, pane: PaneId, direction: Direction, area: Size) -> Option<PaneId> {
        let tab = self.tab(self.panes.get(&pane)?.tab)?;
        let beside = solve::neighbours(&tab.tree, area, pane, direction);
        // Of equals the last one wins, so the first one comes last.
        beside.into_iter().rev().max_by_key(|pane| self.focused_at(*pane))
    }

    /// The frame of a pane in its tab, whatever is zoomed.
    ///
    /// # Errors
    /// [`ModelError::NoPane`]; [`ModelError::TooSmall`] when the area has no room for it.
    pub fn frame(&self, pane: PaneId, area: Size) -> Result<Size, ModelError> {
        let tab = self.panes.get(&pane).and_then(|state| self.tab(state.tab));
        let tab = tab.ok_or(ModelError::NoPane(pane))?;
        let path = tab.tree.path_to(pane).ok_or(ModelError::NoPane(pane))?;
        solve::rect_of(&tab.tree, area, &path).map(|frame| frame.size()).ok_or(ModelError::TooSmall)
    }

    fn focused_at(&self, pane: PaneId) -> u64 {
        self.panes.get(&pane).map_or(0, |pane| pane.focused_at)
    }

    /// The panes that a command would close (for policies); empty for other commands.
    #[must_use]
    pub fn closing(&self, command: &Command) -> Vec<PaneId> {
        match command {
            Command::ClosePane { pane, .. } => {
                let pane = pane.or_else(|| self.focused());
                pane.filter(|pane| self.panes.contains_key(pane)).into_iter().collect()
            }
            Command::CloseTab { tab, .. } => {
                let tab = tab.map_or_else(|| self.focused_tab(), |tab| self.tab(tab));
                tab.map(Tab::panes).unwrap_or_default()
            }
            Command::CloseWorkspace { workspace, .. } => {
                let workspace = workspace.map_or_else(|| self.focused_workspace(), |id| self.workspace(id));
                workspace.map(Workspace::panes).unwrap_or_default()
            }
            _ => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests;
