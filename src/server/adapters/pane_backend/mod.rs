//! The pane backend (`spec/pane-backend.md`): an orchestrator's way to make, watch, drive and end panes.
//!
//! Invariants: translation only, over the same core as the other protocols; what belongs to one
//! connection ends with it; a client that does not read loses its connection and delays nobody.

mod capture;
mod connection;
mod contexts;
mod discovery;
mod dispatch;
mod error;
mod events;
mod exec;
mod input;
mod kill;
mod list;
mod listener;
mod matching;
mod metadata;
mod origin;
mod ready;
mod service;
mod shell;
mod spawn;
mod wait_for;

use discovery::Discovery;
use listener::accept;
pub use service::PaneService;

use crate::protocol::ids::PaneId;
use crate::server::hub::{HubHandle, Introduce, PaneEntry};
use contexts::Contexts;
use events::Events;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::sync::{Mutex, Semaphore};
use tokio::time::timeout;

/// Connections at a time (`pane-backend.md` 1.3).
const CONNECTIONS: usize = 64;
/// How long the end of the server waits for the last events, and for them to be written.
const LAST_WORDS: Duration = Duration::from_millis(400);

/// What all connections share.
pub struct Backend {
    /// Set once the hub is there, which is told of the contexts first.
    hub: OnceLock<HubHandle>,
    session: String,
    address: String,
    /// What a child outside any pane gets.
    environment: Vec<(String, String)>,
    events: Arc<Events>,
    contexts: Arc<Contexts>,
    connections: Arc<Semaphore>,
    /// Makers of panes go one by one: whether there is room depends on the one before.
    spawning: Mutex<()>,
}

impl Backend {
    /// A backend of that session, reached at that address.
    #[must_use]
    pub fn new(session: String, address: String, environment: Vec<(String, String)>) -> Arc<Self> {
        let events = Arc::new(Events::default());
        Arc::new(Self {
            hub: OnceLock::new(),
            session,
            address,
            environment,
            contexts: Contexts::new(Arc::clone(&events)),
            events,
            connections: Arc::new(Semaphore::new(CONNECTIONS)),
            spawning: Mutex::default(),
        })
    }

    /// What the hub is to tell of each terminal that it starts.
    #[must_use]
    pub fn introduce(&self) -> Introduce {
        let contexts = Arc::clone(&self.contexts);
        Introduce::new(move |handle| contexts.introduce(handle.clone()))
    }

    /// Serves that hub from now on.
    pub fn serve(&self, hub: HubHandle) {
        self.contexts.serve(hub.clone());
        let _ = self.hub.set(hub);
    }

    /// Waits until the end of every context has been told and written, within bounds, and closes all
    /// connections.
    pub async fn finish(&self) {
        let _ = timeout(LAST_WORDS, self.contexts.all_told()).await;
        self.events.close();
        let all = u32::try_from(CONNECTIONS).unwrap_or(u32::MAX);
        let _ = timeout(LAST_WORDS, self.connections.acquire_many(all)).await;
    }

    /// The pane with that number, if its child was started.
    fn entry(&self, hub: &HubHandle, number: u64) -> Option<PaneEntry> {
        let pane = PaneId(u32::try_from(number).ok()?);
        let snapshot = hub.snapshots().borrow().directory.panes.get(&pane).cloned();
        snapshot.filter(|entry| entry.started)
    }
}

/// The context id of a pane.
fn context_id(pane: PaneId) -> String {
    format!("%{pane}")
}

/// Whole milliseconds.
fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
