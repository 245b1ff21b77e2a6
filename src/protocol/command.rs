//! What anybody can ask of the model: one closed list for keys, command line and protocols.
//!
//! Ids name what is meant. An `Option` that is `None` means "the focused one"; a client sends the
//! ids of the scene that its user saw, so that two clients never act on each other's focus.

use super::geometry::{Axis, Direction};
use super::ids::{PaneId, TabId, WorkspaceId};
use super::metadata::{Metadata, MetadataChange};
use super::tree::Node;
use serde::{Deserialize, Serialize};

/// What becomes of busy panes when something is closed (`spec/README.md` point 10).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ClosePolicy {
    /// A person asked: busy panes need a confirmation, by the setting `confirm_close`.
    Ask,
    /// Close only if no pane in it is busy.
    IfIdle,
    /// Close.
    Force,
}

/// What runs in a new pane.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Launch {
    /// Exact argument vector, run without a shell; `None` is the configured shell.
    pub argv: Option<Vec<String>>,
    /// Absolute working directory; `None` is the live directory of the source pane (or the
    /// workspace root, by the setting `layout.new_pane_to_workspace_root`).
    pub cwd: Option<String>,
    /// Label (at most 256 bytes).
    pub label: Option<String>,
    /// `false` keeps the terminal out of the layout restored at the next start.
    pub restore: Option<bool>,
    /// Variables of its environment, over the inherited ones.
    pub env: Vec<(String, String)>,
    /// Whether `argv` is a shell that a person types into: at its prompt it counts as idle.
    pub interactive: bool,
    /// Set when an orchestrator makes the pane.
    pub spawned: Option<Box<Spawned>>,
}

/// What an orchestrator says of a pane that it makes.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Spawned {
    /// Its description, if it has one.
    pub metadata: Option<Metadata>,
}

/// One side of a split on the way from the root of a layout to a split: `a` is left or above.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// Left or above.
    A,
    /// Right or below.
    B,
}

/// Where a pane moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum MoveTarget {
    /// Into this tab, beside its focused pane.
    Tab(TabId),
    /// Into a new tab of its workspace.
    NewTab,
}

/// Forward or backward in some order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Step {
    /// The next one.
    Next,
    /// The previous one.
    Previous,
}

/// A layout by name (`product.md` section 3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Arrangement {
    /// Side by side.
    Columns,
    /// One above the other.
    Rows,
    /// The first pane large at the left.
    MainLeft,
    /// The first pane large at the top.
    MainTop,
    /// Rows and columns.
    Grid,
    /// As they lie, with equal shares.
    Even,
}

/// A wish to change the model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Command {
    /// Opens a workspace rooted at `path` (absolute), or finds the one that is rooted there.
    OpenWorkspace {
        /// Its root folder.
        path: String,
        /// Whether to focus it.
        focus: bool,
        /// Whether a workspace with that root is used instead of a new one.
        reuse: bool,
        /// What runs in the first pane of a new workspace; its directory defaults to `path`. Not
        /// looked at when a workspace is reused.
        launch: Launch,
    },
    /// Focuses a workspace.
    FocusWorkspace {
        /// Which.
        workspace: WorkspaceId,
    },
    /// Focuses the next or previous workspace, in order.
    StepWorkspace {
        /// Which way.
        step: Step,
    },
    /// Changes a workspace's label.
    RenameWorkspace {
        /// Which.
        workspace: WorkspaceId,
        /// The new name, 1–40 characters after trimming.
        name: String,
    },
    /// Pins or unpins a workspace; display order only.
    PinWorkspace {
        /// Which.
        workspace: WorkspaceId,
        /// Pinned or not.
        pinned: bool,
    },
    /// Moves a workspace to another index.
    MoveWorkspace {
        /// Which.
        workspace: WorkspaceId,
        /// Its new zero-based index.
        to: usize,
    },
    /// Moves several workspaces together; their order among themselves stays.
    MoveWorkspaces {
        /// Which, each once.
        workspaces: Vec<WorkspaceId>,
        /// The new zero-based index of the first.
        to: usize,
    },
    /// Closes a workspace with all its panes.
    CloseWorkspace {
        /// Which; `None` is the focused one.
        workspace: Option<WorkspaceId>,
        /// What becomes of busy panes.
        policy: ClosePolicy,
    },
    /// Makes a tab with one pane at the end of a workspace.
    NewTab {
        /// Where; `None` is the focused workspace.
        workspace: Option<WorkspaceId>,
        /// What runs in it.
        launch: Launch,
        /// Whether to focus it.
        focus: bool,
    },
    /// Focuses a tab and its workspace.
    FocusTab {
        /// Which.
        tab: TabId,
    },
    /// Focuses the next or previous tab of the focused workspace.
    StepTab {
        /// Which way.
        step: Step,
    },
    /// Names a tab.
    RenameTab {
        /// Which.
        tab: TabId,
        /// The name, at most 256 bytes; empty restores the generated label.
        name: String,
    },
    /// Moves a tab inside its workspace.
    MoveTab {
        /// Which.
        tab: TabId,
        /// Its new zero-based index.
        to: usize,
    },
    /// Swaps two tabs of one workspace.
    SwapTabs {
        /// One.
        tab: TabId,
        /// The other.
        with: TabId,
    },
    /// Closes a tab with all its panes; the last one closes its workspace.
    CloseTab {
        /// Which; `None` is the focused one.
        tab: Option<TabId>,
        /// What becomes of busy panes.
        policy: ClosePolicy,
    },
    /// Splits a pane; the new one is right of or below it.
    SplitPane {
        /// Which; `None` is the focused one.
        pane: Option<PaneId>,
        /// How; `None` splits the longer side.
        axis: Option<Axis>,
        /// What runs in it.
        launch: Launch,
        /// Whether to focus the new pane (a zoomed tab is then unzoomed).
        focus: bool,
    },
    /// Focuses a pane, its tab and its workspace.
    FocusPane {
        /// Which.
        pane: PaneId,
    },
    /// Focuses the neighbour of a pane.
    FocusDirection {
        /// From where; `None` is the focused pane.
        pane: Option<PaneId>,
        /// Which way.
        direction: Direction,
    },
    /// Focuses the next or previous pane of the tab, in layout order.
    StepPane {
        /// Which way.
        step: Step,
    },
    /// Goes back or forward in the history of focused panes.
    StepFocusHistory {
        /// `Previous` is back.
        step: Step,
    },
    /// Swaps two panes of one tab.
    SwapPanes {
        /// One.
        pane: PaneId,
        /// The other.
        with: PaneId,
    },
    /// Swaps a pane with the next or previous one of its tab.
    SwapStep {
        /// Which; `None` is the focused one.
        pane: Option<PaneId>,
        /// Which way.
        step: Step,
    },
    /// Moves a pane to another tab of its workspace; its terminal lives on.
    MovePane {
        /// Which; `None` is the focused one.
        pane: Option<PaneId>,
        /// Where.
        to: MoveTarget,
    },
    /// Moves the edge of a pane that lies in `direction` by `cells`.
    ResizePane {
        /// Which; `None` is the focused one.
        pane: Option<PaneId>,
        /// Which way.
        direction: Direction,
        /// How far, in cells.
        cells: u16,
    },
    /// Sets the share of a pane in the split directly above it (0.05–0.95).
    SetPaneRatio {
        /// Which.
        pane: PaneId,
        /// Its share.
        ratio: f32,
    },
    /// Sets the share of side `a` of one split, clamped to the smallest pane size.
    SetSplitRatio {
        /// In which tab.
        tab: TabId,
        /// The way from the root to the split.
        path: Vec<Side>,
        /// The share of side `a`, 0–1.
        ratio: f32,
    },
    /// Lays a tab's panes out anew, every one of them.
    ApplyLayout {
        /// Which tab.
        tab: TabId,
        /// The layout as a list.
        nodes: Vec<Node>,
        /// The pane that the tab focuses then; `None` leaves it.
        focus: Option<PaneId>,
    },
    /// Lays a tab's panes out by name; their order stays.
    ArrangeTab {
        /// Which tab; `None` is the focused one.
        tab: Option<TabId>,
        /// How; `None` is the next one.
        arrangement: Option<Arrangement>,
    },
    /// Shows one pane alone, or all again.
    ZoomPane {
        /// Which; `None` is the focused one.
        pane: Option<PaneId>,
        /// Zoomed or not; `None` toggles.
        zoomed: Option<bool>,
    },
    /// Sets a pane's unique alias (`[a-z][a-z0-9_-]{0,31}`); empty clears it.
    RenamePane {
        /// Which; `None` is the focused one.
        pane: Option<PaneId>,
        /// The alias.
        name: String,
    },
    /// Sets a pane's label (at most 256 bytes); `None` clears it.
    LabelPane {
        /// Which.
        pane: PaneId,
        /// The label.
        label: Option<String>,
    },
    /// Describes a pane, as an orchestrator does.
    DescribePane {
        /// Which.
        pane: PaneId,
        /// What changes of its description.
        change: Box<MetadataChange>,
    },
    /// Closes a pane; the last one closes its tab.
    ClosePane {
        /// Which; `None` is the focused one.
        pane: Option<PaneId>,
        /// What becomes of a busy pane.
        policy: ClosePolicy,
    },
}
