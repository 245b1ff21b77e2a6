//! UHP 1.0 as a program on the socket uses it.

use crate::support::server::with;
use crate::support::{Server, Terminal, eventually};
use serde_json::{Value, json};

fn create(server: &Server, params: &Value) -> (Value, Value) {
    let created = server.call("terminal.backend.create", params);
    let locator = json!({
        "server_generation": created["server_generation"],
        "terminal_id": created["terminal_id"],
        "pane_id": created["pane_id"],
    });
    (locator, created)
}

fn is_hex(value: &Value) -> bool {
    value.as_str().is_some_and(|text| {
        text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
    })
}

fn keys(value: &Value) -> Vec<&str> {
    let mut keys: Vec<&str> =
        value.as_object().map(|object| object.keys().map(String::as_str).collect()).unwrap_or_default();
    keys.sort_unstable();
    keys
}

#[test]
fn capabilities_name_what_works() {
    let server = Server::start();
    let result = server.call("uhp.capabilities", &json!({}));
    assert_eq!(result["type"], "uhp_capabilities");
    assert_eq!(result["protocol"], json!({"name": "luvus-uhp", "major": 1, "minor": 0}));
    assert_eq!(result["session"], "default");
    assert!(is_hex(&result["server_generation"]));
    assert!(result["event_sequence"].is_u64());
    let limits = &result["terminal"]["limits"];
    for (name, wanted) in [
        ("request_bytes", 1_048_576),
        ("capture_lines", 300),
        ("input_bytes", 262_144),
        ("queued_input_actions", 4_096),
    ] {
        assert_eq!(limits[name], wanted, "{name}");
    }
    // whatever is announced is known: a method that is called wrongly is refused for its params
    let methods: Vec<&str> =
        result["methods"].as_array().expect("a list").iter().filter_map(Value::as_str).collect();
    assert!(methods.contains(&"terminal.backend.inventory"));
    for method in methods {
        let code = server.peer().refusal(method, &json!({"no_such_param": true}));
        assert!(matches!(code.as_str(), "invalid_params" | "invalid_request"), "{method}: {code}");
    }
    assert_eq!(server.peer().refusal("uhp.capabilities", &json!({"x": 1})), "invalid_params");
    server.stop();
}

#[test]
fn ping_answers() {
    let server = Server::start();
    let pong = server.call("ping", &json!({}));
    assert_eq!(pong["type"], "pong");
    assert_eq!(pong["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(pong["session"], "default");
    server.stop();
}

#[test]
fn a_fresh_server_has_one_terminal() {
    let server = Server::start();
    let shell = server.first();
    let inventory = server.call("terminal.backend.inventory", &json!({}));
    assert_eq!(keys(&inventory), ["server_generation", "terminals", "truncated", "type"]);
    let entry = &inventory["terminals"][0];
    assert_eq!(entry["terminal_id"], shell["terminal_id"]);
    assert!(is_hex(&entry["terminal_id"]));
    assert_eq!(entry["workspace"]["index"], 1);
    assert_eq!(entry["tab"]["index"], 1);
    assert!(entry["root_process"]["pid"].is_u64());
    assert!(entry["content_revision"].is_u64());
    assert!(entry["cwd"].as_str().is_some_and(|cwd| cwd.starts_with('/')));
    assert_eq!(entry["label"], Value::Null);
    let snapshot = server.call("terminal.backend.snapshot", &json!({}));
    assert_eq!(snapshot["type"], "terminal_backend_snapshot");
    assert!(snapshot["event_sequence"].is_u64());
    server.stop();
}

#[test]
fn a_terminal_lives_from_create_to_close() {
    let server = Server::start();
    server.first();
    let params = json!({
        "cwd": server.home().project(), "command": ["/bin/sh", "-c", "echo started; cat"], "label": "probe",
        "placement": {"kind": "workspace"}, "focus": false, "restore": false,
    });
    let before = server.peer().shape();
    let (locator, created) = create(&server, &params);
    assert_eq!(created["type"], "terminal_backend_created");
    assert_eq!((&created["state"], &created["dispatch"]), (&json!("succeeded"), &json!("executed")));
    assert_eq!(created["restore"], false, "echoed since it was asked for");
    assert!(is_hex(&created["terminal_id"]));
    let after = server.peer().shape();
    assert!(after.contains("(1)") && after != before, "focus stays: {after}");
    let entry = |locator: &Value| {
        server.terminals().into_iter().find(|row| row["terminal_id"] == locator["terminal_id"])
    };
    assert_eq!(entry(&locator).expect("it is listed")["label"], "probe");

    server.wait_for_text(&locator, "started");
    let revision = entry(&locator).expect("it is listed")["content_revision"].clone();
    server.type_text(&locator, "typed words\n");
    let wait =
        with(&locator, &json!({"after_revision": revision, "match": "typed words", "timeout_ms": 10000}));
    let seen = server.call("terminal.backend.wait_output", &wait);
    assert_eq!(seen["type"], "terminal_backend_output");
    assert!(seen["content_revision"].as_u64() > revision.as_u64());

    for mode in ["visible", "recent_unwrapped", "detection"] {
        let capture = with(&locator, &json!({"mode": mode, "lines": 50, "ansi": false}));
        let capture = server.call("terminal.backend.capture", &capture);
        assert_eq!(
            keys(&capture),
            ["ansi", "bytes", "content_revision", "lines", "mode", "text", "truncated", "type"]
        );
        let text = capture["text"].as_str().expect("text");
        assert!(text.starts_with("started\ntyped words"), "{mode}: {text:?}");
        assert_eq!(capture["bytes"], text.len());
        assert_eq!(capture["lines"], text.lines().count());
    }

    server.call("terminal.backend.submit_text", &with(&locator, &json!({"text": "submitted"})));
    server.wait_for_text(&locator, "submitted\nsubmitted");

    let closed = server.call("terminal.backend.close", &locator);
    assert_eq!(closed["dispatch"], "executed");
    assert!(entry(&locator).is_none());
    let state = server.call("terminal.backend.validate", &locator);
    assert_eq!(state["state"], "gone");
    server.peer().wait_for_shape(&before);
    server.stop();
}

#[test]
fn a_wrong_identity_is_refused_by_what_is_wrong() {
    let server = Server::start();
    let shell = server.first();
    let other = "0123456789abcdef0123456789abcdef";
    for (change, code) in [
        (json!({"server_generation": other}), "stale_server"),
        (json!({"terminal_id": other}), "stale_terminal"),
        (json!({"pane_id": "77"}), "stale_route"),
        (json!({"expected_root": {"pid": 1}}), "process_mismatch"),
        (json!({"pane_id": 1}), "invalid_params"),
        (json!({"terminal_id": "short"}), "invalid_params"),
        (json!({"no_such_param": 1}), "invalid_params"),
        // the first failure decides
        (json!({"server_generation": other, "terminal_id": other}), "stale_server"),
    ] {
        let params = with(&with(&shell, &json!({"text": "never typed"})), &change);
        let response = server.peer().request("terminal.backend.type_literal", &params);
        assert_eq!(response["error"]["code"], code, "{change}");
        let dispatch = if code == "invalid_params" { "not_started" } else { "rejected" };
        assert_eq!(response["error"]["dispatch"], dispatch, "{change}");
        assert!(!response["error"]["message"].to_string().contains("never typed"));
    }
    assert!(!server.text(&shell).contains("never typed"));
    server.stop();
}

#[test]
fn waits_end_by_change_by_time_and_by_the_end_of_the_terminal() {
    let server = Server::start();
    server.first();
    let params = json!({
        "cwd": server.home().project(), "command": ["/bin/sh", "-c", "echo on; read line"],
        "placement": {"kind": "workspace"}, "focus": false,
    });
    let (locator, _) = create(&server, &params);
    server.wait_for_text(&locator, "on");
    let short = json!({"after_revision": 4_000_000_000_u64, "timeout_ms": 50});
    assert_eq!(server.peer().refusal("terminal.backend.wait_change", &with(&locator, &short)), "timeout");
    let old = json!({"after_revision": 0, "timeout_ms": 10000});
    let change = server.call("terminal.backend.wait_change", &with(&locator, &old));
    assert!(change["content_revision"].as_u64() > Some(0));
    let long = with(&locator, &json!({"after_revision": 0, "match": "never there", "timeout_ms": 60000}));
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| server.peer().refusal("terminal.backend.wait_output", &long));
        server.call("terminal.backend.close", &locator);
        assert!(matches!(waiting.join().expect("it ends").as_str(), "terminal_gone" | "stale_terminal"));
    });
    server.stop();
}

#[test]
fn the_whole_structure_is_driven_over_the_socket() {
    let server = Server::start();
    let peer = server.peer();
    peer.wait_for_shape("(1)");
    let split = server.call("pane.split", &json!({"pane": "1", "direction": "right"}));
    assert_eq!(split["pane"], "2");
    peer.wait_for_shape("1 (2)");
    server.call("pane.focus", &json!({"pane": 1}));
    peer.wait_for_shape("(1) 2");
    server.call("tab.new", &json!({}));
    peer.wait_for_shape("1 2 / (3)");
    server.call("tab.focus", &json!({"tab": 1}));
    peer.wait_for_shape("(1) 2 / 3");
    let shown = server.call("pane.list", &json!({}));
    assert_eq!((&shown["panes"][0]["pane"], &shown["panes"][1]["pane"]), (&json!("1"), &json!("2")));
    assert!(shown["panes"][2].is_null(), "only those of the shown tab: {shown}");
    server.call("pane.rename", &json!({"pane": "2", "name": "build"}));
    let snapshot = server.call("session.snapshot", &json!({}));
    assert_eq!(snapshot["type"], "session_snapshot");
    assert_eq!(snapshot["workspaces"][0]["tabs"][0]["panes"][1]["agent_name"], "build");
    assert_eq!(peer.refusal("pane.focus", &json!({"pane": 77})), "not_found");
    assert_eq!(peer.refusal("pane.focus", &json!({"pane": -1})), "invalid_request");
    server.call("pane.close", &json!({"pane": "2"}));
    peer.wait_for_shape("(1) / 3");
    server.stop();
}

#[test]
fn a_moved_terminal_keeps_its_identity() {
    let server = Server::start();
    let peer = server.peer();
    let shell = server.first();
    server.call("pane.split", &json!({"pane": "1", "direction": "right"}));
    server.type_text(&shell, "echo moved-$((1+1))\n");
    server.wait_for_text(&shell, "moved-2");
    server.call("pane.move", &json!({"pane": "1", "new_tab": true}));
    eventually("two tabs", || peer.shape().contains('/').then_some(()));
    let row = server.terminals().into_iter().find(|row| row["terminal_id"] == shell["terminal_id"]);
    let row = row.expect("the same terminal");
    let locator = with(&shell, &json!({"pane_id": row["pane_id"]}));
    assert!(server.text(&locator).contains("moved-2"));
    server.stop();
}

#[test]
fn what_a_program_does_shows_on_an_attached_screen() {
    let server = Server::start();
    let shell = server.first();
    let terminal = Terminal::attach(server.home());
    server.type_text(&shell, "echo from-$((1+1))\n");
    terminal.wait_for_text("from-2");
    drop(terminal);
    server.stop();
}

#[test]
fn a_full_queue_refuses_whole_actions_and_delays_nobody() {
    let server = Server::start();
    server.first();
    let params = json!({
        "cwd": server.home().project(), "placement": {"kind": "workspace"}, "focus": false,
        "command": ["/bin/sh", "-c", "stty raw -echo; echo deaf; while :; do sleep 600; done"],
    });
    let (locator, _) = create(&server, &params);
    server.wait_for_text(&locator, "deaf");
    let text = "x".repeat(262_144);
    let input = with(&locator, &json!({"text": text}));
    let refusal = (0..64).find_map(|_| {
        let response = server.peer().request("terminal.backend.type_literal", &input);
        response.get("error").cloned()
    });
    let refusal = refusal.expect("the queue has a bound");
    assert_eq!((&refusal["code"], &refusal["dispatch"]), (&json!("send_failed"), &json!("rejected")));
    assert!(refusal["message"].to_string().contains("queue is full"), "{refusal}");
    assert_eq!(server.call("ping", &json!({}))["type"], "pong");
    let long = with(&locator, &json!({"text": "x".repeat(262_145)}));
    assert_eq!(server.peer().refusal("terminal.backend.type_literal", &long), "input_too_large");
    server.call("terminal.backend.close", &locator);
    server.wait_for_terminals(1);
    server.stop();
}
