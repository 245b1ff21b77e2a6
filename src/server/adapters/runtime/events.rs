//! `events.subscribe` (`runtime.md` section 6.4): the newest snapshot whenever there is another one.
//!
//! Invariant: each event has a higher revision than the one before; a slow reader skips revisions and
//! never queues them.

use super::Context;
use crate::protocol::params::{Params, integer};
use crate::protocol::runtime::envelope;
use crate::protocol::runtime::error::Failure;
use crate::server::exchange::{Conversation, Wire};
use serde_json::{Value, json};
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::time::timeout;

/// How long a reader may block one event.
const WRITE: Duration = Duration::from_secs(5);

/// An acknowledged subscription.
pub struct Follower {
    context: Arc<Context>,
    /// What its reader has.
    revision: Option<u64>,
}

/// `events.subscribe`: the acknowledgement, and what follows it.
pub fn subscribe(mut params: Params, context: &Arc<Context>) -> Result<(Value, Follower), Failure> {
    let since = params.nullable("since_revision", integer(0..=u64::MAX))?;
    params.finish()?;
    let current = context.tracker.snapshot(&context.hub).revision;
    let result = json!({"subscription_id": context.next_subscription(), "current_revision": current});
    let revision = since.filter(|since| *since == current);
    Ok((result, Follower { context: Arc::clone(context), revision }))
}

impl Follower {
    /// Writes events until the server stops.
    ///
    /// # Errors
    /// When the reader is gone or does not read.
    pub async fn follow(&mut self, output: &mut (impl AsyncWrite + Unpin)) -> io::Result<()> {
        let mut looks = self.context.tracker.looks();
        loop {
            let stopped = looks.borrow_and_update().stopped;
            let snapshot = self.context.tracker.snapshot(&self.context.hub);
            if self.revision != Some(snapshot.revision) {
                self.revision = Some(snapshot.revision);
                let line = envelope::event(&snapshot);
                let written = timeout(WRITE, output.write_all(&line)).await;
                written.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))?;
            }
            if stopped || looks.changed().await.is_err() {
                return Ok(());
            }
        }
    }
}

impl Conversation for Follower {
    fn run<'a>(
        mut self: Box<Self>,
        wire: &'a mut Wire,
    ) -> Pin<Box<dyn Future<Output = io::Result<()>> + Send + 'a>> {
        Box::pin(async move {
            let Wire { input, output } = wire;
            tokio::select! {
                biased;
                broken = input.ignore() => Err(broken),
                followed = self.follow(output) => followed,
            }
        })
    }
}
