//! [`Output`]: the first bytes of a stream, and [`Pipes`], which read and feed a child's streams.
//!
//! Invariant: a stream is always read to its end, whatever is kept of it.

use std::borrow::Cow;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout};

/// Bytes of one read.
const CHUNK_BYTES: usize = 16_384;

/// The first bytes of a stream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Output {
    /// What was kept.
    pub kept: Vec<u8>,
    /// How many bytes there were.
    pub total: u64,
}

impl Output {
    /// Whether there was more than was kept.
    #[must_use]
    pub fn is_truncated(&self) -> bool {
        u64::try_from(self.kept.len()).unwrap_or(u64::MAX) < self.total
    }

    /// What was kept, as a text: a character that was cut off at the end is left out, other bytes that
    /// are none are replaced. Borrowed when all of it was valid.
    #[must_use]
    pub fn text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(if self.is_truncated() { whole(&self.kept) } else { &self.kept })
    }

    fn take(&mut self, bytes: &[u8], limit: usize) {
        let room = limit.saturating_sub(self.kept.len());
        self.kept.extend_from_slice(&bytes[..bytes.len().min(room)]);
        self.total = self.total.saturating_add(u64::try_from(bytes.len()).unwrap_or(u64::MAX));
    }
}

/// The bytes without a character that is cut off at their end.
fn whole(bytes: &[u8]) -> &[u8] {
    match std::str::from_utf8(bytes) {
        Err(error) if error.error_len().is_none() => &bytes[..error.valid_up_to()],
        // A wrong byte further in hides the end: only the last character can be cut.
        Err(_) => {
            let start = (1..=3.min(bytes.len())).find(|back| bytes[bytes.len() - back] >= 0xc0);
            let Some(start) = start.map(|back| bytes.len() - back) else { return bytes };
            match std::str::from_utf8(&bytes[start..]) {
                Err(error) if error.error_len().is_none() => &bytes[..start],
                _ => bytes,
            }
        }
        Ok(_) => bytes,
    }
}

struct Stream<R> {
    pipe: Option<R>,
    output: Output,
    chunk: Vec<u8>,
}

impl<R: AsyncRead + Unpin> Stream<R> {
    fn new(pipe: Option<R>) -> Self {
        Self { pipe, output: Output::default(), chunk: vec![0; CHUNK_BYTES] }
    }

    /// Reads to the end. Cancel-safe.
    async fn drain(&mut self, limit: usize) {
        while let Some(pipe) = &mut self.pipe {
            match pipe.read(&mut self.chunk).await {
                Ok(count) if count > 0 => self.output.take(&self.chunk[..count], limit),
                // The end, or a failure that a read after it would only repeat.
                _ => self.pipe = None,
            }
        }
    }
}

/// A child's three streams.
pub(super) struct Pipes {
    limit: usize,
    stdin: Option<ChildStdin>,
    /// What has not been written yet, as an index.
    input: (Vec<u8>, usize),
    stdout: Stream<ChildStdout>,
    stderr: Stream<ChildStderr>,
}

impl Pipes {
    pub(super) fn of(child: &mut Child, input: Vec<u8>, limit: usize) -> Self {
        Self {
            limit,
            stdin: child.stdin.take(),
            input: (input, 0),
            stdout: Stream::new(child.stdout.take()),
            stderr: Stream::new(child.stderr.take()),
        }
    }

    /// Feeds the child and reads what it writes, until both its streams have ended. Cancel-safe.
    pub(super) async fn pump(&mut self) {
        let Self { limit, stdin, input, stdout, stderr } = self;
        tokio::join!(feed(stdin, input), stdout.drain(*limit), stderr.drain(*limit));
    }

    pub(super) fn into_outputs(self) -> (Output, Output) {
        (self.stdout.output, self.stderr.output)
    }
}

/// Writes the rest of the input and closes the pipe. A child that does not read it is none the worse.
async fn feed(stdin: &mut Option<ChildStdin>, (bytes, written): &mut (Vec<u8>, usize)) {
    while let Some(pipe) = stdin {
        match pipe.write(&bytes[*written..]).await {
            Ok(count) if count > 0 => *written += count,
            _ => *stdin = None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_character_is_left_out_and_wrong_bytes_are_replaced() {
        let cut = |bytes: &[u8]| Output { kept: bytes.to_vec(), total: 100 }.text().into_owned();
        assert_eq!(cut("aé".as_bytes()), "aé");
        assert_eq!(cut(&"aé".as_bytes()[..2]), "a");
        assert_eq!(cut(&"\u{1f600}".as_bytes()[..3]), "");
        assert_eq!(cut(b"\xffa\xc3"), "\u{fffd}a");
        assert_eq!(cut(b"a\xff"), "a\u{fffd}");
        let whole = Output { kept: b"a\xc3".to_vec(), total: 2 };
        assert!(!whole.is_truncated());
        assert_eq!(whole.text(), "a\u{fffd}");
    }

    #[test]
    fn the_first_bytes_are_kept_and_all_are_counted() {
        let mut output = Output::default();
        output.take(b"abc", 4);
        output.take(b"def", 4);
        assert_eq!(output, Output { kept: b"abcd".to_vec(), total: 6 });
        assert!(output.is_truncated());
    }
}
