//! Knowing that a peer is gone while nothing is read from it: the end of its input alone is not its
//! end, since a client may close its writing half after its request (`spec/README.md` point 31).

use std::io;
use std::os::fd::AsFd as _;
use tokio::io::Interest;
use tokio::net::UnixStream;

/// Resolves when the peer of `stream` has left altogether, or cannot be watched.
pub fn of(stream: &UnixStream) -> impl Future<Output = ()> + Send + use<> {
    let peer = Peer::of(stream);
    async move {
        match peer {
            Ok(peer) => peer.gone().await,
            Err(error) => tracing::debug!(%error, "a connection cannot be watched"),
        }
    }
}

/// A watch over a connection's peer.
struct Peer(UnixStream);

impl Peer {
    /// Watches the peer of `stream`.
    ///
    /// # Errors
    /// When the descriptor cannot be duplicated or registered.
    fn of(stream: &UnixStream) -> io::Result<Self> {
        let twin = std::os::unix::net::UnixStream::from(stream.as_fd().try_clone_to_owned()?);
        Ok(Self(UnixStream::from_std(twin)?))
    }

    /// Resolves when the peer has closed both halves. Readiness is edge-triggered, so this sleeps
    /// until the state of the connection changes.
    async fn gone(&self) {
        while let Ok(ready) = self.0.ready(Interest::WRITABLE).await {
            if ready.is_write_closed() {
                return;
            }
            // Forgets this readiness, so that the next turn waits for the next edge.
            let _ = self.0.try_io(Interest::WRITABLE, || Err::<(), _>(io::ErrorKind::WouldBlock.into()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;
    use tokio::io::AsyncWriteExt;
    use tokio::time::timeout;

    #[tokio::test]
    async fn a_closed_half_is_not_gone_and_a_closed_connection_is() {
        let (mut client, server) = UnixStream::pair().expect("a pair of sockets");
        let peer = Peer::of(&server).expect("a watch");
        client.shutdown().await.expect("a closed half");
        assert!(timeout(Duration::from_millis(50), peer.gone()).await.is_err());
        drop(client);
        assert!(timeout(Duration::from_secs(5), peer.gone()).await.is_ok());
    }
}
