//! The runtime control protocol over its loopback listener, and the verbs of the command line for it.

use crate::support::runtime::{Runtime, faults, folder, next, pane};
use crate::support::{Home, Server, eventually, have, schemas};
use serde_json::{Value, json};
use std::io::Read;
use std::os::unix::fs::PermissionsExt;

const BASH: &str = "shell = \"/bin/bash\"\n";

fn start() -> (Server, Runtime) {
    let server = Server::start();
    let runtime = Runtime::of(server.home());
    (server, runtime)
}

#[test]
fn the_listener_is_found_and_keeps_strangers_out() {
    let (server, runtime) = start();
    let record = server.home().path().join("runtime.port");
    assert_eq!(std::fs::metadata(&record).expect("a record").permissions().mode() & 0o777, 0o600);
    let (token, known) = (&runtime.token, |line: String| runtime.raw(line.as_bytes()));
    assert_eq!(known(format!("PING {token}\n")), b"OK\n");
    assert_eq!(known(format!("ATTACH {token}\r\n")), b"OK\n");
    let other = "0".repeat(32);
    let wrong = String::from_utf8(runtime.line("runtime.snapshot", &json!({}))).expect("text");
    for line in [
        "PING\n".to_owned(),
        format!("PING {other}\n"),
        format!("QUIT {token}\n"),
        "[]\n".to_owned(),
        "{}\n".to_owned(),
        "{not json\n".to_owned(),
        wrong.replace(token.as_str(), &other),
    ] {
        assert_eq!(known(line.clone()), b"", "{line}");
    }
    let large: Value = serde_json::from_slice(&known("x".repeat(131_073))).expect("an answer");
    assert_eq!((&large["id"], &large["error"]["code"]), (&json!(""), &json!("request_too_large")));
    server.stop();
    assert!(!record.exists(), "the record goes with its server");
}

#[test]
fn an_envelope_is_checked_in_order() {
    let (server, runtime) = start();
    let ask = |change: &[(&str, Value)]| {
        let line = runtime.line("runtime.snapshot", &json!({}));
        let mut request: Value = serde_json::from_slice(&line).expect("a request");
        for (key, value) in change {
            request[*key] = value.clone();
        }
        let answer = runtime.raw(format!("{request}\n").as_bytes());
        let answer: Value = serde_json::from_slice(&answer).expect("an answer");
        (answer["id"].clone(), answer["error"]["code"].clone())
    };
    let (id, none) = (json!("t-1"), json!(""));
    assert_eq!(ask(&[("more", json!(1)), ("version", json!(2))]), (id.clone(), json!("invalid_request")));
    assert_eq!(ask(&[("id", json!(""))]), (none.clone(), json!("invalid_request")));
    assert_eq!(ask(&[("id", json!("x".repeat(257)))]), (none, json!("invalid_request")));
    assert_eq!(ask(&[("version", json!(2)), ("method", json!("no"))]).1, "protocol_version_mismatch");
    assert_eq!(ask(&[("method", json!("no")), ("params", json!({"x": 1}))]).1, "method_not_found");
    assert_eq!(ask(&[("params", json!({"x": 1}))]).1, "invalid_params");
    let twice = format!(
        "{{\"protocol\":\"nebula.runtime\",\"version\":1,\"id\":\"d\",\"token\":\"{}\",\"method\":\"runtime.snapshot\",\"params\":{{\"a\":1,\"a\":2}}}}\n",
        runtime.token
    );
    let answer: Value = serde_json::from_slice(&runtime.raw(twice.as_bytes())).expect("an answer");
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!("d"), &json!("invalid_request")));
    server.stop();
}

#[test]
fn without_the_setting_there_is_no_listener_and_every_verb_works() {
    let server = Server::with_config("[compat]\nnebula_runtime = false\n");
    assert!(!server.home().path().join("runtime.port").exists());
    let list = server.home().json(&["pane", "list"]);
    assert_eq!(list["result"]["panes"][0]["pane_id"], 1);
    let environment = server.home().json(&["pane", "exec", "1", "--", "env"]);
    let text = environment["result"]["stdout"].as_str().expect("text");
    assert!(text.contains("NEBULA_PANE_ID=1\n") && !text.contains("NEBULA_CLI="), "{text}");
    server.stop();
}

#[test]
fn fixtures_mean_what_the_schema_says() {
    let (server, runtime) = start();
    let described = runtime.call("runtime.describe", &json!({}));
    let served: Vec<&str> =
        described["capabilities"].as_array().expect("a list").iter().filter_map(Value::as_str).collect();
    for (name, good) in [("valid", true), ("invalid", false)] {
        let mut methods = Vec::new();
        for entry in std::fs::read_dir(folder().join("fixtures").join(name)).expect("fixtures").flatten() {
            let request = schemas::read(&entry.path());
            let method = request["method"].as_str().expect("a method").to_owned();
            let params = format!("methods/{}/params", method.replace('.', "_"));
            let found = faults(&params, &request["params"]);
            assert_eq!(found.is_empty(), good, "{:?}: {found:?}", entry.path());
            assert_eq!(faults("request", &request), Vec::<String>::new());
            if good {
                methods.push(method);
                continue;
            }
            assert_eq!(runtime.code(&method, &request["params"]), "invalid_params", "{:?}", entry.path());
        }
        if good {
            methods.sort_unstable();
            let mut served: Vec<String> = served.iter().map(|method| (*method).to_owned()).collect();
            served.sort_unstable();
            assert_eq!(methods, served, "every method has a fixture");
        }
    }
    for method in served {
        let code = runtime.code(method, &json!({"no_such_param": true}));
        assert_eq!(code, "invalid_params", "{method}");
    }
    server.stop();
}

#[test]
fn a_wait_after_a_submit_sees_its_end_and_not_the_quiet_before() {
    let (server, runtime) = start();
    let submitted = runtime.call("pane.prompt", &json!({"pane_id": 1, "text": "true"}));
    let row = pane(&submitted["snapshot"], 1);
    assert_eq!(row["task_state"], "running");
    let baseline = row["state_change_seq"].as_u64().expect("a counter");
    let wait = |state: &str, after: u64, timeout: u64| json!({"pane_id": 1, "state": state, "timeout_ms": timeout, "after_seq": after});
    let met = runtime.call("pane.wait", &wait("settled", baseline, 15_000));
    assert_eq!((&met["state"], &met["state_change_seq"]), (&json!("idle"), &json!(baseline + 1)));
    // passed through already
    assert_eq!(runtime.call("pane.wait", &wait("running", 1, 1_000))["state_change_seq"], baseline);
    let late = runtime.refusal("pane.wait", &wait("failed", 1, 50));
    assert_eq!(late["code"], "timeout");
    assert_eq!(
        late["details"],
        json!({"after_seq": 1, "observed_state_change_seq": baseline + 1, "observed_state": "idle"})
    );
    let split = runtime.call("pane.split", &json!({"direction": "left_right"}))["action"].clone();
    assert_eq!(split["pane_id"], 2);
    runtime.call("pane.close", &json!({"pane_id": 2}));
    let gone = json!({"pane_id": 2, "state": "running", "timeout_ms": 1_000});
    assert_eq!(runtime.code("pane.wait", &gone), "pane_closed");
    let never = json!({"pane_id": 99, "state": "running", "timeout_ms": 1_000});
    assert_eq!(runtime.code("pane.wait", &never), "target_not_found");
    server.stop();
}

#[test]
fn events_follow_changes_and_only_changes() {
    let (server, runtime) = start();
    let current = eventually("its program is known", || {
        let snapshot = runtime.call("runtime.snapshot", &json!({}));
        (pane(&snapshot, 1)["title"] == "sh").then(|| snapshot["revision"].clone())
    });
    let (acknowledged, mut lines) = runtime.subscribe(&json!({"since_revision": current}));
    assert_eq!(acknowledged["result"]["current_revision"], current);
    runtime.call("tab.move", &json!({"tab_index": 0, "to_index": 0}));
    runtime.call("tab.rename", &json!({"tab_index": 0, "name": "tests"}));
    let event = next(&mut lines);
    assert!(faults("event", &event).is_empty(), "{event}");
    assert_eq!(event["revision"], current.as_u64().expect("a number") + 1, "nothing changed before");
    assert_eq!(event["data"]["windows"][0]["tabs"][0]["label"], "tests");
    server.stop();
    let mut rest = String::new();
    lines.read_to_string(&mut rest).expect("the end");
}

#[test]
fn the_shell_that_follows_the_last_pane_is_there_for_whoever_was_told_of_it() {
    let (server, runtime) = start();
    let mut last = json!(1);
    for _ in 0..3 {
        eventually("the prompt", || {
            (runtime.call("pane.read", &json!({"pane_id": last}))["text"] == "ready>").then_some(())
        });
        let closed = runtime.call("pane.close", &json!({"pane_id": last}));
        last = closed["snapshot"]["windows"][0]["focused_pane_id"].clone();
        runtime.call("pane.read", &json!({"pane_id": last}));
    }
    server.stop();
}

#[test]
fn a_program_runs_beside_a_pane() {
    let (server, runtime) = start();
    let exec = |argv: Value, timeout: u64| {
        let params = json!({"pane_id": 1, "argv": argv, "timeout_ms": timeout, "max_output_bytes": 8});
        runtime.call("pane.exec", &params)
    };
    let done = exec(json!(["sh", "-c", "printf 0123456789; printf err >&2; exit 3"]), 15_000);
    assert_eq!((&done["stdout"], &done["stderr"]), (&json!("01234567"), &json!("err")));
    assert_eq!((&done["exit_code"], &done["success"]), (&json!(3), &json!(false)));
    assert_eq!(done["capture"]["stdout"]["total_bytes"], 10);
    assert_eq!(done["cwd"], json!(server.home().person()));
    let late = exec(json!(["sh", "-c", "printf part; sleep 60"]), 300);
    assert_eq!(
        (&late["timed_out"], &late["stdout"], &late["exit_code"]),
        (&json!(true), &json!("part"), &Value::Null)
    );
    let failed = runtime.refusal("pane.exec", &json!({"pane_id": 1, "argv": ["/no/such/program"]}));
    assert_eq!((&failed["code"], &failed["details"]["reason"]), (&json!("action_failed"), &json!("spawn")));
    server.stop();
}

#[test]
fn a_run_tells_the_real_exit_code_or_none() {
    if !have(&["bash"]) {
        return;
    }
    let server = Server::with_config(BASH);
    let runtime = Runtime::of(server.home());
    let run = |command: &str, rest: Value| {
        let mut params = json!({"pane_id": 1, "command": command});
        params.as_object_mut().expect("an object").extend(rest.as_object().expect("an object").clone());
        runtime.respond("pane.run", &params)
    };
    assert_eq!(run("true", json!({}))["result"]["exit_code"], 0);
    let failed = run("(exit 7)", json!({}));
    assert_eq!((&failed["result"]["state"], &failed["result"]["exit_code"]), (&json!("failed"), &json!(7)));
    // long enough to be seen in front: with its end it is no more
    assert_eq!(run("sleep 0.5", json!({}))["result"]["exit_code"], 0);
    let row = pane(&runtime.call("runtime.snapshot", &json!({})), 1);
    assert_eq!((&row["task_state"], &row["running_program"]), (&json!("idle"), &Value::Null));
    let late = run("sleep 60", json!({"timeout_ms": 300}));
    assert_eq!(
        (&late["error"]["code"], &late["error"]["details"]["phase"]),
        (&json!("timeout"), &json!("started"))
    );
    assert_eq!(run("true", json!({}))["error"]["code"], "input_in_progress");
    assert_eq!(runtime.code("pane.close", &json!({"pane_id": 1})), "confirmation_required");
    runtime.call("pane.send_key", &json!({"pane_id": 1, "key": "c", "modifiers": {"control": true}}));
    eventually("the end of the run", || {
        let row = pane(&runtime.call("runtime.snapshot", &json!({})), 1);
        (row["last_run"]["exit_code"] == 130 && row.get("active_run").is_none()).then_some(())
    });
    server.stop();
    let (server, runtime) = start();
    let shown = || runtime.call("pane.read", &json!({"pane_id": 1}))["text"].take();
    eventually("the prompt", || (shown() == "ready>").then_some(()));
    assert_eq!(runtime.code("pane.run", &json!({"pane_id": 1, "command": "true"})), "exit_code_unavailable");
    assert_eq!(shown(), "ready>", "nothing was typed");
    server.stop();
}

#[test]
fn steps_are_carried_out_in_order_with_receipts() {
    let (server, runtime) = start();
    let steps = json!([
        {"id": "right", "op": "split", "direction": "left_right"},
        {"id": "type", "op": "prompt", "target": {"step": "right", "field": "pane_id"}, "text": "true"},
        {"id": "quiet", "op": "wait", "target": {"step": "right", "field": "pane_id"}, "state": "settled"},
        {"id": "bad", "op": "focus", "target": {"pane_id": 99}},
        {"id": "after", "op": "focus", "target": {"step": "bad", "field": "pane_id"}},
    ]);
    let receipt = runtime.call("runtime.orchestrate", &json!({"steps": steps, "on_error": "continue"}));
    assert_eq!(
        (&receipt["ok"], &receipt["partial"], &receipt["completed"]),
        (&json!(false), &json!(true), &json!(3))
    );
    assert_eq!(receipt["failed_step"], "bad");
    assert_eq!(receipt["steps"][0]["action"], json!({"window_id": 1, "pane_id": 2}));
    assert_eq!(receipt["steps"][4]["error"]["code"], "invalid_reference");
    let ahead = json!([{"id": "a", "op": "focus", "target": {"step": "b", "field": "pane_id"}}, {"id": "b", "op": "new_tab"}]);
    assert_eq!(runtime.code("runtime.orchestrate", &json!({"steps": ahead})), "invalid_reference");
    assert_eq!(server.peer().shape(), "1 (2)", "nothing of a refused workflow happens");
    server.stop();
}

/// A program that looks like an agent, in a folder of the home.
fn with_agent(home: &Home, name: &str) {
    let bin = home.person().join("bin");
    std::fs::create_dir_all(&bin).expect("a folder");
    let program = bin.join(name);
    std::fs::copy("/bin/sleep", &program).expect("a program");
}

#[test]
fn a_fork_has_a_worktree_of_its_own_and_refuses_what_is_there() {
    if !have(&["git", "sh"]) {
        return;
    }
    let (server, runtime) = start();
    let project = server.home().project();
    let git = |arguments: &[&str]| {
        let mut command = server.home().command("git");
        let output = command.args(["-c", "user.name=a", "-c", "user.email=a@b"]).args(arguments).output();
        assert!(output.expect("git runs").status.success(), "{arguments:?}");
    };
    let fork = |name: &str| json!({"name": name, "kind": "codex", "source_cwd": project});
    assert_eq!(runtime.code("agent.fork", &fork("fixer")), "git_unavailable");
    git(&["init", "-q", "-b", "main"]);
    std::fs::write(project.join("file"), "text").expect("a file");
    assert_eq!(runtime.code("agent.fork", &fork("fixer")), "dirty_source");
    git(&["add", "."]);
    git(&["commit", "-qm", "first"]);
    with_agent(server.home(), "codex");
    let forked = runtime.call("agent.fork", &fork("Login Fixer"));
    let worktree = &forked["worktree"];
    assert_eq!(worktree["branch"], "nebula/login-fixer");
    assert_eq!(worktree["path"], json!(project.with_file_name("project-worktrees").join("login-fixer")));
    assert_eq!(forked["agent"]["worktree"], *worktree);
    assert_eq!(runtime.code("agent.fork", &fork("Login Fixer")), "agent_name_conflict");
    let other = |key: &str, value: Value| {
        let mut params = fork("other");
        params[key] = value;
        runtime.code("agent.fork", &params)
    };
    assert_eq!(other("branch", json!("nebula/login-fixer")), "branch_conflict");
    assert_eq!(other("path", worktree["path"].clone()), "worktree_path_conflict");
    assert_eq!(other("base", json!("nowhere")), "invalid_base");
    assert_eq!(other("branch", json!("a..b")), "invalid_branch");
    let got = runtime.respond("agent.get", &json!({"agent": "Login Fixer", "generation": 1}));
    assert_eq!(got["result"]["agent"]["worktree"], *worktree);
    server.stop();
}

#[test]
fn the_environment_is_told_truly_everywhere() {
    let home = Home::new();
    let report = home.json(&["env"]);
    assert_eq!((&report["in_luvus"], &report["runtime"]["reachable"]), (&json!(false), &json!(false)));
    assert_eq!(report["runtime"]["error"]["code"], "runtime_unavailable");
    let broken = home.luvus(&["env"]).env("LUVUS_RUNTIME_ENDPOINT", "secret").output().expect("it runs");
    assert!(broken.status.success() && !String::from_utf8_lossy(&broken.stdout).contains("secret"));
    let refused = home.luvus(&["pane", "list"]).env("LUVUS_RUNTIME_ENDPOINT", "x").output().expect("it runs");
    let envelope: Value = serde_json::from_slice(&refused.stdout).expect("an envelope");
    assert_eq!((refused.status.code(), &envelope["error"]["code"]), (Some(1), &json!("runtime_unavailable")));

    let (server, runtime) = start();
    let inside = runtime.call("pane.exec", &json!({"pane_id": 1, "argv": ["luvus", "env"]}));
    let text = inside["stdout"].as_str().expect("text");
    let report: Value = serde_json::from_str(text).expect("a report");
    assert_eq!((&report["in_luvus"], &report["pane"]["pane_id"]), (&json!(true), &json!(1)));
    assert_eq!(report["runtime"]["session"], "default");
    assert!(!text.contains(&runtime.token), "the token is nobody's to print");
    server.stop();
}

#[test]
fn verbs_wait_from_the_answer_to_their_submit() {
    let (server, _) = start();
    let sent = server.home().json(&["pane", "send", "1", "true", "--wait", "--wait-timeout-ms", "15000"]);
    assert_eq!(sent["result"]["state"], "idle");
    let baseline = sent["result"]["submission"]["state_change_seq"].as_u64().expect("a baseline");
    assert!(sent["result"]["state_change_seq"].as_u64().expect("a counter") > baseline);
    server.home().fails(64, &["pane", "send", "1", "true", "--wait", "--no-submit"]);
    server.home().fails(2, &["pane", "wait", "1", "--state", "failed", "--wait-timeout-ms", "50"]);
    server.home().fails(2, &["agent", "send", "nobody", "text"]);
    server.home().fails(1, &["pane", "exec", "1", "--", "false"]);
    assert!(server.home().ok(&["skill", "show"]).lines().count() <= 120);
    server.stop();
}
