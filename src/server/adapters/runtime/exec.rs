//! `pane.exec` (`runtime.md` section 7.8): a program beside a pane, in its folder and with its
//! environment, that nobody sees there.

use super::{Context, fields, input, target};
use crate::protocol::limits::{RUNTIME_EXEC_BYTES, RUNTIME_RESPONSE_BYTES, RUNTIME_WAIT_MS};
use crate::protocol::params::{Params, integer};
use crate::protocol::runtime::error::{ErrorCode, Failure};
use crate::server::exec::{Done, End, ExecError, Job, Output};
use crate::server::folder;
use serde_json::{Value, json};
use std::time::Duration;

/// Arguments, the program included, and the bytes of all of them.
const ARGUMENTS: usize = 256;
const ARGUMENT_BYTES: usize = 32_768;
/// What is kept of each stream, and how long it may take, when the request does not say.
const USUAL_BYTES: u64 = 1_048_576;
const USUAL_MS: u64 = 30_000;
/// Both streams' texts as JSON: they and the rest fit into a response.
const TEXT_BYTES: usize = RUNTIME_RESPONSE_BYTES - 32_768;

/// `pane.exec`
pub async fn exec(mut params: Params, context: &Context) -> Result<Value, Failure> {
    let window = target::read_window(&mut params)?;
    let pane = target::require_pane(&mut params)?;
    let argv = params.required("argv", arguments)?;
    let timeout_ms = params.optional("timeout_ms", integer(1..=RUNTIME_WAIT_MS))?.unwrap_or(USUAL_MS);
    let most = params.optional("max_output_bytes", integer(1..=RUNTIME_EXEC_BYTES))?.unwrap_or(USUAL_BYTES);
    params.finish()?;
    let (pane, entry) = input::running(context, window, pane)?;
    let cwd = entry.handle.cwd();
    if !folder::exists(&cwd.to_string_lossy()).await {
        return Err(Failure::new(ErrorCode::InvalidState, "the pane's folder is not known or is gone"));
    }
    let job = Job {
        argv,
        cwd: cwd.clone(),
        env: entry.handle.environment().to_vec(),
        stdin: None,
        output_bytes: usize::try_from(most).unwrap_or(usize::MAX),
        deadline: Some(Duration::from_millis(timeout_ms)),
    };
    let done = context.hub.executor().run(job).await.map_err(|error| failed(&error))?;
    let mut result = fields(pane.workspace.0, None, Some(pane.id.0));
    result["cwd"] = json!(cwd.to_string_lossy());
    report(&mut result, &done);
    Ok(result)
}

fn arguments(value: Value) -> Result<Vec<String>, String> {
    let expected = || format!("expected a program and its arguments: 1 to {ARGUMENTS} texts without NUL");
    let Value::Array(items) = value else { return Err(expected()) };
    let argv: Option<Vec<String>> = items.iter().map(|item| item.as_str().map(str::to_owned)).collect();
    let argv = argv.filter(|argv| (1..=ARGUMENTS).contains(&argv.len()) && !argv[0].is_empty());
    let argv =
        argv.filter(|argv| argv.iter().all(|argument| !argument.contains('\0'))).ok_or_else(expected)?;
    if argv.iter().map(String::len).sum::<usize>() > ARGUMENT_BYTES {
        return Err(format!("expected at most {ARGUMENT_BYTES} bytes"));
    }
    Ok(argv)
}

fn failed(error: &ExecError) -> Failure {
    let reason = match error {
        ExecError::Start(_) => "spawn",
        ExecError::Broken(_) => "broken",
        ExecError::Busy => "too_many_programs",
        ExecError::Stopping => return Failure::new(ErrorCode::RuntimeUnavailable, error.to_string()),
    };
    let details = json!({"reason": reason, "os_error": error.os_error()});
    Failure::new(ErrorCode::ActionFailed, error.to_string()).with(details)
}

fn report(result: &mut Value, done: &Done) {
    let (code, signal) = match done.end {
        End::Exited(code) => (Some(code), None),
        End::Signalled(signal) => (None, Some(signal_text(signal))),
        End::TimedOut => (None, None),
    };
    result["success"] = json!(code == Some(0));
    result["exit_code"] = json!(code);
    if let Some(signal) = signal {
        result["signal"] = json!(signal);
    }
    result["timed_out"] = json!(done.end == End::TimedOut);
    result["duration_ms"] = json!(u64::try_from(done.elapsed.as_millis()).unwrap_or(u64::MAX));
    // Each has half of the room, and what the other one leaves of its half.
    let rest = |other: &Output| TEXT_BYTES - needed(&other.text()).min(TEXT_BYTES / 2);
    let (stdout, stdout_capture) = stream(&done.stdout, rest(&done.stderr));
    let (stderr, stderr_capture) = stream(&done.stderr, rest(&done.stdout));
    result["stdout"] = stdout;
    result["stderr"] = stderr;
    result["capture"] = json!({"stdout": stdout_capture, "stderr": stderr_capture});
}

#[cfg(unix)]
fn signal_text(signal: i32) -> String {
    crate::server::exec::signal_name(signal)
}

#[cfg(not(unix))]
fn signal_text(signal: i32) -> String {
    signal.to_string()
}

/// The text of a stream, and how it was captured.
fn stream(output: &Output, most: usize) -> (Value, Value) {
    let text = output.text();
    let valid = matches!(text, std::borrow::Cow::Borrowed(_));
    let fitting = fitting(&text, most);
    let cut = fitting.len() < text.len();
    let retained = if cut { fitting.len() } else { output.kept.len() };
    let capture = json!({
        "encoding": if valid { "utf-8" } else { "utf-8-lossy" },
        "total_bytes": output.total,
        "retained_bytes": retained,
        "truncated": cut || output.is_truncated(),
    });
    (json!(fitting), capture)
}

/// How many bytes a text takes as JSON.
fn needed(text: &str) -> usize {
    text.chars().map(json_bytes).sum()
}

fn json_bytes(character: char) -> usize {
    match character {
        '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
        '\0'..='\u{1f}' => 6,
        _ => character.len_utf8(),
    }
}

/// The beginning of a text that takes at most so many bytes as JSON.
fn fitting(text: &str, most: usize) -> &str {
    if text.len() <= most / 6 {
        return text;
    }
    let mut used = 0;
    for (at, character) in text.char_indices() {
        used += json_bytes(character);
        if used > most {
            return &text[..at];
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_bounded_texts() {
        assert!(arguments(json!(["git", "", "a b"])).is_ok());
        let many = vec!["x"; ARGUMENTS + 1];
        let long = "x".repeat(ARGUMENT_BYTES);
        for wrong in [
            json!([]),
            json!([""]),
            json!("ls"),
            json!(["ls", 1]),
            json!(["a\u{0}b"]),
            json!(many),
            json!(["ls", long]),
        ] {
            assert!(arguments(wrong).is_err());
        }
    }

    #[test]
    fn a_text_is_cut_by_its_size_as_json() {
        for text in ["plain text", "\"quoted\"\\", "\u{1}\u{2}\n", "é日本"] {
            for most in 0..40 {
                let cut = fitting(text, most);
                assert!(serde_json::to_string(cut).unwrap().len() - 2 <= most, "{text:?} {most}");
            }
            assert_eq!(fitting(text, 1_000), text);
        }
    }

    #[test]
    fn a_stream_has_the_room_that_the_other_one_leaves() {
        let report_of = |stdout: Vec<u8>, stderr: Vec<u8>| {
            let output = |kept: Vec<u8>| Output { total: kept.len() as u64, kept };
            let end = End::Exited(0);
            let done = Done { end, elapsed: Duration::ZERO, stdout: output(stdout), stderr: output(stderr) };
            let mut result = json!({});
            report(&mut result, &done);
            assert!(serde_json::to_vec(&result).unwrap().len() < RUNTIME_RESPONSE_BYTES);
            ["stdout", "stderr"].map(|name| result["capture"][name]["truncated"] == json!(true))
        };
        let most = usize::try_from(RUNTIME_EXEC_BYTES).unwrap();
        assert_eq!(report_of(vec![b'a'; most], b"few".to_vec()), [false, false]);
        assert_eq!(report_of(b"few".to_vec(), vec![b'a'; most]), [false, false]);
        assert_eq!(report_of(vec![b'a'; most], vec![b'a'; most]), [true, true]);
        assert_eq!(report_of(vec![0; most], vec![b'a'; 1_000]), [true, false]);
    }

    #[test]
    fn invalid_bytes_are_replaced_and_reported() {
        let output = Output { kept: b"a\xffb".to_vec(), total: 9 };
        let (text, capture) = stream(&output, 1_000);
        assert_eq!(text, "a\u{fffd}b");
        assert_eq!(
            capture,
            json!({"encoding": "utf-8-lossy", "total_bytes": 9, "retained_bytes": 3, "truncated": true})
        );
    }
}
