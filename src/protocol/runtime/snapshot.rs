//! The snapshot as it is written (`runtime.md` section 5). Its values are decided by the adapter.

use serde::Serialize;

/// The states of a pane.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskState {
    /// At its prompt.
    Idle,
    /// At work.
    Running,
    /// Asks for something.
    WaitingInput,
    /// Asks for an approval.
    Attention,
    /// Ended well, or a turn that nobody has looked at did.
    Finished,
    /// Ended badly.
    Failed,
}

impl TaskState {
    /// As it is written.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::Running => "running",
            Self::WaitingInput => "waiting_input",
            Self::Attention => "attention",
            Self::Finished => "finished",
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
    /// The newest ends of panes.
    pub pane_lifecycles: Vec<lifecycles::Row>,
}

impl Snapshot {
    /// A pane with the number of its window.
    #[must_use]
    pub fn pane(&self, id: u32) -> Option<(u32, &Pane)> {
        self.panes().find(|(_, pane)| pane.id == id)
    }

    /// All panes, each with the number of its window.
    pub fn panes(&self) -> impl Iterator<Item = (u32, &Pane)> {
        self.windows
            .iter()
            .flat_map(|window| window.tabs.iter().flat_map(|tab| &tab.panes).map(|pane| (window.id, pane)))
    }
}

/// The ends of panes.
pub mod lifecycles {
    use serde::Serialize;

    /// What happened to a pane.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Event {
        /// It was removed.
        Closed,
        /// Its root process ended.
        Exited,
    }

    /// One end.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
    pub struct Row {
        /// Counts all ends, from 1.
        pub sequence: u64,
        /// The window it stood in.
        pub window_id: u32,
        /// Which pane.
        pub pane_id: u32,
        /// What happened.
        pub event: Event,
    }
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
    /// The agent that runs in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<Agent>,
    /// State.
    pub task_state: TaskState,
    /// Changes of `task_state` so far, from 1.
    pub state_change_seq: u64,
    /// The run that goes on in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub active_run: Option<ActiveRun>,
    /// How its last run ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_run: Option<RunOutcome>,
}

/// What an agent's state rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum StateSource {
    /// Its own report.
    Hook,
    /// A rule about its screen.
    Screen,
    /// Only that its process is there.
    Process,
}

/// An agent.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Agent {
    /// Its id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// The how-manieth under its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub generation: Option<u64>,
    /// Its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The worktree that was made for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worktree: Option<serde_json::Value>,
    /// Its kind.
    pub kind: String,
    /// What people call that kind.
    pub display_name: String,
    /// Its conversation.
    pub session_id: Option<String>,
    /// What its state rests on.
    pub state_source: StateSource,
    /// The rule about its screen that decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state_rule: Option<String>,
    /// Whether it has ever reported anything itself.
    pub hook_seen: bool,
}

/// How far a run has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RunPhase {
    /// Its bytes are queued.
    Submitted,
    /// The shell says that it has begun.
    Started,
}

/// A run that goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ActiveRun {
    /// Its number.
    pub run_id: u64,
    /// How far it has come.
    pub phase: RunPhase,
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RunState {
    /// With status 0.
    Finished,
    /// With another status.
    Failed,
    /// Nobody has told.
    Unavailable,
}

/// Whether there is an exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Capability {
    /// The shell has told it.
    Supported,
    /// It has not.
    Unavailable,
}

/// The end of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct RunOutcome {
    /// Its number.
    pub run_id: u64,
    /// How it ended.
    pub state: RunState,
    /// What the shell told.
    pub exit_code: Option<i64>,
    /// Whether it has told something.
    pub exit_code_capability: Capability,
    /// Why it has not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unavailable_reason: Option<&'static str>,
}
