//! `exec` and `run_shell`.

use crate::support::{Server, eventually, processes};
use serde_json::{Value, json};

#[test]
fn commands_run_beside_a_pane_with_its_folder_and_environment() {
    let server = Server::start();
    let mut panes = server.orchestrator();
    let mut other = server.orchestrator();
    let folder = server.home().project().join("deep");
    std::fs::create_dir(&folder).expect("a folder");
    let wanted = json!({"command": ["sh", "-c", "cd deep; printf up; cat"], "env": {"MARK": "m-1"}, "mode": "window",
                        "cwd": server.home().project()});
    let pane = panes.call("spawn_agent", &wanted)["context_id"].as_str().expect("a context id").to_owned();
    let before = panes.screen(&pane);
    panes.event("context_ready", &pane);
    let command = "pwd; echo $MARK; echo err >&2; test -t 0 || cat; exit 3";
    let id = panes.send("exec", &json!({"context_id": pane, "command": command, "capture": true}));
    let told = panes.next();
    assert_eq!(told["method"], "exec_completed", "before the response");
    assert_eq!((&told["params"]["exit_code"], &told["params"]["command"]), (&json!(3), &json!(command)));
    let done = panes.response(id)["result"].clone();
    let out = format!("{}\nm-1\n", folder.display());
    assert_eq!(
        (&done["exit_code"], &done["stdout"], &done["stderr"]),
        (&json!(3), &json!(out), &json!("err\n"))
    );
    assert_eq!(other.event("exec_completed", &pane), told["params"]);
    assert_eq!(panes.screen(&pane), before, "nothing of it shows");
    let plain = panes.call("exec", &json!({"command": "kill -9 $$"}));
    assert_eq!((&plain["exit_code"], plain.get("stdout")), (&json!(137), None));
    assert_eq!(panes.event("exec_completed", "%1")["exit_code"], 137);
    let flood =
        json!({"command": "head -c 5000000 /dev/zero | tr '\\0' x", "capture": true, "shell": "/bin/sh"});
    let flood = panes.call("exec", &flood);
    assert_eq!(flood["stdout"].as_str().map(str::len), Some(4 * 1_048_576));
    assert_eq!((&flood["stdout_truncated"], flood.get("stderr_truncated")), (&json!(true), None));
    for (params, code) in [
        (json!({}), -32602),
        (json!({"command": ""}), -32602),
        (json!({"command": "true", "shell": "nonesuch"}), -32602),
        (json!({"command": "true", "context_id": "%99"}), -32001),
    ] {
        assert_eq!(panes.refused("exec", &params).0, code, "{params}");
    }
    let (code, data) =
        panes.refused("exec", &json!({"context_id": "%1", "command": "true", "shell": "/no/such"}));
    assert_eq!((code, &data["os_error"]), (-32008, &json!(2)));
    drop((panes, other));
    server.stop();
}

#[test]
fn what_takes_too_long_is_ended_with_all_that_came_of_it() {
    let server = Server::start();
    let home = server.home().path();
    let mut panes = server.orchestrator();
    let script = "echo part; echo err >&2; setsid sleep 3001 & sleep 3002 & wait";
    let (code, data) =
        panes.refused("exec", &json!({"command": script, "capture": true, "timeout_ms": 300, "shell": "sh"}));
    assert_eq!((code, &data["stdout"], &data["stderr"]), (-32007, &json!("part\n"), &json!("err\n")));
    assert!(data["elapsed_ms"].as_u64().is_some_and(|elapsed| (300..5_000).contains(&elapsed)), "{data}");
    assert_eq!(panes.event("exec_completed", "%1")["exit_code"], -1);
    let (code, data) =
        panes.refused("run_shell", &json!({"command": ["sh", "-c", script], "timeout_ms": 300}));
    assert_eq!((code, &data["stdout"], &data["stderr"]), (-32007, &json!("part\n"), &json!("err\n")));
    assert!(data["elapsed_ms"].is_u64());
    eventually("nothing is left", || {
        let left =
            processes::of_home(&home).iter().filter(|one| one.command.starts_with("sleep 300")).count();
        (left == 0).then_some(())
    });
    drop(panes);
    server.stop();
}

#[test]
fn run_shell_runs_argv_where_it_is_told_to() {
    let server = Server::start();
    let mut panes = server.orchestrator();
    let home = server.home().person();
    let done =
        panes.call("run_shell", &json!({"command": ["printf", "%s|", "a b", "$HOME"], "env": {"X": "1"}}));
    assert_eq!(
        (&done["exit_code"], &done["stdout"], &done["stderr"]),
        (&json!(0), &json!("a b|$HOME|"), &json!(""))
    );
    assert_eq!(
        panes.call("run_shell", &json!({"command": ["sh", "-c", "echo $X; exit 9"], "env": {"X": "é"}}))["stdout"],
        "é\n"
    );
    // where the pane was made, not where it is
    let moved = panes.script("cd /; printf up; cat");
    panes.wait_output(&moved, "up");
    let of_pane = panes.call("run_shell", &json!({"command": ["pwd"], "context_id": moved}));
    assert_eq!(of_pane["stdout"], format!("{}\n", home.display()));
    let named = json!({"command": ["pwd"], "cwd": "/usr", "context_id": "%99"});
    assert_eq!(panes.call("run_shell", &named)["stdout"], "/usr\n", "the context is not looked at");
    for (params, code) in [
        (json!({"command": []}), -32602),
        (json!({"command": [""]}), -32602),
        (json!({"command": "ls"}), -32602),
        (json!({"command": ["pwd"], "context_id": "%99"}), -32001),
        (json!({"command": ["/no/such"]}), -32008),
        (json!({"command": ["pwd"], "cwd": "/no/such"}), -32008),
    ] {
        assert_eq!(panes.refused("run_shell", &params).0, code, "{params}");
    }
    assert!(
        panes.passed().is_empty() || panes.passed() == ["context_ready"],
        "no event: {:?}",
        panes.passed()
    );
    assert_eq!(
        panes.refused("run_shell", &json!({"command": ["a\u{0}"]})).1["field"],
        Value::from("command")
    );
    drop(panes);
    server.stop();
}
