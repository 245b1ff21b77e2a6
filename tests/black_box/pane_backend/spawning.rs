//! `spawn_agent` and what is seen of its panes.

use crate::support::{Server, Terminal, eventually};
use serde_json::{Value, json};

fn created(panes: &mut crate::support::Orchestrator, params: &Value) -> (String, String) {
    let made = panes.call("spawn_agent", params);
    let text = |key: &str| made[key].as_str().expect("a text").to_owned();
    (text("context_id"), text("created_via"))
}

#[test]
fn a_pane_is_made_where_there_is_room_and_changes_nothing_else() {
    let server = Server::start();
    let mut panes = server.orchestrator();
    let quick = |mode: &str, direction: &str| json!({"command": ["cat"], "mode": mode, "split_direction": direction, "wait_ready": false});
    // 120 × 40: comfortable once, not twice
    assert_eq!(created(&mut panes, &quick("auto", "horizontal")).1, "split");
    assert_eq!(created(&mut panes, &quick("auto", "horizontal")).1, "window");
    assert_eq!(created(&mut panes, &quick("split", "horizontal")).1, "split");
    assert_eq!(created(&mut panes, &quick("split", "horizontal")).1, "split");
    let (code, data) = panes.refused("spawn_agent", &quick("split", "horizontal"));
    assert_eq!(code, -32003);
    assert_eq!((&data["min_cols"], &data["min_rows"]), (&json!(10), &json!(3)));
    assert!(data["cols"].as_u64().is_some_and(|cols| cols < 20) && data["rows"].is_u64(), "{data}");
    let named = json!({"command": ["cat"], "mode": "window", "window_name": "agents", "wait_ready": false});
    assert_eq!(created(&mut panes, &named).1, "window");
    let tabs = server.call("tab.list", &json!({}));
    let tabs = tabs["tabs"].as_array().expect("tabs");
    assert_eq!(tabs.len(), 3);
    assert_eq!((&tabs[1]["name"], &tabs[2]["name"]), (&json!("cat"), &json!("agents")), "{tabs:?}");
    assert_eq!(server.call("pane.current", &json!({}))["pane"], "1", "the focus stays");
    let killed = panes.call("kill_all", &json!({}))["killed"].as_array().expect("a list").len();
    assert_eq!(killed, 5);
    eventually("only the shell is left", || (server.terminals().len() == 1).then_some(()));
    drop(panes);
    server.stop();
}

#[test]
fn environment_folder_shell_and_arguments_are_as_asked_for() {
    let server = Server::start();
    let mut panes = server.orchestrator();
    let project = server.home().project();
    let script =
        "echo [$FOO:$CLAUDE_CODE_NO_FLICKER:$LUVUS_CONTEXT_ID]; pwd; for a; do echo \"<$a>\"; done; cat";
    let wanted = json!({
        "command": ["/bin/sh", "-c", script, "x", "a b", "it's $HOME"], "cwd": project, "shell": "sh",
        "env": {"FOO": "bar", "CLAUDE_CODE_NO_FLICKER": "0", "LUVUS_CONTEXT_ID": "%99"}, "mode": "window",
    });
    let made = panes.call("spawn_agent", &wanted);
    let pane = made["context_id"].as_str().expect("a context id").to_owned();
    assert_eq!((&made["ready"], &made["created_via"]), (&json!(true), &json!("window")));
    assert!(made["elapsed_ms"].as_u64() >= Some(500) && made["data_version"].as_u64() > Some(0), "{made}");
    let screen = panes.screen(&pane);
    assert!(screen.contains(&format!("[bar:1:{pane}]\n")), "{screen}");
    assert!(screen.contains("<a b>\n<it's $HOME>"), "{screen}");
    let list = panes.call("list", &json!({}));
    let row = list["contexts"].as_array().expect("a list").last().expect("the pane").clone();
    assert_eq!(
        (&row["cwd"], &row["shell_name"], &row["metadata"]),
        (&json!(project), &json!("sh"), &Value::Null)
    );
    // an empty command is a shell, here another one
    let shell = panes.call("spawn_agent", &json!({"command": [], "shell": "/bin/sh", "mode": "window"}));
    let shell = shell["context_id"].as_str().expect("a context id").to_owned();
    panes.write(&shell, "echo $((6*7)); exit 3\n");
    assert_eq!(panes.event("context_exited", &shell)["exit_code"], 3);
    for (params, code, data) in [
        (json!({}), -32602, json!({"field": "command"})),
        (json!({"command": [""]}), -32602, json!({"field": "command"})),
        (json!({"command": ["a\u{0}"]}), -32602, json!({"field": "command"})),
        (json!({"command": ["cat"], "mode": "tab"}), -32602, json!({"field": "mode"})),
        (json!({"command": ["cat"], "cwd": "here"}), -32602, json!({"field": "cwd"})),
        (json!({"command": ["cat"], "env": {"A=": ""}}), -32602, json!({"field": "env"})),
        (json!({"command": ["cat"], "ready_timeout_ms": -1}), -32602, json!({"field": "ready_timeout_ms"})),
        (json!({"command": ["cat"], "cwd": "/no/such"}), -32002, json!({"reason": "cwd"})),
        (json!({"command": ["/no/such"]}), -32002, json!({"reason": "program"})),
        (json!({"command": ["cat"], "shell": "/no/such"}), -32002, json!({"reason": "shell"})),
    ] {
        assert_eq!(panes.refused("spawn_agent", &params), (code, data), "{params}");
    }
    assert_eq!(server.terminals().len(), 2, "nothing was made by what was refused");
    drop(panes);
    server.stop();
}

#[test]
fn a_pane_that_does_not_become_ready_says_so() {
    let server = Server::start();
    let mut panes = server.orchestrator();
    let quiet = json!({"command": ["sleep", "100"], "ready_timeout_ms": 300, "mode": "window"});
    let (code, data) = panes.refused("spawn_agent", &quiet);
    assert_eq!((code, &data["created_via"], &data["data_version"]), (-32004, &json!("window"), &json!(0)));
    assert!(data.get("exited").is_none() && data["elapsed_ms"].as_u64() >= Some(300));
    assert_eq!(server.terminals().len(), 2, "the pane stays");
    let ended = json!({"command": ["sh", "-c", "exit 5"], "mode": "window"});
    let (code, data) = panes.refused("spawn_agent", &ended);
    assert_eq!((code, &data["exited"], &data["exit_code"]), (-32004, &json!(true), &json!(5)));
    // waits for several panes do not delay each other
    let ids: Vec<usize> = (0..4)
        .map(|_| {
            panes.send("spawn_agent", &json!({"command": ["sh", "-c", "echo up; cat"], "mode": "window"}))
        })
        .collect();
    for id in ids {
        let result = panes.response(id)["result"].clone();
        assert_eq!(result["ready"], true);
        assert!(result["elapsed_ms"].as_u64() < Some(3_000), "{result}");
    }
    // by its own marks a shell is ready at once, and not while a command runs
    let marks = "printf '\\033]133;A\\033\\\\p> '; read x; printf '\\033]133;C\\033\\\\working'; cat";
    let made = panes.call("spawn_agent", &json!({"command": ["sh", "-c", marks], "mode": "window"}));
    let pane = made["context_id"].as_str().expect("a context id").to_owned();
    assert_eq!(panes.event("context_ready", &pane)["ready_source"], "prompt");
    panes.write(&pane, "\n");
    panes.wait_output(&pane, "working");
    let wait = json!({"condition": "ready", "pane_id": pane, "timeout_ms": 800});
    assert_eq!(panes.call("wait_for", &wait)["kind"], "timeout");
    drop(panes);
    server.stop();
}

#[test]
fn metadata_show_on_the_border() {
    let server = Server::start();
    let mut panes = server.orchestrator();
    let metadata = json!({"name": "worker-1", "role": "coder", "color": "blue"});
    let wanted = json!({"command": ["cat"], "mode": "split", "wait_ready": false, "metadata": metadata});
    let (pane, _) = created(&mut panes, &wanted);
    let person = Terminal::attach_sized(server.home(), (100, 30));
    person.wait_for_text("worker-1 [coder]");
    let list = panes.call("list", &json!({}));
    let row = &list["contexts"][1];
    assert_eq!(row["title"], "worker-1");
    let all = json!({"name": "worker-1", "role": "coder", "color": "blue", "effort": null, "max_turns": null,
                     "disallowed_tools": null});
    assert_eq!(row["metadata"], all);
    let change = json!({"name": "reviewer", "role": null, "max_turns": 3});
    assert_eq!(panes.call("set_metadata", &json!({"context_id": pane, "metadata": change})), json!({}));
    person.wait_for_text("reviewer ");
    let list = panes.call("list", &json!({}));
    let after = &list["contexts"][1]["metadata"];
    assert_eq!(
        (&after["role"], &after["color"], &after["max_turns"]),
        (&Value::Null, &json!("blue"), &json!(3))
    );
    for bad in
        [json!({"name": "x".repeat(129)}), json!({"color": "a\u{7}"}), json!({"max_turns": "3"}), json!(3)]
    {
        let params = json!({"context_id": pane, "metadata": bad});
        assert_eq!(panes.refused("set_metadata", &params).0, -32602);
    }
    assert_eq!(panes.refused("set_metadata", &json!({"context_id": "%99", "metadata": {}})).0, -32001);
    drop(person);
    drop(panes);
    server.stop();
}
