//! How programs find the backend.

use crate::support::{Home, Server, processes};
use serde_json::json;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::sync::Arc;

#[test]
fn files_and_variables_lead_to_the_socket_and_go_with_it() {
    let home = Arc::new(Home::new());
    let server = Server::start_in(Arc::clone(&home));
    server.first();
    let socket = home.path().join("pane-backend.sock");
    let file = home.person().join(".psmux/default.pipe");
    let address = socket.to_str().expect("a plain path");
    for file in [&file, &home.path().join("pane-backend.pipe")] {
        assert_eq!(fs::read_to_string(file).expect("the file"), address, "no line end either");
        assert_eq!(fs::metadata(file).expect("the file").permissions().mode() & 0o777, 0o600);
    }
    assert_eq!(fs::metadata(&socket).expect("the socket").permissions().mode() & 0o777, 0o600);
    let mut panes = server.orchestrator();
    let pane = panes.script("env | sort; echo the end; cat");
    panes.wait_output(&pane, "(?m)^the end$");
    let env = panes.call("capture", &json!({"context_id": pane, "clean": true, "lines": 500}));
    let env = env["text"].as_str().expect("a text").replace('\n', "");
    for name in ["CLAUDE_PANE_BACKEND_SOCKET", "PI_PANE_BACKEND_SOCKET", "LUVUS_PANE_BACKEND_SOCKET"] {
        assert!(env.contains(&format!("{name}={address}")), "{name}");
    }
    assert!(env.contains(&format!("LUVUS_CONTEXT_ID={pane}")));
    assert!(!env.contains("PSMUX") && !env.contains("AGENT_TEAMS"));
    drop(panes);
    server.stop();
    assert!(!file.exists() && !socket.exists() && !home.path().join("pane-backend.pipe").exists());
    assert!(home.person().join(".psmux").read_dir().is_ok_and(|mut files| files.next().is_none()));
}

#[test]
fn what_is_switched_off_is_off() {
    let server = Server::with_config("[compat]\npane_backend = false\npsmux = true\nagent_teams = true\n");
    let home = server.home();
    server.first();
    assert!(!home.path().join("pane-backend.sock").exists() && !home.person().join(".psmux").exists());
    let shell = server.first();
    server.type_text(&shell, "env | grep -c PANE_BACKEND; echo $PSMUX-$PSMUX_SESSION-$PSMUX_PANE_ID; echo $CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS.\n");
    server.wait_for_text(&shell, "\n0\n1-default-%1\n1.");
    server.stop();
    let server = Server::with_config("[compat]\npsmux_discovery = false\n");
    server.first();
    assert!(server.home().path().join("pane-backend.pipe").exists());
    assert!(!server.home().person().join(".psmux").exists());
    server.stop();
}

#[test]
fn another_living_program_keeps_its_file() {
    let home = Arc::new(Home::new());
    let folder = home.person().join(".psmux");
    fs::create_dir(&folder).expect("a folder");
    let other = home.project().join("other.sock");
    let listener = std::os::unix::net::UnixListener::bind(&other).expect("a socket");
    fs::write(folder.join("default.pipe"), other.to_str().expect("a plain path")).expect("written");
    let server = Server::start_in(Arc::clone(&home));
    server.first();
    let present = || fs::read_to_string(folder.join("default.pipe")).ok();
    assert_eq!(present().as_deref(), other.to_str());
    server.stop();
    assert_eq!(present().as_deref(), other.to_str(), "nor is it removed");
    // what nobody answers at is stale
    drop(listener);
    let server = Server::start_in(Arc::clone(&home));
    server.first();
    assert_eq!(present().as_deref(), home.path().join("pane-backend.sock").to_str());
    // a killed server leaves its file, the next one takes it over
    server.signal(rustix::process::Signal::KILL);
    drop(server);
    processes::wait_until_gone(&home.path());
    let server = Server::start_in(Arc::clone(&home));
    server.orchestrator().call("list", &json!({}));
    server.stop();
    assert_eq!(present(), None);
}

#[test]
fn a_caller_in_a_pane_is_told_which() {
    let server = Server::start();
    let mut panes = server.orchestrator();
    let outside = panes.call("initialize", &json!({"protocol_version": "2", "capabilities": []}));
    assert_eq!((&outside["self_context_id"], &outside["self_resolved"]), (&json!("%1"), &json!(false)));
    let hinted = panes.call("initialize", &json!({"session_hint": "%1", "session": "default"}));
    assert_eq!(hinted["self_resolved"], true);
    assert_eq!(panes.refused("initialize", &json!({"session": "other"})).0, -32006);
    if !crate::support::have(&["python3"]) {
        return;
    }
    // a grandchild, and one that has lost its parents
    let ask = r#"import os,socket,json
s=socket.socket(socket.AF_UNIX); s.connect(os.environ["PI_PANE_BACKEND_SOCKET"])
s.sendall(b'{"id":1,"method":"initialize"}\n')
r=json.loads(s.makefile().readline())["result"]
print("I am", r["self_context_id"], r["self_resolved"])"#;
    fs::write(server.home().person().join("ask.py"), ask).expect("written");
    let scripts = [
        "sh -c 'python3 ask.py; true'; cat",
        "(unset LUVUS_CONTEXT_ID; sh -c 'sh -c \"sleep 0.2; python3 ask.py\" &'); cat",
        "setsid sh -c '(sleep 0.2; python3 ask.py) &'; cat",
    ];
    for script in scripts {
        let pane = panes.script(script);
        panes.wait_output(&pane, &format!("I am {pane} True"));
    }
    drop(panes);
    server.stop();
}
