//! Windows: no foreground groups, and no directories without a system library.

use super::family::{Ask, Mark, Member};
use super::tree::Row;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Nothing is asked for.
pub(in super::super) const DIRECTORY_IS_CHEAP: bool = true;

/// There is no mark without a system library.
pub(in super::super) fn start_marker(_pid: u32) -> Option<String> {
    None
}

/// Never asked for: there are no groups.
pub(super) fn name(_group: u32) -> Option<String> {
    None
}

/// The file that a process runs: not told here.
pub(super) fn path(_: u32) -> Option<String> {
    None
}

/// Not without a system library.
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

/// Not to be learnt.
pub(in super::super) fn script(_pid: u32) -> Option<String> {
    None
}

/// Not to be learnt.
pub(super) fn table() -> Option<Vec<Row>> {
    None
}

/// Not to be told from here; a name seen too early is put right by the next look.
pub(in super::super) fn is_unborn(_name: &str) -> bool {
    false
}

/// Not to be learnt.
pub(in super::super) fn directory(_pid: u32) -> Option<PathBuf> {
    None
}

/// What is left ends with its console.
pub(in super::super) fn has_session(_root: u32, _foreground: Option<u32>) -> bool {
    false
}

/// There is no polite way but closing the console, which follows.
pub(in super::super) fn hang_up(_root: u32, _foreground: Option<u32>) {}

/// Kills the child with its descendants.
pub(in super::super) fn kill(root: u32, _foreground: Option<u32>, reaped: bool) {
    if !reaped {
        let mut command = Command::new("taskkill");
        command.args(["/T", "/F", "/PID", &root.to_string()]);
        // The console's end closes what this misses.
        let _ = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    }
}

/// Only the root is known; its tree is ended through it.
pub(super) fn family(root: u32, _mark: Option<&Mark>) -> Vec<Member> {
    vec![Member { pid: root, started: None }]
}

/// Not to be told from here: whoever asks goes by the root's status.
pub(super) fn is_alive(_member: &Member) -> bool {
    false
}

/// There is no polite way for a process without a window.
pub(super) fn end_members(root: u32, _members: &[Member], _ask: Ask) {
    kill(root, None, false);
}

/// Not to be learnt without a system library.
pub(in crate::server) fn ancestors(_pid: u32, _most: usize) -> Vec<(u32, Option<String>)> {
    Vec::new()
}

/// There is no such thing.
pub(in crate::server) fn shares_terminal(_pid: u32, _root: u32) -> bool {
    false
}

/// Not to be learnt.
pub(in crate::server) fn told(_pid: u32, _name: &str) -> Option<String> {
    None
}
