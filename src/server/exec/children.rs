//! [`Children`]: which processes were started here and how they ended, for ten minutes.
//!
//! Invariant: bounded. A number that the system gives out again means the newer child.

use super::End;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// How long the end of a child is remembered (`pane-backend.md` 4.8).
const REMEMBERED: Duration = Duration::from_mins(10);
/// How many ends are remembered.
const ENDS: usize = 4_096;

/// How a child ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ended {
    /// Its status, or 128 and the signal's number; nothing if the system did not tell.
    pub code: Option<i64>,
}

impl Ended {
    /// From what is known of a job's end.
    #[must_use]
    pub fn of(end: End) -> Self {
        let code = match end {
            End::Exited(code) => Some(i64::from(code)),
            End::Signalled(signal) => Some(128 + i64::from(signal)),
            End::TimedOut => None,
        };
        Self { code }
    }
}

struct Child {
    pid: u32,
    ended: watch::Receiver<Option<Ended>>,
    at: Option<Instant>,
}

/// The list; cheap to clone.
#[derive(Clone, Default)]
pub struct Children(Arc<Mutex<VecDeque<Child>>>);

impl Children {
    /// A child runs; how it ended is to be sent once it has. Dropping the sender leaves that unknown.
    #[must_use]
    pub fn began(&self, pid: u32) -> watch::Sender<Option<Ended>> {
        let (sender, ended) = watch::channel(None);
        let mut list = self.lock();
        forget_old(&mut list, Instant::now());
        list.push_back(Child { pid, ended, at: None });
        sender
    }

    /// The newest child with that number, if one is known.
    #[must_use]
    pub fn find(&self, pid: u32) -> Option<watch::Receiver<Option<Ended>>> {
        let mut list = self.lock();
        forget_old(&mut list, Instant::now());
        list.iter().rev().find(|child| child.pid == pid).map(|child| child.ended.clone())
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Child>> {
        // Every change is complete in itself.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Forgets what ended long ago, and the oldest ends beyond the bound. Living children stay: their
/// number is bounded by those who start them.
fn forget_old(list: &mut VecDeque<Child>, now: Instant) {
    let mut ends = 0;
    for child in list.iter_mut() {
        if child.at.is_none() && (child.ended.borrow().is_some() || child.ended.has_changed().is_err()) {
            child.at = Some(now);
        }
        ends += usize::from(child.at.is_some());
    }
    list.retain(|child| match child.at {
        Some(at) => {
            let kept = ends <= ENDS && now.duration_since(at) < REMEMBERED;
            ends -= usize::from(!kept);
            kept
        }
        None => true,
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_are_remembered_for_ten_minutes_and_living_children_for_ever() {
        let children = Children::default();
        let living = children.began(1);
        let ended = children.began(2);
        ended.send_replace(Some(Ended { code: Some(3) }));
        assert_eq!(children.find(2).and_then(|ended| *ended.borrow()), Some(Ended { code: Some(3) }));
        let now = Instant::now();
        forget_old(&mut children.lock(), now);
        forget_old(&mut children.lock(), now + REMEMBERED * 2);
        assert_eq!(children.lock().iter().map(|child| child.pid).collect::<Vec<_>>(), [1]);
        drop(living);
    }

    #[test]
    fn the_newer_child_of_a_number_counts_and_the_list_is_bounded() {
        let children = Children::default();
        for code in 0..i64::try_from(ENDS).unwrap() + 10 {
            children.began(7).send_replace(Some(Ended { code: Some(code) }));
        }
        assert!(children.lock().len() <= ENDS + 1);
        let newest = children.find(7).and_then(|ended| *ended.borrow());
        assert_eq!(newest, Some(Ended { code: Some(i64::try_from(ENDS).unwrap() + 9) }));
        assert!(children.find(8).is_none());
    }
}
