//! `terminal.backend.*` but for creating and waiting (`uhp.md` sections 6 and 7).

use super::super::{Context, error};
use super::nothing;
use super::rows::{self, Live};
use crate::protocol::command::{ClosePolicy, Command};
use crate::protocol::limits;
use crate::protocol::params::{ParamError, Params, integer, word};
use crate::protocol::uhp::error::{ErrorCode, Failure};
use crate::protocol::uhp::locator::{Locator, Present};
use crate::protocol::uhp::terminal::{self as wire, Input, Mode, SendKey};
use crate::server::hub::{PaneEntry, Snapshot};
use crate::server::terminal::engine::{Capture, CaptureMode, CaptureRequest};
use crate::server::terminal::handle::{InputError, PaneHandle};
use crate::server::uhp::target;
use serde::Serialize;
use serde_json::{Value, json};

/// Lines that are read of a pane or an agent, usually and at most.
const USUAL_LINES: usize = 120;
const MOST_LINES: u64 = 2_000;

/// Room in a frame for what stands around a capture's text or an inventory's entries.
const AROUND_BYTES: usize = 1_024;
/// What an entry of an inventory takes, as a rule.
const ENTRY_BYTES: usize = 512;

/// The terminal that a locator names, after every check of `uhp.md` section 4.
pub fn locate(context: &Context, locator: &Locator) -> Result<PaneEntry, Failure> {
    locator.check_generation(context.hub.generation())?;
    let entry = context.hub.terminal(locator.terminal);
    locator.check(entry.as_ref().map(present).as_ref())?;
    entry.ok_or_else(|| Failure::new(ErrorCode::StaleTerminal, "no such terminal"))
}

fn present(entry: &PaneEntry) -> Present {
    let root = entry.handle.root().filter(|_| entry.started);
    Present { pane: entry.handle.pane(), root: root.map(|root| (root.pid, root.start_marker)) }
}

/// `inventory`
pub fn inventory(params: Params, context: &Context) -> Result<Vec<u8>, Failure> {
    nothing(params)?;
    Ok(list(context, "terminal_backend_inventory", false))
}

/// `snapshot`
pub fn snapshot(params: Params, context: &Context) -> Result<Vec<u8>, Failure> {
    nothing(params)?;
    Ok(list(context, "terminal_backend_snapshot", true))
}

/// All terminals as JSON; `fenced`: with the number of the last event that they reflect. Written in one go:
/// programs ask for it often.
fn list(context: &Context, kind: &str, fenced: bool) -> Vec<u8> {
    let (snapshot, revisions) = context.hub.snapshot_with_revisions();
    let scene = &snapshot.scene;
    let tabs = target::tabs_by_id(scene);
    let entries = scene.panes.iter().filter_map(|pane| {
        let live = rows::live_at(&snapshot, &revisions, pane.id)?;
        Some(rows::inventory_entry(tabs.get(&pane.tab)?, pane, live))
    });
    let generation = context.hub.generation();
    let mut text = Vec::with_capacity(AROUND_BYTES + ENTRY_BYTES * scene.panes.len());
    text.extend_from_slice(
        format!("{{\"type\":\"{kind}\",\"server_generation\":\"{generation}\",\"terminals\":[").as_bytes(),
    );
    let truncated = append_fitting(&mut text, entries);
    let fence = if fenced { format!(",\"event_sequence\":{}", snapshot.sequence) } else { String::new() };
    text.extend_from_slice(format!("],\"truncated\":{truncated}{fence}}}").as_bytes());
    text
}

/// Appends as many entries as may stand in one frame, divided by commas; whether some had to be left out.
fn append_fitting(text: &mut Vec<u8>, entries: impl Iterator<Item = impl Serialize>) -> bool {
    let room = text.len() + limits::UHP_FRAME_BYTES - AROUND_BYTES;
    for (count, entry) in entries.enumerate() {
        let before = text.len();
        if count > 0 {
            text.push(b',');
        }
        let fits = count < limits::TERMINALS && serde_json::to_writer(&mut *text, &entry).is_ok();
        if !fits || text.len() > room {
            text.truncate(before);
            return true;
        }
    }
    false
}

/// `capture`
pub async fn capture(params: Params, context: Context) -> Result<Value, Failure> {
    let wanted = wire::Capture::read(params)?;
    let entry = locate(&context, &wanted.locator)?;
    let request = CaptureRequest {
        mode: capture_mode(wanted.mode),
        lines: wanted.lines,
        ansi: wanted.ansi,
        max_bytes: limits::CAPTURE_BYTES,
        cursor: false,
    };
    let capture = take(&entry.handle, request).await?;
    Ok(json!({
        "type": "terminal_backend_capture",
        "mode": wanted.mode.as_str(),
        "ansi": wanted.ansi,
        "bytes": capture.text.len(),
        "lines": capture.lines,
        "truncated": capture.truncated,
        "content_revision": capture.revision,
        "text": capture.text,
    }))
}

/// The engine's name for a mode.
pub fn capture_mode(mode: Mode) -> CaptureMode {
    match mode {
        Mode::Visible => CaptureMode::Visible,
        Mode::RecentUnwrapped => CaptureMode::RecentUnwrapped,
        Mode::Detection => CaptureMode::Detection,
    }
}

/// What `pane.read` and `agent.read` ask for: `lines` and `source`, null or missing for the usual.
pub fn what_to_read(params: &mut Params) -> Result<CaptureRequest, ParamError> {
    const SOURCES: &[(&str, CaptureMode)] =
        &[("recent", CaptureMode::RecentUnwrapped), ("visible", CaptureMode::Visible)];
    let lines = params.nullable("lines", integer(1..=MOST_LINES))?;
    let source = params.nullable("source", word(SOURCES))?;
    Ok(CaptureRequest {
        mode: source.unwrap_or(CaptureMode::RecentUnwrapped),
        lines: lines.and_then(|lines| usize::try_from(lines).ok()).unwrap_or(USUAL_LINES),
        ansi: false,
        max_bytes: limits::CAPTURE_BYTES,
        cursor: false,
    })
}

/// A capture that fits into a frame: escaping can make styled text six times as long, then older
/// lines are given up.
pub async fn take(handle: &PaneHandle, mut request: CaptureRequest) -> Result<Capture, Failure> {
    loop {
        let capture = handle.capture(request).await.map_err(error::gone)?;
        if escaped_bytes(&capture.text) + AROUND_BYTES <= limits::UHP_FRAME_BYTES {
            return Ok(capture);
        }
        if request.max_bytes <= AROUND_BYTES {
            return Err(Failure::new(ErrorCode::CaptureTooLarge, "the capture does not fit into a frame"));
        }
        request.max_bytes /= 2;
    }
}

/// Bytes of a text as JSON writes it, quotes included.
fn escaped_bytes(text: &str) -> usize {
    let escaped = |byte: u8| match byte {
        b'"' | b'\\' | b'\n' | b'\r' | b'\t' | 0x08 | 0x0c => 2,
        0..=0x1f => 6,
        _ => 1,
    };
    text.bytes().map(escaped).sum::<usize>() + 2
}

/// `type_literal`
pub async fn type_literal(params: Params, context: Context) -> Result<Value, Failure> {
    queue(params, &context, PaneHandle::text)
}

/// `paste_text`
pub async fn paste_text(params: Params, context: Context) -> Result<Value, Failure> {
    queue(params, &context, PaneHandle::paste)
}

/// `submit_text`
pub async fn submit_text(params: Params, context: Context) -> Result<Value, Failure> {
    queue(params, &context, PaneHandle::submit)
}

/// `send_key`
pub async fn send_key(params: Params, context: Context) -> Result<Value, Failure> {
    let SendKey { locator, key: (code, modifiers) } = SendKey::read(params)?;
    let entry = locate(&context, &locator)?;
    send(&entry, |handle| handle.tap(code, modifiers))?;
    Ok(queued())
}

fn queue(
    params: Params,
    context: &Context,
    action: impl Fn(&PaneHandle, &str) -> Result<(), InputError>,
) -> Result<Value, Failure> {
    let input = Input::read(params)?;
    let entry = locate(context, &input.locator)?;
    send(&entry, |handle| action(handle, &input.text))?;
    Ok(queued())
}

/// Queues input for a terminal whose child still runs.
pub fn send(
    entry: &PaneEntry,
    action: impl FnOnce(&PaneHandle) -> Result<(), InputError>,
) -> Result<(), Failure> {
    if entry.exited.is_some() {
        return Err(error::of_input(InputError::Closed));
    }
    action(&entry.handle).map_err(error::of_input)
}

/// The result of input: it waits for the child.
pub fn queued() -> Value {
    action_result("queued")
}

/// The result of what has been done.
pub fn executed() -> Value {
    action_result("executed")
}

fn action_result(dispatch: &str) -> Value {
    json!({"type": "terminal_backend_action", "state": "succeeded", "dispatch": dispatch})
}

/// `close`
pub async fn close(params: Params, context: Context) -> Result<Value, Failure> {
    let entry = locate(&context, &wire::locator(params)?)?;
    let command = Command::ClosePane { pane: Some(entry.handle.pane()), policy: ClosePolicy::Force };
    context.hub.command(command).await.map_err(|error| error::of_close(&error))?;
    Ok(executed())
}

/// Where a new terminal has come to stand: its pane's place, and what it tells.
pub fn standing(snapshot: &Snapshot, entry: &PaneEntry) -> Option<(usize, usize, Live)> {
    let pane = snapshot.scene.pane(entry.handle.pane())?;
    let tab = target::tab_with_id(&snapshot.scene, pane.tab)?;
    Some((tab.workspace.index + 1, tab.place(), Live::of(entry)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_inventory_leaves_out_what_does_not_fit() {
        let entry = |bytes: usize| json!({"cwd": "x".repeat(bytes)});
        let list = |count: usize, bytes: usize| {
            let mut text = b"[".to_vec();
            let truncated = append_fitting(&mut text, (0..count).map(|_| entry(bytes)));
            text.push(b']');
            let entries: Vec<Value> = serde_json::from_slice(&text).unwrap();
            (entries.len(), truncated)
        };
        assert_eq!(list(0, 10), (0, false));
        assert_eq!(list(3, 10), (3, false));
        assert_eq!(list(3, 400_000), (2, true));
        assert_eq!(list(1_100, 1), (1_024, true));
    }

    proptest! {
        #[test]
        fn escaped_bytes_are_those_of_the_writer(text in "\\PC{0,20}|[\\x00-\\x7f]{0,40}") {
            prop_assert_eq!(escaped_bytes(&text), serde_json::to_string(&text).unwrap().len());
        }
    }
}
