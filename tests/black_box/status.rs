//! What programs report of themselves (OSC 7501), through real panes: how long records live, what they outrank and
//! what outranks them, when a result is seen, and what is shown of it. The grammar and the folding have their tests
//! beside the code.

use crate::support::{Home, Server, Terminal, eventually};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;

/// A program that draws and tells what each line that it reads names.
const PROGRAM: &str = r#"#!/bin/sh
stty -echo
screen() { printf '\033[2J\033[H%s\n%s\n%s\n' "$1" "$2" "$3"; }
screen '' '' '❯ '
while read -r line; do
  case "$line" in
    ask) screen 'Do you want to proceed?' '❯ 1. Yes' '  2. No';;
    half) screen '' '' '❯ half a thought';;
    rest) screen '' '' '❯ ';;
    raw*) printf "${line#raw }";;
    report*) printf '\033]7501;%s\033\\' "${line#report }";;
  esac
done
"#;

fn program(home: &Home, name: &str) -> String {
    let path = home.project().join(name);
    fs::write(&path, PROGRAM).expect("a script");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("an executable");
    path.to_str().expect("a plain path").to_owned()
}

fn line(server: &Server, pane: &Value, text: &str) {
    server.call("pane.send_input", &json!({"pane": pane["pane_id"], "text": format!("{text}\r")}));
}

fn explain(server: &Server, pane: &Value) -> Value {
    server.call("agent.explain", &json!({"pane": pane["pane_id"]}))
}

fn wait_for(server: &Server, pane: &Value, status: &str) {
    let wanted = json!({"pane": pane["pane_id"], "status": status, "timeout_s": 15});
    assert_eq!(server.call("agent.wait", &wanted)["matched"], true, "{status}: {}", explain(server, pane));
}

/// Waits until exactly these records are there: `id=state`, the newest first.
fn records(server: &Server, pane: &Value, wanted: &[&str]) {
    eventually(&format!("the records {wanted:?}"), || {
        let told = explain(server, pane);
        let rows: Vec<String> = told["program_status"]
            .as_array()
            .map(Vec::as_slice)
            .unwrap_or_default()
            .iter()
            .map(|row| {
                format!("{}={}", row["id"].as_str().unwrap_or(""), row["state"].as_str().unwrap_or(""))
            })
            .collect();
        (rows == wanted).then_some(())
    });
}

#[test]
fn records_live_as_long_as_what_they_tell_of() {
    let server = Server::start();
    server.first();
    let path = program(server.home(), "job");
    let pane = server.run(&[&path]);
    let report = |text: &str| line(&server, &pane, &format!("report {text}"));
    let all = || {
        report("state=done:id=d");
        report("state=error:id=e");
        report("state=idle:id=i");
        report("state=blocked:id=b");
        report("state=working:id=w");
        records(&server, &pane, &["w=working", "b=blocked", "i=idle", "e=error", "d=done"]);
    };
    all();
    // The other screen is no end of anything.
    line(&server, &pane, r"raw \033[?1049h\033[?1049l");
    report("state=idle:id=after");
    records(&server, &pane, &["after=idle", "w=working", "b=blocked", "i=idle", "e=error", "d=done"]);
    // A prompt ends what is unfinished and keeps results.
    line(&server, &pane, r"raw \033]133;A\007");
    records(&server, &pane, &["e=error", "d=done"]);
    // The command after it takes away the results of before that prompt only.
    report("state=done:id=new");
    line(&server, &pane, r"raw \033]133;C\007");
    records(&server, &pane, &["new=done"]);
    all_but_new(&server, &pane);
    // A reset takes everything.
    line(&server, &pane, r"raw \033c");
    eventually("nothing is left", || (explain(&server, &pane)["available"] == false).then_some(()));
    server.stop();
}

fn all_but_new(server: &Server, pane: &Value) {
    line(server, pane, "report state=clear:id=new");
    line(server, pane, "report state=working:id=a/b");
    line(server, pane, "report state=idle:id=ab");
    records(server, pane, &["ab=idle", "a/b=working"]);
    // What is below goes with it, what only begins like it stays.
    line(server, pane, "report state=clear:id=a");
    records(server, pane, &["ab=idle"]);
}

#[test]
fn reports_outrank_the_screen_while_there_are_some_and_nothing_but_the_state() {
    let server = Server::start();
    server.first();
    let path = program(server.home(), "claude");
    let pane = server.run(&[&path]);
    eventually("its screen is read", || (explain(&server, &pane)["state_source"] == "screen").then_some(()));
    line(&server, &pane, "report state=working");
    wait_for(&server, &pane, "working");
    // The screen says something else, and no rule is asked: its text is not even looked at.
    line(&server, &pane, "ask");
    let read = json!({"target": "claude"});
    eventually("the question is on the screen", || {
        let text = server.call("agent.read", &read)["text"].clone();
        text.as_str().is_some_and(|text| text.contains("Do you want")).then_some(())
    });
    let told = explain(&server, &pane);
    assert_eq!((&told["status"], &told["state_source"]), (&json!("working"), &json!("program_status")));
    assert_eq!(told["state_evidence"]["rule"], Value::Null, "{told}");
    assert_eq!(told["agent"], "claude", "who it is stays with the process");
    // A reported block refuses a prompt at once; a reported quiet does not say that the composer is empty.
    line(&server, &pane, "half");
    line(&server, &pane, "report state=blocked:kind=question");
    wait_for(&server, &pane, "blocked");
    let prompt = json!({"target": "claude", "text": "x"});
    assert_eq!(server.peer().refusal("agent.prompt", &prompt), "agent_not_ready");
    line(&server, &pane, "report state=idle");
    wait_for(&server, &pane, "idle");
    assert_eq!(server.peer().refusal("agent.prompt", &prompt), "agent_not_ready");
    // Without a record left it is as one that never reported.
    line(&server, &pane, "report state=clear");
    line(&server, &pane, "ask");
    wait_for(&server, &pane, "blocked");
    assert_eq!(explain(&server, &pane)["state_source"], "screen");
    server.stop();
}

#[test]
fn a_result_is_done_until_somebody_has_seen_it_and_its_record_stays() {
    let server = Server::start();
    server.first();
    let path = program(server.home(), "job");
    let pane = server.run(&[&path]);
    let report = |text: &str| line(&server, &pane, &format!("report {text}"));
    report("state=working");
    wait_for(&server, &pane, "working");
    report("state=error:app=make");
    wait_for(&server, &pane, "done");
    let row = || server.call("agent.get", &json!({"target": pane["pane_id"]}));
    assert_eq!((&row()["unread"], &row()["display_agent"]), (&json!(true), &json!("make")));
    // A focus over the protocol is no look.
    server.call("pane.focus", &json!({"pane": pane["pane_id"]}));
    assert_eq!((&row()["status"], &row()["unread"]), (&json!("done"), &json!(true)));
    let attached = Terminal::luvus(server.home(), (100, 30), &[]);
    wait_for(&server, &pane, "idle");
    assert_eq!(
        explain(&server, &pane)["program_status"][0]["state"],
        "error",
        "the record is what was reported"
    );
    // The same again, in the same run, is no news; another state is.
    report("state=error:app=make");
    report("state=idle:id=mark");
    records(&server, &pane, &["mark=idle", "=error"]);
    assert_eq!(row()["status"], "idle");
    drop(attached);
    eventually("nobody looks any more", || {
        (server.call("attach.pane", &json!({"pane": pane["pane_id"]}))["clients"] == 0).then_some(())
    });
    report("state=done:app=make");
    wait_for(&server, &pane, "done");
    server.stop();
}

#[test]
fn what_is_reported_is_shown_disarmed_and_kept_as_it_came() {
    let server = Server::start();
    server.first();
    let path = program(server.home(), "job");
    let pane = server.run(&[&path]);
    let attached = Terminal::attach_sized(server.home(), (120, 30));
    // A question with marks that turn the direction of what follows.
    line(&server, &pane, "report state=blocked:kind=permission:app=deploy:msg=R2/igK5vbuKArD8=");
    wait_for(&server, &pane, "blocked");
    assert_eq!(explain(&server, &pane)["program_status"][0]["message"], "Go\u{202e}on\u{202c}?");
    attached.wait_for("its name and its question in the dock", |screen| {
        screen.has("◆ deploy") && screen.has("Goon?")
    });
    attached.prefix("m");
    attached.wait_for("its question in Mission Control", |screen| screen.has("◆ Goon?"));
    attached.send("\x1b");
    attached.wait_for_no_text("Mission Control");
    // Progress is in its row, and somebody else's name is nobody's.
    line(&server, &pane, "report state=working:progress=40:app=codex");
    attached.wait_for("its progress", |screen| screen.has("● program") && screen.has("40%"));
    assert!(!attached.written().contains('\u{202e}'), "nothing turns the screen's direction");
    drop(attached);
    server.stop();
}
