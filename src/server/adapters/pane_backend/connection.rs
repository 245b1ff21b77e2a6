//! One connection from its first line to its end: requests are begun in order, what blocks runs beside
//! the rest, and everything that goes out passes one queue.
//!
//! Invariants: each line is written whole; responses of what does not block keep the order of their
//! requests; the end of input lets running requests finish, the end of the peer drops them.

use super::Backend;
use super::dispatch::{Caller, Step, begin};
use super::origin::Peer;
use crate::protocol::pane_backend::envelope::{self, Address};
use crate::protocol::pane_backend::error::{ErrorCode, Failure};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::{Semaphore, mpsc, oneshot};
use tokio::task::JoinSet;
use tokio::time::timeout;

/// The longest request line (`pane-backend.md` 1.3).
const LINE_BYTES: usize = 1_048_576;
/// Bytes of one read.
const CHUNK_BYTES: usize = 16_384;
/// Requests of one connection that are not finished.
const UNFINISHED: usize = 64;
/// Events that may wait for a connection; each unfinished request has a place of its own.
const QUEUE: usize = 1_024 + UNFINISHED;
/// How long the last lines may take to be written.
const FLUSH: Duration = Duration::from_secs(2);
/// How long the end of one's own pane waits for the response to be written.
const LAST_RESPONSE: Duration = Duration::from_secs(1);
/// How much of an endless line is read away, so that its sender sees the error.
const DRAIN_BYTES: usize = 8 * LINE_BYTES;

/// What is written next.
pub struct Line {
    bytes: Arc<[u8]>,
    written: Option<oneshot::Sender<()>>,
}

impl Line {
    /// An event, which many connections get.
    pub fn event(bytes: &Arc<[u8]>) -> Self {
        Self { bytes: Arc::clone(bytes), written: None }
    }

    fn response(address: &Address, outcome: &Result<Value, Failure>) -> Self {
        Self { bytes: envelope::respond(address, outcome).into(), written: None }
    }

    #[cfg(test)]
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }
}

/// Serves one connection. `gone` resolves when the peer has left altogether.
pub async fn serve(
    read: impl AsyncRead + Unpin,
    write: impl AsyncWrite + Unpin,
    gone: impl Future<Output = ()>,
    peer: Peer,
    backend: Arc<Backend>,
) {
    let (queue, lines) = mpsc::channel(QUEUE);
    let Some(mut membership) = backend.events.join(queue.clone()) else { return };
    let mut jobs = JoinSet::new();
    let mut writer = std::pin::pin!(write_lines(write, lines));
    let flush = {
        let mut reader = Reader { queue: &queue, jobs: &mut jobs, caller: Caller::new(backend, peer) };
        tokio::select! {
            biased;
            end = &mut membership.end => end.is_ok(),
            () = gone => false,
            () = &mut writer => false,
            () = reader.run(read) => true,
        }
    };
    // Waits are dropped, children outside panes are ended.
    drop(jobs);
    drop((membership, queue));
    if flush {
        let _ = timeout(FLUSH, writer).await;
    }
}

async fn write_lines(mut write: impl AsyncWrite + Unpin, mut lines: mpsc::Receiver<Line>) {
    while let Some(line) = lines.recv().await {
        if write.write_all(&line.bytes).await.is_err() {
            return;
        }
        if let Some(written) = line.written {
            // Nobody may wait for it any more.
            let _ = written.send(());
        }
    }
    let _ = write.shutdown().await;
}

struct Reader<'a> {
    queue: &'a mpsc::Sender<Line>,
    jobs: &'a mut JoinSet<()>,
    caller: Caller,
}

impl Reader<'_> {
    /// Reads to the end of input, and waits for what was begun.
    async fn run(&mut self, mut read: impl AsyncRead + Unpin) {
        let places = Arc::new(Semaphore::new(UNFINISHED));
        let mut input = Input::default();
        loop {
            while self.jobs.try_join_next().is_some() {}
            match input.line(&mut read).await {
                Some(Ok(line)) => self.take(&line, &places).await,
                Some(Err(TooLong)) => {
                    let failure = Failure::new(ErrorCode::Parse, "a line has at most 1,048,576 bytes");
                    self.send(Line::response(&Address::nobody(), &Err(failure))).await;
                    // Whoever is cut off while it still sends would not see the error.
                    let _ = timeout(FLUSH, drain(&mut read)).await;
                    return;
                }
                None => break,
            }
        }
        while self.jobs.join_next().await.is_some() {}
    }

    async fn take(&mut self, line: &[u8], places: &Arc<Semaphore>) {
        if line.trim_ascii().is_empty() {
            return;
        }
        let request = match envelope::decode(line) {
            Ok(request) => request,
            Err(refused) => {
                return self.send(Line::response(&refused.address, &Err(refused.failure))).await;
            }
        };
        let address = request.address;
        let Ok(place) = Arc::clone(places).try_acquire_owned() else {
            let failure = Failure::new(ErrorCode::Internal, "too many requests are unfinished");
            let failure = failure.with(json!({"reason": "too_many_requests"}));
            return self.send(Line::response(&address, &Err(failure))).await;
        };
        match begin(&request.method, request.params, &mut self.caller).await {
            Step::Done(outcome) => self.send(Line::response(&address, &outcome)).await,
            Step::Beside(work) => {
                let queue = self.queue.clone();
                self.jobs.spawn(async move {
                    let outcome = work.await;
                    // The connection may be ending.
                    let _ = queue.send(Line::response(&address, &outcome)).await;
                    drop(place);
                });
            }
            Step::First { result, wait, then } => {
                let mut line = Line::response(&address, &Ok(result));
                let (written, seen) = oneshot::channel();
                line.written = Some(written);
                self.send(line).await;
                if wait {
                    let _ = timeout(LAST_RESPONSE, seen).await;
                }
                // It goes on even if the caller, whose own pane this may be, is gone by then.
                let _ = tokio::spawn(then).await;
            }
        }
    }

    /// A client that does not read its responses is not read from.
    async fn send(&self, line: Line) {
        let _ = self.queue.send(line).await;
    }
}

/// A line is longer than it may be.
struct TooLong;

/// What was read and is not a whole line yet.
#[derive(Default)]
struct Input {
    bytes: Vec<u8>,
    /// Up to here there is no LF.
    looked_at: usize,
}

impl Input {
    /// The next line without its end; nothing at the end of input.
    async fn line(&mut self, read: &mut (impl AsyncRead + Unpin)) -> Option<Result<Vec<u8>, TooLong>> {
        loop {
            if let Some(end) = self.bytes[self.looked_at..].iter().position(|byte| *byte == b'\n') {
                let end = self.looked_at + end;
                let rest = self.bytes.split_off(end + 1);
                let mut line = std::mem::replace(&mut self.bytes, rest);
                self.looked_at = 0;
                line.pop();
                if line.last() == Some(&b'\r') {
                    line.pop();
                }
                return Some(if line.len() > LINE_BYTES { Err(TooLong) } else { Ok(line) });
            }
            self.looked_at = self.bytes.len();
            // A CR before the LF is no part of the line.
            if self.looked_at > LINE_BYTES + 1 {
                return Some(Err(TooLong));
            }
            self.bytes.reserve(CHUNK_BYTES);
            match read.read_buf(&mut self.bytes).await {
                Ok(count) if count > 0 => {}
                _ => return None,
            }
        }
    }
}

async fn drain(read: &mut (impl AsyncRead + Unpin)) {
    let mut chunk = vec![0; CHUNK_BYTES];
    let mut left = DRAIN_BYTES;
    while left > 0 {
        match read.read(&mut chunk).await {
            Ok(count) if count > 0 => left = left.saturating_sub(count),
            _ => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn lines(mut bytes: &[u8]) -> Vec<Option<String>> {
        let (mut input, mut found) = (Input::default(), Vec::new());
        while let Some(line) = input.line(&mut bytes).await {
            found.push(line.ok().map(|line| String::from_utf8_lossy(&line).into_owned()));
            if found.last() == Some(&None) {
                break;
            }
        }
        found
    }

    #[tokio::test]
    async fn lines_end_with_lf_and_a_piece_at_the_end_is_none() {
        let expected: Vec<Option<String>> = ["a", "", "b c"].map(|line| Some(line.to_owned())).to_vec();
        assert_eq!(lines(b"a\r\n\nb c\nrest").await, expected);
    }

    #[tokio::test]
    async fn a_line_of_the_longest_length_is_read_and_a_longer_one_is_not() {
        let longest = "x".repeat(LINE_BYTES);
        assert_eq!(lines(format!("{longest}\r\n").as_bytes()).await, [Some(longest.clone())]);
        assert_eq!(lines(format!("{longest}x\n").as_bytes()).await, [None]);
        assert_eq!(lines(format!("{longest}xxx").as_bytes()).await, [None]);
    }
}
