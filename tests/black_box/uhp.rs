//! UHP 1.0 as a program on the socket uses it.

use crate::support::server::with;
use crate::support::{Home, Peer, Server, Terminal, eventually};
use serde_json::{Value, json};

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
    let (locator, created) = server.create(&params);
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
    let wait = with(
        &locator,
        &json!({"after_revision": revision, "match": "typed words\ntyped words", "timeout_ms": 10000}),
    );
    let seen = server.call("terminal.backend.wait_output", &wait);
    assert_eq!(seen["type"], "terminal_backend_output");
    assert!(seen["content_revision"].as_u64() > revision.as_u64());

    // the terminal's echo and the program's own
    server.wait_for_text(&locator, "typed words\ntyped words");

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
    let (locator, _) = server.create(&params);
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
    let (locator, _) = server.create(&params);
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

#[test]
fn whoever_comes_first_finds_the_first_shell() {
    for config in ["", "shell = \"/does/not/exist\"\n"] {
        let home = std::sync::Arc::new(Home::with_config(config));
        // these are faster than any wait for the server could be
        let first: Vec<usize> = std::thread::scope(|scope| {
            let racers: Vec<_> = (0..4)
                .map(|_| {
                    scope.spawn(|| {
                        eventually("the server accepts", || Peer::reaches(&home.socket()).then_some(()));
                        let inventory = home.peer().call("terminal.backend.inventory", &json!({}));
                        inventory["terminals"].as_array().map_or(0, Vec::len)
                    })
                })
                .collect();
            let server = Server::start_in(std::sync::Arc::clone(&home));
            let counts = racers.into_iter().map(|racer| racer.join().expect("an answer")).collect();
            server.stop();
            counts
        });
        // without a shell there is nothing to list, and the server answers all the same
        let wanted = usize::from(config.is_empty());
        assert_eq!(first, [wanted; 4], "{config:?}");
    }
}

#[test]
fn a_sibling_stands_beside_its_terminal_and_takes_nothing_away() {
    let server = Server::start();
    let shell = server.first();
    let peer = server.peer();
    let beside = |of: &Value| json!({"placement": {"kind": "sibling", "of_terminal": of}});
    let (second, created) = server.create(&beside(&shell));
    assert_eq!(created["placement"], json!({"kind": "sibling", "workspace": 1, "tab": 1}));
    assert!(created.get("restore").is_none(), "only when it was asked for: {created}");
    assert!(created["root_process"]["pid"].is_u64());
    peer.wait_for_shape("(1) 2");
    server.create(&with(&beside(&second), &json!({"focus": true})));
    peer.wait_for_shape("1 2 (3)");
    // the same folder again is the same workspace
    let (_, tab) = server.create(&json!({"cwd": server.home().person()}));
    assert_eq!(tab["placement"], json!({"kind": "workspace", "workspace": 1, "tab": 2}));
    peer.wait_for_shape("1 2 (3) / 4");
    // a route or a life that is over is no neighbour
    for change in [json!({"pane_id": "77"}), json!({"server_generation": "0".repeat(32)})] {
        let params = json!({
            "cwd": server.home().project(), "focus": true,
            "placement": {"kind": "sibling", "of_terminal": with(&shell, &change)},
        });
        let error = peer.request("terminal.backend.create", &params)["error"].clone();
        assert_eq!(error["dispatch"], "rejected", "{error}");
    }
    // no room is no harm
    let refusal = (0..20).find_map(|_| {
        let params = with(&beside(&shell), &json!({"cwd": server.home().project(), "focus": false}));
        peer.request("terminal.backend.create", &params).get("error").cloned()
    });
    let refusal = refusal.expect("a screen is finite");
    assert_eq!((&refusal["code"], &refusal["dispatch"]), (&json!("create_failed"), &json!("rejected")));
    assert!(peer.shape().contains("(3)"));
    server.stop();
}

#[test]
fn bad_params_are_refused_before_anything_happens() {
    let server = Server::start();
    let shell = server.first();
    let before = server.peer().shape();
    let create = json!({"cwd": "/", "placement": {"kind": "workspace"}, "focus": false});
    let capture = with(&shell, &json!({"mode": "visible", "lines": 10, "ansi": false}));
    let wait = with(&shell, &json!({"after_revision": 0, "match": "x", "timeout_ms": 1}));
    for (method, good, changes) in [
        (
            "terminal.backend.create",
            create,
            vec![
                json!({"command": []}),
                json!({"command": [""]}),
                json!({"command": "sh"}),
                json!({"command": vec!["x"; 129]}),
                json!({"command": ["x".repeat(16_385)]}),
                json!({"command": vec!["x".repeat(16_000); 5]}),
                json!({"command": ["/bin/echo", "a\u{0}b"]}),
                json!({"cwd": "relative"}),
                json!({"cwd": ""}),
                json!({"cwd": format!("/{}", "x".repeat(4_096))}),
                json!({"focus": null}),
                json!({"label": "x".repeat(257)}),
                json!({"restore": "true"}),
                json!({"placement": {"kind": "elsewhere"}}),
                json!({"placement": {"kind": "sibling"}}),
                json!({"placement": {"kind": "workspace", "more": 1}}),
                json!({"terminal_id": shell["terminal_id"]}),
            ],
        ),
        (
            "terminal.backend.capture",
            capture,
            vec![
                json!({"lines": 0}),
                json!({"lines": 301}),
                json!({"lines": -1}),
                json!({"lines": "10"}),
                json!({"lines": 1.5}),
                json!({"mode": "all"}),
                json!({"ansi": 1}),
                json!({"mode": "detection", "ansi": true}),
                json!({"expected_root": {}}),
                json!({"expected_root": {"pid": 0}}),
            ],
        ),
        (
            "terminal.backend.wait_output",
            wait,
            vec![
                json!({"match": ""}),
                json!({"match": "x".repeat(4_097)}),
                json!({"timeout_ms": 0}),
                json!({"timeout_ms": 300_001}),
                json!({"after_revision": -1}),
            ],
        ),
        (
            "terminal.backend.type_literal",
            with(&shell, &json!({"text": "never typed"})),
            vec![json!({"text": ""}), json!({"text": null}), json!({"pane_id": "01"})],
        ),
    ] {
        for change in changes {
            let response = server.peer().request(method, &with(&good, &change));
            let error = &response["error"];
            assert_eq!(error["code"], "invalid_params", "{method} {change}: {response}");
            let changes_something = matches!(method.rsplit('.').next(), Some("create" | "type_literal"));
            let dispatch = if changes_something { json!("not_started") } else { Value::Null };
            assert_eq!(error["dispatch"], dispatch, "{method} {change}: {response}");
        }
    }
    server.peer().wait_for_shape(&before);
    assert!(!server.text(&shell).contains("never typed"));
    server.stop();
}

#[test]
fn captures_are_joined_safe_and_bounded() {
    let server = Server::start();
    server.first();
    let capture = |locator: &Value, mode: &str, lines: u32, ansi: bool| {
        let params = with(locator, &json!({"mode": mode, "lines": lines, "ansi": ansi}));
        server.call("terminal.backend.capture", &params)
    };
    let text = |capture: &Value| capture["text"].as_str().expect("text").to_owned();

    // a line that was wrapped is one again, also for a wait
    let (wide, _) = server.script("printf '%0300d\\n' 7; echo end-$((1+1)); cat");
    server.wait_for_text(&wide, &format!("{}7", "0".repeat(299)));
    server.wait_for_text(&wide, "end-2");
    let joined = text(&capture(&wide, "recent_unwrapped", 10, false));
    assert_eq!(joined.lines().map(str::len).collect::<Vec<_>>(), [300, 5]);
    assert_eq!(text(&capture(&wide, "recent_unwrapped", 1, false)), "end-2");
    assert_eq!(capture(&wide, "visible", 300, false)["lines"], 4);

    // styles and nothing else
    let script = "printf '\\033]0;title\\007\\033[1;31mred\\033[m \\033]8;;http://x\\033\\\\link\\033]8;;\\033\\\\ \
                  \\033[?25l\\033[3;5Hfar'; cat";
    let (styled, _) = server.script(script);
    server.wait_for_text(&styled, "far");
    let shown = text(&capture(&styled, "visible", 300, true));
    let mut rest = shown.as_str();
    while let Some((_, sequence)) = rest.split_once('\x1b') {
        let end = sequence.find(|c: char| c.is_ascii_alphabetic()).expect("a sequence ends");
        assert!(sequence.starts_with('[') && sequence[end..].starts_with('m'), "{shown:?}");
        rest = &sequence[end..];
    }
    assert!(shown.contains("31m") && shown.contains("link") && !shown.contains("http"), "{shown:?}");
    assert_eq!(text(&capture(&styled, "visible", 300, false)), "red link\n\n    far");

    // what scrolled off an alternate screen is kept while it is there
    let script = "seq 1 60; printf '\\033[?1049h'; seq 100 200; echo alt-$((1+1)); read line; \
                  printf '\\033[?1049l'; echo back-$((1+1)); cat";
    let (alternate, _) = server.script(script);
    server.wait_for_text(&alternate, "alt-2");
    let both = text(&capture(&alternate, "recent_unwrapped", 300, false));
    assert!(both.starts_with("1\n2\n") && both.contains("\n100\n101\n") && both.ends_with("alt-2"), "{both}");
    server.type_text(&alternate, "\n");
    server.wait_for_text(&alternate, "back-2");
    let primary = text(&capture(&alternate, "recent_unwrapped", 300, false));
    assert!(!primary.contains("\n150\n") && primary.contains("\n60\n"), "{primary}");

    // a capture that is too large loses its oldest rows, and its answer fits a frame
    let quotes = "\"".repeat(3_000);
    let (large, _) = server.script(&format!("yes '{quotes}' | head -n 300; echo big-$((1+1)); cat"));
    server.wait_for_text(&large, "big-2");
    let cut = capture(&large, "recent_unwrapped", 300, false);
    assert_eq!(cut["truncated"], true);
    assert!(text(&cut).ends_with("big-2") && cut["bytes"].as_u64() <= Some(524_288));
    server.stop();
}

#[test]
fn the_snapshot_shows_the_whole_structure() {
    let server = Server::start();
    let home = server.home();
    let shell = server.first();
    server.type_text(&shell, "echo secret-$((1+1))\n");
    server.wait_for_text(&shell, "secret-2");
    server.call("pane.split", &json!({"pane": "1", "direction": "down"}));
    server.call("tab.new", &json!({}));
    let person = home.project();
    server.call("workspace.open", &json!({"path": person}));
    server.peer().wait_for_shape("1 2 / 3 | (4)");
    let snapshot = server.call("session.snapshot", &json!({}));
    assert_eq!(snapshot["session"], "default");
    assert!(snapshot["event_sequence"].is_u64());
    assert!(!snapshot.to_string().contains("secret"), "no text of a terminal");
    let inventory = server.terminals();
    let mut found = Vec::new();
    for (index, workspace) in snapshot["workspaces"].as_array().expect("a list").iter().enumerate() {
        assert_eq!(workspace["index"], index + 1, "{workspace}");
        assert_eq!(workspace["active"], index == 1);
        assert!(workspace["cwd"].is_string() && workspace["pinned"] == false);
        for (index, tab) in workspace["tabs"].as_array().expect("a list").iter().enumerate() {
            assert_eq!((&tab["index"], &tab["kind"]), (&json!(index + 1), &json!("terminal")), "{tab}");
            for pane in tab["panes"].as_array().expect("a list") {
                let entry = inventory.iter().find(|row| row["pane_id"] == pane["pane_id"]).expect("listed");
                assert_eq!(pane["terminal_id"], entry["terminal_id"]);
                assert_eq!(pane["root_process"], entry["root_process"]);
                found.push(pane["focused"] == true);
            }
        }
    }
    // every started terminal, in hidden tabs and workspaces too, and one focus
    assert_eq!(found, [false, false, false, true]);
    assert_eq!(inventory.len(), 4);
    server.stop();
}

#[test]
fn requests_at_the_same_time_do_not_take_each_others_answers() {
    let server = Server::start();
    let folder = server.home().project();
    std::thread::scope(|scope| {
        for _ in 0..3 {
            // panes are made, and everything else is about panes that have not quite started yet
            scope.spawn(|| {
                for _ in 0..15 {
                    server.call("tab.new", &json!({}));
                    server.call("workspace.open", &json!({"path": folder}));
                }
            });
            scope.spawn(|| {
                for _ in 0..60 {
                    server.call("workspace.focus", &json!({"workspace": 0}));
                    server.call("workspace.pin", &json!({"workspace": 0, "pinned": true}));
                }
            });
        }
    });
    // 45 tabs, the first pane, and one workspace for the folder
    assert_eq!(server.terminals().len(), 47);
    server.stop();
}
