//! Every pane from its start to its end: when it is ready for the first time, and how it ended.
//!
//! Invariants: ready is told at most once, the end exactly once and last; a wait that learns that a pane
//! is ready learns it after everybody was told.

use super::events::Events;
use super::ready::{self, Ready};
use super::{context_id, millis};
use crate::protocol::ids::PaneId;
use crate::server::exec::Ended;
use crate::server::hub::HubHandle;
use crate::server::terminal::handle::PaneHandle;
use serde_json::json;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use tokio::sync::watch;

/// All panes whose end has not been told.
pub struct Contexts {
    events: Arc<Events>,
    /// The way to the session, set before the first pane is made.
    hub: OnceLock<HubHandle>,
    panes: Mutex<BTreeMap<PaneId, Arc<Context>>>,
    /// How many there are.
    count: watch::Sender<usize>,
}

/// One pane.
pub struct Context {
    handle: PaneHandle,
    ready: watch::Sender<Option<Ready>>,
}

impl Contexts {
    pub fn new(events: Arc<Events>) -> Arc<Self> {
        let (hub, panes) = (OnceLock::new(), Mutex::default());
        Arc::new(Self { events, hub, panes, count: watch::Sender::new(0) })
    }

    /// Serves that hub from now on; the ends of panes' programs are remembered there too.
    pub fn serve(&self, hub: HubHandle) {
        let _ = self.hub.set(hub);
    }

    /// A terminal is being started.
    pub fn introduce(self: &Arc<Self>, handle: PaneHandle) {
        let pane = handle.pane();
        let context = Arc::new(Context { handle, ready: watch::Sender::new(None) });
        let mut panes = self.lock();
        panes.insert(pane, Arc::clone(&context));
        self.count.send_replace(panes.len());
        tokio::spawn(follow(Arc::clone(self), context));
    }

    /// A pane whose end has not been told.
    pub fn find(&self, pane: PaneId) -> Option<Arc<Context>> {
        self.lock().get(&pane).cloned()
    }

    /// Waits until what has ended by now has been told.
    pub async fn caught_up(&self) {
        let is_over = |context: &Arc<Context>| context.handle.written().borrow().over;
        let over: Vec<PaneId> =
            self.lock().iter().filter(|(_, context)| is_over(context)).map(|(pane, _)| *pane).collect();
        for pane in over {
            self.told(pane).await;
        }
    }

    /// Waits until the end of that pane has been told.
    pub async fn told(&self, pane: PaneId) {
        let mut count = self.count.subscribe();
        while self.find(pane).is_some() {
            // The sender is here.
            let _ = count.changed().await;
        }
    }

    /// Waits until all ends have been told.
    pub async fn all_told(&self) {
        // The sender is here.
        let _ = self.count.subscribe().wait_for(|count| *count == 0).await;
    }

    fn ended(&self, handle: &PaneHandle) {
        if let Some(root) = handle.root() {
            let code = exit_code(handle);
            if let Some(hub) = self.hub.get() {
                hub.executor()
                    .children()
                    .began(root.pid)
                    .send_replace(Some(Ended { code: code.map(i64::from) }));
            }
            let mut params = json!({"context_id": context_id(handle.pane()), "exit_code": -1});
            if let Some(code) = code.filter(|_| !handle.was_ended()) {
                params["exit_code"] = json!(code);
                params["elapsed_ms"] = json!(millis(handle.started_at().elapsed()));
                params["command"] = json!(handle.argv().join(" "));
            }
            self.events.tell("context_exited", &params);
        }
        let mut panes = self.lock();
        panes.remove(&handle.pane());
        self.count.send_replace(panes.len());
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<PaneId, Arc<Context>>> {
        // Every change is complete in itself.
        self.panes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Context {
    /// Waits until the pane was ready for the first time and everybody knows.
    pub async fn ready(&self) -> Ready {
        let mut ready = self.ready.subscribe();
        match ready.wait_for(Option::is_some).await.map(|ready| *ready) {
            Ok(Some(ready)) => ready,
            // The sender is here.
            _ => std::future::pending().await,
        }
    }
}

async fn first_ready(contexts: &Contexts, handle: &PaneHandle) -> Ready {
    match contexts.hub.get() {
        Some(hub) => ready::wait(handle, hub.snapshots()).await,
        None => std::future::pending().await,
    }
}

async fn follow(contexts: Arc<Contexts>, context: Arc<Context>) {
    let handle = &context.handle;
    let ready = tokio::select! {
        biased;
        ready = first_ready(&contexts, handle) => Some(ready),
        () = handle.over() => None,
    };
    if let Some(ready) = ready {
        let params = json!({
            "context_id": context_id(handle.pane()), "ready_signal": "idle",
            "ready_source": ready.source, "data_version": ready.version,
        });
        contexts.events.tell("context_ready", &params);
        context.ready.send_replace(Some(ready));
        handle.over().await;
    }
    contexts.ended(handle);
}

/// How the root of a pane ended: its status, or 128 and the signal's number; nothing if that is not known.
pub fn exit_code(handle: &PaneHandle) -> Option<i32> {
    let status = handle.status()?;
    #[cfg(unix)]
    let signal = status.signal.as_deref().and_then(crate::server::exec::signal_number);
    #[cfg(windows)]
    let signal: Option<i32> = None;
    let code = status.code.and_then(|code| i32::try_from(code).ok());
    code.or_else(|| signal.map(|signal| 128 + signal))
}
