//! macOS and other Unix systems: what `ps` and `lsof` tell, best effort.

use super::family::{Ask, Mark, Member};
use super::tree::Row;
use rustix::process::{
    Pid, Signal, kill_process, kill_process_group, test_kill_process, test_kill_process_group,
};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Asking for a directory starts a program, so what the child told comes first.
pub(in super::super) const DIRECTORY_IS_CHEAP: bool = false;

/// There is no mark without a system library.
pub(in super::super) fn start_marker(_pid: u32) -> Option<String> {
    None
}

/// The name of a process group's leader.
pub(super) fn name(group: u32) -> Option<String> {
    let path = output("ps", &["-o", "comm=", "-p", &group.to_string()])?;
    let name = Path::new(path.trim()).file_name()?.to_string_lossy();
    Some(name.trim_start_matches('-').to_owned()).filter(|name| !name.is_empty())
}

/// The file that a process runs: not told here.
pub(super) fn path(_: u32) -> Option<String> {
    None
}

/// Only together with all others.
pub(super) fn children_are_told() -> bool {
    false
}

/// Never asked for.
pub(super) fn children(_pid: u32) -> Vec<u32> {
    Vec::new()
}

/// Never asked for.
pub(super) fn executable(_pid: u32) -> Option<String> {
    None
}

/// The script that an interpreter runs; one in a path with blanks is not found.
pub(in super::super) fn script(pid: u32) -> Option<String> {
    let line = output("ps", &["-o", "args=", "-p", &pid.to_string()])?;
    super::script_name(line.split_whitespace().skip(1))
}

/// All processes.
pub(super) fn table() -> Option<Vec<Row>> {
    let rows: Vec<Row> = output("ps", &["-axo", "pid=,ppid=,comm="])?.lines().filter_map(row).collect();
    Some(rows).filter(|rows| !rows.is_empty())
}

/// The command is a path, which may hold blanks.
fn row(line: &str) -> Option<Row> {
    let (pid, rest) = line.trim_start().split_once(' ')?;
    let (parent, path) = rest.trim_start().split_once(' ')?;
    let name = Path::new(path.trim()).file_name()?.to_string_lossy().trim_start_matches('-').to_owned();
    Some(Row { pid: pid.parse().ok()?, parent: parent.parse().ok()?, name })
}

/// Not to be told from here; a name seen too early is put right by the next look.
pub(in super::super) fn is_unborn(_name: &str) -> bool {
    false
}

/// Where a process is.
pub(in super::super) fn directory(pid: u32) -> Option<PathBuf> {
    let fields = output("lsof", &["-a", "-d", "cwd", "-F", "n", "-p", &pid.to_string()])?;
    let path = fields.lines().find_map(|line| line.strip_prefix('n'))?;
    Some(PathBuf::from(path)).filter(|path| path.is_dir())
}

fn output(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).stdin(Stdio::null()).stderr(Stdio::null()).output();
    String::from_utf8(output.ok()?.stdout).ok()
}

/// Whether the child's group or the foreground one has members left.
pub(in super::super) fn has_session(root: u32, foreground: Option<u32>) -> bool {
    groups(root, foreground).any(|group| test_kill_process_group(group).is_ok())
}

/// Hangs up on the child's group and the foreground one. Stopped processes are woken to hear it.
pub(in super::super) fn hang_up(root: u32, foreground: Option<u32>) {
    for group in groups(root, foreground) {
        // Who is gone or foreign cannot be signalled, and need not be.
        let _ = kill_process_group(group, Signal::HUP);
        let _ = kill_process_group(group, Signal::CONT);
    }
}

/// Kills the child's group and the foreground one.
pub(in super::super) fn kill(root: u32, foreground: Option<u32>, _reaped: bool) {
    for group in groups(root, foreground) {
        let _ = kill_process_group(group, Signal::KILL);
    }
}

fn groups(root: u32, foreground: Option<u32>) -> impl Iterator<Item = Pid> {
    let foreground = foreground.filter(|&group| group != root);
    [Some(root), foreground]
        .into_iter()
        .flatten()
        .filter_map(|group| Pid::from_raw(i32::try_from(group).ok()?))
}

/// The process and everything below it by parents.
pub(super) fn family(root: u32, _mark: Option<&Mark>) -> Vec<Member> {
    let rows = table().unwrap_or_default();
    let mut found = BTreeSet::from([root]);
    loop {
        let known = found.len();
        for row in rows.iter().filter(|row| row.pid != row.parent) {
            if found.contains(&row.parent) {
                found.insert(row.pid);
            }
        }
        if found.len() == known {
            break;
        }
    }
    found.into_iter().map(|pid| Member { pid, started: None }).collect()
}

/// Whether a member still lives.
pub(super) fn is_alive(member: &Member) -> bool {
    pid(member.pid).is_some_and(|pid| test_kill_process(pid).is_ok())
}

/// Tells the members, and the root's group, to end.
pub(super) fn end_members(root: u32, members: &[Member], ask: Ask) {
    let signals: &[Signal] = match ask {
        Ask::Politely => &[Signal::TERM, Signal::CONT],
        Ask::HangUp => &[Signal::TERM, Signal::HUP, Signal::CONT],
        Ask::ForCertain => &[Signal::KILL],
    };
    for signal in signals {
        // Who is gone or foreign cannot be signalled, and need not be.
        if let Some(group) = pid(root) {
            let _ = kill_process_group(group, *signal);
        }
        for member in members.iter().filter_map(|member| pid(member.pid)) {
            let _ = kill_process(member, *signal);
        }
    }
}

fn pid(number: u32) -> Option<Pid> {
    i32::try_from(number).ok().and_then(Pid::from_raw)
}

/// A process and those above it, the nearest first. There are no marks without a system library.
pub(in crate::server) fn ancestors(pid: u32, most: usize) -> Vec<(u32, Option<String>)> {
    let rows = table().unwrap_or_default();
    let mut found = Vec::new();
    let mut next = pid;
    while found.len() < most && next > 1 {
        let Some(row) = rows.iter().find(|row| row.pid == next) else { break };
        found.push((next, None));
        next = row.parent;
    }
    found
}

/// Whether a process has the session of the root of a terminal.
pub(in crate::server) fn shares_terminal(process: u32, root: u32) -> bool {
    let session = rustix::process::getsid(pid(process)).ok();
    session.is_some() && session == pid(root)
}

/// Not to be learnt.
pub(in crate::server) fn told(_pid: u32, _name: &str) -> Option<String> {
    None
}
