//! Live views of a terminal over one connection (`uhp.md` sections 7.6 and 7.7): frames out, and on a
//! control stream actions in.
//!
//! Invariant: places and leases are given back when their stream is dropped, however it ended.

mod action;
mod frames;
mod outbox;
mod storage;
mod talk;
mod upload;

pub use storage::Storage;
pub use talk::{control, observe};

use crate::protocol::ids::TerminalId;
use crate::protocol::limits;
use crate::protocol::uhp::error::{ErrorCode, Failure};
use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The streams of one server.
#[derive(Debug, Default)]
pub struct Streams {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    open: usize,
    /// The terminals that a stream controls.
    leased: HashSet<TerminalId>,
}

/// A stream's place, and its lease if it controls its terminal.
#[derive(Debug)]
struct Place {
    streams: Arc<Streams>,
    lease: Option<TerminalId>,
}

impl Streams {
    /// Takes a place, and the lease of `control` with it.
    fn enter(self: &Arc<Self>, control: Option<TerminalId>) -> Result<Place, Failure> {
        let mut state = self.lock();
        if control.is_some_and(|terminal| state.leased.contains(&terminal)) {
            return Err(Failure::new(ErrorCode::ControlConflict, "another stream controls the terminal"));
        }
        if state.open >= limits::STREAMS {
            let message = format!("the server has at most {} streams at a time", limits::STREAMS);
            return Err(Failure::new(ErrorCode::LimitExceeded, message));
        }
        state.open += 1;
        state.leased.extend(control);
        Ok(Place { streams: Arc::clone(self), lease: control })
    }

    /// How many are open.
    pub fn open(&self) -> usize {
        self.lock().open
    }

    /// Every change is complete in itself, so a state that a panic left behind still holds.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut state = self.streams.lock();
        state.open -= 1;
        if let Some(terminal) = &self.lease {
            state.leased.remove(terminal);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_stream_controls_a_terminal_and_eight_are_open() {
        let streams = Arc::new(Streams::default());
        let code = |result: Result<Place, Failure>| result.err().map(|failure| failure.code);
        let terminal = |number: u8| Some(TerminalId([number; 16]));
        let first = streams.enter(terminal(1)).expect("a place");
        assert_eq!(code(streams.enter(terminal(1))), Some(ErrorCode::ControlConflict));
        let others: Vec<Place> = (0..7)
            .map(|number| streams.enter(terminal(number + 2).filter(|_| number % 2 == 0)).expect("a place"))
            .collect();
        assert_eq!(code(streams.enter(None)), Some(ErrorCode::LimitExceeded));
        assert_eq!(code(streams.enter(terminal(99))), Some(ErrorCode::LimitExceeded));
        drop(first);
        let again = streams.enter(terminal(1)).expect("the lease is free again");
        drop((again, others));
        assert_eq!(streams.lock().open, 0);
        assert!(streams.lock().leased.is_empty());
    }
}
