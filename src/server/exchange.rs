//! One request and one answer over one connection: the framing that the JSON protocols of
//! `luvus.sock` share (`uhp.md` section 1), and which of them a frame is meant for. A method may go on
//! with the connection after its answer, as a [`Conversation`].
//!
//! Invariants: bytes after the first LF are never parsed, except by a conversation; a peer whose frame
//! was refused sees the answer and then the end, never a reset; nothing a peer does holds a connection
//! for longer than the bounds below and the bounds of the method that it called.

mod conversation;

pub use conversation::{Conversation, Incoming, Line, Talk, Wire};

use super::adapters::runtime::{self, Call};
use super::hub::HubHandle;
use super::uhp::{self, Place};
use crate::protocol::runtime::envelope::is_meant;
use crate::protocol::{limits, strict};
use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::time::{Instant, timeout, timeout_at};

/// How long a peer may take to read its answer.
const WRITE: Duration = Duration::from_secs(10);
/// How long and how much a peer may still send after its answer before it is cut off.
const DRAIN: Duration = Duration::from_secs(1);
const DRAIN_BYTES: usize = 8 * limits::UHP_FRAME_BYTES;
/// Bytes of one read.
const CHUNK_BYTES: usize = 16_384;

/// What all connections of one server share.
pub struct Service {
    hub: HubHandle,
    session: Arc<uhp::Session>,
    runtime: Arc<runtime::Context>,
}

impl Service {
    /// Serves both protocols.
    #[must_use]
    pub fn new(hub: HubHandle, session: uhp::Session, runtime: Arc<runtime::Context>) -> Arc<Self> {
        Arc::new(Self { hub, session: Arc::new(session), runtime })
    }

    /// A connection sent no frame in time.
    pub fn late(&self) {
        self.session.counters.timed_out();
    }

    /// A place for a connection that was accepted, if one is free.
    #[must_use]
    pub fn place(&self) -> Place {
        self.session.place()
    }
}

/// A connection of which something has been read.
pub struct Begun<S> {
    /// The rest of it.
    pub stream: S,
    /// What was read.
    pub early: Vec<u8>,
    /// When its first frame has to be there.
    pub deadline: Instant,
}

/// Serves one connection to its end. What `watch` gives resolves when the peer has left altogether;
/// the end of its input alone is not that (`spec/README.md` point 31).
pub async fn serve<S, G>(begun: Begun<S>, watch: impl Fn(&S) -> G + Send, mut place: Place, service: &Service)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    G: Future<Output = ()> + Send,
{
    let ended = if service.session.admit(&mut place).await {
        exchange(begun, watch, |frame| counted(frame.len() + 1, route(frame, service), service)).await
    } else {
        exchange(begun, watch, turned_away).await
    };
    match ended {
        Ok(Ended::Stop) => service.hub.stop().await,
        Ok(Ended::Late) => service.late(),
        Ok(Ended::Served | Ended::Silent) => {}
        Err(error) => tracing::debug!(%error, "a connection broke"),
    }
    drop(place);
}

/// What a frame leads to.
struct Work {
    /// Whether it is given up when the peer has gone.
    droppable: bool,
    answer: Pin<Box<dyn Future<Output = Answer> + Send>>,
}

struct Answer {
    frame: Vec<u8>,
    then: Then,
}

/// What follows an answer.
enum Then {
    /// The connection's end.
    Close,
    /// The server's end.
    Stop,
    /// More frames.
    Talk(Talk),
}

impl Answer {
    fn only(frame: Vec<u8>) -> Self {
        Self { frame, then: Then::Close }
    }
}

impl Work {
    fn refusal(frame: Vec<u8>) -> Self {
        Self { droppable: true, answer: Box::pin(std::future::ready(Answer::only(frame))) }
    }
}

/// The same work, counted once it is done.
fn counted(bytes: usize, work: Work, service: &Service) -> Work {
    let (session, began) = (Arc::clone(&service.session), Instant::now());
    let answer = async move {
        let answer = work.answer.await;
        session.counters.answered(bytes, answer.frame.len(), began.elapsed());
        answer
    };
    Work { droppable: work.droppable, answer: Box::pin(answer) }
}

/// What a frame leads to on a connection over the capacity.
fn turned_away(frame: &[u8]) -> Work {
    Work::refusal(strict::parse(frame).map_or_else(|_| uhp::malformed(), uhp::too_many))
}

fn route(frame: &[u8], service: &Service) -> Work {
    let Ok(parsed) = strict::parse(frame) else { return Work::refusal(uhp::malformed()) };
    if is_meant(&parsed.value) {
        if frame.len() > limits::RUNTIME_REQUEST_BYTES {
            return Work::refusal(runtime::too_large());
        }
        let call = Call::read(parsed, &service.runtime);
        let droppable = call.is_droppable();
        let answer = async {
            let runtime::Answer { line, follower } = call.run().await;
            let then = follower.map_or(Then::Close, |follower| Then::Talk(Box::new(follower)));
            Answer { frame: line, then }
        };
        return Work { droppable, answer: Box::pin(answer) };
    }
    match uhp::find(parsed, &service.session) {
        Ok(found) => {
            let call = found.call(&service.hub, &service.session);
            let (droppable, stops) = (call.droppable, call.stops);
            let answer = async move {
                let reply = call.run().await;
                let then = match reply.talk {
                    Some(talk) => Then::Talk(talk),
                    None if stops && reply.ok => Then::Stop,
                    None => Then::Close,
                };
                Answer { frame: reply.frame, then }
            };
            Work { droppable, answer: Box::pin(answer) }
        }
        Err(refusal) => Work::refusal(refusal),
    }
}

/// How an exchange came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ended {
    /// Answered.
    Served,
    /// Answered, and the server is to end.
    Stop,
    /// Without an answer: no frame came, or the peer left.
    Silent,
    /// Without an answer: no frame came in time.
    Late,
}

async fn exchange<S, G>(
    begun: Begun<S>,
    watch: impl Fn(&S) -> G,
    route: impl FnOnce(&[u8]) -> Work,
) -> io::Result<Ended>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    G: Future<Output = ()>,
{
    let Begun { mut stream, mut early, deadline } = begun;
    let mut work = match timeout_at(deadline, read_frame(&mut stream, &mut early)).await {
        Ok(Ok(First::Frame(frame))) => route(&frame),
        Ok(Ok(First::TooLarge)) => Work::refusal(uhp::too_large()),
        Ok(Ok(First::Ended)) => return Ok(Ended::Silent),
        Err(_) => return Ok(Ended::Late),
        Ok(Err(error)) => return Err(error),
    };
    // Most answers are there at once: only for one that is not it pays to watch the peer.
    let Answer { frame, then } = match poll_once(work.answer.as_mut()).await {
        Poll::Ready(answer) => answer,
        Poll::Pending if work.droppable => {
            tokio::select! {
                biased;
                answer = work.answer => answer,
                () = watch(&stream) => return Ok(Ended::Silent),
            }
        }
        Poll::Pending => work.answer.await,
    };
    match then {
        Then::Close => finish(stream, &frame, Ended::Served).await,
        Then::Stop => finish(stream, &frame, Ended::Stop).await,
        Then::Talk(talk) => {
            let gone = watch(&stream);
            within(WRITE, stream.write_all(&frame)).await?;
            let mut wire = Wire::new(stream, early);
            tokio::select! {
                biased;
                talked = talk.run(&mut wire) => talked?,
                () = gone => return Ok(Ended::Served),
            }
            finish(wire.into_stream(), &[], Ended::Served).await
        }
    }
}

async fn poll_once<F: Future + ?Sized>(mut future: Pin<&mut F>) -> Poll<F::Output> {
    poll_fn(|context| Poll::Ready(future.as_mut().poll(context))).await
}

/// Writes the answer and sees the peer off.
async fn finish(
    mut stream: impl AsyncRead + AsyncWrite + Unpin,
    frame: &[u8],
    ended: Ended,
) -> io::Result<Ended> {
    let written = within(WRITE, send(&mut stream, frame)).await;
    if ended == Ended::Stop {
        // Whoever asked the server to end need not stay to hear of it.
        return Ok(ended);
    }
    written?;
    // A peer that is cut off while it still sends has had its answer: nothing to report.
    let _ = timeout(DRAIN, drain(&mut stream)).await;
    Ok(ended)
}

async fn within<T>(limit: Duration, work: impl Future<Output = io::Result<T>>) -> io::Result<T> {
    timeout(limit, work).await.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
}

/// What a peer sent first.
#[derive(Debug, PartialEq, Eq)]
enum First {
    /// A frame, without its LF.
    Frame(Vec<u8>),
    /// More than a frame may have.
    TooLarge,
    /// Nothing, or the beginning of a frame.
    Ended,
}

/// Reads on to the first LF; `bytes` has what was read before, and keeps what came after it.
async fn read_frame(stream: &mut (impl AsyncRead + Unpin), bytes: &mut Vec<u8>) -> io::Result<First> {
    let mut seen = 0;
    loop {
        if let Some(end) = bytes[seen..].iter().position(|byte| *byte == b'\n') {
            let rest = bytes.split_off(seen + end + 1);
            let mut frame = std::mem::replace(bytes, rest);
            // The LF counts too.
            if frame.len() > limits::UHP_FRAME_BYTES {
                return Ok(First::TooLarge);
            }
            frame.pop();
            return Ok(First::Frame(frame));
        }
        seen = bytes.len();
        if seen >= limits::UHP_FRAME_BYTES {
            return Ok(First::TooLarge);
        }
        bytes.reserve(CHUNK_BYTES);
        if stream.read_buf(bytes).await? == 0 {
            return Ok(First::Ended);
        }
    }
}

async fn send(stream: &mut (impl AsyncWrite + Unpin), frame: &[u8]) -> io::Result<()> {
    stream.write_all(frame).await?;
    stream.flush().await?;
    stream.shutdown().await
}

/// Reads what the peer still sends: on a socket that is closed with unread input, the peer would see
/// a reset in place of the end.
async fn drain(stream: &mut (impl AsyncRead + Unpin)) {
    let mut chunk = vec![0; CHUNK_BYTES];
    let mut left = DRAIN_BYTES;
    while left > 0 {
        match stream.read(&mut chunk).await {
            Ok(count) if count > 0 => left = left.saturating_sub(count),
            _ => return,
        }
    }
}

#[cfg(test)]
mod tests;
