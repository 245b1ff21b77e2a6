//! The bus: one sequence for all events of the server, those that may be asked for again, and the
//! queues of those who listen.
//!
//! Invariants: numbers have no holes; whoever holds a [`Turn`] sees the session, the sequence and
//! the terminals' revisions of one instant; a listener that does not keep up loses its subscription
//! and costs nobody else anything. The lock is held for moments and never across an await.

use super::event::{Body, Change, Place, TerminalEvent};
use crate::protocol::ids::{PaneId, TerminalId};
use crate::protocol::limits::{EVENT_QUEUE, EVENT_REPLAY, EVENT_REPLAY_BYTES, EVENT_SUBSCRIBERS};
use std::collections::{HashMap, VecDeque};
use std::convert::Infallible;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use tokio::sync::{mpsc, oneshot};

/// A numbered event.
#[derive(Debug)]
pub struct Event {
    /// Its number.
    pub sequence: u64,
    /// What happened.
    pub body: Body,
    frame: OnceLock<Arc<[u8]>>,
}

impl Event {
    fn new(sequence: u64, body: Body) -> Self {
        Self { sequence, body, frame: OnceLock::new() }
    }

    /// Its frame on the wire, written once for all who listen.
    pub fn frame(&self, write: impl FnOnce(&Self) -> Vec<u8>) -> Arc<[u8]> {
        Arc::clone(self.frame.get_or_init(|| write(self).into()))
    }
}

/// What a subscription is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Topic {
    /// Everything.
    All,
    /// What happens to terminals.
    Terminals,
}

impl Topic {
    fn takes(self, body: &Body) -> bool {
        match self {
            Self::All => true,
            Self::Terminals => matches!(body, Body::Terminal(_)),
        }
    }
}

/// Why there is no subscription.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SubscribeError {
    /// As many as a server may have.
    #[error("the server has as many event subscribers as it can take")]
    Full,
    /// The events after that number are not kept any more, or never were.
    #[error("the events after that number are not kept; the present one is {sequence}")]
    NotKept {
        /// The number of the last event.
        sequence: u64,
    },
    /// The server is stopping.
    #[error("the server is stopping")]
    Stopping,
}

/// Something has happened since.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("something changed since revision {revision}; the present one is {sequence}")]
pub struct Conflict {
    /// Since this event.
    pub revision: u64,
    /// The number of the last event.
    pub sequence: u64,
}

/// Why a subscription ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Ended {
    /// It did not keep up.
    #[error("events were lost")]
    Lost,
    /// The server is stopping.
    #[error("the server is stopping")]
    Stopping,
}

struct Subscriber {
    id: u64,
    topic: Topic,
    queue: mpsc::Sender<Arc<Event>>,
    /// Dropped with the subscriber: tells a listener that is busy writing.
    _present: oneshot::Sender<Infallible>,
}

/// A terminal that may announce output.
struct Source {
    pane: PaneId,
    place: Option<Place>,
    created: bool,
    /// The highest revision that was told: it never goes back.
    told: u64,
    /// Output of before its creation was published, told right after it.
    early: Option<u64>,
}

#[derive(Default)]
struct State {
    sequence: u64,
    /// The last event that was more than output.
    changed: u64,
    replay: VecDeque<Arc<Event>>,
    replay_bytes: usize,
    subscribers: Vec<Subscriber>,
    last_subscriber: u64,
    sources: HashMap<TerminalId, Source>,
    stopping: bool,
}

/// The bus; cheap to clone.
#[derive(Clone, Default)]
pub struct Bus {
    state: Arc<Mutex<State>>,
}

impl Bus {
    /// Stops the sequence until it is dropped. Take no other lock of the hub's before it.
    pub fn turn(&self) -> Turn<'_> {
        // Every change is complete in itself, so a state that a panic left behind still holds.
        Turn(self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The number of the last event; zero before the first.
    #[must_use]
    pub fn sequence(&self) -> u64 {
        self.turn().sequence()
    }

    /// Output of a terminal has come to this revision. Returns the number of the event that tells
    /// of it, or of the last event if the terminal is not public yet; `None` once it is closed.
    pub fn output(&self, terminal: TerminalId, revision: u64) -> Option<u64> {
        let mut turn = self.turn();
        let last = turn.sequence();
        let source = turn.0.sources.get_mut(&terminal)?;
        if !source.created {
            source.early = Some(revision);
            return Some(last);
        }
        let body = output_ready(terminal, source, revision);
        Some(turn.publish(body))
    }

    /// Everything that happens from now on, or after that event.
    ///
    /// # Errors
    /// [`SubscribeError`].
    pub fn subscribe(&self, topic: Topic, after: Option<u64>) -> Result<Subscription, SubscribeError> {
        let mut turn = self.turn();
        let sequence = turn.sequence();
        let state = &mut *turn.0;
        if state.stopping {
            return Err(SubscribeError::Stopping);
        }
        if state.subscribers.len() >= EVENT_SUBSCRIBERS {
            return Err(SubscribeError::Full);
        }
        let replay =
            state.after(after.unwrap_or(sequence), topic).ok_or(SubscribeError::NotKept { sequence })?;
        let (queue, events) = mpsc::channel(EVENT_QUEUE);
        let (present, lost) = oneshot::channel();
        state.last_subscriber += 1;
        let id = state.last_subscriber;
        state.subscribers.push(Subscriber { id, topic, queue, _present: present });
        drop(turn);
        Ok(Subscription { bus: self.clone(), id, sequence, replay, events, lost })
    }

    /// How many listen.
    #[must_use]
    pub fn subscribers(&self) -> usize {
        self.turn().0.subscribers.len()
    }

    /// Ends all subscriptions; there will be no others.
    pub fn stop(&self) {
        let mut turn = self.turn();
        turn.0.stopping = true;
        turn.0.subscribers.clear();
    }
}

fn output_ready(terminal: TerminalId, source: &Source, revision: u64) -> Body {
    let (pane, place) = (source.pane, source.place);
    Body::Terminal(TerminalEvent { terminal, pane, revision, place, change: Change::OutputReady })
}

impl State {
    /// The kept events after a number; `None` if some are missing.
    fn after(&self, sequence: u64, topic: Topic) -> Option<VecDeque<Arc<Event>>> {
        let missed = usize::try_from(self.sequence.checked_sub(sequence)?).ok()?;
        let first = self.replay.len().checked_sub(missed)?;
        Some(self.replay.range(first..).filter(|event| topic.takes(&event.body)).cloned().collect())
    }

    fn keep(&mut self, event: &Arc<Event>) {
        self.replay.push_back(Arc::clone(event));
        self.replay_bytes += event.body.frame_bytes();
        while self.replay.len() > EVENT_REPLAY || self.replay_bytes > EVENT_REPLAY_BYTES {
            let Some(oldest) = self.replay.pop_front() else { return };
            self.replay_bytes -= oldest.body.frame_bytes();
        }
    }
}

/// The bus, held still.
pub struct Turn<'a>(MutexGuard<'a, State>);

impl Turn<'_> {
    /// The number of the last event.
    #[must_use]
    pub fn sequence(&self) -> u64 {
        self.0.sequence
    }

    /// Whether nothing but output has happened since that event, which is one of this server life.
    ///
    /// # Errors
    /// [`Conflict`].
    pub fn unchanged_since(&self, revision: u64) -> Result<(), Conflict> {
        let sequence = self.0.sequence;
        if (self.0.changed..=sequence).contains(&revision) {
            return Ok(());
        }
        Err(Conflict { revision, sequence })
    }

    /// Numbers an event and hands it out. A terminal's output is told after its creation and not
    /// after its close.
    pub fn publish(&mut self, body: Body) -> u64 {
        match body {
            Body::Terminal(event) => self.publish_terminal(event),
            body @ (Body::Session(_) | Body::Pane(..)) => self.number(body),
        }
    }

    fn publish_terminal(&mut self, mut event: TerminalEvent) -> u64 {
        let (terminal, mut early) = (event.terminal, None);
        if let Some(source) = self.0.sources.get_mut(&terminal) {
            source.told = source.told.max(event.revision);
            event.revision = source.told;
            if event.change == Change::Created {
                source.created = true;
                early = source.early.take().map(|revision| output_ready(terminal, source, revision));
            }
        }
        if matches!(event.change, Change::Closed { .. }) {
            self.forget(terminal);
        }
        let sequence = self.number(Body::Terminal(event));
        early.map_or(sequence, |early| self.publish(early))
    }

    fn number(&mut self, body: Body) -> u64 {
        let state = &mut *self.0;
        state.sequence += 1;
        let sequence = state.sequence;
        if !body.is_output() {
            state.changed = sequence;
        }
        let event = Arc::new(Event::new(sequence, body));
        state.keep(&event);
        // One whose queue is full, or who has gone, is dropped: it must ask again.
        state.subscribers.retain(|subscriber| {
            !subscriber.topic.takes(&event.body) || subscriber.queue.try_send(Arc::clone(&event)).is_ok()
        });
        sequence
    }

    /// A terminal is being started: what it puts out is told once its creation was.
    pub fn introduce(&mut self, terminal: TerminalId, pane: PaneId) {
        self.0.sources.insert(terminal, Source { pane, place: None, created: false, told: 0, early: None });
    }

    /// A terminal stands there now.
    pub fn place(&mut self, terminal: TerminalId, place: Option<Place>) {
        if let Some(source) = self.0.sources.get_mut(&terminal) {
            source.place = place;
        }
    }

    /// A terminal puts out nothing any more.
    pub fn forget(&mut self, terminal: TerminalId) {
        self.0.sources.remove(&terminal);
    }
}

/// Events as they come, until it is dropped.
pub struct Subscription {
    bus: Bus,
    id: u64,
    /// The number of the last event when it began.
    pub sequence: u64,
    replay: VecDeque<Arc<Event>>,
    events: mpsc::Receiver<Arc<Event>>,
    lost: oneshot::Receiver<Infallible>,
}

impl Subscription {
    /// The next event. Cancel-safe.
    ///
    /// # Errors
    /// [`Ended`]; nothing follows.
    pub async fn next(&mut self) -> Result<Arc<Event>, Ended> {
        if let Some(event) = self.replay.pop_front() {
            return Ok(event);
        }
        match self.events.recv().await {
            Some(event) => Ok(event),
            None => Err(self.ended()),
        }
    }

    /// The number of the server's last event.
    #[must_use]
    pub fn present(&self) -> u64 {
        self.bus.sequence()
    }

    /// Resolves when the subscription has ended, whatever still waits in its queue.
    pub async fn end(&mut self) -> Ended {
        let Err(_) = (&mut self.lost).await;
        self.ended()
    }

    fn ended(&self) -> Ended {
        if self.bus.turn().0.stopping { Ended::Stopping } else { Ended::Lost }
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        let id = self.id;
        self.bus.turn().0.subscribers.retain(|subscriber| subscriber.id != id);
    }
}

#[cfg(test)]
mod tests;
