//! Keys by name over UHP: each is the tap that the program's keyboard mode asks for.

use crate::support::server::with;
use crate::support::{Server, have};
use serde_json::{Value, json};

/// Repeats what it is given, after it has set its modes.
fn mirror(server: &Server, modes: &str) -> Value {
    let script =
        format!("stty -icanon -echo -isig -ixon -icrnl -iexten; printf '{modes}on\\r\\n'; exec cat -v");
    let locator = server.run(&["/bin/sh", "-c", &script]);
    server.wait_for_text(&locator, "on");
    locator
}

/// Sends the keys, each with a bar behind it, and checks what the program got.
fn check(server: &Server, terminal: &Value, keys: &[(&str, &str)]) {
    for (key, _) in keys {
        let result = server.call("terminal.backend.send_key", &with(terminal, &json!({"key": key})));
        assert_eq!(result["dispatch"], "queued", "{key}");
        server.type_text(terminal, "|");
    }
    server.type_text(terminal, "end");
    server.wait_for_text(terminal, "end");
    let text = server.text(terminal);
    let (_, got) = text.split_once("on\n").expect("the mirror");
    let wanted: String = keys.iter().map(|(_, bytes)| format!("{bytes}|")).collect();
    assert_eq!(got, wanted + "end");
}

#[test]
fn every_base_key_has_its_usual_bytes() {
    let server = Server::start();
    server.first();
    check(
        &server,
        &mirror(&server, ""),
        &[
            ("enter", "^M"),
            ("escape", "^["),
            ("backtab", "^[[Z"),
            ("up", "^[[A"),
            ("down", "^[[B"),
            ("right", "^[[C"),
            ("left", "^[[D"),
            ("home", "^[[H"),
            ("end", "^[[F"),
            ("backspace", "^?"),
            ("delete", "^[[3~"),
            ("pageup", "^[[5~"),
            ("pagedown", "^[[6~"),
            ("space", " "),
            ("digit-0", "0"),
            ("digit-9", "9"),
            ("alt-d", "^[d"),
            ("ctrl-a", "^A"),
            ("ctrl-c", "^C"),
            ("ctrl-d", "^D"),
            ("ctrl-k", "^K"),
            ("ctrl-q", "^Q"),
            ("ctrl-s", "^S"),
            ("ctrl-u", "^U"),
            ("ctrl-w", "^W"),
            ("ctrl-z", "^Z"),
        ],
    );
    check(
        &server,
        &mirror(&server, ""),
        &[
            ("ctrl-space", "^@"),
            ("ctrl-shift-space", "^@"),
            ("ctrl-shift-a", "^A"),
            ("ctrl-enter", "^M"),
            ("shift-enter", "^[^M"),
            ("shift-tab", "^[[Z"),
            ("ctrl-up", "^[[1;5A"),
            ("shift-left", "^[[1;2D"),
            ("ctrl-shift-right", "^[[1;6C"),
            ("ctrl-home", "^[[1;5H"),
            ("shift-pageup", "^[[5;2~"),
            ("ctrl-shift-end", "^[[1;6F"),
        ],
    );
    server.stop();
}

#[test]
fn navigation_follows_the_terminals_modes() {
    let server = Server::start();
    server.first();
    let application = mirror(&server, "\\033[?1h");
    check(
        &server,
        &application,
        &[("up", "^[OA"), ("home", "^[OH"), ("ctrl-up", "^[[1;5A"), ("pageup", "^[[5~")],
    );
    let other_keys = mirror(&server, "\\033[>4;2m");
    check(
        &server,
        &other_keys,
        &[
            ("ctrl-shift-a", "^[[27;6;65~"),
            ("ctrl-enter", "^[[27;5;13~"),
            ("shift-enter", "^[[27;2;13~"),
            ("enter", "^M"),
            ("up", "^[[A"),
        ],
    );
    server.stop();
}

#[test]
fn a_tap_has_its_release_when_the_program_asks_for_events() {
    let server = Server::start();
    server.first();
    // disambiguate only
    let plain = mirror(&server, "\\033[>1u");
    check(
        &server,
        &plain,
        &[
            ("escape", "^[[27u"),
            ("ctrl-c", "^[[99;5u"),
            ("ctrl-shift-c", "^[[99;6u"),
            ("shift-enter", "^[[13;2u"),
            ("enter", "^M"),
            ("up", "^[[A"),
        ],
    );
    // with event types
    let events = mirror(&server, "\\033[>3u");
    check(
        &server,
        &events,
        &[
            ("escape", "^[[27u^[[27;1:3u"),
            ("ctrl-c", "^[[99;5u^[[99;5:3u"),
            ("up", "^[[A^[[1;1:3A"),
            ("shift-up", "^[[1;2A^[[1;2:3A"),
            ("enter", "^M"),
        ],
    );
    // with all keys as well
    let all = mirror(&server, "\\033[>11u");
    check(
        &server,
        &all,
        &[("enter", "^[[13u^[[13;1:3u"), ("digit-7", "^[[55u^[[55;1:3u"), ("pageup", "^[[5~^[[5;1:3~")],
    );
    server.stop();
}

#[test]
fn shift_enter_is_what_the_setting_says() {
    for (setting, bytes) in [("lf", ""), ("csi-u", "^[[13;2u"), ("esc-cr", "^[^M")] {
        let server = Server::with_config(&format!("layout.shift_enter = \"{setting}\"\n"));
        server.first();
        let mirror = mirror(&server, "");
        if bytes.is_empty() {
            server.call("terminal.backend.send_key", &with(&mirror, &json!({"key": "shift-enter"})));
            server.type_text(&mirror, "end");
            server.wait_for_text(&mirror, "on\n\nend");
        } else {
            check(&server, &mirror, &[("shift-enter", bytes)]);
        }
        server.stop();
    }
}

#[test]
fn a_tap_is_one_action_that_the_program_reads_whole() {
    if !have(&["python3"]) {
        return;
    }
    let server = Server::start();
    server.first();
    let script = "import os,tty\ntty.setraw(0)\nos.write(1,b'\\x1b[>11uon\\r\\n')\n\
                  while True: os.write(1,(repr(os.read(0,64))+'\\r\\n').encode())";
    let reader = server.run(&["python3", "-c", script]);
    server.wait_for_text(&reader, "on");
    server.call("terminal.backend.send_key", &with(&reader, &json!({"key": "ctrl-z"})));
    server.wait_for_text(&reader, "b'\\x1b[122;5u\\x1b[122;5:3u'");
    server.stop();
}

#[test]
fn whatever_is_no_key_is_refused_and_sends_nothing() {
    let server = Server::start();
    server.first();
    let mirror = mirror(&server, "");
    for key in [
        json!("raw"),
        json!(""),
        json!("\u{1b}[A"),
        json!("a"),
        json!("Enter"),
        json!("alt-x"),
        json!("shift-space"),
        json!("ctrl-backspace"),
        json!("ctrl-ctrl-a"),
        json!(["up"]),
        json!(null),
    ] {
        let response =
            server.peer().request("terminal.backend.send_key", &with(&mirror, &json!({"key": key})));
        let error = &response["error"];
        assert_eq!(
            (&error["code"], &error["dispatch"]),
            (&json!("invalid_params"), &json!("not_started")),
            "{key}"
        );
    }
    check(&server, &mirror, &[]);
    let features = server.call("uhp.capabilities", &json!({}))["terminal"]["features"].clone();
    assert!(features.to_string().contains("modified_keys"));
    server.stop();
}
