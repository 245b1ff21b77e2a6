//! One terminal live over one connection: `terminal.backend.observe` and `.control`.

use crate::support::server::with;
use crate::support::{Server, Stream, Terminal, eventually};
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// One black pixel.
const PNG: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGP4DwABAQEAsTj2FAAAAABJRU5ErkJggg==";

/// Repeats what it is given, bytes as they come, and asks for pastes in brackets.
const MIRROR: &str =
    "stty -icanon -echo -isig -ixon -icrnl -iexten; printf '\\033[?2004hmirror-on\\r\\n'; cat -v";

fn observe(server: &Server, terminal: &Value, more: &Value) -> (Stream, Value) {
    server.peer().stream("terminal.backend.observe", &with(terminal, more))
}

fn control(server: &Server, terminal: &Value) -> Stream {
    let plain = json!({"ansi": false, "mode": "recent_unwrapped", "lines": 200});
    server.peer().stream("terminal.backend.control", &with(terminal, &plain)).0
}

fn text(data: &Value) -> &str {
    data["text"].as_str().expect("a text")
}

fn uploads(server: &Server) -> PathBuf {
    server.home().path().join("uploads")
}

fn entries(folder: &Path) -> usize {
    std::fs::read_dir(folder).map_or(0, Iterator::count)
}

/// The path that was pasted in brackets.
fn pasted(stream: &mut Stream) -> PathBuf {
    let data = stream.shows("^[[201~");
    let (_, after) = text(&data).rsplit_once("^[[200~").expect("the begin of a paste");
    PathBuf::from(after.split_once("^[[201~").expect("its end").0)
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for group in bytes.chunks(3) {
        let whole = [group[0], *group.get(1).unwrap_or(&0), *group.get(2).unwrap_or(&0)];
        let bits = whole.iter().fold(0_usize, |bits, byte| bits << 8 | usize::from(*byte));
        for place in 0..4 {
            let digit = char::from(DIGITS[bits >> (18 - 6 * place) & 63]);
            text.push(if place <= group.len() { digit } else { '=' });
        }
    }
    text
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

#[test]
fn actions_are_answered_by_id_between_the_pictures() {
    let server = Server::start();
    server.first();
    let mirror = server.run(&["/bin/sh", "-c", MIRROR]);
    let mut stream = control(&server, &mirror);
    stream.shows("mirror-on");
    let queued = json!({"type": "terminal_backend_action", "state": "succeeded", "dispatch": "queued"});
    for (action, params) in [
        ("type_literal", json!({"text": "one\ttwo"})),
        ("paste_text", json!({"text": "a\nb\u{1b}[201~c"})),
        ("submit_text", json!({"text": "done"})),
        ("send_key", json!({"key": "shift-up"})),
    ] {
        assert_eq!(stream.done(action, &params), queued, "{action}");
    }
    let data = stream.shows("^[[1;2A");
    let shown = text(&data).split_once("mirror-on\n").expect("the mirror").1;
    assert_eq!(shown, "one     two^[[200~a^Mbc^[[201~^[[200~done^[[201~^M^[[1;2A");

    let refused = |code: &str, dispatch: &str| (code.to_owned(), dispatch.to_owned());
    for (action, params, code) in [
        ("send_key", json!({"key": "raw"}), "invalid_params"),
        ("type_literal", json!({"text": ""}), "invalid_params"),
        ("type_literal", json!({"text": "x", "pane_id": "1"}), "invalid_params"),
        ("type_literal", json!({"text": "x".repeat(262_145)}), "input_too_large"),
        ("close", json!({}), "unsupported_capability"),
    ] {
        assert_eq!(stream.refused(action, &params), refused(code, "not_started"), "{action}");
    }
    // what is no action at all is answered, and the stream goes on
    for (bad, id) in [
        (&b"rubbish\n"[..], "0"),
        (b"{\"id\":\"x\",\"action\":\"send_key\",\"params\":{\"key\":\"up\"},\"auth\":\"y\"}\n", "x"),
        (b"{\"id\":\"x\",\"id\":\"y\",\"action\":\"send_key\",\"params\":{\"key\":\"up\"}}\n", "x"),
        (b"{\"id\":\"x\",\"method\":\"ping\",\"params\":{}}\n", "x"),
    ] {
        stream.send(bad);
        let response = stream.response(id);
        assert_eq!(response["error"]["code"], "invalid_request", "{response}");
    }
    stream.done("type_literal", &json!({"text": "end"}));
    stream.shows("^[[1;2Aend");
    // after a frame that is too large nothing can be understood
    stream.send(&vec![b'x'; 1_048_577]);
    assert_eq!(stream.response("0")["error"]["code"], "frame_too_large");
    assert_eq!(stream.last(), None);
    server.stop();
}

#[test]
fn actions_may_come_with_the_request() {
    let server = Server::start();
    let shell = server.first();
    server.wait_for_text(&shell, "ready>");
    let mut connection = server.peer().connect();
    let mut bytes = crate::support::peer::frame("terminal.backend.control", &shell);
    bytes.extend(
        b"{\"id\":\"k1\",\"action\":\"submit_text\",\"params\":{\"text\":\"echo early-$((1+1))\"}}\n",
    );
    std::io::Write::write_all(&mut connection, &bytes).expect("the server reads");
    let mut stream = Stream::resume(connection, "terminal.backend.control");
    assert_eq!(stream.next()["result"]["mode"], "control");
    assert_eq!(stream.response("k1")["result"]["dispatch"], "queued");
    stream.shows("early-2");
    server.stop();
}

#[test]
fn a_file_comes_in_pieces_and_its_path_is_pasted() {
    let server = Server::start();
    server.first();
    let mirror = server.run(&["/bin/sh", "-c", MIRROR]);
    let mut stream = control(&server, &mirror);
    stream.shows("mirror-on");
    let file: Vec<u8> = (0..400_000_u32).flat_map(|number| number.to_le_bytes()[..1].to_vec()).collect();
    let started = stream.done("upload_start", &json!({"name": "two words.bin", "size": file.len()}));
    assert_eq!((&started["received"], &started["size"]), (&json!(0), &json!(400_000)));
    let id = &started["upload_id"];
    let rejected = ("invalid_params".to_owned(), "rejected".to_owned());
    let second = stream.refused("upload_start", &json!({"name": "other", "size": 1}));
    assert_eq!(second, ("limit_exceeded".to_owned(), "rejected".to_owned()));
    let mut offset = 0;
    for chunk in file.chunks(163_840) {
        let params = json!({"upload_id": id, "offset": offset, "data_base64": base64(chunk)});
        let wrong = with(&params, &json!({"offset": offset + 1}));
        assert_eq!(stream.refused("upload_chunk", &wrong), rejected);
        assert_eq!(
            stream.refused("upload_finish", &json!({"upload_id": id})),
            rejected,
            "it is not complete"
        );
        offset += chunk.len();
        assert_eq!(stream.done("upload_chunk", &params)["received"], offset);
    }
    let more = json!({"upload_id": id, "offset": offset, "data_base64": "eA=="});
    assert_eq!(stream.refused("upload_chunk", &more), rejected, "longer than announced");
    let other = json!({"upload_id": "0".repeat(32)});
    assert_eq!(stream.refused("upload_finish", &other), rejected);
    assert_eq!(stream.done("upload_finish", &json!({"upload_id": id}))["dispatch"], "queued");

    let path = pasted(&mut stream);
    assert!(path.starts_with(uploads(&server)), "{path:?}");
    assert_eq!(path.file_name().and_then(|name| name.to_str()), Some("two words.bin"));
    assert!(std::fs::read(&path).expect("the file") == file, "the content is the same");
    let mode = |path: &Path| std::fs::metadata(path).expect("it is there").permissions().mode() & 0o777;
    assert_eq!((mode(&path), mode(&uploads(&server))), (0o600, 0o700));
    assert_eq!(entries(&uploads(&server)), 1);
    // it stays when its stream has gone
    drop(stream);
    assert!(path.exists());
    server.stop();
}

#[test]
fn nothing_is_left_of_a_file_that_is_not_complete() {
    let server = Server::start();
    let shell = server.first();
    let mut stream = control(&server, &shell);
    let start = |stream: &mut Stream| {
        let id = stream.done("upload_start", &json!({"name": "a", "size": 33_554_432}))["upload_id"].clone();
        let chunk = json!({"upload_id": id, "offset": 0, "data_base64": base64(&[7; 163_840])});
        stream.done("upload_chunk", &chunk);
        assert_eq!(entries(&uploads(&server)), 1);
        id
    };
    let id = start(&mut stream);
    assert_eq!(stream.done("upload_cancel", &json!({"upload_id": id}))["dispatch"], "executed");
    assert_eq!(entries(&uploads(&server)), 0);
    let gone = stream.refused("upload_cancel", &json!({"upload_id": id}));
    assert_eq!(gone, ("invalid_params".to_owned(), "rejected".to_owned()));
    for bad in [
        json!({"name": "../a", "size": 1}),
        json!({"name": "..", "size": 1}),
        json!({"name": "a\nb", "size": 1}),
        json!({"name": "a", "size": 0}),
        json!({"name": "a", "size": 33_554_433}),
    ] {
        assert_eq!(stream.refused("upload_start", &bad).0, "invalid_params", "{bad}");
    }
    start(&mut stream);
    drop(stream);
    eventually("the disconnect removes it", || (entries(&uploads(&server)) == 0).then_some(()));
    server.stop();
}

#[test]
fn an_image_is_looked_at_before_it_is_stored() {
    let server = Server::start();
    server.first();
    let mirror = server.run(&["/bin/sh", "-c", MIRROR]);
    let mut stream = control(&server, &mirror);
    stream.shows("mirror-on");
    for bad in [
        "eA==".to_owned(),
        PNG[..PNG.len() - 8].to_owned(),
        PNG.replace("ACklEQ", "ACklER"),
        "A".repeat(218_460),
    ] {
        let refused = stream.refused("paste_image", &json!({"png_base64": bad}));
        assert_eq!(refused, ("invalid_params".to_owned(), "not_started".to_owned()));
    }
    assert_eq!(entries(&uploads(&server)), 0);
    assert_eq!(stream.done("paste_image", &json!({"png_base64": PNG}))["dispatch"], "queued");
    let path = pasted(&mut stream);
    assert_eq!(path.extension().and_then(|kind| kind.to_str()), Some("png"));
    assert_eq!(base64(&std::fs::read(&path).expect("the image")), PNG);
    server.stop();
}

/// Asks the shell for its size, and waits until it is that.
fn wait_for_size(server: &Server, shell: &Value, size: &str) {
    eventually(&format!("size {size}"), || {
        server.type_text(shell, "clear; echo [$(stty size)]\n");
        server.wait_for_text(shell, "[");
        let visible = with(shell, &json!({"mode": "visible", "lines": 5, "ansi": false}));
        let shown = server.call("terminal.backend.capture", &visible);
        text(&shown).contains(&format!("[{size}]")).then_some(())
    });
}

#[test]
fn a_viewport_rules_while_nobody_is_attached() {
    let server = Server::start();
    let shell = server.first();
    let silent = server.run(&["/bin/sh", "-c", "echo silent; exec sleep 600"]);
    let mut stream = control(&server, &silent);
    let before = stream.shows("silent")["content_revision"].as_u64();
    let set = json!({"cols": 40, "rows": 18});
    assert_eq!(stream.done("set_viewport", &set)["dispatch"], "executed");
    stream.picture("the new size", |data| data["content_revision"].as_u64() > before);

    let mut stream = control(&server, &shell);
    stream.done("set_viewport", &set);
    wait_for_size(&server, &shell, "18 40");
    for bad in [json!({"cols": 1, "rows": 18}), json!({"cols": 501, "rows": 2}), json!({"cols": 40})] {
        assert_eq!(stream.refused("set_viewport", &bad).0, "invalid_params");
    }
    // other changes leave it alone, its own layout does not
    server.call("workspace.open", &json!({"path": server.home().person()}));
    server.call("pane.focus", &json!({"pane": "1"}));
    wait_for_size(&server, &shell, "18 40");
    let split = server.call("pane.split", &json!({"pane": "1", "direction": "right"}));
    wait_for_size(&server, &shell, "38 59");
    server.call("pane.close", &json!({"pane": split["pane"]}));
    stream.done("set_viewport", &set);
    wait_for_size(&server, &shell, "18 40");

    let attached = Terminal::attach(server.home());
    attached.wait_for_text("ready>");
    let refused = stream.refused("set_viewport", &json!({"cols": 30, "rows": 10}));
    assert_eq!(refused, ("unavailable".to_owned(), "rejected".to_owned()));
    attached.line("clear; stty size");
    attached.wait_for("its own size", |screen| screen.find("18 40").is_none() && screen.find("30").is_none());
    drop(attached);
    eventually("the client is gone", || {
        let response = stream.act("set_viewport", &set);
        response.get("result").is_some().then_some(())
    });
    wait_for_size(&server, &shell, "18 40");
    server.stop();
}

#[test]
fn a_child_that_does_not_read_fills_its_queue_and_nothing_else() {
    let server = Server::start();
    let shell = server.first();
    let deaf = server.run(&["/bin/sh", "-c", "stty raw -echo; echo deaf; while :; do sleep 600; done"]);
    let mut stream = control(&server, &deaf);
    stream.shows("deaf");
    let fill = json!({"text": "secret-word ".repeat(20_000)});
    stream.done("type_literal", &fill);
    let accepted = (0..5_000).take_while(|_| {
        let response = stream.act("send_key", &json!({"key": "space"}));
        if let Some(error) = response.get("error") {
            assert_eq!((&error["code"], &error["dispatch"]), (&json!("send_failed"), &json!("rejected")));
            assert!(error["message"].to_string().contains("queue is full"), "{error}");
        }
        response.get("result").is_some()
    });
    assert_eq!(accepted.count(), 4_095, "with the first one that makes 4,096");
    // everybody else goes on
    server.type_text(&shell, "echo prompt-$((1+1))\n");
    server.wait_for_text(&shell, "prompt-2");
    assert_eq!(stream.refused("paste_text", &json!({"text": "x"})).0, "send_failed");
    let log = eventually("the refusal is logged", || {
        Some(server.log()).filter(|log| log.contains("pty.input_rejected"))
    });
    assert!(!log.contains("secret-word"));
    server.call("terminal.backend.close", &deaf);
    stream.last();
    server.wait_for_terminals(1);
    server.stop();
}
