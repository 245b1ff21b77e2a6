//! `luvus uhp`: the control protocol for people and for programs that cannot open the socket.
//!
//! Invariant: standard output carries the server's own lines and nothing else.

use crate::cli::args::uhp::UhpVerb;
use crate::cli::context::Context;
use crate::cli::error::{CliError, Exit};
use crate::cli::output;
use crate::cli::wire::{self, ANSWER_DEADLINE};
use crate::protocol::limits::UHP_FRAME_BYTES;
use crate::protocol::uhp::bundle;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::json;
use std::io::{self, BufRead, Write as _};
use std::time::Duration;

/// No method waits longer than an hour; a reply that has not come by then does not come.
const PROXY_DEADLINE: Duration = Duration::from_secs(3_630);

/// `luvus uhp …`
///
/// # Errors
/// When it does not work. A reply that is an error is printed like any other.
pub fn run(context: &Context, verb: UhpVerb) -> Result<Exit, CliError> {
    match verb {
        UhpVerb::Schema => schema(),
        UhpVerb::Capabilities => show(context, "uhp.capabilities"),
        UhpVerb::Snapshot => show(context, "session.snapshot"),
        UhpVerb::Events => events(context, None),
        UhpVerb::Proxy => proxy(context, &mut io::stdin().lock()),
    }
}

fn schema() -> Result<Exit, CliError> {
    output::line(&bundle::bundle())?;
    Ok(Exit::Ok)
}

/// Prints the whole response of a method without params.
fn show(context: &Context, method: &str) -> Result<Exit, CliError> {
    let request = format!("{{\"id\":\"cli\",\"method\":\"{method}\",\"params\":{{}}}}\n");
    let reply = wire::pass(&context.paths, request.as_bytes(), UHP_FRAME_BYTES, ANSWER_DEADLINE)?;
    print(&reply)?;
    Ok(if is_error(&reply) { Exit::Failed } else { Exit::Ok })
}

/// Prints events as they happen; those after a number first, as far as they are kept.
///
/// # Errors
/// When there is no server, or it ends.
pub fn events(context: &Context, after: Option<u64>) -> Result<Exit, CliError> {
    let params = after.map_or_else(|| json!({}), |after| json!({"after_sequence": after}));
    let ended = wire::follow(&context.paths, "events.subscribe", &params, |frame| match write_line(frame) {
        Ok(()) if is_error(frame) => Some(Ok(Exit::Failed)),
        Ok(()) => None,
        // Whoever read the events has seen enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Some(Ok(Exit::Ok)),
        Err(error) => Some(Err(unwritable(&error))),
    })?;
    ended.unwrap_or_else(|| {
        Err(CliError::failed("the events ended: the server stopped, or this reader was too slow for it"))
    })
}

/// One request line in, one reply line out. What is too long is passed on as far as the server needs
/// it to say so.
fn proxy(context: &Context, input: &mut impl BufRead) -> Result<Exit, CliError> {
    let request = read_request(input)
        .map_err(|error| CliError::failed(format_args!("cannot read standard input: {error}")))?
        .ok_or_else(|| CliError::failed("standard input ended before the request's line did"))?;
    print(&wire::pass(&context.paths, &request, UHP_FRAME_BYTES, PROXY_DEADLINE)?)?;
    Ok(Exit::Ok)
}

/// The first line with its LF, or the first byte more than a frame may have.
fn read_request(input: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    let limit = u64::try_from(UHP_FRAME_BYTES).unwrap_or(u64::MAX).saturating_add(1);
    io::Read::take(input, limit).read_until(b'\n', &mut line)?;
    let whole = line.last() == Some(&b'\n') || line.len() > UHP_FRAME_BYTES;
    Ok(whole.then_some(line))
}

/// What of a frame tells an error from a result: a reply can be long, and all of it is only passed on.
#[derive(Deserialize)]
struct Frame {
    error: Option<IgnoredAny>,
}

fn is_error(frame: &[u8]) -> bool {
    serde_json::from_slice::<Frame>(frame).is_ok_and(|frame| frame.error.is_some())
}

fn print(line: &[u8]) -> Result<(), CliError> {
    match write_line(line) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(unwritable(&error)),
        _ => Ok(()),
    }
}

fn unwritable(error: &io::Error) -> CliError {
    CliError::failed(format_args!("cannot write the output: {error}"))
}

fn write_line(line: &[u8]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(line)?;
    out.write_all(b"\n")?;
    out.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_the_first_line_and_bounded() {
        let read = |bytes: &[u8]| read_request(&mut &*bytes).unwrap();
        assert_eq!(read(b"{}\n{}\n").as_deref(), Some(&b"{}\n"[..]));
        assert_eq!(read(b"{}"), None);
        assert_eq!(read(b""), None);
        let long = vec![b'x'; UHP_FRAME_BYTES + 10];
        assert_eq!(read(&long).map(|line| line.len()), Some(UHP_FRAME_BYTES + 1));
        let largest = [vec![b'x'; UHP_FRAME_BYTES - 1], b"\n".to_vec()].concat();
        assert_eq!(read(&largest), Some(largest));
    }

    #[test]
    fn an_error_is_told_from_a_result() {
        assert!(is_error(br#"{"id":"a","error":{"code":"x","message":""}}"#));
        assert!(!is_error(br#"{"id":"a","result":{"type":"error"}}"#));
        assert!(!is_error(b"nonsense"));
    }
}
