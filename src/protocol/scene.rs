//! Everything a client draws besides the panes' contents: one immutable picture of the session,
//! made by the hub after each change.

use super::agent::{AgentScene, AgentState, roll_up};
use super::command::Side;
use super::geometry::{Axis, Rect, Size};
use super::ids::{PaneId, TabId, TerminalId, WorkspaceId};
use serde::{Deserialize, Serialize};

/// The session as clients see it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Scene {
    /// Name of the session.
    pub session: String,
    /// All workspaces in index order.
    pub workspaces: Vec<WorkspaceScene>,
    /// All panes of the server, in workspace, tab and layout order.
    pub panes: Vec<PaneScene>,
    /// The focused tab's layout.
    pub layout: Layout,
    /// The scratch terminal, if there is one. Each client shows it over the layout or does not; one that
    /// shows it has the focus there.
    pub scratch: Option<Scratch>,
}

/// The scratch terminal: one of the session, in no tab.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Scratch {
    /// What is known of it; its tab and workspace are nobody's.
    pub pane: PaneScene,
    /// Where it is drawn, in the cells of the layout.
    pub place: Place,
}

impl Scene {
    /// The focused workspace.
    #[must_use]
    pub fn workspace(&self) -> Option<&WorkspaceScene> {
        self.workspaces.iter().find(|workspace| workspace.active)
    }

    /// The focused tab.
    #[must_use]
    pub fn tab(&self) -> Option<&TabScene> {
        self.workspace()?.tabs.iter().find(|tab| tab.active)
    }

    /// The most urgent state of a tab's agents.
    #[must_use]
    pub fn tab_state(&self, tab: TabId) -> Option<AgentState> {
        self.state_of(|pane| pane.tab == tab)
    }

    /// The most urgent state of a workspace's agents.
    #[must_use]
    pub fn workspace_state(&self, workspace: WorkspaceId) -> Option<AgentState> {
        self.state_of(|pane| pane.workspace == workspace)
    }

    fn state_of(&self, wanted: impl Fn(&PaneScene) -> bool) -> Option<AgentState> {
        let panes = self.panes.iter().filter(|pane| wanted(pane));
        roll_up(panes.filter_map(|pane| pane.agent.as_ref()).map(|agent| agent.state))
    }

    /// The pane with that id; the scratch terminal where it is shown.
    #[must_use]
    pub fn pane(&self, id: PaneId) -> Option<&PaneScene> {
        let scratch = || Some(&self.shown_scratch()?.pane).filter(|pane| pane.id == id);
        self.panes.iter().find(|pane| pane.id == id).or_else(scratch)
    }

    /// The scratch terminal, where it is shown.
    #[must_use]
    pub fn shown_scratch(&self) -> Option<&Scratch> {
        self.scratch.as_ref().filter(|scratch| self.layout.focused == Some(scratch.pane.id))
    }
}

/// One workspace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkspaceScene {
    /// Its id.
    pub id: WorkspaceId,
    /// Its label, else the name of its root folder.
    pub name: String,
    /// Its root folder.
    pub root: String,
    /// The git branch at its root.
    pub branch: Option<String>,
    /// Whether it is shown before the others.
    pub pinned: bool,
    /// Whether it is the focused one.
    pub active: bool,
    /// Its tabs in order.
    pub tabs: Vec<TabScene>,
}

/// One tab.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TabScene {
    /// Its id.
    pub id: TabId,
    /// The name a person gave it.
    pub name: Option<String>,
    /// Whether it is the one shown of its workspace.
    pub active: bool,
    /// Whether a bell rang in it since it was last viewed.
    pub bell: bool,
    /// How many panes it has.
    pub panes: usize,
    /// Its focused pane.
    pub focused: PaneId,
}

/// How a child ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExitStatus {
    /// Exit code; `None` after a signal or when it could not be learnt.
    pub code: Option<u32>,
    /// Name of the signal (`SIGKILL`) that ended it.
    pub signal: Option<String>,
}

/// One pane of any tab.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PaneScene {
    /// Its id.
    pub id: PaneId,
    /// Its tab.
    pub tab: TabId,
    /// Its workspace.
    pub workspace: WorkspaceId,
    /// Its terminal, once started.
    pub terminal: Option<TerminalId>,
    /// Its alias.
    pub name: Option<String>,
    /// Its label.
    pub label: Option<String>,
    /// What an orchestrator says it is for.
    pub role: Option<String>,
    /// The colour that an orchestrator gave it.
    pub color: Option<String>,
    /// The child's own title (OSC 0 or 2), without control characters.
    pub title: Option<String>,
    /// Name of the foreground program.
    pub program: Option<String>,
    /// Whether something other than the shell at its prompt runs in it.
    pub busy: bool,
    /// Live directory.
    pub cwd: String,
    /// How the child ended, if the pane is held.
    pub exited: Option<ExitStatus>,
    /// The agent in it, or the program that reports its state.
    pub agent: Option<AgentScene>,
}

impl PaneScene {
    /// What the pane is called: alias, label, program's title, program (`spec/README.md` point 24).
    #[must_use]
    pub fn display_name(&self) -> &str {
        [&self.name, &self.label, &self.title, &self.program]
            .into_iter()
            .flatten()
            .map(String::as_str)
            .find(|text| !text.is_empty())
            .unwrap_or("shell")
    }
}

/// The focused tab, solved for the area of the client that owns the sizes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Layout {
    /// The area that it was solved for; a client with another area crops or pads.
    pub area: Size,
    /// The shown panes. Frames of neighbours share the line between them; a pane alone in its tab,
    /// or zoomed, has no frame and its content is the whole area.
    pub places: Vec<Place>,
    /// The lines that can be dragged.
    pub dividers: Vec<Divider>,
    /// The focused pane.
    pub focused: Option<PaneId>,
    /// Whether the focused pane is zoomed.
    pub zoomed: bool,
}

/// Where one pane is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// Which pane.
    pub pane: PaneId,
    /// The pane with its frame; `None` when it has none.
    pub frame: Option<Rect>,
    /// The cells of its terminal.
    pub content: Rect,
}

/// The shared line of one split.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Divider {
    /// The way from the root to the split.
    pub path: Vec<Side>,
    /// How its sides lie: a horizontal split has a vertical line.
    pub axis: Axis,
    /// The cells of the line (one column or one row), without the outer frame's corners.
    pub line: Rect,
    /// The whole rectangle that the split divides, frames included.
    pub area: Rect,
}
