//! The fixtures against a real server: what is invalid gets its error, what is valid is understood.

use super::fixture::{Fixture, all};
use crate::support::{Peer, Server};
use serde_json::{Value, json};

/// A server with one living terminal, whose identity stands in for that of the manifests.
struct Stage {
    server: Server,
    terminal: Value,
    generation: Value,
}

impl Stage {
    fn set() -> Self {
        let server = Server::start();
        let terminal = server.wait_for_terminals(1).remove(0);
        let generation = server.call("uhp.capabilities", &json!({}))["server_generation"].clone();
        Self { server, terminal, generation }
    }

    /// The frame with the living identity; the identity of a manifest is made of values that stand
    /// nowhere else.
    fn frame(&self, fixture: &Fixture) -> Vec<u8> {
        let Ok(text) = String::from_utf8(fixture.frame.clone()) else { return fixture.frame.clone() };
        let bare = |value: &Value| value.to_string().trim_matches('"').to_owned();
        let project = json!(self.server.home().project());
        let living = [
            ("server_generation", &self.generation),
            ("terminal_id", &self.terminal["terminal_id"]),
            ("pane_id", &self.terminal["pane_id"]),
            ("pid", &self.terminal["root_process"]["pid"]),
            ("cwd", &project),
        ];
        let put = |text: String, (key, value): (&str, &Value)| {
            text.replace(&bare(&fixture.identity[key]), &bare(value))
        };
        living.into_iter().fold(text, put).into_bytes()
    }
}

#[test]
fn every_invalid_request_gets_the_error_of_its_manifest() {
    let stage = Stage::set();
    let peer = stage.server.peer();
    let (mut replayed, mut wrong) = (0, Vec::new());
    for fixture in all() {
        if fixture.text("verdict") != "invalid" || fixture.text("kind") != "request" {
            continue;
        }
        let frame = stage.frame(&fixture);
        if fixture.row["answer"].is_null() {
            assert_eq!(peer.raw(&frame), b"", "{}", fixture.name);
        } else {
            let answer = peer.answer(&frame);
            if !as_wanted(&fixture.row["answer"], &answer) {
                wrong.push(format!("{}: {answer}", fixture.name));
            }
        }
        replayed += 1;
    }
    assert!(replayed > 100, "{replayed} fixtures");
    assert!(wrong.is_empty(), "{wrong:#?}");
    // none of them did anything
    let terminals = stage.server.terminals();
    assert_eq!(terminals.len(), 1);
    assert_eq!(terminals[0]["terminal_id"], stage.terminal["terminal_id"]);
    assert_eq!(terminals[0]["label"], Value::Null);
    stage.server.stop();
}

fn as_wanted(wanted: &Value, answer: &Value) -> bool {
    let same = |key: &str| answer["error"][key] == wanted["error"][key];
    answer["id"] == wanted["id"]
        && same("code")
        && (wanted["error"].get("dispatch").is_none() || same("dispatch"))
}

#[test]
fn every_action_gets_the_answer_of_its_manifest() {
    let stage = Stage::set();
    let locator = json!({
        "server_generation": stage.generation, "terminal_id": stage.terminal["terminal_id"],
        "pane_id": stage.terminal["pane_id"],
    });
    let (mut stream, _) = stage.server.peer().stream("terminal.backend.control", &locator);
    let mut wrong = Vec::new();
    for fixture in all().iter().filter(|fixture| fixture.text("kind") == "action") {
        let answer = stream.answer(&stage.frame(fixture));
        let fine = match fixture.text("verdict") {
            // understood; an upload that never began is refused by what the stream knows
            "valid" => answer["error"]["dispatch"] != "not_started",
            _ => as_wanted(&fixture.row["answer"], &answer),
        };
        if !fine {
            wrong.push(format!("{}: {answer}", fixture.name));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    drop(stream);
    stage.server.stop();
}

#[test]
fn every_valid_request_is_understood() {
    let stage = Stage::set();
    let mut wrong = Vec::new();
    for fixture in all() {
        if fixture.text("verdict") != "valid" || fixture.text("kind") != "request" {
            continue;
        }
        let request = fixture.json().expect("a valid fixture is JSON");
        // Sent with the identity of the manifest: a terminal of another server, that nothing happens to.
        let stale = fixture.frame.windows(32).any(|part| {
            fixture.identity["server_generation"].as_str().is_some_and(|id| id.as_bytes() == part)
        });
        if stale {
            let answer = stage.server.peer().answer(&fixture.frame);
            if answer["error"]["code"] != "stale_server" {
                wrong.push(format!("{}: {answer}", fixture.name));
            }
        } else if request.get("auth").is_none() && !ends_the_stage(fixture.text("method")) {
            wrong.extend(misunderstood(&stage.server.peer(), &stage.frame(&fixture), &fixture));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    stage.server.stop();
}

/// Methods after which there is nothing left to talk to.
fn ends_the_stage(method: &str) -> bool {
    matches!(method, "server.stop" | "server.restart")
}

fn misunderstood(peer: &Peer, frame: &[u8], fixture: &Fixture) -> Option<String> {
    let method = fixture.text("method");
    if method.ends_with("events.subscribe") {
        let request: Value = serde_json::from_slice(frame).expect("JSON");
        let (_, acknowledged) = peer.stream(method, &request["params"]);
        assert_eq!(acknowledged["type"], "subscription_started");
        return None;
    }
    let answer = peer.answer(frame);
    let code = answer["error"]["code"].as_str();
    let refused = matches!(code, Some("invalid_request" | "invalid_params" | "unsupported_capability"));
    refused.then(|| format!("{}: {answer}", fixture.name))
}
