//! The task states of panes and how often each changed (`runtime.md` sections 5.1 and 5.2).
//!
//! Invariant: a counter rises by one exactly when a state becomes another one, and never repeats.

use super::projection::task_state;
use crate::protocol::ids::PaneId;
use crate::protocol::runtime::snapshot::TaskState;
use crate::protocol::scene::Scene;
use std::collections::{BTreeMap, VecDeque};
use tokio::task::AbortHandle;

/// Transitions that are kept of each pane (`runtime.md` section 6.5).
const TRANSITIONS: usize = 64;

/// All panes' counters, and what was submitted and has not come to its end.
#[derive(Debug, Default)]
pub struct Counts {
    panes: BTreeMap<PaneId, VecDeque<Transition>>,
    submitted: BTreeMap<PaneId, Submit>,
    submits: u64,
}

/// A state with the number of the change that led to it, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Transition {
    /// The state.
    pub state: TaskState,
    /// The number.
    pub seq: u64,
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

impl Counts {
    /// Counts what has changed.
    pub fn observe(&mut self, scene: &Scene) {
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
        let transitions = self.panes.entry(pane).or_default();
        let seq = match transitions.back() {
            Some(last) if last.state == state => return,
            Some(last) => last.seq + 1,
            None => 1,
        };
        transitions.push_back(Transition { state, seq });
        if transitions.len() > TRANSITIONS {
            transitions.pop_front();
        }
    }

    /// The present state of a pane.
    pub fn present(&self, pane: PaneId) -> Transition {
        let last = self.panes.get(&pane).and_then(VecDeque::back).copied();
        last.unwrap_or(Transition { state: TaskState::Idle, seq: 1 })
    }

    /// The first transition after a baseline whose state is wanted; without a baseline only the
    /// present state is looked at.
    pub fn met(&self, pane: PaneId, after: Option<u64>, wanted: Wanted) -> Option<Transition> {
        match after {
            None => Some(self.present(pane)).filter(|present| wanted.matches(present.state)),
            Some(after) => {
                let kept = self.panes.get(&pane)?;
                kept.iter().copied().find(|kept| kept.seq > after && wanted.matches(kept.state))
            }
        }
    }

    /// Something was submitted; the number of the submit.
    pub fn submit(&mut self, pane: PaneId) -> u64 {
        self.submits += 1;
        self.submitted.insert(pane, Submit { number: self.submits, watcher: None });
        self.submits
    }

    /// Who looks for the end of the pane's submit, and is stopped when that does not matter any more.
    pub fn watched(&mut self, pane: PaneId, watcher: AbortHandle) {
        if let Some(submit) = self.submitted.get_mut(&pane) {
            submit.watcher = Some(watcher);
        }
    }

    /// The end of that submit was seen. The next look at the session counts it.
    pub fn settle(&mut self, pane: PaneId, number: u64) {
        if self.submitted.get(&pane).is_some_and(|submit| submit.number == number) {
            self.submitted.remove(&pane);
        }
    }
}

/// What a wait is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// One state.
    State(TaskState),
    /// Every state but `running`.
    Settled,
}

impl Wanted {
    /// Whether that is it.
    pub fn matches(self, state: TaskState) -> bool {
        match self {
            Self::State(wanted) => wanted == state,
            Self::Settled => state != TaskState::Running,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::projection::tests::scene;
    use super::*;

    const PANE: PaneId = PaneId(1);

    fn counted(counts: &Counts) -> (TaskState, u64) {
        let present = counts.present(PANE);
        (present.state, present.seq)
    }

    #[test]
    fn only_a_change_to_another_state_counts() {
        let mut counts = Counts::default();
        let mut scene = scene();
        for (busy, expected) in [(false, 1), (false, 1), (true, 2), (true, 2), (false, 3)] {
            scene.panes[0].busy = busy;
            counts.observe(&scene);
            assert_eq!(counted(&counts).1, expected);
        }
    }

    #[test]
    fn a_submit_counts_as_running_until_its_end_is_seen() {
        let mut counts = Counts::default();
        let scene = scene();
        counts.observe(&scene);
        let first = counts.submit(PANE);
        counts.observe(&scene);
        assert_eq!(counted(&counts), (TaskState::Running, 2));
        let second = counts.submit(PANE);
        counts.settle(PANE, first);
        counts.observe(&scene);
        assert_eq!(counted(&counts), (TaskState::Running, 2));
        counts.settle(PANE, second);
        counts.observe(&scene);
        assert_eq!(counted(&counts), (TaskState::Idle, 3));
    }

    #[test]
    fn a_state_that_was_passed_through_is_found_after_its_baseline_only() {
        let mut counts = Counts::default();
        let mut scene = scene();
        for busy in [false, true, false] {
            scene.panes[0].busy = busy;
            counts.observe(&scene);
        }
        let running = Wanted::State(TaskState::Running);
        assert_eq!(counts.met(PANE, Some(1), running).map(|met| met.seq), Some(2));
        assert_eq!(counts.met(PANE, Some(2), running), None);
        assert_eq!(counts.met(PANE, None, running), None);
        assert_eq!(counts.met(PANE, Some(2), Wanted::Settled).map(|met| met.seq), Some(3));
        assert_eq!(counts.met(PANE, Some(3), Wanted::Settled), None);
        assert_eq!(counts.met(PANE, None, Wanted::Settled).map(|met| met.seq), Some(3));
    }

    #[test]
    fn transitions_are_bounded() {
        let mut counts = Counts::default();
        let mut scene = scene();
        for change in 0..200 {
            scene.panes[0].busy = change % 2 == 0;
            counts.observe(&scene);
        }
        assert_eq!(counts.panes[&PANE].len(), TRANSITIONS);
        assert_eq!(counted(&counts).1, 200);
    }

    #[test]
    fn panes_that_are_gone_are_forgotten() {
        let mut counts = Counts::default();
        let mut scene = scene();
        counts.observe(&scene);
        counts.submit(PANE);
        scene.panes.remove(0);
        counts.observe(&scene);
        assert!(!counts.panes.contains_key(&PANE) && counts.submitted.is_empty());
    }
}
