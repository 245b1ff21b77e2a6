//! Every setting (`product.md` section 9, `spec/README.md` points 16 and 39): parsed from the text of
//! `config.toml`, with defaults for what is missing.
//!
//! Invariant: no I/O. Whoever reads the file hands in its text.

pub mod chord;
pub mod keymap;

use crate::protocol::geometry::Size;
use keymap::Keymap;

/// Something wrong in the text; the rest still counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// One-based line and column, where they can be told.
    pub at: Option<(usize, usize)>,
    /// What is wrong and what is used instead.
    pub message: String,
}

/// What happens to a pane whose child exits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnExit {
    /// It closes.
    #[default]
    Close,
    /// It stays with its last screen and the exit code.
    Hold,
}

/// When closing asks first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ConfirmClose {
    /// When something runs.
    #[default]
    Busy,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// One sidebar.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sidebar {
    /// Whether it is shown at start.
    pub visible: bool,
    /// Width in cells.
    pub width: u16,
    /// Docks from the top, by name: `workspaces`, `agents`.
    pub docks: Vec<String>,
}

/// All settings that this build knows.
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    /// Prefix key, bindings, direct bindings.
    pub keymap: Keymap,
    /// `shell`; empty is `$SHELL`.
    pub shell: String,
    /// `allow_nested`
    pub allow_nested: bool,
    /// `confirm_close`
    pub confirm_close: ConfirmClose,
    /// `pane.on_exit`
    pub on_exit: OnExit,
    /// `server.exit_when_empty`
    pub exit_when_empty: bool,
    /// `terminal.headless_size`, given as `[columns, rows]`
    pub headless_size: Size,
    /// `layout.scrollback_bytes`
    pub scrollback_bytes: usize,
    /// `layout.show_titles`
    pub show_titles: bool,
    /// `layout.new_pane_to_workspace_root`
    pub new_pane_to_workspace_root: bool,
    /// `layout.shift_enter`: `esc-cr`, `lf` or `csi-u`
    pub shift_enter: String,
    /// `mouse.capture`
    pub mouse_capture: bool,
    /// `notifications.bell`
    pub bell: bool,
    /// `sidebars.left`
    pub left: Sidebar,
    /// `sidebars.right`
    pub right: Sidebar,
    /// `layout.workspace_paths`
    pub workspace_paths: bool,
}

impl Config {
    /// Reads the text of `config.toml`. What is wrong keeps its default and is reported; a text
    /// that is no TOML gives the defaults and one warning with line and column.
    #[must_use]
    pub fn parse(_text: &str) -> (Self, Vec<Warning>) {
        unimplemented!("skeleton")
    }
}

impl Default for Config {
    fn default() -> Self {
        Self::parse("").0
    }
}
