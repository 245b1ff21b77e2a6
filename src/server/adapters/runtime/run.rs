//! `pane.run` (`runtime.md` section 7.7): a command at the shell's prompt, with the exit code that the
//! shell tells.
//!
//! Invariant: a status that was not told is never reported, least of all as 0; the run goes on and is
//! recorded also when nobody waits for it any more.

use super::tracker::Tracker;
use super::{Context, error, fields, input, target};
use crate::protocol::ids::PaneId;
use crate::protocol::limits::{RUNTIME_TEXT_BYTES, RUNTIME_WAIT_MS};
use crate::protocol::params::{Params, boolean, integer, text};
use crate::protocol::runtime::error::{ErrorCode, Failure};
use crate::server::hub::{HubHandle, Snapshot};
use crate::server::terminal::commands::{Ending, Run, RunError};
use crate::server::terminal::handle::{Gone, PaneHandle};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::time::timeout;

/// How long the shell may take to say that a command has begun.
const START: Duration = Duration::from_secs(3);
/// How long a run is waited for when the request does not say.
const USUAL_MS: u64 = 30_000;

/// How long the session may take to show that a command is in front no more.
const SHOWN_WITHIN: Duration = Duration::from_millis(500);

/// What is to be run.
#[derive(Debug, Clone)]
pub struct Wanted {
    /// The command.
    pub command: String,
    /// Whether its end is waited for.
    pub wait: bool,
    /// How long.
    pub timeout: Duration,
}

impl Wanted {
    /// Reads `command`, `wait` and `timeout_ms`.
    pub fn read(params: &mut Params) -> Result<Self, Failure> {
        let command = params.required("command", text(1..=RUNTIME_TEXT_BYTES))?;
        let wait = params.optional("wait", boolean)?.unwrap_or(true);
        let timeout_ms = params.optional("timeout_ms", integer(1..=RUNTIME_WAIT_MS))?.unwrap_or(USUAL_MS);
        input::refuse_controls("command", &command, "")?;
        Ok(Self { command, wait, timeout: Duration::from_millis(timeout_ms) })
    }
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Exited(i32),
    NotStarted,
    Unreported,
    Aborted,
}

/// `pane.run`
pub async fn run(mut params: Params, context: &Context) -> Result<Value, Failure> {
    let window = target::read_window(&mut params)?;
    let pane = target::require_pane(&mut params)?;
    let wanted = Wanted::read(&mut params)?;
    params.finish()?;
    carry_out(context, window, pane, &wanted).await
}

/// Runs a command in a pane.
pub async fn carry_out(
    context: &Context,
    window: Option<u64>,
    pane: u64,
    wanted: &Wanted,
) -> Result<Value, Failure> {
    let (pane, entry) = input::running(context, window, pane)?;
    let (handle, id) = (entry.handle, pane.id);
    let pending = || error::of_submit(super::tracker::SubmitError::InProgress);
    let number = context.tracker.runs(|runs| runs.begin(id)).ok_or_else(pending)?;
    let submitted = match handle.run(&wanted.command).await {
        Ok(submitted) => submitted,
        Err(error) => {
            context.tracker.runs(|runs| runs.withdraw(id, number));
            return Err(not_submitted(error));
        }
    };
    // In the same turn: nobody else has looked since. What is queued behind it need not wait for it.
    let _ = context.tracker.queue(&context.hub, &handle, true, || Ok(()));
    let (tell, told) = oneshot::channel();
    tokio::spawn(follow(submitted, Arc::clone(&context.tracker), id, number, tell));
    if !wanted.wait {
        let scene = context.hub.snapshot().scene;
        let mut action = fields(pane.workspace.0, target::tab_index(&scene, id), Some(id.0));
        action["run_id"] = json!(number);
        action["phase"] = json!("submitted");
        return Ok(context.action("pane.run", action));
    }
    match timeout(wanted.timeout, told).await {
        Ok(Ok(End::Exited(code))) => {
            // Who is told of the end finds it counted.
            let _ = timeout(2 * SHOWN_WITHIN, context.tracker.settled(id)).await;
            Ok(json!({
                "window_id": pane.workspace.0,
                "pane_id": id.0,
                "run_id": number,
                "state": if code == 0 { "finished" } else { "failed" },
                "exit_code": code,
                "exit_code_capability": "supported",
            }))
        }
        Ok(Ok(end)) => Err(ended(context, id, number, end)),
        Ok(Err(_)) => Err(Failure::new(ErrorCode::RuntimeUnavailable, "the server is stopping")),
        Err(_) => {
            let phase = context.tracker.runs(|runs| runs.active(id)).map(|active| active.phase);
            let failure = Failure::new(ErrorCode::Timeout, "the command still runs");
            Err(failure.with(json!({"run_id": number, "phase": phase})))
        }
    }
}

/// Waits until the session shows that nothing but the shell is in front, as it is after most commands: who is
/// told of the end finds the pane idle, and no agent in it that has gone.
pub async fn shown(hub: &HubHandle, handle: &PaneHandle) {
    if handle.is_busy() {
        return;
    }
    let pane = handle.pane();
    let is_shown = |view: &Snapshot| {
        let agent = view.agents.get(&pane).is_some_and(|agent| agent.identity.is_some());
        !agent && view.scene.pane(pane).is_none_or(|pane| !pane.busy)
    };
    let mut snapshots = hub.snapshots();
    let _ = timeout(SHOWN_WITHIN, snapshots.wait_for(is_shown)).await;
}

fn not_submitted(error: RunError) -> Failure {
    match error {
        RunError::Unmarked => {
            let message = "the pane's shell does not tell how its commands end; nothing was typed";
            Failure::new(ErrorCode::ExitCodeUnavailable, message)
                .with(json!({"reason": "shell_integration_not_observed"}))
        }
        RunError::NotAtPrompt => Failure::new(ErrorCode::InvalidState, error.to_string()),
        RunError::Pending => error::of_submit(super::tracker::SubmitError::InProgress),
        RunError::Input(error) => error::of_input(error),
    }
}

/// Follows a run to its end, and records it.
async fn follow(mut run: Run, tracker: Arc<Tracker>, pane: PaneId, number: u64, tell: oneshot::Sender<End>) {
    let end = match timeout(START, run.started()).await {
        Err(_) => End::NotStarted,
        Ok(Err(Gone)) => End::Aborted,
        Ok(Ok(())) => {
            tracker.runs(|runs| runs.started(pane, number));
            match run.ended().await {
                Ok(Ending::Exited(code)) => End::Exited(code),
                Ok(Ending::Unreported) => End::Unreported,
                Err(Gone) => End::Aborted,
            }
        }
    };
    tracker.runs(|runs| match end {
        End::Exited(code) => runs.ended(pane, number, Ok(i64::from(code))),
        End::NotStarted => runs.ended(pane, number, Err("command_start_not_observed")),
        End::Unreported => runs.ended(pane, number, Err("exit_code_not_reported")),
        End::Aborted => runs.withdraw(pane, number),
    });
    // Whoever asked may have left.
    let _ = tell.send(end);
}

fn ended(context: &Context, pane: PaneId, number: u64, end: End) -> Failure {
    match end {
        End::NotStarted => {
            Failure::new(ErrorCode::RunStartTimeout, "the shell did not say that the command has begun")
                .with(json!({"run_id": number, "reason": "command_start_not_observed"}))
        }
        End::Exited(_) | End::Unreported => {
            Failure::new(ErrorCode::ExitCodeUnavailable, "the shell did not say how the command ended")
                .with(json!({"run_id": number, "reason": "exit_code_not_reported"}))
        }
        End::Aborted => {
            let view = context.hub.snapshot();
            let gone = super::wait::gone(&view, pane);
            let event = if gone.code == ErrorCode::PaneExited { "exited" } else { "closed" };
            Failure::new(ErrorCode::RunAborted, "the pane went before the command ended")
                .with(json!({"run_id": number, "event": event}))
        }
    }
}
