//! From evidence to a state: what is shown, when, and whether anybody has seen it (`uhp.md` 12.5, 12.6).
//!
//! Invariants: work and waiting show at once, quiet only after it has lasted; time is handed in; looking
//! at a pane never takes `blocked` away; the counter rises by one exactly when the state changes.

use crate::protocol::agent::{AgentState, BlockedKind};
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// How long quiet must last before it shows.
pub const QUIET_DWELL: Duration = Duration::from_millis(2_500);
/// Transitions that are remembered: enough for a wait that is woken late.
const TRANSITIONS: usize = 32;

/// What a state rests on; a greater one overrules a smaller one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    /// Nothing but that the program is there.
    Process,
    /// A rule about its screen.
    Screen,
    /// What it reports of itself (OSC 7501).
    ProgramStatus,
    /// A leased report of its integration.
    Integration,
}

impl Source {
    /// The machine's word for it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Process => "process",
            Self::Screen => "screen",
            Self::ProgramStatus => "program_status",
            Self::Integration => "integration_report",
        }
    }
}

/// What the evidence of this moment says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Candidate {
    /// The state; `Done` only where results are reported.
    pub state: AgentState,
    /// What a blocked one waits for.
    pub kind: Option<BlockedKind>,
    /// What it rests on.
    pub source: Source,
    /// Whether the result is a failure.
    pub failed: bool,
    /// Whether a result of the last stretch of work is among it.
    pub fresh: bool,
    /// Whether it shows without having lasted.
    pub immediate: bool,
}

impl Candidate {
    /// Of a source that reports results, so that mere quiet is none.
    fn is_explicit(&self) -> bool {
        self.source >= Source::ProgramStatus
    }
}

/// How a turn ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TurnEnd {
    /// It came to its end.
    Finished,
    /// It failed.
    Failed,
}

/// A change of the state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Transition {
    /// The counter after it.
    pub seq: u64,
    /// The new state.
    pub state: AgentState,
    /// What a blocked one waits for.
    pub kind: Option<BlockedKind>,
    /// When, in milliseconds since 1970.
    pub at_ms: u64,
    /// The turn that ended with it: it may be quiet at once when somebody watched the end.
    pub ended: Option<TurnEnd>,
    /// Whether somebody is to be told.
    pub alert: bool,
}

/// One moment, on both clocks.
#[derive(Debug, Clone, Copy)]
pub struct Moment {
    /// For spans of time.
    pub now: Instant,
    /// For people: milliseconds since 1970.
    pub unix_ms: u64,
}

/// The state of one agent.
#[derive(Debug, Clone)]
pub struct Machine {
    state: AgentState,
    kind: Option<BlockedKind>,
    since_ms: u64,
    seq: u64,
    unread: bool,
    /// A quiet state on its way, and when it is there.
    pending: Option<(AgentState, Instant)>,
    /// Whether it worked since it was last quiet.
    worked: bool,
    /// Whether the `done` that shows has been looked at.
    seen: bool,
    transitions: VecDeque<Transition>,
}

impl Machine {
    /// Of an agent that has just been noticed; `seq` goes on from where its pane's counter was.
    #[must_use]
    pub fn new(seq: u64, moment: Moment) -> Self {
        Self {
            state: AgentState::Unknown,
            kind: None,
            since_ms: moment.unix_ms,
            seq,
            unread: false,
            pending: None,
            worked: false,
            seen: false,
            transitions: VecDeque::new(),
        }
    }

    /// The state that shows.
    #[must_use]
    pub fn state(&self) -> AgentState {
        self.state
    }

    /// What it waits for.
    #[must_use]
    pub fn kind(&self) -> Option<BlockedKind> {
        self.kind
    }

    /// Since when, in milliseconds since 1970.
    #[must_use]
    pub fn since_ms(&self) -> u64 {
        self.since_ms
    }

    /// How often it changed.
    #[must_use]
    pub fn seq(&self) -> u64 {
        self.seq
    }

    /// Whether `blocked` or `done` has not been looked at.
    #[must_use]
    pub fn unread(&self) -> bool {
        self.unread
    }

    /// The latest changes, the oldest first.
    #[must_use]
    pub fn transitions(&self) -> Vec<Transition> {
        self.transitions.iter().copied().collect()
    }

    /// When it wants to be asked again; `None` while nothing is on its way.
    #[must_use]
    pub fn due(&self) -> Option<Instant> {
        self.pending.map(|(_, due)| due)
    }

    /// Somebody looks at it, or types into it.
    pub fn look(&mut self) {
        self.unread = false;
        self.seen = true;
    }

    /// Something was submitted to it: what was about to be quiet has to last anew (point 23 of the contracts).
    pub fn submitted(&mut self, now: Instant) {
        if let Some((_, due)) = &mut self.pending {
            *due = now + QUIET_DWELL;
        }
    }

    /// Takes the evidence of this moment in. `viewed`: whether somebody looks.
    pub fn step(&mut self, candidate: Candidate, viewed: bool, moment: Moment) -> Option<Transition> {
        if viewed {
            self.look();
        }
        let target = self.target(&candidate, viewed);
        let at_once = candidate.immediate || matches!(target, AgentState::Working | AgentState::Blocked);
        if target == self.state {
            self.pending = None;
            self.kind = candidate.kind.filter(|_| target == AgentState::Blocked);
            return None;
        }
        if !at_once {
            let due = match self.pending {
                Some((pending, due)) if pending == target => due,
                _ => moment.now + QUIET_DWELL,
            };
            self.pending = Some((target, due));
            if moment.now < due {
                return None;
            }
        }
        Some(self.publish(target, &candidate, viewed, moment))
    }

    /// What would show if it lasted.
    fn target(&self, candidate: &Candidate, viewed: bool) -> AgentState {
        match candidate.state {
            AgentState::Working | AgentState::Blocked => candidate.state,
            state if candidate.is_explicit() => state,
            // Nothing on the screen tells: that proves nothing new of one that was never seen at work.
            AgentState::Unknown if !self.worked && self.state != AgentState::Blocked => self.state,
            _ if self.state == AgentState::Done => {
                if self.seen {
                    AgentState::Idle
                } else {
                    AgentState::Done
                }
            }
            _ if self.worked && !viewed => AgentState::Done,
            _ => AgentState::Idle,
        }
    }

    fn publish(
        &mut self,
        state: AgentState,
        candidate: &Candidate,
        viewed: bool,
        moment: Moment,
    ) -> Transition {
        let turn = if candidate.failed { TurnEnd::Failed } else { TurnEnd::Finished };
        let ended = (state.is_quiet() && self.worked).then_some(turn);
        let completes = state == AgentState::Done && (!candidate.is_explicit() || candidate.fresh);
        self.unread = !viewed && matches!(state, AgentState::Blocked | AgentState::Done);
        self.seen = viewed;
        self.worked = match state {
            AgentState::Working => true,
            AgentState::Blocked => self.worked,
            AgentState::Done | AgentState::Idle | AgentState::Unknown => false,
        };
        self.state = state;
        self.kind = candidate.kind.filter(|_| state == AgentState::Blocked);
        self.since_ms = moment.unix_ms;
        self.seq += 1;
        self.pending = None;
        let transition = Transition {
            seq: self.seq,
            state,
            kind: self.kind,
            at_ms: moment.unix_ms,
            ended,
            alert: self.unread && (state == AgentState::Blocked || completes),
        };
        if self.transitions.len() == TRANSITIONS {
            self.transitions.pop_front();
        }
        self.transitions.push_back(transition);
        transition
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use AgentState::{Blocked, Done, Idle, Unknown, Working};

    /// A machine with a clock and a person who looks, or does not.
    struct Stage {
        machine: Machine,
        start: Instant,
        viewed: bool,
    }

    impl Stage {
        fn new() -> Self {
            let start = Instant::now();
            Self { machine: Machine::new(1, Moment { now: start, unix_ms: 0 }), start, viewed: false }
        }

        fn see(&mut self, source: Source, state: AgentState, ms: u64) -> Option<Transition> {
            let candidate = Candidate {
                state,
                kind: None,
                source,
                failed: false,
                fresh: state == Done,
                immediate: source == Source::Integration,
            };
            let now = self.start + Duration::from_millis(ms);
            self.machine.step(candidate, self.viewed, Moment { now, unix_ms: ms })
        }

        fn screen(&mut self, state: AgentState, ms: u64) -> AgentState {
            self.see(Source::Screen, state, ms);
            self.machine.state()
        }

        fn status(&mut self, state: AgentState, ms: u64) -> AgentState {
            self.see(Source::ProgramStatus, state, ms);
            self.machine.state()
        }
    }

    #[test]
    fn work_and_waiting_show_at_once_and_quiet_after_its_dwell() {
        let mut stage = Stage::new();
        assert_eq!(stage.screen(Working, 0), Working);
        assert_eq!(stage.screen(Blocked, 1), Blocked);
        assert_eq!(stage.screen(Working, 2), Working);
        assert_eq!(stage.screen(Idle, 10), Working);
        assert_eq!(stage.machine.due(), Some(stage.start + Duration::from_millis(2_510)));
        assert_eq!(stage.screen(Idle, 2_509), Working);
        assert_eq!(stage.screen(Idle, 2_510), Done);
        assert_eq!(stage.machine.due(), None, "nothing is on its way");
    }

    #[test]
    fn renewed_work_cancels_quiet() {
        let mut stage = Stage::new();
        stage.screen(Working, 0);
        stage.screen(Idle, 100);
        stage.screen(Working, 2_000);
        assert_eq!(stage.machine.due(), None);
        assert_eq!(stage.screen(Idle, 3_000), Working);
        assert_eq!(stage.screen(Idle, 5_499), Working);
        assert_eq!(stage.screen(Idle, 5_500), Done);
        assert_eq!(stage.machine.seq(), 3, "working and done");
    }

    #[test]
    fn an_agent_whose_screen_tells_nothing_is_unknown_until_it_was_seen_at_work() {
        let mut stage = Stage::new();
        assert_eq!(stage.screen(Unknown, 9_000), Unknown);
        stage.screen(Working, 9_001);
        stage.screen(Unknown, 9_002);
        assert_eq!(stage.screen(Unknown, 12_000), Done);
        let mut stage = Stage::new();
        stage.screen(Idle, 0);
        assert_eq!(stage.screen(Idle, 2_500), Idle);
        assert_eq!(stage.screen(Unknown, 9_000), Idle, "no evidence of work");
    }

    #[test]
    fn a_result_that_nobody_saw_stays_done_until_it_was_looked_at_and_idle_lasted() {
        let mut stage = Stage::new();
        stage.screen(Working, 0);
        stage.screen(Idle, 1);
        assert_eq!(stage.screen(Idle, 2_501), Done);
        assert!(stage.machine.unread());
        assert_eq!(stage.screen(Idle, 60_000), Done);
        stage.viewed = true;
        assert_eq!(stage.screen(Idle, 61_000), Done, "still shown");
        assert!(!stage.machine.unread());
        stage.viewed = false;
        assert_eq!(stage.screen(Idle, 63_499), Done);
        assert_eq!(stage.screen(Idle, 63_500), Idle);
    }

    #[test]
    fn who_watches_the_end_of_a_turn_sees_idle() {
        let mut stage = Stage::new();
        stage.viewed = true;
        stage.screen(Working, 0);
        stage.screen(Idle, 1);
        let transition = stage.see(Source::Screen, Idle, 2_501).expect("a change");
        assert_eq!(
            (transition.state, transition.ended, transition.alert),
            (Idle, Some(TurnEnd::Finished), false)
        );
    }

    #[test]
    fn looking_never_takes_blocked_away() {
        let mut stage = Stage::new();
        let transition = stage.see(Source::Screen, Blocked, 0).expect("a change");
        assert!(transition.alert && stage.machine.unread());
        stage.viewed = true;
        assert_eq!(stage.screen(Blocked, 10_000), Blocked);
        assert!(!stage.machine.unread());
    }

    #[test]
    fn a_question_that_is_gone_blocks_no_longer() {
        let mut stage = Stage::new();
        stage.screen(Blocked, 0);
        assert_eq!(stage.screen(Unknown, 1), Blocked);
        assert_eq!(stage.screen(Unknown, 2_501), Idle);
    }

    #[test]
    fn reported_quiet_without_a_result_is_no_completion() {
        let mut stage = Stage::new();
        stage.status(Working, 0);
        stage.status(Idle, 1);
        let transition = stage.see(Source::ProgramStatus, Idle, 2_501).expect("a change");
        assert_eq!((transition.state, transition.alert), (Idle, false));
        stage.status(Working, 3_000);
        stage.status(Done, 3_001);
        let transition = stage.see(Source::ProgramStatus, Done, 5_501).expect("a change");
        assert_eq!((transition.state, transition.alert), (Done, true));
    }

    #[test]
    fn a_result_of_before_the_stretch_alerts_nobody() {
        let mut stage = Stage::new();
        stage.status(Working, 0);
        let old = Candidate {
            state: Done,
            kind: None,
            source: Source::ProgramStatus,
            failed: false,
            fresh: false,
            immediate: false,
        };
        let at = |ms| Moment { now: stage.start + Duration::from_millis(ms), unix_ms: ms };
        let (first, second) = (at(1), at(2_501));
        stage.machine.step(old, false, first);
        let transition = stage.machine.step(old, false, second).expect("a change");
        assert_eq!((transition.state, transition.alert), (Done, false));
    }

    #[test]
    fn a_submit_starts_the_dwell_anew() {
        let mut stage = Stage::new();
        stage.screen(Idle, 0);
        stage.machine.submitted(stage.start + Duration::from_millis(2_400));
        assert_eq!(stage.screen(Idle, 4_899), Unknown);
        assert_eq!(stage.screen(Idle, 4_900), Idle);
        stage.machine.submitted(stage.start + Duration::from_millis(5_000));
        assert_eq!(stage.machine.due(), None, "nothing was on its way");
    }

    #[test]
    fn a_changed_quiet_candidate_starts_its_dwell_anew() {
        let mut stage = Stage::new();
        stage.status(Working, 0);
        stage.status(Done, 1_000);
        stage.status(Idle, 2_000);
        assert_eq!(stage.status(Idle, 3_500), Working);
        assert_eq!(stage.status(Idle, 4_500), Idle);
    }

    #[test]
    fn a_leased_report_shows_at_once() {
        let mut stage = Stage::new();
        stage.see(Source::Integration, Working, 0);
        stage.see(Source::Integration, Idle, 1);
        assert_eq!(stage.machine.state(), Idle);
        stage.see(Source::Integration, Done, 2);
        assert_eq!(stage.machine.state(), Done);
    }

    #[test]
    fn the_ring_of_transitions_is_bounded_and_counts_on() {
        let mut stage = Stage::new();
        for round in 0..100 {
            stage.screen(if round % 2 == 0 { Working } else { Blocked }, round);
        }
        let ring = stage.machine.transitions();
        assert_eq!(ring.len(), TRANSITIONS);
        assert_eq!(ring.last().map(|last| last.seq), Some(101));
        assert!(ring.windows(2).all(|pair| pair[1].seq == pair[0].seq + 1));
    }
}
