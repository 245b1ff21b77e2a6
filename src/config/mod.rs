//! Every setting (`product.md` section 9, `spec/README.md` points 16 and 39): parsed from the text of
//! `config.toml`, with defaults for what is missing.
//!
//! Invariant: no I/O. Whoever reads the file hands in its text.

pub mod actions;
pub mod chord;
pub mod keymap;
mod page;
mod patch;
pub mod presets;
pub mod project;
mod read;
pub mod sections;
pub mod settings;
pub mod theme;

use crate::protocol::geometry::Size;
pub use patch::Patch;

use keymap::{Binding, Keymap, Wishes};
use presets::Preset;
use read::{At, Reader};
use settings::{Setting, Value};
use std::collections::BTreeMap;

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

/// What a legacy program gets for Shift+Enter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ShiftEnter {
    /// `esc-cr`: ESC CR.
    #[default]
    EscapeReturn,
    /// `lf`: LF.
    LineFeed,
    /// `csi-u`: `CSI 13;2u`.
    CsiU,
}

/// What lines and marks are drawn with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Borders {
    /// Unicode where the locale is UTF-8, else ASCII.
    #[default]
    Auto,
    /// Unicode.
    Unicode,
    /// ASCII.
    Ascii,
}

/// Whether agents go on with their conversations after a restart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResumeAgents {
    /// `auto`: by themselves.
    Auto,
    /// `ask`: when somebody says so.
    Ask,
    /// `off`: not at all.
    Off,
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
    /// `shell.integration`
    pub shell_integration: bool,
    /// `theme`
    pub theme: String,
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
    /// `terminal.checksum_reports`
    pub checksum_reports: bool,
    /// `session.resume_agents`
    pub resume_agents: ResumeAgents,
    /// `session.resume_launch_flags`
    pub resume_launch_flags: bool,
    /// `session.persist_pane_screen`
    pub persist_pane_screen: bool,
    /// `layout.scrollback_bytes`
    pub scrollback_bytes: usize,
    /// `layout.show_titles`
    pub show_titles: bool,
    /// `layout.pane_gaps`
    pub pane_gaps: bool,
    /// `layout.mobile_width`; 0 is never
    pub mobile_width: u16,
    /// `layout.borders`
    pub borders: Borders,
    /// `layout.agent_paths`
    pub agent_paths: bool,
    /// `links.open`; empty is the system's own opener
    pub link_opener: String,
    /// `layout.new_pane_to_workspace_root`
    pub new_pane_to_workspace_root: bool,
    /// `layout.shift_enter`
    pub shift_enter: ShiftEnter,
    /// `mouse.capture`
    pub mouse_capture: bool,
    /// Whether selecting with the mouse copies.
    pub copy_on_select: bool,
    /// `notifications.bell`
    pub bell: bool,
    /// `notifications.toast`
    pub toast: bool,
    /// `notifications.terminal`
    pub notify_terminal: bool,
    /// `notifications.sound_on_done`
    pub sound_on_done: bool,
    /// `notifications.sound_on_blocked`
    pub sound_on_blocked: bool,
    /// `notifications.show_text`
    pub notification_text: bool,
    /// `notifications.command`
    pub notification_command: String,
    /// `notifications.delay_ms`
    pub notification_delay_ms: u64,
    /// `sidebars.left`
    pub left: Sidebar,
    /// `sidebars.right`
    pub right: Sidebar,
    /// `agents_active_only`
    pub agents_active_only: bool,
    /// `agents_this_workspace`
    pub agents_this_workspace: bool,
    /// `layout.workspace_paths`
    pub workspace_paths: bool,
    /// `compat.pane_backend`
    pub pane_backend: bool,
    /// `compat.psmux`
    pub psmux: bool,
    /// `compat.psmux_discovery`
    pub psmux_discovery: bool,
    /// `compat.agent_teams`
    pub agent_teams: bool,
    /// `compat.auto_split_min`, given as `[columns, rows]`
    pub auto_split_min: Size,
    /// `compat.nebula_runtime`
    pub nebula_runtime: bool,
    /// `compat.term_program`
    pub term_program: &'static str,
    /// `worktree.compat_branch_prefix`
    pub compat_branch_prefix: String,
    /// What the text says, by key.
    given: Given,
}

/// Values as they were written. How a configuration is written does not make it another one.
#[derive(Debug, Clone, Default)]
struct Given(BTreeMap<&'static str, (Value, At)>);

impl PartialEq for Given {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Config {
    /// Reads the text of `config.toml`. What is wrong keeps its default and is reported; a text
    /// that is no TOML gives the defaults and one warning with line and column.
    #[must_use]
    pub fn parse(text: &str) -> (Self, Vec<Warning>) {
        let mut reader = Reader::read(text);
        let mut warnings = std::mem::take(&mut reader.warnings);
        let config = Self::from_values(Values(reader.values), &mut warnings);
        warnings.sort_by_key(|warning| warning.at);
        (config, warnings)
    }

    /// Every setting with its value, in the order of the table; bindings by their command.
    #[must_use]
    pub fn settled(&self) -> Vec<(&'static str, Value)> {
        let value = |setting: &'static Setting| match self.given.0.get(setting.key) {
            Some((Value::Bindings(bindings), _)) => {
                let mut bindings: Vec<Binding> =
                    bindings.iter().map(|binding| Binding { at: None, ..binding.clone() }).collect();
                bindings.sort_by(|a, b| a.id.cmp(&b.id));
                Value::Bindings(bindings)
            }
            Some((value, _)) => value.clone(),
            // Its default is the preset's.
            None if setting.key == "prefix" => Value::Text(self.keymap.prefix.to_string().into()),
            None => setting.default.clone(),
        };
        settings::settings().iter().map(|setting| (setting.key, value(setting))).collect()
    }

    fn from_values(values: Values, warnings: &mut Vec<Warning>) -> Self {
        let (cols, rows) = values.size("terminal.headless_size");
        let (split_cols, split_rows) = values.size("compat.auto_split_min");
        Self {
            keymap: values.keymap(warnings),
            shell: values.text("shell").to_owned(),
            shell_integration: values.flag("shell.integration"),
            theme: values.text("theme").to_owned(),
            allow_nested: values.flag("allow_nested"),
            confirm_close: match values.text("confirm_close") {
                "always" => ConfirmClose::Always,
                "never" => ConfirmClose::Never,
                _ => ConfirmClose::Busy,
            },
            on_exit: if values.text("pane.on_exit") == "hold" { OnExit::Hold } else { OnExit::Close },
            exit_when_empty: values.flag("server.exit_when_empty"),
            headless_size: Size::new(rows, cols),
            checksum_reports: values.flag("terminal.checksum_reports"),
            resume_agents: match values.text("session.resume_agents") {
                "ask" => ResumeAgents::Ask,
                "off" => ResumeAgents::Off,
                _ => ResumeAgents::Auto,
            },
            resume_launch_flags: values.flag("session.resume_launch_flags"),
            persist_pane_screen: values.flag("session.persist_pane_screen"),
            scrollback_bytes: values.number("layout.scrollback_bytes"),
            show_titles: values.flag("layout.show_titles"),
            pane_gaps: values.flag("layout.pane_gaps"),
            mobile_width: values.number("layout.mobile_width"),
            borders: match values.text("layout.borders") {
                "unicode" => Borders::Unicode,
                "ascii" => Borders::Ascii,
                _ => Borders::Auto,
            },
            agent_paths: values.flag("layout.agent_paths"),
            link_opener: values.text("links.open").to_owned(),
            new_pane_to_workspace_root: values.flag("layout.new_pane_to_workspace_root"),
            shift_enter: match values.text("layout.shift_enter") {
                "lf" => ShiftEnter::LineFeed,
                "csi-u" => ShiftEnter::CsiU,
                _ => ShiftEnter::EscapeReturn,
            },
            mouse_capture: values.flag("mouse.capture"),
            copy_on_select: values.flag("mouse.copy_on_select"),
            bell: values.flag("notifications.bell"),
            toast: values.flag("notifications.toast"),
            notify_terminal: values.flag("notifications.terminal"),
            sound_on_done: values.flag("notifications.sound_on_done"),
            sound_on_blocked: values.flag("notifications.sound_on_blocked"),
            notification_text: values.flag("notifications.show_text"),
            notification_command: values.text("notifications.command").to_owned(),
            notification_delay_ms: values.number("notifications.delay_ms"),
            left: Sidebar {
                visible: values.flag("sidebars.left.visible"),
                width: values.number("sidebars.left.width"),
                docks: values.words("sidebars.left.docks"),
            },
            right: Sidebar {
                visible: values.flag("sidebars.right.visible"),
                width: values.number("sidebars.right.width"),
                docks: values.words("sidebars.right.docks"),
            },
            agents_active_only: values.flag("agents_active_only"),
            agents_this_workspace: values.flag("agents_this_workspace"),
            workspace_paths: values.flag("layout.workspace_paths"),
            pane_backend: values.flag("compat.pane_backend"),
            psmux: values.flag("compat.psmux"),
            psmux_discovery: values.flag("compat.psmux_discovery"),
            agent_teams: values.flag("compat.agent_teams"),
            auto_split_min: Size::new(split_rows, split_cols),
            nebula_runtime: values.flag("compat.nebula_runtime"),
            term_program: if values.text("compat.term_program") == "nebula" { "nebula" } else { "luvus" },
            compat_branch_prefix: values.text("worktree.compat_branch_prefix").to_owned(),
            given: Given(values.0),
        }
    }
}

impl Default for Config {
    fn default() -> Self {
        Self::parse("").0
    }
}

/// What the text gives, else what the table says. Asking for a key as something that it is not is
/// a mistake in `from_values` that the first test finds.
struct Values(BTreeMap<&'static str, (Value, At)>);

impl Values {
    fn value(&self, key: &'static str) -> &Value {
        let default = || &Setting::named(key).expect("the key is in the table").default;
        self.0.get(key).map_or_else(default, |(value, _)| value)
    }

    fn flag(&self, key: &'static str) -> bool {
        matches!(self.value(key), Value::Flag(true))
    }

    fn text(&self, key: &'static str) -> &str {
        match self.value(key) {
            Value::Text(text) => text,
            other => unreachable!("{key} is {other:?}"),
        }
    }

    /// The table's bounds fit the types that are asked for.
    fn number<T: TryFrom<i64>>(&self, key: &'static str) -> T {
        match self.value(key) {
            Value::Number(number) => match T::try_from(*number) {
                Ok(number) => number,
                Err(_) => unreachable!("the bounds of {key} fit its type"),
            },
            other => unreachable!("{key} is {other:?}"),
        }
    }

    fn words(&self, key: &'static str) -> Vec<String> {
        match self.value(key) {
            Value::Words(words) => words.iter().map(|word| (*word).to_owned()).collect(),
            other => unreachable!("{key} is {other:?}"),
        }
    }

    /// Columns and rows.
    fn size(&self, key: &'static str) -> (u16, u16) {
        match self.value(key) {
            Value::Size(cols, rows) => (*cols, *rows),
            other => unreachable!("{key} is {other:?}"),
        }
    }

    fn bindings(&self, key: &'static str) -> Vec<Binding> {
        match self.value(key) {
            Value::Bindings(bindings) => bindings.clone(),
            other => unreachable!("{key} is {other:?}"),
        }
    }

    fn keymap(&self, warnings: &mut Vec<Warning>) -> Keymap {
        let preset = Preset::named(self.text("preset")).unwrap_or(Preset::Luvus);
        let given = self.0.get("prefix");
        let wishes = Wishes {
            // The default of `prefix` is the preset's, not the table's.
            prefix: given.map(|(_, at)| (self.text("prefix").to_owned(), *at)),
            prefixed: self.bindings("keybindings"),
            direct: self.bindings("direct_keybindings"),
        };
        Keymap::new(preset, &wishes, warnings)
    }
}

#[cfg(test)]
mod tests;
