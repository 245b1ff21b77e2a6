//! The task that writes what a child did not take at once.
//!
//! Invariant: it knows the queue and the PTY and nothing else; it never waits for the reader.

use super::pty::Pty;
use super::shared::Shared;
use std::sync::Arc;

/// Writes until the PTY fails; the worker learns of that by itself, and ends this task.
pub(super) async fn run(shared: Arc<Shared>, pty: Arc<Pty>) {
    loop {
        shared.input.filled().await;
        match pty.write_with(|pty| shared.input.write(pty)).await {
            Ok(true) => {}
            Ok(false) => tokio::task::yield_now().await,
            Err(_) => return,
        }
    }
}
