//! [`Family`]: a process with everything that came of it, as far as the system tells, and its end.
//!
//! Invariant: a member is only signalled while it is the process that was found: a later one with the
//! same number is a stranger.

use super::system;

/// One process of a family.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) struct Member {
    /// Its number.
    pub(in super::super) pid: u32,
    /// When it started, in the system's own count; nothing where that is not told.
    pub(in super::super) started: Option<u64>,
}

/// How members are told to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::server) enum Ask {
    /// They may save what they hold (TERM).
    Politely,
    /// The same, and their terminal is going (TERM and HUP).
    HangUp,
    /// At once (KILL).
    ForCertain,
}

/// A process that leads a process group, and what came of it: by group, by session, and by parents.
#[derive(Debug, Clone)]
pub(in crate::server) struct Family {
    root: u32,
    members: Vec<Member>,
}

impl Family {
    /// Looks now.
    pub(in crate::server) fn of(root: u32) -> Self {
        Self { root, members: system::family(root) }
    }

    /// Looks again. Who was found before stays, even if its parents are gone.
    pub(in crate::server) fn look_again(&mut self) {
        for member in system::family(self.root) {
            if !self.members.contains(&member) {
                self.members.push(member);
            }
        }
    }

    /// Tells all of them to end.
    pub(in crate::server) fn end(&self, ask: Ask) {
        system::end_members(self.root, &self.members, ask);
    }

    /// Whether any of them still lives.
    pub(in crate::server) fn is_left(&self) -> bool {
        self.members.iter().any(system::is_alive)
    }
}
