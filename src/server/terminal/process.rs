//! What the system tells of a child's processes: names, directories, sessions; and signals to them.
//!
//! Invariant: names only. Environments are never read but for variables of luvus's own that a process
//! was started with, and of arguments nothing but the base name of a script, to see through the program
//! that runs it; that is kept nowhere.

#[cfg(target_os = "linux")]
#[path = "process/linux.rs"]
mod system;
#[cfg(all(unix, not(target_os = "linux")))]
#[path = "process/unix.rs"]
mod system;
#[cfg(windows)]
#[path = "process/windows.rs"]
mod system;

mod exit;
mod family;
mod tree;

pub(in crate::server) use exit::exited;
pub(in crate::server) use family::{Ask, Family, Mark};
pub(in crate::server) use system::{ancestors, shares_terminal, told};
pub use tree::Process;
pub(super) use tree::{list, names};

pub(super) use system::{
    DIRECTORY_IS_CHEAP, directory, hang_up, has_session, is_unborn, kill, script, start_marker,
};

use super::pty::Pty;
use std::path::Path;

/// Base names of the scripts that run at `root` and below, of those programs that run scripts.
pub(super) fn scripts(root: u32, runs_scripts: impl Fn(&str) -> bool) -> Vec<String> {
    /// More are looked at of no terminal.
    const PROCESSES: usize = 64;
    let named = |pid: u32| system::executable(pid).is_none_or(|name| runs_scripts(&name));
    let members = system::family(root, None).into_iter().map(|member| member.pid);
    members.filter(|pid| named(*pid)).take(PROCESSES).filter_map(system::script).collect()
}

/// The base name of the first argument that is no option, without the ending of a script's file.
fn script_name<'a>(mut arguments: impl Iterator<Item = &'a str>) -> Option<String> {
    let script = arguments.find(|argument| !argument.is_empty() && !argument.starts_with('-'))?;
    let name = Path::new(script).file_name()?.to_str()?;
    let endings = [".js", ".mjs", ".cjs", ".ts", ".py", ".rb"];
    Some(endings.iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(name).to_owned())
}

/// The program in the foreground of a terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Program {
    /// Its process group, where there is such a thing.
    pub(super) group: Option<u32>,
    /// Its name.
    pub(super) name: Option<String>,
    /// Whether it is something other than a shell at its prompt.
    pub(super) busy: bool,
}

impl Program {
    /// Before the system is asked: what was started.
    pub(super) fn started(argv: &[String], root: u32, shell: bool) -> Self {
        let name = argv.first().and_then(|program| Path::new(program).file_name());
        Self { group: Some(root), name: name.map(|name| name.to_string_lossy().into_owned()), busy: !shell }
    }

    /// Looks now. `is_own` tells by what name the child goes when it is a shell at its prompt.
    pub(super) fn look(pty: &Pty, root: u32, shell: bool, is_own: impl Fn(&str) -> bool) -> Self {
        let group = pty.foreground();
        let name = group.and_then(system::name);
        let at_prompt = shell
            && group.is_none_or(|group| group == root)
            && name.as_deref().is_none_or(|name| is_shell(name) || is_own(name));
        Self { group, name, busy: !at_prompt }
    }
}

/// Whether a program of that name is a shell: one that another shell was replaced by is idle too.
fn is_shell(name: &str) -> bool {
    const SHELLS: [&str; 14] = [
        "sh", "bash", "zsh", "fish", "dash", "ash", "ksh", "mksh", "csh", "tcsh", "nu", "elvish", "xonsh",
        "pwsh",
    ];
    SHELLS.contains(&name.trim_start_matches('-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_started_is_named_by_its_file() {
        let program = Program::started(&["/usr/bin/vim".into(), "x".into()], 7, false);
        assert_eq!(program, Program { group: Some(7), name: Some("vim".into()), busy: true });
        assert!(!Program::started(&["/bin/sh".into()], 7, true).busy);
    }

    #[test]
    fn login_shells_are_shells() {
        assert!(is_shell("-zsh") && is_shell("fish"));
        assert!(!is_shell("vim") && !is_shell(""));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_process_is_marked_by_its_start() {
        let own = start_marker(std::process::id()).unwrap();
        assert!(own.strip_prefix("linux:").is_some_and(|ticks| ticks.parse::<u64>().is_ok()), "{own}");
        assert_eq!(start_marker(u32::MAX), None);
    }
}
