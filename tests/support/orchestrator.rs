//! [`Orchestrator`]: a program on the pane backend's socket. Every line that it receives is judged by the
//! published schemas.

use super::{PATIENCE, pane_schemas};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::path::Path;

/// One connection.
pub struct Orchestrator {
    lines: BufReader<UnixStream>,
    methods: Vec<String>,
    /// Messages that came while another one was waited for.
    passed: VecDeque<Value>,
}

impl Orchestrator {
    /// Connects.
    pub fn connect(socket: &Path) -> Self {
        let connection = UnixStream::connect(socket).expect("the pane backend accepts");
        connection.set_read_timeout(Some(PATIENCE * 2)).expect("a deadline");
        Self { lines: BufReader::new(connection), methods: Vec::new(), passed: VecDeque::new() }
    }

    /// Sends bytes as they are.
    pub fn raw(&mut self, bytes: &[u8]) {
        self.lines.get_mut().write_all(bytes).expect("the server reads");
    }

    /// Sends a request and does not wait; its id.
    pub fn send(&mut self, method: &str, params: &Value) -> usize {
        self.methods.push(method.to_owned());
        let id = self.methods.len();
        self.raw(format!("{}\n", json!({"id": id, "method": method, "params": params})).as_bytes());
        id
    }

    /// The next line; nothing at the end. That the first shell is ready is told whenever it happens to be,
    /// and passed over.
    pub fn read(&mut self) -> Option<Value> {
        loop {
            let message = self.line()?;
            if message["method"] != "context_ready" || message["params"]["context_id"] != "%1" {
                return Some(message);
            }
        }
    }

    fn line(&mut self) -> Option<Value> {
        let mut line = String::new();
        match self.lines.read_line(&mut line) {
            Ok(0) => return None,
            Ok(_) => {}
            Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => return None,
            Err(error) => panic!("no line before the deadline: {error}"),
        }
        let message: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"));
        let id = message["id"].as_u64().and_then(|id| usize::try_from(id).ok());
        let method = id.and_then(|id| self.methods.get(id.checked_sub(1)?));
        pane_schemas::check(method.map(String::as_str), &message);
        Some(message)
    }

    /// The next message that `wanted` takes; others are kept, in order.
    fn wanted(&mut self, what: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        if let Some(index) = self.passed.iter().position(&wanted) {
            return self.passed.remove(index).expect("just found");
        }
        loop {
            let message = self.read().unwrap_or_else(|| panic!("the connection ended before {what}"));
            if wanted(&message) {
                return message;
            }
            self.passed.push_back(message);
        }
    }

    /// The response to a request.
    pub fn response(&mut self, id: usize) -> Value {
        self.wanted("a response", |message| message["id"] == json!(id) && message.get("method").is_none())
    }

    /// The result of a request that must succeed.
    pub fn call(&mut self, method: &str, params: &Value) -> Value {
        let id = self.send(method, params);
        let mut response = self.response(id);
        assert!(response.get("error").is_none(), "{method} {params}: {response}");
        response["result"].take()
    }

    /// Code and data of a request that must fail.
    pub fn refused(&mut self, method: &str, params: &Value) -> (i64, Value) {
        let id = self.send(method, params);
        let mut response = self.response(id);
        let code = response["error"]["code"].as_i64();
        let code = code.unwrap_or_else(|| panic!("{method} {params} must fail: {response}"));
        (code, response["error"]["data"].take())
    }

    /// The params of the next event of that name about that context.
    pub fn event(&mut self, name: &str, context: &str) -> Value {
        let about = |message: &Value| message["method"] == name && message["params"]["context_id"] == context;
        self.wanted(name, about)["params"].take()
    }

    /// What came and nobody took, in order: names of events.
    pub fn passed(&self) -> Vec<&str> {
        self.passed.iter().filter_map(|message| message["method"].as_str()).collect()
    }

    /// The next message as it came, whatever it is.
    pub fn next(&mut self) -> Value {
        self.passed.pop_front().unwrap_or_else(|| self.read().expect("the connection goes on"))
    }

    /// Says that nothing more is sent.
    pub fn close_input(&mut self) {
        self.lines.get_ref().shutdown(Shutdown::Write).expect("a half-close");
    }

    /// Makes a pane in a tab of its own that runs this script, and does not wait until it is ready.
    pub fn script(&mut self, script: &str) -> String {
        let params = json!({"command": ["/bin/sh", "-c", script], "mode": "window", "wait_ready": false});
        self.call("spawn_agent", &params)["context_id"].as_str().expect("a context id").to_owned()
    }

    /// The plain screen of a pane.
    pub fn screen(&mut self, context: &str) -> String {
        let capture = self.call("capture", &json!({"context_id": context, "clean": true}));
        capture["text"].as_str().expect("a text").to_owned()
    }

    /// Waits until the screen of a pane matches.
    pub fn wait_output(&mut self, context: &str, pattern: &str) {
        let params = json!({"condition": "output", "arg": pattern, "pane_id": context, "timeout_ms": 20_000});
        let met = self.call("wait_for", &params);
        assert_eq!(met["kind"], "success", "{pattern}: {met}: {}", self.screen(context));
    }

    /// Types text.
    pub fn write(&mut self, context: &str, text: &str) {
        let params = json!({"context_id": context, "data": base64(text.as_bytes())});
        assert_eq!(self.call("write", &params), json!({}));
    }
}

/// Standard base64.
pub fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let group = |group: &[u8]| -> String {
        let bits = (0..3).fold(0_usize, |bits, at| bits << 8 | usize::from(*group.get(at).unwrap_or(&0)));
        let digit = |place: usize| match place <= group.len() {
            true => char::from(DIGITS[bits >> (18 - 6 * place) & 63]),
            false => '=',
        };
        (0..4).map(digit).collect()
    };
    bytes.chunks(3).map(group).collect()
}
