//! Facts that programs outside report of workspaces, the older names of methods, what rows of panes tell.

use crate::support::{Server, eventually};
use serde_json::{Value, json};

#[test]
fn facts_of_a_workspace_are_told_on() {
    let server = Server::start();
    server.first();
    let (mut stream, _) = server.peer().stream("events.subscribe", &json!({}));
    let metadata = json!({"metadata": {"ticket": "LUV-7", "owner": "ana"}});
    let told = server.call("workspace.report_metadata", &metadata);
    assert_eq!((&told["type"], &told["workspace"]), (&json!("ok"), &json!("0")));
    assert_eq!(stream.event("workspace.metadata_reported")["data"], json!({"workspace": "0"}));
    server.call("node.report_metadata", &json!({"workspace": 0, "metadata": {"owner": null}}));
    let detail = server.call("node.get", &json!({"workspace": 0}));
    assert_eq!(detail["metadata"], json!({"ticket": "LUV-7"}));
    let many: serde_json::Map<String, Value> = (0..32).map(|at| (at.to_string(), json!("x"))).collect();
    let many = json!({"metadata": many});
    assert_eq!(server.peer().refusal("workspace.report_metadata", &many), "limit_exceeded");
    assert_eq!(server.call("workspace.get", &json!({"workspace": 0}))["metadata"], detail["metadata"]);
    server.stop();
}

#[test]
fn a_node_is_a_workspace() {
    let server = Server::start();
    server.first();
    let list = |method: &str| server.call(method, &json!({}))["workspaces"].clone();
    server.call("node.new", &json!({"cwd": server.home().project()}));
    server.call("node.rename", &json!({"workspace": 1, "name": "site"}));
    server.call("node.focus", &json!({"workspace": 0}));
    assert_eq!(list("node.list"), list("workspace.list"));
    assert_eq!(list("node.list")[1]["name"], "site");
    server.call("node.close", &json!({"workspace": 1}));
    assert_eq!(list("workspace.list").as_array().map(Vec::len), Some(1));
    server.stop();
}

#[test]
fn one_pane_can_be_shown_alone() {
    let server = Server::start();
    server.first();
    let pane = server.call("pane.split", &json!({}))["pane"].clone();
    server.call("pane.focus", &json!({"pane": 1}));
    assert_eq!(
        server.call("attach.pane", &json!({"pane": pane})),
        json!({"type": "ok", "pane": pane, "clients": 0})
    );
    assert_eq!(server.call("pane.layout", &json!({}))["zoomed"], true);
    assert_eq!(server.call("pane.current", &json!({}))["pane"], pane);
    assert_eq!(server.peer().refusal("attach.pane", &json!({})), "invalid_params");
    server.stop();
}

#[test]
fn rows_of_panes_tell_how_much_history_there_is() {
    let server = Server::start();
    let shell = server.first();
    server.type_text(&shell, "seq 1 500; echo end-$((1+1))\n");
    server.wait_for_text(&shell, "end-2");
    let row = eventually("the rows that left the screen", || {
        let list = server.call("pane.list", &json!({}));
        assert!(list["render_performance"].is_object() && list["detection_performance"].is_object());
        Some(list["panes"][0].clone()).filter(|row| row["history_rows"].as_u64() > Some(400))
    });
    assert_eq!(row["scroll_offset"], 0);
    assert_eq!(row["history_budget_bytes"], 10_485_760);
    assert!((1_000..1_000_000).contains(&row["history_bytes"].as_u64().expect("a number")), "{row}");
    assert_eq!(row["history_exact"], true);
    server.stop();
}
