//! Waits for a terminal's content (`uhp.md` sections 7.14, 7.15 and 15).

use super::super::{Context, error};
use super::terminal::locate;
use crate::protocol::params::{Params, number};
use crate::protocol::uhp::error::Failure;
use crate::protocol::uhp::terminal::{Wait, match_text};
use crate::server::hub::PaneEntry;
use crate::server::terminal::handle::{Gone, PaneHandle};
use crate::server::uhp::target;
use crate::server::wait::{Waited, until};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::Instant;

/// The longest and the usual wait of `wait.output`, in seconds.
const LONGEST_S: f64 = 3_600.0;
const USUAL_S: f64 = 30.0;

/// `wait_change`
pub async fn change(params: Params, context: Context) -> Result<Value, Failure> {
    let wait = Wait::change(params)?;
    let revision = newer(&context, &wait).await?;
    Ok(json!({"type": "terminal_backend_change", "content_revision": revision}))
}

/// `wait_output`
pub async fn output(params: Params, context: Context) -> Result<Value, Failure> {
    let wait = Wait::output(params)?;
    let revision = newer(&context, &wait).await?;
    Ok(json!({"type": "terminal_backend_output", "content_revision": revision}))
}

async fn newer(context: &Context, wait: &Wait) -> Result<u64, Failure> {
    let deadline = Instant::now() + Duration::from_millis(wait.timeout_ms);
    let entry = locate(context, &wait.locator)?;
    let waited = content(&entry, Some(wait.after_revision), wait.text.as_deref(), deadline).await;
    error::of_wait(waited)
}

/// `wait.output`: what stands there already counts.
pub async fn cli_output(mut params: Params, context: Context) -> Result<Value, Failure> {
    let pane = target::read_pane(&mut params, "pane")?;
    let text = match_text(&mut params)?;
    let seconds = params.nullable("timeout_s", number(0.0..=LONGEST_S))?.unwrap_or(USUAL_S);
    params.finish()?;
    let deadline = Instant::now() + Duration::from_secs_f64(seconds);
    let snapshot = context.snapshot();
    let pane = target::pane(&snapshot.scene, pane)?.id;
    let entry = context.terminal(&snapshot, pane)?;
    let revision = error::of_wait(content(&entry, None, Some(&text), deadline).await)?;
    Ok(
        json!({"type": "output_matched", "matched": true, "pane": pane.to_string(), "content_revision": revision}),
    )
}

/// Waits until content newer than `after` (if given) holds `text` (if given).
async fn content(entry: &PaneEntry, after: Option<u64>, text: Option<&str>, deadline: Instant) -> Waited {
    let handle = &entry.handle;
    let probe = |revision: u64| async move {
        if after.is_some_and(|after| revision <= after) {
            return Ok(false);
        }
        holds(handle, text).await
    };
    if entry.exited.is_some() {
        // Nothing will change any more: the last content decides.
        let revision = handle.ready().borrow().revision;
        return match probe(revision).await {
            Ok(true) => Waited::At(revision),
            Ok(false) | Err(Gone) => Waited::Gone,
        };
    }
    until(handle.ready(), deadline, probe).await
}

async fn holds(handle: &PaneHandle, text: Option<&str>) -> Result<bool, Gone> {
    match text {
        Some(text) => Ok(handle.contains(text).await?.0),
        None => Ok(true),
    }
}
