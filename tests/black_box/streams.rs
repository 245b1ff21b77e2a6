//! One terminal live over one connection: what `terminal.backend.observe` and `.control` have in common.

use crate::support::server::with;
use crate::support::{Server, Stream, Terminal, eventually};
use serde_json::{Value, json};

pub fn control(server: &Server, terminal: &Value) -> Stream {
    let plain = json!({"ansi": false, "mode": "recent_unwrapped", "lines": 200});
    server.peer().stream("terminal.backend.control", &with(terminal, &plain)).0
}

fn observe(server: &Server, terminal: &Value, more: &Value) -> (Stream, Value) {
    server.peer().stream("terminal.backend.observe", &with(terminal, more))
}

fn text(data: &Value) -> &str {
    data["text"].as_str().expect("a text")
}

#[test]
fn a_stream_begins_with_its_acknowledgment_and_a_whole_picture() {
    let server = Server::start();
    let shell = server.first();
    server.wait_for_text(&shell, "ready>");
    let (mut stream, started) = observe(&server, &shell, &json!({}));
    assert_eq!((&started["mode"], &started["capture_mode"]), (&json!("observe"), &json!("visible")));
    assert_eq!((&started["lines"], &started["ansi"]), (&json!(80), &json!(true)));
    assert_eq!((&started["frame_bytes"], &started["queue_capacity"]), (&json!(65_536), &json!(2)));
    let frame = stream.next();
    assert_eq!(frame["event"], "terminal.frame");
    assert_eq!(frame["sequence"], started["sequence"]);
    let data = &frame["data"];
    assert_eq!(data["terminal_id"], shell["terminal_id"]);
    assert_eq!((text(data), &data["bytes"], &data["lines"]), ("ready>", &json!(6), &json!(1)));
    assert_eq!(data.get("cursor"), None, "only by request");

    let lines = json!({"mode": "recent_unwrapped", "lines": 2, "ansi": false, "cursor": true});
    let (mut other, started) = observe(&server, &shell, &lines);
    assert_eq!((&started["lines"], &started["capture_mode"]), (&json!(2), &json!("recent_unwrapped")));
    assert_eq!(other.next()["data"]["cursor"], json!({"offset": 6, "padding_cells": 1}));
    server.type_text(&shell, "printf '\\033[?25l'; echo one; echo two\n");
    let data = other.shows("two\nready>");
    assert_eq!((text(&data), &data["truncated"]), ("two\nready>", &json!(true)));
    assert_eq!(data["cursor"], Value::Null, "it is hidden");
    server.stop();
}

#[test]
fn what_a_quiet_child_printed_last_always_comes() {
    let server = Server::start();
    server.first();
    // two writes, a moment apart, then nothing until it is asked again
    let child =
        server.run(&["/bin/sh", "-c", "while read n; do echo a-$n; sleep 0.0$((n%4)); echo b-$n.; done"]);
    let (mut stream, _) = observe(&server, &child, &json!({"ansi": false}));
    let (mut revision, mut sequence) = (0, 0);
    for round in 0..40 {
        server.type_text(&child, &format!("{round}\n"));
        let last = format!("b-{round}.");
        loop {
            let frame = stream.next();
            let data = &frame["data"];
            let newer = (data["content_revision"].as_u64(), frame["sequence"].as_u64());
            assert!(newer.0 > Some(revision), "every picture is newer: {frame}");
            assert!(newer.1 > Some(sequence), "the events are in order: {frame}");
            (revision, sequence) = (newer.0.expect("a number"), newer.1.expect("a number"));
            if text(data).ends_with(&last) {
                break;
            }
        }
    }
    server.stop();
}

#[test]
fn a_reader_that_looks_later_finds_the_last_picture() {
    let server = Server::start();
    server.first();
    let child =
        server.run(&["/bin/sh", "-c", "read n; for n in 1 2 3; do echo part-$n; sleep 0.1; done; cat"]);
    let (mut stream, _) = observe(&server, &child, &json!({"ansi": false}));
    server.type_text(&child, "\n");
    server.wait_for_text(&child, "part-3");
    stream.shows("part-1\npart-2\npart-3");
    server.stop();
}

#[test]
fn nothing_is_told_of_a_terminal_that_is_quiet() {
    let server = Server::start();
    server.first();
    let quiet = server.run(&["/bin/sh", "-c", "echo quiet; cat"]);
    let loud = server.run(&["/bin/sh", "-c", "read n; yes loud"]);
    let (mut stream, _) = observe(&server, &quiet, &json!({"ansi": false}));
    stream.shows("quiet");
    server.type_text(&loud, "\n");
    server.wait_for_text(&loud, "loud\nloud");
    server.call("terminal.backend.set_title", &with(&quiet, &json!({"title": "named"})));
    server.type_text(&quiet, "last");
    let next = stream.next();
    assert_eq!(text(&next["data"]), "quiet\nlast", "only its own output counts");
    server.stop();
}

#[test]
fn a_picture_is_bounded_and_holds_nothing_but_text_and_colours() {
    let server = Server::start();
    server.first();
    let script =
        "printf '\\033[31m\\033]0;title\\007\\033[?1049h'; yes \"$(printf '\\033[1;38;5;200mloud')\"";
    let flood = server.run(&["/bin/sh", "-c", script]);
    let (mut stream, _) = observe(&server, &flood, &json!({"lines": 200}));
    let data = stream.shows("loud");
    let text = text(&data);
    assert!(text.len() <= 65_536 && data["bytes"] == text.len());
    assert!(text.contains("\u{1b}[0;1;38;5;200m"), "{text:?}");
    for part in text.split('\u{1b}').skip(1) {
        let (sequence, _) = part.split_once('m').expect("a colour");
        assert!(
            sequence.bytes().all(|byte| byte == b'[' || byte == b';' || byte.is_ascii_digit()),
            "{part:?}"
        );
    }
    server.stop();
}

#[test]
fn half_a_close_ends_no_stream_and_an_observer_has_no_say() {
    let server = Server::start();
    let shell = server.first();
    let (mut stream, _) = observe(&server, &shell, &json!({"ansi": false}));
    stream.send(b"{\"id\":\"a\",\"action\":\"type_literal\",\"params\":{\"text\":\"never\"}}\nrubbish\n");
    stream.close_input();
    server.type_text(&shell, "echo still-$((1+1))\n");
    let data = stream.shows("still-2");
    assert!(!text(&data).contains("never"), "{data}");

    let mut stream = control(&server, &shell);
    stream.done("type_literal", &json!({"text": "echo "}));
    stream.close_input();
    server.type_text(&shell, "half-$((1+1))\n");
    stream.shows("half-2");
    let (code, _) = refusal(&server, "terminal.backend.control", &shell);
    assert_eq!(code, "control_conflict", "it is still there");
    server.stop();
}

fn refusal(server: &Server, method: &str, terminal: &Value) -> (String, Value) {
    let response = server.peer().request(method, terminal);
    let error = &response["error"];
    (error["code"].as_str().unwrap_or("none").to_owned(), error["dispatch"].clone())
}

#[test]
fn a_stream_ends_with_its_terminal() {
    let server = Server::start();
    server.first();
    let closed = server.run(&["/bin/sh", "-c", "echo on; cat"]);
    let exited = server.run(&["/bin/sh", "-c", "echo on; read n; printf last-$n"]);
    let (mut first, _) = observe(&server, &closed, &json!({}));
    let mut second = control(&server, &exited);
    first.shows("on");
    server.call("terminal.backend.close", &closed);
    first.last();
    second.done("type_literal", &json!({"text": "words\n"}));
    second.shows("last-words");
    second.last();
    assert_eq!(refusal(&server, "terminal.backend.observe", &closed).0, "stale_terminal");
    assert_eq!(server.call("ping", &json!({}))["type"], "pong");
    server.stop();
}

#[test]
fn streams_end_with_the_server() {
    let server = Server::start();
    let shell = server.first();
    let mut control = control(&server, &shell);
    let (mut observe, _) = observe(&server, &shell, &json!({}));
    server.stop();
    control.last();
    observe.last();
}

#[test]
fn one_stream_controls_a_terminal_until_it_is_gone() {
    let server = Server::start();
    let shell = server.first();
    let attached = Terminal::attach(server.home());
    let mut first = control(&server, &shell);
    assert_eq!(
        refusal(&server, "terminal.backend.control", &shell),
        ("control_conflict".into(), json!("rejected"))
    );
    // others are as free as before
    let (mut observer, _) = observe(&server, &shell, &json!({"ansi": false}));
    attached.line("echo person-$((1+1))");
    attached.wait_for_text("person-2");
    server.type_text(&shell, "echo method-$((1+1))\n");
    observer.shows("method-2");
    first.done("submit_text", &json!({"text": "echo stream-$((1+1))"}));
    observer.shows("stream-2");
    drop(first);
    let mut second = eventually("the lease is free", || {
        let params = with(&shell, &json!({"ansi": false}));
        let mut stream = Stream::open(server.peer().connect(), "terminal.backend.control", &params);
        stream.next().get("result").is_some().then_some(stream)
    });
    second.done("submit_text", &json!({"text": "echo again-$((1+1))"}));
    second.shows("again-2");
    server.stop();
}

#[test]
fn a_server_has_room_for_eight_streams() {
    let server = Server::start();
    let shell = server.first();
    let mut streams: Vec<Stream> = (0..7).map(|_| observe(&server, &shell, &json!({})).0).collect();
    streams.push(control(&server, &shell));
    for method in ["terminal.backend.observe", "terminal.backend.control"] {
        let other = server.run(&["cat"]);
        assert_eq!(refusal(&server, method, &other).0, "limit_exceeded", "{method}");
    }
    // bad params and a wrong identity are told first
    let bad = with(&shell, &json!({"lines": 201}));
    assert_eq!(refusal(&server, "terminal.backend.observe", &bad).0, "invalid_params");
    streams.remove(3);
    streams.push(eventually("a free place", || {
        let mut stream = Stream::open(server.peer().connect(), "terminal.backend.observe", &shell);
        stream.next().get("result").is_some().then_some(stream)
    }));
    server.stop();
}

#[test]
fn a_reader_that_is_too_slow_loses_its_stream_and_delays_nobody() {
    let server = Server::start();
    let shell = server.first();
    let flood = server.run(&[
        "/bin/sh",
        "-c",
        "printf '\\033[31m'; yes \"$(printf 'a\\033[32mb\\033[33mc%.0s' 1 2 3 4 5 6 7 8)\"",
    ]);
    let mut slow: Vec<Stream> = (0..8).map(|_| observe(&server, &flood, &json!({"lines": 200})).0).collect();
    server.type_text(&shell, "echo prompt-$((1+1))\n");
    server.wait_for_text(&shell, "prompt-2");
    // its place is free again although it is still connected
    let (mut fast, _) = eventually("a free place", || {
        let mut stream = Stream::open(server.peer().connect(), "terminal.backend.observe", &shell);
        let answer = stream.next();
        answer.get("result").is_some().then_some((stream, ()))
    });
    fast.shows("prompt-2");
    // those that have not lost theirs yet see the flood's end
    server.call("terminal.backend.close", &flood);
    let last = slow.remove(0).last().expect("what was sent before");
    assert!(["terminal.resync_required", "terminal.frame"].contains(&last["event"].as_str().unwrap_or("?")));
    server.stop();
}

#[test]
fn a_reader_that_keeps_up_sees_a_flood_to_its_end() {
    let server = Server::start();
    server.first();
    let child = server.run(&["/bin/sh", "-c", "read n; seq 1 30000; printf the-end; cat"]);
    let (mut stream, _) = observe(&server, &child, &json!({"mode": "recent_unwrapped", "lines": 50}));
    server.type_text(&child, "\n");
    stream.shows("the-end");
    server.stop();
}
