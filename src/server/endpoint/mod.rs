//! The one endpoint of a session: accepts connections, tells the protocols apart by their first
//! bytes, and counts them.

mod replay;

use crate::protocol::attach::hello::MAGIC;
use crate::protocol::limits;
use crate::server::attach::{self, Attachments};
use crate::server::exchange::{self, Begun, Service};
use crate::server::uhp::Place;
use interprocess::local_socket::tokio::{Listener, Stream};
use interprocess::local_socket::traits::tokio::Listener as _;
use replay::Replay;
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite};
use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout, timeout_at};

/// What every connection needs.
pub struct Drivers {
    /// For native clients.
    pub attachments: Attachments,
    /// For the JSON protocols.
    pub service: Arc<Service>,
}

/// How long the end of a server waits for its last answers to be written. It comes after the end of
/// the children (at most 2 s), and both together have to stay below the 3 s of `uhp.md` section 13.
const LAST_WORDS: Duration = Duration::from_millis(750);
/// Bytes of a connection that are read before its protocol is known: most requests are shorter.
const FIRST_BYTES: usize = 4_096;
/// Connections of all kinds at a time.
const CONNECTIONS: usize = limits::API_CONNECTIONS + limits::ATTACHED_CLIENTS;

/// The connections that are served; past the bound they wait in the listener's backlog.
pub struct Connections(Arc<Semaphore>);

impl Default for Connections {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(CONNECTIONS)))
    }
}

impl Connections {
    /// Waits until every connection has ended, within a bound.
    pub async fn ended(&self) {
        let all = u32::try_from(CONNECTIONS).unwrap_or(u32::MAX);
        let _ = timeout(LAST_WORDS, self.0.acquire_many(all)).await;
    }
}

/// Accepts connections for ever.
pub async fn accept(listener: Listener, drivers: Arc<Drivers>, connections: Arc<Connections>) {
    loop {
        let Ok(permit) = Arc::clone(&connections.0).acquire_owned().await else { return };
        let stream = match listener.accept().await {
            Ok(stream) => stream,
            Err(error) => {
                // Out of descriptors, most likely: give connections a moment to end.
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            }
        };
        let (drivers, place) = (Arc::clone(&drivers), drivers.service.place());
        tokio::spawn(async move {
            if let Err(error) = connection(stream, place, &drivers).await {
                tracing::debug!(%error, "a connection ended");
            }
            drop(permit);
        });
    }
}

/// Serves one connection: the attach protocol if it begins with its magic bytes, JSON otherwise.
#[cfg(unix)]
async fn connection(stream: Stream, place: Place, drivers: &Drivers) -> io::Result<()> {
    let Stream::UdSocket(stream) = stream;
    negotiate(tokio::net::UnixStream::from(stream), crate::server::gone::of, place, drivers).await
}

/// Serves one connection. A named pipe has no half-closed state: its end is seen by reading.
#[cfg(windows)]
async fn connection(stream: Stream, place: Place, drivers: &Drivers) -> io::Result<()> {
    negotiate(stream, |_| std::future::pending(), place, drivers).await
}

async fn negotiate<S, G>(
    mut stream: S,
    watch: impl Fn(&S) -> G + Send,
    place: Place,
    drivers: &Drivers,
) -> io::Result<()>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    G: Future<Output = ()> + Send,
{
    let deadline = Instant::now() + Duration::from_millis(limits::FIRST_FRAME_MS);
    let mut early = Vec::with_capacity(FIRST_BYTES);
    match timeout_at(deadline, stream.read_buf(&mut early)).await {
        Ok(read) => read?,
        Err(_) => {
            drivers.service.late();
            return Ok(());
        }
    };
    match early.first() {
        None => return Ok(()),
        Some(first) if *first != MAGIC[0] => {
            let begun = Begun { stream, early, deadline };
            exchange::serve(begun, watch, place, &drivers.service).await;
            return Ok(());
        }
        Some(_) => {}
    }
    // A native client needs no place among the JSON connections.
    drop(place);
    let mut stream = Replay::new(early, stream);
    let mut magic = [0; MAGIC.len()];
    timeout_at(deadline, stream.read_exact(&mut magic)).await.map_err(|_| io::ErrorKind::TimedOut)??;
    if &magic != MAGIC {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "neither a client nor a JSON request"));
    }
    attach::serve(stream, &drivers.attachments).await
}
