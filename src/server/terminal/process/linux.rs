//! Linux: `/proc`.

use super::family::{Ask, Mark, Member};
use super::tree::Row;
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Asking for a directory is one system call.
pub(in super::super) const DIRECTORY_IS_CHEAP: bool = true;

/// A tree that forks faster than it can be looked up three times is beyond this.
const KILL_ROUNDS: usize = 3;

/// Threads of one process whose children are looked for: programs that start others from more are rare.
const THREADS: usize = 64;
/// The longest name that the kernel keeps.
const COMMAND_BYTES: usize = 15;

/// The fields of `/proc/<pid>/stat` that count here.
struct Stat {
    name: String,
    state: u8,
    parent: u32,
    group: u32,
    session: u32,
    /// The device of its terminal; zero without one.
    terminal: i64,
    start_ticks: u64,
}

impl Stat {
    fn read(pid: u32) -> Option<Self> {
        Self::parse(&std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
    }

    /// The name in the second field may hold blanks and parentheses: what counts comes after its last one.
    fn parse(text: &str) -> Option<Self> {
        let (before, after) = text.rsplit_once(')')?;
        let name = before.split_once('(')?.1.to_owned();
        let mut fields = after.split_ascii_whitespace();
        let state = *fields.next()?.as_bytes().first()?;
        let parent = fields.next()?.parse().ok()?;
        let group = fields.next()?.parse().ok()?;
        let session = fields.next()?.parse().ok()?;
        let terminal = fields.next()?.parse().ok()?;
        let start_ticks = fields.nth(14)?.parse().ok()?;
        Some(Self { name, state, parent, group, session, terminal, start_ticks })
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
    command(group).or_else(|| {
        let (member, _) = processes().find(|(_, stat)| stat.group == group && !stat.is_dead())?;
        command(member)
    })
}

fn command(pid: u32) -> Option<String> {
    let name = std::fs::read_to_string(format!("/proc/{pid}/comm")).ok()?;
    Some(name.trim_end_matches('\n').to_owned()).filter(|name| !name.is_empty())
}

/// Whether this kernel tells the children of a process without a look at all others.
pub(super) fn children_are_told() -> bool {
    static TOLD: OnceLock<bool> = OnceLock::new();
    *TOLD.get_or_init(|| Path::new("/proc/thread-self/children").exists())
}

/// The children of a process, which each of its threads has for itself.
pub(super) fn children(pid: u32) -> Vec<u32> {
    let threads = std::fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let of_thread = |thread: std::fs::DirEntry| std::fs::read_to_string(thread.path().join("children")).ok();
    let lists: Vec<String> = threads.take(THREADS).filter_map(of_thread).collect();
    lists.iter().flat_map(|list| list.split_ascii_whitespace()).filter_map(|pid| pid.parse().ok()).collect()
}

/// The name of a living process.
pub(super) fn executable(pid: u32) -> Option<String> {
    Stat::read(pid).filter(|stat| !stat.is_dead()).map(|stat| whole_name(pid, stat.name))
}

/// The file that a process runs, where the kernel tells.
pub(super) fn path(pid: u32) -> Option<String> {
    let file = std::fs::read_link(format!("/proc/{pid}/exe")).ok()?;
    file.into_os_string().into_string().ok()
}

/// The script that an interpreter runs.
pub(in super::super) fn script(pid: u32) -> Option<String> {
    let line = std::fs::read(format!("/proc/{pid}/cmdline")).ok()?;
    let arguments = line.split(|byte| *byte == 0).filter_map(|argument| std::str::from_utf8(argument).ok());
    super::script_name(arguments.skip(1))
}

/// All living processes.
pub(super) fn table() -> Option<Vec<Row>> {
    let living = processes().filter(|(_, stat)| !stat.is_dead());
    let rows = living.map(|(pid, stat)| Row { pid, parent: stat.parent, name: stat.name });
    Some(rows.collect::<Vec<_>>()).filter(|rows| !rows.is_empty())
}

/// The kernel keeps 15 bytes of a name; the file that runs may tell the rest.
fn whole_name(pid: u32, name: String) -> String {
    if name.len() < COMMAND_BYTES {
        return name;
    }
    let file = std::fs::read_link(format!("/proc/{pid}/exe")).ok();
    let file = file.as_deref().and_then(Path::file_name).and_then(|file| file.to_str());
    file.filter(|file| file.starts_with(&name)).map_or(name, str::to_owned)
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

/// A process and those above it, the nearest first, each with the mark of its start.
pub(in crate::server) fn ancestors(pid: u32, most: usize) -> Vec<(u32, Option<String>)> {
    let mut found = Vec::new();
    let mut next = pid;
    while let Some(stat) = Stat::read(next).filter(|_| found.len() < most && next > 1) {
        found.push((next, Some(format!("linux:{}", stat.start_ticks))));
        next = stat.parent;
    }
    found
}

/// Whether a process has the session or the controlling terminal of the root of a terminal.
pub(in crate::server) fn shares_terminal(pid: u32, root: u32) -> bool {
    let (Some(process), Some(other)) = (Stat::read(pid), Stat::read(root)) else { return false };
    process.session == root || (process.terminal > 0 && process.terminal == other.terminal)
}

/// A variable that a process of this user was started with.
pub(in crate::server) fn told(pid: u32, name: &str) -> Option<String> {
    use std::os::unix::fs::MetadataExt as _;
    let path = format!("/proc/{pid}/environ");
    let own = std::fs::metadata(&path).ok()?.uid() == rustix::process::geteuid().as_raw();
    let text = std::fs::read(path).ok().filter(|_| own)?;
    let entries = text.split(|byte| *byte == 0);
    let mut values = entries.filter_map(|entry| entry.strip_prefix(name.as_bytes())?.strip_prefix(b"="));
    String::from_utf8(values.next()?.to_vec()).ok()
}

/// Everything that came of a process, living: whoever is of its group or session, or has a parent, a
/// group or a session among those that were found, or the mark.
pub(super) fn family(root: u32, mark: Option<&Mark>) -> Vec<Member> {
    let living: Vec<(u32, Stat)> = processes().filter(|(_, stat)| !stat.is_dead()).collect();
    let mut found = BTreeSet::from([root]);
    if let Some(mark) = mark {
        let marked = living.iter().filter(|(pid, _)| mark.is_on(|name| told(*pid, name)));
        found.extend(marked.map(|(pid, _)| *pid));
    }
    loop {
        let known = found.len();
        for (pid, stat) in &living {
            if [stat.parent, stat.group, stat.session].iter().any(|of| found.contains(of)) {
                found.insert(*pid);
            }
        }
        if found.len() == known {
            break;
        }
    }
    let members = living.into_iter().filter(|(pid, _)| found.contains(pid));
    members.map(|(pid, stat)| Member { pid, started: Some(stat.start_ticks) }).collect()
}

/// Whether a member still lives.
pub(super) fn is_alive(member: &Member) -> bool {
    Stat::read(member.pid).is_some_and(|stat| !stat.is_dead() && Some(stat.start_ticks) == member.started)
}

/// Tells the members to end. Stopped ones are woken to hear it.
pub(super) fn end_members(root: u32, members: &[Member], ask: Ask) {
    let living: Vec<u32> =
        members.iter().filter(|member| is_alive(member)).map(|member| member.pid).collect();
    let signals: &[Signal] = match ask {
        Ask::Politely => &[Signal::TERM, Signal::CONT],
        Ask::HangUp => &[Signal::TERM, Signal::HUP, Signal::CONT],
        Ask::ForCertain => &[Signal::KILL],
    };
    for signal in signals {
        // A signal to the group misses nobody who is just being forked.
        if living.contains(&root) {
            to_group(root, *signal);
        }
        living.iter().for_each(|pid| to_process(*pid, *signal));
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
        assert_eq!((stat.name.as_str(), stat.state, stat.parent), ("a) b (c", b'S', 10));
        assert_eq!((stat.group, stat.session, stat.start_ticks), (11, 12, 98765));
        assert!(Stat::parse("42 (cut").is_none());
    }
}
