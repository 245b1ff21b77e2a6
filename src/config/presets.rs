//! The presets of keys (`product.md` section 3): which keys lead to which action before a person's
//! own bindings.

use super::actions::Action;

/// A set of keys to start from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Preset {
    /// `luvus`
    Luvus,
    /// `tmux`
    Tmux,
    /// `no-ctrl`
    NoCtrl,
}

impl Preset {
    /// The preset of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "luvus" => Some(Self::Luvus),
            "tmux" => Some(Self::Tmux),
            "no-ctrl" => Some(Self::NoCtrl),
            _ => None,
        }
    }

    /// Its prefix.
    #[must_use]
    pub fn prefix(self) -> &'static str {
        match self {
            Self::Luvus => "ctrl+space",
            Self::Tmux => "ctrl+b",
            Self::NoCtrl => "F12",
        }
    }

    /// Its keys after the prefix; where a key stands twice the first one counts.
    pub fn prefixed(self) -> impl Iterator<Item = (&'static str, Action)> {
        let first: &[_] = if self == Self::Tmux { &TMUX } else { &[] };
        first.iter().chain(LUVUS).copied()
    }

    /// Its keys without the prefix.
    pub fn direct(self) -> impl Iterator<Item = (&'static str, Action)> {
        DIRECT.iter().copied()
    }
}

const LUVUS: &[(&str, Action)] = &[
    ("Left", Action::FocusLeft),
    ("h", Action::FocusLeft),
    ("Down", Action::FocusDown),
    ("j", Action::FocusDown),
    ("Up", Action::FocusUp),
    ("k", Action::FocusUp),
    ("Right", Action::FocusRight),
    ("l", Action::FocusRight),
    (";", Action::NextPane),
    ("[", Action::FocusBack),
    ("]", Action::FocusForward),
    ("v", Action::SplitRight),
    ("s", Action::SplitDown),
    ("+", Action::SplitAuto),
    ("x", Action::ClosePane),
    ("z", Action::ZoomPane),
    ("O", Action::MovePaneToNewTab),
    ("I", Action::MovePaneToTab),
    ("f", Action::ForkAgent),
    ("y", Action::CopyMode),
    ("P", Action::Scratch),
    ("r", Action::ResizeMode),
    ("{", Action::SwapPrevious),
    ("}", Action::SwapNext),
    ("Space", Action::CycleLayout),
    ("c", Action::NewTab),
    ("n", Action::NextTab),
    ("Tab", Action::NextTab),
    ("p", Action::PreviousTab),
    ("BackTab", Action::PreviousTab),
    ("1", Action::Tab(1)),
    ("2", Action::Tab(2)),
    ("3", Action::Tab(3)),
    ("4", Action::Tab(4)),
    ("5", Action::Tab(5)),
    ("6", Action::Tab(6)),
    ("7", Action::Tab(7)),
    ("8", Action::Tab(8)),
    ("9", Action::Tab(9)),
    (",", Action::RenameTab),
    ("N", Action::NewWorkspace),
    ("D", Action::CloseWorkspace),
    ("u", Action::NextWorkspace),
    ("U", Action::PreviousWorkspace),
    ("!", Action::Workspace(1)),
    ("@", Action::Workspace(2)),
    ("#", Action::Workspace(3)),
    ("$", Action::Workspace(4)),
    ("%", Action::Workspace(5)),
    ("^", Action::Workspace(6)),
    ("&", Action::Workspace(7)),
    ("*", Action::Workspace(8)),
    ("(", Action::Workspace(9)),
    ("w", Action::FocusWorkspacesDock),
    ("a", Action::FocusAgentsDock),
    ("A", Action::AgentScope),
    ("m", Action::MissionControl),
    (".", Action::NextBlocked),
    (">", Action::NextDone),
    ("b", Action::ToggleSidebars),
    ("B", Action::ToggleRightSidebar),
    (":", Action::CommandPalette),
    ("M", Action::JumpPalette),
    ("t", Action::SessionSwitcher),
    ("/", Action::Finder),
    ("Enter", Action::PromptStrip),
    ("T", Action::OpenNotification),
    ("=", Action::Settings),
    ("?", Action::Help),
    ("q", Action::Detach),
    ("d", Action::Detach),
];

/// What differs for hands used to tmux. `%` and `(` take the keys of the jumps to workspaces 5 and 9.
const TMUX: [(&str, Action); 6] = [
    ("%", Action::SplitRight),
    ("\"", Action::SplitDown),
    ("o", Action::NextPane),
    ("(", Action::PreviousWorkspace),
    (")", Action::NextWorkspace),
    ("w", Action::JumpPalette),
];

const DIRECT: [(&str, Action); 2] = [("shift+Up", Action::ScrollMode), ("shift+PageUp", Action::ScrollMode)];
