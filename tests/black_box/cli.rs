//! The command line: verbs, forms of output, exit codes.

use crate::support::{Home, Server, Terminal, processes};
use serde_json::{Value, json};

const OK: i32 = 0;
const ERROR: i32 = 1;
const GONE: i32 = 2;
const USAGE: i32 = 64;

/// The `result` of a runtime envelope.
fn result(envelope: &Value) -> &Value {
    assert_eq!(envelope["protocol"], "nebula.runtime", "{envelope}");
    assert_eq!(envelope["version"], 1);
    assert_eq!(envelope["ok"], true, "{envelope}");
    &envelope["result"]
}

/// Exit code and the error code of the envelope on standard output.
fn refused(home: &Home, arguments: &[&str]) -> (i32, String) {
    let output = home.run(arguments);
    let envelope: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{arguments:?}: {error}: {output:?}"));
    assert_eq!(envelope["ok"], false, "{envelope}");
    let code = envelope["error"]["code"].as_str().unwrap_or("none").to_owned();
    (output.status.code().unwrap_or(-1), code)
}

/// Whether `folder` holds anything.
fn is_empty(folder: &std::path::Path) -> bool {
    std::fs::read_dir(folder).map_or(true, |mut entries| entries.next().is_none())
}

#[test]
fn version_and_help_need_no_server() {
    let home = Home::new();
    assert_eq!(home.ok(&["--version"]).trim(), format!("luvus {}", env!("CARGO_PKG_VERSION")));
    for arguments in [&["--help"][..], &["help"], &["help", "all"], &["pane", "--help"], &["help", "pane"]] {
        assert!(home.ok(arguments).contains("pane"), "{arguments:?}");
    }
    let keys = home.json(&["help", "keys", "--json"]).to_string();
    for id in ["split_right", "new_tab", "detach", "scroll_mode"] {
        assert!(keys.contains(id), "{id} in {keys}");
    }
    assert!(is_empty(&home.path()), "looking leaves nothing behind");
}

#[test]
fn wrong_usage_is_exit_64_and_sends_nothing() {
    let server = Server::start();
    let home = server.home();
    let before = server.peer().shape();
    for arguments in [
        &["dance"][..],
        &["--dance"],
        &["pane"],
        &["pane", "dance"],
        &["pane", "split", "--dance"],
        &["pane", "read", "three"],
        &["pane", "resize", "1"],
        &["session", "new", "a/b"],
        &["session", "new", ".."],
        &["--session", "a/b", "ping"],
        &["pane", "close"],
        &["pane", "send", "text without a pane"],
    ] {
        let message = home.fails(USAGE, arguments);
        assert!(!message.is_empty(), "{arguments:?} says what is wrong");
    }
    server.peer().wait_for_shape(&before);
    server.stop();
}

#[test]
fn listing_sessions_looks_and_touches_nothing() {
    let home = Home::new();
    let list = home.json(&["session", "list", "--json"]);
    let socket = home.socket().to_str().expect("a plain name").to_owned();
    assert_eq!(list["sessions"].as_array().map(Vec::len), Some(1), "{list}");
    let row = &list["sessions"][0];
    assert_eq!(
        (&row["name"], &row["default"], &row["running"]),
        (&json!("default"), &json!(true), &json!(false))
    );
    assert!(!home.path().exists(), "no folder is made");
    assert_eq!(processes::of_home(&home.path()), [], "no server is started");

    home.ok(&["session", "new", "work", "--detached"]);
    let list = home.json(&["session", "list", "--json"]);
    let names: Vec<_> = list["sessions"].as_array().expect("a list").iter().map(|row| &row["name"]).collect();
    assert_eq!(names, ["default", "work"]);
    let (default, work) = (&list["sessions"][0], &list["sessions"][1]);
    assert_eq!((&default["running"], &default["default"]), (&json!(false), &json!(true)));
    assert_eq!((&work["running"], &work["default"]), (&json!(true), &json!(false)));
    assert_eq!(work["endpoint"]["transport"], "unix_socket");
    let address = work["endpoint"]["address"].as_str().expect("an address");
    assert_eq!(address, home.path().join("sessions/work/luvus.sock").to_str().expect("a plain name"));
    assert!(!home.socket().exists(), "{socket} belongs to a session that nobody started");
    home.ok(&["session", "kill", "work"]);
    processes::wait_until_gone(&home.path());
}

#[test]
fn sessions_are_made_kept_apart_ended_and_deleted() {
    let home = Home::new();
    home.ok(&["session", "new", "one", "--detached"]);
    home.ok(&["session", "new", "two", "--detached"]);
    home.fails(ERROR, &["session", "new", "one", "--detached"]);
    home.ok(&["--session", "one", "tab", "new"]);
    let tabs = |session: &str| {
        let list = result(&home.json(&["--session", session, "pane", "list"]))["panes"].clone();
        list.as_array().map(Vec::len)
    };
    assert_eq!((tabs("one"), tabs("two")), (Some(2), Some(1)));
    // a running session is not deleted, and a deletion wants to be meant
    home.fails(ERROR, &["session", "delete", "one", "--yes"]);
    home.ok(&["session", "kill", "one"]);
    assert_ne!(home.run(&["session", "delete", "one"]).status.code(), Some(OK));
    assert!(home.path().join("sessions/one").exists());
    home.ok(&["session", "delete", "one", "--yes"]);
    assert!(!home.path().join("sessions/one").exists());
    home.fails(ERROR, &["session", "delete", "default", "--yes"]);
    assert_eq!(tabs("two"), Some(1));
    home.ok(&["session", "kill", "two"]);
    home.fails(ERROR, &["session", "kill", "two"]);
    processes::wait_until_gone(&home.path());
}

#[test]
fn a_named_session_is_attached_by_name() {
    let home = Home::new();
    home.ok(&["session", "new", "work", "--detached"]);
    let terminal = Terminal::luvus(&home, (100, 30), &["session", "attach", "work"]);
    terminal.wait_for_text("ready>");
    terminal.wait_for("the session's name", |screen| screen.status().contains("work"));
    terminal.line("echo in-$LUVUS_SESSION");
    terminal.wait_for_text("in-work");
    home.ok(&["--session", "work", "session", "detach"]);
    assert_eq!(terminal.wait_for_exit(), 0);
    assert_ne!(home.run(&["session", "attach", "nowhere"]).status.code(), Some(OK));
    home.ok(&["session", "stop", "work"]);
    processes::wait_until_gone(&home.path());
}

#[test]
fn the_server_is_started_looked_at_and_stopped() {
    let home = Home::new();
    assert_eq!(home.run(&["server", "status"]).status.code(), Some(ERROR));
    home.fails(ERROR, &["ping"]);
    home.fails(ERROR, &["server", "stop"]);
    home.ok(&["server", "start"]);
    home.ok(&["server", "status"]);
    home.ok(&["ping"]);
    home.ok(&["server", "stop"]);
    home.stop();
}

#[test]
fn a_started_server_lets_go_of_the_starter() {
    let home = Home::new();
    // a pipe ends for its reader only when nobody holds its other end any more
    let output = std::thread::scope(|scope| {
        let (done, wait) = std::sync::mpsc::sync_channel(1);
        scope.spawn({
            let mut command = home.luvus(&["server", "start"]);
            move || done.send(command.output())
        });
        let output = wait.recv_timeout(crate::support::PATIENCE);
        if output.is_err() {
            processes::end_all(&home.path());
        }
        output
    });
    let output = output.expect("the server holds the starter's pipe").expect("the program starts");
    assert!(output.status.success());
    home.stop();
}

#[test]
fn without_a_server_verbs_say_so() {
    let home = Home::new();
    let (exit, code) = refused(&home, &["pane", "list"]);
    assert_eq!((exit, code.as_str()), (ERROR, "runtime_unavailable"));
    let message = home.fails(ERROR, &["tab", "list"]);
    assert!(message.contains("server"), "{message}");
    assert_eq!(processes::of_home(&home.path()), []);
}

#[test]
fn panes_are_listed_split_focused_and_closed() {
    let server = Server::start();
    let home = server.home();
    let peer = server.peer();
    peer.wait_for_shape("(1)");
    home.ok(&["pane", "split"]);
    peer.wait_for_shape("1 (2)");
    home.ok(&["pane", "split", "1", "--down", "--no-focus"]);
    peer.wait_for_shape("1 3 (2)");
    home.ok(&["pane", "focus", "3"]);
    peer.wait_for_shape("1 (3) 2");
    home.ok(&["pane", "swap", "1", "2"]);
    peer.wait_for_shape("2 (3) 1");
    home.ok(&["pane", "move", "3", "--new-tab"]);
    peer.wait_for_shape("2 1 / (3)");
    home.ok(&["pane", "move", "3", "--tab", "0"]);
    home.ok(&["pane", "name", "3", "build"]);
    home.fails(ERROR, &["pane", "name", "3", "Not A Name"]);
    home.fails(ERROR, &["pane", "name", "1", "build"]);

    let list = home.json(&["pane", "list"]);
    let panes = result(&list)["panes"].as_array().expect("a list").clone();
    assert!(result(&list)["revision"].is_u64());
    assert_eq!(panes.len(), 3);
    for pane in &panes {
        for member in [
            "window_id",
            "tab_index",
            "tab_active",
            "pane_id",
            "active",
            "title",
            "cwd",
            "branch",
            "task_state",
        ] {
            assert!(pane.get(member).is_some(), "{member} in {pane}");
        }
        assert_eq!(pane["tab_index"], 0);
    }
    assert_eq!(panes.iter().filter(|pane| pane["active"] == true).count(), 1);

    result(&home.json(&["pane", "close", "3"]));
    let (exit, code) = refused(home, &["pane", "close", "3"]);
    assert_eq!((exit, code.as_str()), (GONE, "target_not_found"));
    assert_eq!(home.run(&["pane", "focus", "3"]).status.code(), Some(GONE));
    server.stop();
}

#[test]
fn a_pane_says_what_it_is_and_what_runs_in_it() {
    let server = Server::start();
    let home = server.home();
    let pane = server.run(&["/bin/sh", "-c", "exec sleep 600"]);
    let id = pane["pane_id"].as_str().expect("an id");
    let status = home.json(&["pane", "status", id, "--json"]);
    assert_eq!((&status["type"], &status["pane"]), (&json!("pane"), &pane["pane_id"]));
    assert_eq!(home.json(&["pane", "status", "--json"])["focused"], true, "the focused pane");
    assert!(home.ok(&["pane", "status", id]).contains("FOLDER"));
    crate::support::eventually("the program is seen", || {
        home.ok(&["pane", "processes", id]).lines().any(|name| name == "sleep").then_some(())
    });
    let processes = home.json(&["pane", "processes", id, "--json"]);
    assert_eq!(
        (&processes["type"], &processes["arguments_exposed"]),
        (&json!("pane_processes"), &json!(false))
    );
    home.fails(USAGE, &["pane", "processes"]);
    home.fails(GONE, &["pane", "status", "999"]);
    server.stop();
}

#[test]
fn panes_are_typed_into_read_and_waited_for() {
    let server = Server::start();
    let home = server.home();
    server.first();
    result(&home.json(&["pane", "send", "1", "echo sent-$((1+1))"]));
    home.ok(&["wait", "output", "1", "--match", "sent-2", "--timeout", "10"]);
    home.ok(&["pane", "run", "1", "echo", "run-$((2+2))"]);
    home.ok(&["wait", "output", "1", "--match", "run-4", "--timeout", "10"]);
    let read = home.json(&["pane", "read", "1", "--lines", "50"]);
    let text = result(&read).to_string();
    assert!(text.contains("sent-2") && text.contains("run-4"), "{text}");
    // without Enter nothing happens
    result(&home.json(&["pane", "send", "1", "echo never", "--no-submit"]));
    home.ok(&["wait", "output", "1", "--match", "echo never", "--timeout", "10"]);
    assert_eq!(
        home.run(&["wait", "output", "1", "--match", "not there", "--timeout", "0"]).status.code(),
        Some(GONE)
    );
    assert_eq!(
        home.run(&["wait", "output", "77", "--match", "x", "--timeout", "1"]).status.code(),
        Some(GONE)
    );
    server.stop();
}

#[test]
fn a_wait_for_output_ends_when_its_pane_does() {
    let server = Server::start();
    let home = server.home();
    server.first();
    home.ok(&["pane", "split", "--", "/bin/sh", "-c", "echo on; read line"]);
    home.ok(&["wait", "output", "2", "--match", "on", "--timeout", "10"]);
    let waiting = std::thread::scope(|scope| {
        let mut command = home.luvus(&["wait", "output", "2", "--match", "never", "--timeout", "60"]);
        let waiting = scope.spawn(move || crate::support::home::finish(&mut command));
        home.ok(&["pane", "close", "2", "--force"]);
        waiting.join().expect("the wait ends")
    });
    assert_eq!(waiting.status.code(), Some(GONE));
    server.stop();
}

#[test]
fn closing_something_busy_needs_force() {
    let server = Server::start();
    let home = server.home();
    let shell = server.first();
    server.type_text(&shell, "echo busy-$((1+1)); cat\n");
    server.wait_for_text(&shell, "busy-2");
    home.ok(&["tab", "new", "--no-focus"]);
    for arguments in [&["pane", "close", "1"][..], &["tab", "close", "0"], &["window", "close", "1"]] {
        let (exit, code) = refused(home, arguments);
        assert_eq!((exit, code.as_str()), (ERROR, "confirmation_required"), "{arguments:?}");
    }
    assert_eq!(home.run(&["workspace", "close", "0"]).status.code(), Some(ERROR));
    server.peer().wait_for_shape("(1) / 2");
    home.ok(&["pane", "close", "1", "--force"]);
    server.peer().wait_for_shape("(2)");
    server.stop();
}

#[test]
fn tabs_are_counted_from_zero() {
    let server = Server::start();
    let home = server.home();
    let peer = server.peer();
    peer.wait_for_shape("(1)");
    home.ok(&["tab", "new"]);
    home.ok(&["tab", "new"]);
    peer.wait_for_shape("1 / 2 / (3)");
    home.ok(&["tab", "focus", "0"]);
    peer.wait_for_shape("(1) / 2 / 3");
    result(&home.json(&["tab", "move", "0", "2"]));
    peer.wait_for_shape("2 / 3 / (1)");
    home.ok(&["tab", "swap", "0", "1"]);
    peer.wait_for_shape("3 / 2 / (1)");
    result(&home.json(&["tab", "rename", "1", "named"]));
    let list = home.json(&["tab", "list", "--json"]);
    assert!(list.to_string().contains("named"), "{list}");
    assert_eq!(home.ok(&["tab", "list"]).lines().filter(|line| line.contains("named")).count(), 1);
    result(&home.json(&["tab", "close", "1"]));
    peer.wait_for_shape("3 / (1)");
    assert_eq!(home.run(&["tab", "focus", "9"]).status.code(), Some(GONE));
    server.stop();
}

#[test]
fn workspaces_are_opened_named_moved_and_closed() {
    let server = Server::start();
    let home = server.home();
    let peer = server.peer();
    peer.wait_for_shape("(1)");
    let [one, two] = ["one", "two"].map(|name| {
        let folder = home.person().join(name);
        std::fs::create_dir(&folder).expect("a folder");
        folder.to_str().expect("a plain name").to_owned()
    });
    home.ok(&["workspace", "open", &one]);
    home.ok(&["workspace", "open", &two]);
    peer.wait_for_shape("1 | 2 | (3)");
    // opening again shows the one that is there, `new` makes another one
    home.ok(&["workspace", "open", &one]);
    peer.wait_for_shape("1 | (2) | 3");
    home.ok(&["workspace", "new", "--cwd", &one]);
    peer.wait_for_shape("1 | 2 | 3 | (4)");
    home.ok(&["workspace", "focus", "0"]);
    peer.wait_for_shape("(1) | 2 | 3 | 4");
    home.ok(&["workspace", "rename", "1", "renamed"]);
    home.ok(&["workspace", "pin", "1"]);
    home.ok(&["workspace", "move", "3", "0"]);
    peer.wait_for_shape("4 | (1) | 2 | 3");
    let list = home.json(&["workspace", "list", "--json"]);
    let rows = list["workspaces"].as_array().expect("a list");
    assert_eq!(rows.len(), 4);
    let renamed = rows.iter().find(|row| row["name"] == "renamed").expect("the renamed one");
    assert_eq!((&renamed["pinned"], &renamed["cwd"]), (&json!(true), &json!(one)));
    let id = renamed["workspace_id"].as_str().expect("an id").to_owned();
    home.ok(&["workspace", "close", &id]);
    peer.wait_for_shape("4 | (1) | 3");
    assert_ne!(home.run(&["workspace", "open", "/does/not/exist"]).status.code(), Some(OK));
    assert_eq!(home.run(&["workspace", "focus", "9"]).status.code(), Some(GONE));
    server.stop();
}

#[test]
fn inside_a_pane_verbs_mean_that_pane_and_its_session() {
    let home = Home::new();
    home.ok(&["session", "new", "inner", "--detached"]);
    home.ok(&["server", "start"]);
    let peer = crate::support::Peer::new(home.path().join("sessions/inner/luvus.sock"));
    let terminal = Terminal::luvus(&home, (100, 30), &["--session", "inner"]);
    terminal.wait_for_text("ready>");
    let before = peer.shape();
    home.peer().wait_for_shape("(1)");
    // the bare name is found through the session's own folder
    terminal.line("luvus pane split --no-focus --down; luvus tab new --no-focus; echo done-$((1+1))");
    terminal.wait_for_text("done-2");
    home.peer().wait_for_shape("(1)");
    assert_ne!(peer.shape(), before);
    terminal.line("luvus --session default tab new");
    home.peer().wait_for_shape("1 / (2)");
    home.ok(&["session", "kill", "inner"]);
    assert_eq!(terminal.wait_for_exit(), 0);
    home.stop();
}

#[test]
fn the_configuration_is_found_and_checked() {
    let home = Home::new();
    let path = home.ok(&["config", "path"]);
    assert_eq!(path.trim(), home.path().join("config.toml").to_str().expect("a plain name"));
    home.ok(&["config", "check"]);
    home.write_config("prefix = \"ctrl+b\"\nunknown_key = 1\n[pane]\non_exit = \"explode\"\n");
    let output = home.run(&["config", "check"]);
    let text =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(ERROR), "{text}");
    // each with its line and column, and what would be right
    assert!(text.contains("config.toml:2:1:") && text.contains("`unknown_key`"), "{text}");
    assert!(text.contains("config.toml:4:11:") && text.contains("`pane.on_exit`"), "{text}");
    assert!(text.contains("`close`") && text.contains("`hold`"), "{text}");
    assert_eq!(home.json(&["config", "path", "--json"])["path"], path.trim());
}

#[test]
fn doctor_looks_around() {
    let server = Server::start();
    let report = server.home().run(&["doctor"]);
    assert!(!report.stdout.is_empty());
    server.stop();
}

#[test]
fn data_and_messages_keep_to_their_streams() {
    let server = Server::start();
    let home = server.home();
    let output = home.run(&["pane", "list"]);
    assert!(output.stderr.is_empty(), "{output:?}");
    assert_eq!(String::from_utf8_lossy(&output.stdout).lines().count(), 1, "one line of JSON");
    let pretty = home.ok(&["pane", "list", "--pretty"]);
    assert!(pretty.lines().count() > 5, "{pretty}");
    let output = home.run(&["tab", "focus", "9"]);
    assert!(!output.stderr.is_empty());
    // a reader that leaves early is no reason to complain
    let script = r#""$0" help all | head -n 1 >/dev/null"#;
    let output = crate::support::home::finish(home.command("/bin/sh").args([
        "-c",
        script,
        crate::support::server::PROGRAM,
    ]));
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    server.stop();
}

#[test]
fn events_are_printed_from_a_number_on() {
    use std::io::{BufRead as _, BufReader};
    let server = Server::start();
    server.first();
    let from = server.call("uhp.capabilities", &json!({}))["event_sequence"].as_u64().expect("a number");
    server.call("pane.rename", &json!({"pane": "1", "name": "worker"}));
    let mut follower = server
        .home()
        .luvus(&["events", "--after", &from.to_string()])
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("started");
    let mut lines = BufReader::new(follower.stdout.take().expect("its output")).lines();
    let renamed = lines.by_ref().map_while(Result::ok).find(|line| line.contains("worker"));
    assert!(renamed.is_some(), "the event before it began is replayed");
    server.stop();
    assert!(!follower.wait().expect("it ends with the server").success());
}
