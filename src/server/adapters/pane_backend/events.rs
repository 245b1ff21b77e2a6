//! Push events to every connection (`pane-backend.md` section 5).
//!
//! Invariant: telling waits for nobody. A connection whose queue is full is closed.

use super::connection::Line;
use crate::protocol::pane_backend::envelope;
use serde_json::Value;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{mpsc, oneshot};

/// Those who are told.
#[derive(Default)]
pub struct Events(Mutex<State>);

#[derive(Default)]
struct State {
    listeners: Vec<Listener>,
    last: u64,
    closed: bool,
}

struct Listener {
    id: u64,
    queue: mpsc::Sender<Line>,
    /// Sent when the server ends in good order, dropped when the listener fell behind.
    end: oneshot::Sender<()>,
}

/// A connection's place among those who are told, until it is dropped.
pub struct Membership {
    events: Arc<Events>,
    id: u64,
    /// Resolves when the connection is to be closed: with a value in good order, else at once.
    pub end: oneshot::Receiver<()>,
}

impl Events {
    /// From now on that queue gets every event; nothing once the server ends.
    pub fn join(self: &Arc<Self>, queue: mpsc::Sender<Line>) -> Option<Membership> {
        let mut state = self.lock();
        if state.closed {
            return None;
        }
        let (end, ended) = oneshot::channel();
        state.last += 1;
        let id = state.last;
        state.listeners.push(Listener { id, queue, end });
        drop(state);
        Some(Membership { events: Arc::clone(self), id, end: ended })
    }

    /// Tells everybody.
    pub fn tell(&self, method: &str, params: &Value) {
        let line: Arc<[u8]> = envelope::event(method, params).into();
        self.lock().listeners.retain(|listener| listener.queue.try_send(Line::event(&line)).is_ok());
    }

    /// Ends all connections in good order; there will be no others.
    pub fn close(&self) {
        let mut state = self.lock();
        state.closed = true;
        for listener in state.listeners.drain(..) {
            // One that has gone need not be told.
            let _ = listener.end.send(());
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Every change is complete in itself.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Membership {
    fn drop(&mut self) {
        let id = self.id;
        self.events.lock().listeners.retain(|listener| listener.id != id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[tokio::test]
    async fn who_falls_behind_is_dropped_and_the_others_are_not() {
        let events = Arc::new(Events::default());
        let (slow, mut never_read) = mpsc::channel(2);
        let (fast, mut read) = mpsc::channel(10);
        let mut behind = events.join(slow).unwrap();
        let present = events.join(fast).unwrap();
        for number in 0..5 {
            events.tell("e", &json!({"n": number}));
        }
        assert!((&mut behind.end).await.is_err(), "it has lost an event");
        for number in 0..5 {
            let line = read.recv().await.unwrap();
            assert_eq!(line.text(), format!("{{\"method\":\"e\",\"params\":{{\"n\":{number}}}}}\n"));
        }
        assert!(never_read.recv().await.is_some());
        events.close();
        let mut present = present;
        assert!((&mut present.end).await.is_ok(), "in good order");
        assert!(events.join(mpsc::channel(1).0).is_none());
    }
}
