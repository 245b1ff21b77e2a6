//! The UHP driver: one decoded frame in, one frame out. Structure goes to the hub as a `Command`,
//! content straight to the terminal.
//!
//! Invariant: a request is checked completely before anything happens, and what is announced in
//! `uhp.capabilities` is exactly what the table of methods can run.

mod authority;
mod error;
mod events;
mod methods;
mod session;
mod streams;
mod table;
mod target;

pub use session::{Place, Session};

use super::exchange::Talk;
use super::hub::{HubError, HubHandle, PaneEntry, Snapshot};
use super::model::Outcome;
use crate::protocol::command::Command;
use crate::protocol::ids::PaneId;
use crate::protocol::limits;
use crate::protocol::params::integer;
use crate::protocol::strict::Parsed;
use crate::protocol::uhp::envelope::{self, Request};
use crate::protocol::uhp::error::{ErrorCode, Failure};
use authority::Authority;
use serde_json::Value;
use std::pin::Pin;
use std::sync::Arc;
use table::{Access, Method, Run};

/// What a method works with.
#[derive(Clone)]
struct Context {
    hub: HubHandle,
    session: Arc<Session>,
    /// On whose behalf.
    authority: Authority,
    /// Nothing but output may have happened since that event.
    if_revision: Option<u64>,
}

impl Context {
    async fn command(&self, command: Command) -> Result<Outcome, Failure> {
        self.command_seen(command).await.map(|(outcome, _)| outcome)
    }

    /// With the session as it was when the command had taken effect.
    async fn command_seen(&self, command: Command) -> Result<(Outcome, Snapshot), Failure> {
        let done = self.hub.command_if(command, self.if_revision).await;
        done.map_err(|error: HubError| error::of_hub(&error))
    }

    /// For what the hub does not carry out; what it does it checks itself, in the same turn.
    fn check_revision(&self) -> Result<(), Failure> {
        let Some(revision) = self.if_revision else { return Ok(()) };
        let unchanged = self.hub.bus().turn().unchanged_since(revision);
        unchanged.map_err(|conflict| error::of_hub(&conflict.into()))
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
/// A result, and what follows it.
type Running = Pin<Box<dyn Future<Output = Result<(Output, Option<Talk>), Failure>> + Send>>;
/// An acknowledgment, and what follows it.
type Opening = Pin<Box<dyn Future<Output = Result<(Value, Talk), Failure>> + Send>>;

/// What a method gives.
enum Output {
    /// Data.
    Value(Value),
    /// One JSON object as text.
    Text(Vec<u8>),
}

/// A request that is ready to run; nothing has happened yet.
pub struct Call {
    /// Whether nothing is lost when it is dropped half-way, because its peer has gone.
    pub droppable: bool,
    /// Whether the server is to be ended after a success has been written.
    pub stops: bool,
    id: String,
    mutation: bool,
    answer: Running,
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
            Ok((output, talk)) => {
                let frame = match output {
                    Output::Value(result) => envelope::success(&self.id, &result),
                    Output::Text(result) => envelope::written(&self.id, &result),
                };
                Reply { frame, ok: true, talk }
            }
            Err(failure) => {
                let frame = envelope::failure(&self.id, &failure, self.mutation);
                Reply { frame, ok: false, talk: None }
            }
        }
    }
}

/// Finds the method that a frame asks for, or the frame that refuses it.
pub fn find(parsed: Parsed, session: &Session) -> Result<Found, Vec<u8>> {
    let mut request =
        envelope::decode(parsed).map_err(|refused| envelope::failure(&refused.id, &refused.failure, true))?;
    match admit(&mut request, session) {
        Ok((method, authority, if_revision)) => Ok(Found { request, method, authority, if_revision }),
        Err(failure) => Err(envelope::failure(&request.id, &failure, true)),
    }
}

/// A request with its method and its authority.
pub struct Found {
    request: Request,
    method: &'static Method,
    authority: Authority,
    if_revision: Option<u64>,
}

impl Found {
    /// Makes it ready to run.
    #[must_use]
    pub fn call(self, hub: &HubHandle, session: &Arc<Session>) -> Call {
        let Self { request, method, authority, if_revision } = self;
        let context = Context { hub: hub.clone(), session: Arc::clone(session), authority, if_revision };
        let (mutation, params) = (method.access == Access::Write, request.params);
        let (droppable, answer): (bool, _) = match method.run {
            Run::Call(run) | Run::Wait(run) => {
                // A prompt waits only for those who ask it to.
                let waits = matches!(method.run, Run::Wait(_)) || params.has("wait");
                let answer = async move {
                    context.check_revision()?;
                    Ok((Output::Value(run(params, context).await?), None))
                };
                // To watch a peer costs more than what is done soon.
                (waits, Box::pin(answer) as _)
            }
            Run::Text(run) => {
                let answer = std::future::ready(run(params, &context).map(|text| (Output::Text(text), None)));
                (false, Box::pin(answer) as _)
            }
            // What opening a stream takes is given back when it is dropped.
            Run::Stream(open) => {
                let authority = context.authority.clone();
                let opening = open(params, context);
                let opening = async {
                    let (acknowledgment, talk) = opening.await?;
                    Ok((Output::Value(acknowledgment), Some(authority.limit(talk))))
                };
                (true, Box::pin(opening) as _)
            }
        };
        let stops = [table::SERVER_STOP, table::SERVER_RESTART].contains(&method.name);
        Call { droppable, stops, id: request.id, mutation, answer }
    }
}

/// Who asks for what, and on which condition.
fn admit(
    request: &mut Request,
    session: &Session,
) -> Result<(&'static Method, Authority, Option<u64>), Failure> {
    let authority = session.tokens.authority(request.auth.as_deref())?;
    let method = table::find(&request.method)
        .ok_or_else(|| Failure::new(ErrorCode::UnsupportedCapability, "no such method in this build"))?;
    authority.check(method)?;
    let if_revision = if method.takes_revision() {
        request.params.optional("if_revision", integer(0..=u64::MAX))?
    } else {
        None
    };
    Ok((method, authority, if_revision))
}

/// The frame for bytes that are no JSON.
#[must_use]
pub fn malformed() -> Vec<u8> {
    let failure = Failure::new(ErrorCode::InvalidRequest, "the frame is not one JSON text in UTF-8");
    envelope::failure(envelope::NO_ID, &failure, true)
}

/// The frame for a connection over the capacity, with the id of what it asked.
#[must_use]
pub fn too_many(parsed: Parsed) -> Vec<u8> {
    let message = format!("the server serves at most {} connections at a time", limits::API_CONNECTIONS);
    let (id, failure) = match envelope::decode(parsed) {
        Ok(request) => (request.id, Failure::new(ErrorCode::Unavailable, message)),
        Err(refused) => (refused.id, refused.failure),
    };
    envelope::failure(&id, &failure, true)
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

    fn session() -> Session {
        Session::new("default".to_owned(), "/".to_owned(), "/uploads".into())
    }

    fn refusal(text: &str) -> Value {
        let frame = find(strict::parse(text.as_bytes()).unwrap(), &session()).err().expect("a refusal");
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
        let found = find(strict::parse(text).unwrap(), &session()).unwrap();
        assert_eq!((found.method.name, found.method.access), ("server.stop", Access::Write));
    }
}
