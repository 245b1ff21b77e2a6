//! `wait_for`.

use crate::support::Server;
use serde_json::{Value, json};
use std::process::Command;

#[test]
fn processes_end_and_are_waited_for() {
    let server = Server::start();
    let mut panes = server.orchestrator();
    let root = server.terminals()[0]["root_process"]["pid"].clone();
    // the root of a pane: the real code
    let pane = panes.script("echo pid-$$; read x; exit 6");
    panes.wait_output(&pane, "pid-");
    let pid = panes.screen(&pane).trim_start_matches("pid-").trim().to_owned();
    let id = panes.send("wait_for", &json!({"condition": "exit", "arg": pid}));
    panes.write(&pane, "\n");
    let met = panes.response(id)["result"].clone();
    assert_eq!((&met["kind"], &met["exit_code"]), (&json!("exit_success"), &json!(6)));
    assert_eq!(
        panes.call("wait_for", &json!({"condition": "exit", "arg": pid}))["exit_code"],
        6,
        "it is remembered"
    );
    let done = panes.call("run_shell", &json!({"command": ["sh", "-c", "echo $$; exit 4"]}));
    let child = done["stdout"].as_str().expect("a text").trim().to_owned();
    assert_eq!(panes.call("wait_for", &json!({"condition": "exit", "arg": child}))["exit_code"], 4);
    // a stranger: that it ended, not how
    let mut stranger = Command::new("sleep").arg("0.3").spawn().expect("a child");
    let met = panes.call("wait_for", &json!({"condition": "exit", "arg": stranger.id()}));
    assert_eq!((&met["kind"], &met["exit_code"]), (&json!("exit_success"), &Value::Null));
    stranger.wait().expect("its end");
    assert_eq!(
        panes.call("wait_for", &json!({"condition": "exit", "arg": "999999999"}))["kind"],
        "exit_success"
    );
    let living = json!({"condition": "exit", "arg": root, "timeout_ms": 100});
    assert_eq!(panes.call("wait_for", &living)["kind"], "timeout");
    for bad in [json!("0"), json!("x"), json!(-1), Value::Null] {
        assert_eq!(panes.refused("wait_for", &json!({"condition": "exit", "arg": bad})).0, -32602);
    }
    drop(panes);
    server.stop();
}

#[test]
fn files_and_screens_are_waited_for() {
    let server = Server::start();
    let mut panes = server.orchestrator();
    let file = server.home().project().join("made/file");
    let id = panes.send("wait_for", &json!({"condition": "file", "arg": file}));
    std::fs::create_dir(file.parent().expect("a folder"))
        .and_then(|()| std::fs::write(&file, ""))
        .expect("a file");
    assert_eq!(panes.response(id)["result"]["kind"], "success");
    let missing = json!({"condition": "file", "arg": "/no/such/file", "timeout_ms": 150});
    let timeout = panes.call("wait_for", &missing);
    assert_eq!(timeout["kind"], "timeout");
    assert!(timeout["elapsed_ms"].as_u64() >= Some(150));

    let pane = panes.script(
        "stty -echo; printf 'one\\ntwo $ '; read x; printf 'answer-%s' $x; read y; echo final; exit 0",
    );
    panes.wait_output(&pane, r"\$\s*$");
    panes.wait_output(&pane, "(?s)one.two");
    panes.wait_output(&pane, "one\ntwo");
    let output = |pattern: &str, limit: u64| json!({"condition": "output", "arg": pattern, "context_id": pane, "timeout_ms": limit});
    let none = panes.call("wait_for", &output("one.two", 0));
    assert_eq!(none["kind"], "timeout", "no flags are set");
    let id = panes.send("wait_for", &output("answer-[0-9]+", 20_000));
    panes.write(&pane, "42\n");
    assert_eq!(panes.response(id)["result"]["kind"], "success");
    for (pattern, reason) in [("(", "compile"), ("(x{1000}){1000}", "large"), (r"(a)\1", "compile")] {
        let error = panes.call("wait_for", &output(pattern, 20_000));
        assert_eq!(error["kind"], "error");
        assert!(error["reason"].as_str().is_some_and(|told| told.contains(reason)), "{error}");
    }
    // the last screen still counts, then the pane's end
    let last = panes.send("wait_for", &output("final", 20_000));
    let never = panes.send("wait_for", &output("never", 20_000));
    panes.write(&pane, "\n");
    assert_eq!(panes.response(last)["result"]["kind"], "success");
    assert_eq!(panes.response(never)["result"]["kind"], "error");
    // what would explode elsewhere does not
    let ready = panes.call("wait_for", &json!({"condition": "ready", "pane_id": "%1", "timeout_ms": 5_000}));
    assert_eq!(ready["kind"], "success");
    let evil = json!({"condition": "output", "arg": "(.*)*(.*)*(.*)*z!", "pane_id": "%1", "timeout_ms": 200});
    assert_eq!(panes.call("wait_for", &evil)["kind"], "timeout");
    for (params, code) in [
        (json!({"condition": "moon"}), -32602),
        (json!({}), -32602),
        (json!({"condition": "file", "arg": "here"}), -32602),
        (json!({"condition": "output", "arg": "x"}), -32602),
        (json!({"condition": "output", "pane_id": "%1"}), -32602),
        (json!({"condition": "ready"}), -32602),
        (json!({"condition": "ready", "pane_id": "%99"}), -32001),
    ] {
        assert_eq!(panes.refused("wait_for", &params).0, code, "{params}");
    }
    drop(panes);
    server.stop();
}
