//! Accepting connections, of this user only and so many at a time.

use super::origin::Peer;
use super::{Backend, connection};
use interprocess::local_socket::tokio::{Listener, Stream};
use interprocess::local_socket::traits::tokio::Listener as _;
use std::sync::Arc;
use std::time::Duration;

/// Accepts connections for ever.
pub async fn accept(listener: Listener, backend: Arc<Backend>) {
    loop {
        let stream = match listener.accept().await {
            Ok(stream) => stream,
            Err(error) => {
                // Out of descriptors, most likely: give connections a moment to end.
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            }
        };
        // One too many is closed: it would wait for others that may stay for days.
        let Ok(place) = Arc::clone(&backend.connections).try_acquire_owned() else { continue };
        let backend = Arc::clone(&backend);
        tokio::spawn(async move {
            serve(stream, backend).await;
            drop(place);
        });
    }
}

#[cfg(unix)]
async fn serve(stream: Stream, backend: Arc<Backend>) {
    let Stream::UdSocket(stream) = stream;
    let stream = tokio::net::UnixStream::from(stream);
    let Ok(credentials) = stream.peer_cred() else { return };
    if credentials.uid() != rustix::process::geteuid().as_raw() {
        tracing::warn!("a connection of another user was refused");
        return;
    }
    let pid = credentials.pid().and_then(|pid| u32::try_from(pid).ok());
    let gone = crate::server::gone::of(&stream);
    let (read, write) = stream.into_split();
    connection::serve(read, write, gone, Peer { pid }, backend).await;
}

/// The pipe's own security lets nobody else in. Its end is seen by reading.
#[cfg(windows)]
async fn serve(stream: Stream, backend: Arc<Backend>) {
    let (read, write) = tokio::io::split(stream);
    connection::serve(read, write, std::future::pending(), Peer { pid: None }, backend).await;
}
