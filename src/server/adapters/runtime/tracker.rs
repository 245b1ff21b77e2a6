//! What the runtime protocol counts: every pane's state changes, and the revision of the snapshot.
//!
//! Invariants: the revision rises exactly when the content of the snapshot changed; the hub is asked
//! under the lock, so that an older session is never taken for a newer one; whoever waits is woken
//! after every look that may have found something.

use super::agent;
use super::counts::{Counts, Transition, Wanted};
use super::launches::{Launches, Record};
use super::projection::{Kept, Shown};
use super::runs::Runs;
use super::titles::Titles;
use crate::protocol::agent::AgentState;
use crate::protocol::ids::PaneId;
use crate::protocol::runtime::VERSION;
use crate::protocol::runtime::error::Failure;
use crate::protocol::runtime::snapshot::{Snapshot, TaskState, lifecycles};
use crate::server::agents::ClosedReason;
use crate::server::hub::{self, HubHandle};
use crate::server::terminal::commands::Commands;
use crate::server::terminal::handle::{Announced, InputError, PaneHandle};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until, timeout};

/// The shortest time between the two looks that end a submit (`runtime.md` section 5.2).
const SECOND_LOOK: Duration = Duration::from_millis(250);
/// How long a submit may stay without an answer before it is looked at all the same.
const SILENCE: Duration = Duration::from_millis(2_500);

/// Counts for as long as the server lives.
#[derive(Debug, Default)]
pub struct Tracker {
    state: Mutex<State>,
    looks: watch::Sender<Looks>,
}

/// How often somebody has looked; a waiter looks again when it changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Looks {
    number: u64,
    /// Whether the server has stopped: nothing will change any more.
    pub stopped: bool,
}

#[derive(Debug, Default)]
struct State {
    counts: Counts,
    titles: Titles,
    runs: Runs,
    launches: Launches,
    /// Of each pane, the place in its input queue of this protocol's last action.
    queued: BTreeMap<PaneId, u64>,
    last: Option<Snapshot>,
}

/// Why something was not submitted; then nothing was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SubmitError {
    /// This protocol's previous action is not completely written.
    InProgress,
    /// The terminal refused.
    Input(InputError),
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

    /// Changes whenever something may have changed.
    pub fn looks(&self) -> watch::Receiver<Looks> {
        self.looks.subscribe()
    }

    fn looked(&self) {
        self.looks.send_modify(|looks| looks.number += 1);
    }

    /// The snapshot of now.
    pub fn snapshot(&self, hub: &HubHandle) -> Snapshot {
        let mut state = self.lock();
        let view = hub.snapshot();
        state.observe(&view);
        state.publish(&view)
    }

    /// The first transition that fits, and the pane's present one.
    pub fn met(
        &self,
        hub: &HubHandle,
        pane: PaneId,
        after: Option<u64>,
        wanted: Wanted,
    ) -> (Option<Transition>, Transition) {
        let mut state = self.lock();
        state.observe(&hub.snapshot());
        (state.counts.met(pane, after, wanted), state.counts.present(pane))
    }

    /// Whether the pane is at rest.
    pub fn is_idle(&self, hub: &HubHandle, pane: PaneId) -> bool {
        let mut state = self.lock();
        state.observe(&hub.snapshot());
        state.counts.present(pane).state == TaskState::Idle && !state.counts.is_submitted(pane)
    }

    /// Waits until the end of what was submitted in the pane has been seen and counted.
    pub async fn settled(&self, pane: PaneId) {
        let mut looks = self.looks();
        while self.lock().counts.is_submitted(pane) && looks.changed().await.is_ok() {}
    }

    /// All agents that are known.
    pub fn records(&self, hub: &HubHandle) -> Vec<Record> {
        let mut state = self.lock();
        let view = hub.snapshot();
        state.observe(&view);
        state.launches.records(&view)
    }

    /// Works with the agents that were started here.
    pub fn launches<T>(&self, work: impl FnOnce(&mut Launches, &Counts) -> T) -> T {
        let mut state = self.lock();
        let State { launches, counts, .. } = &mut *state;
        let done = work(launches, counts);
        drop(state);
        self.looked();
        done
    }

    /// [`queue`](Self::queue) for an agent, unless it is not that one any more or asks for an approval.
    ///
    /// # Errors
    /// Why it is refused; then nothing was written.
    pub fn queue_for_agent(
        self: &Arc<Self>,
        hub: &HubHandle,
        record: &Record,
        handle: &PaneHandle,
        submit: bool,
        push: impl FnOnce() -> Result<(), InputError>,
    ) -> Result<Result<(), SubmitError>, Failure> {
        let mut state = self.lock();
        let view = hub.snapshot();
        state.observe(&view);
        let present = state.launches.records(&view).into_iter().find(|now| now.agent_id == record.agent_id);
        match present {
            Some(now) if now.closed.is_none() && now.generation == record.generation => {}
            Some(Record { closed: Some(reason), .. }) => return Err(agent::closed(reason)),
            _ => return Err(agent::closed(ClosedReason::AgentReplaced)),
        }
        agent::refuse_attention(state.counts.present(record.pane).state)?;
        Ok(self.queue_locked(state, hub, handle, submit, push))
    }

    /// What is known of the runs of panes.
    pub fn runs<T>(&self, work: impl FnOnce(&mut Runs) -> T) -> T {
        let done = work(&mut self.lock().runs);
        self.looked();
        done
    }

    /// Queues an action of this protocol, unless its previous one is not completely written. One that
    /// submits makes the pane run in the same step, until the end of it is seen.
    ///
    /// # Errors
    /// [`SubmitError`].
    pub fn queue(
        self: &Arc<Self>,
        hub: &HubHandle,
        handle: &PaneHandle,
        submit: bool,
        push: impl FnOnce() -> Result<(), InputError>,
    ) -> Result<(), SubmitError> {
        let state = self.lock();
        self.queue_locked(state, hub, handle, submit, push)
    }

    fn queue_locked(
        self: &Arc<Self>,
        mut state: MutexGuard<'_, State>,
        hub: &HubHandle,
        handle: &PaneHandle,
        submit: bool,
        push: impl FnOnce() -> Result<(), InputError>,
    ) -> Result<(), SubmitError> {
        let pane = handle.pane();
        if state.queued.get(&pane).is_some_and(|place| !handle.is_written(*place)) {
            return Err(SubmitError::InProgress);
        }
        // Taken before, so that the first answer to the text is seen.
        let output = handle.ready();
        push().map_err(SubmitError::Input)?;
        state.queued.insert(pane, handle.queued());
        if submit {
            self.overlay(&mut state, hub, handle, output);
        }
        state.observe(&hub.snapshot());
        drop(state);
        self.looked();
        Ok(())
    }

    /// A text was submitted by another protocol: the pane runs, until the end of it is seen.
    pub fn submitted(self: &Arc<Self>, hub: &HubHandle, handle: &PaneHandle) {
        let output = handle.ready();
        let mut state = self.lock();
        // What was there before counts first.
        state.observe(&hub.snapshot());
        self.overlay(&mut state, hub, handle, output);
        state.observe(&hub.snapshot());
        drop(state);
        self.looked();
    }

    /// Makes a pane run until the end of what was submitted there is seen.
    fn overlay(
        self: &Arc<Self>,
        state: &mut State,
        hub: &HubHandle,
        handle: &PaneHandle,
        output: watch::Receiver<Announced>,
    ) {
        let pane = handle.pane();
        let number = state.counts.submit(pane, &hub.snapshot().agents);
        // Looked at before the child can have come to the end of it.
        let commands = handle.commands();
        let told = commands.borrow().running();
        let marks = told.then_some(commands);
        let watcher = watch_submit(Arc::downgrade(self), hub.clone(), handle.clone(), output, marks, number);
        let watcher = tokio::spawn(watcher);
        state.counts.watched(pane, watcher.abort_handle());
    }
}

/// Looks for the end of a submit.
async fn watch_submit(
    tracker: Weak<Tracker>,
    hub: HubHandle,
    terminal: PaneHandle,
    output: watch::Receiver<Announced>,
    marks: Option<watch::Receiver<Commands>>,
    number: u64,
) {
    let pane = terminal.pane();
    hub.restart_dwell(pane).await;
    let runs = || terminal.commands().borrow().running();
    let by_looks = settled(output, || match hub.snapshot().agents.get(&pane) {
        Some(agent) if agent.state == AgentState::Blocked => Look::Asking,
        Some(_) => Look::Agent,
        None if terminal.is_busy() || runs() => Look::Busy,
        None => Look::Quiet,
    });
    // Where the shell tells its prompts, the next one is the end.
    let by_marks = async {
        match marks {
            Some(mut marks) => marks.wait_for(|commands| !commands.running()).await.map(drop),
            None => std::future::pending().await,
        }
    };
    tokio::select! {
        // The mark is ahead of what the session has seen of that end.
        _ = by_marks => super::run::shown(&hub, &terminal).await,
        () = by_looks => {}
    }
    let Some(tracker) = tracker.upgrade() else { return };
    let mut state = tracker.lock();
    state.counts.settle(pane, number);
    state.observe(&hub.snapshot());
    drop(state);
    tracker.looked();
}

/// Follows the session, and shows titles that had to wait.
async fn follow(tracker: Arc<Tracker>, mut snapshots: watch::Receiver<hub::Snapshot>) {
    loop {
        let due = {
            let mut state = tracker.lock();
            let view = snapshots.borrow_and_update().clone();
            state.observe(&view);
            state.titles.due().into_iter().chain(state.launches.due()).min()
        };
        tracker.looked();
        let title = async {
            match due {
                Some(due) => sleep_until(due).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            changed = snapshots.changed() => if changed.is_err() { break },
            () = title => {}
        }
    }
    tracker.looks.send_modify(|looks| looks.stopped = true);
}

/// Returns when the end of a submit has been seen: after some output (or a long silence) two looks, a
/// little apart, found nothing but the shell; or the terminal is gone.
async fn settled(mut output: watch::Receiver<Announced>, look: impl Fn() -> Look) {
    let mut patience = Some(SILENCE);
    let mut asked = false;
    loop {
        let heard = match patience.take() {
            Some(patience) => timeout(patience, output.changed()).await,
            None => Ok(output.changed().await),
        };
        match (heard, look()) {
            (Ok(Err(_)), _) | (Err(_), Look::Agent) => return,
            // An answered question shows until quiet has lasted, which takes as long: once more.
            (Err(_), Look::Asking) if asked => return,
            (Err(_), Look::Asking) => (asked, patience) = (true, Some(SILENCE)),
            // An agent that shows what it does ends its submit so; another one by silence.
            (Ok(Ok(())), Look::Agent | Look::Asking) => (asked, patience) = (false, Some(SILENCE)),
            // An agent is recognised a moment after it was seen, when it may have said all it has to say. The
            // session itself finds it quiet after as long; who is told before would prompt an unsettled one.
            (Ok(Ok(())), Look::Busy) => patience = Some(2 * SILENCE),
            (Err(_), Look::Busy) => {}
            (_, Look::Quiet) => {
                tokio::time::sleep(SECOND_LOOK).await;
                if look() == Look::Quiet {
                    return;
                }
                // It may say nothing more.
                patience = Some(SILENCE);
            }
        }
    }
}

/// What a look at a terminal finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Look {
    /// Nothing but the shell.
    Quiet,
    /// A program.
    Busy,
    /// An agent, which is there whether it works or not.
    Agent,
    /// One that asks something, or did until now.
    Asking,
}

impl State {
    fn observe(&mut self, view: &hub::Snapshot) {
        self.counts.observe(&view.scene, &view.agents);
        self.titles.observe(&view.scene, Instant::now());
        self.runs.observe(&view.scene);
        self.launches.observe(view, &self.counts, Instant::now());
        self.queued.retain(|pane, _| view.scene.pane(*pane).is_some());
    }

    fn publish(&mut self, view: &hub::Snapshot) -> Snapshot {
        let kept = view.directory.panes.iter();
        let kept =
            kept.map(|(pane, entry)| (*pane, Kept { restore: entry.restore, shell: entry.shell })).collect();
        let records = self.launches.records(view);
        let windows = Shown {
            scene: &view.scene,
            layouts: &view.layouts,
            branches: &view.branches,
            kept: &kept,
            counts: &self.counts,
            titles: &self.titles,
            runs: &self.runs,
            agents: &view.agents,
            records: &records,
        }
        .windows();
        self.number(Snapshot {
            revision: 1,
            process_id: std::process::id(),
            app_version: env!("CARGO_PKG_VERSION"),
            protocol_version: VERSION,
            detached_windows: if view.attached == 0 { windows.len() } else { 0 },
            windows,
            pane_lifecycles: lifecycle_rows(view),
        })
    }

    /// Numbers the present content: anew if it differs from the last.
    fn number(&mut self, mut present: Snapshot) -> Snapshot {
        present.revision = self.last.as_ref().map_or(1, |last| last.revision);
        if self.last.as_ref().is_some_and(|last| *last != present) {
            present.revision += 1;
        }
        self.last = Some(present.clone());
        present
    }
}

fn lifecycle_rows(view: &hub::Snapshot) -> Vec<lifecycles::Row> {
    let rows = view.lifecycles.iter().map(|ended| lifecycles::Row {
        sequence: ended.sequence,
        window_id: ended.workspace.0,
        pane_id: ended.pane.0,
        event: match ended.end {
            hub::PaneEnd::Exited => lifecycles::Event::Exited,
            hub::PaneEnd::Closed => lifecycles::Event::Closed,
        },
    });
    rows.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    fn content(detached_windows: usize) -> Snapshot {
        Snapshot {
            revision: 0,
            process_id: 1,
            app_version: "0",
            protocol_version: 1,
            detached_windows,
            windows: Vec::new(),
            pane_lifecycles: Vec::new(),
        }
    }

    #[test]
    fn equal_content_keeps_its_revision() {
        let mut state = State::default();
        let revisions = [0, 0, 1, 1, 0].map(|detached| state.number(content(detached)).revision);
        assert_eq!(revisions, [1, 1, 2, 2, 3]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_submit_settles_after_output_and_two_quiet_looks() {
        let (announce, output) = watch::channel(Announced::default());
        let looks = Cell::new(0);
        let busy = || {
            looks.set(looks.get() + 1);
            if looks.get() == 2 { Look::Busy } else { Look::Quiet }
        };
        let start = Instant::now();
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

    #[tokio::test(start_paused = true)]
    async fn an_agent_that_is_recognised_after_its_last_output_settles_by_silence() {
        let (announce, output) = watch::channel(Announced::default());
        announce.send_replace(Announced { revision: 1, sequence: 0 });
        let looks = Cell::new(0);
        let recognised = || {
            looks.set(looks.get() + 1);
            if looks.get() == 1 { Look::Busy } else { Look::Agent }
        };
        let start = Instant::now();
        let mut output = output;
        output.mark_changed();
        settled(output, recognised).await;
        assert_eq!((looks.get(), start.elapsed()), (2, 2 * SILENCE));
        drop(announce);
    }

    #[tokio::test(start_paused = true)]
    async fn a_submit_that_nothing_answers_settles_too() {
        let (_announce, output) = watch::channel(Announced::default());
        let start = Instant::now();
        settled(output, || Look::Quiet).await;
        assert_eq!(start.elapsed(), SILENCE + SECOND_LOOK);
    }

    #[tokio::test]
    async fn a_terminal_that_is_gone_settles_its_submit() {
        let (announce, output) = watch::channel(Announced::default());
        drop(announce);
        settled(output, || Look::Busy).await;
    }
}
