//! The UHP driver: one decoded frame in, one frame out. Structure goes to the hub as a `Command`,
//! content straight to the terminal.
//!
//! Invariant: a request is checked completely before anything happens, and what is announced in
//! `uhp.capabilities` is exactly what the table of methods can run.

mod error;
mod methods;
mod streams;
mod table;
mod target;

use super::exchange::Talk;
use super::hub::{HubError, HubHandle, PaneEntry, Snapshot};
use super::model::Outcome;
use crate::protocol::command::Command;
use crate::protocol::ids::PaneId;
use crate::protocol::limits;
use crate::protocol::strict::Parsed;
use crate::protocol::uhp::envelope::{self, Request};
use crate::protocol::uhp::error::{ErrorCode, Failure};
use serde_json::Value;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use streams::{Storage, Streams};
use table::{Access, Method, Run};

/// What the driver must know besides the hub.
#[derive(Debug)]
pub struct Session {
    /// Name of the session.
    pub name: String,
    /// The home folder, where a workspace starts when nothing else is known.
    pub home: String,
    connections: AtomicUsize,
    streams: Arc<Streams>,
    storage: Storage,
}

impl Session {
    /// A session that serves nobody yet; files that clients hand over go to `uploads`.
    #[must_use]
    pub fn new(name: String, home: String, uploads: PathBuf) -> Self {
        Self {
            name,
            home,
            connections: AtomicUsize::new(0),
            streams: Arc::default(),
            storage: Storage::new(uploads),
        }
    }

    /// Counts a connection until the guard is dropped.
    #[must_use]
    pub fn connection(self: &Arc<Self>) -> Connection {
        let before = self.connections.fetch_add(1, Ordering::Relaxed);
        Connection { session: Arc::clone(self), before }
    }

    fn connections(&self) -> usize {
        self.connections.load(Ordering::Relaxed)
    }
}

/// One connection that is being served.
#[derive(Debug)]
pub struct Connection {
    session: Arc<Session>,
    before: usize,
}

impl Connection {
    /// Whether a server may serve it beside those that it served before.
    #[must_use]
    pub fn within_capacity(&self) -> bool {
        self.before < limits::API_CONNECTIONS
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.session.connections.fetch_sub(1, Ordering::Relaxed);
    }
}

/// What a method works with.
#[derive(Clone)]
struct Context {
    hub: HubHandle,
    session: Arc<Session>,
}

impl Context {
    async fn command(&self, command: Command) -> Result<Outcome, Failure> {
        self.command_seen(command).await.map(|(outcome, _)| outcome)
    }

    /// With the session as it was when the command had taken effect.
    async fn command_seen(&self, command: Command) -> Result<(Outcome, Snapshot), Failure> {
        self.hub.command_seen(command).await.map_err(|error: HubError| error::of_hub(&error))
    }

    fn snapshot(&self) -> Snapshot {
        self.hub.snapshot()
    }

    /// The terminal of a pane that is known to exist.
    fn terminal(&self, snapshot: &Snapshot, pane: PaneId) -> Result<PaneEntry, Failure> {
        match snapshot.directory.panes.get(&pane) {
            Some(entry) if entry.started => Ok(entry.clone()),
            _ => Err(Failure::new(ErrorCode::TerminalNotReady, "the terminal has not started yet")),
        }
    }
}

type Answer = Pin<Box<dyn Future<Output = Result<Value, Failure>> + Send>>;
/// An acknowledgment, and what follows it.
type Opening = Pin<Box<dyn Future<Output = Result<(Value, Talk), Failure>> + Send>>;

/// A request that is ready to run; nothing has happened yet.
pub struct Call {
    /// Whether nothing is lost when it is dropped half-way, because its peer has gone.
    pub droppable: bool,
    /// Whether the server is to be ended after a success has been written.
    pub stops: bool,
    id: String,
    mutation: bool,
    answer: Pin<Box<dyn Future<Output = Result<(Value, Option<Talk>), Failure>> + Send>>,
}

/// The frame to write.
pub struct Reply {
    /// With its LF.
    pub frame: Vec<u8>,
    /// Whether it tells of a success.
    pub ok: bool,
    /// What follows it.
    pub talk: Option<Talk>,
}

impl Call {
    /// Does it.
    pub async fn run(self) -> Reply {
        match self.answer.await {
            Ok((result, talk)) => Reply { frame: envelope::success(&self.id, &result), ok: true, talk },
            Err(failure) => {
                let frame = envelope::failure(&self.id, &failure, self.mutation);
                Reply { frame, ok: false, talk: None }
            }
        }
    }
}

/// Finds the method that a frame asks for, or the frame that refuses it.
pub fn find(parsed: Parsed) -> Result<Found, Vec<u8>> {
    let request =
        envelope::decode(parsed).map_err(|refused| envelope::failure(&refused.id, &refused.failure, true))?;
    match method(&request) {
        Ok(method) => Ok(Found { request, method }),
        Err(failure) => Err(envelope::failure(&request.id, &failure, true)),
    }
}

/// A request and its method.
pub struct Found {
    request: Request,
    method: &'static Method,
}

impl Found {
    /// Makes it ready to run.
    #[must_use]
    pub fn call(self, hub: &HubHandle, session: &Arc<Session>) -> Call {
        let context = Context { hub: hub.clone(), session: Arc::clone(session) };
        let mutation = self.method.access == Access::Write;
        let params = self.request.params;
        let (droppable, answer): (bool, _) = match self.method.run {
            Run::Call(run) => {
                let answer = run(params, context);
                (!mutation, Box::pin(async { Ok((answer.await?, None)) }) as _)
            }
            // What opening a stream takes is given back when it is dropped.
            Run::Stream(open) => {
                let opening = open(params, context);
                (true, Box::pin(async { opening.await.map(|(result, talk)| (result, Some(talk))) }) as _)
            }
        };
        let stops = self.method.name == table::SERVER_STOP;
        Call { droppable, stops, id: self.request.id, mutation, answer }
    }
}

fn method(request: &Request) -> Result<&'static Method, Failure> {
    if request.auth.is_some() {
        // No token has been issued in this server life, so none can be valid.
        return Err(Failure::new(ErrorCode::Forbidden, "the token is not valid"));
    }
    table::find(&request.method)
        .ok_or_else(|| Failure::new(ErrorCode::UnsupportedCapability, "no such method in this build"))
}

/// The frame for bytes that are no JSON.
#[must_use]
pub fn malformed() -> Vec<u8> {
    let failure = Failure::new(ErrorCode::InvalidRequest, "the frame is not one JSON text in UTF-8");
    envelope::failure(envelope::NO_ID, &failure, true)
}

/// The frame for a connection over the capacity.
#[must_use]
pub fn too_many() -> Vec<u8> {
    let message = format!("the server serves at most {} connections at a time", limits::API_CONNECTIONS);
    envelope::failure(envelope::NO_ID, &Failure::new(ErrorCode::Unavailable, message), true)
}

/// The frame for a frame over 1 MiB.
#[must_use]
pub fn too_large() -> Vec<u8> {
    let failure = Failure::new(ErrorCode::FrameTooLarge, "a frame has at most 1,048,576 bytes with its LF");
    envelope::failure(envelope::NO_ID, &failure, true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::strict;
    use serde_json::json;

    fn refusal(text: &str) -> Value {
        let frame = find(strict::parse(text.as_bytes()).unwrap()).err().expect("a refusal");
        assert_eq!(frame.last(), Some(&b'\n'));
        serde_json::from_slice(&frame).unwrap()
    }

    #[test]
    fn refusals_before_dispatch_say_that_nothing_started() {
        let cases = [
            (
                r#"{"id":"q","method":"terminal.backend.paste_image","params":{}}"#,
                "q",
                "unsupported_capability",
            ),
            (r#"{"id":"q","method":"ping","params":{},"auth":"luv_tok_x"}"#, "q", "forbidden"),
            (r#"{"id":"q","method":"ping","params":{"x":1,"x":2}}"#, "q", "invalid_request"),
            (r#"{"id":"q","method":"ping","params":{},"protocol":"x"}"#, "q", "invalid_request"),
            (r#"{"id":7,"method":"ping","params":{}}"#, "0", "invalid_request"),
            (r#"["ping"]"#, "0", "invalid_request"),
        ];
        for (text, id, code) in cases {
            let answer = refusal(text);
            assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(id), &json!(code)), "{text}");
            assert_eq!(answer["error"]["dispatch"], "not_started", "{text}");
        }
        for frame in [malformed(), too_large()] {
            let answer: Value = serde_json::from_slice(&frame).unwrap();
            assert_eq!((&answer["id"], &answer["error"]["dispatch"]), (&json!("0"), &json!("not_started")));
        }
    }

    #[test]
    fn a_known_method_is_found() {
        let text = br#"{"id":"q","method":"server.stop","params":{}}"#;
        let found = find(strict::parse(text).unwrap()).unwrap();
        assert_eq!((found.method.name, found.method.access), ("server.stop", Access::Write));
    }

    #[test]
    fn the_eighty_first_connection_is_one_too_many() {
        let session = Arc::new(Session::new("default".to_owned(), "/".to_owned(), "/uploads".into()));
        let mut held: Vec<Connection> = (0..80).map(|_| session.connection()).collect();
        assert!(held.iter().all(Connection::within_capacity));
        assert!(!session.connection().within_capacity());
        held.pop();
        assert!(session.connection().within_capacity());
    }

    #[test]
    fn connections_are_counted_while_they_are_served() {
        let session = Arc::new(Session::new("default".to_owned(), "/".to_owned(), "/uploads".into()));
        let (one, two) = (session.connection(), session.connection());
        assert_eq!(session.connections(), 2);
        drop(one);
        drop(two);
        assert_eq!(session.connections(), 0);
    }
}
