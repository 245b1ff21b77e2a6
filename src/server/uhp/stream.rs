//! Connections that stay open after their acknowledgment: what a stream is, and its way to the peer.
//!
//! Invariant: a peer that does not read holds a stream for a bounded time only, and one that has gone
//! for none; the end of a peer's input alone is not its end (`spec/README.md` point 31).

use std::io;
use std::pin::Pin;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::time::timeout;

/// How long a peer may take to read one frame.
const WRITE: Duration = Duration::from_secs(10);
/// Bytes of one read.
const CHUNK_BYTES: usize = 4_096;

/// A future of a stream's.
pub type Run<'a> = Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

/// What follows an acknowledgment, until it ends by itself; then the connection is closed.
pub trait Stream: Send {
    /// Serves the peer.
    fn run<'a>(self: Box<Self>, wire: Wire<'a>) -> Run<'a>;
}

/// Both ways of a connection.
pub struct Wire<'a> {
    /// What the peer sends after its request.
    pub input: Input<'a>,
    /// What is sent to it.
    pub output: Output<'a>,
}

/// The way from the peer.
pub struct Input<'a> {
    /// The bytes after the request's LF.
    pub bytes: Pin<Box<dyn AsyncRead + Send + 'a>>,
    gone: Run<'a>,
}

/// The way to the peer.
pub struct Output<'a> {
    bytes: Pin<Box<dyn AsyncWrite + Send + 'a>>,
}

impl<'a> Wire<'a> {
    /// A connection; `gone` resolves when the peer has left altogether.
    pub fn new(
        input: impl AsyncRead + Send + 'a,
        output: impl AsyncWrite + Send + 'a,
        gone: impl Future<Output = ()> + Send + 'a,
    ) -> Self {
        Self {
            input: Input { bytes: Box::pin(input), gone: Box::pin(gone) },
            output: Output { bytes: Box::pin(output) },
        }
    }
}

impl Input<'_> {
    /// Ignores whatever the peer sends, until it has gone. Cancel-safe.
    pub async fn gone(&mut self) {
        let Self { bytes, gone } = self;
        tokio::select! {
            () = gone => {}
            () = ended(bytes) => {}
        }
    }
}

/// Reads to the end. With half-closed connections that end means nothing; without, the peer has gone.
async fn ended(bytes: &mut Pin<Box<dyn AsyncRead + Send + '_>>) {
    let mut chunk = [0; CHUNK_BYTES];
    loop {
        match bytes.read(&mut chunk).await {
            Ok(0) if cfg!(unix) => std::future::pending().await,
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
    }
}

impl Output<'_> {
    /// Writes a whole frame.
    ///
    /// # Errors
    /// When the peer has gone, or has read nothing for a while.
    pub async fn send(&mut self, frame: &[u8]) -> io::Result<()> {
        let write = async {
            self.bytes.write_all(frame).await?;
            self.bytes.flush().await
        };
        timeout(WRITE, write).await.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
    }
}
