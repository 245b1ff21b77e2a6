//! From a terminal's output to frames.
//!
//! Invariants: a frame is captured only when more was announced than the newest frame shows, so nothing
//! is polled and nothing told twice; what a child printed last is always told, since its announcement
//! outlives any write. A frame that is queued counts as told: if it cannot be written, the stream ends.

use super::super::Context;
use super::super::methods::terminal::capture_mode;
use super::outbox::{Outbox, Overflow};
use crate::protocol::limits;
use crate::protocol::uhp::envelope;
use crate::protocol::uhp::stream::Open;
use crate::server::hub::Snapshot;
use crate::server::terminal::engine::{Capture, CaptureRequest};
use crate::server::terminal::handle::{Announced, PaneHandle};
use serde_json::{Value, json};
use tokio::sync::watch;

/// What a stream shows.
pub struct Source {
    pub handle: PaneHandle,
    pub open: Open,
    snapshots: watch::Receiver<Snapshot>,
    /// Of the newest frame.
    sequence: u64,
    revision: Option<u64>,
}

/// How the frames came to their end.
#[derive(Debug, PartialEq, Eq)]
pub enum End {
    /// The terminal is closed.
    Closed,
    /// The reader is too slow.
    Overflow,
}

impl Source {
    /// Frames of a terminal that was found; the first one has the number `sequence`.
    pub fn new(context: &Context, handle: PaneHandle, open: Open, sequence: u64) -> Self {
        Self { handle, open, snapshots: context.hub.snapshots(), sequence, revision: None }
    }

    /// Puts frames into `outbox` until the terminal is closed or the reader too slow.
    pub async fn run(&mut self, outbox: &Outbox) -> End {
        match self.follow(outbox).await {
            Ok(()) => End::Closed,
            Err(Overflow) => End::Overflow,
        }
    }

    async fn follow(&mut self, outbox: &Outbox) -> Result<(), Overflow> {
        let mut ready = self.handle.ready();
        self.tell(outbox, self.sequence).await?;
        loop {
            let Announced { revision, sequence } = *ready.borrow_and_update();
            if self.revision.is_some_and(|told| told >= revision) {
                tokio::select! {
                    changed = ready.changed() => if changed.is_err() { break },
                    () = closed(&mut self.snapshots, &self.handle) => break,
                }
            } else if !self.tell(outbox, sequence).await? {
                break;
            }
        }
        // The child has ended. What it printed last may still be there to be told; a pane that is held
        // stays to be looked at.
        let sequence = ready.borrow().sequence;
        self.tell(outbox, sequence).await?;
        closed(&mut self.snapshots, &self.handle).await;
        Ok(())
    }

    /// Captures, and queues a frame if there is something new to see; whether there still is a terminal.
    async fn tell(&mut self, outbox: &Outbox, sequence: u64) -> Result<bool, Overflow> {
        let request = CaptureRequest {
            mode: capture_mode(self.open.mode),
            lines: self.open.lines,
            ansi: self.open.ansi,
            max_bytes: limits::STREAM_BYTES,
            cursor: self.open.cursor,
        };
        let Ok(capture) = self.handle.capture(request).await else { return Ok(false) };
        if self.revision.is_none_or(|told| capture.revision > told) {
            self.sequence = self.sequence.max(sequence);
            self.revision = Some(capture.revision);
            outbox.frame(envelope::event("terminal.frame", self.sequence, &self.data(&capture)))?;
        }
        Ok(true)
    }

    fn data(&self, capture: &Capture) -> Value {
        let locator = &self.open.locator;
        let mut data = json!({
            "server_generation": locator.generation.to_string(),
            "terminal_id": locator.terminal.to_string(),
            "pane_id": self.handle.pane().to_string(),
            "content_revision": capture.revision,
            "mode": self.open.mode.as_str(),
            "ansi": self.open.ansi,
            "text": capture.text,
            "lines": capture.text.matches('\n').count() + 1,
            "bytes": capture.text.len(),
            "truncated": capture.truncated,
        });
        if self.open.cursor {
            data["cursor"] = capture.cursor.map_or(
                Value::Null,
                |cursor| json!({"offset": cursor.offset, "padding_cells": cursor.padding_cells}),
            );
        }
        data
    }

    /// The event that tells a reader that it has missed something: it has the number of the frame for
    /// which there was no room.
    pub fn resync(&self) -> Vec<u8> {
        let data = json!({"reason": "subscriber_overflow"});
        envelope::event("terminal.resync_required", self.sequence, &data)
    }
}

/// Waits until the terminal is removed, or the server ends.
async fn closed(snapshots: &mut watch::Receiver<Snapshot>, handle: &PaneHandle) {
    let (pane, terminal) = (handle.pane(), handle.terminal());
    let is_there = |snapshot: &Snapshot| {
        snapshot.directory.panes.get(&pane).is_some_and(|entry| entry.handle.terminal() == terminal)
    };
    // An error means that the hub is gone.
    let _ = snapshots.wait_for(|snapshot| !is_there(snapshot)).await;
}
