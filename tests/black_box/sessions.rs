//! Sessions on the command line: made once, left by whom it was meant, named in every hint.

use crate::support::{Home, Server, Terminal, processes};
use serde_json::{Value, json};

const ERROR: i32 = 1;

#[test]
fn of_many_at_once_one_makes_the_session() {
    let home = Home::new();
    for name in ["first", "second"] {
        let outputs: Vec<_> = std::thread::scope(|scope| {
            let racers: Vec<_> =
                (0..6).map(|_| scope.spawn(|| home.run(&["session", "new", name, "--detached"]))).collect();
            racers.into_iter().map(|racer| racer.join().expect("it ends")).collect()
        });
        let (made, late): (Vec<_>, Vec<_>) = outputs.iter().partition(|output| output.status.success());
        assert_eq!(made.len(), 1, "{outputs:?}");
        for output in late {
            assert_eq!(output.status.code(), Some(ERROR));
            let message = String::from_utf8_lossy(&output.stderr);
            assert!(message.contains("exists"), "{message}");
        }
        home.ok(&["session", "kill", name]);
    }
    processes::wait_until_gone(&home.path());
}

#[test]
fn a_new_session_is_attached_at_once_in_its_folder() {
    let home = Home::new();
    let folder = home.person().join("elsewhere");
    std::fs::create_dir(&folder).expect("a folder");
    let cwd = folder.to_str().expect("a plain name");
    let terminal = Terminal::luvus(&home, (100, 30), &["session", "new", "work", "--cwd", cwd]);
    terminal.wait_for_text("ready>");
    terminal.wait_for("the session's name", |screen| screen.status().contains("work"));
    terminal.line("basename $(pwd)");
    terminal.wait_for("its folder", |screen| screen.find_all("elsewhere").len() > 1);
    let again = Terminal::luvus(&home, (100, 30), &["session", "new", "work"]);
    assert_eq!(again.wait_for_exit(), 1);
    home.ok(&["session", "kill", "work"]);
    assert_eq!(terminal.wait_for_exit(), 0);
    processes::wait_until_gone(&home.path());
}

#[test]
fn detaching_takes_the_one_who_typed_last() {
    let server = Server::start();
    let home = server.home();
    let clients = [(); 3].map(|()| Terminal::attach(home));
    clients[1].line("echo mine-$((1+1))");
    clients[1].wait_for_text("mine-2");
    assert_eq!(home.json(&["session", "detach", "--json"])["detached"], 1);
    assert_eq!(clients[1].wait_for_exit(), 0);
    clients[2].line("echo still-$((1+1))");
    for client in [&clients[0], &clients[2]] {
        client.wait_for_text("still-2");
    }
    assert_eq!(home.json(&["session", "detach", "--all", "--json"])["detached"], 2);
    for client in [&clients[0], &clients[2]] {
        assert_eq!(client.wait_for_exit(), 0);
    }
    assert_eq!(home.json(&["session", "detach", "--json"])["detached"], 0);
    server.stop();
}

#[test]
fn hints_name_the_session_that_is_meant() {
    let home = Home::new();
    let message = home.fails(ERROR, &["--session", "work", "ping"]);
    assert!(message.contains("`luvus --session work server start`"), "{message}");
    home.ok(&["--session", "work", "server", "start"]);
    home.ok(&["--session", "work", "ping"]);
    let message = home.fails(ERROR, &["ping"]);
    assert!(message.contains("`luvus server start`"), "{message}");
    home.ok(&["--session", "work", "server", "stop"]);
    processes::wait_until_gone(&home.path());
}

#[test]
fn the_flag_beats_the_socket_which_beats_the_name() {
    let home = Home::new();
    for name in ["a", "b", "c"] {
        home.ok(&["session", "new", name, "--detached"]);
    }
    let socket = home.path().join("sessions/b/luvus.sock");
    let answers = |arguments: &[&str], socket: Option<&std::path::Path>| {
        let mut command = home.luvus(arguments);
        command.env("LUVUS_SESSION", "c");
        if let Some(socket) = socket {
            command.env("LUVUS_SOCKET_PATH", socket);
        }
        let output = crate::support::home::finish(&mut command);
        let result: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        result["session"].clone()
    };
    assert_eq!(answers(&["--session", "a", "ping", "--json"], Some(&socket)), "a");
    assert_eq!(answers(&["ping", "--json"], Some(&socket)), "b");
    assert_eq!(answers(&["ping", "--json"], None), "c");
    for name in ["a", "b", "c"] {
        home.ok(&["session", "kill", name]);
    }
    processes::wait_until_gone(&home.path());
}

#[test]
fn json_is_the_result_of_the_method_of_that_name() {
    let server = Server::start();
    let home = server.home();
    server.first();
    for (words, method, params) in [
        (&["ping", "--json"][..], "ping", json!({})),
        (&["workspace", "list", "--json"], "workspace.list", json!({})),
        (&["tab", "list", "--json"], "tab.list", json!({})),
        (&["session", "detach", "--json"], "session.detach", json!({})),
    ] {
        assert_eq!(home.json(words), server.call(method, &params), "{words:?}");
    }
    let made = home.json(&["tab", "new", "--json"]);
    assert_eq!((&made["type"], &made["tab"]), (&json!("ok"), &json!("2")), "{made}");
    let split = home.json(&["pane", "split", "--json"]);
    assert_eq!(split["pane"], "3", "{split}");
    server.stop();
}

#[test]
fn exit_codes_tell_what_kind_of_failure_it_is() {
    let server = Server::start();
    let home = server.home();
    server.first();
    for (code, words) in [
        (1, &["session", "new", "default", "--detached"][..]),
        (1, &["session", "kill", "nowhere"]),
        (1, &["session", "delete", "nowhere", "--yes"]),
        (1, &["session", "attach", "default"]),
        (1, &["session", "new", "x", "--detached", "--cwd", "/does/not/exist"]),
        (1, &["pane", "split", "--", "/does/not/exist"]),
        (1, &["pane", "read", "1", "--lines", "9999999"]),
        (1, &["workspace", "rename", "0", ""]),
        (2, &["pane", "split", "99"]),
        (2, &["pane", "swap", "1", "99"]),
        (2, &["pane", "move", "1", "--tab", "9"]),
        (2, &["pane", "run", "99", "x"]),
        (2, &["pane", "send", "99", "x"]),
        (2, &["pane", "read", "99"]),
        (2, &["pane", "close", "99"]),
        (2, &["tab", "list", "--workspace", "9"]),
        (2, &["tab", "rename", "9", "x"]),
        (2, &["workspace", "close", "w9"]),
        (2, &["wait", "output", "1", "--match", "never there", "--timeout", "0"]),
        (64, &["session", "delete", "nowhere"]),
        (64, &["session", "dance"]),
        (64, &["server", "dance"]),
        (64, &["pane", "run", "1"]),
        (64, &["pane", "focus"]),
        (64, &["wait", "output", "1"]),
        (64, &["wait", "output", "1", "--match", "x", "--timeout", "-1"]),
        (64, &["help", "dance"]),
    ] {
        let message = home.fails(code, words);
        assert!(message.starts_with("luvus: "), "{words:?}: {message}");
        assert_eq!(message.lines().count(), 1, "{words:?}: {message}");
    }
    server.stop();
}

#[test]
fn the_switcher_goes_to_another_session_makes_one_and_ends_one() {
    let home = Home::new();
    let terminal = Terminal::attach(&home);
    terminal.line("echo first-$((1+1))");
    terminal.wait_for_text("first-2");
    terminal.prefix("t");
    terminal.wait_for_text("this one");
    terminal.send("second");
    terminal.wait_for_text("Enter makes this session");
    terminal.send("\r");
    terminal.wait_for("the new session", |screen| screen.status().contains("second") && screen.has("ready>"));
    terminal.line("echo typed-$((1+1))");
    terminal.wait_for_text("typed-2");

    terminal.prefix("t");
    terminal.wait_for_text("ctrl+x ends it");
    terminal.send("default\r");
    terminal.wait_for_text("first-2");
    terminal.line("echo back-$((1+1))");
    terminal.wait_for_text("back-2");

    terminal.prefix("t");
    terminal.wait_for_text("ctrl+x ends it");
    terminal.send("second\x18");
    terminal.wait_for_text("End session `second`");
    terminal.send("y");
    terminal.wait_for_text("session `second` has ended");
    terminal.send("\x04");
    terminal.wait_for_text("Delete session `second`");
    terminal.send("y");
    terminal.wait_for_text("is deleted");
    assert!(!home.path().join("sessions/second").exists());
    terminal.send("\x1b\x1b");
    home.stop();
    assert_eq!(terminal.wait_for_exit(), 0);
}
