//! Searching names and output, over the protocol and on the command line.

use crate::support::Server;
use serde_json::{Value, json};

fn rows(result: &Value) -> &Vec<Value> {
    result["matches"].as_array().expect("`matches` is a list")
}

#[test]
fn retained_output_is_found_where_it_is_and_activated() {
    let server = Server::start();
    let first = server.first();
    let script = "i=0; while [ $i -lt 200 ]; do i=$((i+1)); echo row $i; done; echo Needle in hay; cat";
    let child = server.run(&["/bin/sh", "-c", script]);
    server.wait_for_text(&child, "in hay");
    let found = server.call("search", &json!({"text": " needle "}));
    assert_eq!(
        (&found["type"], &found["query"], &found["total"]),
        (&json!("search"), &json!("needle"), &json!(1))
    );
    let hit = &rows(&found)[0];
    assert_eq!(
        (&hit["text"], &hit["row"], &hit["column"]),
        (&json!("Needle in hay"), &json!(200), &json!(0))
    );
    assert_eq!((&hit["pane"], &hit["terminal_id"]), (&child["pane_id"].clone(), &child["terminal_id"]));
    assert_eq!(server.call("search", &json!({"text": "needle", "case_sensitive": true}))["total"], 0);
    let many = server.call("search.query", &json!({"query": "row", "scope": "output", "limit": 3}));
    assert_eq!((rows(&many).len(), &many["shown"], &many["partial"]), (3, &json!(3), &json!(true)));
    assert_eq!(rows(&many)[0]["label"], "row 200", "the newest first");
    let activated =
        server.call("search.activate", &json!({"kind": "output", "target": rows(&many)[0]["target"]}));
    assert_eq!(activated["type"], "ok");
    assert_eq!(server.call("pane.current", &json!({}))["pane_id"], child["pane_id"]);
    let mut stale = rows(&many)[0]["target"].clone();
    stale["terminal_id"] = first["terminal_id"].clone();
    assert_eq!(
        server.peer().refusal("search.activate", &json!({"kind": "output", "target": stale})),
        "invalid_request"
    );
    server.stop();
}

#[test]
fn names_are_found_and_gone_to() {
    let server = Server::start();
    server.first();
    server.call("tab.new", &json!({}));
    server.call("tab.rename", &json!({"name": "deployments"}));
    server.call("tab.new", &json!({}));
    let found = server.call("search.query", &json!({"query": "dplm", "scope": "navigate"}));
    let hit = &rows(&found)[0];
    assert_eq!((&hit["kind"], &hit["label"]), (&json!("tab"), &json!("deployments")));
    server.call("search.activate", &json!({"kind": hit["kind"], "target": hit["target"]}));
    assert_eq!(server.call("tab.get", &json!({"tab": 2}))["active"], true);
    for bad in [
        json!({"query": "x"}),
        json!({"query": " ", "scope": "all"}),
        json!({"query": "x".repeat(257), "scope": "all"}),
        json!({"query": "x", "scope": "everywhere"}),
        json!({"query": "x", "scope": "all", "limit": 0}),
    ] {
        assert_eq!(server.peer().refusal("search.query", &bad), "invalid_params", "{bad}");
    }
    let files = server.call("search.query", &json!({"query": "x", "scope": "files"}));
    assert_eq!(
        (&files["total"], &files["partial"]),
        (&json!(0), &json!(true)),
        "what is not searched is said"
    );
    let announced = server.call("search.capabilities", &json!({}));
    assert_eq!(announced["scopes"], json!(["all", "navigate", "output"]));
    server.stop();
}

#[test]
fn the_command_line_searches() {
    let server = Server::start();
    server.first();
    let child = server.run(&["/bin/sh", "-c", "echo one haystack; cat"]);
    server.wait_for_text(&child, "haystack");
    let home = server.home();
    assert_eq!(
        home.ok(&["search", "haystack"]),
        format!("{}\tone haystack\n", child["pane_id"].as_str().expect("a text"))
    );
    let found = home.json(&["search", "haystack", "--limit", "5", "--json"]);
    assert_eq!((&found["type"], &found["total"]), (&json!("search"), &json!(1)));
    let found = home.json(&["search", "hay", "--fuzzy", "--scope", "output", "--json"]);
    assert_eq!((&found["type"], &rows(&found)[0]["kind"]), (&json!("search_query"), &json!("output")));
    assert_eq!(home.ok(&["search", "nowhere-to-be-found"]), "");
    home.fails(64, &["search", "x", "--limit", "201"]);
    home.fails(64, &["search"]);
    server.stop();
}
