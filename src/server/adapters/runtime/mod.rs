//! The runtime protocol (`spec/runtime.md`): one decoded line in, one line out.
//!
//! Invariant: translation only. What a pane's state is, and how often it changed, is decided in
//! [`tracker`]; everything else is asked of the hub and of the terminals.

mod close;
mod error;
mod input;
mod layout;
mod projection;
mod target;
mod tracker;

use super::super::hub::{HubHandle, Snapshot};
use super::super::model::Outcome;
use crate::protocol::command::Command;
use crate::protocol::params::{ParamError, Params};
use crate::protocol::runtime::envelope::{self, Request};
use crate::protocol::runtime::error::{ErrorCode, Failure};
use crate::protocol::strict::Parsed;
use serde_json::{Map, Value, json};
use std::sync::Arc;
use std::time::Duration;
pub use tracker::Tracker;

/// How long the core may take (`runtime.md` section 11, `runtime_timeout`).
const ANSWER: Duration = Duration::from_secs(30);

/// What a method works with.
#[derive(Clone)]
struct Context {
    hub: HubHandle,
    tracker: Arc<Tracker>,
    home: String,
}

impl Context {
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
}

/// The line that answers a parsed line. `home`: where a window starts when nothing else is known.
pub async fn answer(parsed: Parsed, hub: HubHandle, tracker: Arc<Tracker>, home: String) -> Vec<u8> {
    match envelope::decode(parsed) {
        Ok(request) => {
            let id = request.id.clone();
            let outcome = run(request, Context { hub, tracker, home }).await;
            envelope::respond(&id, &outcome)
        }
        Err(refused) => envelope::respond(&refused.id, &Err(refused.failure)),
    }
}

/// The line for a request line over 128 KiB.
#[must_use]
pub fn too_large() -> Vec<u8> {
    let failure = Failure::new(ErrorCode::RequestTooLarge, "a request line has at most 131,072 bytes");
    envelope::respond("", &Err(failure))
}

async fn run(request: Request, context: Context) -> Result<Value, Failure> {
    let params = request.params;
    match request.method.as_str() {
        "runtime.snapshot" => snapshot(params, &context),
        "window.create" => layout::window_create(params, &context).await,
        "window.close" => close::window(params, &context).await,
        "window.focus" => layout::window_focus(params, &context).await,
        "tab.new" => layout::tab_new(params, &context).await,
        "tab.close" => close::tab(params, &context).await,
        "tab.rename" => layout::tab_rename(params, &context).await,
        "tab.move" => layout::tab_move(params, &context).await,
        "pane.split" => layout::pane_split(params, &context).await,
        "pane.close" => close::pane(params, &context).await,
        "pane.zoom" => layout::pane_zoom(params, &context).await,
        "pane.resize" => layout::pane_resize(params, &context).await,
        "pane.prompt" => input::prompt(params, &context),
        "pane.paste" => input::paste(params, &context),
        "pane.read" => input::read(params, &context).await,
        _ => Err(Failure::new(ErrorCode::MethodNotFound, "no such method in this build")),
    }
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
