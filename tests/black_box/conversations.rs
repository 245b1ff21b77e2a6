//! Conversations of agents: they come back after a restart by their exact ids, once each; and what the
//! command line and Mission Control say of agents.

use crate::support::{Home, Server, Terminal, eventually};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::sync::Arc;

/// An agent that notes how it was started, and shows that it takes a prompt.
const AGENT: &str = "#!/bin/sh\necho \"${0##*/} $*\" >> \"$LUVUS_HOME/started\"\nstty -echo\n\
    printf '\\033[2J\\033[H❯ '\nwhile read -r line; do printf '\\033[2J\\033[H● %s\\n\\n❯ ' \"$line\"; done\n";

/// A home whose shells find the agents.
fn home(config: &str) -> Arc<Home> {
    let home = Home::with_config(&format!("shell = \"/bin/bash\"\n{config}"));
    for name in ["claude", "codex"] {
        let path = home.project().join(name);
        fs::write(&path, AGENT).expect("a script");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("an executable");
    }
    let profile = format!("PATH={}:$PATH; export PATH\n", home.project().display());
    fs::write(home.person().join(".bashrc"), profile).expect("a profile");
    Arc::new(home)
}

/// How the agents were started, once there were so many.
fn started(home: &Home, count: usize) -> Vec<String> {
    eventually(&format!("{count} agents start"), || {
        let text = fs::read_to_string(home.path().join("started")).ok()?;
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        (lines.len() >= count).then_some(lines)
    })
}

/// An agent in a pane of its own, with that conversation.
fn agent(server: &Server, kind: &str, args: &[&str], session: &str) -> Value {
    let program = server.home().project().join(kind);
    let command: Vec<&str> =
        [program.to_str().expect("a plain path")].into_iter().chain(args.iter().copied()).collect();
    let pane = server.run(&command)["pane_id"].clone();
    server.call("agent.wait", &json!({"pane": pane, "status": "idle", "timeout_s": 15}));
    server.call("pane.report_session", &json!({"pane": pane, "agent": kind, "session_id": session}));
    pane
}

/// An id as people write it.
fn plain(pane: &Value) -> String {
    pane.as_str().map_or_else(|| pane.to_string(), str::to_owned)
}

/// Waits until the snapshot holds so many conversations.
fn kept(home: &Home, ids: &[&str]) {
    eventually("the conversations are kept", || {
        let text = fs::read_to_string(home.path().join("session.json")).ok()?;
        ids.iter().all(|id| text.contains(&format!("\"session\":\"{id}\""))).then_some(())
    });
}

fn problems(server: &Server) -> Vec<String> {
    let report = server.call("session.report", &json!({}));
    let problems = report["problems"].as_array().expect("a list").iter();
    problems.map(|problem| problem["text"].as_str().expect("a text").to_owned()).collect()
}

#[test]
fn agents_come_back_with_their_conversations_and_flags() {
    let home = home("");
    let server = Server::start_in(Arc::clone(&home));
    agent(&server, "claude", &["--model", "opus", "mend it"], "c-1");
    agent(&server, "codex", &[], "x-1");
    kept(&home, &["c-1", "x-1"]);
    server.stop();
    let snapshot = fs::read_to_string(home.path().join("session.json")).expect("a snapshot");
    assert!(!snapshot.contains("mend it"), "a prompt is not for the disk");
    fs::remove_file(home.path().join("started")).expect("removed");
    let server = Server::start_in(Arc::clone(&home));
    let mut lines = started(&home, 2);
    lines.sort();
    assert_eq!(lines, ["claude --resume c-1 --model opus", "codex resume x-1"]);
    eventually("both have their conversations again", || {
        let list = server.call("agent.list", &json!({}));
        let mut sessions: Vec<&str> =
            list["agents"].as_array()?.iter().filter_map(|row| row["session"].as_str()).collect();
        sessions.sort_unstable();
        (sessions == ["c-1", "x-1"]).then_some(())
    });
    assert_eq!(problems(&server), Vec::<String>::new());
    assert_eq!(server.peer().refusal("agent.resume", &json!({"id": "c-1"})), "ownership_conflict");
    server.stop();
}

#[test]
fn a_conversation_that_two_panes_had_goes_on_in_neither() {
    let home = home("");
    let server = Server::start_in(Arc::clone(&home));
    let one = agent(&server, "claude", &[], "c-1");
    let two = agent(&server, "claude", &[], "c-1");
    agent(&server, "codex", &[], "x-1");
    kept(&home, &["c-1", "x-1"]);
    server.stop();
    fs::remove_file(home.path().join("started")).expect("removed");
    let server = Server::start_in(Arc::clone(&home));
    assert_eq!(started(&home, 1), ["codex resume x-1"]);
    let told = problems(&server);
    assert_eq!(told.len(), 2, "{told:?}");
    for pane in [one, two] {
        assert!(
            told.iter().any(|text| text.starts_with(&format!("pane {}: another pane", plain(&pane)))),
            "{told:?}"
        );
    }
    server.stop();
}

#[test]
fn whoever_wants_to_be_asked_is_asked() {
    let home = home("[session]\nresume_agents = \"ask\"\n");
    let server = Server::start_in(Arc::clone(&home));
    let pane = agent(&server, "claude", &[], "c-1");
    kept(&home, &["c-1"]);
    server.stop();
    fs::remove_file(home.path().join("started")).expect("removed");
    // It is not lost by a second restart without a word.
    Server::start_in(Arc::clone(&home)).stop();
    let server = Server::start_in(Arc::clone(&home));
    assert_eq!(problems(&server).len(), 1);
    assert_eq!(server.call("agent.list", &json!({}))["agents"], json!([]));
    server.call("session.retry", &json!({"pane": pane}));
    assert_eq!(started(&home, 1), ["claude --resume c-1"]);
    assert_eq!(problems(&server), Vec::<String>::new());
    server.stop();
}

#[test]
fn conversations_of_the_agents_own_stores_are_listed_and_gone_on_with() {
    let home = home("");
    let id = "0b1c2d3e-0000-4000-8000-000000000001";
    let folder = home.person().join(".claude/projects/-work");
    fs::create_dir_all(&folder).expect("a folder");
    let line = json!({"type": "user", "cwd": home.project()}).to_string();
    fs::write(folder.join(format!("{id}.jsonl")), line).expect("written");
    let server = Server::start_in(Arc::clone(&home));
    let sessions = server.call("agent.sessions", &json!({}));
    let wanted = json!([{"id": id, "agent": "claude", "cwd": home.project(), "title": null, "pane": null}]);
    assert_eq!(sessions["sessions"], wanted);
    assert!(home.ok(&["agent", "sessions"]).contains(id));
    home.ok(&["agent", "resume", id]);
    assert_eq!(started(&home, 1), [format!("claude --resume {id}")]);
    home.fails(1, &["agent", "resume", id]);
    server.stop();
}

#[test]
fn the_command_line_tells_of_agents_by_its_exit_codes() {
    let home = home("");
    let server = Server::start_in(Arc::clone(&home));
    let pane = plain(&agent(&server, "claude", &[], "c-1"));
    assert!(home.ok(&["agent", "get", "claude"]).contains("session: c-1"));
    assert_eq!(home.json(&["agent", "explain", "claude", "--json"])["status"], "idle");
    home.ok(&["agent", "name", "ana", "--pane", &pane]);
    assert_eq!(home.ok(&["agent", "prompt", "ana", "hello"]), "queued\n");
    home.ok(&["agent", "keys", "ana", "y", "enter"]);
    home.fails(1, &["agent", "keys", "ana", "no-such-key"]);
    home.fails(2, &["agent", "get", "nobody"]);
    assert_eq!(home.ok(&["wait", "agent-status", &pane, "--status", "idle,done"]), "idle\n");
    home.fails(2, &["wait", "agent-status", &pane, "--status", "blocked", "--timeout", "0"]);
    home.fails(2, &["wait", "agent-status", "99", "--status", "idle"]);
    home.fails(64, &["wait", "agent-status", &pane, "--status", "bored"]);
    home.fails(64, &["agent", "report", "--source", "h", "--agent", "claude", "--status", "idle"]);
    let lease = ["--pane", &pane, "--source", "hook"];
    let status = ["--agent", "claude", "--status", "blocked"];
    home.ok(&[&["agent", "report"], &lease[..], &status[..]].concat());
    assert!(home.ok(&["mission", "show", "--all"]).contains("blocked"));
    home.ok(&[&["agent", "release"], &lease[..]].concat());
    home.fails(1, &["agent", "start", "bea", "--kind", "nova"]);
    server.stop();
}

#[test]
fn mission_control_opens_where_people_are() {
    let home = home("");
    let server = Server::start_in(Arc::clone(&home));
    let terminal = Terminal::luvus(&home, (100, 30), &[]);
    terminal.wait_for_text("WORKSPACES");
    assert_eq!(server.call("mission.open", &json!({})), json!({"type": "ok", "mission": true}));
    terminal.wait_for_text("Mission Control · all workspaces");
    home.ok(&["mission", "open", "--workspace", "0"]);
    terminal.wait_for_text("Mission Control · this workspace");
    home.fails(2, &["mission", "open", "--workspace", "7"]);
    drop(terminal);
    server.stop();
}

#[test]
fn a_notification_runs_the_users_command_without_what_was_said() {
    let told = "$LUVUS_NOTIFICATION pane=$LUVUS_PANE_ID text=$LUVUS_NOTIFICATION_TEXT";
    let config =
        format!("[notifications]\ndelay_ms = 0\ncommand = 'echo \"{told}\" >> \"$LUVUS_HOME/told\"'\n");
    let home = home(&config);
    let server = Server::start_in(Arc::clone(&home));
    let report = "printf '\\033]7501;state=blocked:msg=UHJvY2VlZD8=\\007'; cat";
    let pane = server.script(report).0["pane_id"].clone();
    let text = eventually("the command has run", || {
        fs::read_to_string(home.path().join("told")).ok().filter(|text| text.ends_with('\n'))
    });
    assert_eq!(text, format!("blocked pane={} text=\n", plain(&pane)));
    server.stop();
}

#[test]
fn the_end_of_a_lease_is_no_end_of_what_the_program_reports() {
    let server = Server::start();
    let pane = server.script("printf '\\033]7501;state=blocked\\007'; cat").0["pane_id"].clone();
    let waits = |status: &str| {
        let params = json!({"pane": pane, "status": status, "timeout_s": 15});
        assert_eq!(server.call("agent.wait", &params)["matched"], true, "{status}");
    };
    waits("blocked");
    let report = json!({"pane": pane, "source": "hook", "agent": "claude", "status": "working"});
    server.call("agent.report", &report);
    waits("working");
    server.call("agent.release", &json!({"pane": pane, "source": "hook"}));
    waits("blocked");
    server.stop();
}

#[test]
fn the_settings_screen_installs_an_integration_and_takes_it_away() {
    let home = Home::new();
    let terminal = Terminal::attach(&home);
    let settings = home.person().join(".claude/settings.json");
    terminal.prefix("=");
    terminal.wait_for_text("General");
    for _ in 0..4 {
        terminal.send("\t");
    }
    terminal.wait_for("both agents", |screen| {
        screen.has("Claude Code tells of its conversations") && screen.find_all("not installed").len() == 2
    });
    terminal.send("\r");
    terminal.wait_for_text("written; agents that start from now on go by it");
    assert!(fs::read_to_string(&settings).is_ok_and(|text| text.contains("integration hook claude")));
    assert!(home.ok(&["integration", "status", "claude"]).contains("yes"));
    terminal.send("\r");
    terminal.wait_for("neither", |screen| screen.find_all("not installed").len() == 2);
    assert!(!settings.exists(), "without a trace");
    // What cannot be understood is left alone, and the person is told why.
    fs::write(&settings, "not json").expect("written");
    terminal.send("\r");
    terminal.wait_for_text("is left as it is");
    assert_eq!(fs::read_to_string(&settings).ok().as_deref(), Some("not json"));
    home.stop();
}

#[test]
fn missions_tell_what_is_known_of_costs_and_nothing_else() {
    let server = Server::start();
    server.first();
    let pane = server.script("printf '\\033]7501;state=working:app=job\\007'; cat").0["pane_id"].clone();
    let waits = json!({"pane": pane, "status": "working", "timeout_s": 15});
    assert_eq!(server.call("agent.wait", &waits)["matched"], true);
    let mission = || server.call("mission.snapshot", &json!({"scope": "all"}));
    let told = mission();
    assert_eq!((&told["rows"][0]["usage"], &told["summary"]["burn_per_hour"]), (&Value::Null, &Value::Null));
    let report = |cost: Value, minute: u64| {
        let usage = json!({
            "model": "m", "tokens_in": 1_000, "tokens_out": 500, "cache_read": 0, "cache_write": 0, "cost": cost,
            "context": 0.42, "updated_at": 1 + minute * 60_000,
        });
        let params = json!({"pane": pane, "agent": "claude", "session_id": "c-1", "usage": usage});
        server.call("pane.report_session", &params);
    };
    report(json!(1.0), 0);
    let told = mission();
    let usage = &told["rows"][0]["usage"];
    assert_eq!((&usage["context"], &usage["cost"]), (&json!(0.42), &json!(1.0)));
    assert_eq!(told["summary"]["tokens"], 1_500);
    assert_eq!(told["summary"]["burn_per_hour"], Value::Null, "one sample is no rate");
    report(json!(1.5), 30);
    assert_eq!(mission()["summary"]["burn_per_hour"], 1.0);
    // A counter that began anew cannot be compared with what was before.
    report(json!(0.1), 40);
    assert_eq!(mission()["summary"]["burn_per_hour"], Value::Null);
    let attached = Terminal::attach_sized(server.home(), (120, 40));
    attached.prefix("m");
    attached.wait_for("its counters", |screen| {
        screen.has("42%") && screen.has("tokens 1.5k  ·  cost 0.10  ·  burn —/h")
    });
    drop(attached);
    server.stop();
}
