//! Who may change what: delegated tokens, and revisions as guards.

use crate::support::Server;
use crate::support::peer::frame;
use crate::support::server::with;
use serde_json::{Value, json};
use std::io::{Read, Write};

#[test]
fn a_change_is_made_only_on_what_was_seen() {
    let server = Server::start();
    let shell = server.first();
    server.wait_for_text(&shell, "ready>");
    let revision = server.call("pane.get", &json!({}))["revision"].clone();
    // output is no conflict
    server.type_text(&shell, "echo some output");
    server.wait_for_text(&shell, "some output");
    server.call("pane.rename", &json!({"name": "ana", "if_revision": revision}));
    let refused = server.peer().request("pane.rename", &json!({"name": "bo", "if_revision": revision}));
    assert_eq!(refused["error"]["code"], "revision_conflict", "{refused}");
    assert_eq!(refused["error"]["dispatch"], "rejected");
    let present = &refused["error"]["data"]["revision"];
    assert_eq!(server.call("pane.get", &json!({}))["name"], "ana");
    server.call("pane.rename", &json!({"name": "bo", "if_revision": present}));
    for (method, params) in [
        ("tab.new", json!({})),
        ("workspace.rename", json!({"workspace": 0, "name": "x"})),
        ("pane.run", json!({"command": "exit"})),
        ("pane.close", json!({})),
    ] {
        let params = with(&params, &json!({"if_revision": present}));
        assert_eq!(server.peer().refusal(method, &params), "revision_conflict", "{method}");
    }
    assert_eq!(server.peer().refusal("pane.list", &json!({"if_revision": 1})), "invalid_params");
    let close = with(&shell, &json!({"if_revision": 1}));
    assert_eq!(server.peer().refusal("terminal.backend.close", &close), "invalid_params");
    assert_eq!(server.terminals().len(), 1);
    server.stop();
}

/// The response to a request with a token.
fn as_holder(server: &Server, token: &Value, method: &str, params: &Value) -> Value {
    let mut request: Value = serde_json::from_slice(&frame(method, params)).expect("a frame");
    request["auth"] = token.clone();
    server.peer().answer(format!("{request}\n").as_bytes())
}

#[test]
fn a_token_gives_what_it_is_for_and_no_more() {
    let server = Server::start();
    server.first();
    let made = server.call("uhp.token.create", &json!({"scopes": ["read", "workspace"], "ttl_s": 60}));
    let (token, id) = (&made["token"], &made["id"]);
    assert!(token.as_str().is_some_and(|token| token.starts_with("luv_tok_")));
    assert_eq!(made["scopes"], json!(["read", "workspace"]));
    let code = |method: &str, params: &Value| {
        as_holder(&server, token, method, params)["error"]["code"].as_str().map(str::to_owned)
    };
    assert_eq!(code("pane.list", &json!({})), None);
    assert_eq!(code("tab.new", &json!({})), None);
    for (method, params) in [
        ("pane.send_input", json!({"text": "x"})),
        ("server.stop", json!({})),
        ("uhp.token.list", json!({})),
        ("uhp.token.create", json!({"scopes": ["read"]})),
        ("terminal.backend.create", json!({})),
    ] {
        assert_eq!(code(method, &params).as_deref(), Some("forbidden"), "{method}");
    }
    let list = server.call("uhp.token.list", &json!({}));
    assert_eq!(list["tokens"][0]["id"], *id);
    assert_eq!(list["tokens"][0].get("token"), None, "a secret is shown once");
    // a subscription lasts no longer than its token
    let mut request: Value = serde_json::from_slice(&frame("events.subscribe", &json!({}))).expect("a frame");
    request["auth"] = token.clone();
    let mut following = server.peer().connect();
    following.write_all(format!("{request}\n").as_bytes()).expect("the server reads");
    server.call("uhp.token.revoke", &json!({"id": id}));
    let mut rest = String::new();
    following.read_to_string(&mut rest).expect("the end of the stream");
    assert_eq!(code("pane.list", &json!({})).as_deref(), Some("forbidden"));
    assert_eq!(server.peer().refusal("uhp.token.revoke", &json!({"id": id})), "not_found");
    for bad in [
        json!({"scopes": []}),
        json!({"scopes": ["everything"]}),
        json!({"scopes": ["read", "read"]}),
        json!({"scopes": ["read"], "ttl_s": 86_401}),
        json!({"scopes": ["read"], "ttl_s": 0}),
    ] {
        assert_eq!(server.peer().refusal("uhp.token.create", &bad), "invalid_params", "{bad}");
    }
    server.stop();
}
