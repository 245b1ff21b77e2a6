//! `luvus integration`: our entry in the settings of agents, and what it tells when they run it.

use crate::support::{Home, Server, eventually};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::PathBuf;
use std::sync::Arc;

/// An agent that runs its hook with each line it reads as the news: `claude` on the standard input, `codex`
/// with the news as one more argument.
const AGENT: &str = r#"#!/bin/bash
stty -echo
printf '\033[2J\033[H❯ '
while IFS= read -r line; do
  if [ "${0##*/}" = claude ]; then
    printf '%s' "$line" | /bin/sh -c "$(cat "$HOME/hook")" > "$HOME/said" 2>&1
  else
    sh -c "$(cat "$HOME/hook")" luvus "$line" > "$HOME/said" 2>&1
  fi
  echo "$?" >> "$HOME/said"
  mv "$HOME/said" "$HOME/ran"
done
"#;

/// What Claude Code tells of.
const EVENTS: [&str; 5] = ["SessionStart", "UserPromptSubmit", "Notification", "Stop", "SessionEnd"];

fn settings(home: &Home, agent: &str) -> PathBuf {
    home.person().join(if agent == "claude" { ".claude/settings.json" } else { ".codex/config.toml" })
}

/// Settings of a person, written as people write them.
fn write(home: &Home, agent: &str, text: &str) {
    let path = settings(home, agent);
    fs::create_dir_all(path.parent().expect("a folder")).expect("made");
    fs::write(path, text).expect("written");
}

fn read(home: &Home, agent: &str) -> String {
    fs::read_to_string(settings(home, agent)).expect("the settings")
}

fn installed(home: &Home, agent: &str) -> Value {
    home.json(&["integration", "status", agent, "--json"])["integrations"][0]["installed"].clone()
}

#[test]
fn what_is_installed_goes_without_a_trace_and_what_a_person_wrote_stays() {
    let home = Home::new();
    let own = [
        (
            "claude",
            "{\n\t\"model\": \"opus\",\n\t\"hooks\": {\"Stop\": [\n  {\"hooks\": [{\"type\": \"command\", \
                    \"command\": \"say done\"}]}\n ], \"PreToolUse\": []}\n}",
        ),
        ("claude", "{\"hooks\": {}, \"env\": {\"A\": \"\\u00e9\"}}\n"),
        ("codex", "# mine\nmodel = \"o3\"   # fast\r\n\n[profiles.x]\nmodel = 'o4'\n"),
    ];
    for (agent, text) in own {
        write(&home, agent, text);
        assert_eq!(installed(&home, agent), false);
        assert_eq!(home.json(&["integration", "install", agent, "--json"])["changed"], true);
        let once = read(&home, agent);
        assert_eq!(home.json(&["integration", "install", agent, "--json"])["changed"], false);
        assert_eq!((read(&home, agent), installed(&home, agent)), (once, json!(true)), "twice is once");
        assert_eq!(home.json(&["integration", "uninstall", agent, "--json"])["changed"], true);
        assert_eq!((read(&home, agent).as_str(), installed(&home, agent)), (text, json!(false)));
        assert_eq!(home.json(&["integration", "uninstall", agent, "--json"])["changed"], false);
    }
    for agent in ["claude", "codex"] {
        fs::remove_file(settings(&home, agent)).expect("removed");
        home.ok(&["integration", "install", agent]);
        home.ok(&["integration", "uninstall", agent]);
        let folder =
            settings(&home, agent).parent().map(|folder| fs::read_dir(folder).expect("a folder").count());
        assert_eq!(folder, Some(0), "nothing is left of {agent}");
    }
}

#[test]
fn settings_that_cannot_be_understood_are_left_alone() {
    let home = Home::new();
    let bad = [
        ("claude", "{\"hooks\": "),
        ("claude", "[1]"),
        ("claude", "{\"hooks\": {\"Stop\": {}}}"),
        ("claude", "{ // a note\n}"),
        ("codex", "notify = ["),
        ("codex", "notify = [\"bell\"]\n"),
    ];
    for (agent, text) in bad {
        write(&home, agent, text);
        let told = home.fails(1, &["integration", "install", agent]);
        assert!(told.contains("is left as it is") && told.lines().count() == 1, "{told}");
        assert_eq!(read(&home, agent), text);
    }
    home.fails(64, &["integration", "install", "vim"]);
}

#[test]
fn a_link_to_settings_stays_one_and_so_does_their_mode() {
    let home = Home::new();
    let (real, link) = (home.person().join("dotfiles.json"), settings(&home, "claude"));
    fs::write(&real, "{\"a\": 1}\n").expect("written");
    fs::set_permissions(&real, fs::Permissions::from_mode(0o600)).expect("a mode");
    fs::create_dir_all(link.parent().expect("a folder")).expect("made");
    symlink(&real, &link).expect("a link");
    home.ok(&["integration", "install", "claude"]);
    assert!(fs::symlink_metadata(&link).expect("the link").is_symlink());
    assert_eq!(fs::metadata(&real).expect("the file").permissions().mode() & 0o777, 0o600);
    home.ok(&["integration", "uninstall", "claude"]);
    assert_eq!(fs::read_to_string(&real).expect("the file"), "{\"a\": 1}\n");
}

/// A server with an agent in a pane that runs the hook which `install` has written.
fn scene(kind: &str) -> (Server, Value) {
    let home = Arc::new(Home::new());
    home.ok(&["integration", "install", kind]);
    let text = read(&home, kind);
    let command = if kind == "claude" {
        let settings: Value = serde_json::from_str(&text).expect("JSON");
        let commands = EVENTS.map(|event| settings["hooks"][event][0]["hooks"][0]["command"].clone());
        assert!(commands.iter().all(|command| *command == commands[0]), "{commands:?}");
        commands[0].clone()
    } else {
        let settings: toml::Table = text.parse().expect("TOML");
        let notify = settings["notify"].as_array().expect("a program");
        assert_eq!((notify[0].as_str(), notify[1].as_str()), (Some("sh"), Some("-c")));
        json!(notify[2].as_str())
    };
    fs::write(home.person().join("hook"), command.as_str().expect("a command")).expect("written");
    let program = home.project().join(kind);
    fs::write(&program, AGENT).expect("a script");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("an executable");
    let server = Server::start_in(home);
    let pane = server.run(&[program.to_str().expect("a plain path")])["pane_id"].clone();
    server.call("agent.wait", &json!({"pane": pane, "status": "idle", "timeout_s": 15}));
    (server, pane)
}

/// Something happens in the agent: its hook says nothing and succeeds.
fn happens(server: &Server, pane: &Value, news: &Value) {
    server.call("pane.send_input", &json!({"pane": pane, "text": format!("{news}\r")}));
    let ran = server.home().person().join("ran");
    let said = eventually("the hook ran", || fs::read_to_string(&ran).ok());
    assert_eq!(said, "0\n", "{news}");
    fs::remove_file(ran).expect("removed");
}

/// The state of the pane's agent, and what it rests on.
fn told(server: &Server, pane: &Value) -> (Value, Value) {
    let told = server.call("agent.explain", &json!({"pane": pane}));
    let row = server.call("agent.get", &json!({"target": pane}));
    (row["status"].clone(), told["state_source"].clone())
}

#[test]
fn claude_code_tells_how_its_turns_go() {
    let (server, pane) = scene("claude");
    let event = |name: &str| json!({"hook_event_name": name, "session_id": "c-1", "cwd": "/"});
    happens(&server, &pane, &event("SessionStart"));
    let sessions = server.call("session.snapshot", &json!({}))["workspaces"].to_string();
    assert!(sessions.contains("c-1"), "{sessions}");
    for (news, status) in [
        (event("UserPromptSubmit"), "working"),
        (
            json!({"hook_event_name": "Notification", "message": "Claude needs your permission to use Bash"}),
            "blocked",
        ),
        (event("UserPromptSubmit"), "working"),
        (event("Stop"), "done"),
    ] {
        happens(&server, &pane, &news);
        assert_eq!(told(&server, &pane), (json!(status), json!("integration_report")), "{news}");
    }
    happens(&server, &pane, &event("SessionEnd"));
    assert_ne!(told(&server, &pane).1, "integration_report", "the screen is the witness again");
    let sessions = server.call("session.snapshot", &json!({}))["workspaces"].to_string();
    assert!(!sessions.contains("c-1"), "{sessions}");
    // what is no news does no harm
    happens(&server, &pane, &json!("x"));
    server.stop();
}

#[test]
fn codex_tells_that_a_turn_is_over() {
    let (server, pane) = scene("codex");
    happens(&server, &pane, &json!({"type": "agent-turn-complete", "thread-id": "x-1", "turn-id": "1"}));
    assert_eq!(told(&server, &pane), (json!("done"), json!("integration_report")));
    assert!(server.call("session.snapshot", &json!({}))["workspaces"].to_string().contains("x-1"));
    server.stop();
}

#[test]
fn outside_of_a_pane_a_hook_does_nothing() {
    let home = Home::new();
    home.ok(&["integration", "install", "claude"]);
    let settings: Value = serde_json::from_str(&read(&home, "claude")).expect("JSON");
    let command = settings["hooks"]["Stop"][0]["hooks"][0]["command"].as_str().expect("a command").to_owned();
    let output = home.command("/bin/sh").args(["-c", &command]).output().expect("a shell");
    assert!(output.status.success() && output.stdout.is_empty() && output.stderr.is_empty(), "{output:?}");
}
