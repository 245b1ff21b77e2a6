//! What the runtime protocol counts: every pane's state changes, and the revision of the snapshot.
//!
//! Invariants: a counter rises by one exactly when a state becomes another one; the revision rises
//! exactly when the content of the snapshot changed; the hub is asked under the lock, so that an
//! older session is never taken for a newer one.

use super::projection::{Kept, Source, task_state};
use crate::protocol::ids::PaneId;
use crate::protocol::runtime::VERSION;
use crate::protocol::runtime::snapshot::{Snapshot, TaskState};
use crate::protocol::scene::Scene;
use crate::server::hub::{self, HubHandle};
use crate::server::terminal::handle::{Announced, PaneHandle};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::AbortHandle;

/// The shortest time between the two looks that end a submit (`runtime.md` section 5.2).
const SECOND_LOOK: Duration = Duration::from_millis(250);

/// Counts for as long as the server lives.
#[derive(Debug, Default)]
pub struct Tracker {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    panes: BTreeMap<PaneId, Counted>,
    /// Panes into which something was submitted that has not come to its end yet.
    submitted: BTreeMap<PaneId, Submit>,
    submits: u64,
    last: Option<Snapshot>,
}

#[derive(Debug, Clone, Copy)]
struct Counted {
    state: TaskState,
    changes: u64,
}

#[derive(Debug)]
struct Submit {
    number: u64,
    watcher: Option<AbortHandle>,
}

impl Drop for Submit {
    fn drop(&mut self) {
        if let Some(watcher) = &self.watcher {
            watcher.abort();
        }
    }
}

impl Tracker {
    /// Starts to count; ends with the hub.
    #[must_use]
    pub fn start(snapshots: watch::Receiver<hub::Snapshot>) -> Arc<Self> {
        let tracker = Arc::new(Self::default());
        tokio::spawn(follow(Arc::clone(&tracker), snapshots));
        tracker
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Every change below is complete in itself, so a state that a panic left behind still holds.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The snapshot of now.
    pub fn snapshot(&self, hub: &HubHandle) -> Snapshot {
        let mut state = self.lock();
        let view = hub.snapshot();
        state.observe(&view.scene);
        state.publish(&view)
    }

    /// Something has been submitted: the pane runs until the end of it is seen.
    pub fn submitted(
        self: &Arc<Self>,
        hub: &HubHandle,
        handle: &PaneHandle,
        output: watch::Receiver<Announced>,
    ) {
        let pane = handle.pane();
        let mut state = self.lock();
        let number = state.submit(pane);
        let tracker = Arc::clone(self);
        let terminal = handle.clone();
        let watcher = tokio::spawn(async move {
            settled(output, || terminal.is_busy()).await;
            tracker.lock().settle(pane, number);
        });
        if let Some(submit) = state.submitted.get_mut(&pane) {
            submit.watcher = Some(watcher.abort_handle());
        }
        state.observe(&hub.snapshot().scene);
    }
}

async fn follow(tracker: Arc<Tracker>, mut snapshots: watch::Receiver<hub::Snapshot>) {
    loop {
        {
            let mut state = tracker.lock();
            let scene = Arc::clone(&snapshots.borrow_and_update().scene);
            state.observe(&scene);
        }
        if snapshots.changed().await.is_err() {
            return;
        }
    }
}

/// Returns when the end of a submit has been seen: after some output two looks, a little apart, found
/// nothing but the shell; or the terminal is gone.
async fn settled(mut output: watch::Receiver<Announced>, busy: impl Fn() -> bool) {
    while output.changed().await.is_ok() {
        if busy() {
            continue;
        }
        tokio::time::sleep(SECOND_LOOK).await;
        if !busy() {
            return;
        }
    }
}

impl State {
    /// Counts what has changed.
    fn observe(&mut self, scene: &Scene) {
        self.panes.retain(|id, _| scene.pane(*id).is_some());
        self.submitted.retain(|id, _| scene.pane(*id).is_some_and(|pane| pane.exited.is_none()));
        for pane in &scene.panes {
            let state = match task_state(pane) {
                TaskState::Idle if self.submitted.contains_key(&pane.id) => TaskState::Running,
                state => state,
            };
            self.count(pane.id, state);
        }
    }

    fn count(&mut self, pane: PaneId, state: TaskState) {
        let counted = self.panes.entry(pane).or_insert(Counted { state, changes: 1 });
        if counted.state != state {
            *counted = Counted { state, changes: counted.changes + 1 };
        }
    }

    fn submit(&mut self, pane: PaneId) -> u64 {
        self.submits += 1;
        self.submitted.insert(pane, Submit { number: self.submits, watcher: None });
        self.submits
    }

    /// The end of that submit was seen. The next look at the session counts it.
    fn settle(&mut self, pane: PaneId, number: u64) {
        if self.submitted.get(&pane).is_some_and(|submit| submit.number == number) {
            self.submitted.remove(&pane);
        }
    }

    fn publish(&mut self, view: &hub::Snapshot) -> Snapshot {
        let kept = view.directory.panes.iter();
        let kept =
            kept.map(|(pane, entry)| (*pane, Kept { restore: entry.restore, shell: entry.shell })).collect();
        let source = Source { scene: &view.scene, layouts: &view.layouts, kept: &kept };
        self.number(&source, view.attached)
    }

    /// Numbers the present content: anew if it differs from the last.
    fn number(&mut self, source: &Source<'_>, attached: usize) -> Snapshot {
        let counted = |pane: PaneId| {
            self.panes.get(&pane).map_or((TaskState::Idle, 1), |counted| (counted.state, counted.changes))
        };
        let windows = source.windows(counted);
        let mut present = Snapshot {
            revision: self.last.as_ref().map_or(1, |last| last.revision),
            process_id: std::process::id(),
            app_version: env!("CARGO_PKG_VERSION"),
            protocol_version: VERSION,
            detached_windows: if attached == 0 { windows.len() } else { 0 },
            windows,
        };
        if self.last.as_ref().is_some_and(|last| *last != present) {
            present.revision += 1;
        }
        self.last = Some(present.clone());
        present
    }
}

#[cfg(test)]
mod tests {
    use super::super::projection::tests::scene;
    use super::*;
    use std::cell::Cell;

    const PANE: PaneId = PaneId(1);

    fn counted(state: &State) -> (TaskState, u64) {
        let counted = state.panes[&PANE];
        (counted.state, counted.changes)
    }

    #[test]
    fn only_a_change_to_another_state_counts() {
        let mut state = State::default();
        let mut scene = scene();
        for (busy, expected) in [(false, 1), (false, 1), (true, 2), (true, 2), (false, 3)] {
            scene.panes[0].busy = busy;
            state.observe(&scene);
            assert_eq!(counted(&state).1, expected);
        }
    }

    #[test]
    fn a_submit_counts_as_running_until_its_end_is_seen() {
        let mut state = State::default();
        let scene = scene();
        state.observe(&scene);
        let first = state.submit(PANE);
        state.observe(&scene);
        assert_eq!(counted(&state), (TaskState::Running, 2));
        let second = state.submit(PANE);
        state.settle(PANE, first);
        state.observe(&scene);
        assert_eq!(counted(&state), (TaskState::Running, 2));
        state.settle(PANE, second);
        state.observe(&scene);
        assert_eq!(counted(&state), (TaskState::Idle, 3));
    }

    #[test]
    fn panes_that_are_gone_are_forgotten() {
        let mut state = State::default();
        let mut scene = scene();
        state.observe(&scene);
        state.submit(PANE);
        scene.panes.remove(0);
        state.observe(&scene);
        assert!(!state.panes.contains_key(&PANE) && state.submitted.is_empty());
    }

    #[test]
    fn equal_content_keeps_its_revision() {
        let mut state = State::default();
        let mut scene = scene();
        let (layouts, kept) = (BTreeMap::new(), BTreeMap::new());
        let mut revision = |scene: &Scene, attached| {
            state.observe(scene);
            state.number(&Source { scene, layouts: &layouts, kept: &kept }, attached).revision
        };
        let first = revision(&scene, 0);
        assert_eq!(revision(&scene, 0), first);
        assert_eq!(revision(&scene, 1), first + 1);
        scene.panes[0].title = Some("vi".to_owned());
        assert_eq!(revision(&scene, 1), first + 2);
        assert_eq!(revision(&scene, 1), first + 2);
    }

    #[tokio::test(start_paused = true)]
    async fn a_submit_settles_after_output_and_two_quiet_looks() {
        let (announce, output) = watch::channel(Announced::default());
        let looks = Cell::new(0);
        let busy = || {
            looks.set(looks.get() + 1);
            looks.get() == 2
        };
        let start = tokio::time::Instant::now();
        let ends = settled(output, busy);
        let outputs = async {
            announce.send_replace(Announced { revision: 1, sequence: 0 });
            tokio::time::sleep(Duration::from_secs(1)).await;
            announce.send_replace(Announced { revision: 2, sequence: 0 });
        };
        tokio::join!(ends, outputs);
        assert_eq!(looks.get(), 4);
        assert_eq!(start.elapsed(), Duration::from_millis(1_250));
    }

    #[tokio::test]
    async fn a_terminal_that_is_gone_settles_its_submit() {
        let (announce, output) = watch::channel(Announced::default());
        drop(announce);
        settled(output, || true).await;
    }
}
