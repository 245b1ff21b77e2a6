//! `luvus uhp` as a program without a checkout, or behind ssh, uses it.

use crate::support::home::finish;
use crate::support::server::PROGRAM;
use crate::support::{Home, PATIENCE, Server, eventually, schemas};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Seek, Write};
use std::process::{Child, Output, Stdio};
use std::sync::mpsc::{Receiver, sync_channel};

fn proxy(home: &Home, input: &[u8]) -> Output {
    let mut file = tempfile::tempfile().expect("a temporary file");
    file.write_all(input).and_then(|()| file.rewind()).expect("a file to read from");
    finish(home.luvus(&["uhp", "proxy"]).stdin(Stdio::from(file)))
}

fn reply(output: &Output) -> Value {
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{}: {text}", output.status);
    assert_eq!(text.matches('\n').count(), 1, "{text:?}");
    serde_json::from_str(&text).expect("one JSON line")
}

#[test]
fn the_proxy_passes_one_line_each_way() {
    let server = Server::start();
    let two = "{\"id\":\"p\",\"method\":\"ping\",\"params\":{}}\n{\"id\":\"q\",\"method\":\"server.stop\",\"params\":{}}\n";
    let answer = reply(&proxy(server.home(), two.as_bytes()));
    assert_eq!((&answer["id"], &answer["result"]["type"]), (&json!("p"), &json!("pong")));
    assert_eq!(server.call("ping", &json!({}))["type"], "pong", "only the first line was passed on");
    // an error is a reply like any other
    let answer = reply(&proxy(server.home(), b"{\"id\":\"p\",\"method\":\"no.such\",\"params\":{}}\n"));
    assert_eq!(answer["error"]["code"], "unsupported_capability");
    let answer = reply(&proxy(server.home(), &vec![b'x'; 3_000_000]));
    assert_eq!(answer["error"]["code"], "frame_too_large");
    let largest = [vec![b'x'; 1_048_575], b"\n".to_vec()].concat();
    assert_eq!(reply(&proxy(server.home(), &largest))["error"]["code"], "invalid_request");
    for unfinished in [&b""[..], b"{\"id\":\"p\",\"method\":\"server.stop\",\"params\":{}}"] {
        let output = proxy(server.home(), unfinished);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0));
    }
    server.stop();
}

#[test]
fn the_proxy_composes_behind_ssh() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let server = Server::start();
    let folder = tempfile::tempdir().expect("a folder");
    // as ssh has it: the host, then one command line for a shell over there
    let ssh = folder.path().join("ssh");
    std::fs::write(&ssh, "#!/bin/sh\n[ \"$1\" = host ] || exit 255\nshift\nexec /bin/sh -c \"$*\"\n")
        .expect("a script");
    std::fs::set_permissions(&ssh, std::fs::Permissions::from_mode(0o700)).expect("a mode");
    symlink(PROGRAM, folder.path().join("luvus")).expect("a link");
    let path = std::env::var("PATH").unwrap_or_default();
    let script = r#"printf '%s\n' '{"id":"1","method":"terminal.backend.inventory","params":{}}' | ssh host luvus uhp proxy"#;
    let mut command = server.home().command("/bin/sh");
    command.args(["-c", script]).env("PATH", format!("{}:{path}", folder.path().display()));
    let answer = reply(&finish(&mut command));
    assert_eq!(answer["result"]["terminals"][0]["terminal_id"], server.first()["terminal_id"]);
    server.stop();
}

#[test]
fn without_a_server_only_the_schemas_are_there() {
    let home = Home::new();
    let output = proxy(&home, b"{\"id\":\"p\",\"method\":\"ping\",\"params\":{}}\n");
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0));
    for verb in ["capabilities", "snapshot", "events"] {
        let told = home.fails(1, &["uhp", verb]);
        assert!(told.contains("no server is running"), "{told}");
    }
    assert!(!home.path().exists(), "asking makes nothing");
}

#[test]
fn capabilities_and_snapshot_are_whole_responses() {
    let server = Server::start();
    server.first();
    for (verb, method) in [("capabilities", "uhp.capabilities"), ("snapshot", "session.snapshot")] {
        let response = server.home().json(&["uhp", verb]);
        schemas::check_response(Some(method), &response);
        assert!(response["result"].is_object(), "{response}");
    }
    server.stop();
}

/// A running `luvus uhp events`, ended on drop.
struct Events {
    child: Child,
    lines: Receiver<String>,
}

impl Events {
    fn start(home: &Home) -> Self {
        let mut child = home.luvus(&["uhp", "events"]).stdout(Stdio::piped()).spawn().expect("it starts");
        let out = BufReader::new(child.stdout.take().expect("a pipe"));
        let (tx, lines) = sync_channel(64);
        // ends with the pipe, or with the receiver
        std::thread::spawn(move || out.lines().map_while(Result::ok).try_for_each(|line| tx.send(line)));
        Self { child, lines }
    }

    fn next(&self) -> Value {
        let line = self.lines.recv_timeout(PATIENCE).expect("a line in time");
        serde_json::from_str(&line).expect("a line of JSON")
    }
}

impl Drop for Events {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn events_are_printed_as_they_happen() {
    let server = Server::start();
    server.first();
    let mut events = Events::start(server.home());
    schemas::check_response(Some("events.subscribe"), &events.next());
    server.call("pane.rename", &json!({"pane": 1, "name": "build"}));
    loop {
        let event = events.next();
        schemas::check_event(&event);
        if event["event"] == "pane.renamed" {
            assert_eq!(event["data"], json!({"pane": "1", "name": "build"}));
            break;
        }
    }
    server.stop();
    let status = eventually("the end of the events", || events.child.try_wait().ok().flatten());
    assert_eq!(status.code(), Some(1), "who follows learns that it is over");
}
