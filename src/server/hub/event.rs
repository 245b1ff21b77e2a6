//! What the bus carries: things that have happened, with everything that a protocol tells of them.
//!
//! Invariant: an event holds the places that things had when it happened; nobody looks them up later,
//! when they may be others. All indices count from zero here; protocols count as they please.

use crate::protocol::agent::AgentState;
use crate::protocol::command::Side;
use crate::protocol::ids::{PaneId, TabId, TerminalId, WorkspaceId};
use crate::protocol::scene::ExitStatus;
use crate::server::agents::state::Source;

/// The index of a workspace, and of a tab in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// Of the workspace.
    pub workspace: usize,
    /// Of the tab in there.
    pub tab: usize,
}

/// Why a terminal was removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// Its child ended by itself.
    Exited,
    /// Somebody asked for it.
    Closed,
}

/// What happened to a terminal (`uhp.md` section 9.1).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// Its child runs.
    Created,
    /// It stands somewhere else.
    Moved,
    /// It has another label.
    Labelled(Option<String>),
    /// Its content advanced to the event's revision.
    OutputReady,
    /// Its child ended by itself.
    Exited(ExitStatus),
    /// It is gone.
    Closed {
        /// Why.
        reason: Reason,
        /// How its child ended, if that was known.
        status: Option<ExitStatus>,
    },
}

/// A change of one terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TerminalEvent {
    /// Which terminal.
    pub terminal: TerminalId,
    /// Its pane.
    pub pane: PaneId,
    /// Its content revision by then.
    pub revision: u64,
    /// Where it stood.
    pub place: Option<Place>,
    /// What happened.
    pub change: Change,
}

/// What happened to workspaces, tabs or the session as a whole (`uhp.md` section 19).
#[derive(Debug, Clone, PartialEq)]
pub enum SessionEvent {
    /// A workspace was opened at that index.
    WorkspaceCreated(WorkspaceId, usize),
    /// The workspace that had that index was closed.
    WorkspaceClosed(WorkspaceId, usize),
    /// A workspace moved.
    WorkspaceMoved {
        /// From which index.
        from: usize,
        /// To which.
        to: usize,
    },
    /// Several workspaces moved together.
    WorkspacesMoved {
        /// The indices that they had.
        from: Vec<usize>,
        /// The indices that they have.
        to: Vec<usize>,
    },
    /// The workspace with that index has another name.
    WorkspaceRenamed(usize, String),
    /// The workspace with that index was pinned or unpinned.
    WorkspacePinned(usize, bool),
    /// A tab was opened there.
    TabCreated(TabId, Place),
    /// The tab that stood there was closed.
    TabClosed(TabId, Place),
    /// A tab moved.
    TabMoved {
        /// In which workspace.
        workspace: usize,
        /// From which index.
        from: usize,
        /// To which.
        to: usize,
        /// The index of the tab that is shown there.
        active: usize,
        /// Whether the two changed places.
        swap: bool,
    },
    /// The tab there has another name, or its generated one again.
    TabRenamed(Place, Option<String>),
    /// A whole layout was given to the tab there.
    LayoutApplied(Place),
    /// A split's shares changed.
    RatioChanged {
        /// In the tab there.
        place: Place,
        /// The way from the root to the split.
        path: Vec<Side>,
        /// The new share of side `a`.
        ratio: f32,
    },
    /// Something was reported of the workspace with that index.
    MetadataReported(usize),
    /// The configuration was read anew.
    ConfigChanged,
    /// The manifests of agents were read anew.
    ManifestsReloaded {
        /// How many rules there are.
        rules: usize,
    },
}

/// What happened to a pane (`uhp.md` section 19).
#[derive(Debug, Clone, PartialEq)]
pub enum PaneEvent {
    /// It was made; its terminal starts.
    Created(Option<TerminalId>),
    /// It is gone.
    Closed,
    /// It has the focus.
    Focused,
    /// It moved there.
    Moved(Option<Place>),
    /// It changed places with another one.
    Swapped(PaneId),
    /// It has another alias, or none.
    Renamed(Option<String>),
    /// An edge of it was moved by so many cells.
    Resized(u16),
    /// It is shown alone, or not any more.
    Zoomed(bool),
    /// Its agent is another one, or does something else.
    AgentStatus(Box<AgentStatus>),
    /// An integration reported of its agent.
    AuthorityReported {
        /// Who reported.
        source: String,
        /// The agent's kind.
        agent: String,
        /// Its state.
        status: AgentState,
        /// The number of the report.
        sequence: u64,
        /// For how many seconds it holds.
        ttl_s: u64,
    },
    /// No report of an integration is in force any more.
    AuthorityReleased {
        /// Who reported.
        source: String,
        /// Whether nobody released it.
        expired: bool,
    },
    /// A hook of its agent told something.
    AgentHook(Box<Hook>),
    /// Its agent's conversation goes on in another pane too.
    Forked {
        /// Which.
        to: PaneId,
        /// The agent's kind.
        agent: String,
        /// Where that is.
        place: Option<Place>,
    },
}

/// What an agent does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentStatus {
    /// Its state.
    pub state: AgentState,
    /// Its kind; nothing for a program that only reports, or when it is gone.
    pub agent: Option<String>,
    /// Where it is.
    pub cwd: String,
    /// Name of its workspace.
    pub project: String,
    /// The git branch of its workspace.
    pub branch: Option<String>,
    /// Which kind of authority holds its state.
    pub authority: Option<String>,
    /// What the state rests on.
    pub source: Option<Source>,
}

/// What a hook of an agent told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hook {
    /// The agent's kind.
    pub agent: String,
    /// What happened, in the agent's words.
    pub kind: String,
    /// What it says.
    pub message: Option<String>,
    /// With which tool.
    pub tool: Option<String>,
}

/// Anything that happened.
#[derive(Debug, Clone, PartialEq)]
pub enum Body {
    /// To a terminal.
    Terminal(TerminalEvent),
    /// To workspaces, tabs or the session as a whole.
    Session(SessionEvent),
    /// To a pane.
    Pane(PaneId, PaneEvent),
}

impl Body {
    /// Whether it only tells of output: nobody's decision was changed by it (`spec/README.md` point 22).
    #[must_use]
    pub fn is_output(&self) -> bool {
        matches!(self, Self::Terminal(TerminalEvent { change: Change::OutputReady, .. }))
    }

    /// At most so many bytes of JSON come of it.
    #[must_use]
    pub fn frame_bytes(&self) -> usize {
        /// Names, ids and numbers; the fixed part of the longest event is well below.
        const FIXED: usize = 512;
        /// A byte of text may be written as six.
        const ESCAPED: usize = 6;
        let text = match self {
            Self::Terminal(event) => match &event.change {
                Change::Labelled(Some(label)) => label.len(),
                Change::Exited(status) | Change::Closed { status: Some(status), .. } => {
                    status.signal.as_deref().map_or(0, str::len)
                }
                Change::Labelled(None)
                | Change::Created
                | Change::Moved
                | Change::OutputReady
                | Change::Closed { status: None, .. } => 0,
            },
            Self::Session(event) => match event {
                SessionEvent::WorkspaceRenamed(_, name) | SessionEvent::TabRenamed(_, Some(name)) => {
                    name.len()
                }
                SessionEvent::WorkspacesMoved { from, .. } => from.len() * 8,
                SessionEvent::RatioChanged { path, .. } => path.len(),
                _ => 0,
            },
            Self::Pane(_, event) => text_of(event),
        };
        FIXED + text * ESCAPED
    }
}

/// Bytes of text that an event of a pane carries.
fn text_of(event: &PaneEvent) -> usize {
    let of = |text: &Option<String>| text.as_deref().map_or(0, str::len);
    match event {
        PaneEvent::Renamed(name) => of(name),
        PaneEvent::AgentStatus(status) => {
            let fields = [&status.agent, &status.branch, &status.authority];
            status.cwd.len() + status.project.len() + fields.into_iter().map(of).sum::<usize>()
        }
        PaneEvent::AuthorityReported { source, agent, .. } => source.len() + agent.len(),
        PaneEvent::AuthorityReleased { source, .. } => source.len(),
        PaneEvent::Forked { agent, .. } => agent.len(),
        PaneEvent::AgentHook(hook) => hook.agent.len() + hook.kind.len() + of(&hook.message) + of(&hook.tool),
        PaneEvent::Created(_)
        | PaneEvent::Closed
        | PaneEvent::Focused
        | PaneEvent::Moved(_)
        | PaneEvent::Swapped(_)
        | PaneEvent::Resized(_)
        | PaneEvent::Zoomed(_) => 0,
    }
}
