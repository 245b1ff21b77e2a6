//! Panes and what runs in them: environment, endings, the whole tree of children.

use crate::support::server::with;
use crate::support::{Home, Server, Terminal, eventually, processes};
use serde_json::{Value, json};

/// The process id of what a create answered.
fn root_of(created: &Value) -> i32 {
    created["root_process"]["pid"].as_i64().and_then(|pid| i32::try_from(pid).ok()).expect("a pid")
}

fn pid_in(text: &str, name: &str) -> i32 {
    let (_, rest) = text.split_once(name).unwrap_or_else(|| panic!("`{name}` in {text:?}"));
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().expect("a process id")
}

#[test]
fn a_pane_closes_when_its_shell_ends() {
    let home = Home::new();
    let terminal = Terminal::attach(&home);
    terminal.prefix("v");
    home.peer().wait_for_shape("1 (2)");
    terminal.line("exit");
    home.peer().wait_for_shape("(1)");
    // what is typed at a pane that is gone goes nowhere: first the person sees it go, frame and all
    terminal.wait_for_no_text("╭");
    terminal.line("echo left-$((1+1))");
    terminal.wait_for_text("left-2");
    // the end of the last one leaves a fresh shell
    terminal.line("exit 3");
    home.peer().wait_for_shape("(3)");
    terminal.wait_for_no_text("left-2");
    terminal.wait_for_text("ready>");
    home.stop();
}

#[test]
fn a_pane_that_ends_in_the_background_leaves_the_focus_alone() {
    let server = Server::start();
    let shell = server.first();
    let before = server.peer().shape();
    let (_, created) = server.script("exit 0");
    eventually("it is gone", || {
        server.terminals().iter().all(|row| row["terminal_id"] != created["terminal_id"]).then_some(())
    });
    server.peer().wait_for_shape(&before);
    server.wait_for_text(&shell, "ready>");
    server.stop();
}

#[test]
fn a_held_pane_keeps_its_last_screen() {
    let server = Server::with_config("[pane]\non_exit = \"hold\"\n");
    server.first();
    let (locator, _) = server.script("echo last words; exit 7");
    eventually("the terminal is gone", || {
        let state = server.call("terminal.backend.validate", &locator);
        (state["state"] == "gone").then_some(())
    });
    assert!(server.text(&locator).contains("last words"));
    let input = with(&locator, &json!({"text": "x"}));
    assert_eq!(server.peer().refusal("terminal.backend.type_literal", &input), "terminal_gone");
    server.call("terminal.backend.close", &locator);
    server.wait_for_terminals(1);
    server.stop();
}

#[test]
fn closing_ends_the_whole_tree() {
    let server = Server::start();
    server.first();
    // a root and children that all ignore the hang-up, one of them in the background
    let script = "trap '' HUP TERM; sh -c 'echo inner=$$-; while :; do sleep 600; done' & \
                  sleep 600 & echo sleeper=$!-; wait; wait";
    let (locator, created) = server.script(script);
    server.wait_for_text(&locator, "inner=");
    server.wait_for_text(&locator, "sleeper=");
    let text = server.text(&locator);
    let pids = [root_of(&created), pid_in(&text, "sleeper="), pid_in(&text, "inner=")];
    assert!(pids.iter().all(|pid| processes::runs(*pid)), "{pids:?}");
    server.call("terminal.backend.close", &locator);
    for pid in pids {
        eventually("the child ends", || (!processes::runs(pid)).then_some(()));
    }
    server.stop();
}

#[test]
fn stopping_the_server_ends_everything_in_it() {
    let server = Server::start();
    server.first();
    let (locator, created) = server.script("trap '' HUP TERM; echo on-$((1+1)); while :; do sleep 600; done");
    server.wait_for_text(&locator, "on-2");
    let root = root_of(&created);
    // looks for left-overs itself
    server.stop();
    assert!(!processes::runs(root));
}

#[test]
fn a_stop_signal_ends_the_server_within_its_time() {
    let mut server = Server::start();
    server.first();
    let start = std::time::Instant::now();
    server.signal(rustix::process::Signal::TERM);
    server.wait();
    let taken = start.elapsed();
    assert!(taken < std::time::Duration::from_secs(3), "{taken:?}");
    processes::wait_until_gone(&server.home().path());
    assert!(!server.home().socket().exists());
}

#[test]
fn panes_know_where_they_are() {
    let server = Server::start();
    let shell = server.first();
    server.type_text(&shell, "env | sort > environment; echo written-$((1+1))\n");
    server.wait_for_text(&shell, "written-2");
    let inventory = server.terminals();
    let cwd = inventory[0]["cwd"].as_str().expect("a directory");
    let text = std::fs::read_to_string(std::path::Path::new(cwd).join("environment")).expect("the file");
    let value = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(&format!("{name}=")));
        line.unwrap_or_else(|| panic!("no {name} in {text}")).to_owned()
    };
    let socket = server.home().socket();
    let socket = socket.to_str().expect("a plain name");
    for (name, wanted) in [
        ("LUVUS_ENV", "1"),
        ("LUVUS_SESSION", "default"),
        ("LUVUS_PANE_ID", shell["pane_id"].as_str().expect("an id")),
        ("LUVUS_TERMINAL_ID", shell["terminal_id"].as_str().expect("an id")),
        ("LUVUS_SOCKET_PATH", socket),
        ("LUVUS_API_ADDRESS", socket),
        ("LUVUS_BIN_PATH", crate::support::server::PROGRAM),
        ("TERM", "xterm-256color"),
        ("COLORTERM", "truecolor"),
        ("TERM_PROGRAM", "luvus"),
        ("TERM_PROGRAM_VERSION", env!("CARGO_PKG_VERSION")),
        ("NEBULA_PANE_ID", shell["pane_id"].as_str().expect("an id")),
        ("NEBULA_CLI", crate::support::server::PROGRAM),
    ] {
        assert_eq!(value(name), wanted, "{name}");
    }
    assert!(value("LUVUS_TAB_ID").starts_with('t'));
    assert!(value("LUVUS_WORKSPACE_ID").starts_with('w'));
    // one folder leads the path, with both names of the program in it
    let folder = value("LUVUS_BIN_DIR");
    assert_eq!(value("PATH").split(':').next(), Some(folder.as_str()));
    assert_eq!(value("PATH").matches(&folder).count(), 1);
    for name in ["luvus", "nebula"] {
        let target = std::fs::canonicalize(std::path::Path::new(&folder).join(name)).expect("a link");
        assert_eq!(target, std::fs::canonicalize(crate::support::server::PROGRAM).expect("the program"));
    }
    server.stop();
}

#[test]
fn what_the_server_inherited_does_not_leak_into_panes() {
    let home = Home::new();
    let mut command = home.luvus(&["server", "start"]);
    for name in ["SSH_CONNECTION", "SSH_CLIENT", "SSH_TTY"] {
        command.env(name, "stale");
    }
    command.env("LUVUS_PANE_ID", "99").env("NEBULA_PANE_ID", "99").env("LINES", "1").env("COLUMNS", "1");
    let output = crate::support::home::finish(&mut command);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let terminal = Terminal::attach(&home);
    terminal.line("env | grep -c stale; echo pane=$LUVUS_PANE_ID=$NEBULA_PANE_ID=");
    terminal.wait_for_text("pane=1=1=");
    terminal.wait_for("no stale variable", |screen| {
        screen.find("pane=1=1=").is_some_and(|at| {
            let above = screen.row(at.0 - 1);
            above.ends_with('0') || above.contains("0 ")
        })
    });
    home.stop();
}

#[test]
fn a_new_pane_starts_where_its_neighbour_is() {
    let home = Home::new();
    let terminal = Terminal::attach(&home);
    let folder = home.project().join("deep");
    std::fs::create_dir(&folder).expect("a folder");
    terminal.line("cd deep && echo there-$((1+1))");
    terminal.wait_for_text("there-2");
    terminal.prefix("s");
    home.peer().wait_for_shape("1 (2)");
    terminal.line("basename $(pwd)");
    terminal.wait_for("the folder", |screen| screen.find_all("deep").iter().any(|at| at.0 > 15));
    home.stop();
}

#[test]
fn the_configured_shell_runs() {
    let home = Home::new();
    let shell = home.person().join("my-shell");
    std::fs::write(&shell, "#!/bin/sh\necho my-own-shell\nPS1='mine> ' exec /bin/sh\n").expect("a script");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&shell, mode).expect("a mode");
    home.write_config(&format!("shell = \"{}\"\n", shell.display()));
    let terminal = Terminal::luvus(&home, (100, 30), &[]);
    terminal.wait_for_text("my-own-shell");
    terminal.wait_for_text("mine>");
    home.stop();
}

#[test]
fn a_shell_that_cannot_start_is_no_end_of_the_world() {
    let home = Home::with_config("shell = \"/does/not/exist\"\n");
    let terminal = Terminal::luvus(&home, (100, 30), &[]);
    terminal.wait_for_text("/does/not/exist");
    assert_eq!(home.peer().call("ping", &json!({}))["type"], "pong");
    home.stop();
}

#[test]
fn a_held_pane_tells_how_its_child_ended() {
    let server = Server::with_config("[pane]\non_exit = \"hold\"\n");
    let terminal = Terminal::attach(server.home());
    for (script, exited, shown) in [
        ("exit 7", json!({"code": 7, "signal": null}), "exited 7"),
        ("exit 0", json!({"code": 0, "signal": null}), "exited 0"),
        ("kill -KILL $$", json!({"code": null, "signal": "SIGKILL"}), "SIGKILL"),
    ] {
        let (locator, created) = server.script(script);
        let pane = json!({"pane": created["pane_id"]});
        let row = eventually("the end is known", || {
            Some(server.call("pane.get", &pane)).filter(|row| !row["exited"].is_null())
        });
        assert_eq!(row["exited"], exited, "{script}");
        server.call("pane.focus", &pane);
        terminal.wait_for_text(shown);
        server.call("terminal.backend.close", &locator);
    }
    drop(terminal);
    server.stop();
}

#[test]
fn a_program_that_cannot_start_leaves_no_pane() {
    for config in ["", "[pane]\non_exit = \"hold\"\n"] {
        let server = Server::with_config(config);
        server.first();
        let before = server.peer().shape();
        let params = json!({
            "cwd": server.home().project(), "command": ["/does/not/exist"],
            "placement": {"kind": "workspace"}, "focus": true,
        });
        let response = server.peer().request("terminal.backend.create", &params);
        assert_eq!(response["error"]["code"], "create_failed", "{response}");
        assert_eq!(response["error"]["dispatch"], "not_started");
        assert_eq!(server.peer().shape(), before, "at once, not a moment later");
        let split = json!({"command": ["/does/not/exist"]});
        assert_eq!(server.peer().refusal("pane.split", &split), "spawn_failed");
        assert_eq!(server.peer().shape(), before);
        server.stop();
    }
}

#[test]
fn a_stop_signal_takes_stubborn_children_and_deaf_clients_along_in_time() {
    let mut server = Server::start();
    let shell = server.first();
    let stubborn = [(); 5].map(|()| {
        let script = "trap '' HUP TERM INT; (while :; do sleep 600; done) & echo on-$((1+1)); \
                      while :; do sleep 600; done";
        let (locator, created) = server.script(script);
        server.wait_for_text(&locator, "on-2");
        root_of(&created)
    });
    server.type_text(&shell, "yes flooding\n");
    let deaf = [(); 3].map(|()| server.peer().attach((80, 24)));
    let wait = with(&shell, &json!({"after_revision": 0, "match": "never there", "timeout_ms": 60_000}));
    std::thread::scope(|scope| {
        let peer = server.peer();
        let waiting = scope.spawn(move || peer.refusal("terminal.backend.wait_output", &wait));
        // it is parked as soon as it counts as a connection
        eventually("the wait is parked", || {
            let limits = server.call("uhp.capabilities", &json!({}))["limits"].clone();
            (limits["active_connections"] == 2).then_some(())
        });
        let start = std::time::Instant::now();
        server.signal(rustix::process::Signal::TERM);
        server.wait();
        let taken = start.elapsed();
        assert!(taken < std::time::Duration::from_secs(3), "{taken:?}");
        assert_eq!(waiting.join().expect("the wait ends"), "terminal_gone");
    });
    processes::wait_until_gone(&server.home().path());
    assert!(stubborn.iter().all(|pid| !processes::runs(*pid)));
    drop(deaf);
}

#[test]
fn a_killed_server_takes_its_children_along() {
    let mut server = Server::start();
    let shell = server.first();
    server.type_text(&shell, "echo on-$((1+1)); sleep 600\n");
    server.wait_for_text(&shell, "on-2");
    let children = [
        server.create(&json!({"command": ["cat"]})),
        server.create(&json!({"command": ["yes", "flooding"]})),
        server.create(&json!({})),
    ];
    let mut pids: Vec<i32> = children.iter().map(|(_, created)| root_of(created)).collect();
    pids.extend(server.terminals().iter().map(root_of));
    assert!(pids.iter().all(|pid| processes::runs(*pid)), "{pids:?}");
    server.signal(rustix::process::Signal::KILL);
    server.wait();
    // nobody holds their terminals any more: the kernel hangs up
    for pid in pids {
        eventually("the child ends", || (!processes::runs(pid)).then_some(()));
    }
    // nor what they had started in the foreground
    processes::wait_until_gone(&server.home().path());
}

#[test]
#[cfg(target_os = "linux")]
fn a_child_leads_its_group_and_its_session_and_is_reaped() {
    let server = Server::start();
    server.first();
    let (locator, created) = server.create(&json!({"command": ["cat"]}));
    let pid = root_of(&created);
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).expect("it runs");
    let (_, fields) = stat.rsplit_once(") ").expect("the name ends");
    // state, parent, group, session, terminal, foreground group
    let fields: Vec<i64> = fields.split(' ').skip(1).take(5).filter_map(|field| field.parse().ok()).collect();
    let (own, parent) = (i64::from(pid), i64::from(server.pid()));
    assert_eq!(fields[..3], [parent, own, own], "{stat}");
    assert_ne!(fields[3], 0, "it has a controlling terminal");
    assert_eq!(fields[4], own, "it is in the foreground");
    server.call("terminal.backend.close", &locator);
    eventually("its status is collected", || (!processes::exists(pid)).then_some(()));
    let (_, created) = server.script("exit 3");
    let pid = root_of(&created);
    eventually("its status is collected", || (!processes::exists(pid)).then_some(()));
    server.stop();
}

#[test]
fn panes_come_and_go_without_a_trace() {
    let server = Server::start();
    server.first();
    let before = server.peer().shape();
    for _ in 0..40 {
        let (locator, _) = server.script("sleep 600 & cat");
        server.call("terminal.backend.close", &locator);
        server.script("exit 0");
    }
    server.wait_for_terminals(1);
    server.peer().wait_for_shape(&before);
    if cfg!(target_os = "linux") {
        let pid = server.pid();
        eventually("only the first shell is left", || {
            let children = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).ok()?;
            let left = processes::of_home(&server.home().path()).len();
            (children.split_whitespace().count() <= 1 && left == 2).then_some(())
        });
        let open = std::fs::read_dir(format!("/proc/{pid}/fd")).expect("its descriptors").count();
        assert!(open < 40, "{open} descriptors are open");
    }
    server.stop();
}

#[test]
fn a_pane_of_another_session_finds_the_same_home() {
    let home = Home::new();
    home.ok(&["session", "new", "inner", "--detached"]);
    let terminal = Terminal::luvus(&home, (100, 30), &["--session", "inner"]);
    terminal.wait_for_text("ready>");
    terminal.line("echo home=$LUVUS_HOME=");
    let wanted = format!("home={}=", home.path().display());
    terminal.wait_for("the state root", |screen| screen.text().replace('\n', "").contains(&wanted));
    terminal.line("clear; luvus session list");
    terminal.wait_for("both sessions", |screen| screen.has("default") && screen.has("inner  "));
    home.ok(&["session", "kill", "inner"]);
    assert_eq!(terminal.wait_for_exit(), 0);
    processes::wait_until_gone(&home.path());
}

#[test]
fn a_program_chooses_its_size_only_while_nobody_else_has_a_say_in_it() {
    let server = Server::start();
    let shell = server.first();
    server.wait_for_text(&shell, "ready>");
    let ask = "printf '\\033[8;31;101t\\033[18t'; dd bs=64 count=1 2>/dev/null | cat -v; stty size";
    server.type_text(
        &shell,
        &format!("stty raw -echo; {ask}; dd bs=1 count=1 2>/dev/null; {ask}; stty sane\n"),
    );
    server.wait_for_text(&shell, "^[[8;31;101t31 101");
    let terminal = Terminal::attach(server.home());
    server.type_text(&shell, "x");
    terminal.wait_for("the program to be done", |screen| screen.find_all("ready>").len() > 1);
    let text = server.text(&shell);
    assert_eq!(text.matches("31 101").count(), 1, "its own size is the client's again: {text}");
    server.stop();
}
