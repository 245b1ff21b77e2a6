//! What programs outside report of panes and workspaces, and the older names of methods.

use crate::support::server::with;
use crate::support::{Server, eventually};
use serde_json::{Value, json};

#[test]
fn a_session_is_bound_until_exactly_it_is_released() {
    let server = Server::start();
    let shell = server.first();
    let held = || server.call("pane.get", &json!({}))["agent_session"].clone();
    assert_eq!(held(), Value::Null);
    let usage = |updated_at: u64| {
        json!({
            "model": "large", "tokens_in": updated_at, "tokens_out": 1, "cache_read": 0, "cache_write": 0,
            "cost": 0.5, "updated_at": updated_at,
        })
    };
    let session = json!({"pane": shell["pane_id"], "agent": "claude", "session_id": "a/1:x"});
    let told = server.call("pane.report_session", &with(&session, &json!({"usage": usage(20)})));
    assert_eq!(told, json!({"type": "ok", "pane": shell["pane_id"]}));
    server.call("pane.report_session", &with(&session, &json!({"usage": usage(10)})));
    assert_eq!(held(), json!({"agent": "claude", "session_id": "a/1:x", "usage": usage(20)}));
    let snapshot = server.call("session.snapshot", &json!({}));
    assert_eq!(snapshot["workspaces"][0]["tabs"][0]["panes"][0]["agent_session"]["session_id"], "a/1:x");
    server.call("pane.report_session", &with(&session, &json!({"session_id": "b"})));
    assert_eq!(held(), json!({"agent": "claude", "session_id": "b", "usage": null}));
    assert_eq!(server.peer().refusal("pane.release_session", &session), "ownership_conflict");
    for _ in 0..2 {
        server.call("pane.release_session", &with(&session, &json!({"session_id": "b"})));
        assert_eq!(held(), Value::Null);
    }
    for (method, params, code) in [
        ("pane.report_session", json!({"pane": 99, "agent": "x", "session_id": "y"}), "not_found"),
        ("pane.report_session", json!({"pane": "x", "agent": "x", "session_id": "y"}), "invalid_request"),
        ("pane.report_session", json!({"agent": "x".repeat(65), "session_id": "y"}), "invalid_params"),
        ("pane.report_session", json!({"agent": "x", "session_id": "y z"}), "invalid_params"),
        ("pane.report_session", json!({"agent": "x", "session_id": "y", "usage": {}}), "invalid_params"),
    ] {
        assert_eq!(server.peer().refusal(method, &params), code, "{params}");
    }
    server.stop();
}

#[test]
fn hooks_and_facts_are_told_on() {
    let server = Server::start();
    server.first();
    let (mut stream, _) = server.peer().stream("events.subscribe", &json!({}));
    server.call("pane.report_event", &json!({"agent": "claude", "kind": "stop", "message": "done"}));
    let hook = json!({"pane": "1", "agent": "claude", "kind": "stop", "message": "done", "tool": null});
    assert_eq!(stream.event("agent.hook")["data"], hook);
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
