//! From a method's name to what it does.

use super::origin::{Origin, Peer};
use super::{Backend, capture, exec, input, kill, list, metadata, origin, spawn, wait_for};
use crate::protocol::pane_backend::error::{ErrorCode, Failure};
use crate::protocol::params::Params;
use crate::server::hub::HubHandle;
use serde_json::Value;
use std::pin::Pin;
use std::sync::Arc;

/// Something that goes on by itself.
pub type Work<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// What becomes of a request.
pub enum Step {
    /// It is answered.
    Done(Result<Value, Failure>),
    /// It has begun, and is answered when it comes to its end.
    Beside(Work<Result<Value, Failure>>),
    /// It is answered first and done then.
    First {
        /// The answer.
        result: Value,
        /// Whether the answer has to be written before.
        wait: bool,
        /// What is to be done.
        then: Work<()>,
    },
}

impl From<Result<Value, Failure>> for Step {
    fn from(outcome: Result<Value, Failure>) -> Self {
        Self::Done(outcome)
    }
}

/// Who asks.
pub struct Caller {
    /// What all connections share.
    pub backend: Arc<Backend>,
    /// The process at the other end.
    pub peer: Peer,
    /// Whether it speaks version 1.
    pub old: bool,
    /// Its own pane, once that was looked for.
    pub origin: Option<Origin>,
}

impl Caller {
    /// Somebody who has said nothing yet.
    pub fn new(backend: Arc<Backend>, peer: Peer) -> Self {
        Self { backend, peer, old: false, origin: None }
    }

    /// The way to the hub.
    pub fn hub(&self) -> Result<HubHandle, Failure> {
        let hub = self.backend.hub.get().cloned();
        hub.ok_or_else(|| Failure::new(ErrorCode::Internal, "the server is starting"))
    }
}

/// Begins what a request wants.
pub async fn begin(method: &str, params: Params, caller: &mut Caller) -> Step {
    match method {
        "initialize" => origin::initialize(params, caller).await.into(),
        "spawn_agent" => spawn::begin(params, caller).await.unwrap_or_else(|failure| Err(failure).into()),
        "list" => list::list(caller).await.into(),
        "capture" => capture::begin(params, caller).await.unwrap_or_else(|failure| Err(failure).into()),
        "write" => input::write(params, caller).into(),
        "exec" => exec::exec(params, caller).unwrap_or_else(|failure| Err(failure).into()),
        "run_shell" => exec::run_shell(params, caller).unwrap_or_else(|failure| Err(failure).into()),
        "wait_for" => wait_for::begin(params, caller).unwrap_or_else(|failure| Err(failure).into()),
        "kill" => kill::kill(params, caller).await.unwrap_or_else(|failure| Err(failure).into()),
        "kill_all" => kill::kill_all(params, caller).await.unwrap_or_else(|failure| Err(failure).into()),
        "set_metadata" => metadata::set(params, caller).await.into(),
        _ => Err(Failure::new(ErrorCode::MethodNotFound, "no such method")).into(),
    }
}
