//! `capture` (`pane-backend.md` 4.4).

use super::dispatch::{Caller, Step};
use super::error::of_gone;
use super::list::Target;
use super::ready::LOOKS_APART;
use crate::protocol::limits::CAPTURE_BYTES;
use crate::protocol::pane_backend::error::{ErrorCode, Failure};
use crate::protocol::pane_backend::params::{context, milliseconds};
use crate::protocol::params::{Params, boolean, integer};
use crate::server::terminal::engine::{CaptureMode, CaptureRequest};
use crate::server::terminal::handle::PaneHandle;
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::{Instant, sleep_until, timeout_at};

/// Lines of one capture.
const LINES: u64 = 5_000;
/// How long one waits for newer output, usually.
const USUAL_MS: u64 = 5_000;

struct Wanted {
    target: Target,
    lines: Option<usize>,
    clean: bool,
    /// Whether it is told that something was cut.
    old: bool,
}

/// `capture`
pub async fn begin(mut params: Params, caller: &Caller) -> Result<Step, Failure> {
    let (number, context) = params.required("context_id", context)?;
    let lines = params.nullable("lines", integer(1..=LINES))?;
    let clean = params.nullable("clean", boolean)?.unwrap_or(false);
    let waits = params.nullable("wait_for_output", boolean)?.unwrap_or(false);
    let since = params.nullable("since_version", integer(0..=u64::MAX))?;
    let limit = params.nullable("timeout_ms", milliseconds)?.unwrap_or(USUAL_MS);
    let target = Target::find(number, context, caller)?;
    let lines = lines.and_then(|lines| usize::try_from(lines).ok());
    let wanted = Wanted { target, lines, clean, old: caller.old };
    if !waits {
        return Ok(wanted.take().await.map(|(result, _)| result).into());
    }
    let baseline = since.unwrap_or(wanted.target.entry.handle.written().borrow().version);
    let deadline = Instant::now() + Duration::from_millis(limit);
    Ok(Step::Beside(Box::pin(async move { wanted.newer(baseline, deadline).await })))
}

impl Wanted {
    /// Takes the text now; with its version.
    async fn take(&self) -> Result<(Value, u64), Failure> {
        let handle = &self.target.entry.handle;
        let (capture, version) = handle
            .capture_versioned(request(self.lines, self.clean, handle))
            .await
            .map_err(|gone| of_gone(gone, &self.target.context))?;
        let mut result =
            json!({"text": capture.text, "data_version": version, "context_id": self.target.context});
        if self.old {
            result["truncated"] = json!(capture.truncated);
        }
        Ok((result, version))
    }

    async fn newer(&self, baseline: u64, deadline: Instant) -> Result<Value, Failure> {
        let mut written = self.target.entry.handle.written();
        // A pane that is removed meanwhile has no other text to tell.
        let before = self.take().await?;
        // What was there before is no news: only the version counts.
        let over = loop {
            let now = *written.borrow_and_update();
            if now.version > baseline {
                match self.take().await {
                    Ok((result, _)) => return Ok(result),
                    Err(_) => break true,
                }
            }
            if now.over {
                break true;
            }
            match timeout_at(deadline, written.changed()).await {
                Ok(Ok(())) => {}
                Ok(Err(_)) => break true,
                Err(_) => break false,
            }
        };
        let (mut data, version) = self.take().await.unwrap_or(before);
        if version > baseline {
            return Ok(data);
        }
        let message = if over { "the pane's program has ended" } else { "no newer output in time" };
        if over {
            data["alive"] = json!(false);
        }
        Err(Failure::new(ErrorCode::CaptureTimeout, message).with(data))
    }
}

/// What to take of a pane: its screen, or so many lines from the bottom.
fn request(lines: Option<usize>, clean: bool, handle: &PaneHandle) -> CaptureRequest {
    let rows = usize::from(handle.size().rows);
    let lines = lines.unwrap_or(rows);
    let mode = if lines > rows { CaptureMode::Recent } else { CaptureMode::Visible };
    CaptureRequest { mode, lines, ansi: !clean, max_bytes: CAPTURE_BYTES, cursor: false }
}

/// The plain screen of a pane.
pub async fn screen(handle: &PaneHandle) -> Option<String> {
    handle.capture(request(None, true, handle)).await.ok().map(|capture| capture.text)
}

/// Waits for output after a look, but not chunk by chunk; whether the pane still lives.
pub async fn changed(
    written: &mut tokio::sync::watch::Receiver<crate::server::terminal::handle::Written>,
    looked: Instant,
) {
    if written.changed().await.is_err() {
        std::future::pending::<()>().await;
    }
    sleep_until(looked + LOOKS_APART).await;
}
