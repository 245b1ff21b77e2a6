//! Agents in real panes: who they are, what they do, what they report, and what may be asked of them.

use crate::support::{Home, Server, Terminal, eventually};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

/// A program that draws what an agent would: each line that it reads names a screen.
const AGENT: &str = r#"#!/bin/sh
stty -echo
screen() { printf '\033[2J\033[H%s\n%s\n%s\n' "$1" "$2" "$3"; }
screen '' '' '❯ '
while read -r line; do
  case "$line" in
    work*) screen '✻ Baking… (1s · esc to interrupt)' '' '❯ ';;
    ask) screen 'Do you want to proceed?' '❯ 1. Yes' '  2. No';;
    half) screen '' '' '❯ half a thought';;
    login) screen 'Select login method:' '❯ 1. Claude account' '';;
    report*) printf '\033]7501;%s\033\\' "${line#report }";;
    end) exit 0;;
    *) screen '● done' '' '❯ ';;
  esac
done
"#;

/// A program of that name in a folder of the test's own.
fn program(home: &Home, name: &str, script: &str) -> PathBuf {
    let path = home.project().join(name);
    fs::write(&path, script).expect("a script");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("an executable");
    path
}

fn agent(server: &Server, name: &str) -> Value {
    let path = program(server.home(), name, AGENT);
    server.run(&[path.to_str().expect("a plain path")])
}

/// Waits, inside the server, until the pane's agent is in that state.
fn wait_for(server: &Server, pane: &Value, status: &str) {
    let waited =
        server.call("agent.wait", &json!({"pane": pane["pane_id"], "status": status, "timeout_s": 15}));
    assert_eq!(waited["matched"], true, "{status}: {}", explain(server, pane));
}

fn explain(server: &Server, pane: &Value) -> Value {
    server.call("agent.explain", &json!({"pane": pane["pane_id"]}))
}

fn line(server: &Server, pane: &Value, text: &str) {
    server.call("pane.send_input", &json!({"pane": pane["pane_id"], "text": format!("{text}\r")}));
}

#[test]
fn an_agent_is_known_by_its_process_and_its_state_by_its_screen() {
    let server = Server::start();
    server.first();
    let pane = agent(&server, "claude");
    let row = eventually("the agent is recognised", || {
        let list = server.call("agent.list", &json!({}));
        list["agents"].as_array()?.iter().find(|row| row["pane"] == pane["pane_id"]).cloned()
    });
    assert_eq!(
        (&row["agent"], &row["display_agent"], &row["is_agent"]),
        (&json!("claude"), &json!("claude"), &json!(true))
    );
    wait_for(&server, &pane, "idle");
    line(&server, &pane, "work");
    wait_for(&server, &pane, "working");
    line(&server, &pane, "ask");
    wait_for(&server, &pane, "blocked");
    let told = explain(&server, &pane);
    assert_eq!(told["identity"], json!({"source": "process", "confidence": "high"}));
    assert_eq!(
        (&told["state_source"], &told["state_evidence"]["rule"]),
        (&json!("screen"), &json!("approval"))
    );
    assert_eq!(
        (&told["state_evidence"]["rule_region"], &told["blocked_kind"]),
        (&json!("screen"), &json!("permission"))
    );
    assert!(told["state_evidence"]["rejected_rules"].as_array().is_some_and(|rules| !rules.is_empty()));
    // an approval takes no prompt
    let prompt = |text: &str| json!({"target": "claude", "text": text});
    assert_eq!(server.peer().refusal("agent.prompt", &prompt("x")), "agent_not_ready");
    line(&server, &pane, "work");
    wait_for(&server, &pane, "working");
    line(&server, &pane, "rest");
    // nobody looks, so what has come to rest is done, and unread
    wait_for(&server, &pane, "done");
    let row = server.call("agent.get", &json!({"target": pane["pane_id"]}));
    assert_eq!((&row["unread"], &row["status"]), (&json!(true), &json!("done")));
    // a focus without anybody in front is no look
    server.call("pane.focus", &json!({"pane": pane["pane_id"]}));
    assert_eq!(server.call("agent.get", &json!({"target": "claude"}))["status"], "done");
    let attached = Terminal::luvus(server.home(), (100, 30), &[]);
    wait_for(&server, &pane, "idle");
    assert_eq!(server.call("agent.get", &json!({"target": "claude"}))["unread"], false);
    drop(attached);
    server.stop();
}

#[test]
fn a_prompt_is_queued_and_only_new_work_is_its_answer() {
    let server = Server::start();
    server.first();
    let pane = agent(&server, "claude");
    wait_for(&server, &pane, "idle");
    let queued = server.call("agent.prompt", &json!({"target": "claude", "text": "work now"}));
    assert_eq!(
        (&queued["evidence"], &queued["submitted"], &queued["matched"]),
        (&json!("queued"), &json!(true), &json!(false))
    );
    assert!(queued.get("observed_state").is_none());
    wait_for(&server, &pane, "working");
    line(&server, &pane, "rest");
    wait_for(&server, &pane, "done");
    let wait = |text: &str, until: &str| {
        let params =
            json!({"target": "claude", "text": text, "wait": true, "until": [until], "timeout_s": 15});
        server.call("agent.prompt", &params)
    };
    let answer = wait("work again", "working");
    assert_eq!((&answer["matched"], &answer["evidence"]), (&json!(true), &json!("state_transition")));
    assert_eq!((&answer["observed_state"], &answer["status"]), (&json!("working"), &json!("working")));
    // what was done before the prompt is no answer
    let params =
        json!({"target": "claude", "text": "rest", "wait": true, "until": ["done"], "timeout_s": 0.2});
    let answer = server.call("agent.prompt", &params);
    assert_eq!((&answer["matched"], &answer["evidence"]), (&json!(false), &json!("timeout")));
    line(&server, &pane, "half");
    eventually("a text in the composer is seen", || {
        let refused = server.peer().request("agent.prompt", &json!({"target": "claude", "text": "half"}));
        (refused["error"]["code"] == "agent_not_ready").then_some(())
    });
    for (params, code) in [
        (json!({"target": "nobody", "text": "x"}), "not_found"),
        (json!({"target": "1", "text": "x"}), "agent_not_ready"),
        (json!({"target": "claude", "text": "x", "timeout_s": 1}), "invalid_params"),
    ] {
        assert_eq!(server.peer().refusal("agent.prompt", &params), code, "{params}");
    }
    server.stop();
}

#[test]
fn targets_that_may_be_several_are_refused_with_the_candidates() {
    let server = Server::start();
    server.first();
    let (one, two) = (agent(&server, "codex"), agent(&server, "codex"));
    eventually("both are recognised", || {
        let refused = server.peer().request("agent.get", &json!({"target": "codex"}));
        let candidates = json!([one["pane_id"], two["pane_id"]]);
        (refused["error"]["code"] == "ambiguous_target"
            && refused["error"]["data"]["candidates"] == candidates)
            .then_some(())
    });
    let before = server.call("uhp.capabilities", &json!({}))["event_sequence"].clone();
    server.call("agent.name", &json!({"pane": one["pane_id"], "name": "ana"}));
    let row = server.call("agent.get", &json!({"target": "ana"}));
    assert_eq!((&row["pane"], &row["name"]), (&one["pane_id"], &json!("ana")));
    let events = server
        .call("events.wait", &json!({"event": "pane.renamed", "after_sequence": before, "timeout_s": 0}));
    assert_eq!(events["matched"], false, "a name is given without an event");
    assert_eq!(
        server.peer().refusal("agent.name", &json!({"pane": two["pane_id"], "name": "ana"})),
        "ownership_conflict"
    );
    server.stop();
}

#[test]
fn keys_reach_an_agent_only_on_the_screen_that_was_seen() {
    let server = Server::start();
    server.first();
    let pane = agent(&server, "claude");
    wait_for(&server, &pane, "idle");
    let read = eventually("its composer", || {
        let read = server.call("agent.read", &json!({"target": "claude"}));
        read["text"].as_str()?.contains('❯').then_some(read)
    });
    let keys = |keys: Value, revision: &Value| json!({"target": "claude", "keys": keys, "if_content_revision": revision, "terminal_id": read["terminal_id"]});
    let refusal = |params: &Value| server.peer().refusal("agent.keys", params);
    assert_eq!(refusal(&keys(json!(["down", "nonsense"]), &json!(0))), "invalid_request");
    assert_eq!(refusal(&keys(json!(["down"]), &json!(0))), "content_revision_conflict");
    assert_eq!(refusal(&json!({"target": "1", "keys": ["a"]})), "agent_not_ready");
    server.call("agent.keys", &keys(json!(["w", "o", "r", "k", "ENTER"]), &read["content_revision"]));
    wait_for(&server, &pane, "working");
    server.stop();
}

#[test]
fn a_program_reports_its_state_and_is_no_agent_for_that() {
    let server = Server::start();
    server.first();
    let pane = agent(&server, "deploy");
    line(&server, &pane, "report state=blocked:kind=permission:app=deploy:id=deploy/eu:msg=UHJvY2VlZD8=");
    wait_for(&server, &pane, "blocked");
    let told = explain(&server, &pane);
    assert_eq!((&told["state_source"], &told["agent"]), (&json!("program_status"), &Value::Null));
    let record = json!({
        "id": "deploy/eu", "state": "blocked", "app": "deploy", "effective_app": "deploy",
        "kind": "permission", "progress": null, "title": null, "message": "Proceed?",
    });
    assert_eq!(told["program_status"], json!([record]));
    let row = server.call("agent.get", &json!({"target": pane["pane_id"]}));
    assert_eq!(
        (&row["agent"], &row["display_agent"], &row["is_agent"]),
        (&Value::Null, &json!("deploy"), &json!(false))
    );
    // nobody goes by the name of an agent, and what is malformed changes nothing
    line(&server, &pane, "report state=working:id=deploy/eu:app=claude:progress=40");
    wait_for(&server, &pane, "working");
    let row = server.call("agent.get", &json!({"target": pane["pane_id"]}));
    assert_eq!((&row["display_agent"], &row["progress"]), (&json!("program"), &json!(40)));
    for bad in ["state=nap", "id=deploy/eu", "state=idle:id=a//b", "state=idle:msg=%%%"] {
        line(&server, &pane, &format!("report {bad}"));
    }
    line(&server, &pane, "report state=done:id=other");
    let told = eventually("the last report has come", || {
        let told = explain(&server, &pane);
        (told["program_status"].as_array()?.len() == 2).then_some(told)
    });
    assert_eq!((&told["program_status"][0]["state"], &told["status"]), (&json!("done"), &json!("working")));
    line(&server, &pane, "report state=clear");
    eventually("without a record there is nothing to explain", || {
        (explain(&server, &pane)["available"] == false).then_some(())
    });
    server.stop();
}

#[test]
fn floods_of_reports_leave_the_newest_256() {
    let server = Server::start();
    server.first();
    let script = r#"i=0; while [ $i -lt 3000 ]; do printf '\033]7501;state=idle:id=r%d\007' $i; i=$((i+1)); done
        printf '\033]7501;state=working:app=a\tb:title=%s\007' "$(printf '%05000d' 0)"; echo over; read x"#;
    let pane = server.script(script).0;
    server.wait_for_text(&pane, "over");
    let told = eventually("all reports have been folded", || {
        let told = explain(&server, &pane);
        (told["program_status"][0]["id"] == "r2999").then_some(told)
    });
    let records = told["program_status"].as_array().expect("records");
    assert_eq!((records.len(), &records[255]["id"]), (256, &json!("r2744")));
    assert_eq!(told["state_source"], "program_status");
    server.stop();
}

#[test]
fn what_a_killed_program_reported_goes_with_it() {
    let server = Server::start();
    let shell = server.first();
    let path = program(
        server.home(),
        "job",
        "#!/bin/sh\nprintf '\\033]7501;state=working:app=job\\007'\nprintf '\\033]7501;state=done:id=part\\007'\nkill -9 $$\n",
    );
    server.type_text(&shell, &format!("{}\n", path.display()));
    // the shell marks no prompts: two scans that find nothing but it are the proof
    eventually("only the result is left", || {
        let told = explain(&server, &shell);
        let states: Vec<&Value> =
            told["program_status"].as_array()?.iter().map(|record| &record["state"]).collect();
        (states == [&json!("done")]).then_some(())
    });
    wait_for(&server, &shell, "done");
    // a result that is left behind does not keep an agent from being started there
    let start = json!({"name": "ana", "kind": "claude", "pane": shell["pane_id"], "timeout_s": 0});
    assert_eq!(server.call("agent.start", &start)["ready"], false);
    server.stop();
}

#[test]
fn a_leased_report_beats_the_rest_and_ends_with_its_lease() {
    let server = Server::start();
    server.first();
    let pane = agent(&server, "claude");
    wait_for(&server, &pane, "idle");
    let report = |source: &str, status: &str, sequence: u64, ttl_s: u64| json!({"pane": pane["pane_id"], "source": source, "agent": "claude", "status": status, "sequence": sequence, "ttl_s": ttl_s});
    let told = server.call("agent.report", &report("hook", "blocked", 3, 60));
    assert_eq!((&told["sequence"], &told["ttl_s"]), (&json!(3), &json!(60)));
    wait_for(&server, &pane, "blocked");
    assert_eq!(explain(&server, &pane)["authority"]["source"], "hook");
    // rows name the kind of authority, one of those that are announced
    let row = server.call("agent.get", &json!({"target": pane["pane_id"]}));
    let announced = server.call("uhp.capabilities", &json!({}))["agent_authorities"].clone();
    assert!(announced.as_array().is_some_and(|all| all.contains(&row["authority"])), "{row}");
    for bad in [report("hook", "idle", 3, 60), report("other", "idle", 9, 60)] {
        assert_eq!(server.peer().refusal("agent.report", &bad), "authority_conflict");
    }
    // fresh reports of the program come second
    line(&server, &pane, "report state=working");
    server.call("agent.report", &report("hook", "idle", 4, 60));
    wait_for(&server, &pane, "idle");
    server.call("agent.release", &json!({"pane": pane["pane_id"], "source": "hook"}));
    wait_for(&server, &pane, "working");
    assert_eq!(explain(&server, &pane)["state_source"], "program_status");
    let before = server.call("uhp.capabilities", &json!({}))["event_sequence"].clone();
    server.call("agent.report", &report("hook", "blocked", 1, 1));
    let wait = json!({"event": "agent.authority_released", "where": {"reason": "expired"}, "after_sequence": before});
    assert_eq!(server.call("events.wait", &wait)["matched"], true);
    wait_for(&server, &pane, "working");
    server.stop();
}

#[test]
fn an_agent_is_started_in_a_shell_and_its_conversation_goes_on() {
    let server = Server::start();
    server.first();
    let path = program(server.home(), "claude", &format!("{AGENT}\n# $@"));
    let folder = path.parent().expect("a folder").display().to_string();
    let shell = server.call("tab.new", &json!({}));
    server.call("pane.send_input", &json!({"pane": shell["pane"], "text": format!("PATH={folder}:$PATH\r")}));
    let start = json!({"name": "ana", "kind": "claude", "pane": shell["pane"], "timeout_s": 15});
    let started = server.call("agent.start", &start);
    assert_eq!((&started["ready"], &started["pane"]), (&json!(true), &shell["pane"]), "{started}");
    assert_eq!(
        server
            .peer()
            .refusal("agent.start", &json!({"name": "bea", "kind": "claude", "pane": shell["pane"]})),
        "busy"
    );
    assert_eq!(
        server.peer().refusal("agent.start", &json!({"name": "ana", "kind": "claude"})),
        "ownership_conflict"
    );
    assert_eq!(
        server.peer().refusal("agent.start", &json!({"name": "bea", "kind": "nova"})),
        "unsupported_agent"
    );
    let session = json!({"pane": shell["pane"], "agent": "claude", "session_id": "s-1"});
    server.call("pane.report_session", &session);
    assert_eq!(server.call("agent.get", &json!({"target": "ana"}))["session"], "s-1");
    assert_eq!(server.call("agent.sessions", &json!({}))["sessions"][0]["id"], "s-1");
    assert_eq!(
        server.peer().refusal("agent.resume", &json!({"id": "s-1"})),
        "ownership_conflict",
        "it goes on already"
    );
    let other = json!({"pane": shell["pane"], "agent": "claude", "session_id": "s-0"});
    assert_eq!(server.peer().refusal("pane.release_session", &other), "ownership_conflict");
    server.call("pane.release_session", &session);
    server.call("pane.release_session", &session);
    let resumed = server.call("agent.resume", &json!({"id": "s-1"}));
    let typed = json!({"pane": resumed["pane"], "match": "claude --resume s-1", "timeout_s": 15});
    assert_eq!(server.call("wait.output", &typed)["matched"], true);
    server.stop();
}

#[test]
fn missions_show_the_most_urgent_first() {
    let server = Server::start();
    server.first();
    let (quiet, waiting) = (agent(&server, "claude"), agent(&server, "codex"));
    line(&server, &waiting, "report state=blocked");
    wait_for(&server, &waiting, "blocked");
    wait_for(&server, &quiet, "idle");
    let mission = server.call("mission.snapshot", &json!({"scope": "all"}));
    let rows: Vec<&Value> =
        mission["rows"].as_array().expect("rows").iter().map(|row| &row["agent"]).collect();
    assert_eq!(rows, [&json!("codex"), &json!("claude")]);
    assert_eq!((&mission["summary"]["blocked"], &mission["summary"]["idle"]), (&json!(1), &json!(1)));
    assert_eq!(mission["summary"]["tokens"], Value::Null, "nothing is estimated");
    let here = server.call("mission.snapshot", &json!({"workspace": 0}));
    assert_eq!((&here["scope"], &here["rows"]), (&json!("workspace"), &json!([])));
    server.stop();
}

#[test]
fn a_persons_own_manifest_adds_a_kind_and_a_bad_one_harms_nobody() {
    let server = Server::start();
    server.first();
    let folder = server.home().path().join("manifests");
    fs::create_dir_all(&folder).expect("a folder");
    fs::write(folder.join("bad.toml"), "id = ").expect("a file");
    let nova = "id = \"nova\"\nname = \"Nova\"\ndistinct = [\"nova\"]\n[[rule]]\nname = \"busy\"\nstate = \"working\"\nany = [\"baking\"]\n";
    fs::write(folder.join("nova.toml"), nova).expect("a file");
    let told = server.call("server.reload_agent_manifests", &json!({}));
    assert_eq!(told["problems"].as_array().map(Vec::len), Some(1), "{told}");
    assert!(told["agents"].as_array().is_some_and(|agents| agents.contains(&json!("nova"))));
    let pane = agent(&server, "nova");
    line(&server, &pane, "work");
    wait_for(&server, &pane, "working");
    assert_eq!(explain(&server, &pane)["state_evidence"]["rule"], "busy");
    server.stop();
}
