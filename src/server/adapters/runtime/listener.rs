//! The runtime protocol's own listener (`runtime.md` section 2): loopback only, one request a
//! connection, and not a byte for a peer that does not know the token.
//!
//! Invariants: the token is looked at before anything else of a request; what a peer sends after its
//! line is never parsed; nothing of a request is logged.

use super::record::Record;
use super::{Answer, Call, Context, peer, too_large};
use crate::protocol::limits::{FIRST_FRAME_MS, RUNTIME_CONNECTIONS, RUNTIME_REQUEST_BYTES};
use crate::protocol::runtime::VERSION;
use crate::protocol::strict;
use serde_json::Value;
use std::io;
use std::net::Ipv4Addr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::timeout;

/// How long a peer may take to read its answer.
const WRITE: Duration = Duration::from_secs(10);
/// How long and how much a peer may still send after its answer before it is cut off.
const DRAIN: Duration = Duration::from_millis(500);
const DRAIN_BYTES: usize = 64 * RUNTIME_REQUEST_BYTES;
/// How long the end of a server waits for its last answers.
const LAST_WORDS: Duration = Duration::from_millis(500);
/// Bytes of one read.
const CHUNK_BYTES: usize = 16_384;

/// A listener with its record, before there is anybody to serve.
#[derive(Debug)]
pub struct Listener {
    socket: TcpListener,
    port: u16,
    token: String,
    _record: Record,
}

/// The connections that are served.
#[derive(Debug, Clone)]
pub struct Connections(Arc<Semaphore>);

impl Default for Connections {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(RUNTIME_CONNECTIONS)))
    }
}

impl Connections {
    /// Waits until every connection has ended, within a bound.
    pub async fn ended(&self) {
        let all = u32::try_from(RUNTIME_CONNECTIONS).unwrap_or(u32::MAX);
        let _ = timeout(LAST_WORDS, self.0.acquire_many(all)).await;
    }
}

impl Listener {
    /// Listens on a port that the system chooses, and writes where into the session's folder.
    ///
    /// # Errors
    /// When the system refuses either.
    pub async fn open(folder: &Path, token: [u8; 16]) -> io::Result<Self> {
        let socket = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let port = socket.local_addr()?.port();
        let token: String = token.iter().map(|byte| format!("{byte:02x}")).collect();
        let record = Record::write(folder, &format!("{port} {token}"), VERSION)?;
        Ok(Self { socket, port, token, _record: record })
    }

    /// There is none: a record of a server that was killed would mislead.
    pub fn none(folder: &Path) {
        Record::clear(folder);
    }

    /// `<port> <token>`, for panes.
    #[must_use]
    pub fn endpoint(&self) -> String {
        format!("{} {}", self.port, self.token)
    }

    /// Serves connections for ever; the record goes with it.
    pub async fn serve(self, context: Arc<Context>, connections: Connections) {
        let token: Arc<str> = self.token.as_str().into();
        loop {
            let stream = match self.socket.accept().await {
                Ok((stream, _)) => stream,
                Err(error) => {
                    // Out of descriptors, most likely: give connections a moment to end.
                    tracing::warn!(%error, "a connection could not be accepted");
                    tokio::time::sleep(Duration::from_millis(50)).await;
                    continue;
                }
            };
            let Ok(permit) = Arc::clone(&connections.0).try_acquire_owned() else { continue };
            let (context, token) = (Arc::clone(&context), Arc::clone(&token));
            tokio::spawn(async move {
                if let Err(error) = connection(stream, &token, &context).await {
                    tracing::debug!(kind = ?error.kind(), "a runtime connection broke");
                }
                drop(permit);
            });
        }
    }
}

async fn connection(mut stream: TcpStream, token: &str, context: &Arc<Context>) -> io::Result<()> {
    // Small answers to a peer that waits for them.
    stream.set_nodelay(true)?;
    keep_alive(&stream);
    let limit = Duration::from_millis(FIRST_FRAME_MS);
    let answer = match timeout(limit, read_line(&mut stream)).await {
        Ok(Ok(First::Line(line))) => match meaning(&line, token, context) {
            Meaning::Stranger => return Ok(()),
            Meaning::Legacy(attend) => {
                if attend {
                    context.hub.attention().await;
                }
                Answer { line: b"OK\n".to_vec(), follower: None }
            }
            Meaning::Call(call) if call.is_droppable() => tokio::select! {
                biased;
                answer = call.run() => answer,
                () = peer::gone(&stream) => return Ok(()),
            },
            Meaning::Call(call) => call.run().await,
        },
        Ok(Ok(First::TooLong)) => Answer { line: too_large(), follower: None },
        Ok(Ok(First::Ended)) | Err(_) => return Ok(()),
        Ok(Err(error)) => return Err(error),
    };
    let written = timeout(WRITE, stream.write_all(&answer.line)).await;
    written.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))?;
    if let Some(mut follower) = answer.follower {
        let (read, mut write) = stream.split();
        tokio::select! {
            biased;
            () = peer::gone(read.as_ref()) => return Ok(()),
            followed = follower.follow(&mut write) => followed?,
        }
    }
    stream.shutdown().await?;
    // On a socket that is closed with unread input the peer would see a reset in place of the end.
    let _ = timeout(DRAIN, drain(&mut stream)).await;
    Ok(())
}

/// What a line is.
enum Meaning {
    /// Of somebody who does not know the token.
    Stranger,
    /// `PING`, or `ATTACH`, which asks for attention.
    Legacy(bool),
    /// A request.
    Call(Call),
}

fn meaning(line: &[u8], token: &str, context: &Arc<Context>) -> Meaning {
    if line.iter().find(|byte| !byte.is_ascii_whitespace()) != Some(&b'{') {
        return legacy(line, token).map_or(Meaning::Stranger, Meaning::Legacy);
    }
    let Ok(parsed) = strict::parse(line) else { return Meaning::Stranger };
    let given = parsed.value.get("token").and_then(Value::as_str).unwrap_or_default();
    if same(given.as_bytes(), token.as_bytes()) {
        Meaning::Call(Call::read(parsed, context))
    } else {
        Meaning::Stranger
    }
}

/// Whether a legacy line asks for attention; nothing if it is none, or its token is wrong.
fn legacy(line: &[u8], token: &str) -> Option<bool> {
    let mut words = std::str::from_utf8(line).ok()?.split_ascii_whitespace();
    let (word, given) = (words.next()?, words.next()?);
    if words.next().is_some() || !same(given.as_bytes(), token.as_bytes()) {
        return None;
    }
    match word {
        "PING" => Some(false),
        "ATTACH" => Some(true),
        _ => None,
    }
}

/// Compares without telling by its duration where the difference is.
fn same(given: &[u8], token: &[u8]) -> bool {
    given.len() == token.len() && given.iter().zip(token).fold(0, |all, (a, b)| all | (a ^ b)) == 0
}

/// What a peer sent first.
#[derive(Debug, PartialEq, Eq)]
enum First {
    /// A line, without its LF.
    Line(Vec<u8>),
    /// More than a line may have.
    TooLong,
    /// Nothing, or the beginning of a line.
    Ended,
}

async fn read_line(stream: &mut TcpStream) -> io::Result<First> {
    let mut line = Vec::new();
    let mut chunk = vec![0; CHUNK_BYTES];
    loop {
        let count = stream.read(&mut chunk).await?;
        if count == 0 {
            return Ok(First::Ended);
        }
        let end = chunk[..count].iter().position(|byte| *byte == b'\n');
        line.extend_from_slice(&chunk[..end.unwrap_or(count)]);
        if line.len() > RUNTIME_REQUEST_BYTES {
            return Ok(First::TooLong);
        }
        if end.is_some() {
            return Ok(First::Line(line));
        }
    }
}

async fn drain(stream: &mut TcpStream) {
    let mut chunk = vec![0; CHUNK_BYTES];
    let mut left = DRAIN_BYTES;
    while left > 0 {
        match stream.read(&mut chunk).await {
            Ok(count) if count > 0 => left = left.saturating_sub(count),
            _ => return,
        }
    }
}

/// Where the system does not tell whether a peer that has ended its input is still there ([`peer`]), it
/// is asked by itself from time to time.
#[cfg(unix)]
fn keep_alive(stream: &TcpStream) {
    use rustix::net::sockopt;
    let asked = sockopt::set_socket_keepalive(stream, true)
        .and_then(|()| sockopt::set_tcp_keepidle(stream, Duration::from_secs(30)))
        .and_then(|()| sockopt::set_tcp_keepintvl(stream, Duration::from_secs(10)));
    if let Err(error) = asked {
        tracing::debug!(%error, "a connection is not kept alive");
    }
}

#[cfg(windows)]
fn keep_alive(_: &TcpStream) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn legacy_lines_are_two_words_and_need_the_token() {
        assert_eq!(legacy(b"PING 00ff", "00ff"), Some(false));
        assert_eq!(legacy(b"  ATTACH  00ff\r", "00ff"), Some(true));
        for wrong in ["PING", "PING 00fe", "ping 00ff", "PING 00ff more", "QUIT 00ff", "", "\u{e9}"] {
            assert_eq!(legacy(wrong.as_bytes(), "00ff"), None, "{wrong:?}");
        }
    }

    #[test]
    fn tokens_are_compared_whole() {
        assert!(same(b"00ff", b"00ff"));
        for wrong in ["", "00f", "00fff", "00fe", "10ff"] {
            assert!(!same(wrong.as_bytes(), b"00ff"), "{wrong}");
        }
    }
}
