//! Mission Control: all agents at once, read and answered from there, without opening their panes.

use crate::support::{Home, Server, Terminal, eventually};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;

/// A program that looks like an agent which waits for an approval, and says what it was answered.
fn fake_agent(home: &Home) {
    let screen = fs::read_to_string("tests/agents/claude-blocked-permission.txt").expect("a screen");
    let script = format!(
        "#!/bin/sh\nstty -echo -icanon\ncat <<'END'\n{screen}\nEND\nanswer=$(dd bs=1 count=1 2>/dev/null)\n\
         clear\necho answered-$answer\ncat >/dev/null\n"
    );
    let path = home.project().join("claude");
    fs::write(&path, script).expect("written");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("made a program");
}

#[test]
fn a_blocked_agent_is_found_read_and_answered_without_its_pane() {
    let home = Home::new();
    fake_agent(&home);
    let terminal = Terminal::attach_sized(&home, (140, 40));
    terminal.line("./claude");
    terminal.wait_for("its state on the status bar", |screen| screen.status().contains("◆ 1 blocked"));
    terminal.prefix("c");
    home.peer().wait_for_shape("1 / (2)");
    terminal.wait_for_text("ready>");
    terminal.prefix("m");
    terminal.wait_for_text("Mission Control");
    terminal.wait_for("its question", |screen| screen.has("Remove the build folder"));
    terminal.send("k");
    terminal.wait_for_text("keys   ›");
    terminal.send("1\r");
    terminal.send("r");
    terminal.wait_for("what it was answered", |screen| screen.has("answered-1"));
    // Keys that are none send nothing.
    terminal.send("kno-such-key\r");
    terminal.wait_for_text("is no key");
    terminal.send("\x1b");
    terminal.wait_for_no_text("keys   ›");
    terminal.send("\r");
    terminal.wait_for_no_text("Mission Control");
    home.peer().wait_for_shape("(1) / 2");
    terminal.wait_for_text("answered-1");
    home.stop();
}

#[test]
fn the_next_that_waits_is_a_key_away() {
    let home = Home::new();
    fake_agent(&home);
    let terminal = Terminal::attach(&home);
    terminal.line("./claude");
    terminal.wait_for("its state on the status bar", |screen| screen.status().contains("◆ 1 blocked"));
    terminal.prefix("c");
    home.peer().wait_for_shape("1 / (2)");
    terminal.prefix(".");
    home.peer().wait_for_shape("(1) / 2");
    terminal.prefix(">");
    terminal.wait_for_text("no agent is done");
    home.stop();
}

/// An agent of that name that shows a screen of its kind for each line that it reads, and what it was answered.
fn stage_agent(home: &Home, kind: &str) -> String {
    let screen = |state: &str| {
        let name = format!("tests/agents/{kind}-{state}.txt");
        fs::read_to_string(name).expect("a screen")
    };
    let (idle, working) = (screen("idle"), screen("working"));
    let blocked = screen("blocked-permission");
    let other = blocked.replace("build", "everything");
    let script = format!(
        "#!/bin/sh\nstty -echo\nidle() {{ cat <<'END'\n{idle}\nEND\n}}\nworking() {{ cat <<'END'\n{working}\nEND\n}}\n\
         blocked() {{ cat <<'END'\n{blocked}\nEND\n}}\nother() {{ cat <<'END'\n{other}\nEND\n}}\n\
         show() {{ printf '\\033[2J\\033[H'; \"$1\"; }}\nshow \"${{1:-idle}}\"\n\
         while read -r line; do case \"$line\" in\n  work|ask|other|rest) ;;\n  *) echo \"$line\" >> \"$LUVUS_HOME/answered\";;\n esac\n\
         case \"$line\" in ask) show blocked;; other) show other;; rest) show idle;; *) show working;; esac; done\n"
    );
    let path = home.project().join(kind);
    fs::write(&path, script).expect("written");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("made a program");
    path.to_str().expect("a plain path").to_owned()
}

/// Six agents in three workspaces, one of which waits; the focus is on a shell in a fourth.
fn six_agents() -> (Server, Value) {
    let server = Server::start();
    server.first();
    let home = server.home();
    let programs = [stage_agent(home, "claude"), stage_agent(home, "codex")];
    let mut waits = Value::Null;
    let places = [("web", ["idle", "blocked"]), ("docs", ["working", "idle"]), ("api", ["idle", "working"])];
    for (place, states) in places {
        let root = home.project().join(place);
        fs::create_dir(&root).expect("a folder");
        let opened = server.call("workspace.open", &json!({"path": root, "focus": false}));
        for (program, state) in programs.iter().zip(states) {
            let tab =
                json!({"workspace_id": opened["workspace_id"], "command": [program, state], "focus": false});
            let made = server.call("tab.new", &tab);
            let wanted = json!({"pane": made["pane"], "status": state, "timeout_s": 15});
            let waited = server.call("agent.wait", &wanted);
            assert_eq!(waited["matched"], true, "{state} in {place}");
            if state == "blocked" {
                waits = made["pane"].clone();
            }
        }
    }
    (server, waits)
}

fn answered(home: &Home) -> Option<String> {
    fs::read_to_string(home.path().join("answered")).ok().filter(|text| text.ends_with('\n'))
}

#[test]
fn of_six_agents_in_three_workspaces_the_one_that_waits_is_found_read_and_answered_by_keys() {
    let (server, waits) = six_agents();
    let home = server.home();
    for size in [(120, 40), (80, 24), (40, 12)] {
        let asks = json!({"pane": waits, "status": "blocked", "timeout_s": 15});
        assert_eq!(server.call("agent.wait", &asks)["matched"], true);
        let terminal = Terminal::luvus(home, size, &[]);
        terminal.wait_for("who needs somebody", |screen| screen.has("◆ 1"));
        let focused = server.call("pane.current", &json!({}))["pane"].clone();
        // It is the first row and chosen, and its question is there to be read.
        terminal.prefix("m");
        terminal.wait_for("what it wants, and the choices", |screen| {
            screen.has("$ rm -rf build") && screen.has("1. Yes, proceed")
        });
        terminal.send("k");
        terminal.wait_for_text("keys   ›");
        terminal.send("y Enter\r");
        assert_eq!(eventually("it is answered", || answered(home)), "y\n");
        terminal.wait_for("nobody waits any more", |screen| screen.has("◆ 0"));
        terminal.send("\x1b");
        terminal.wait_for_no_text("Mission Control");
        assert_eq!(server.call("pane.current", &json!({}))["pane"], focused, "its pane was never opened");
        drop(terminal);
        fs::remove_file(home.path().join("answered")).expect("removed");
        server.call("pane.send_input", &json!({"pane": waits, "text": "ask\r"}));
    }
    server.stop();
}

#[test]
fn an_answer_to_a_screen_that_has_changed_is_refused() {
    let (server, waits) = six_agents();
    let home = server.home();
    let terminal = Terminal::luvus(home, (80, 24), &[]);
    terminal.wait_for("who needs somebody", |screen| screen.has("◆ 1"));
    terminal.prefix("m");
    terminal.wait_for("its question", |screen| screen.has("$ rm -rf build"));
    terminal.send("k");
    terminal.wait_for_text("keys   ›");
    terminal.send("y Enter");
    // While the person reads and types, another question takes the place of the one that is shown.
    server.call("pane.send_input", &json!({"pane": waits, "text": "other\r"}));
    eventually("it asks something else", || {
        let read = server.call("agent.read", &json!({"target": waits}));
        read["text"].as_str().is_some_and(|text| text.contains("rm -rf everything")).then_some(())
    });
    terminal.wait_for("what is answered stays what was read", |screen| screen.has("$ rm -rf build"));
    terminal.send("\r");
    terminal.wait_for_text("the screen has changed meanwhile; nothing was sent");
    terminal.wait_for("the question that it asks now", |screen| screen.has("$ rm -rf everything"));
    assert_eq!(answered(home), None);
    // Read again, it can be answered.
    terminal.send("k");
    terminal.wait_for_text("keys   ›");
    terminal.send("a Enter\r");
    assert_eq!(eventually("it is answered", || answered(home)), "a\n");
    drop(terminal);
    server.stop();
}

#[test]
fn a_conversation_that_runs_nowhere_is_listed_and_goes_on_in_its_workspace() {
    let home = Home::with_config("shell = \"/bin/bash\"\n");
    let script = "#!/bin/sh\necho \"${0##*/} $*\" >> \"$LUVUS_HOME/started\"\nstty -echo\nprintf '\\033[2J\\033[H❯ '\ncat\n";
    let program = home.project().join("claude");
    fs::write(&program, script).expect("a script");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("an executable");
    let profile = format!("PATH={}:$PATH; export PATH; PS1='ready> '\n", home.project().display());
    fs::write(home.person().join(".bashrc"), profile).expect("a profile");
    let id = "0b1c2d3e-0000-4000-8000-000000000001";
    let folder = home.person().join(".claude/projects/-work");
    fs::create_dir_all(&folder).expect("a folder");
    let lines = [
        json!({"type": "summary", "summary": "Mend the lexer"}),
        json!({"type": "user", "cwd": home.project()}),
        json!({"requestId": "r", "message": {"id": "a", "model": "m", "usage": {"input_tokens": 1_200, "output_tokens": 300}}}),
    ];
    fs::write(folder.join(format!("{id}.jsonl")), lines.map(|line| line.to_string()).join("\n"))
        .expect("written");
    let terminal = Terminal::attach_sized(&home, (110, 30));
    terminal.wait_for("it is in the dock", |screen| screen.has("▸ claude") && screen.has("Mend the lexer"));
    // The filter takes it away and brings it back.
    terminal.prefix("a");
    terminal.wait_for("the dock's keys", |screen| screen.status().contains("f filter"));
    terminal.send("f");
    terminal.wait_for_no_text("Mend the lexer");
    terminal.send("f");
    terminal.wait_for_text("Mend the lexer");
    // What can be done with it, and then it is done.
    terminal.send("a");
    terminal.wait_for_text("Go on with it");
    terminal.send("\r");
    let started = eventually("it goes on", || {
        fs::read_to_string(home.path().join("started")).ok().filter(|text| text.ends_with('\n'))
    });
    assert_eq!(started, format!("claude --resume {id}\n"));
    terminal.wait_for_no_text("▸ claude");
    eventually("it is known by its conversation", || {
        let list = home.peer().call("agent.list", &json!({}));
        (list["agents"][0]["session"] == id).then_some(())
    });
    // What it used is read when Mission Control asks.
    terminal.prefix("m");
    terminal.wait_for("its counters", |screen| screen.has("1.5k") && screen.has("tokens 1.5k  ·  cost —"));
    home.stop();
}
