//! What a method does with its connection after it has answered: frames in both directions, until one
//! side ends it.
//!
//! Invariant: a conversation is dropped as soon as its peer has gone, so whatever it holds (a place, a
//! lease, an unfinished file) must be given back by being dropped.

use super::CHUNK_BYTES;
use crate::protocol::limits;
use std::io;
use std::pin::Pin;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, ReadHalf, WriteHalf};

/// Both directions at once, without knowing what carries them.
pub trait Stream: AsyncRead + AsyncWrite + Unpin + Send {}

impl<S: AsyncRead + AsyncWrite + Unpin + Send> Stream for S {}

type Carrier = Box<dyn Stream>;

/// The rest of a connection's life.
pub trait Conversation: Send {
    /// Talks until the conversation is over; the connection is then closed in good order. An error
    /// closes it at once.
    fn run<'a>(
        self: Box<Self>,
        wire: &'a mut Wire,
    ) -> Pin<Box<dyn Future<Output = io::Result<()>> + Send + 'a>>;
}

/// A conversation that is ready to begin.
pub type Talk = Box<dyn Conversation>;

/// The two directions of a connection.
pub struct Wire {
    /// From the peer.
    pub input: Incoming,
    /// To the peer.
    pub output: WriteHalf<Carrier>,
}

impl Wire {
    /// `early` came with the frame that has been answered.
    pub(super) fn new(stream: impl Stream + 'static, early: Vec<u8>) -> Self {
        let carrier: Carrier = Box::new(stream);
        let (read, output) = tokio::io::split(carrier);
        Self { input: Incoming { read, bytes: early, ended: false }, output }
    }

    pub(super) fn into_stream(self) -> Carrier {
        self.input.read.unsplit(self.output)
    }
}

/// The frames of a peer.
pub struct Incoming {
    read: ReadHalf<Carrier>,
    /// Read, and not yet handed out.
    bytes: Vec<u8>,
    ended: bool,
}

/// What a peer sent next.
#[derive(Debug, PartialEq, Eq)]
pub enum Line {
    /// A frame, without its LF.
    Frame(Vec<u8>),
    /// More than a frame may have; nothing after it can be understood.
    TooLarge,
}

impl Incoming {
    /// The next frame. A peer that has closed its writing half is waited for without end, since it may
    /// still read (`spec/README.md` point 31); where there are no halves its end is an error.
    /// Cancel-safe.
    ///
    /// # Errors
    /// When the connection breaks.
    pub async fn next(&mut self) -> io::Result<Line> {
        let mut seen = 0;
        loop {
            if let Some(end) = self.bytes[seen..].iter().position(|byte| *byte == b'\n') {
                let rest = self.bytes.split_off(seen + end + 1);
                let mut frame = std::mem::replace(&mut self.bytes, rest);
                frame.pop();
                // The LF counts too.
                return Ok(if frame.len() < limits::UHP_FRAME_BYTES {
                    Line::Frame(frame)
                } else {
                    Line::TooLarge
                });
            }
            seen = self.bytes.len();
            if seen >= limits::UHP_FRAME_BYTES {
                return Ok(Line::TooLarge);
            }
            self.read_more().await?;
        }
    }

    /// Reads and forgets whatever comes, for a conversation in which the peer has no say. Never
    /// succeeds.
    ///
    /// # Errors
    /// When the connection breaks.
    pub async fn ignore(&mut self) -> io::Error {
        loop {
            self.bytes.clear();
            if let Err(error) = self.read_more().await {
                return error;
            }
        }
    }

    async fn read_more(&mut self) -> io::Result<()> {
        if !self.ended {
            self.bytes.reserve(CHUNK_BYTES);
            if self.read.read_buf(&mut self.bytes).await? > 0 {
                return Ok(());
            }
            self.ended = true;
        }
        if cfg!(unix) { std::future::pending().await } else { Err(io::ErrorKind::UnexpectedEof.into()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncWriteExt, duplex};

    #[tokio::test]
    async fn frames_come_one_by_one_however_they_were_sent() {
        let (mut peer, stream) = duplex(64);
        let mut wire = Wire::new(stream, b"first\nsec".to_vec());
        peer.write_all(b"ond\n\nthird\n").await.unwrap();
        for wanted in ["first", "second", "", "third"] {
            assert_eq!(wire.input.next().await.unwrap(), Line::Frame(wanted.into()));
        }
    }

    #[tokio::test]
    async fn a_frame_has_a_largest_size() {
        let frame = |bytes: usize| [vec![b'x'; bytes - 1], b"\n".to_vec()].concat();
        let (_peer, stream) = duplex(64);
        let mut wire = Wire::new(stream, frame(limits::UHP_FRAME_BYTES));
        assert!(matches!(wire.input.next().await, Ok(Line::Frame(_))));
        for bytes in [frame(limits::UHP_FRAME_BYTES + 1), vec![b'x'; limits::UHP_FRAME_BYTES]] {
            let (_peer, stream) = duplex(64);
            assert_eq!(Wire::new(stream, bytes).input.next().await.unwrap(), Line::TooLarge);
        }
    }

    #[cfg(unix)]
    #[tokio::test(start_paused = true)]
    async fn the_end_of_input_is_no_end() {
        let (mut peer, stream) = duplex(64);
        let mut wire = Wire::new(stream, b"half".to_vec());
        peer.shutdown().await.unwrap();
        let limit = std::time::Duration::from_secs(60);
        assert!(tokio::time::timeout(limit, wire.input.next()).await.is_err());
    }
}
