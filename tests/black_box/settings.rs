//! Settings of a running server: shown, changed, read again.

use crate::support::terminal::Screen;
use crate::support::{Home, Server, Terminal, eventually};
use serde_json::json;

#[test]
fn a_patch_is_in_force_at_once_and_written_with_the_comments_kept() {
    let server = Server::with_config("# mine\nconfirm_close = \"never\" # always sure\n");
    server.first();
    let shown = server.call("config.get", &json!({}));
    assert_eq!((&shown["type"], &shown["config"]["confirm_close"]), (&json!("config"), &json!("never")));
    assert_eq!(shown["config"]["layout.scrollback_bytes"], 10_485_760);
    let (mut stream, _) = server.peer().stream("events.subscribe", &json!({}));

    let patch = json!({"pane": {"on_exit": "hold"}, "confirm_close": "busy"});
    let patched = server.call("config.patch", &json!({"patch": patch}));
    assert_eq!(patched["config"]["pane.on_exit"], "hold");
    assert_eq!(stream.event("config.changed")["data"], json!({}));
    server.call("tab.new", &json!({"command": ["/bin/true"]}));
    stream.event("terminal.exited");
    assert_eq!(server.terminals().len(), 2, "held by the new setting");

    // read again it says the same: what is not written yet does not get lost
    let reloaded = server.call("server.reload_config", &json!({}));
    assert_eq!(reloaded["config"], patched["config"]);
    let text = std::fs::read_to_string(server.home().path().join("config.toml")).expect("the file");
    assert!(text.starts_with("# mine\nconfirm_close = \"busy\" # always sure\n"), "{text}");

    for bad in [
        json!({"pane": {"on_exit": "sometimes"}, "confirm_close": "always"}),
        json!({"no_such": 1}),
        json!({"theme": null}),
        json!({"keybindings": {"split_right": "v", "split_down": "v"}}),
    ] {
        let params = json!({"patch": bad});
        assert_eq!(server.peer().refusal("config.patch", &params), "invalid_params", "{bad}");
    }
    assert_eq!(server.call("config.get", &json!({}))["config"], patched["config"], "nothing of it was taken");
    server.stop();
}

#[test]
fn a_file_is_read_again_unless_it_is_broken() {
    let server = Server::with_config("confirm_close = \"never\"\n");
    server.first();
    server.home().write_config("confirm_close = \"always\"\nlanguage = 7\n");
    let reloaded = server.call("server.reload_config", &json!({}));
    assert_eq!(reloaded["config"]["confirm_close"], "always");
    assert_eq!(reloaded["warnings"].as_array().map(Vec::len), Some(1), "{reloaded}");
    server.home().write_config("confirm_close = \n");
    assert_eq!(server.peer().refusal("server.reload_config", &json!({})), "unavailable");
    assert_eq!(server.call("config.get", &json!({}))["config"]["confirm_close"], "always");
    let stale = json!({"patch": {"theme": "x"}, "if_revision": 1});
    assert_eq!(server.peer().refusal("config.patch", &stale), "revision_conflict");
    server.stop();
}

#[test]
fn a_change_that_cannot_be_written_is_told_and_holds_nobody_up() {
    let server = Server::with_config("confirm_close = \"never\"\n");
    server.first();
    let terminal = Terminal::attach_sized(server.home(), (200, 30));
    terminal.wait_for_text("ready>");
    let broken = "# mine\n[layout\n";
    server.home().write_config(broken);
    let patched = server.call("config.patch", &json!({"patch": {"allow_nested": true}}));
    assert_eq!(patched["config"]["allow_nested"], true);
    terminal.wait_for_text("this change is in force, and config.toml cannot be written");
    assert_eq!(server.peer().refusal("server.reload_config", &json!({})), "unavailable");
    let file = server.home().path().join("config.toml");
    assert_eq!(std::fs::read_to_string(&file).expect("the file"), broken);
    // Once it is mended both are in it, whether or not it is read again.
    server.home().write_config("# mine\n[layout]\nshow_titles = false\n");
    let reloaded = server.call("server.reload_config", &json!({}));
    assert_eq!(reloaded["config"]["allow_nested"], true);
    assert_eq!(reloaded["config"]["layout.show_titles"], false);
    eventually("the change is written", || {
        std::fs::read_to_string(&file).ok().filter(|text| text.contains("allow_nested = true"))
    });
    server.stop();
}

#[test]
fn a_change_outlives_the_server_that_made_it() {
    let server = Server::start();
    server.first();
    server.call("config.patch", &json!({"patch": {"theme": "terminal"}}));
    let file = server.home().path().join("config.toml");
    server.call("server.stop", &json!({}));
    eventually("the change is written", || {
        std::fs::read_to_string(&file).ok().filter(|text| text.contains("theme = \"terminal\""))
    });
}

#[test]
fn attached_clients_take_changed_settings_over() {
    let server = Server::start();
    server.first();
    let terminal = Terminal::attach(server.home());
    terminal.wait_for_text("ready>");
    assert!(terminal.written().contains("\x1b[?1006h") && !terminal.written().contains("\x1b[?1006l"));
    terminal.wait_for("the sidebar", |screen| screen.has("WORKSPACES"));
    let patch = json!({
        "sidebars": {"left": {"visible": false}},
        "mouse": {"capture": false},
        "keybindings": {"split_right": "w"},
    });
    server.call("config.patch", &json!({"patch": patch}));
    terminal.wait_for("a screen without a sidebar", |screen| !screen.has("WORKSPACES"));
    eventually("no reports of the mouse", || terminal.written().contains("\x1b[?1006l").then_some(()));
    let panes = server.call("pane.list", &json!({}))["panes"].as_array().map(Vec::len);
    terminal.prefix("w");
    eventually("another pane by the new key", || {
        let now = server.call("pane.list", &json!({}))["panes"].as_array().map(Vec::len);
        (now > panes).then_some(())
    });
    // and from the file
    server.home().write_config("[sidebars.left]\nvisible = true\n");
    server.call("server.reload_config", &json!({}));
    terminal.wait_for("the sidebar again", |screen| screen.has("WORKSPACES"));
    drop(terminal);
    server.stop();
}

#[test]
fn a_theme_is_taken_by_name_in_what_is_attached() {
    let home = Home::with_config("# mine\n");
    let terminal = Terminal::attach(&home);
    terminal.wait_for_text("ready>");
    let ground = |screen: &Screen| screen.raw().cell(0, 1).map(vt100::Cell::bgcolor);
    let dark = terminal.look(ground);
    home.ok(&["theme", "use", "luvus-light"]);
    terminal.wait_for("another ground", |screen| ground(screen) != dark);
    let text = std::fs::read_to_string(home.path().join("config.toml")).expect("the file");
    assert!(text.starts_with("# mine\n") && text.contains("theme = \"luvus-light\""), "{text}");
    let message = home.fails(1, &["theme", "use", "no-such"]);
    assert!(message.contains("luvus theme list"), "{message}");
    let listed = home.json(&["theme", "list", "--json"]);
    let active = listed["themes"].as_array().expect("themes").iter().filter(|theme| theme["active"] == true);
    assert_eq!(active.map(|theme| theme["name"].clone()).collect::<Vec<_>>(), ["luvus-light"]);
    home.stop();
}
