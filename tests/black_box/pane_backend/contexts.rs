//! Looking into panes, typing into them, ending them, and what is told of them.

use crate::support::{Server, eventually, processes};
use serde_json::{Value, json};

#[test]
fn captures_wait_count_and_cut() {
    let server = Server::start();
    let mut panes = server.orchestrator();
    let script = "stty -echo; printf '\\033[31mred\\033[0m  \\n'; for i in $(seq 100); do echo line-$i; done; while read x; do echo got-$x; done";
    let pane = panes.script(script);
    panes.wait_output(&pane, "line-100$");
    let visible = panes.call("capture", &json!({"context_id": pane, "clean": true}));
    let text = visible["text"].as_str().expect("a text");
    assert!(text.ends_with("line-99\nline-100") && text.lines().count() <= 40, "{text}");
    let few = panes.call("capture", &json!({"context_id": pane, "clean": true, "lines": 2}));
    assert_eq!(few["text"], "line-99\nline-100");
    let all = panes.call("capture", &json!({"context_id": pane, "lines": 5000}));
    let all = all["text"].as_str().expect("a text");
    assert_eq!(all.lines().count(), 101);
    assert!(all.starts_with("\u{1b}[0;31mred\u{1b}[0m\nline-1\n"), "{:?}", &all[..40]);
    let version = visible["data_version"].as_u64().expect("a version");
    // nothing newer: the present text in the error
    let wait = |since: u64, limit: u64| json!({"context_id": pane, "clean": true, "wait_for_output": true, "since_version": since, "timeout_ms": limit});
    let (code, data) = panes.refused("capture", &wait(version, 200));
    assert_eq!((code, &data["data_version"], &data["context_id"]), (-32005, &json!(version), &json!(pane)));
    assert!(data["text"].as_str().is_some_and(|text| text.ends_with("line-100")));
    assert_eq!(panes.call("capture", &wait(version - 1, 0))["data_version"], version);
    // a resize is no output, what the child answers is
    let id = panes.send("capture", &wait(version, 20_000));
    panes.write(&pane, "a\n");
    let newer = panes.response(id)["result"].clone();
    assert!(newer["data_version"].as_u64() > Some(version));
    panes.wait_output(&pane, "(?m)^got-a$");
    // the end of the pane ends the wait
    let id =
        panes.send("capture", &json!({"context_id": pane, "wait_for_output": true, "since_version": 99_999}));
    panes.call("kill", &json!({"context_id": pane}));
    let error = panes.response(id)["error"].clone();
    assert!(error["code"] == -32005 || error["code"] == -32001, "{error}");
    panes.call("initialize", &json!({"protocol_version": "1"}));
    let old = panes.call("capture", &json!({"context_id": "%1"}));
    assert_eq!(old["truncated"], false);
    drop(panes);
    server.stop();
}

#[test]
fn any_bytes_are_written_as_they_are() {
    let server = Server::start();
    let mut panes = server.orchestrator();
    let pane = panes.script("stty raw -echo; printf ready; head -c 4 | od -An -tx1; cat >/dev/null");
    panes.wait_output(&pane, "ready");
    // LF is not changed to CR; the padding may be left out
    for data in ["AP8KDQ==", "AP8KDQ"] {
        assert_eq!(panes.call("write", &json!({"context_id": pane, "data": data})), json!({}));
    }
    panes.wait_output(&pane, "00 ff 0a 0d");
    assert_eq!(panes.call("write", &json!({"context_id": pane, "data": ""})), json!({}));
    for bad in [json!("a"), json!("%%%%"), json!(3), Value::Null] {
        assert_eq!(panes.refused("write", &json!({"context_id": pane, "data": bad})).0, -32602);
    }
    assert_eq!(
        panes.refused("write", &json!({"context_id": "%99", "data": "YQ=="})),
        (-32001, json!({"context_id": "%99"}))
    );
    // a child that does not read: all or nothing, and it says so
    let deaf = panes.script("stty raw -echo; printf ready; sleep 1000");
    panes.wait_output(&deaf, "ready");
    let much = json!({"context_id": deaf, "data": "AAAA".repeat(170_000)});
    let refused = (0..40).find_map(|_| {
        let id = panes.send("write", &much);
        Some(panes.response(id)).filter(|response| response.get("error").is_some())
    });
    let error = refused.expect("the queue is full")["error"].clone();
    assert_eq!((&error["code"], &error["data"]["reason"]), (&json!(-32603), &json!("input_queue_full")));
    drop(panes);
    server.stop();
}

#[test]
fn killing_ends_the_whole_tree_and_is_told_to_all() {
    let server = Server::start();
    let home = server.home().path();
    let mut panes = server.orchestrator();
    let mut other = server.orchestrator();
    let running = |what: &str| processes::of_home(&home).iter().filter(|one| one.command == what).count();
    let pane = panes
        .script("trap '' HUP TERM; setsid sleep 2001 & sleep 2002 & printf up; while :; do sleep 2003; done");
    panes.wait_output(&pane, "up");
    eventually("the tree", || (running("sleep 2001") + running("sleep 2002") == 2).then_some(()));
    let id = panes.send("kill", &json!({"context_id": pane}));
    assert_eq!(panes.next()["id"], json!(id), "the response comes first");
    let told = json!({"context_id": pane, "exit_code": -1});
    assert_eq!(panes.event("context_exited", &pane), told);
    assert_eq!(other.event("context_exited", &pane), told);
    for what in ["sleep 2001", "sleep 2002", "sleep 2003"] {
        eventually(what, || (running(what) == 0).then_some(()));
    }
    assert_eq!(panes.refused("kill", &json!({"context_id": pane})).0, -32001);
    // with grace a program may save what it holds; a shorter one wins
    let polite = panes
        .script("trap 'echo saved > saved.txt; exit 0' TERM HUP; printf up; while :; do sleep 0.05; done");
    panes.wait_output(&polite, "up");
    assert_eq!(panes.call("kill", &json!({"context_id": polite, "grace_ms": 20_000})), json!({}));
    assert_eq!(panes.event("context_exited", &polite), json!({"context_id": polite, "exit_code": -1}));
    assert!(server.home().person().join("saved.txt").exists());
    let stubborn = panes.script("trap '' TERM HUP; printf up; while :; do sleep 0.05; done");
    panes.wait_output(&stubborn, "up");
    panes.call("kill", &json!({"context_id": stubborn, "grace_ms": 60_000}));
    assert!(panes.screen(&stubborn).contains("up"), "it lives until then");
    panes.call("kill", &json!({"context_id": stubborn, "grace_ms": 100}));
    panes.event("context_exited", &stubborn);
    // ends of their own
    let code = panes.script("exit 7");
    let told = panes.event("context_exited", &code);
    assert_eq!((&told["exit_code"], &told["command"]), (&json!(7), &json!("/bin/sh -c exit 7")));
    assert!(told["elapsed_ms"].is_u64());
    let signal = panes.script("kill -9 $$");
    assert_eq!(panes.event("context_exited", &signal)["exit_code"], 137);
    // a person's close counts like a kill
    let closed = panes.script("cat");
    server.call(
        "pane.close",
        &json!({"pane": closed.trim_start_matches('%').parse::<u32>().expect("a number")}),
    );
    assert_eq!(panes.event("context_exited", &closed), json!({"context_id": closed, "exit_code": -1}));
    drop((panes, other));
    server.stop();
}

#[test]
fn a_killed_pane_is_removed_after_its_end_was_told() {
    let server = Server::start();
    let mut panes = server.orchestrator();
    for method in ["kill", "kill_all"] {
        let pane = panes.script("printf up; exec cat");
        panes.wait_output(&pane, "up");
        let newer = json!({"context_id": pane, "clean": true, "wait_for_output": true, "timeout_ms": 20_000});
        let wait = panes.send("capture", &newer);
        panes.call(method, &json!({"context_id": pane}));
        let left = panes.call("list", &json!({}));
        let left = left["contexts"].as_array().expect("a list");
        assert!(left.iter().all(|context| context["context_id"] != json!(pane)), "{method}: {left:?}");
        assert!(panes.passed().contains(&"context_exited"), "{method}: the list came before the event");
        panes.event("context_exited", &pane);
        let error = panes.response(wait)["error"].clone();
        assert_eq!((&error["code"], &error["data"]["alive"]), (&json!(-32005), &json!(false)), "{error}");
        assert_eq!(error["data"]["text"], "up");
    }
    drop(panes);
    server.stop();
}

#[test]
fn kill_all_takes_what_was_spawned_with_that_role() {
    let server = Server::start();
    let mut panes = server.orchestrator();
    let mut make = |role: Option<&str>| {
        let metadata = role.map(|role| json!({"role": role}));
        let wanted = json!({"command": ["cat"], "mode": "window", "wait_ready": false, "metadata": metadata});
        panes.call("spawn_agent", &wanted)["context_id"].clone()
    };
    let (first, second, third) = (make(Some("coder")), make(None), make(Some("coder")));
    assert_eq!(panes.call("kill_all", &json!({"role": "Coder"}))["killed"], json!([]));
    assert_eq!(panes.call("kill_all", &json!({"role": "coder"}))["killed"], json!([first, third]));
    assert_eq!(panes.call("kill_all", &json!({}))["killed"], json!([second]));
    eventually("the shell is left", || (server.terminals().len() == 1).then_some(()));
    drop(panes);
    server.stop();
}

#[test]
fn events_come_to_all_in_an_order_to_rely_on_and_once() {
    let server = Server::start();
    let mut panes = server.orchestrator();
    let mut silent = server.orchestrator();
    let id = panes.send(
        "spawn_agent",
        &json!({"command": ["sh", "-c", "echo up; read x; echo last"], "mode": "window"}),
    );
    let ready = panes.next();
    assert_eq!(
        (&ready["method"], &ready["params"]["ready_source"]),
        (&json!("context_ready"), &json!("quiet"))
    );
    let made = panes.response(id)["result"].clone();
    let pane = made["context_id"].as_str().expect("a context id").to_owned();
    assert_eq!(made["data_version"], ready["params"]["data_version"]);
    panes.write(&pane, "x\n");
    let exited = panes.event("context_exited", &pane);
    assert_eq!(exited["exit_code"], 0);
    assert_eq!(silent.next()["method"], "context_ready");
    assert_eq!(silent.next()["params"], exited);
    // the end of the server is told too, and then the connection ends
    server.call("server.stop", &json!({}));
    assert_eq!(silent.event("context_exited", "%1"), json!({"context_id": "%1", "exit_code": -1}));
    assert!(silent.read().is_none());
    drop((panes, silent, server));
}

#[test]
fn a_line_that_is_written_at_a_prompt_runs_at_once() {
    let server = Server::start();
    let runtime = crate::support::runtime::Runtime::of(server.home());
    let mut panes = server.orchestrator();
    panes.call("wait_for", &json!({"condition": "ready", "pane_id": "%1"}));
    for end in ["\n", "\r"] {
        let before = runtime.call("runtime.snapshot", &json!({}));
        let before = crate::support::runtime::pane(&before, 1)["state_change_seq"].clone();
        panes.write("%1", &format!("true{end}"));
        let running = json!({"pane_id": 1, "state": "running", "timeout_ms": 10_000, "after_seq": before});
        let met = runtime.call("pane.wait", &running);
        let after = met["state_change_seq"].clone();
        assert_eq!(after.as_u64(), before.as_u64().map(|seq| seq + 1), "{end:?}");
        let idle = json!({"pane_id": 1, "state": "idle", "timeout_ms": 10_000, "after_seq": after});
        runtime.call("pane.wait", &idle);
    }
    drop(panes);
    server.stop();
}

#[cfg(target_os = "linux")]
#[test]
fn a_killed_pane_takes_those_with_it_that_left_its_session() {
    let server = Server::start();
    let mut panes = server.orchestrator();
    for grace in [0, 200] {
        let file = server.home().project().join(format!("pid-{grace}"));
        // its parent is gone before the pane is
        let script =
            format!("(setsid sh -c 'echo $$ > {}; exec sleep 300' &); exec sleep 301", file.display());
        let pane = panes.script(&script);
        let pid: i32 = eventually("its number", || std::fs::read_to_string(&file).ok()?.trim().parse().ok());
        assert!(processes::runs(pid));
        panes.call("kill", &json!({"context_id": pane, "grace_ms": grace}));
        eventually("it has ended", || (!processes::runs(pid)).then_some(()));
    }
    drop(panes);
    server.stop();
}
