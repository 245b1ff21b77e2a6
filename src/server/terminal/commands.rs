//! What the shell of a terminal tells of its prompts and commands (OSC 133), and running a command in it.
//!
//! Owns the count of commands and how the newest of them ended. A command that is submitted here is the
//! next one that starts: at that moment the shell stands at its prompt, and nobody has pressed Enter there.
//!
//! Invariant: a status is never made up: what was not told is [`Ending::Unreported`].

use super::encode;
use super::engine::Mark;
use super::handle::{Gone, InputError, PaneHandle};
use super::shared::Shared;
use crate::protocol::key::{KeyCode, Modifiers};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::watch;

/// Ends that are remembered for those who wait for one of them.
const ENDS: usize = 64;
/// How long a shell that is known to mark has for its first prompt, and for the prompt after a command.
const PROMPT_DUE: Duration = Duration::from_secs(3);

/// Where a shell is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Phase {
    /// It has marked nothing yet.
    #[default]
    Silent,
    /// At its prompt.
    Prompt,
    /// A command runs.
    Running,
    /// A command has ended, the prompt is on its way.
    Ended,
}

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// With this status.
    Exited(i32),
    /// Without one that was told.
    Unreported,
}

/// The commands of one terminal.
#[derive(Debug, Clone, Default)]
pub struct Commands {
    phase: Phase,
    /// Enter was pressed since the prompt was shown.
    entered: bool,
    started: u64,
    ended: u64,
    /// The newest ends by their numbers.
    ends: VecDeque<(u64, Ending)>,
    over: bool,
}

impl Commands {
    /// Where the shell is.
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// Whether the shell marks its prompts and commands.
    pub fn marked(&self) -> bool {
        self.phase != Phase::Silent
    }

    /// Whether it stands at its prompt, and nothing was entered there.
    pub fn at_prompt(&self) -> bool {
        self.phase == Phase::Prompt && !self.entered
    }

    /// Whether a command runs, or has just been entered.
    pub fn running(&self) -> bool {
        self.phase == Phase::Running || (self.phase == Phase::Prompt && self.entered)
    }

    /// How many commands have started. Commands are numbered from 1.
    pub fn started(&self) -> u64 {
        self.started
    }

    /// How many commands have ended.
    pub fn ended(&self) -> u64 {
        self.ended
    }

    /// How the newest of them ended.
    pub fn last(&self) -> Option<Ending> {
        self.ends.back().map(|(_, ending)| *ending)
    }

    /// How a command ended; `None` while it has not. The end of one that was forgotten is unreported.
    fn ending(&self, number: u64) -> Option<Ending> {
        let known = self.ends.iter().find(|(ended, _)| *ended == number).map(|(_, ending)| *ending);
        known.or_else(|| (self.ended >= number).then_some(Ending::Unreported))
    }

    fn end(&mut self, ending: Ending) {
        if self.phase == Phase::Running {
            self.ended = self.started;
            if self.ends.len() == ENDS {
                self.ends.pop_front();
            }
            self.ends.push_back((self.started, ending));
        }
    }

    /// Takes in a mark; whether it says something new. A shell whose prompts are marked twice, by the
    /// person's files too, says everything twice.
    fn note(&mut self, mark: &Mark) -> bool {
        match mark {
            Mark::PromptStart | Mark::PromptEnd => {
                // A prompt without an end before it: that one was not told, or is another shell's.
                self.end(Ending::Unreported);
                self.phase = Phase::Prompt;
                self.entered = false;
            }
            Mark::CommandStart if self.phase != Phase::Running => {
                self.phase = Phase::Running;
                self.started += 1;
            }
            Mark::CommandEnd { exit } if self.phase == Phase::Running => {
                self.end(exit.map_or(Ending::Unreported, Ending::Exited));
                self.phase = Phase::Ended;
            }
            _ => return false,
        }
        true
    }
}

/// One terminal's [`Commands`] with those who watch them.
pub(super) struct Tracker {
    commands: watch::Sender<Commands>,
    /// Whether the shell was made to mark.
    expected: bool,
    /// The number of a command that was submitted and has not started.
    claimed: Mutex<Option<u64>>,
}

impl Tracker {
    pub(super) fn new(expected: bool) -> Self {
        Self { commands: watch::Sender::default(), expected, claimed: Mutex::default() }
    }

    /// Takes in what the child marked.
    pub(super) fn note(&self, marks: &[Mark]) {
        self.commands.send_if_modified(|commands| {
            let mut changed = false;
            for mark in marks {
                changed |= commands.note(mark);
            }
            changed
        });
    }

    /// Somebody sends input: Enter at a prompt starts something.
    pub(super) fn input(&self, bytes: &[u8]) {
        if bytes.iter().any(|byte| matches!(byte, b'\r' | b'\n')) {
            self.commands.send_if_modified(|commands| {
                commands.phase == Phase::Prompt && !std::mem::replace(&mut commands.entered, true)
            });
        }
    }

    /// The child is gone.
    pub(super) fn close(&self) {
        self.commands.send_modify(|commands| commands.over = true);
    }

    fn claimed(&self) -> MutexGuard<'_, Option<u64>> {
        // A single assignment leaves nothing half done for a poisoned lock to warn of.
        self.claimed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Why a command was not submitted; then nothing was typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum RunError {
    /// The shell does not mark its commands, so that no status could be learnt.
    #[error("the pane's shell does not tell how its commands end")]
    Unmarked,
    /// Something runs, or a line has been entered.
    #[error("the pane is not at a shell prompt")]
    NotAtPrompt,
    /// Another command was submitted and has not started.
    #[error("another command has been submitted")]
    Pending,
    /// It could not be queued.
    #[error(transparent)]
    Input(#[from] InputError),
}

/// A command that was submitted. Dropping it gives up waiting, and leaves the command alone.
pub struct Run {
    number: u64,
    shared: Arc<Shared>,
    commands: watch::Receiver<Commands>,
}

impl Run {
    /// Waits until it starts.
    pub async fn started(&mut self) -> Result<(), Gone> {
        let number = self.number;
        self.wait(|commands| (commands.started >= number).then_some(())).await
    }

    /// Waits until it ends; also when it ended before this was called.
    pub async fn ended(&mut self) -> Result<Ending, Gone> {
        let number = self.number;
        self.wait(|commands| commands.ending(number)).await
    }

    async fn wait<T>(&mut self, mut seen: impl FnMut(&Commands) -> Option<T>) -> Result<T, Gone> {
        let commands = self.commands.wait_for(|commands| commands.over || seen(commands).is_some()).await;
        commands.ok().and_then(|commands| seen(&commands)).ok_or(Gone)
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        let mut claimed = self.shared.commands.claimed();
        if *claimed == Some(self.number) {
            *claimed = None;
        }
    }
}

impl PaneHandle {
    /// What the shell tells of its commands, and every change of it.
    pub fn commands(&self) -> watch::Receiver<Commands> {
        self.shared.commands.commands.subscribe()
    }

    /// Types a command at the shell's prompt and presses Enter, as one action. A shell that was made to
    /// mark, and one that has just ended a command, has a moment to show its prompt first.
    ///
    /// # Errors
    /// [`RunError`]; then nothing was typed.
    pub async fn run(&self, command: &str) -> Result<Run, RunError> {
        let tracker = &self.shared.commands;
        let mut commands = tracker.commands.subscribe();
        let expected = tracker.expected;
        let soon = |phase| phase == Phase::Ended || (phase == Phase::Silent && expected);
        let settled = commands.wait_for(|commands| commands.over || !soon(commands.phase));
        // The look that follows tells which of the two it was.
        let _ = tokio::time::timeout(PROMPT_DUE, settled).await;
        self.submit_command(command)
    }

    fn submit_command(&self, command: &str) -> Result<Run, RunError> {
        let tracker = &self.shared.commands;
        let mut claimed = tracker.claimed();
        let commands = tracker.commands.subscribe();
        let number = {
            let present = commands.borrow();
            if present.over {
                return Err(InputError::Closed.into());
            }
            if !present.marked() {
                return Err(RunError::Unmarked);
            }
            if claimed.is_some_and(|claimed| claimed > present.started) {
                return Err(RunError::Pending);
            }
            if !present.at_prompt() && present.phase != Phase::Ended {
                return Err(RunError::NotAtPrompt);
            }
            present.started + 1
        };
        let mut action = command.as_bytes().to_vec();
        action.extend(encode::tap(KeyCode::Enter, Modifiers::NONE, self.modes(), self.shared.shift_enter));
        // Marked as entered and queued while nobody else can claim the number.
        self.shared.send(action)?;
        *claimed = Some(number);
        Ok(Run { number, shared: Arc::clone(&self.shared), commands })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noted(marks: &[Mark]) -> Commands {
        let tracker = Tracker::new(false);
        tracker.note(marks);
        tracker.commands.borrow().clone()
    }

    const END: Mark = Mark::CommandEnd { exit: Some(3) };

    #[test]
    fn a_command_goes_from_prompt_to_prompt() {
        let commands = noted(&[Mark::PromptStart, Mark::PromptEnd]);
        assert!(commands.at_prompt() && commands.started() == 0);
        let commands = noted(&[Mark::PromptStart, Mark::CommandStart]);
        assert!(commands.running() && !commands.at_prompt());
        let commands = noted(&[Mark::PromptStart, Mark::CommandStart, END, Mark::PromptStart]);
        assert!(commands.at_prompt());
        assert_eq!((commands.started(), commands.ended(), commands.last()), (1, 1, Some(Ending::Exited(3))));
    }

    #[test]
    fn a_prompt_without_an_end_leaves_the_status_unreported() {
        for end in [Mark::PromptStart, Mark::PromptEnd, Mark::CommandEnd { exit: None }] {
            let commands = noted(&[Mark::PromptStart, Mark::CommandStart, end, END]);
            assert_eq!((commands.ended(), commands.last()), (1, Some(Ending::Unreported)));
        }
    }

    #[test]
    fn what_is_marked_twice_counts_once() {
        let twice = [Mark::PromptStart, Mark::CommandStart, END].map(|mark| [mark.clone(), mark]);
        let commands = noted(twice.as_flattened());
        assert_eq!((commands.started(), commands.ended()), (1, 1));
        assert!(!noted(&[END, Mark::Reset]).marked());
    }

    #[test]
    fn enter_at_a_prompt_is_a_command_on_its_way() {
        let tracker = Tracker::new(false);
        tracker.input(b"\r");
        assert!(!tracker.commands.borrow().running());
        tracker.note(&[Mark::PromptStart]);
        tracker.input(b"ls");
        assert!(tracker.commands.borrow().at_prompt());
        tracker.input(b" -l\r");
        assert!(tracker.commands.borrow().running());
        tracker.note(&[Mark::PromptStart]);
        assert!(tracker.commands.borrow().at_prompt(), "it was an empty line");
    }

    #[test]
    fn many_ends_are_remembered_and_older_ones_are_unreported() {
        let mut commands = Commands::default();
        for _ in 0..ENDS + 1 {
            commands.note(&Mark::CommandStart);
            commands.note(&END);
        }
        assert_eq!(commands.ending(1), Some(Ending::Unreported));
        assert_eq!(commands.ending(2), Some(Ending::Exited(3)));
        assert_eq!(commands.ending(ENDS as u64 + 2), None);
    }
}
