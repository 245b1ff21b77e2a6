//! Lines, ids, orders and bounds of a connection.

use crate::support::{PATIENCE, Server, eventually, processes};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;

#[test]
fn bad_lines_are_answered_and_the_connection_lives() {
    let server = Server::start();
    let mut panes = server.orchestrator();
    let lines: [(&[u8], Value, i64); 9] = [
        (b"nonsense\n", Value::Null, -32700),
        (b"[]\n", Value::Null, -32700),
        (b"{\"id\":\"\xff\"}\n", Value::Null, -32700),
        (b"\n \r\n{\"id\":true,\"method\":\"list\"}\n", Value::Null, -32602),
        (b"{\"id\":\"a\",\"method\":7}\n", json!("a"), -32602),
        (b"{\"id\":7,\"method\":\"list\",\"params\":[]}\n", json!(7), -32602),
        (b"{\"id\":\"7\",\"method\":\"no_such\"}\r\n", json!("7"), -32601),
        (b"{\"method\":\"capture\",\"params\":{\"context_id\":\"7\"}}\n", Value::Null, -32602),
        (b"{\"id\":1.5,\"method\":\"capture\",\"params\":{\"context_id\":\"%77\"}}\n", json!(1.5), -32001),
    ];
    for (line, id, code) in lines {
        panes.raw(line);
        let answer = panes.next();
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&id, &json!(code)), "{answer}");
    }
    panes.raw(b"{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"list\",\"params\":null,\"extra\":1}\n");
    let answer = panes.next();
    assert_eq!((&answer["jsonrpc"], &answer["id"]), (&json!("2.0"), &json!(9)));
    assert_eq!(answer["result"]["contexts"][0]["context_id"], "%1");
    assert_eq!(
        panes.refused("capture", &json!({"context_id": "%1", "lines": 0})).1,
        json!({"field": "lines"})
    );
    // one line too long ends the connection, after the error
    let mut raw = UnixStream::connect(server.home().path().join("pane-backend.sock")).expect("a connection");
    raw.set_read_timeout(Some(PATIENCE)).expect("a deadline");
    raw.write_all(&[vec![b'x'; 1_048_577], b"\n".to_vec()].concat()).expect("it is read");
    let mut told = String::new();
    let _ = raw.read_to_string(&mut told);
    let told = told.lines().find(|line| !line.contains("context_ready")).expect("an error");
    let told: Value = serde_json::from_str(told).expect("one line");
    assert_eq!((&told["id"], &told["error"]["code"]), (&Value::Null, &json!(-32700)));
    drop(panes);
    server.stop();
}

#[test]
fn what_blocks_runs_beside_the_rest_up_to_a_bound() {
    let server = Server::start();
    let mut panes = server.orchestrator();
    let never = json!({"condition": "file", "arg": "/no/such/file"});
    let waits: Vec<usize> = (0..64).map(|_| panes.send("wait_for", &never)).collect();
    let (code, data) = panes.refused("list", &json!({}));
    assert_eq!((code, &data["reason"]), (-32603, &json!("too_many_requests")));
    drop(panes);
    assert_eq!(waits.len(), 64);
    let mut panes = server.orchestrator();
    let slow = panes.send("run_shell", &json!({"command": ["sleep", "0.3"]}));
    let quick = panes.send("list", &json!({}));
    let first = panes.next();
    assert_eq!(first["id"], json!(quick), "out of order");
    assert_eq!(panes.response(slow)["result"]["exit_code"], 0);
    // many that do not block keep their order
    let ids: Vec<usize> = (0..300).map(|_| panes.send("list", &json!({}))).collect();
    for id in ids {
        assert_eq!(panes.next()["id"], json!(id));
    }
    // a client that has said everything still gets its answers, and then the end
    let last = panes.send("run_shell", &json!({"command": ["sh", "-c", "sleep 0.2; echo late"]}));
    panes.close_input();
    assert_eq!(panes.response(last)["result"]["stdout"], "late\n");
    assert!(panes.read().is_none());
    server.stop();
}

#[test]
fn a_client_that_goes_leaves_no_child_and_loses_no_pane() {
    let server = Server::start();
    let home = server.home().path();
    let mut panes = server.orchestrator();
    let mut listener = server.orchestrator();
    let kept = panes.script("sleep 1234");
    let running =
        || processes::of_home(&home).iter().filter(|process| process.command.starts_with("sleep")).count();
    eventually("the pane's program", || (running() == 1).then_some(()));
    for _ in 0..5 {
        panes.send("run_shell", &json!({"command": ["sh", "-c", "setsid sleep 1235 & sleep 1236"]}));
        panes.send("exec", &json!({"context_id": kept, "command": "trap '' TERM; sleep 1237; true"}));
    }
    eventually("all children", || (running() == 16).then_some(()));
    drop(panes);
    eventually("no child is left", || (running() == 1).then_some(()));
    let told = listener.event("exec_completed", &kept);
    assert_eq!(told["exit_code"], -1);
    let list = listener.call("list", &json!({}));
    let alive = |context: &Value| context["context_id"] == json!(kept) && context["alive"] == true;
    assert!(list["contexts"].as_array().expect("a list").iter().any(alive));
    drop(listener);
    server.stop();
}

#[test]
fn there_are_64_connections_and_a_slow_reader_delays_nobody() {
    let server = Server::start();
    let mut all: Vec<_> = (0..64).map(|_| server.orchestrator()).collect();
    for panes in &mut all {
        panes.call("list", &json!({}));
    }
    assert!(server.orchestrator().read().is_none(), "one too many");
    let mut busy = all.pop().expect("one");
    all.truncate(1);
    let mut slow = all.pop().expect("one");
    // long commands make events that fill the reader's socket and then its queue
    let command = format!("true {}", "x".repeat(20_000));
    for _ in 0..40 {
        let ids: Vec<usize> = (0..40)
            .map(|_| busy.send("exec", &json!({"context_id": "%1", "command": command, "shell": "/none"})))
            .collect();
        for id in ids {
            assert_eq!(busy.response(id)["error"]["code"], -32008);
        }
        while !busy.passed().is_empty() {
            busy.next();
        }
    }
    let mut seen = 0;
    while let Some(event) = slow.read() {
        assert_eq!(event["method"], "exec_completed");
        seen += 1;
    }
    assert!(seen < 1_600, "the slow one lost its connection: {seen}");
    assert_eq!(busy.call("list", &json!({}))["contexts"][0]["alive"], true);
    drop(busy);
    server.stop();
}
