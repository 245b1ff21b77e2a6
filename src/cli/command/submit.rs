//! Giving panes and agents text, and waiting for the end of what it began: the baseline of a wait is
//! the counter in the answer to the submit, so that what was quiet before is not taken for its end.

use super::envelope;
use crate::cli::args::runtime::{AwaitArgs, EnvelopeArgs, SourceArgs, SubmitArgs, WaitState};
use crate::cli::context::Context;
use crate::cli::error::{CliError, Exit};
use crate::cli::refs::WindowRef;
use crate::cli::{output, runtime, wire};
use crate::protocol::ids::PaneId;
use crate::protocol::limits::RUNTIME_TEXT_BYTES;
use serde_json::{Map, Value, json};
use std::fs::File;
use std::io::{self, Read};
use std::time::Duration;

/// How much longer than the server's own time limit the answer of a wait may take.
const WAIT_SLACK: Duration = Duration::from_secs(5);

/// A pane that is meant.
#[derive(Debug, Clone, Copy)]
pub struct Place {
    /// Which.
    pub pane: PaneId,
    /// Its window, if it was given.
    pub window: Option<WindowRef>,
}

impl Place {
    /// The params that name it.
    #[must_use]
    pub fn params(self) -> Map<String, Value> {
        let mut params = Map::new();
        params.insert("pane_id".into(), self.pane.0.into());
        if let Some(WindowRef(window)) = self.window {
            params.insert("window_id".into(), window.into());
        }
        params
    }
}

/// What follows a text.
#[derive(Debug, Clone, Copy)]
pub struct Then {
    /// Whether Enter does.
    pub submit: bool,
    /// What is waited for after that, and how long.
    pub wait: Option<(WaitState, u64)>,
}

impl From<SubmitArgs> for Then {
    fn from(args: SubmitArgs) -> Self {
        let wait = args.wait.then_some((WaitState::Settled, args.wait_timeout_ms));
        Self { submit: !args.no_submit, wait }
    }
}

/// What to wait for.
#[derive(Debug, Clone, Copy)]
pub struct Awaited {
    /// The state.
    pub state: WaitState,
    /// Only changes after this one count.
    pub after_seq: Option<u64>,
    /// How long.
    pub timeout_ms: u64,
}

impl From<AwaitArgs> for Awaited {
    fn from(args: AwaitArgs) -> Self {
        Self { state: args.state, after_seq: args.after_seq, timeout_ms: args.wait_timeout_ms }
    }
}

/// The text of a source, as the protocol takes it.
///
/// # Errors
/// Wrong usage: it cannot be read, is not text, or is too long.
pub fn text_of(source: SourceArgs) -> Result<String, CliError> {
    let read = |input: &mut dyn Read| read_text(input).map_err(CliError::usage);
    match (source.text, source.from_file) {
        (Some(text), _) => Ok(text),
        (None, Some(path)) => {
            let unreadable =
                |error: io::Error| CliError::usage(format_args!("cannot read {}: {error}", path.display()));
            read(&mut File::open(&path).map_err(unreadable)?)
        }
        (None, None) => read(&mut io::stdin().lock()),
    }
}

/// Reads a bounded text, without one LF at its end.
fn read_text(input: &mut dyn Read) -> Result<String, String> {
    let mut bytes = Vec::new();
    // One for the LF that is taken off, one to notice that there is more.
    let limit = u64::try_from(RUNTIME_TEXT_BYTES).unwrap_or(u64::MAX).saturating_add(2);
    input.take(limit).read_to_end(&mut bytes).map_err(|error| format!("cannot read the text: {error}"))?;
    if bytes.last() == Some(&b'\n') {
        bytes.pop();
    }
    if bytes.len() > RUNTIME_TEXT_BYTES {
        return Err(format!("the text has more than {RUNTIME_TEXT_BYTES} bytes; nothing was sent"));
    }
    String::from_utf8(bytes).map_err(|_| "the text is not UTF-8; nothing was sent".to_owned())
}

/// Gives a pane text, and waits if that is wanted.
///
/// # Errors
/// When the outcome cannot be printed.
pub fn to_pane(
    context: &Context,
    method: &str,
    place: Place,
    text: String,
    then: Then,
    flags: EnvelopeArgs,
) -> Result<Exit, CliError> {
    let mut params = place.params();
    params.insert("text".into(), text.into());
    params.insert("submit".into(), then.submit.into());
    let submitted = envelope::request(context, method, Value::Object(params), flags);
    let Some((state, timeout_ms)) = then.wait.filter(|_| submitted["ok"] == true) else {
        return output::envelope(&submitted, flags.pretty);
    };
    let pane = u64::from(place.pane.0);
    let Some(baseline) = baseline(&submitted, pane) else {
        return output::envelope(&no_baseline(), flags.pretty);
    };
    let awaited = Awaited { state, after_seq: Some(baseline), timeout_ms };
    let outcome = waited(context, "pane.wait", place.params(), awaited);
    let submission = json!({"state_change_seq": baseline});
    output::envelope(&with_submission(outcome, submission), flags.pretty)
}

/// Gives an agent text, and waits if that is wanted. The generation is that of the answer.
///
/// # Errors
/// When the outcome cannot be printed.
pub fn to_agent(
    context: &Context,
    method: &str,
    agent: Map<String, Value>,
    text: String,
    then: Then,
    flags: EnvelopeArgs,
) -> Result<Exit, CliError> {
    let mut params = agent.clone();
    params.insert("text".into(), text.into());
    params.insert("submit".into(), then.submit.into());
    let submitted = envelope::request(context, method, Value::Object(params), flags);
    let Some((state, timeout_ms)) = then.wait.filter(|_| submitted["ok"] == true) else {
        return output::envelope(&submitted, flags.pretty);
    };
    let record = &submitted["result"]["agent"];
    let found = record["pane_id"].as_u64().and_then(|pane| baseline(&submitted, pane));
    let (Some(baseline), Some(generation)) = (found, record["generation"].as_u64()) else {
        return output::envelope(&no_baseline(), flags.pretty);
    };
    let mut params = agent;
    params.insert("generation".into(), generation.into());
    let awaited = Awaited { state, after_seq: Some(baseline), timeout_ms };
    let outcome = waited(context, "agent.wait", params, awaited);
    let submission = json!({"state_change_seq": baseline, "generation": generation});
    output::envelope(&with_submission(outcome, submission), flags.pretty)
}

/// Waits and prints the envelope.
///
/// # Errors
/// When it cannot be printed.
pub fn wait(
    context: &Context,
    method: &str,
    params: Map<String, Value>,
    awaited: Awaited,
    pretty: bool,
) -> Result<Exit, CliError> {
    output::envelope(&waited(context, method, params, awaited), pretty)
}

fn waited(context: &Context, method: &str, mut params: Map<String, Value>, awaited: Awaited) -> Value {
    params.insert("state".into(), awaited.state.as_str().into());
    params.insert("timeout_ms".into(), awaited.timeout_ms.into());
    if let Some(after) = awaited.after_seq {
        params.insert("after_seq".into(), after.into());
    }
    let deadline = Duration::from_millis(awaited.timeout_ms).saturating_add(WAIT_SLACK);
    runtime::call(context, method, Value::Object(params), deadline)
}

/// Calls a method whose answer takes up to `timeout_ms`.
#[must_use]
pub fn patiently(context: &Context, method: &str, params: Map<String, Value>, timeout_ms: u64) -> Value {
    let deadline = Duration::from_millis(timeout_ms).saturating_add(WAIT_SLACK);
    runtime::call(context, method, Value::Object(params), deadline)
}

/// Runs a program beside a pane; its success is that of the command.
///
/// # Errors
/// When the outcome cannot be printed.
pub fn exec(
    context: &Context,
    mut params: Map<String, Value>,
    argv: Vec<String>,
    timeout_ms: u64,
    max_output_bytes: Option<u64>,
    pretty: bool,
) -> Result<Exit, CliError> {
    params.insert("argv".into(), argv.into());
    params.insert("timeout_ms".into(), timeout_ms.into());
    if let Some(most) = max_output_bytes {
        params.insert("max_output_bytes".into(), most.into());
    }
    let envelope = patiently(context, "pane.exec", params, timeout_ms);
    let exit = output::envelope(&envelope, pretty)?;
    Ok(if exit == Exit::Ok && envelope["result"]["success"] != true { Exit::Failed } else { exit })
}

/// The counter of a pane in the answer to a submit.
fn baseline(submitted: &Value, pane: u64) -> Option<u64> {
    let windows = submitted["result"]["snapshot"]["windows"].as_array()?;
    let tabs = windows.iter().filter_map(|window| window["tabs"].as_array()).flatten();
    let mut panes = tabs.filter_map(|tab| tab["panes"].as_array()).flatten();
    panes.find(|row| row["id"] == pane)?["state_change_seq"].as_u64().filter(|seq| *seq >= 1)
}

fn no_baseline() -> Value {
    let message = "the answer to the submit has no counter to wait from; the text was sent";
    wire::envelope(Err(("invalid_response", message.to_owned())))
}

fn with_submission(mut envelope: Value, submission: Value) -> Value {
    if envelope["result"].is_object() {
        envelope["result"]["submission"] = submission;
    }
    envelope
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_bounded_utf8_without_their_last_line_end() {
        assert_eq!(read_text(&mut &b"a\nb\n"[..]).as_deref(), Ok("a\nb"));
        assert_eq!(read_text(&mut &b"a\n\n"[..]).as_deref(), Ok("a\n"));
        let longest = [vec![b'x'; RUNTIME_TEXT_BYTES], b"\n".to_vec()].concat();
        assert_eq!(read_text(&mut longest.as_slice()).map(|text| text.len()), Ok(RUNTIME_TEXT_BYTES));
        assert!(read_text(&mut vec![b'x'; RUNTIME_TEXT_BYTES + 1].as_slice()).is_err());
        assert!(read_text(&mut &b"\xff"[..]).is_err());
    }

    #[test]
    fn the_baseline_is_the_counter_of_that_pane() {
        let panes = json!([{"id": 3, "state_change_seq": 7}, {"id": 4, "state_change_seq": 0}]);
        let answer = json!({"result": {"snapshot": {"windows": [{"tabs": [{"panes": panes}]}]}}});
        assert_eq!(baseline(&answer, 3), Some(7));
        assert_eq!(baseline(&answer, 4), None);
        assert_eq!(baseline(&answer, 5), None);
    }
}
