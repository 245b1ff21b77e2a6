//! The one endpoint of a session: accepts connections, tells the protocols apart by their first
//! bytes, and counts them.

mod gone;
mod replay;

use crate::protocol::attach::hello::MAGIC;
use crate::protocol::limits;
use crate::server::attach::{self, Attachments};
use crate::server::uhp::{self, Service};
use interprocess::local_socket::tokio::{Listener, Stream};
use interprocess::local_socket::traits::tokio::Listener as _;
use replay::Replay;
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite};
use tokio::sync::Semaphore;
use tokio::time::timeout;

/// What every connection needs.
pub struct Drivers {
    /// For native clients.
    pub attachments: Attachments,
    /// For the JSON protocols.
    pub service: Arc<Service>,
}

/// Accepts connections for ever. A failed accept (out of descriptors) waits for a connection to end
/// before it tries again.
pub async fn accept(listener: Listener, drivers: Arc<Drivers>) {
    let connections = Arc::new(Semaphore::new(limits::API_CONNECTIONS + limits::ATTACHED_CLIENTS));
    loop {
        // Connections past the bound wait in the listener's backlog.
        let Ok(permit) = Arc::clone(&connections).acquire_owned().await else { return };
        let stream = match listener.accept().await {
            Ok(stream) => stream,
            Err(error) => {
                tracing::warn!(%error, "a connection could not be accepted");
                drop(permit);
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            }
        };
        let drivers = Arc::clone(&drivers);
        tokio::spawn(async move {
            if let Err(error) = connection(stream, &drivers).await {
                tracing::debug!(%error, "a connection ended");
            }
            drop(permit);
        });
    }
}
