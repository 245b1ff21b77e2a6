//! The snapshot as it is written (`runtime.md` section 5). Its values are decided by the adapter.

use serde::Serialize;

/// Six states, the most urgent last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskState {
    /// At its prompt.
    Idle,
    /// Ended well.
    Finished,
    /// At work.
    Running,
    /// Ended badly.
    Failed,
}

impl TaskState {
    /// As it is written.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::Finished => "finished",
            Self::Running => "running",
            Self::Failed => "failed",
        }
    }
}

/// The whole server.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Snapshot {
    /// Rises with every change of the rest.
    pub revision: u64,
    /// Process id of the server.
    pub process_id: u32,
    /// Version of luvus.
    pub app_version: &'static str,
    /// Version of the protocol.
    pub protocol_version: u64,
    /// Workspaces that no client shows.
    pub detached_windows: usize,
    /// All workspaces.
    pub windows: Vec<Window>,
}

/// A workspace.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Window {
    /// Its number.
    pub id: u32,
    /// Whether it is the focused one.
    pub focused: bool,
    /// Whether nothing of it is restored at the next start.
    pub session_exempt: bool,
    /// Index of its shown tab.
    pub active_tab: usize,
    /// The focused pane of that tab.
    pub focused_pane_id: Option<u32>,
    /// Its tabs.
    pub tabs: Vec<Tab>,
}

/// What a tab shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TabKind {
    /// The person's shell.
    Shell,
    /// A command of its own.
    Profile,
}

/// A tab.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Tab {
    /// Zero-based place.
    pub index: usize,
    /// Whether it is the shown one of its workspace.
    pub active: bool,
    /// Name or generated label.
    pub label: String,
    /// By its first pane.
    pub kind: TabKind,
    /// Whether a bell rang since it was viewed.
    pub bell: bool,
    /// Its focused pane.
    pub focused_pane_id: Option<u32>,
    /// The pane that is shown alone.
    pub zoomed_pane_id: Option<u32>,
    /// Its split tree.
    pub layout: Option<Layout>,
    /// Its panes.
    pub panes: Vec<Pane>,
}

/// How the halves of a split lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SplitDirection {
    /// Side by side.
    LeftRight,
    /// One above the other.
    TopBottom,
}

/// A split tree.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Layout {
    /// A leaf.
    Pane {
        /// Which.
        pane_id: u32,
    },
    /// A division.
    Split {
        /// How the halves lie.
        direction: SplitDirection,
        /// Share of `first`.
        ratio: f64,
        /// Left or above.
        first: Box<Layout>,
        /// Right or below.
        second: Box<Layout>,
    },
}

/// A pane.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Pane {
    /// Its number.
    pub id: u32,
    /// Whether it is the focused one of its tab.
    pub active: bool,
    /// Label, terminal title or program.
    pub title: String,
    /// Its directory.
    pub cwd: String,
    /// The git branch there.
    pub branch: String,
    /// Always absent: this build has no remote panes.
    pub ssh_destination: Option<String>,
    /// The foreground program, unless that is the shell at its prompt.
    pub running_program: Option<String>,
    /// State.
    pub task_state: TaskState,
    /// Changes of `task_state` so far, from 1.
    pub state_change_seq: u64,
}
