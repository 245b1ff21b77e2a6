//! Actions, their command ids, and the keys that lead to them. Help, the command line and the client
//! read this one table (`product.md` section 3).

use super::chord::Chord;

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
    ToggleSidebars,
    ToggleRightSidebar,
    ScrollMode,
    Help,
    Detach,
}

/// One row of the table.
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

/// The keys in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Keymap {
    /// The prefix.
    pub prefix: Chord,
    /// Keys after the prefix, in table order.
    pub prefixed: Vec<(Chord, Action)>,
    /// Keys without the prefix.
    pub direct: Vec<(Chord, Action)>,
}

impl Keymap {
    /// The action of a key after the prefix.
    #[must_use]
    pub fn after_prefix(&self, _event: crate::protocol::key::KeyEvent) -> Option<Action> {
        unimplemented!("skeleton")
    }
    /// The action of a key without the prefix.
    #[must_use]
    pub fn directly(&self, _event: crate::protocol::key::KeyEvent) -> Option<Action> {
        unimplemented!("skeleton")
    }
}
/// All actions, in the order of the help.
#[must_use]
pub fn actions() -> &'static [ActionInfo] {
    unimplemented!("skeleton")
}
