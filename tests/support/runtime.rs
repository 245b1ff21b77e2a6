//! [`Runtime`]: a program that speaks the runtime protocol over loopback, and the published schema as
//! the judge of every answer.

use super::schemas::{self, with_bounds};
use super::{Home, PATIENCE, eventually};
use jsonschema::Validator;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Where the contract lives.
pub fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("protocol/runtime/v1")
}

fn document() -> &'static Value {
    static DOCUMENT: OnceLock<Value> = OnceLock::new();
    DOCUMENT.get_or_init(|| schemas::read(&folder().join("runtime-api-v1.schema.json")))
}

/// What is wrong with a value by a definition of the schema.
pub fn faults(definition: &str, value: &Value) -> Vec<String> {
    static BUILT: OnceLock<Mutex<HashMap<String, Arc<Validator>>>> = OnceLock::new();
    let mut built = BUILT.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner);
    let validator = built.entry(definition.to_owned()).or_insert_with(|| {
        let schema = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "$ref": format!("#/$defs/{definition}"),
            "$defs": document()["$defs"],
        });
        Arc::new(with_bounds(jsonschema::options()).build(&schema).expect("a sound schema"))
    });
    validator.iter_errors(value).map(|error| format!("at `{}`: {error}", error.instance_path())).collect()
}

/// A server's listener.
pub struct Runtime {
    port: u16,
    /// What it wants to hear.
    pub token: String,
}

impl Runtime {
    /// The one of the default session.
    pub fn of(home: &Home) -> Self {
        // A server listens on its socket a moment before it has read its configuration.
        let record = home.path().join("runtime.port");
        let record = eventually("the server's record", || std::fs::read_to_string(&record).ok());
        let mut fields = record.split_whitespace();
        let port = fields.next().and_then(|port| port.parse().ok()).expect("a port");
        Self { port, token: fields.next().expect("a token").to_owned() }
    }

    /// A new connection.
    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).expect("a connection");
        stream.set_read_timeout(Some(PATIENCE)).expect("a time limit");
        stream
    }

    /// Everything that is answered to a line.
    pub fn raw(&self, line: &[u8]) -> Vec<u8> {
        let mut stream = self.connect();
        stream.write_all(line).expect("written");
        let _ = stream.shutdown(Shutdown::Write);
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).expect("an end");
        answer
    }

    /// A request as a line.
    pub fn line(&self, method: &str, params: &Value) -> Vec<u8> {
        let mut text = json!({
            "protocol": "nebula.runtime", "version": 1, "id": "t-1", "token": self.token,
            "method": method, "params": params,
        })
        .to_string();
        text.push('\n');
        text.into_bytes()
    }

    /// The whole response, checked against the schema.
    pub fn respond(&self, method: &str, params: &Value) -> Value {
        let answer = self.raw(&self.line(method, params));
        let response: Value = serde_json::from_slice(&answer)
            .unwrap_or_else(|error| panic!("{method}: {error}: {:?}", String::from_utf8_lossy(&answer)));
        check(method, &response);
        response
    }

    /// The result of a request that must succeed.
    pub fn call(&self, method: &str, params: &Value) -> Value {
        let mut response = self.respond(method, params);
        assert_eq!(response["ok"], true, "{method} {params}: {response}");
        response["result"].take()
    }

    /// The error of a request that must not.
    pub fn refusal(&self, method: &str, params: &Value) -> Value {
        let mut response = self.respond(method, params);
        assert_eq!(response["ok"], false, "{method} {params}: {response}");
        response["error"].take()
    }

    /// The code of that error.
    pub fn code(&self, method: &str, params: &Value) -> String {
        self.refusal(method, params)["code"].as_str().expect("a code").to_owned()
    }

    /// Subscribes; the acknowledgement is read already.
    pub fn subscribe(&self, params: &Value) -> (Value, BufReader<TcpStream>) {
        let mut stream = self.connect();
        stream.write_all(&self.line("events.subscribe", params)).expect("written");
        let mut lines = BufReader::new(stream);
        let acknowledged = next(&mut lines);
        check("events.subscribe", &acknowledged);
        (acknowledged, lines)
    }
}

/// The next line of a subscription.
pub fn next(lines: &mut BufReader<TcpStream>) -> Value {
    let mut line = String::new();
    lines.read_line(&mut line).expect("a line in time");
    serde_json::from_str(&line).expect("a line of JSON")
}

/// Panics unless this is what a server may answer.
pub fn check(method: &str, response: &Value) {
    let mut broken = faults("response", response);
    if let Some(result) = response.get("result") {
        broken.extend(faults(&format!("methods/{}/result", method.replace('.', "_")), result));
    }
    assert!(broken.is_empty(), "{method}: {broken:#?}\n{response:#}");
}

/// A pane of a snapshot, wherever it stands.
pub fn pane(snapshot: &Value, id: u64) -> Value {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let tabs = list(&snapshot["windows"]).into_iter().flat_map(|window| list(&window["tabs"]));
    let mut panes = tabs.flat_map(|tab| list(&tab["panes"]));
    panes.find(|pane| pane["id"] == id).unwrap_or_else(|| panic!("no pane {id} in {snapshot}"))
}
