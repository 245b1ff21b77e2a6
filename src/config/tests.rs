//! The configuration as a whole: defaults, wrong values, places of warnings.

use super::keymap::Action;
use super::settings::{Kind, settings};
use super::*;
use proptest::prelude::*;

fn warnings(text: &str) -> Vec<(Option<(usize, usize)>, String)> {
    Config::parse(text).1.into_iter().map(|warning| (warning.at, warning.message)).collect()
}

#[test]
fn an_empty_text_gives_the_documented_defaults() {
    let (config, warnings) = Config::parse("");
    assert_eq!(warnings, []);
    assert_eq!(config.keymap.prefix.to_string(), "ctrl+Space");
    assert_eq!(config.shell, "");
    assert_eq!(config.confirm_close, ConfirmClose::Busy);
    assert_eq!(config.on_exit, OnExit::Close);
    assert_eq!(config.headless_size, Size::new(40, 120));
    assert_eq!(config.scrollback_bytes, 10_485_760);
    assert_eq!(config.shift_enter, ShiftEnter::EscapeReturn);
    assert!(config.mouse_capture && config.bell && config.show_titles && config.workspace_paths);
    assert!(!config.allow_nested && !config.exit_when_empty && !config.new_pane_to_workspace_root);
    let docks = vec!["workspaces".to_owned(), "agents".to_owned()];
    assert_eq!(config.left, Sidebar { visible: true, width: 28, docks });
    assert_eq!(config.right, Sidebar { visible: false, width: 32, docks: Vec::new() });
}

#[test]
fn tables_and_dotted_keys_are_read() {
    let (config, warnings) = Config::parse(
        r#"
preset = "tmux"
prefix = "ctrl+a"
confirm_close = "never"
pane.on_exit = "hold"
notifications = { bell = false }
[terminal]
headless_size = [100, 30]
[sidebars.right]
visible = true
width = 0x20
docks = ["agents"]
[sidebars.left]
docks = ["workspaces"]
[keybindings]
close_tab = "X"
[direct_keybindings]
new_tab = "ctrl+alt+n"
"#,
    );
    assert_eq!(warnings, []);
    assert_eq!(config.keymap.prefix.to_string(), "ctrl+a");
    assert_eq!(config.confirm_close, ConfirmClose::Never);
    assert_eq!(config.on_exit, OnExit::Hold);
    assert!(!config.bell);
    assert_eq!(config.headless_size, Size::new(30, 100));
    assert_eq!(config.right, Sidebar { visible: true, width: 32, docks: vec!["agents".into()] });
    assert_eq!(config.left.docks, ["workspaces"]);
    assert_eq!(config.keymap.keys_of(Action::CloseTab), ["prefix X"]);
    assert_eq!(config.keymap.keys_of(Action::NewTab), ["prefix c", "ctrl+alt+n"]);
    assert_eq!(config.keymap.keys_of(Action::SplitRight), ["prefix %", "prefix v"]);
}

#[test]
fn what_is_wrong_keeps_its_default_and_is_reported_with_its_place() {
    let text = "shell = 5\nallow_nested = true\n\n[layout]\nscrollback_bytes = -1\nshift_enter = \"é\"\n\
                colour = 1\n[fancy]\nx = 1\n[keybindings]\nhelp = \"ctrl+\"\n";
    let config = Config::parse(text).0;
    assert!(config.allow_nested);
    assert_eq!(Config { allow_nested: false, ..config }, Config::default());
    let warnings = warnings(text);
    let places: Vec<_> = warnings.iter().map(|(at, _)| at.expect("a place")).collect();
    assert_eq!(places, [(1, 9), (5, 20), (6, 15), (7, 1), (8, 2), (11, 8)], "{warnings:?}");
    assert_eq!(warnings[0].1, "`shell` must be a text; it keeps its default");
    assert!(warnings[2].1.contains("`esc-cr`, `lf`, `csi-u`"), "{}", warnings[2].1);
    assert_eq!(warnings[3].1, "unknown setting `layout.colour`, kept but not used");
    assert_eq!(warnings[4].1, "unknown setting `fancy`, kept but not used");
}

#[test]
fn a_column_counts_characters() {
    assert_eq!(warnings("mouse = { \"é\" = 1, capture = 2 }")[1].0, Some((1, 30)));
}

#[test]
fn a_text_that_is_no_toml_gives_the_defaults_and_one_warning() {
    let text = "shell = \"fish\"\nallow_nested = = true\n";
    let (config, warnings) = Config::parse(text);
    assert_eq!(config, Config::default());
    assert!(matches!(&warnings[..], [Warning { at: Some((2, _)), .. }]), "{warnings:?}");
}

#[test]
fn wrong_shapes_are_reported() {
    for text in [
        "sidebars = 3",
        "sidebars.left = true",
        "keybindings = []",
        "keybindings.help = 3",
        "sidebars.left.docks = [\"agents\", \"agents\"]",
        "sidebars.left.docks = [\"files\"]",
        "terminal.headless_size = [80]",
        "terminal.headless_size = [80, 24, 1]",
        "terminal.headless_size = [0, 24]",
        "terminal.headless_size = [80, 1001]",
        "confirm_close = \"Busy\"",
        "prefix = \"a\"",
        "theme = false",
    ] {
        let (config, warnings) = Config::parse(text);
        assert_eq!(warnings.len(), 1, "{text}: {warnings:?}");
        assert!(warnings[0].at.is_some(), "{text}");
        assert_eq!(config, Config::default(), "{text}");
    }
}

/// The keys of `product.md` section 9 and `spec/README.md` points 16 and 39, with their defaults.
const DOCUMENTED: &str = r#"
prefix = "ctrl+space"
preset = "luvus"
theme = "luvus-dark"
language = "en"
shell = ""
allow_nested = false
confirm_close = "busy"
agents_active_only = false
agents_this_workspace = false
[keybindings]
[direct_keybindings]
[sidebars.left]
visible = true
width = 28
docks = ["workspaces", "agents"]
[sidebars.right]
visible = false
width = 32
docks = []
[pane]
on_exit = "close"
[terminal]
headless_size = [120, 40]
checksum_reports = false
[server]
exit_when_empty = false
[session]
persist_pane_screen = true
resume_agents = "auto"
resume_launch_flags = true
[layout]
scrollback_bytes = 10485760
show_titles = true
pane_gaps = false
mobile_width = 64
new_pane_to_workspace_root = false
shift_enter = "esc-cr"
workspace_paths = true
agent_paths = true
[mouse]
capture = true
copy_on_select = true
[notifications]
bell = true
toast = true
delay_ms = 1500
sound_on_done = false
sound_on_blocked = false
terminal = false
show_text = false
command = ""
[compat]
nebula_runtime = true
pane_backend = true
psmux = false
psmux_discovery = true
agent_teams = false
term_program = "luvus"
[worktree]
branch_prefix = ""
compat_branch_prefix = "nebula/"
"#;

#[test]
fn every_documented_key_is_in_the_table_with_its_default() {
    let reader = Reader::read(DOCUMENTED);
    assert_eq!(reader.warnings, []);
    for (key, (value, _)) in &reader.values {
        assert_eq!(Setting::named(key).map(|setting| &setting.default), Some(value), "{key}");
    }
    // TOML has no room for `shell` and `shell.integration` in one text.
    let reader = Reader::read("[shell]\nintegration = true\n");
    assert_eq!(reader.warnings, []);
    assert_eq!(reader.values.len(), 1);
}

#[test]
fn the_table_is_in_order() {
    for (at, setting) in settings().iter().enumerate() {
        assert!(!setting.text.is_empty() && !setting.text.ends_with('.'), "{}", setting.key);
        assert!(settings()[..at].iter().all(|other| other.key != setting.key), "{} twice", setting.key);
        let fits = matches!(
            (&setting.kind, &setting.default),
            (Kind::Flag, Value::Flag(_))
                | (Kind::Text | Kind::Chord | Kind::Word(_), Value::Text(_))
                | (Kind::Words(_), Value::Words(_))
                | (Kind::Size, Value::Size(..))
                | (Kind::Bindings, Value::Bindings(_))
        ) || matches!((&setting.kind, &setting.default),
            (Kind::Number(least, most), Value::Number(number)) if (least..=most).contains(&number));
        assert!(fits, "{}", setting.key);
    }
}

proptest! {
    #[test]
    fn no_text_breaks_the_parser(text in "([a-z.\\[\\]\"={} \\n0-9é]|prefix|keybindings|sidebars|left){0,20}") {
        let (_, warnings) = Config::parse(&text);
        prop_assert!(warnings.len() <= text.len());
    }
}
