//! Connecting, and connecting again: after a restart of the server, and after the line to another machine broke.

use super::connection::Connection;
use super::options::{ClientError, Pipe, Reconnect};
use crate::protocol::attach::hello::Hello;
use std::future::Future;
use std::io::ErrorKind;
use std::pin::Pin;
use std::time::Duration;
use tokio::time::{sleep, timeout};

/// How long a handshake may take.
const HANDSHAKE: Duration = Duration::from_secs(5);
/// How attempts to connect again go on.
#[derive(Debug, Clone, Copy)]
pub struct Patience {
    /// How long the last frame is kept.
    seconds: u64,
    /// The first and the longest pause between two attempts.
    first: Duration,
    longest: Duration,
    /// Whether the server should be there all the time: one that is not has ended.
    server_stays: bool,
}

/// After the server said that it restarts (`spec/README.md` point 12).
pub const RESTARTED: Patience = Patience {
    seconds: 10,
    first: Duration::from_millis(50),
    longest: Duration::from_millis(800),
    server_stays: false,
};
/// After the line to another machine broke: a person may be on a train.
pub const LINK_LOST: Patience = Patience {
    seconds: 12 * 60 * 60,
    first: Duration::from_millis(500),
    longest: Duration::from_secs(30),
    server_stays: true,
};

/// Attempts on their way, and what they come to.
pub type Returning = Pin<Box<dyn Future<Output = (Reconnect, Result<Box<Connection>, ClientError>)> + Send>>;

/// Makes the handshake.
///
/// # Errors
/// What [`Connection::open`] says; an answer that does not come in time.
pub async fn handshake(pipe: Pipe, hello: &Hello) -> Result<Box<Connection>, ClientError> {
    let opened = timeout(HANDSHAKE, Connection::open(pipe, hello)).await;
    opened.map_err(|_| ClientError::Silent)?.map(Box::new)
}

/// Tries to connect until it works, the server refuses, or the time is over.
pub async fn come_back(
    mut reconnect: Reconnect,
    hello: Hello,
    patience: Patience,
) -> (Reconnect, Result<Box<Connection>, ClientError>) {
    let attempts = async {
        let mut pause = patience.first;
        loop {
            match reconnect().await {
                Ok(pipe) => match handshake(pipe, &hello).await {
                    Err(
                        ClientError::ServerDied
                        | ClientError::Protocol(_)
                        | ClientError::Silent
                        | ClientError::NotNow(_)
                        | ClientError::LinkLost,
                    ) => {}
                    result => return result,
                },
                Err(error) if patience.server_stays && error.kind() == ErrorKind::NotFound => {
                    return Err(ClientError::ServerDied);
                }
                Err(_) => {}
            }
            sleep(pause).await;
            pause = (pause * 2).min(patience.longest);
        }
    };
    let result = timeout(Duration::from_secs(patience.seconds), attempts).await;
    let result = result.unwrap_or(Err(if patience.server_stays {
        ClientError::LinkLost
    } else {
        ClientError::NotBack(patience.seconds)
    }));
    (reconnect, result)
}
