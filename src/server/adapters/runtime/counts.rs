//! The task states of panes and how often each changed (`runtime.md` sections 5.1 and 5.2).
//!
//! Invariant: a counter rises by one exactly when a state becomes another one, and never repeats.

use super::projection::task_state;
use crate::protocol::agent::{AgentState, BlockedKind};
use crate::protocol::ids::PaneId;
use crate::protocol::runtime::snapshot::TaskState;
use crate::protocol::scene::Scene;
use crate::server::agents::state::TurnEnd;
use crate::server::agents::{AgentView, Views};
use std::collections::{BTreeMap, VecDeque};
use tokio::task::AbortHandle;

/// Transitions that are kept of each pane (`runtime.md` section 6.5).
const TRANSITIONS: usize = 64;

/// All panes' counters, and what was submitted and has not come to its end.
#[derive(Debug, Default)]
pub struct Counts {
    panes: BTreeMap<PaneId, VecDeque<Transition>>,
    /// Of each agent, the last change of the core's that was taken in.
    taken: BTreeMap<PaneId, u64>,
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
    /// The agent's counter in the core and what it waited for at that time; nothing if there was none.
    core: Option<(u64, Option<BlockedKind>)>,
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
    pub fn observe(&mut self, scene: &Scene, agents: &Views) {
        self.panes.retain(|id, _| scene.pane(*id).is_some());
        self.submitted.retain(|id, _| scene.pane(*id).is_some_and(|pane| pane.exited.is_none()));
        self.taken.retain(|id, _| agents.contains_key(id));
        for pane in &scene.panes {
            let state = match agents.get(&pane.id).filter(|_| pane.exited.is_none()) {
                Some(view) => self.take_in(pane.id, view),
                None => task_state(pane),
            };
            // Whatever was there before: an approval that was answered is one no more until it shows again.
            let state = if self.submitted.contains_key(&pane.id) { TaskState::Running } else { state };
            self.count(pane.id, state);
        }
    }

    /// Takes in what has become of an agent: every state it passed through, and the end of its turn
    /// also when it was looked at already. What it shows after a submit ends that submit.
    fn take_in(&mut self, pane: PaneId, view: &AgentView) -> TaskState {
        let known = self.submitted.get(&pane).map(|submit| submit.core);
        let is_new = |core: Option<(u64, Option<BlockedKind>)>| {
            core.is_none_or(|(seq, kind)| view.state_change_seq > seq || view.blocked != kind)
        };
        if known.is_some_and(is_new) && view.state != AgentState::Unknown {
            self.submitted.remove(&pane);
        }
        let Some(taken) = self.taken.insert(pane, view.state_change_seq) else { return agent_state(view) };
        for change in view.transitions.iter().filter(|change| change.seq > taken) {
            match change.ended {
                Some(TurnEnd::Finished) => self.count(pane, TaskState::Finished),
                Some(TurnEnd::Failed) => self.count(pane, TaskState::Failed),
                None => {}
            }
            self.count(pane, shown(change.state, change.kind, change.ended == Some(TurnEnd::Failed)));
        }
        agent_state(view)
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

    /// Something was submitted; the number of the submit. `agents`: as they are by then.
    pub fn submit(&mut self, pane: PaneId, agents: &Views) -> u64 {
        self.submits += 1;
        let core = agents.get(&pane).map(|view| (view.state_change_seq, view.blocked));
        self.submitted.insert(pane, Submit { number: self.submits, core, watcher: None });
        self.submits
    }

    /// Who looks for the end of the pane's submit, and is stopped when that does not matter any more.
    pub fn watched(&mut self, pane: PaneId, watcher: AbortHandle) {
        if let Some(submit) = self.submitted.get_mut(&pane) {
            submit.watcher = Some(watcher);
        }
    }

    /// Whether something was submitted that has not come to its end.
    pub fn is_submitted(&self, pane: PaneId) -> bool {
        self.submitted.contains_key(&pane)
    }

    /// The end of that submit was seen. The next look at the session counts it.
    pub fn settle(&mut self, pane: PaneId, number: u64) {
        if self.submitted.get(&pane).is_some_and(|submit| submit.number == number) {
            self.submitted.remove(&pane);
        }
    }
}

/// What an agent's state is here.
fn agent_state(view: &AgentView) -> TaskState {
    shown(view.state, view.blocked, view.failed)
}

fn shown(state: AgentState, blocked: Option<BlockedKind>, failed: bool) -> TaskState {
    match (state, blocked) {
        (AgentState::Blocked, Some(BlockedKind::Question)) => TaskState::WaitingInput,
        (AgentState::Blocked, Some(BlockedKind::Permission | BlockedKind::Auth) | None) => {
            TaskState::Attention
        }
        (AgentState::Working, _) => TaskState::Running,
        (AgentState::Done, _) if failed => TaskState::Failed,
        (AgentState::Done, _) => TaskState::Finished,
        (AgentState::Idle | AgentState::Unknown, _) => TaskState::Idle,
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
            counts.observe(&scene, &Views::new());
            assert_eq!(counted(&counts).1, expected);
        }
    }

    #[test]
    fn a_submit_counts_as_running_until_its_end_is_seen() {
        let mut counts = Counts::default();
        let scene = scene();
        counts.observe(&scene, &Views::new());
        let first = counts.submit(PANE, &Views::new());
        counts.observe(&scene, &Views::new());
        assert_eq!(counted(&counts), (TaskState::Running, 2));
        let second = counts.submit(PANE, &Views::new());
        counts.settle(PANE, first);
        counts.observe(&scene, &Views::new());
        assert_eq!(counted(&counts), (TaskState::Running, 2));
        counts.settle(PANE, second);
        counts.observe(&scene, &Views::new());
        assert_eq!(counted(&counts), (TaskState::Idle, 3));
    }

    #[test]
    fn a_state_that_was_passed_through_is_found_after_its_baseline_only() {
        let mut counts = Counts::default();
        let mut scene = scene();
        for busy in [false, true, false] {
            scene.panes[0].busy = busy;
            counts.observe(&scene, &Views::new());
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
    fn an_agent_counts_every_state_and_the_end_of_its_turn() {
        use crate::server::agents::state::Transition as Change;
        use crate::server::agents::view::tests::view;
        let (mut counts, scene) = (Counts::default(), scene());
        let change = |seq, state, ended| Change { seq, state, kind: None, at_ms: 0, ended, alert: false };
        let mut agent = view(1, "claude");
        let mut look = |agent: &AgentView| {
            counts.observe(&scene, &Views::from([(PANE, std::sync::Arc::new(agent.clone()))]));
            counted(&counts)
        };
        assert_eq!(look(&agent), (TaskState::Running, 1));
        agent.state = AgentState::Idle;
        agent.state_change_seq = 3;
        agent.transitions = vec![change(3, AgentState::Idle, Some(TurnEnd::Finished))];
        assert_eq!(look(&agent), (TaskState::Idle, 3), "finished, and seen at once");
        agent.state = AgentState::Blocked;
        agent.state_change_seq = 5;
        agent.transitions = vec![change(4, AgentState::Working, None), change(5, AgentState::Blocked, None)];
        assert_eq!(look(&agent), (TaskState::Attention, 5));
        agent.blocked = Some(BlockedKind::Question);
        assert_eq!(look(&agent).0, TaskState::WaitingInput);
    }

    #[test]
    fn an_answered_approval_runs_until_the_agent_shows_something_else() {
        use crate::server::agents::view::tests::view;
        let (mut counts, scene) = (Counts::default(), scene());
        let mut agent = view(1, "claude");
        agent.state = AgentState::Blocked;
        agent.blocked = Some(BlockedKind::Permission);
        let views = |agent: &AgentView| Views::from([(PANE, std::sync::Arc::new(agent.clone()))]);
        counts.observe(&scene, &views(&agent));
        assert_eq!(counted(&counts), (TaskState::Attention, 1));
        let number = counts.submit(PANE, &views(&agent));
        counts.observe(&scene, &views(&agent));
        assert_eq!(counted(&counts), (TaskState::Running, 2));
        agent.blocked = Some(BlockedKind::Question);
        counts.observe(&scene, &views(&agent));
        assert_eq!(counted(&counts), (TaskState::WaitingInput, 3), "another question is an answer");
        counts.settle(PANE, number);
        counts.submit(PANE, &Views::new());
        agent.state = AgentState::Idle;
        agent.blocked = None;
        counts.observe(&scene, &views(&agent));
        assert_eq!(counted(&counts), (TaskState::Idle, 4), "an agent that appears ends what started it");
    }

    #[test]
    fn transitions_are_bounded() {
        let mut counts = Counts::default();
        let mut scene = scene();
        for change in 0..200 {
            scene.panes[0].busy = change % 2 == 0;
            counts.observe(&scene, &Views::new());
        }
        assert_eq!(counts.panes[&PANE].len(), TRANSITIONS);
        assert_eq!(counted(&counts).1, 200);
    }

    #[test]
    fn panes_that_are_gone_are_forgotten() {
        let mut counts = Counts::default();
        let mut scene = scene();
        counts.observe(&scene, &Views::new());
        counts.submit(PANE, &Views::new());
        scene.panes.remove(0);
        counts.observe(&scene, &Views::new());
        assert!(!counts.panes.contains_key(&PANE) && counts.submitted.is_empty());
    }
}
