//! The runtime protocol (`spec/runtime.md`): one decoded line in, one line out.
//!
//! Invariant: translation only. What a pane's state is, and how often it changed, is decided in
//! [`tracker`]; everything else is asked of the hub and of the terminals.

mod agent;
mod close;
mod counts;
mod describe;
mod error;
mod events;
mod exec;
mod input;
mod keys;
mod launches;
mod layout;
pub mod listener;
mod orchestrate;
mod peer;
mod procs;
mod projection;
mod record;
mod run;
mod runs;
mod start;
mod target;
mod titles;
mod tracker;
mod wait;

use super::super::hub::{HubHandle, Snapshot};
use super::super::model::Outcome;
use super::super::worktree::Notes;
use crate::protocol::command::Command;
use crate::protocol::limits::RUNTIME_RESPONSE_BYTES;
use crate::protocol::params::{ParamError, Params};
use crate::protocol::runtime::envelope::{self, Request};
use crate::protocol::runtime::error::{ErrorCode, Failure};
use crate::protocol::strict::Parsed;
pub use describe::About;
pub use events::Follower;
use serde_json::{Map, Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::time::timeout;
use tracker::Tracker;

/// How long the core may take (`runtime.md` section 11, `runtime_timeout`).
const ANSWER: Duration = Duration::from_secs(30);

/// How long a pane's program may take to start before the pane is said not to have one.
const START: Duration = Duration::from_secs(2);

/// Every method that is served.
const METHODS: &[&str] = &[
    "runtime.describe",
    "runtime.snapshot",
    "runtime.orchestrate",
    "events.subscribe",
    "agents.list",
    "agent.start",
    "agent.fork",
    "agent.get",
    "agent.prompt",
    "agent.paste",
    "agent.read",
    "agent.wait",
    "window.create",
    "window.close",
    "window.focus",
    "tab.new",
    "tab.close",
    "tab.rename",
    "tab.move",
    "pane.split",
    "pane.close",
    "pane.zoom",
    "pane.resize",
    "pane.prompt",
    "pane.paste",
    "pane.read",
    "pane.procs",
    "pane.send_key",
    "pane.exec",
    "pane.run",
    "pane.wait",
];

/// What all requests of a server share.
pub struct Context {
    hub: HubHandle,
    tracker: Arc<Tracker>,
    /// Where a window starts when nothing else is known.
    home: String,
    about: About,
    /// For programs that serve no pane.
    environment: Vec<(String, String)>,
    notes: Notes,
    subscriptions: AtomicU64,
    workflows: AtomicU64,
}

impl Context {
    /// Starts to follow the hub. Called inside the control runtime.
    #[must_use]
    pub fn start(
        hub: HubHandle,
        home: String,
        about: About,
        environment: Vec<(String, String)>,
        notes: Notes,
    ) -> Arc<Self> {
        let tracker = Tracker::start(hub.snapshots());
        let counts = Arc::clone(&tracker);
        hub.tell_submits(move |hub, handle| counts.submitted(hub, handle));
        Arc::new(Self {
            hub,
            tracker,
            home,
            about,
            environment,
            notes,
            subscriptions: AtomicU64::new(0),
            workflows: AtomicU64::new(0),
        })
    }

    async fn command(&self, command: Command) -> Result<Outcome, Failure> {
        self.command_seen(command).await.map(|(outcome, _)| outcome)
    }

    /// With the session as it was when the command had taken effect.
    async fn command_seen(&self, command: Command) -> Result<(Outcome, Snapshot), Failure> {
        match tokio::time::timeout(ANSWER, self.hub.command_seen(command)).await {
            Ok(Ok(seen)) => Ok(seen),
            Ok(Err(failed)) => Err(error::of_hub(&failed, &self.tracker.snapshot(&self.hub))),
            Err(_) => Err(Failure::new(ErrorCode::RuntimeTimeout, "the server did not answer in time")),
        }
    }

    /// The answer of a method that changed something: what it did, and the state after it.
    fn action(&self, kind: &str, mut action: Value) -> Value {
        action["type"] = json!(kind);
        json!({"action": action, "snapshot": self.tracker.snapshot(&self.hub)})
    }

    fn next_workflow(&self) -> u64 {
        self.workflows.fetch_add(1, Ordering::Relaxed) + 1
    }

    fn next_subscription(&self) -> u64 {
        self.subscriptions.fetch_add(1, Ordering::Relaxed) + 1
    }
}

/// A request that was understood, or why it was not.
pub struct Call {
    request: Result<Request, Vec<u8>>,
    context: Arc<Context>,
}

/// An answered request.
pub struct Answer {
    /// The line, with its LF.
    pub line: Vec<u8>,
    /// What the connection carries after it.
    pub follower: Option<Follower>,
}

impl Call {
    /// Reads a parsed line; a token in it has been checked or needs none.
    pub fn read(parsed: Parsed, context: &Arc<Context>) -> Self {
        let request =
            envelope::decode(parsed).map_err(|refused| envelope::respond(&refused.id, &Err(refused.failure)));
        Self { request, context: Arc::clone(context) }
    }

    /// Whether it is given up when its peer has gone: it changes nothing.
    pub fn is_droppable(&self) -> bool {
        let method = self.request.as_ref().map(|request| request.method.as_str());
        matches!(method, Err(_) | Ok("pane.wait" | "agent.wait" | "pane.read" | "agent.read" | "pane.procs"))
    }

    /// Carries it out.
    pub async fn run(self) -> Answer {
        let Request { id, method, params } = match self.request {
            Ok(request) => request,
            Err(line) => return Answer { line, follower: None },
        };
        if method == "events.subscribe" {
            return match events::subscribe(params, &self.context) {
                Ok((result, follower)) => {
                    Answer { line: envelope::respond(&id, &Ok(result)), follower: Some(follower) }
                }
                Err(failure) => Answer { line: envelope::respond(&id, &Err(failure)), follower: None },
            };
        }
        let outcome = run(&method, params, &self.context).await;
        Answer { line: bounded(&id, &outcome), follower: None }
    }
}

/// The answer's line. One that is too long for the protocol becomes an error: nobody may be sent a
/// line that it need not read.
fn bounded(id: &str, outcome: &Result<Value, Failure>) -> Vec<u8> {
    let line = envelope::respond(id, outcome);
    if line.len() <= RUNTIME_RESPONSE_BYTES {
        return line;
    }
    let failure = Failure::new(ErrorCode::ActionFailed, "the answer is longer than a response may be");
    envelope::respond(id, &Err(failure.with(json!({"reason": "response_too_large"}))))
}

/// The line for a request line over 128 KiB.
#[must_use]
pub fn too_large() -> Vec<u8> {
    let failure = Failure::new(ErrorCode::RequestTooLarge, "a request line has at most 131,072 bytes");
    envelope::respond("", &Err(failure))
}

async fn run(method: &str, params: Params, context: &Arc<Context>) -> Result<Value, Failure> {
    if let Some(pane) = params.number("pane_id") {
        begun(context, pane).await;
    }
    match method {
        "runtime.describe" => describe::describe(params, context),
        "runtime.snapshot" => snapshot(params, context),
        "agents.list" => agent::list(params, context),
        "agent.start" => start::start(params, context).await,
        "agent.fork" => Box::pin(start::fork(params, context)).await,
        "agent.get" => agent::get(params, context),
        "agent.prompt" => agent::submit(params, context, false).await,
        "agent.paste" => agent::submit(params, context, true).await,
        "agent.read" => agent::read(params, context).await,
        "agent.wait" => agent::wait(params, context).await,
        "runtime.orchestrate" => Box::pin(orchestrate::orchestrate(params, context)).await,
        "window.create" => layout::window_create(params, context).await,
        "window.close" => close::window(params, context).await,
        "window.focus" => layout::window_focus(params, context).await,
        "tab.new" => layout::tab_new(params, context).await,
        "tab.close" => close::tab(params, context).await,
        "tab.rename" => layout::tab_rename(params, context).await,
        "tab.move" => layout::tab_move(params, context).await,
        "pane.split" => layout::pane_split(params, context).await,
        "pane.close" => close::pane(params, context).await,
        "pane.zoom" => layout::pane_zoom(params, context).await,
        "pane.resize" => layout::pane_resize(params, context).await,
        "pane.prompt" => input::prompt(params, context),
        "pane.paste" => input::paste(params, context),
        "pane.read" => input::read(params, context).await,
        "pane.procs" => procs::procs(params, context).await,
        "pane.exec" => exec::exec(params, context).await,
        "pane.run" => run::run(params, context).await,
        "pane.send_key" => keys::send(params, context),
        "pane.wait" => wait::wait(params, context).await,
        _ => Err(Failure::new(ErrorCode::MethodNotFound, "no such method in this build")),
    }
}

/// A pane is shown a moment before its program runs; what is asked of it waits for that.
async fn begun(context: &Context, pane: u64) {
    let is_starting = |view: &Snapshot| {
        let named = view.directory.panes.iter().find(|(id, _)| u64::from(id.0) == pane);
        named.is_some_and(|(_, entry)| !entry.started && entry.exited.is_none())
    };
    let mut snapshots = context.hub.snapshots();
    let _ = timeout(START, snapshots.wait_for(|view| !is_starting(view))).await;
}

fn snapshot(params: Params, context: &Context) -> Result<Value, Failure> {
    params.finish()?;
    Ok(json!(context.tracker.snapshot(&context.hub)))
}

/// An action's fields.
fn fields(window: u32, tab: Option<usize>, pane: Option<u32>) -> Value {
    let mut fields = Map::new();
    fields.insert("window_id".to_owned(), json!(window));
    if let Some(tab) = tab {
        fields.insert("tab_index".to_owned(), json!(tab));
    }
    if let Some(pane) = pane {
        fields.insert("pane_id".to_owned(), json!(pane));
    }
    Value::Object(fields)
}

/// A param that is present but cannot be.
fn bad(field: &str, problem: &str) -> Failure {
    ParamError::new(field, problem).into()
}
