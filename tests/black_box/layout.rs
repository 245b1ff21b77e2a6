//! Layouts over the socket: shown, given, and where panes stand in them.

use crate::support::Server;
use crate::support::server::with;
use serde_json::{Value, json};

/// A server whose tab has pane 1 left of 2 above 3.
fn three_panes() -> Server {
    let server = Server::start();
    server.first();
    server.call("pane.split", &json!({"direction": "right"}));
    server.call("pane.split", &json!({"direction": "down"}));
    server
}

fn leaf(pane: u32) -> Value {
    json!({"type": "pane", "pane": pane.to_string()})
}

fn split(axis: &str, ratio: f64, a: &Value, b: &Value) -> Value {
    json!({"type": "split", "axis": axis, "ratio": ratio, "a": a, "b": b})
}

#[test]
fn a_layout_goes_out_and_comes_back() {
    let server = three_panes();
    let before = server.call("layout.export", &json!({}));
    let shape = split("horizontal", 0.5, &leaf(1), &split("vertical", 0.5, &leaf(2), &leaf(3)));
    assert_eq!(before["layout"], shape);
    assert_eq!(
        (&before["focused"], &before["tab"], &before["workspace"]),
        (&json!("3"), &json!("1"), &json!("0"))
    );
    let terminals = |server: &Server| {
        let mut ids: Vec<_> = server.terminals().iter().map(|row| row["terminal_id"].to_string()).collect();
        ids.sort();
        ids
    };
    let running = terminals(&server);
    let (mut stream, _) = server.peer().stream("events.subscribe", &json!({}));

    let other = split("vertical", 0.3, &leaf(3), &split("horizontal", 0.6, &leaf(2), &leaf(1)));
    let applied = server.call("layout.apply", &json!({"layout": other, "focus": "1"}));
    assert_eq!((&applied["layout"], &applied["focused"]), (&other, &json!("1")));
    assert_eq!(stream.event("layout.applied")["data"], json!({"workspace": "0", "tab": "1"}));
    assert_eq!(stream.event("pane.focused")["data"], json!({"pane": "1"}));
    assert_eq!(server.call("layout.export", &json!({"tab_id": before["tab_id"]}))["layout"], other);
    assert_eq!(terminals(&server), running, "panes and their terminals are untouched");

    for bad in [
        leaf(1),
        split("vertical", 0.5, &leaf(1), &leaf(2)),
        split("vertical", 0.5, &leaf(1), &split("vertical", 0.5, &leaf(2), &leaf(2))),
        split("diagonal", 0.5, &leaf(1), &split("vertical", 0.5, &leaf(2), &leaf(3))),
        split("vertical", 1.0, &leaf(1), &split("vertical", 0.5, &leaf(2), &leaf(3))),
        with(
            &split("vertical", 0.5, &leaf(1), &split("vertical", 0.5, &leaf(2), &leaf(3))),
            &json!({"x": 1}),
        ),
    ] {
        let refused = server.peer().request("layout.apply", &json!({"layout": bad}));
        assert_eq!(refused["error"]["code"], "invalid_params", "{refused}");
        assert_eq!(refused["error"]["dispatch"], "not_started");
    }
    let elsewhere = json!({"layout": other, "focus": 9});
    assert_eq!(server.peer().refusal("layout.apply", &elsewhere), "invalid_params");
    let stale = json!({"layout": shape, "if_revision": before["revision"]});
    assert_eq!(server.peer().refusal("layout.apply", &stale), "revision_conflict");
    assert_eq!(server.call("layout.export", &json!({}))["layout"], other, "the old layout is intact");
    server.stop();
}

#[test]
fn a_share_is_set_by_its_path_and_kept_above_the_smallest_pane() {
    let server = three_panes();
    let (mut stream, _) = server.peer().stream("events.subscribe", &json!({}));
    let set = server.call("layout.set_split_ratio", &json!({"path": ["b"], "ratio": 0.7}));
    assert_eq!(set["ratio"], 0.7);
    let told = stream.event("layout.ratio_changed");
    assert_eq!(told["data"], json!({"workspace": "0", "tab": "1", "path": ["b"], "ratio": 0.7}));
    let set = server.call("layout.set_split_ratio", &json!({"path": [], "ratio": 0}));
    assert!(set["ratio"].as_f64().is_some_and(|ratio| (0.05..0.2).contains(&ratio)), "{set}");
    assert_eq!(
        server.peer().refusal("layout.set_split_ratio", &json!({"path": ["a"], "ratio": 0.5})),
        "not_found"
    );
    for bad in [json!({"path": ["c"], "ratio": 0.5}), json!({"path": [], "ratio": 1.5}), json!({"path": []})]
    {
        assert_eq!(server.peer().refusal("layout.set_split_ratio", &bad), "invalid_params", "{bad}");
    }
    server.stop();
}

#[test]
fn a_pane_knows_its_place_its_edges_and_its_neighbours() {
    let server = three_panes();
    let place = server.call("pane.layout", &json!({"pane": 2}));
    assert_eq!(place["rect"], json!({"x": 5_000, "y": 0, "width": 5_000, "height": 5_000}));
    assert_eq!(place["area"], json!({"width": 10_000, "height": 10_000}));
    assert_eq!(server.call("pane.edges", &json!({"pane": 2}))["edges"], json!(["right", "up"]));
    let beside = |pane: u32, direction: &str| {
        server.call("pane.neighbor", &json!({"pane": pane, "direction": direction}))["neighbor"].clone()
    };
    assert_eq!(beside(2, "down"), "3");
    assert_eq!(beside(2, "up"), Value::Null);
    assert_eq!(beside(1, "right"), "3", "of two the one focused last");
    assert_eq!(server.peer().shape(), "1 2 (3)", "asking focuses nothing");
    server.call("pane.focus_direction", &json!({"direction": "up"}));
    assert_eq!(server.peer().shape(), "1 (2) 3");
    assert_eq!(beside(1, "right"), "2");
    server.call("pane.focus_direction", &json!({"pane": 1, "direction": "right"}));
    assert_eq!(server.peer().refusal("pane.focus_direction", &json!({"direction": "right"})), "not_found");
    assert_eq!(server.peer().refusal("pane.neighbor", &json!({"direction": "north"})), "invalid_params");
    assert_eq!(server.peer().refusal("pane.edges", &json!({"pane": 9})), "not_found");
    server.stop();
}

#[test]
fn workspaces_move_as_a_block() {
    let server = Server::start();
    server.first();
    for name in ["b", "c", "d"] {
        let folder = server.home().project().join(name);
        std::fs::create_dir(&folder).expect("a folder");
        server.call("workspace.new", &json!({"cwd": folder}));
    }
    let order = || {
        let list = server.call("workspace.list", &json!({}));
        let rows = list["workspaces"].as_array().expect("a list").iter();
        rows.map(|row| row["workspace_id"].as_str().unwrap_or("?").to_owned()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(order(), "w1 w2 w3 w4");
    let (mut stream, _) = server.peer().stream("events.subscribe", &json!({}));
    let moved = server.call("workspace.move_block", &json!({"workspaces": [1, 3], "to": 0}));
    assert_eq!((&moved["workspaces"], &moved["positions"]), (&json!([1, 3]), &json!([0, 1])));
    assert_eq!(order(), "w2 w4 w1 w3");
    let told = stream.event("workspace.block_moved");
    assert_eq!(told["data"], json!({"workspaces": [1, 3], "positions": [0, 1]}));
    for (bad, code) in [
        (json!({"workspaces": [0, 9], "to": 0}), "not_found"),
        (json!({"workspaces": [0, 1], "to": 3}), "not_found"),
        (json!({"workspaces": [0, 0], "to": 0}), "invalid_params"),
        (json!({"workspaces": [], "to": 0}), "invalid_params"),
    ] {
        assert_eq!(server.peer().refusal("workspace.move_block", &bad), code, "{bad}");
    }
    assert_eq!(order(), "w2 w4 w1 w3");
    server.stop();
}
