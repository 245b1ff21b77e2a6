//! [`Family`]: a process with everything that came of it, as far as the system tells, and its end.
//!
//! Invariant: a member is only signalled while it is the process that was found: a later one with the
//! same number is a stranger.

use super::system;
use crate::protocol::ids::TerminalId;
use std::sync::atomic::{AtomicU64, Ordering};

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

/// A variable of luvus's own that the root was started with and hands down: by it descendants are found
/// that left the session and lost their parents. Linux only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::server) struct Mark {
    /// The variable.
    pub(in crate::server) name: &'static str,
    /// Its value, unique to the root.
    pub(in crate::server) value: String,
}

impl Mark {
    /// Names a child outside any terminal.
    pub(in crate::server) const JOB: &'static str = "LUVUS_JOB_ID";
    /// Names a terminal; children outside it have the same one.
    pub(in crate::server) const TERMINAL: &'static str = "LUVUS_TERMINAL_ID";

    /// The mark of a terminal's child.
    pub(in crate::server) fn terminal(id: TerminalId) -> Self {
        Self { name: Self::TERMINAL, value: id.to_string() }
    }

    /// A new one, for a job.
    pub(in crate::server) fn job() -> Self {
        static LAST: AtomicU64 = AtomicU64::new(0);
        let number = LAST.fetch_add(1, Ordering::Relaxed) + 1;
        Self { name: Self::JOB, value: format!("{}-{number}", std::process::id()) }
    }

    #[cfg(target_os = "linux")]
    /// Whether a process has it, by its variables. A job is no part of its terminal.
    pub(super) fn is_on(&self, variable: impl Fn(&str) -> Option<String>) -> bool {
        variable(self.name).as_ref() == Some(&self.value)
            && (self.name == Self::JOB || variable(Self::JOB).is_none())
    }
}

/// A process that leads a process group, and what came of it: by group, by session, by parents, and by
/// its mark.
#[derive(Debug, Clone)]
pub(in crate::server) struct Family {
    root: u32,
    mark: Mark,
    members: Vec<Member>,
}

impl Family {
    /// Looks now.
    pub(in crate::server) fn of(root: u32, mark: Mark) -> Self {
        Self { root, members: system::family(root, Some(&mark)), mark }
    }

    /// Looks again. Who was found before stays, even if its parents are gone.
    pub(in crate::server) fn look_again(&mut self) {
        for member in system::family(self.root, Some(&self.mark)) {
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
