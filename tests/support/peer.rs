//! [`Peer`]: a program on the session's socket, well-behaved or not.

use super::stream::Stream;
use super::{PATIENCE, retry, schemas};
use serde_json::{Value, json};
use std::io::{ErrorKind, Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

/// Talks to one socket; each request is a connection of its own, as the protocol has it.
pub struct Peer {
    socket: PathBuf,
}

impl Peer {
    /// A peer of the server behind `socket`.
    pub fn new(socket: PathBuf) -> Self {
        Self { socket }
    }

    /// Whether somebody accepts connections at `socket`.
    pub fn reaches(socket: &Path) -> bool {
        UnixStream::connect(socket).is_ok()
    }

    /// A bare connection, whose reads give up after a while.
    pub fn connect(&self) -> UnixStream {
        let stream = UnixStream::connect(&self.socket).expect("the server accepts connections");
        stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
        stream.set_write_timeout(Some(PATIENCE)).expect("a timeout");
        stream
    }

    /// Everything that the server answers to these bytes until it closes.
    pub fn raw(&self, bytes: &[u8]) -> Vec<u8> {
        let mut stream = self.connect();
        // a server that refuses early may close before all of it is written
        let _ = stream.write_all(bytes);
        let _ = stream.shutdown(Shutdown::Write);
        read_to_end(&mut stream)
    }

    /// The one JSON answer to these bytes.
    pub fn answer(&self, bytes: &[u8]) -> Value {
        let answer = self.raw(bytes);
        let text = String::from_utf8(answer).expect("the answer is UTF-8");
        assert_eq!(text.matches('\n').count(), 1, "one line: {text:?}");
        assert!(text.ends_with('\n'), "the line has its end: {text:?}");
        let answer = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text:?}"));
        schemas::check_response(method_of(bytes).as_deref(), &answer);
        answer
    }

    /// The response to a request.
    pub fn request(&self, method: &str, params: &Value) -> Value {
        let response = self.answer(&frame(method, params));
        assert_eq!(response["id"], "test-1", "the id is echoed: {response}");
        response
    }

    /// The result of a request that must succeed.
    pub fn call(&self, method: &str, params: &Value) -> Value {
        let mut response = self.request(method, params);
        assert!(response.get("error").is_none(), "{method} {params}: {response}");
        response["result"].take()
    }

    /// The error code of a request that must fail.
    pub fn refusal(&self, method: &str, params: &Value) -> String {
        let response = self.request(method, params);
        let code = response["error"]["code"].as_str();
        code.unwrap_or_else(|| panic!("{method} {params} must fail: {response}")).to_owned()
    }

    /// Opens a stream; returns it with the acknowledgement.
    pub fn stream(&self, method: &str, params: &Value) -> (Stream, Value) {
        let mut stream = Stream::open(self.connect(), method, params);
        let mut response = stream.next();
        assert!(response.get("error").is_none(), "{method} {params}: {response}");
        (stream, response["result"].take())
    }
}

/// The first bytes of an attach connection.
pub const MAGIC: &[u8] = b"\0LUVUS\r\n";

/// The start of an attach connection: the magic bytes and this handshake.
pub fn hello(handshake: &Value) -> Vec<u8> {
    let text = handshake.to_string();
    let length = u32::try_from(text.len()).expect("short").to_be_bytes();
    [MAGIC, &length, text.as_bytes()].concat()
}

/// A client of the attach protocol that understands nothing but the lengths of messages.
pub struct Client {
    stream: UnixStream,
}

impl Client {
    /// The next message; `None` at the end of the connection.
    pub fn message(&mut self) -> Option<Vec<u8>> {
        let mut length = [0; 4];
        match self.stream.read_exact(&mut length) {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => return None,
            Err(error) => panic!("no message: {error}"),
        }
        let mut message = vec![0; usize::try_from(u32::from_be_bytes(length)).expect("a length")];
        self.stream.read_exact(&mut message).expect("the whole message");
        Some(message)
    }

    /// Reads until a message has `text` in it; returns how many messages and bytes that took.
    pub fn read_until(&mut self, text: &str) -> (usize, usize) {
        let (mut messages, mut bytes) = (0, 0);
        loop {
            let message = self.message().expect("the connection goes on");
            (messages, bytes) = (messages + 1, bytes + message.len());
            if message.windows(text.len()).any(|part| part == text.as_bytes()) {
                return (messages, bytes);
            }
        }
    }

    /// Sends bytes as they are.
    pub fn send(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).expect("the server reads");
    }
}

impl Peer {
    /// Attaches with an area of this many columns and rows for panes; returns the greeting too.
    pub fn attach(&self, (cols, rows): (u16, u16)) -> (Client, Value) {
        let handshake = json!({"versions": [4], "program": "test", "area": {"rows": rows, "cols": cols}});
        let mut client = Client { stream: self.connect() };
        client.send(&hello(&handshake));
        let greeting = client.message().expect("a greeting");
        (client, serde_json::from_slice(&greeting).expect("a greeting in JSON"))
    }
}

impl Peer {
    /// The structure of the session in short: panes by id, the focused one in parentheses, tabs
    /// divided by `/`, workspaces by `|`: `1 2 / (3) | 4`.
    pub fn shape(&self) -> String {
        let snapshot = self.call("session.snapshot", &json!({}));
        let workspaces = items(&snapshot["workspaces"]).iter().map(|workspace| {
            let tabs = items(&workspace["tabs"]).iter().map(|tab| {
                let shown = workspace["active"] == true && tab["active"] == true;
                let panes = items(&tab["panes"]).iter().map(|pane| {
                    let id = pane["pane_id"].as_str().unwrap_or("?");
                    if shown && pane["focused"] == true { format!("({id})") } else { id.to_owned() }
                });
                panes.collect::<Vec<_>>().join(" ")
            });
            tabs.collect::<Vec<_>>().join(" / ")
        });
        workspaces.collect::<Vec<_>>().join(" | ")
    }

    /// Waits until the session has this shape.
    pub fn wait_for_shape(&self, wanted: &str) {
        let mut found = String::new();
        let seen = retry(|| {
            found = self.shape();
            (found == wanted).then_some(())
        });
        assert!(seen.is_some(), "the session's shape is `{found}`, not `{wanted}`");
    }
}

fn items(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// The method that a request calls, if it is one.
fn method_of(request: &[u8]) -> Option<String> {
    let line = request.split(|byte| *byte == b'\n').next()?;
    let request: Value = serde_json::from_slice(line).ok()?;
    request["method"].as_str().map(str::to_owned)
}

/// A request as bytes.
pub fn frame(method: &str, params: &Value) -> Vec<u8> {
    let mut text = json!({"id": "test-1", "method": method, "params": params}).to_string();
    text.push('\n');
    text.into_bytes()
}

/// Reads until the other side closes; a reset counts as an end, a deadline does not.
pub fn read_to_end(stream: &mut UnixStream) -> Vec<u8> {
    let mut bytes = Vec::new();
    match stream.read_to_end(&mut bytes) {
        Ok(_) => {}
        Err(error) if error.kind() == ErrorKind::ConnectionReset => {}
        Err(error) => panic!("the server neither answers nor closes: {error}"),
    }
    bytes
}
