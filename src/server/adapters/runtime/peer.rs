//! Knowing that a peer on the loopback has gone (`spec/README.md` point 31). The end of its input alone
//! does not tell: a client may close its writing half after its request. Whether it still holds its
//! socket does, and the system knows.

use std::io::{self, ErrorKind};
use std::time::Duration;
use tokio::io::Interest;
use tokio::net::TcpStream;
use tokio::time::timeout;

/// Between two questions about a peer that has closed its writing half: nothing tells when it closes
/// the other one. Only asked while such a peer is waited for.
const ASK_AGAIN: Duration = Duration::from_secs(1);

/// Resolves when the peer has gone. What it still sends is read and forgotten.
pub(super) async fn gone(stream: &TcpStream) {
    if read_to_end(stream).await.is_err() {
        return;
    }
    loop {
        if system::has_left(stream).await {
            return;
        }
        // A reset shows at once.
        if let Ok(broken) = timeout(ASK_AGAIN, stream.ready(Interest::ERROR)).await {
            if broken.is_err() {
                std::future::pending::<()>().await;
            }
            return;
        }
    }
}

/// Returns at the end of the peer's input.
async fn read_to_end(stream: &TcpStream) -> io::Result<()> {
    let mut chunk = [0; 4_096];
    loop {
        let ready = stream.ready(Interest::READABLE | Interest::ERROR).await?;
        if ready.is_error() {
            return Err(ErrorKind::ConnectionReset.into());
        }
        match stream.try_read(&mut chunk) {
            Ok(0) => return Ok(()),
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            Err(error) => return Err(error),
        }
    }
}

#[cfg(target_os = "linux")]
mod system {
    use std::net::SocketAddr;
    use tokio::net::TcpStream;

    /// Both tables of sockets: a peer may use an IPv6 socket for an IPv4 address.
    const TABLES: [&str; 2] = ["/proc/net/tcp", "/proc/net/tcp6"];

    /// Whether no process holds the other end any more.
    pub(super) async fn has_left(stream: &TcpStream) -> bool {
        let (Ok(peer), Ok(own)) = (stream.peer_addr(), stream.local_addr()) else { return true };
        let looked = tokio::task::spawn_blocking(move || {
            let tables = TABLES.iter().filter_map(|table| std::fs::read_to_string(table).ok());
            let tables: Vec<String> = tables.collect();
            !tables.is_empty() && !tables.iter().any(|table| is_held(table, peer, own))
        });
        looked.await.unwrap_or(false)
    }

    /// Whether a table has that socket, and a process has it: one without is only waiting to be forgotten.
    pub(super) fn is_held(table: &str, local: SocketAddr, remote: SocketAddr) -> bool {
        let (Some(local), Some(remote)) = (written(local), written(remote)) else { return true };
        table.lines().skip(1).any(|line| {
            let mut fields = line.split_ascii_whitespace().skip(1);
            let here = fields.next().is_some_and(|field| field.ends_with(&local));
            let there = fields.next().is_some_and(|field| field.ends_with(&remote));
            here && there && fields.nth(6).is_some_and(|inode| inode != "0")
        })
    }

    /// As the tables have it: the address in the machine's order of bytes.
    fn written(address: SocketAddr) -> Option<String> {
        let SocketAddr::V4(address) = address else { return None };
        let bytes = u32::from_ne_bytes(address.ip().octets());
        Some(format!("{bytes:08X}:{:04X}", address.port()))
    }
}

/// Not told: such a peer's wait is given up when keep-alive finds nobody.
#[cfg(not(target_os = "linux"))]
mod system {
    use tokio::net::TcpStream;

    pub(super) async fn has_left(_: &TcpStream) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::AsyncWriteExt as _;
    use tokio::net::TcpListener;

    async fn pair() -> (TcpStream, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a listener");
        let client = TcpStream::connect(listener.local_addr().expect("an address")).await.expect("connected");
        (client, listener.accept().await.expect("accepted").0)
    }

    #[tokio::test]
    async fn a_peer_that_may_still_read_is_not_gone() {
        let (mut client, server) = pair().await;
        client.write_all(b"more").await.expect("written");
        client.shutdown().await.expect("a closed half");
        assert!(timeout(Duration::from_millis(1_200), gone(&server)).await.is_err());
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn a_peer_that_closed_is_gone_at_once_and_one_that_did_so_by_halves_soon() {
        let (client, server) = pair().await;
        drop(client);
        assert!(timeout(Duration::from_millis(500), gone(&server)).await.is_ok());
        let (mut client, server) = pair().await;
        client.shutdown().await.expect("a closed half");
        let later = async {
            tokio::time::sleep(Duration::from_millis(100)).await;
            drop(client);
        };
        let (seen, ()) = tokio::join!(timeout(Duration::from_secs(5), gone(&server)), later);
        assert!(seen.is_ok());
    }
}
