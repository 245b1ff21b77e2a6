//! Linux: `/proc`.

use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use std::path::PathBuf;

/// Asking for a directory is one system call.
pub(in super::super) const DIRECTORY_IS_CHEAP: bool = true;

/// A tree that forks faster than it can be looked up three times is beyond this.
const KILL_ROUNDS: usize = 3;

/// The fields of `/proc/<pid>/stat` that count here.
struct Stat {
    state: u8,
    group: u32,
    session: u32,
    start_ticks: u64,
}

impl Stat {
    fn read(pid: u32) -> Option<Self> {
        Self::parse(&std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
    }

    /// The name in the second field may hold blanks and parentheses: what counts comes after its last one.
    fn parse(text: &str) -> Option<Self> {
        let mut fields = text.rsplit_once(')')?.1.split_ascii_whitespace();
        let state = *fields.next()?.as_bytes().first()?;
        let group = fields.nth(1)?.parse().ok()?;
        let session = fields.next()?.parse().ok()?;
        let start_ticks = fields.nth(15)?.parse().ok()?;
        Some(Self { state, group, session, start_ticks })
    }

    fn is_dead(&self) -> bool {
        matches!(self.state, b'Z' | b'X')
    }
}

/// All processes with their facts; those that end meanwhile are left out.
fn processes() -> impl Iterator<Item = (u32, Stat)> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| {
        let pid = entry.file_name().to_str()?.parse().ok()?;
        Some((pid, Stat::read(pid)?))
    })
}

/// Living processes of a session.
fn session(id: u32) -> Vec<u32> {
    processes().filter(|(_, stat)| stat.session == id && !stat.is_dead()).map(|(pid, _)| pid).collect()
}

/// An opaque mark of a process's start.
pub(in super::super) fn start_marker(pid: u32) -> Option<String> {
    Some(format!("linux:{}", Stat::read(pid)?.start_ticks))
}

/// The name of a process group: its leader's or, when that one is gone, that of any member.
pub(super) fn name(group: u32) -> Option<String> {
    let of = |pid: u32| {
        let name = std::fs::read_to_string(format!("/proc/{pid}/comm")).ok()?;
        Some(name.trim_end_matches('\n').to_owned()).filter(|name| !name.is_empty())
    };
    of(group).or_else(|| {
        let (member, _) = processes().find(|(_, stat)| stat.group == group && !stat.is_dead())?;
        of(member)
    })
}

/// Whether this is what the thread is called that starts children: a child of that name has not
/// become its program yet.
pub(in super::super) fn is_unborn(name: &str) -> bool {
    std::fs::read_to_string("/proc/thread-self/comm").is_ok_and(|own| own.trim_end_matches('\n') == name)
}

/// Where a process is. A directory that was removed does not count.
pub(in super::super) fn directory(pid: u32) -> Option<PathBuf> {
    std::fs::read_link(format!("/proc/{pid}/cwd")).ok().filter(|path| path.is_dir())
}

/// Whether processes of the session of `root` are left, after `root` was reaped.
pub(in super::super) fn has_session(root: u32, _foreground: Option<u32>) -> bool {
    !session(root).is_empty()
}

/// Hangs up on the whole session. Stopped processes are woken to hear it.
pub(in super::super) fn hang_up(root: u32, foreground: Option<u32>) {
    // The groups first: a signal to a group misses nobody who is just being forked.
    for signal in [Signal::HUP, Signal::CONT] {
        [Some(root), foreground].into_iter().flatten().for_each(|group| to_group(group, signal));
    }
    for pid in session(root) {
        to_process(pid, Signal::HUP);
        to_process(pid, Signal::CONT);
    }
}

/// Kills the whole session.
pub(in super::super) fn kill(root: u32, foreground: Option<u32>, reaped: bool) {
    if !reaped {
        [Some(root), foreground].into_iter().flatten().for_each(|group| to_group(group, Signal::KILL));
    }
    // Looked up more than once, for those that were just being forked.
    for _ in 0..KILL_ROUNDS {
        let members = session(root);
        // A reaped root that is alive again is a stranger with the same number, and so is its session.
        if members.is_empty() || reaped && members.contains(&root) {
            return;
        }
        members.into_iter().for_each(|pid| to_process(pid, Signal::KILL));
    }
}

/// Who is gone or foreign cannot be signalled, and need not be.
fn to_group(group: u32, signal: Signal) {
    if let Some(group) = pid(group) {
        let _ = kill_process_group(group, signal);
    }
}

fn to_process(process: u32, signal: Signal) {
    if let Some(process) = pid(process) {
        let _ = kill_process(process, signal);
    }
}

fn pid(number: u32) -> Option<Pid> {
    i32::try_from(number).ok().and_then(Pid::from_raw)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_parentheses_does_not_shift_the_fields() {
        let rest = "S 10 11 12 34816 11 4194304 1 2 3 4 5 6 7 8 20 0 1 0 98765 1000 10";
        let stat = Stat::parse(&format!("42 (a) b (c) {rest}")).unwrap();
        assert_eq!((stat.state, stat.group, stat.session, stat.start_ticks), (b'S', 11, 12, 98765));
        assert!(Stat::parse("42 (cut").is_none());
    }
}
