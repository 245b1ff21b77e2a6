//! Bytes and messages: the handshake, then framed messages both ways.
//!
//! Both directions may be dropped in mid-wait and called again, so that the loop can select on them.

use super::options::{ClientError, Pipe};
use crate::protocol::attach::codec;
use crate::protocol::attach::hello::{Greeting, Hello, MAGIC};
use crate::protocol::attach::message::{ToClient, ToServer};
use crate::protocol::limits::ATTACH_REPLY_BYTES;
use std::future::Future;
use std::io::ErrorKind;
use std::pin::pin;
use std::task::Poll;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio_util::bytes::{Buf, Bytes, BytesMut};
use tokio_util::codec::{Decoder, Encoder, LengthDelimitedCodec};

/// Bytes asked of the stream at once: a whole picture of a large screen in one read.
const READ_BYTES: usize = 65_536;
/// Bytes read before the loop gets its turn, so that a flood cannot keep it from drawing.
const TURN_BYTES: usize = 1_048_576;
/// Bytes on their way to the server above which the loop takes no more input.
const PENDING_BYTES: usize = 2_097_152;

/// A connection after its handshake.
pub struct Connection {
    /// What comes.
    pub incoming: Incoming,
    /// What goes.
    pub outgoing: Outgoing,
}

/// The reading half.
pub struct Incoming {
    reader: Box<dyn AsyncRead + Send + Unpin>,
    framing: LengthDelimitedCodec,
    received: BytesMut,
}

/// The writing half.
pub struct Outgoing {
    writer: Box<dyn AsyncWrite + Send + Unpin>,
    framing: LengthDelimitedCodec,
    pending: BytesMut,
    broken: bool,
}

impl Connection {
    /// Makes the handshake.
    ///
    /// # Errors
    /// [`ClientError::Refused`] with the server's text, [`ClientError::Protocol`] for an answer that
    /// is none, [`ClientError::ServerDied`] when the stream ends.
    pub async fn open(pipe: Pipe, hello: &Hello) -> Result<Self, ClientError> {
        let framing = codec::framing(ATTACH_REPLY_BYTES);
        let mut outgoing = Outgoing {
            writer: pipe.writer,
            framing: framing.clone(),
            pending: BytesMut::from(&MAGIC[..]),
            broken: false,
        };
        let mut incoming = Incoming { reader: pipe.reader, framing, received: BytesMut::new() };
        let hello = serde_json::to_vec(hello).map_err(|error| ClientError::Protocol(error.to_string()))?;
        outgoing.enqueue(hello)?;
        // A server that refuses may close before it has read everything; its answer still counts.
        outgoing.flush().await;
        let answer = incoming.frame().await?;
        match serde_json::from_slice(&answer) {
            Ok(Greeting::Welcome { .. }) => Ok(Self { incoming, outgoing }),
            Ok(Greeting::Refused { versions, message, .. }) if versions.is_empty() => {
                Err(ClientError::NotNow(message))
            }
            Ok(Greeting::Refused { message, .. }) => Err(ClientError::Refused(message)),
            Err(error) => Err(ClientError::Protocol(error.to_string())),
        }
    }
}

impl Outgoing {
    /// Puts a message on its way; [`Self::flush`] writes it.
    ///
    /// # Errors
    /// [`ClientError::Protocol`] for a message that has no encoding.
    pub fn send(&mut self, message: &ToServer) -> Result<(), ClientError> {
        let bytes = codec::encode(message).map_err(|error| ClientError::Protocol(error.to_string()))?;
        self.enqueue(bytes)
    }

    fn enqueue(&mut self, bytes: Vec<u8>) -> Result<(), ClientError> {
        if self.broken {
            return Ok(());
        }
        self.framing
            .encode(Bytes::from(bytes), &mut self.pending)
            .map_err(|error| ClientError::Protocol(error.to_string()))
    }

    /// Whether something waits to be written.
    pub fn has_pending(&self) -> bool {
        !self.pending.is_empty()
    }

    /// Whether there is room for more messages.
    pub fn has_room(&self) -> bool {
        self.pending.len() < PENDING_BYTES
    }

    /// Writes what waits. A stream that is broken swallows it: its end shows in reading, after
    /// whatever the server still had to say.
    pub async fn flush(&mut self) {
        if let Err(_gone) = self.try_flush().await {
            self.broken = true;
            self.pending.clear();
        }
    }

    async fn try_flush(&mut self) -> std::io::Result<()> {
        while self.pending.has_remaining() {
            if self.writer.write_buf(&mut self.pending).await? == 0 {
                return Err(std::io::ErrorKind::WriteZero.into());
            }
        }
        self.writer.flush().await
    }
}

impl Incoming {
    /// Waits for a message, then adds every message that is already there to `messages`.
    ///
    /// # Errors
    /// [`ClientError::ServerDied`] at the end of the stream, [`ClientError::Protocol`] for bytes that
    /// are no message; what was received before it is in `messages`.
    pub async fn receive(&mut self, messages: &mut Vec<ToClient>) -> Result<(), ClientError> {
        let mut turn_bytes = 0;
        loop {
            while let Some(frame) = self.buffered_frame()? {
                let message = codec::decode(&frame);
                messages.push(message.map_err(|error| ClientError::Protocol(error.to_string()))?);
            }
            if messages.is_empty() {
                self.read().await?;
            } else {
                match self.read_ready().await {
                    Some(bytes) if bytes > 0 && turn_bytes < TURN_BYTES => turn_bytes += bytes,
                    _ => return Ok(()),
                }
            }
        }
    }

    fn buffered_frame(&mut self) -> Result<Option<BytesMut>, ClientError> {
        self.framing.decode(&mut self.received).map_err(|error| ClientError::Protocol(error.to_string()))
    }

    async fn frame(&mut self) -> Result<BytesMut, ClientError> {
        loop {
            if let Some(frame) = self.buffered_frame()? {
                return Ok(frame);
            }
            self.read().await?;
        }
    }

    async fn read(&mut self) -> Result<(), ClientError> {
        self.received.reserve(READ_BYTES);
        match self.reader.read_buf(&mut self.received).await {
            Err(error) if error.kind() == ErrorKind::NetworkDown => Err(ClientError::LinkLost),
            Ok(0) | Err(_) => Err(ClientError::ServerDied),
            Ok(_) => Ok(()),
        }
    }

    /// Reads what is there without waiting: `None` if nothing is, zero at the end or on failure
    /// (which the next [`Self::read`] reports).
    async fn read_ready(&mut self) -> Option<usize> {
        self.received.reserve(READ_BYTES);
        let mut read = pin!(self.reader.read_buf(&mut self.received));
        std::future::poll_fn(|context| {
            Poll::Ready(match read.as_mut().poll(context) {
                Poll::Ready(result) => Some(result.unwrap_or(0)),
                Poll::Pending => None,
            })
        })
        .await
    }
}
