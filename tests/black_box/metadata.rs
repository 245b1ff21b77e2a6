//! What is known and said of a terminal besides its content: processes, label, notifications, liveness.

use crate::support::server::with;
use crate::support::{Server, Terminal, eventually};
use serde_json::{Value, json};

fn names(result: &Value) -> Vec<&str> {
    result["executables"].as_array().expect("a list").iter().filter_map(Value::as_str).collect()
}

#[test]
fn processes_are_told_by_name_and_never_by_argument() {
    let server = Server::start();
    server.first();
    let script = "sleep 4242 & sleep 4243 & echo started; cat /etc/hosts -; echo over; read n";
    let child = server.run(&["/bin/sh", "-c", script]);
    server.wait_for_text(&child, "started");
    let found = eventually("the scan that follows the output", || {
        let result = server.call("terminal.backend.processes", &child);
        (result["scan"] == "observed" && names(&result).contains(&"cat")).then_some(result)
    });
    let mut seen = names(&found);
    seen.sort_unstable();
    assert_eq!(seen, ["cat", "sh", "sleep"], "each once");
    assert_eq!((&found["arguments_exposed"], &found["pane_id"]), (&json!(false), &child["pane_id"]));
    assert!(!found.to_string().contains("4242"));
    let pane = server.call("pane.processes", &json!({"pane": child["pane_id"]}));
    assert_eq!(
        (&pane["terminal_id"], &pane["root_process"], &pane["executables"]),
        (&child["terminal_id"], &found["root_process"], &found["executables"])
    );
    assert_eq!(server.peer().refusal("pane.processes", &json!({"pane": 77})), "not_found");
    // the next output brings the next look
    server.type_text(&child, "\u{4}");
    eventually("a look without the cat", || {
        let result = server.call("terminal.backend.processes", &child);
        (!names(&result).contains(&"cat") && names(&result).contains(&"sleep")).then_some(())
    });
    let wrong = with(&child, &json!({"expected_root": {"pid": 1}}));
    assert_eq!(server.peer().refusal("terminal.backend.processes", &wrong), "process_mismatch");
    server.stop();
}

#[test]
fn a_label_is_the_servers_and_reaches_no_child() {
    let server = Server::start();
    server.first();
    let child = server.run(&["/bin/sh", "-c", "stty -icanon -echo; echo on; cat -v"]);
    server.wait_for_text(&child, "on");
    let label = || server.terminals().into_iter().find(|row| row["terminal_id"] == child["terminal_id"]);
    let set =
        |title: &str| server.call("terminal.backend.set_title", &with(&child, &json!({"title": title})));
    assert_eq!(set("tête")["dispatch"], "executed");
    assert_eq!(label().expect("it is listed")["label"], "tête");
    assert_eq!(label().expect("it is listed")["terminal_title"], Value::Null);
    set("");
    assert_eq!(label().expect("it is listed")["label"], Value::Null);
    for bad in ["é".repeat(129), "\u{1b}[31m".to_owned()] {
        let bad = with(&child, &json!({"title": bad}));
        assert_eq!(server.peer().refusal("terminal.backend.set_title", &bad), "invalid_params");
    }
    server.type_text(&child, "end");
    server.wait_for_text(&child, "on\nend");
    server.stop();
}

#[test]
fn a_notification_is_shown_unless_its_pane_is_being_looked_at() {
    let server = Server::start();
    let shown = server.first();
    let hidden = server.run(&["cat"]);
    let attached = Terminal::attach(server.home());
    attached.wait_for_text("ready>");
    let notify = |terminal: &Value, title: &str, body: &str| {
        let params = with(terminal, &json!({"title": title, "body": body}));
        server.call("terminal.backend.notify", &params)
    };
    assert_eq!(notify(&shown, "seen-already", "secret-body")["dispatch"], "executed");
    assert_eq!(notify(&hidden, "Build", "all tests\n\u{1b}[2Jpass")["dispatch"], "executed");
    attached.wait_for_text("Build: all tests [2Jpass");
    attached.look(|screen| assert!(screen.find("seen-already").is_none()));
    let log = server.log();
    assert!(!log.contains("secret-body") && !log.contains("all tests"));
    let long = with(&hidden, &json!({"title": "", "body": "x".repeat(8_193)}));
    assert_eq!(server.peer().refusal("terminal.backend.notify", &long), "invalid_params");
    drop(attached);
    server.stop();
}

#[test]
fn what_was_told_while_nobody_was_there_is_in_the_history() {
    let server = Server::with_config("notifications.delay_ms = 0\n");
    server.first();
    let hidden = server.run(&["cat"]);
    let params = with(&hidden, &json!({"title": "Build", "body": "passed"}));
    server.call("terminal.backend.notify", &params);
    let told = |terminal: &Terminal| {
        terminal.prefix(":");
        terminal.wait_for_text("type to search");
        terminal.send("last notifications\r");
        terminal
            .wait_for("what was told", |screen| screen.has("Notifications") && screen.has("Build: passed"));
    };
    // Each client that comes later has it, not only the first one.
    for _ in 0..2 {
        let attached = Terminal::attach(server.home());
        told(&attached);
    }
    server.stop();
}

#[test]
fn notifications_can_be_switched_off() {
    let server = Server::with_config("notifications.toast = false\n");
    let hidden = server.run(&["cat"]);
    let attached = Terminal::attach(server.home());
    attached.wait_for_text("ready>");
    let params = with(&hidden, &json!({"title": "never-shown", "body": ""}));
    server.call("terminal.backend.notify", &params);
    attached.line("echo after-$((1+1))");
    attached.wait_for_text("after-2");
    attached.look(|screen| assert!(screen.find("never-shown").is_none()));
    drop(attached);
    server.stop();
}

#[test]
fn liveness_is_told_without_touching_anything() {
    let server = Server::with_config("pane.on_exit = \"hold\"\n");
    let shell = server.first();
    let state = |terminal: &Value| server.call("terminal.backend.validate", terminal)["state"].clone();
    assert_eq!(state(&shell), "alive");
    let root = server.terminals()[0]["root_process"].clone();
    assert_eq!(state(&with(&shell, &json!({"expected_root": root}))), "alive");
    let other = json!({"pid": root["pid"], "start_marker": "linux:1"});
    let refused =
        server.peer().refusal("terminal.backend.validate", &with(&shell, &json!({"expected_root": other})));
    assert_eq!(refused, "process_mismatch");

    let held = server.run(&["/bin/sh", "-c", "echo over"]);
    eventually("the held one is gone", || (state(&held) == "gone").then_some(()));
    server.wait_for_text(&held, "over");
    let input = with(&held, &json!({"key": "up"}));
    assert_eq!(server.peer().refusal("terminal.backend.send_key", &input), "terminal_gone");
    assert_eq!(server.call("terminal.backend.processes", &held)["scan"], "unavailable");
    // a held pane can still be watched, until it is removed
    let (mut stream, _) = server.peer().stream("terminal.backend.observe", &held);
    stream.shows("over");
    server.call("terminal.backend.close", &held);
    stream.last();
    assert_eq!(state(&held), "gone");
    server.stop();
}
