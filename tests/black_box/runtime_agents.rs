//! Agents that live, over the runtime protocol: started, named, prompted and waited for to the end of
//! their turns.

use crate::support::runtime::{Runtime, pane};
use crate::support::{Home, Server, Terminal, eventually};
use serde_json::{Value, json};
use std::fs;
use std::io::{Read as _, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::sync::Arc;

/// A program that draws what an agent would. Its prompts are noted; `ask` makes it ask for an approval,
/// and other prompts keep it at work until a file of that name is there.
const AGENT: &str = r#"#!/bin/sh
stty -echo
screen() { printf '\033[2J\033[H%s\n%s\n%s\n' "$1" "$2" "$3"; }
screen '' '' '❯ '
while read -r line; do
  printf '%s\n' "$line" >> prompts
  case "$line" in
    ask) screen 'Do you want to proceed?' '❯ 1. Yes' '  2. No'; continue;;
    end) exit 0;;
    1) ;;
    *) screen '✻ Baking… (1s · esc to interrupt)' '' '❯ '
       until [ -e "$line" ]; do sleep 0.05; done;;
  esac
  screen '● done' '' '❯ '
done
"#;

/// A server in whose panes `claude` is that program.
fn start() -> (Server, Runtime) {
    let home = Home::with_config("shell = \"/bin/bash\"\n");
    let path = home.project().join("claude");
    fs::write(&path, AGENT).expect("a script");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("an executable");
    let setup = format!("PATH={0}:$PATH; cd {0}\n", home.project().display());
    fs::write(home.person().join(".bashrc"), setup).expect("a shell's file");
    let server = Server::start_in(Arc::new(home));
    let runtime = Runtime::of(server.home());
    (server, runtime)
}

fn file(server: &Server, name: &str) -> PathBuf {
    server.home().project().join(name)
}

/// Waits for a state of an agent after a baseline; the pane as it was then.
fn wait(runtime: &Runtime, agent: &str, state: &str, after: &Value) -> Value {
    let params = json!({
        "agent": agent, "generation": 1, "state": state, "timeout_ms": 15_000, "after_seq": after,
    });
    runtime.call("agent.wait", &params)
}

/// Prompts an agent; the counter of its pane by then.
fn prompt(runtime: &Runtime, agent: &str, text: &str) -> Value {
    let done = runtime.call("agent.prompt", &json!({"agent": agent, "text": text}));
    let row = pane(&done["snapshot"], done["action"]["pane_id"].as_u64().expect("a pane"));
    assert_eq!(row["task_state"], "running", "the response has a baseline");
    row["state_change_seq"].clone()
}

/// Waits until the screen of an agent was read while it worked.
fn see_at_work(server: &Server, name: &str) {
    let list = server.call("agent.list", &json!({}));
    let rows = list["agents"].as_array().expect("agents");
    let pane = rows.iter().find(|row| row["name"] == name).expect("its row")["pane"].clone();
    let waited = server.call("agent.wait", &json!({"pane": pane, "status": "working", "timeout_s": 15}));
    assert_eq!(waited["matched"], true);
}

/// The example of the document: a split, an agent, another split, another agent, and their first tasks.
fn workflow(runtime: &Runtime) -> Value {
    let of = |step: &str| json!({"step": step, "field": "pane_id"});
    let agent = |id: &str, target: &str, prompt: &str| {
        json!({
            "id": id, "op": "agent_launch", "target": of(target), "name": id, "kind": "claude",
            "initial_prompt": prompt,
        })
    };
    runtime.call(
        "runtime.orchestrate",
        &json!({"steps": [
            {"id": "right", "op": "split", "direction": "left_right"},
            agent("weather", "right", "first"),
            {"id": "bottom", "op": "split", "target": of("right"), "direction": "top_bottom"},
            agent("formula", "bottom", "second"),
        ]}),
    )
}

#[test]
fn a_workflow_starts_agents_and_their_turns_are_followed_to_the_end() {
    let (server, runtime) = start();
    let done = workflow(&runtime);
    assert_eq!((&done["ok"], &done["completed"]), (&json!(true), &json!(4)), "{done}");
    for (place, name) in [(1, "weather"), (3, "formula")] {
        let action = &done["steps"][place]["action"];
        assert_eq!((&action["ready"], &action["submitted"]), (&json!(true), &json!(true)), "{name}");
        let took = done["steps"][place]["duration_ms"].as_u64();
        assert!(took <= done["duration_ms"].as_u64() && took > Some(100), "{name}: {took:?}");
    }
    let prompts = eventually("both prompts arrive", || {
        let text = fs::read_to_string(file(&server, "prompts")).ok()?;
        (text.lines().count() == 2).then_some(text)
    });
    assert!(prompts.contains("first") && prompts.contains("second"), "{prompts}");
    // the name is the pane's, for every protocol
    let listed = server.call("agent.list", &json!({}));
    let rows = listed["agents"].as_array().expect("agents");
    let names: Vec<&Value> = rows.iter().map(|row| &row["name"]).collect();
    assert_eq!(names, [&json!("weather"), &json!("formula")], "{listed}");
    // the work goes on until its file is there
    let working = runtime.call("agent.get", &json!({"agent": "weather"}));
    assert_eq!(working["pane"]["task_state"], "running");
    let seq = working["pane"]["state_change_seq"].clone();
    see_at_work(&server, "weather");
    fs::write(file(&server, "first"), "").expect("a file");
    let met = wait(&runtime, "weather", "settled", &seq);
    assert_eq!(met["state"], "finished", "nobody has looked");
    let id = met["pane"]["id"].as_u64().expect("a pane");
    let processes = runtime.call("pane.procs", &json!({"pane_id": id}))["processes"].clone();
    let kinds: Vec<&Value> =
        processes.as_array().expect("rows").iter().filter_map(|row| row.get("agent_kind")).collect();
    assert_eq!(kinds, [&json!("claude")], "{processes}");
    server.stop();
}

#[test]
fn a_turn_that_somebody_sees_is_finished_and_then_idle() {
    let (server, runtime) = start();
    let started = runtime.call("agent.start", &json!({"name": "fixer", "kind": "claude"}));
    assert_eq!(started["agent"]["name"], "fixer");
    let attached = Terminal::luvus(server.home(), (100, 30), &[]);
    attached.wait_for_text("fixer");
    wait(&runtime, "fixer", "idle", &Value::Null);
    let baseline = prompt(&runtime, "fixer", "task");
    see_at_work(&server, "fixer");
    fs::write(file(&server, "task"), "").expect("a file");
    let idle = wait(&runtime, "fixer", "idle", &baseline);
    let finished = wait(&runtime, "fixer", "finished", &baseline);
    let number = |met: &Value| met["state_change_seq"].as_u64().expect("a counter");
    assert_eq!(number(&idle), number(&finished) + 1, "both are found, also when they have passed");
    drop(attached);
    server.stop();
}

#[test]
fn an_approval_is_answered_by_a_person_only() {
    let (server, runtime) = start();
    let started = runtime.call("agent.start", &json!({"name": "asker", "kind": "claude"}));
    wait(&runtime, "asker", "idle", &Value::Null);
    let baseline = prompt(&runtime, "asker", "ask");
    // by what the screen shows, before the state has followed it
    let id = started["action"]["pane_id"].clone();
    eventually("the approval shows", || {
        let read = runtime.call("pane.read", &json!({"pane_id": id}));
        read["text"].as_str()?.contains("proceed").then_some(())
    });
    for method in ["agent.prompt", "agent.paste"] {
        let refused = runtime.refusal(method, &json!({"agent": "asker", "text": "1"}));
        assert_eq!(
            (&refused["code"], &refused["details"]["reason"]),
            (&json!("invalid_state"), &json!("attention")),
            "{method}"
        );
    }
    assert_eq!(wait(&runtime, "asker", "settled", &baseline)["state"], "attention");
    // the pane takes it, and what was answered is attention no more
    let answered = runtime.call("pane.prompt", &json!({"pane_id": id, "text": "1"}));
    let row = pane(&answered["snapshot"], id.as_u64().expect("a pane"));
    assert_eq!(row["task_state"], "running");
    let settled = wait(&runtime, "asker", "settled", &row["state_change_seq"]);
    assert_ne!(settled["state"], "attention");
    // its end closes the record; the name is free again, and the next one's
    let over = json!({"agent": "asker", "generation": 1, "state": "failed", "timeout_ms": 15_000});
    runtime.call("pane.prompt", &json!({"pane_id": id, "text": "end"}));
    assert_eq!(runtime.code("agent.wait", &over), "agent_exited");
    let again = runtime.call("agent.start", &json!({"name": "asker", "kind": "claude"}));
    assert_eq!(again["agent"]["generation"], 2);
    let names = eventually("the name moves", || {
        let list = server.call("agent.list", &json!({}));
        let rows = list["agents"].as_array()?.clone();
        (rows.len() == 1).then(|| rows[0]["name"].clone())
    });
    assert_eq!(names, "asker");
    server.stop();
}

#[test]
fn an_agent_that_ends_at_its_prompt_has_not_settled() {
    let (server, runtime) = start();
    runtime.call("agent.start", &json!({"name": "one", "kind": "claude"}));
    wait(&runtime, "one", "idle", &Value::Null);
    let baseline = prompt(&runtime, "one", "end");
    let settled = json!({
        "agent": "one", "generation": 1, "state": "settled", "timeout_ms": 15_000, "after_seq": baseline,
    });
    assert_eq!(runtime.code("agent.wait", &settled), "agent_exited");
    server.stop();
}

#[test]
fn a_wait_for_an_agent_whose_place_another_one_takes_says_so() {
    let (server, runtime) = start();
    // in the same process, and under the same name
    fs::copy("/bin/sleep", file(&server, "codex")).expect("a program");
    fs::write(file(&server, "claude"), "#!/bin/sh\necho '❯ '\nread line\nexec codex 60\n").expect("a script");
    let started = runtime.call("agent.start", &json!({"name": "one", "kind": "claude"}));
    let seen = json!({"agent": "one", "generation": 1});
    eventually("the agent", || {
        (runtime.call("agent.get", &seen)["agent"]["observed"] == json!(true)).then_some(())
    });
    let over = json!({"agent": "one", "generation": 1, "state": "failed", "timeout_ms": 15_000});
    let mut waiting = runtime.connect();
    waiting.write_all(&runtime.line("agent.wait", &over)).expect("the server reads");
    runtime.call("pane.prompt", &json!({"pane_id": started["action"]["pane_id"], "text": "go"}));
    let mut answer = String::new();
    waiting.read_to_string(&mut answer).expect("an answer");
    let answer: Value = serde_json::from_str(&answer).expect("JSON");
    assert_eq!(answer["error"]["code"], "agent_replaced", "{answer}");
    assert_eq!(runtime.call("agent.get", &seen)["agent"]["closed_reason"], "agent_replaced");
    server.stop();
}

#[test]
fn an_agent_that_does_not_come_and_one_that_is_ended_say_so() {
    let (server, runtime) = start();
    let steps = json!([
        {"id": "tab", "op": "new_tab"},
        {
            "id": "ghost", "op": "agent_launch", "target": {"step": "tab", "field": "pane_id"}, "name": "ghost",
            "kind": "omp", "initial_prompt": "x", "ready_timeout_ms": 5_000,
        },
    ]);
    let done = runtime.call("runtime.orchestrate", &json!({"steps": steps}));
    assert_eq!((&done["failed_step"], &done["partial"]), (&json!("ghost"), &json!(true)));
    assert_eq!(done["steps"][1]["error"]["code"], "agent_ready_timeout");
    let mut panes = server.orchestrator();
    let command = json!({"command": [file(&server, "claude")], "mode": "window"});
    let context = panes.call("spawn_agent", &command)["context_id"].clone();
    let agent = eventually("the agent is known", || {
        let list = runtime.call("agents.list", &json!({}));
        Some(list["agents"].as_array()?.first()?["agent"].clone())
    });
    panes.call("kill", &json!({"context_id": context, "grace_ms": 300}));
    let record = json!({"agent": agent["agent_id"], "generation": agent["generation"]});
    eventually("its record is closed", || {
        let found = runtime.call("agent.get", &record);
        (found["agent"]["closed_reason"] == "agent_closed").then_some(())
    });
    drop(panes);
    server.stop();
}

#[cfg(target_os = "linux")]
#[test]
fn a_peer_that_has_gone_frees_its_place() {
    use std::io::Write as _;
    let server = Server::start();
    let runtime = Runtime::of(server.home());
    let wait = runtime.line("pane.wait", &json!({"pane_id": 1, "state": "failed", "timeout_ms": 600_000}));
    let waits: Vec<_> = (0..64)
        .map(|number| {
            let mut stream = runtime.connect();
            let line = if number % 2 == 0 { &wait } else { &runtime.line("events.subscribe", &json!({})) };
            stream.write_all(line).expect("written");
            if number % 4 == 0 {
                stream.shutdown(std::net::Shutdown::Write).expect("a closed half");
            }
            stream
        })
        .collect();
    drop(waits);
    eventually("places are free", || {
        let mut stream = runtime.connect();
        stream.write_all(&runtime.line("runtime.describe", &json!({}))).ok()?;
        let mut answer = [0; 1];
        std::io::Read::read_exact(&mut stream, &mut answer).ok()
    });
    server.stop();
}

#[test]
fn whoever_reaches_the_socket_finds_the_other_protocols() {
    let home = Home::new();
    for _ in 0..3 {
        let mut starting = home.luvus(&["server", "start"]).spawn().expect("a start");
        eventually("the socket", || std::os::unix::net::UnixStream::connect(home.socket()).ok());
        for name in ["runtime.port", "pane-backend.sock", "pane-backend.pipe"] {
            assert!(home.path().join(name).exists(), "{name}");
        }
        starting.wait().expect("its end");
        home.stop();
    }
}
