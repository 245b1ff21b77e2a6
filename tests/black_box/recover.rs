//! Damage: servers that are killed at any moment, disks that are full, starts that race, and what the
//! logs say of it all.
//!
//! The long runs: `cargo test --test black_box recover:: -- --ignored`.

use crate::support::server::with;
use crate::support::{Home, Server, Terminal, eventually, processes};
use rustix::process::Signal;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The structure is on disk a second after a change (`spec/README.md` point 33).
const SAVED: Duration = Duration::from_secs(1);

/// A number that nobody can foresee.
fn chance(below: u64) -> u64 {
    let mut bytes = [0; 8];
    getrandom::fill(&mut bytes).expect("random bytes");
    u64::from_le_bytes(bytes) % below
}

fn tab_names(server: &Server) -> Vec<String> {
    let tabs = server.call("tab.list", &json!({}));
    let names = tabs["tabs"].as_array().expect("a list").iter();
    names.map(|tab| tab["name"].as_str().expect("a name").to_owned()).collect()
}

/// Makes tabs while a pane floods, and kills the server at some moment.
fn kill_under_load(rounds: u32) {
    for round in 0..rounds {
        let home = Arc::new(Home::new());
        let mut server = Server::start_in(Arc::clone(&home));
        server.run(&["/bin/sh", "-c", "while :; do echo flood; done"]);
        let before = tab_names(&server).len();
        let lasts = Duration::from_millis(200 + chance(1_300));
        let (began, mut made) = (Instant::now(), Vec::new());
        while began.elapsed() < lasts {
            let name = format!("tab-{}", made.len());
            server.call("tab.new", &json!({"focus": false}));
            let position = before + made.len() + 1;
            server.call("tab.rename", &json!({"tab": position, "name": name}));
            made.push((began.elapsed(), name));
            if made.len() > 60 {
                break;
            }
        }
        let killed = began.elapsed();
        server.signal(Signal::KILL);
        server.wait();
        processes::end_all(&home.path());
        let server = Server::start_in(Arc::clone(&home));
        let back = tab_names(&server);
        let old: Vec<&String> =
            made.iter().filter(|(at, _)| *at + SAVED < killed).map(|(_, name)| name).collect();
        for name in &old {
            assert!(back.contains(name), "round {round}: {name} of {} is not back: {back:?}", made.len());
        }
        server.stop();
    }
}

#[test]
fn a_kill_at_any_moment_costs_a_second_at_most() {
    kill_under_load(2);
}

#[test]
#[ignore = "takes a minute"]
fn twenty_kills_at_any_moment_cost_a_second_each_at_most() {
    kill_under_load(20);
}

fn race(rounds: u32) {
    let home = Home::new();
    for round in 0..rounds {
        let outputs: Vec<_> = std::thread::scope(|scope| {
            let racers = [(); 2].map(|()| scope.spawn(|| home.run(&["server", "start"])));
            racers.into_iter().map(|racer| racer.join().expect("it ends")).collect()
        });
        assert!(outputs.iter().all(|output| output.status.success()), "round {round}: {outputs:?}");
        assert_eq!(processes::servers(&home.path()).len(), 1, "round {round}");
        home.stop();
    }
}

#[test]
fn of_two_starts_at_once_one_serves_and_both_succeed() {
    race(4);
}

#[test]
#[ignore = "takes a minute"]
fn of_two_starts_at_once_one_serves_fifty_times() {
    race(50);
}

/// A small disk of a test's own.
struct Disk(PathBuf);

impl Disk {
    /// None where a test may not mount one.
    fn mount(folder: &Path) -> Option<Self> {
        std::fs::create_dir_all(folder).ok()?;
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", "size=256k,mode=0700", "tmpfs"]).arg(folder);
        let mounted = mount.output().is_ok_and(|output| output.status.success());
        if !mounted {
            eprintln!("skipped: this test may not mount a disk");
        }
        mounted.then(|| Self(folder.to_owned()))
    }

    fn fill(&self) {
        let mut file = std::fs::File::create(self.0.join("filler")).expect("a file");
        while std::io::Write::write_all(&mut file, &[0; 4_096]).is_ok() {}
        while std::io::Write::write_all(&mut file, &[0]).is_ok() {}
    }

    fn free(&self) {
        std::fs::remove_file(self.0.join("filler")).expect("removed");
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        processes::end_all(&self.0);
        let _ = Command::new("umount").arg("-l").arg(&self.0).output();
    }
}

#[test]
fn a_full_disk_is_told_damages_nothing_and_is_used_again_once_it_has_room() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().canonicalize().expect("a folder").join("home");
    let Some(disk) = Disk::mount(&path) else { return };
    let home = Arc::new(Home::at(&path));
    let server = Server::start_in(Arc::clone(&home));
    server.call("pane.rename", &json!({"pane": "1", "name": "first"}));
    let file = path.join("session.json");
    let holds = |text: &str| std::fs::read_to_string(&file).is_ok_and(|found| found.contains(text));
    eventually("the snapshot", || holds("first").then_some(()));
    disk.fill();
    server.call("pane.split", &json!({"direction": "right"}));
    server.call("pane.rename", &json!({"pane": "2", "name": "second"}));
    let unsaved = eventually("the report", || {
        server.call("session.report", &json!({}))["unsaved"].as_str().map(str::to_owned)
    });
    assert!(unsaved.contains("free some space"), "{unsaved}");
    assert!(
        holds("first") && serde_json::from_str::<Value>(&std::fs::read_to_string(&file).unwrap()).is_ok()
    );
    let told = home.run(&["doctor"]);
    assert!(String::from_utf8_lossy(&told.stdout).contains("free some space"), "{told:?}");
    disk.free();
    eventually("the snapshot after all", || holds("second").then_some(()));
    assert_eq!(server.call("session.report", &json!({}))["unsaved"], Value::Null);
    server.stop();
    disk.fill();
    let message = home.fails(1, &["--session", "other", "server", "start"]);
    assert!(message.contains("disk is full") && message.trim_end().lines().count() == 1, "{message}");
    assert!(holds("second"));
    disk.free();
    Server::start_in(Arc::clone(&home)).stop();
}

#[test]
fn no_log_holds_what_was_typed_shown_or_named() {
    let home = Arc::new(Home::new());
    let secret = |what: &str| format!("sesame-{what}");
    let folder = home.project().join(secret("folder"));
    std::fs::create_dir_all(&folder).expect("a folder");
    home.ok(&["server", "start"]);
    let peer = home.peer();
    let call = |method: &str, params: Value| peer.call(method, &params);
    let terminals = call("terminal.backend.inventory", json!({}));
    let generation = call("uhp.capabilities", json!({}))["server_generation"].clone();
    let first = &terminals["terminals"][0];
    let locator = json!({
        "server_generation": generation, "terminal_id": first["terminal_id"], "pane_id": first["pane_id"],
    });
    let to_first = |method: &str, more: Value| peer.call(method, &with(&locator, &more));
    to_first("terminal.backend.type_literal", json!({"text": format!("echo {}\r", secret("typed"))}));
    to_first("terminal.backend.paste_text", json!({"text": secret("pasted")}));
    to_first("terminal.backend.notify", json!({"title": secret("title"), "body": secret("body")}));
    to_first("terminal.backend.set_title", json!({"title": secret("label")}));
    let sibling = json!({"kind": "sibling", "of_terminal": locator});
    let command = json!(["/bin/sh", "-c", format!("exec cat # {}", secret("argument"))]);
    call(
        "terminal.backend.create",
        json!({"cwd": folder, "command": command, "placement": sibling, "focus": false}),
    );
    let missing =
        json!({"cwd": folder, "command": [secret("program")], "placement": sibling, "focus": false});
    assert_eq!(peer.refusal("terminal.backend.create", &missing), "create_failed");
    to_first("terminal.backend.type_literal", json!({"text": "\r"}));
    let terminal = Terminal::attach(&home);
    terminal.line(&format!("echo {}", secret("shown")));
    terminal.wait_for_text(&secret("shown"));
    home.stop();
    assert_eq!(terminal.wait_for_exit(), 0);
    std::fs::remove_dir_all(&folder).expect("removed");
    home.ok(&["server", "start"]);
    home.stop();
    let client = std::fs::read_to_string(home.path().join("logs/client.log")).expect("the client's log");
    assert!(client.contains("a client attaches") && client.contains("the session has ended"), "{client}");
    let logs = std::fs::read_dir(home.path().join("logs")).expect("the logs").flatten();
    let texts: Vec<String> = logs.filter_map(|log| std::fs::read_to_string(log.path()).ok()).collect();
    let all = texts.concat();
    assert!(
        all.lines().count() > 0 && all.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()),
        "{all}"
    );
    assert!(!all.contains("sesame"), "{all}");
}

#[test]
fn a_restart_brings_clients_and_session_back() {
    let home = Arc::new(Home::new());
    home.ok(&["server", "start"]);
    let terminal = Terminal::attach(&home);
    terminal.line("echo there-$((1+1))");
    terminal.wait_for_text("there-2");
    home.peer().call("pane.split", &json!({"direction": "right"}));
    let before = home.peer().call("uhp.capabilities", &json!({}))["server_generation"].clone();
    home.ok(&["server", "restart"]);
    let after = home.peer().call("uhp.capabilities", &json!({}))["server_generation"].clone();
    assert_ne!(before, after);
    let answer = home.peer().call("terminal.backend.inventory", &json!({}));
    assert_eq!(answer["terminals"].as_array().map(Vec::len), Some(3));
    // The last picture stays until the client is back.
    terminal.wait_for_no_text("there-2");
    terminal.wait_for_text("ready>");
    terminal.line("echo again-$((1+1))");
    terminal.wait_for_text("again-2");
    let all = home.json(&["server", "restart", "--all", "--json"]);
    assert_eq!(all, json!({"sessions": [{"session": "default", "restarted": true}]}));
    // The last picture stays until the client is back.
    terminal.wait_for_no_text("again-2");
    terminal.wait_for_text("ready>");
    terminal.line("echo third-$((1+2))");
    terminal.wait_for_text("third-3");
    home.stop();
    assert_eq!(terminal.wait_for_exit(), 0);
}

#[test]
fn settings_are_read_and_written_on_the_command_line() {
    let home = Arc::new(Home::with_config("# mine\n"));
    let server = Server::start_in(Arc::clone(&home));
    assert_eq!(home.ok(&["config", "get", "pane.on_exit"]).trim(), "close");
    home.ok(&["config", "set", "pane.on_exit", "hold"]);
    assert_eq!(home.ok(&["config", "get", "pane.on_exit"]).trim(), "hold");
    assert_eq!(server.call("config.get", &json!({}))["config"]["pane.on_exit"], "hold");
    assert!(std::fs::read_to_string(home.path().join("config.toml")).unwrap().starts_with("# mine\n"));
    let all = home.json(&["config", "get", "--json"]);
    assert_eq!(all["config"], server.call("config.get", &json!({}))["config"]);
    home.fails(1, &["config", "set", "pane.on_exit", "perhaps"]);
    home.fails(1, &["config", "get", "nothing"]);
    home.write_config("pane.on_exit = \"close\"\nfuture = 1\n");
    home.ok(&["server", "reload"]);
    assert_eq!(server.call("config.get", &json!({}))["config"]["pane.on_exit"], "close");
    home.write_config("pane = = 1\n");
    let message = home.fails(1, &["server", "reload"]);
    assert!(message.contains("config.toml:1:"), "{message}");
    server.stop();
}

#[test]
fn layouts_go_out_and_in_on_the_command_line() {
    let server = Server::start();
    let home = server.home();
    for _ in 0..2 {
        server.call("pane.split", &json!({"direction": "right"}));
    }
    let before = server.terminals();
    let layout = home.json(&["layout", "export"]);
    let file = home.project().join("layout.json");
    let turned = layout.to_string().replace("horizontal", "vertical");
    std::fs::write(&file, &turned).expect("written");
    home.ok(&["layout", "apply", file.to_str().expect("a plain name")]);
    assert_eq!(home.json(&["layout", "export"]).to_string(), turned);
    std::fs::write(&file, turned.replace("\"1\"", "\"77\"")).expect("written");
    home.fails(1, &["layout", "apply", file.to_str().expect("a plain name")]);
    assert_eq!(home.json(&["layout", "export"]).to_string(), turned);
    let ids = |terminals: &[Value]| -> Vec<Value> {
        terminals.iter().map(|terminal| terminal["terminal_id"].clone()).collect()
    };
    assert_eq!(ids(&before), ids(&server.terminals()));
    server.stop();
}

#[test]
fn the_doctor_names_a_damaged_snapshot() {
    let home = Home::new();
    home.ok(&["server", "start"]);
    home.stop();
    std::fs::write(home.path().join("session.json"), "{").expect("written");
    let output = home.run(&["doctor"]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("session.json cannot be used") && text.contains("sets it aside"), "{text}");
    assert_eq!(output.status.code(), Some(1));
}
