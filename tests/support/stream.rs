//! [`Stream`]: a connection that goes on after its answer.

use super::peer::frame;
use super::schemas;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::io::{BufRead, BufReader, ErrorKind, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;

/// A connection that has become a stream of frames.
pub struct Stream {
    method: String,
    acknowledged: bool,
    lines: BufReader<UnixStream>,
    /// Events that came while a reply was waited for.
    passed: VecDeque<Value>,
    actions: usize,
}

impl Stream {
    /// Sends the request that opens it.
    pub fn open(mut connection: UnixStream, method: &str, params: &Value) -> Self {
        connection.write_all(&frame(method, params)).expect("the server reads");
        Self::resume(connection, method)
    }

    /// Goes on with a connection over which that method was asked for.
    pub fn resume(connection: UnixStream, method: &str) -> Self {
        Self {
            method: method.to_owned(),
            acknowledged: false,
            lines: BufReader::new(connection),
            passed: VecDeque::new(),
            actions: 0,
        }
    }

    /// The next frame.
    pub fn next(&mut self) -> Value {
        self.next_or_end().expect("the stream goes on")
    }

    /// The next frame; `None` at the end of the stream.
    pub fn next_or_end(&mut self) -> Option<Value> {
        match self.passed.pop_front() {
            Some(frame) => Some(frame),
            None => self.read(),
        }
    }

    fn read(&mut self) -> Option<Value> {
        let mut line = String::new();
        match self.lines.read_line(&mut line) {
            Ok(0) => return None,
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::ConnectionReset => return None,
            Err(error) => panic!("no frame before the deadline: {error}"),
        }
        if !line.ends_with('\n') {
            // a reader that was too slow may lose the end of a frame with the stream
            return None;
        }
        let frame: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"));
        if frame.get("event").is_some() {
            schemas::check_event(&frame);
        } else if self.acknowledged {
            schemas::check_action_response(&frame);
        } else {
            schemas::check_response(Some(&self.method), &frame);
            self.acknowledged = true;
        }
        Some(frame)
    }

    /// The next event of that name; others are passed over.
    pub fn event(&mut self, name: &str) -> Value {
        loop {
            let frame = self.next();
            if frame["event"] == name {
                return frame;
            }
        }
    }

    /// The next picture of a terminal that `wanted` takes: its `data`.
    pub fn picture(&mut self, what: &str, mut wanted: impl FnMut(&Value) -> bool) -> Value {
        let mut seen = Vec::new();
        loop {
            let Some(mut frame) = self.next_or_end() else { panic!("{what} never came: {seen:?}") };
            if frame["event"] == "terminal.frame" && wanted(&frame["data"]) {
                return frame["data"].take();
            }
            seen.push(frame.to_string());
        }
    }

    /// The next picture whose text has that in it.
    pub fn shows(&mut self, text: &str) -> Value {
        self.picture(text, |data| data["text"].as_str().is_some_and(|shown| shown.contains(text)))
    }

    /// Sends bytes as they are.
    pub fn send(&mut self, bytes: &[u8]) {
        self.lines.get_mut().write_all(bytes).expect("the server reads");
    }

    /// Sends an action and waits for its response.
    pub fn act(&mut self, action: &str, params: &Value) -> Value {
        self.actions += 1;
        let id = format!("action-{}", self.actions);
        self.send(format!("{}\n", json!({"id": id, "action": action, "params": params})).as_bytes());
        self.response(&id)
    }

    /// The response with that id.
    pub fn response(&mut self, id: &str) -> Value {
        self.reply(|frame| frame["id"] == id)
    }

    /// The response to a frame as it is.
    pub fn answer(&mut self, frame: &[u8]) -> Value {
        self.send(frame);
        self.reply(|frame| frame.get("event").is_none())
    }

    fn reply(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            let frame = self.read().expect("the stream goes on");
            if wanted(&frame) {
                return frame;
            }
            self.passed.push_back(frame);
        }
    }

    /// The result of an action that must succeed.
    pub fn done(&mut self, action: &str, params: &Value) -> Value {
        let mut response = self.act(action, params);
        assert!(response.get("error").is_none(), "{action}: {response}");
        response["result"].take()
    }

    /// Code and dispatch class of an action that must fail.
    pub fn refused(&mut self, action: &str, params: &Value) -> (String, String) {
        let response = self.act(action, params);
        let text = |field: &str| response["error"][field].as_str().map(str::to_owned);
        let refused = text("code").zip(text("dispatch"));
        refused.unwrap_or_else(|| panic!("{action} must fail: {response}"))
    }

    /// Says that nothing more is sent.
    pub fn close_input(&mut self) {
        self.lines.get_ref().shutdown(Shutdown::Write).expect("a half-close");
    }

    /// Reads to the end of the stream; returns the last frame.
    pub fn last(&mut self) -> Option<Value> {
        let mut last = None;
        while let Some(frame) = self.next_or_end() {
            last = Some(frame);
        }
        last
    }
}
