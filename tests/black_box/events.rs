//! Events: subscriptions, fences, replay and loss; waits.

use crate::support::peer::frame;
use crate::support::server::with;
use crate::support::{PATIENCE, Server, Terminal, eventually};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::Shutdown;
use std::time::Instant;

const TERMINALS: &str = "terminal.backend.events.subscribe";

/// Starts a program in a terminal of its own; its locator.
fn start(server: &Server, script: &str) -> Value {
    let params = json!({
        "cwd": server.home().project(), "command": ["/bin/sh", "-c", script],
        "placement": {"kind": "workspace"}, "focus": false,
    });
    let created = server.call("terminal.backend.create", &params);
    json!({
        "server_generation": created["server_generation"],
        "terminal_id": created["terminal_id"],
        "pane_id": created["pane_id"],
    })
}

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().map(|object| object.keys().map(String::as_str).collect()).unwrap_or_default()
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("a number, not {value}"))
}

/// Whether an event is about that terminal.
fn of(event: &Value, locator: &Value) -> bool {
    event["data"]["terminal_id"] == locator["terminal_id"]
}

/// The events of a terminal up to and with the first of that name.
fn until(stream: &mut crate::support::Stream, locator: &Value, name: &str) -> Vec<Value> {
    let mut events = Vec::new();
    loop {
        let event = stream.next();
        if of(&event, locator) {
            let last = event["event"] == name;
            events.push(event);
            if last {
                return events;
            }
        }
    }
}

fn names(events: &[Value]) -> Vec<&str> {
    let mut names: Vec<&str> = events.iter().filter_map(|event| event["event"].as_str()).collect();
    names.dedup();
    names
}

#[test]
fn a_terminal_s_life_is_told_in_order() {
    let server = Server::start();
    server.first();
    let (mut stream, started) = server.peer().stream(TERMINALS, &json!({}));
    assert_eq!(started["type"], "subscription_started");
    assert_eq!(started["queue_capacity"], 256);
    assert_eq!(started["loss_behavior"], "resync_required_then_close");
    assert_eq!(keys(&started), ["loss_behavior", "queue_capacity", "sequence", "type"]);

    let child = start(&server, "read line; echo $line; exit 3");
    let fence = number(&server.call("terminal.backend.snapshot", &json!({}))["event_sequence"]);
    let created = stream.event("terminal.created");
    assert!(of(&created, &child) && number(&created["sequence"]) <= fence);
    assert_eq!(keys(&created), ["data", "event", "sequence"]);
    let data = &created["data"];
    assert_eq!(
        keys(data),
        ["content_revision", "detail", "pane_id", "server_generation", "tab", "terminal_id", "workspace"]
    );
    assert_eq!((&data["pane_id"], &data["detail"]), (&child["pane_id"], &json!({})));
    assert_eq!((&data["workspace"], &data["tab"]), (&json!(2), &json!(1)));

    server.type_text(&child, "words\n");
    let events = until(&mut stream, &child, "terminal.closed");
    assert_eq!(names(&events), ["terminal.output_ready", "terminal.exited", "terminal.closed"]);
    let [.., exited, closed] = events.as_slice() else { panic!("two events") };
    assert_eq!(exited["data"]["detail"], json!({"exit_code": 3, "signal": null}));
    assert_eq!(closed["data"]["detail"], json!({"reason": "exited", "exit_code": 3, "signal": null}));
    assert_eq!((&closed["data"]["workspace"], &closed["data"]["tab"]), (&json!(2), &json!(1)));
    let revisions = events.iter().map(|event| number(&event["data"]["content_revision"]));
    assert!(revisions.is_sorted());
    assert!(events.iter().map(|event| number(&event["sequence"])).is_sorted_by(|a, b| a < b));
    let validation = server.call("terminal.backend.validate", &child);
    assert_eq!(validation["state"], "gone");
    server.stop();
}

#[test]
fn a_death_by_signal_has_its_name_and_no_code() {
    let server = Server::start();
    server.first();
    let (mut stream, _) = server.peer().stream(TERMINALS, &json!({}));
    let child = start(&server, "kill -KILL $$");
    let exited = until(&mut stream, &child, "terminal.exited").pop().expect("an event");
    assert_eq!(exited["data"]["detail"], json!({"exit_code": null, "signal": "SIGKILL"}));
    server.stop();
}

#[test]
fn a_requested_close_is_one_event_and_ends_waits() {
    let server = Server::start();
    server.first();
    let child = start(&server, "trap '' HUP; sleep 600");
    let (mut stream, _) = server.peer().stream(TERMINALS, &json!({}));
    let wait = with(&child, &json!({"after_revision": 1_000, "timeout_ms": 60_000}));
    let mut parked = server.peer().connect();
    parked.write_all(&frame("terminal.backend.wait_change", &wait)).expect("the server reads");
    eventually("the wait is parked", || {
        (number(&server.call("uhp.stats", &json!({}))["connections"]["active"]) >= 3).then_some(())
    });
    server.call("terminal.backend.close", &child);
    let events = until(&mut stream, &child, "terminal.closed");
    assert_eq!(names(&events), ["terminal.closed"]);
    assert_eq!(events[0]["data"]["detail"], json!({"reason": "closed"}));
    let mut answer = String::new();
    parked.read_to_string(&mut answer).expect("an answer");
    assert!(answer.contains("terminal_gone"), "{answer}");
    // a child that the close itself ends at once had not ended before
    for _ in 0..10 {
        let child = start(&server, "sleep 600");
        server.call("terminal.backend.close", &child);
        let closed = until(&mut stream, &child, "terminal.closed").pop().expect("an event");
        assert_eq!(closed["data"]["detail"], json!({"reason": "closed"}));
    }
    server.stop();
}

#[test]
fn a_held_pane_exits_once_and_closes_at_its_removal() {
    let server = Server::with_config("[pane]\non_exit = \"hold\"\n");
    server.first();
    let (mut stream, _) = server.peer().stream(TERMINALS, &json!({}));
    let child = start(&server, "echo last words; exit 7");
    let exited = until(&mut stream, &child, "terminal.exited").pop().expect("an event");
    assert_eq!(exited["data"]["detail"]["exit_code"], 7);
    assert_eq!(server.terminals().len(), 2);
    assert_eq!(server.call("terminal.backend.validate", &child)["state"], "gone");
    assert!(server.text(&child).contains("last words"));
    let input = server.peer().refusal("terminal.backend.type_literal", &with(&child, &json!({"text": "x"})));
    assert_eq!(input, "terminal_gone");
    server.call("terminal.backend.close", &child);
    let closed = until(&mut stream, &child, "terminal.closed");
    assert_eq!(names(&closed), ["terminal.closed"]);
    assert_eq!(closed[0]["data"]["detail"], json!({"reason": "closed", "exit_code": 7, "signal": null}));
    server.stop();
}

#[test]
fn a_wait_never_runs_ahead_of_the_events() {
    let server = Server::start();
    server.first();
    let (mut stream, _) = server.peer().stream(TERMINALS, &json!({}));
    let child = start(&server, "stty -echo; while read -r line; do echo got-$line; done");
    let mut revision = 0;
    for round in 0..20 {
        server.type_text(&child, &format!("{round}\n"));
        let wait = json!({"after_revision": revision, "match": format!("got-{round}"), "timeout_ms": 15_000});
        let answer = server.call("terminal.backend.wait_output", &with(&child, &wait));
        let seen = number(&answer["content_revision"]);
        assert!(seen > revision);
        revision = seen;
        // what the answer rests on is in the stream already, not only some day
        let fence = number(&server.call("terminal.backend.snapshot", &json!({}))["event_sequence"]);
        loop {
            let event = stream.next();
            assert!(number(&event["sequence"]) <= fence, "no event covers revision {revision}");
            let told = number(&event["data"]["content_revision"]);
            if event["event"] == "terminal.output_ready" && of(&event, &child) && told >= revision {
                break;
            }
        }
    }
    server.stop();
}

#[test]
fn a_silent_child_makes_no_events() {
    let server = Server::start();
    let shell = server.first();
    server.wait_for_text(&shell, "ready>");
    let before = number(&server.call("terminal.backend.snapshot", &json!({}))["event_sequence"]);
    let child = start(&server, "exec sleep 600");
    let wait = with(&child, &json!({"after_revision": 1, "timeout_ms": 200}));
    let result = server.peer().request("terminal.backend.wait_change", &wait);
    assert_eq!(result["error"]["code"], "timeout", "{result}");
    let params = json!({"after_sequence": before, "event": "terminal.output_ready", "timeout_s": 0,
                        "where": {"terminal_id": child["terminal_id"]}});
    let waited = server.call("events.wait", &params);
    assert_eq!(waited["matched"], false, "{waited}");
    server.stop();
}

#[test]
fn a_mirror_of_snapshot_and_events_is_the_next_snapshot() {
    let server = Server::start();
    server.first();
    let child = start(&server, "while read -r line; do echo $line; done");
    let (mut stream, _) = server.peer().stream(TERMINALS, &json!({}));
    for round in 0..10 {
        server.type_text(&child, &format!("{round}\n"));
        let first = server.call("terminal.backend.snapshot", &json!({}));
        let (since, mut revision) = (number(&first["event_sequence"]), revision_in(&first, &child));
        server.type_text(&child, "more\n");
        let wait = json!({"after_revision": revision, "match": "more", "timeout_ms": 15_000});
        server.call("terminal.backend.wait_output", &with(&child, &wait));
        let second = server.call("terminal.backend.snapshot", &json!({}));
        let fence = number(&second["event_sequence"]);
        assert!(fence > since);
        loop {
            let event = stream.next();
            let (sequence, told) = (number(&event["sequence"]), number(&event["data"]["content_revision"]));
            if of(&event, &child) && (since + 1..=fence).contains(&sequence) {
                assert!(told >= revision, "revisions never go back");
                revision = told;
            }
            if sequence >= fence {
                break;
            }
        }
        // output that is not announced yet may be in the snapshot, never the other way round
        assert!(revision_in(&second, &child) >= revision);
    }
    server.stop();
}

fn revision_in(snapshot: &Value, locator: &Value) -> u64 {
    let rows = snapshot["terminals"].as_array().expect("a list");
    let row = rows.iter().find(|row| row["terminal_id"] == locator["terminal_id"]).expect("it is listed");
    number(&row["content_revision"])
}

#[test]
fn what_the_session_does_is_told_with_texts() {
    let server = Server::start();
    server.first();
    let (mut stream, _) = server.peer().stream("events.subscribe", &json!({}));
    let mut told = |name: &str| stream.event(name)["data"].clone();
    server.call("tab.new", &json!({}));
    assert_eq!(told("tab.created"), json!({"tab": "2"}));
    let created = told("pane.created");
    assert_eq!((&created["pane"], keys(&created)), (&json!("2"), vec!["pane", "terminal_id"]));
    assert_eq!(told("pane.focused"), json!({"pane": "2"}));
    server.call("pane.split", &json!({"direction": "right"}));
    assert_eq!(told("pane.focused"), json!({"pane": "3"}));
    server.call("pane.rename", &json!({"name": "ana"}));
    assert_eq!(told("pane.renamed"), json!({"pane": "3", "name": "ana"}));
    server.call("pane.zoom", &json!({"zoomed": true}));
    assert_eq!(told("pane.zoomed"), json!({"pane": "3", "enabled": true}));
    server.call("pane.move", &json!({"pane": "3", "tab": 1}));
    assert_eq!(told("pane.moved"), json!({"pane": "3", "workspace": "0", "tab": "1"}));
    let moved = told("terminal.moved");
    assert_eq!((&moved["pane_id"], &moved["tab"]), (&json!("3"), &json!(1)));
    server.call("pane.swap", &json!({"pane": 1, "with": 3}));
    assert_eq!(told("pane.swapped"), json!({"pane": "1", "with": "3"}));
    server.call("tab.move", &json!({"tab": 1, "to": 2}));
    assert_eq!(told("tab.moved"), json!({"workspace": "0", "from": "1", "to": "2", "active": "2"}));
    server.call("tab.close", &json!({"tab": 1}));
    assert_eq!(told("terminal.closed")["pane_id"], "2");
    assert_eq!(told("pane.closed"), json!({"pane": "2"}));
    assert_eq!(told("tab.closed"), json!({"tab": "1"}));
    server.call("workspace.new", &json!({"cwd": server.home().person()}));
    assert_eq!(told("workspace.created"), json!({"workspace": "1"}));
    server.call("workspace.move", &json!({"workspace": 1, "to": 0}));
    assert_eq!(told("workspace.moved"), json!({"workspace": "1", "to": "0"}));
    server.call("workspace.close", &json!({"workspace": 0}));
    assert_eq!(told("workspace.closed"), json!({"workspace": "0"}));
    server.stop();
}

#[test]
fn events_can_be_asked_for_again_while_they_are_kept() {
    let server = Server::start();
    server.first();
    let before = server.call("session.snapshot", &json!({}))["event_sequence"].clone();
    server.call("pane.rename", &json!({"name": "ana"}));
    server.call("pane.rename", &json!({"name": "bo"}));
    let (mut stream, started) = server.peer().stream("events.subscribe", &json!({"after_sequence": before}));
    assert!(number(&started["sequence"]) >= number(&before) + 2);
    assert_eq!(stream.event("pane.renamed")["data"]["name"], "ana");
    assert_eq!(stream.event("pane.renamed")["data"]["name"], "bo");
    server.call("pane.rename", &json!({"name": "cy"}));
    assert_eq!(stream.event("pane.renamed")["data"]["name"], "cy");
    // a number that has not been is of another server life
    let future = json!({"after_sequence": 1_000_000});
    let refused = server.peer().request("events.subscribe", &future);
    assert_eq!(refused["error"]["code"], "resync_required");
    assert!(refused["error"]["data"]["sequence"].is_u64(), "{refused}");
    for _ in 0..150 {
        server.call("pane.rename", &json!({"name": "x"}));
        server.call("pane.rename", &json!({"name": "y"}));
    }
    assert_eq!(
        server.peer().refusal("events.subscribe", &json!({"after_sequence": before})),
        "resync_required"
    );
    server.stop();
}

#[test]
fn a_subscriber_that_does_not_read_is_cut_off_and_costs_nobody_else() {
    let server = Server::start();
    server.first();
    let mut asleep = server.peer().connect();
    asleep.write_all(&frame("events.subscribe", &json!({}))).expect("the server reads");
    let (mut awake, _) = server.peer().stream("events.subscribe", &json!({}));
    // far more than a socket holds; each round is waited for by the one who reads
    let name = "x".repeat(40);
    for round in 0..3_000 {
        let name = if round % 2 == 0 { name.clone() } else { format!("{}y", &name[1..]) };
        server.call("workspace.rename", &json!({"workspace": 0, "name": name}));
        assert_eq!(awake.event("workspace.renamed")["data"]["name"], name);
    }
    eventually("the sleeper's subscription has ended", || {
        let stats = server.call("uhp.stats", &json!({}));
        (stats["events"]["subscribers"] == 1).then_some(())
    });
    let mut lines = BufReader::new(asleep).lines();
    let mut last = Value::Null;
    for line in lines.by_ref() {
        let Ok(line) = line else { break };
        last = serde_json::from_str(&line).unwrap_or(Value::Null);
    }
    // the last frame is best effort; what came before it is whole
    if last["event"] == "events.resync_required" {
        assert_eq!(last["data"], json!({"reason": "subscriber_overflow"}));
    }
    server.stop();
}

#[test]
fn the_sixty_fifth_subscriber_is_refused() {
    let server = Server::start();
    server.first();
    let mut held: Vec<_> = (0..64).map(|_| server.peer().stream(TERMINALS, &json!({}))).collect();
    assert_eq!(server.peer().refusal(TERMINALS, &json!({})), "unavailable");
    held.pop();
    eventually("the place is free", || {
        let answer = server.peer().connect();
        let mut lines = BufReader::new(answer);
        lines.get_mut().write_all(&frame(TERMINALS, &json!({}))).expect("the server reads");
        let mut line = String::new();
        lines.read_line(&mut line).expect("an answer");
        line.contains("subscription_started").then_some(())
    });
    server.stop();
}

#[test]
fn half_a_close_keeps_a_subscription_and_a_whole_one_frees_it() {
    let server = Server::start();
    server.first();
    let mut connection = server.peer().connect();
    connection.write_all(&frame("events.subscribe", &json!({}))).expect("the server reads");
    connection.shutdown(Shutdown::Write).expect("half a close");
    let mut lines = BufReader::new(connection).lines();
    let mut next = || lines.next().expect("a frame").expect("a frame in time");
    assert!(next().contains("subscription_started"));
    server.call("pane.rename", &json!({"name": "ana"}));
    while !next().contains("pane.renamed") {}
    drop(lines);
    eventually("the subscription has ended", || {
        (server.call("uhp.stats", &json!({}))["events"]["subscribers"] == 0).then_some(())
    });
    // a wait that nobody waits for any more goes as well
    let mut waiting = server.peer().connect();
    let wait = json!({"event": "pane.closed", "timeout_s": 600});
    waiting.write_all(&frame("events.wait", &wait)).expect("the server reads");
    let subscribers = || number(&server.call("uhp.stats", &json!({}))["events"]["subscribers"]);
    eventually("the wait is parked", || (subscribers() == 1).then_some(()));
    drop(waiting);
    eventually("the wait has ended", || (subscribers() == 0).then_some(()));
    server.stop();
}

#[test]
fn one_event_can_be_waited_for() {
    let server = Server::start();
    server.first();
    let none = server.call("events.wait", &json!({"event": "pane.renamed", "timeout_s": 0}));
    assert_eq!((&none["type"], &none["matched"]), (&json!("event_wait"), &json!(false)));
    let after = &none["sequence"];
    server.call("pane.rename", &json!({"name": "ana"}));
    server.call("pane.rename", &json!({"name": "bo"}));
    let wait = json!({"event": "pane.renamed", "where": {"name": "bo", "pane": 1}, "after_sequence": after});
    let hit = server.call("events.wait", &wait);
    assert_eq!((&hit["matched"], &hit["event"]["data"]["name"]), (&json!(true), &json!("bo")));
    assert_eq!(hit["sequence"], hit["event"]["sequence"]);
    for bad in [
        json!({}),
        json!({"event": ""}),
        json!({"event": "x", "timeout_s": 3_601}),
        json!({"event": "x", "where": {"a": {}}}),
        json!({"event": "x", "more": 1}),
    ] {
        assert_eq!(server.peer().refusal("events.wait", &bad), "invalid_params", "{bad}");
    }
    server.stop();
}

#[test]
fn an_open_subscription_does_not_hold_the_server_s_end() {
    let server = Server::start();
    server.first();
    let (_stream, _) = server.peer().stream(TERMINALS, &json!({}));
    let began = Instant::now();
    server.stop();
    assert!(began.elapsed() < PATIENCE / 5);
}

#[test]
fn a_person_s_changes_are_told_too() {
    let server = Server::start();
    server.first();
    let (mut stream, _) = server.peer().stream("events.subscribe", &json!({}));
    let terminal = Terminal::attach(server.home());
    terminal.wait_for_text("ready>");
    terminal.prefix("c");
    // the folder's workspace with its first tab, then another one
    assert_eq!(stream.event("workspace.created")["data"], json!({"workspace": "1"}));
    assert_eq!(stream.event("tab.created")["data"], json!({"tab": "1"}));
    assert_eq!(stream.event("tab.created")["data"], json!({"tab": "2"}));
    drop(terminal);
    server.stop();
}
