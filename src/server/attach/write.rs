//! Sending: whatever waits goes out as one write.

use crate::protocol::attach::codec;
use crate::protocol::attach::message::ToClient;
use std::io;
use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc;

/// How many messages may wait for one client. Few, because pictures get old: a pump takes its
/// picture only when there is room here.
pub const OUTGOING: usize = 8;

/// Writes messages until their senders are gone or the client is.
///
/// # Errors
/// The error of a failed write: the client is gone.
pub async fn write(
    mut socket: impl AsyncWrite + Unpin,
    mut messages: mpsc::Receiver<ToClient>,
) -> io::Result<()> {
    let mut batch = Vec::with_capacity(OUTGOING);
    let mut bytes = Vec::new();
    while messages.recv_many(&mut batch, OUTGOING).await > 0 {
        for message in batch.drain(..) {
            append(&mut bytes, &message)?;
        }
        socket.write_all(&bytes).await?;
        bytes.clear();
        bytes.shrink_to(1 << 18);
    }
    socket.flush().await
}

/// Appends one message with its length in front.
fn append(bytes: &mut Vec<u8>, message: &ToClient) -> io::Result<()> {
    let encoded = codec::encode(message).map_err(io::Error::other)?;
    let length = u32::try_from(encoded.len()).map_err(io::Error::other)?;
    bytes.extend_from_slice(&length.to_be_bytes());
    bytes.extend_from_slice(&encoded);
    Ok(())
}
