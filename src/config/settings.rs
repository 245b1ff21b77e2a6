//! The table of settings: every key with its type, default and sentence (`product.md` section 9,
//! `spec/README.md` points 16 and 39). The parser reads it, and so does everything that documents,
//! checks or shows settings.
//!
//! Keys that this build does not use yet are here too: they are checked, and no surprise later.

use super::keymap::Binding;
use std::borrow::Cow;

/// One key of the configuration.
#[derive(Debug, PartialEq)]
pub struct Setting {
    /// Its dotted name.
    pub key: &'static str,
    /// What it may be.
    pub kind: Kind,
    /// What it is when it is not given.
    pub default: Value,
    /// One sentence.
    pub text: &'static str,
}

/// What a setting may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `true` or `false`.
    Flag,
    /// A whole number in these bounds.
    Number(i64, i64),
    /// Any text.
    Text,
    /// A key with modifiers.
    Chord,
    /// One of these words.
    Word(&'static [&'static str]),
    /// A list of these words, each once.
    Words(&'static [&'static str]),
    /// Columns and rows.
    Size,
    /// A table from command ids to keys.
    Bindings,
}

/// The value of a setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// Of a flag.
    Flag(bool),
    /// Of a number.
    Number(i64),
    /// Of a text, a chord or a word.
    Text(Cow<'static, str>),
    /// Of a list of words, in order.
    Words(Cow<'static, [&'static str]>),
    /// Of a size: columns, rows.
    Size(u16, u16),
    /// Of bindings, in the order of the text; none leaves the preset's.
    Bindings(Vec<Binding>),
}

const fn flag(key: &'static str, default: bool, text: &'static str) -> Setting {
    Setting { key, kind: Kind::Flag, default: Value::Flag(default), text }
}

const fn number(key: &'static str, bounds: (i64, i64), default: i64, text: &'static str) -> Setting {
    Setting { key, kind: Kind::Number(bounds.0, bounds.1), default: Value::Number(default), text }
}

const fn text(key: &'static str, default: &'static str, text: &'static str) -> Setting {
    Setting { key, kind: Kind::Text, default: Value::Text(Cow::Borrowed(default)), text }
}

/// The first word is the default.
const fn word(key: &'static str, words: &'static [&'static str], text: &'static str) -> Setting {
    Setting { key, kind: Kind::Word(words), default: Value::Text(Cow::Borrowed(words[0])), text }
}

const fn docks(key: &'static str, default: &'static [&'static str], text: &'static str) -> Setting {
    Setting { key, kind: Kind::Words(&DOCKS), default: Value::Words(Cow::Borrowed(default)), text }
}

const fn bindings(key: &'static str, text: &'static str) -> Setting {
    Setting { key, kind: Kind::Bindings, default: Value::Bindings(Vec::new()), text }
}

/// The docks of this build.
const DOCKS: [&str; 2] = ["workspaces", "agents"];
/// A sidebar narrower than this shows no name, a wider one leaves no room on most screens.
const SIDEBAR: (i64, i64) = (12, 120);
/// A pane's history may be off; a gibibyte is more than a day of output.
const HISTORY: (i64, i64) = (0, 1 << 30);

static SETTINGS: [Setting; 54] = [
    Setting {
        key: "prefix",
        kind: Kind::Chord,
        default: Value::Text(Cow::Borrowed("ctrl+space")),
        text: "The key before all others: F1 to F12, or one with ctrl or alt; the default is the preset's",
    },
    word("preset", &["luvus", "tmux", "no-ctrl"], "The set of keys to start from"),
    bindings(
        "keybindings",
        "Keys after the prefix: a command id and its key; an empty key unbinds, `default` is the preset's",
    ),
    bindings(
        "direct_keybindings",
        "Keys without the prefix: a command id and a chord with ctrl, alt or shift",
    ),
    text("theme", "luvus-dark", "The theme; `terminal` uses the colours of the terminal"),
    text("language", "en", "The language of what luvus says"),
    text("shell", "", "The program of a new pane; empty is $SHELL"),
    flag("allow_nested", false, "Whether luvus may be started inside a pane of luvus"),
    word("confirm_close", &["busy", "always", "never"], "When closing asks first"),
    flag("agents_active_only", false, "Whether the AGENTS dock shows only active agents"),
    flag("agents_this_workspace", false, "Whether the AGENTS dock shows only this workspace"),
    flag("sidebars.left.visible", true, "Whether the left sidebar is shown"),
    number("sidebars.left.width", SIDEBAR, 28, "Columns of the left sidebar"),
    docks("sidebars.left.docks", &DOCKS, "Docks of the left sidebar from the top"),
    flag("sidebars.right.visible", false, "Whether the right sidebar is shown"),
    number("sidebars.right.width", SIDEBAR, 32, "Columns of the right sidebar"),
    docks("sidebars.right.docks", &[], "Docks of the right sidebar from the top"),
    word("pane.on_exit", &["close", "hold"], "What happens to a pane whose program ends"),
    Setting {
        key: "terminal.headless_size",
        kind: Kind::Size,
        default: Value::Size(120, 40),
        text: "Columns and rows for panes while nobody has attached yet",
    },
    flag("terminal.checksum_reports", false, "Whether programs may ask for checksums of the screen"),
    flag("server.exit_when_empty", false, "Whether the server ends with its last pane"),
    flag("session.persist_pane_screen", true, "Whether the last screens are kept for the next start"),
    word("session.resume_agents", &["auto", "ask", "off"], "Whether agents resume their conversations"),
    flag("session.resume_launch_flags", true, "Whether a resumed agent gets its own flags again"),
    number("layout.scrollback_bytes", HISTORY, 10_485_760, "Bytes of history for each pane"),
    flag("layout.show_titles", true, "Whether frames show titles"),
    word(
        "layout.borders",
        &["auto", "unicode", "ascii"],
        "What lines and marks are drawn with; `auto` is ASCII where the locale is not UTF-8",
    ),
    flag("layout.pane_gaps", false, "Whether there is space between panes"),
    number(
        "layout.mobile_width",
        (0, 1_000),
        64,
        "Columns up to which the narrow layout is used; 0 is never",
    ),
    flag("layout.new_pane_to_workspace_root", false, "Whether new panes start in the workspace's root"),
    word("layout.shift_enter", &["esc-cr", "lf", "csi-u"], "What Shift+Enter sends to a legacy program"),
    flag("layout.workspace_paths", true, "Whether the WORKSPACES dock shows paths"),
    flag("layout.agent_paths", true, "Whether the AGENTS dock shows paths"),
    flag("mouse.capture", true, "Whether luvus uses the mouse"),
    flag("mouse.copy_on_select", true, "Whether selecting with the mouse copies"),
    text("links.open", "", "The program that opens links; empty is the system's own (xdg-open, open)"),
    flag("notifications.bell", true, "Whether the bell of a pane rings the attached terminals"),
    flag("notifications.toast", true, "Whether notifications show in luvus"),
    number("notifications.delay_ms", (0, 600_000), 1_500, "Milliseconds to wait before a notification"),
    flag("notifications.sound_on_done", false, "Whether a done agent makes a sound"),
    flag("notifications.sound_on_blocked", false, "Whether a blocked agent makes a sound"),
    flag("notifications.terminal", false, "Whether notifications go to the attached terminal"),
    flag("notifications.show_text", false, "Whether notifications may contain prompts and output"),
    text("notifications.command", "", "A program to run for each notification"),
    flag("shell.integration", true, "Whether shells report their prompts and commands"),
    flag("compat.nebula_runtime", true, "Whether the runtime protocol is served"),
    flag("compat.pane_backend", true, "Whether the pane backend is served"),
    flag("compat.psmux", false, "Whether panes get the PSMUX variables"),
    flag("compat.psmux_discovery", true, "Whether the pane backend is announced in the home folder"),
    flag("compat.agent_teams", false, "Whether panes switch agent teams on"),
    word("compat.term_program", &["luvus", "nebula"], "The value of TERM_PROGRAM in panes"),
    Setting {
        key: "compat.auto_split_min",
        kind: Kind::Size,
        default: Value::Size(40, 8),
        text: "Columns and rows under which the pane backend opens a tab instead of a split",
    },
    text("worktree.branch_prefix", "", "What the names of new worktree branches begin with"),
    text("worktree.compat_branch_prefix", "nebula/", "The same for the runtime protocol"),
];

/// All settings, in the order of the documentation.
#[must_use]
pub fn settings() -> &'static [Setting] {
    &SETTINGS
}

impl Setting {
    /// The setting of that name.
    #[must_use]
    pub fn named(key: &str) -> Option<&'static Self> {
        SETTINGS.iter().find(|setting| setting.key == key)
    }

    /// Whether some setting lies under that table.
    #[must_use]
    pub fn any_under(table: &str) -> bool {
        SETTINGS
            .iter()
            .any(|setting| setting.key.strip_prefix(table).is_some_and(|rest| rest.starts_with('.')))
    }
}
