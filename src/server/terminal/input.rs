//! [`InputQueue`]: bytes on their way to a child (`uhp.md` section 11).
//!
//! Invariants: an action is taken whole or not at all; what was taken stays in order; taking never
//! waits for the child. An action counts against the bounds until its last byte has been written.

use super::handle::InputError;
use super::pty::Pty;
use crate::protocol::limits::{QUEUED_INPUT_ACTIONS, QUEUED_INPUT_BYTES};
use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

/// What one [`InputQueue::write`] may write, so that its task lets others run in between.
const TURN_BYTES: usize = 65_536;

/// The queue of one child.
#[derive(Default)]
pub(super) struct InputQueue {
    state: Mutex<State>,
    filled: Notify,
}

#[derive(Default)]
struct State {
    /// Where to write; `None` before the child runs.
    pty: Option<Arc<Pty>>,
    closed: bool,
    actions: VecDeque<Vec<u8>>,
    /// Bytes of the first action that have been written.
    written: usize,
    /// Memory that the actions own.
    owned_bytes: usize,
    /// Actions that were ever taken.
    taken: u64,
}

impl State {
    /// Takes note that `count` bytes of the first action are with the child.
    fn advance(&mut self, count: usize) {
        self.written += count;
        if self.actions.front().is_some_and(|first| self.written >= first.len()) {
            self.written = 0;
            if let Some(done) = self.actions.pop_front() {
                self.owned_bytes -= done.capacity();
            }
        }
    }
}

impl InputQueue {
    /// Takes one action. When nothing waits the child gets it at once, on the caller's thread: a key
    /// then costs no visit to another task.
    pub(super) fn push(&self, action: Vec<u8>) -> Result<(), InputError> {
        let mut state = self.lock();
        if state.closed {
            return Err(InputError::Closed);
        }
        if action.is_empty() {
            return Ok(());
        }
        if state.actions.len() >= QUEUED_INPUT_ACTIONS
            || state.owned_bytes + action.capacity() > QUEUED_INPUT_BYTES
        {
            return Err(InputError::QueueFull);
        }
        let direct = match &state.pty {
            Some(pty) if state.actions.is_empty() => match pty.try_write(&action) {
                Ok(count) => count,
                Err(error) if is_for_later(&error) => 0,
                Err(_) => return Err(InputError::Closed),
            },
            _ => 0,
        };
        state.taken += 1;
        if direct < action.len() {
            state.owned_bytes += action.capacity();
            state.actions.push_back(action);
            state.advance(direct);
            drop(state);
            self.filled.notify_one();
        }
        Ok(())
    }

    /// The place of the last action that was taken.
    pub(super) fn place(&self) -> u64 {
        self.lock().taken
    }

    /// Whether everything up to that place is with the child, or lost with it.
    pub(super) fn is_written(&self, place: u64) -> bool {
        let state = self.lock();
        let waiting = u64::try_from(state.actions.len()).unwrap_or(u64::MAX);
        state.taken.saturating_sub(waiting) >= place || state.closed
    }

    /// The child runs: from now on there is somewhere to write to.
    pub(super) fn open(&self, pty: Arc<Pty>) {
        let mut state = self.lock();
        if !state.closed {
            state.pty = Some(pty);
        }
    }

    /// The child is gone: gives back every reservation and refuses what comes.
    pub(super) fn close(&self) {
        *self.lock() = State { closed: true, ..State::default() };
    }

    /// Waits until something waits to be written.
    pub(super) async fn filled(&self) {
        while self.lock().actions.is_empty() {
            self.filled.notified().await;
        }
    }

    /// Writes what `pty` takes, up to a turn's worth; whether everything is written. Fails with
    /// [`io::ErrorKind::WouldBlock`] when the child must read first.
    pub(super) fn write(&self, pty: &Pty) -> io::Result<bool> {
        let mut turn_bytes = 0;
        while turn_bytes < TURN_BYTES {
            let mut state = self.lock();
            let Some(first) = state.actions.front() else { return Ok(true) };
            let end = first.len().min(state.written + TURN_BYTES);
            let count = pty.try_write(&first[state.written..end])?;
            if count == 0 {
                return Err(io::ErrorKind::WouldBlock.into());
            }
            turn_bytes += count;
            state.advance(count);
        }
        Ok(self.lock().actions.is_empty())
    }

    /// A poisoned lock is taken all the same: every change of the state is complete when it can
    /// panic no more, and a pane must stay closable.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn is_for_later(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn actions_are_bounded_by_number() {
        let queue = InputQueue::default();
        for _ in 0..QUEUED_INPUT_ACTIONS {
            assert_eq!(queue.push(b"x".to_vec()), Ok(()));
        }
        assert_eq!(queue.push(b"x".to_vec()), Err(InputError::QueueFull));
        assert_eq!(queue.lock().actions.len(), QUEUED_INPUT_ACTIONS);
    }

    #[test]
    fn actions_are_bounded_by_the_memory_they_own() {
        let queue = InputQueue::default();
        let mut roomy = Vec::with_capacity(QUEUED_INPUT_BYTES);
        roomy.push(b'x');
        assert_eq!(queue.push(roomy), Ok(()));
        assert_eq!(queue.push(b"y".to_vec()), Err(InputError::QueueFull));
        assert_eq!(queue.lock().actions.len(), 1);
        assert_eq!(queue.push(Vec::new()), Ok(()), "nothing to send always fits");
    }

    #[test]
    fn a_reservation_lasts_until_the_last_byte() {
        let queue = InputQueue::default();
        queue.push(b"abc".to_vec()).unwrap();
        let owned = queue.lock().owned_bytes;
        queue.lock().advance(2);
        assert_eq!(queue.lock().owned_bytes, owned);
        assert!(!queue.is_written(queue.place()));
        queue.lock().advance(1);
        assert!(queue.is_written(queue.place()));
        assert_eq!(queue.lock().owned_bytes, 0);
        assert!(queue.lock().actions.is_empty());
    }

    #[test]
    fn a_closed_queue_holds_and_takes_nothing() {
        let queue = InputQueue::default();
        queue.push(b"abc".to_vec()).unwrap();
        queue.close();
        assert_eq!(queue.push(b"d".to_vec()), Err(InputError::Closed));
        assert_eq!(queue.lock().owned_bytes, 0);
    }
}
