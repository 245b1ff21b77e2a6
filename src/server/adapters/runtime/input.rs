//! Into a pane and out of it (`runtime.md` sections 7.4 and 7.5).

use super::{Context, bad, error, fields, target};
use crate::protocol::limits::{RUNTIME_READ_BYTES, RUNTIME_READ_LINES, RUNTIME_TEXT_BYTES};
use crate::protocol::params::{ParamError, Params, boolean, integer, text};
use crate::protocol::runtime::error::{ErrorCode, Failure};
use crate::protocol::scene::{ExitStatus, PaneScene};
use crate::server::hub::PaneEntry;
use crate::server::terminal::engine::{CaptureMode, CaptureRequest, Modes};
use crate::server::terminal::handle::{Gone, InputError};
use serde_json::{Value, json};

/// Lines of a read when the request does not say how many.
const USUAL_LINES: u64 = 120;

struct Input {
    window: Option<u64>,
    pane: u64,
    text: String,
    submit: bool,
}

impl Input {
    fn read(mut params: Params, allowed: &str) -> Result<Self, Failure> {
        let input = Self {
            window: target::read_window(&mut params)?,
            pane: target::require_pane(&mut params)?,
            text: params.required("text", text(1..=RUNTIME_TEXT_BYTES))?,
            submit: params.optional("submit", boolean)?.unwrap_or(true),
        };
        params.finish()?;
        refuse_controls("text", &input.text, allowed)?;
        Ok(input)
    }
}

/// Refuses control characters: C0, DEL and C1, but for those that are allowed.
pub fn refuse_controls(field: &str, text: &str, allowed: &str) -> Result<(), Failure> {
    if text.chars().any(|character| character.is_control() && !allowed.contains(character)) {
        return Err(bad(field, "has control characters that are not allowed here"));
    }
    Ok(())
}

/// `pane.prompt`
pub fn prompt(params: Params, context: &Context) -> Result<Value, Failure> {
    let input = Input::read(params, "")?;
    let (pane, entry) = running(context, input.window, input.pane)?;
    queue(context, "pane.prompt", &input, &pane, &entry, || match input.submit {
        true => entry.handle.enter(&input.text),
        false => entry.handle.text(&input.text),
    })
}

/// `pane.paste`
pub fn paste(params: Params, context: &Context) -> Result<Value, Failure> {
    let input = Input::read(params, "\t\n\r")?;
    let (pane, entry) = running(context, input.window, input.pane)?;
    require_bracketed(&entry)?;
    queue(context, "pane.paste", &input, &pane, &entry, || match input.submit {
        true => entry.handle.submit(&input.text),
        false => entry.handle.paste(&input.text),
    })
}

/// Refuses to paste where the lines of a text would be entered one by one.
pub fn require_bracketed(entry: &PaneEntry) -> Result<(), Failure> {
    if entry.handle.modes().contains(Modes::BRACKETED_PASTE) {
        return Ok(());
    }
    Err(Failure::new(ErrorCode::UnsafeInputMode, "the program has not asked for bracketed paste"))
}

/// Queues the text, with Enter in the same action if it is submitted.
fn queue(
    context: &Context,
    kind: &str,
    input: &Input,
    pane: &PaneScene,
    entry: &PaneEntry,
    push: impl FnOnce() -> Result<(), InputError>,
) -> Result<Value, Failure> {
    let queued = context.tracker.queue(&context.hub, &entry.handle, input.submit, push);
    queued.map_err(error::of_submit)?;
    let scene = context.hub.snapshot().scene;
    let mut action = fields(pane.workspace.0, target::tab_index(&scene, pane.id), Some(pane.id.0));
    action["submitted"] = json!(input.submit);
    action["bytes"] = json!(input.text.len());
    Ok(context.action(kind, action))
}

/// A pane whose child runs.
pub fn running(context: &Context, window: Option<u64>, pane: u64) -> Result<(PaneScene, PaneEntry), Failure> {
    let found = find(context, window, pane)?;
    match found.1.exited {
        Some(_) => Err(error::of_input(InputError::Closed)),
        None => Ok(found),
    }
}

fn find(context: &Context, window: Option<u64>, pane: u64) -> Result<(PaneScene, PaneEntry), Failure> {
    let view = context.hub.snapshot();
    let pane = target::pane(&view.scene, window, pane)?;
    match view.directory.panes.get(&pane.id) {
        Some(entry) if entry.started => Ok((pane.clone(), entry.clone())),
        _ => Err(Failure::new(ErrorCode::InvalidState, "the pane's terminal has not started yet")),
    }
}

/// `pane.read`
pub async fn read(mut params: Params, context: &Context) -> Result<Value, Failure> {
    let window = target::read_window(&mut params)?;
    let pane = target::require_pane(&mut params)?;
    let lines = read_lines(&mut params)?;
    params.finish()?;
    let (pane, entry) = find(context, window, pane)?;
    let request = CaptureRequest {
        mode: CaptureMode::RecentUnwrapped,
        lines: usize::try_from(lines).unwrap_or(usize::MAX),
        ansi: false,
        max_bytes: RUNTIME_READ_BYTES,
        cursor: false,
    };
    let capture = entry
        .handle
        .capture(request)
        .await
        .map_err(|Gone| Failure::new(ErrorCode::TargetNotFound, "the pane has just been closed"))?;
    let present = context.tracker.snapshot(&context.hub);
    let state = present.pane(pane.id.0).map(|(_, row)| row.task_state);
    let mut result = json!({
        "window_id": pane.workspace.0,
        "pane_id": pane.id.0,
        "text": capture.text,
        "requested_lines": lines,
        "returned_lines": capture.lines,
        "history_available": capture.history_rows,
        "truncated": capture.truncated,
        "task_state": state.unwrap_or_else(|| super::projection::task_state(&pane)),
        "exited": entry.exited.is_some(),
    });
    if let Some(status) = &entry.exited {
        result["exit_reason"] = json!(exit_reason(status));
    }
    Ok(result)
}

/// `lines`
pub fn read_lines(params: &mut Params) -> Result<u64, ParamError> {
    Ok(params.optional("lines", integer(1..=RUNTIME_READ_LINES))?.unwrap_or(USUAL_LINES))
}

fn exit_reason(status: &ExitStatus) -> String {
    match (&status.signal, status.code) {
        (Some(signal), _) => format!("signal:{signal}"),
        (None, Some(code)) => format!("exit:{code}"),
        (None, None) => "unknown".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::params::object;

    fn read(text: &str, allowed: &str) -> Result<Input, Failure> {
        Input::read(object(json!({"pane_id": 1, "text": text})).unwrap(), allowed)
    }

    #[test]
    fn a_prompt_is_one_line_of_plain_text() {
        assert!(read("cargo test é", "").is_ok_and(|input| input.submit));
        for bad in ["", "a\nb", "a\rb", "a\tb", "\u{1b}[A", "\u{7f}", "\u{9b}", "\u{0}"] {
            assert_eq!(
                read(bad, "").err().map(|failure| failure.code),
                Some(ErrorCode::InvalidParams),
                "{bad:?}"
            );
        }
        assert!(read(&"é".repeat(RUNTIME_TEXT_BYTES / 2), "").is_ok());
        assert!(read(&"é".repeat(RUNTIME_TEXT_BYTES / 2 + 1), "").is_err());
    }

    #[test]
    fn a_paste_keeps_its_lines_but_no_other_control() {
        assert!(read("a\n\tb\r", "\t\n\r").is_ok());
        assert!(read("a\u{1b}[201~", "\t\n\r").is_err());
    }

    #[test]
    fn exits_are_named() {
        let status = |code, signal: Option<&str>| ExitStatus { code, signal: signal.map(str::to_owned) };
        assert_eq!(exit_reason(&status(Some(137), None)), "exit:137");
        assert_eq!(exit_reason(&status(None, Some("SIGKILL"))), "signal:SIGKILL");
    }
}
