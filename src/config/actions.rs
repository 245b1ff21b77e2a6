//! The actions of this build: one row each with command id, sentence and group. Help, the command
//! line and the client read this one table (`product.md` section 3).

/// What a person can ask the client to do. The table in this file gives each its id and sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // each variant's sentence is in the table
pub enum Action {
    FocusLeft,
    FocusDown,
    FocusUp,
    FocusRight,
    NextPane,
    FocusBack,
    FocusForward,
    SplitRight,
    SplitDown,
    SplitAuto,
    ClosePane,
    ZoomPane,
    ResizeMode,
    SwapPrevious,
    SwapNext,
    RenamePane,
    MovePaneToNewTab,
    MovePaneToTab,
    ForkAgent,
    CycleLayout,
    EvenLayout,
    LayoutColumns,
    LayoutRows,
    LayoutMainLeft,
    LayoutMainTop,
    LayoutGrid,
    NewTab,
    NextTab,
    PreviousTab,
    Tab(u8),
    RenameTab,
    CloseTab,
    NewWorkspace,
    CloseWorkspace,
    NextWorkspace,
    PreviousWorkspace,
    Workspace(u8),
    RenameWorkspace,
    FocusWorkspacesDock,
    FocusAgentsDock,
    AgentScope,
    AgentFilter,
    MissionControl,
    NextBlocked,
    NextDone,
    ToggleSidebars,
    ToggleRightSidebar,
    ScrollMode,
    /// Copy mode.
    CopyMode,
    Scratch,
    CommandPalette,
    JumpPalette,
    SessionSwitcher,
    Finder,
    PromptStrip,
    Notifications,
    OpenNotification,
    Settings,
    RestoreReport,
    ProjectLayout,
    Menu,
    Help,
    Detach,
}

/// One row of the table.
#[derive(Debug)]
pub struct ActionInfo {
    /// The action.
    pub action: Action,
    /// Its command id (`split_right`).
    pub id: &'static str,
    /// One sentence for the help.
    pub text: &'static str,
    /// The group that the help shows it in.
    pub group: &'static str,
}

const fn row(group: &'static str, action: Action, id: &'static str, text: &'static str) -> ActionInfo {
    ActionInfo { action, id, text, group }
}

const PANES: &str = "Panes";
const TABS: &str = "Tabs";
const WORKSPACES: &str = "Workspaces";
const VIEW: &str = "View";
const SESSION: &str = "Session";

static ACTIONS: &[ActionInfo] = &[
    row(PANES, Action::FocusLeft, "focus_left", "Focus the pane to the left"),
    row(PANES, Action::FocusDown, "focus_down", "Focus the pane below"),
    row(PANES, Action::FocusUp, "focus_up", "Focus the pane above"),
    row(PANES, Action::FocusRight, "focus_right", "Focus the pane to the right"),
    row(PANES, Action::NextPane, "next_pane", "Focus the next pane of the tab"),
    row(PANES, Action::FocusBack, "focus_back", "Go back to the pane focused before"),
    row(PANES, Action::FocusForward, "focus_forward", "Go forward again in the focused panes"),
    row(PANES, Action::SplitRight, "split_right", "Split the pane, the new one to the right"),
    row(PANES, Action::SplitDown, "split_down", "Split the pane, the new one below"),
    row(PANES, Action::SplitAuto, "split_auto", "Split the longer side of the pane"),
    row(PANES, Action::ClosePane, "close_pane", "Close the pane"),
    row(PANES, Action::ZoomPane, "zoom_pane", "Show the pane alone, or all panes again"),
    row(PANES, Action::ResizeMode, "resize_mode", "Resize the pane with the arrow keys"),
    row(PANES, Action::SwapPrevious, "swap_previous", "Swap the pane with the previous one"),
    row(PANES, Action::SwapNext, "swap_next", "Swap the pane with the next one"),
    row(PANES, Action::RenamePane, "rename_pane", "Name the pane"),
    row(PANES, Action::MovePaneToNewTab, "move_pane_to_new_tab", "Move the pane to a new tab"),
    row(PANES, Action::MovePaneToTab, "move_pane_to_tab", "Move the pane to another tab"),
    row(PANES, Action::ForkAgent, "fork_agent", "Fork the agent's conversation into a new pane beside it"),
    row(
        PANES,
        Action::CycleLayout,
        "cycle_layout",
        "Lay the panes out in the next way: columns, rows, main, grid",
    ),
    row(PANES, Action::EvenLayout, "even_layout", "Give every pane an equal share"),
    row(PANES, Action::LayoutColumns, "layout_columns", "Lay the panes out side by side"),
    row(PANES, Action::LayoutRows, "layout_rows", "Lay the panes out one above the other"),
    row(
        PANES,
        Action::LayoutMainLeft,
        "layout_main_left",
        "Lay the panes out with the first one large at the left",
    ),
    row(
        PANES,
        Action::LayoutMainTop,
        "layout_main_top",
        "Lay the panes out with the first one large at the top",
    ),
    row(PANES, Action::LayoutGrid, "layout_grid", "Lay the panes out in a grid"),
    row(TABS, Action::NewTab, "new_tab", "Open a new tab"),
    row(TABS, Action::NextTab, "next_tab", "Go to the next tab"),
    row(TABS, Action::PreviousTab, "previous_tab", "Go to the previous tab"),
    row(TABS, Action::Tab(1), "tab_1", "Go to tab 1"),
    row(TABS, Action::Tab(2), "tab_2", "Go to tab 2"),
    row(TABS, Action::Tab(3), "tab_3", "Go to tab 3"),
    row(TABS, Action::Tab(4), "tab_4", "Go to tab 4"),
    row(TABS, Action::Tab(5), "tab_5", "Go to tab 5"),
    row(TABS, Action::Tab(6), "tab_6", "Go to tab 6"),
    row(TABS, Action::Tab(7), "tab_7", "Go to tab 7"),
    row(TABS, Action::Tab(8), "tab_8", "Go to tab 8"),
    row(TABS, Action::Tab(9), "tab_9", "Go to tab 9"),
    row(TABS, Action::RenameTab, "rename_tab", "Name the tab"),
    row(TABS, Action::CloseTab, "close_tab", "Close the tab with all its panes"),
    row(WORKSPACES, Action::NewWorkspace, "new_workspace", "Open a folder as a workspace"),
    row(WORKSPACES, Action::CloseWorkspace, "close_workspace", "Close the workspace with all its panes"),
    row(WORKSPACES, Action::NextWorkspace, "next_workspace", "Go to the next workspace"),
    row(WORKSPACES, Action::PreviousWorkspace, "previous_workspace", "Go to the previous workspace"),
    row(WORKSPACES, Action::Workspace(1), "workspace_1", "Go to the 1st workspace of the sidebar"),
    row(WORKSPACES, Action::Workspace(2), "workspace_2", "Go to the 2nd workspace of the sidebar"),
    row(WORKSPACES, Action::Workspace(3), "workspace_3", "Go to the 3rd workspace of the sidebar"),
    row(WORKSPACES, Action::Workspace(4), "workspace_4", "Go to the 4th workspace of the sidebar"),
    row(WORKSPACES, Action::Workspace(5), "workspace_5", "Go to the 5th workspace of the sidebar"),
    row(WORKSPACES, Action::Workspace(6), "workspace_6", "Go to the 6th workspace of the sidebar"),
    row(WORKSPACES, Action::Workspace(7), "workspace_7", "Go to the 7th workspace of the sidebar"),
    row(WORKSPACES, Action::Workspace(8), "workspace_8", "Go to the 8th workspace of the sidebar"),
    row(WORKSPACES, Action::Workspace(9), "workspace_9", "Go to the 9th workspace of the sidebar"),
    row(
        WORKSPACES,
        Action::ProjectLayout,
        "project_layout",
        "Set up the tabs that the folder's .luvus.toml describes",
    ),
    row(WORKSPACES, Action::RenameWorkspace, "rename_workspace", "Rename the workspace"),
    row(VIEW, Action::FocusWorkspacesDock, "focus_workspaces", "Focus the WORKSPACES dock"),
    row(VIEW, Action::FocusAgentsDock, "focus_agents", "Focus the AGENTS dock"),
    row(VIEW, Action::AgentScope, "agent_scope", "List the agents of all workspaces, or of this one"),
    row(VIEW, Action::AgentFilter, "agent_filter", "List agents only, or conversations to resume too"),
    row(VIEW, Action::MissionControl, "mission_control", "Show every agent, and answer from there"),
    row(VIEW, Action::NextBlocked, "next_blocked", "Go to the next agent that waits for you"),
    row(VIEW, Action::NextDone, "next_done", "Go to the next agent that is done"),
    row(VIEW, Action::ToggleSidebars, "toggle_sidebars", "Show or hide both sidebars"),
    row(VIEW, Action::ToggleRightSidebar, "toggle_right_sidebar", "Show or hide the right sidebar"),
    row(VIEW, Action::ScrollMode, "scroll_mode", "Scroll back in the pane's history"),
    row(VIEW, Action::CopyMode, "copy_mode", "Select and copy text with the keyboard"),
    row(VIEW, Action::Scratch, "scratch", "Show or hide the scratch terminal over the layout"),
    row(SESSION, Action::CommandPalette, "command_palette", "Find any action by its name"),
    row(SESSION, Action::JumpPalette, "jump_palette", "Jump to a workspace, tab or pane by its name"),
    row(
        SESSION,
        Action::SessionSwitcher,
        "session_switcher",
        "Go to another session, or make, end and delete one",
    ),
    row(SESSION, Action::Finder, "finder", "Find places, files and output"),
    row(SESSION, Action::PromptStrip, "prompt_strip", "Send a line to chosen panes"),
    row(SESSION, Action::Notifications, "notifications", "Show the last notifications"),
    row(SESSION, Action::OpenNotification, "open_notification", "Go to the pane of the last notification"),
    row(SESSION, Action::Settings, "settings", "Change the settings"),
    row(
        SESSION,
        Action::RestoreReport,
        "restore_report",
        "Show what could not be restored, and try it again",
    ),
    row(SESSION, Action::Menu, "menu", "Show every action on lines to tap, as on narrow screens"),
    row(SESSION, Action::Help, "help", "Show the keys in force"),
    row(SESSION, Action::Detach, "detach", "Leave the session; everything in it goes on"),
];

/// All actions, in the order of the help.
#[must_use]
pub fn actions() -> &'static [ActionInfo] {
    ACTIONS
}

impl Action {
    /// The action of a command id.
    #[must_use]
    pub fn of_id(id: &str) -> Option<Self> {
        ACTIONS.iter().find(|row| row.id == id).map(|row| row.action)
    }

    /// The action's command id.
    #[must_use]
    pub fn id(self) -> &'static str {
        self.row().map_or("", |row| row.id)
    }

    /// The action's row; positions beyond 9 have none.
    #[must_use]
    pub fn row(self) -> Option<&'static ActionInfo> {
        ACTIONS.iter().find(|row| row.action == self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_and_actions_are_unique_and_groups_are_together() {
        for (at, row) in ACTIONS.iter().enumerate() {
            assert_eq!(Action::of_id(row.id), Some(row.action), "{}", row.id);
            assert_eq!(row.action.id(), row.id);
            let before = &ACTIONS[..at];
            let last = before.last().map_or(row.group, |last| last.group);
            assert!(last == row.group || before.iter().all(|old| old.group != row.group), "{}", row.id);
        }
    }
}
