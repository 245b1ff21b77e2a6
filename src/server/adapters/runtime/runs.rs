//! The runs of `pane.run`: the one that goes on in a pane, and how the last one ended (`runtime.md`
//! sections 5 and 7.7).
//!
//! Invariant: an exit code is one that a shell has told, never one that was guessed.

use crate::protocol::ids::PaneId;
use crate::protocol::runtime::snapshot::{ActiveRun, Capability, RunOutcome, RunPhase, RunState};
use crate::protocol::scene::Scene;
use std::collections::BTreeMap;

/// All runs of a server.
#[derive(Debug, Default)]
pub struct Runs {
    count: u64,
    active: BTreeMap<PaneId, ActiveRun>,
    last: BTreeMap<PaneId, RunOutcome>,
}

impl Runs {
    /// Forgets panes that are gone.
    pub fn observe(&mut self, scene: &Scene) {
        self.active.retain(|pane, _| scene.pane(*pane).is_some());
        self.last.retain(|pane, _| scene.pane(*pane).is_some());
    }

    /// A command is about to be submitted; its number, unless another one goes on.
    pub fn begin(&mut self, pane: PaneId) -> Option<u64> {
        if self.active.contains_key(&pane) {
            return None;
        }
        self.count += 1;
        self.active.insert(pane, ActiveRun { run_id: self.count, phase: RunPhase::Submitted });
        Some(self.count)
    }

    /// The shell says that it has begun.
    pub fn started(&mut self, pane: PaneId, run: u64) {
        if let Some(active) = self.active.get_mut(&pane).filter(|active| active.run_id == run) {
            active.phase = RunPhase::Started;
        }
    }

    /// It was not submitted after all.
    pub fn withdraw(&mut self, pane: PaneId, run: u64) {
        if self.active.get(&pane).is_some_and(|active| active.run_id == run) {
            self.active.remove(&pane);
        }
    }

    /// It has ended: with an exit code, or with the reason why there is none.
    pub fn ended(&mut self, pane: PaneId, run: u64, exit: Result<i64, &'static str>) {
        self.withdraw(pane, run);
        let outcome = match exit {
            Ok(code) => RunOutcome {
                run_id: run,
                state: if code == 0 { RunState::Finished } else { RunState::Failed },
                exit_code: Some(code),
                exit_code_capability: Capability::Supported,
                unavailable_reason: None,
            },
            Err(reason) => RunOutcome {
                run_id: run,
                state: RunState::Unavailable,
                exit_code: None,
                exit_code_capability: Capability::Unavailable,
                unavailable_reason: Some(reason),
            },
        };
        self.last.insert(pane, outcome);
    }

    /// The run that goes on in a pane.
    pub fn active(&self, pane: PaneId) -> Option<ActiveRun> {
        self.active.get(&pane).copied()
    }

    /// How the last run of a pane ended.
    pub fn last(&self, pane: PaneId) -> Option<RunOutcome> {
        self.last.get(&pane).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PANE: PaneId = PaneId(1);

    #[test]
    fn one_run_goes_on_in_a_pane_and_numbers_never_repeat() {
        let mut runs = Runs::default();
        let first = runs.begin(PANE).expect("free");
        assert_eq!(runs.begin(PANE), None);
        runs.started(PANE, first);
        assert_eq!(runs.active(PANE).map(|active| active.phase), Some(RunPhase::Started));
        runs.ended(PANE, first, Ok(3));
        let last = runs.last(PANE).expect("an outcome");
        assert_eq!((last.state, last.exit_code), (RunState::Failed, Some(3)));
        let second = runs.begin(PANE).expect("free again");
        assert_eq!(second, first + 1);
        runs.withdraw(PANE, second);
        assert_eq!(runs.active(PANE), None);
    }

    #[test]
    fn an_unknown_end_has_a_reason_and_no_code() {
        let mut runs = Runs::default();
        let run = runs.begin(PANE).expect("free");
        runs.ended(PANE, run, Err("command_start_not_observed"));
        let last = runs.last(PANE).expect("an outcome");
        assert_eq!((last.exit_code, last.unavailable_reason), (None, Some("command_start_not_observed")));
    }
}
