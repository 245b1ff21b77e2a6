//! Finds the processes of one test by the `LUVUS_HOME` in their environment, so that a test can tell
//! whether anything is left of it and end exactly that. Where there is no `/proc`, nothing is found.

use super::retry;
use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use std::path::Path;

/// One process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Process {
    /// Its id.
    pub pid: i32,
    /// Its command line, words separated by blanks.
    pub command: String,
}

/// Processes that were started with this `LUVUS_HOME` and still run (zombies do not).
pub fn of_home(home: &Path) -> Vec<Process> {
    let wanted = format!("LUVUS_HOME={}", home.display()).into_bytes();
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    let pids = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    pids.filter_map(|pid| {
        let environment = std::fs::read(format!("/proc/{pid}/environ")).ok()?;
        let ours = environment.split(|byte| *byte == 0).any(|entry| entry == wanted);
        let command = std::fs::read(format!("/proc/{pid}/cmdline")).ok()?;
        let command = String::from_utf8_lossy(&command).trim_end_matches('\0').replace('\0', " ");
        (ours && !command.is_empty()).then_some(Process { pid, command })
    })
    .collect()
}

/// The servers among them.
pub fn servers(home: &Path) -> Vec<Process> {
    let is_server = |process: &Process| {
        process.command.starts_with(super::server::PROGRAM)
            && process.command.split(' ').any(|word| word == "server")
    };
    of_home(home).into_iter().filter(is_server).collect()
}

/// Waits until no process of this home runs.
pub fn wait_until_gone(home: &Path) {
    let mut left = Vec::new();
    let gone = retry(|| {
        left = of_home(home);
        left.is_empty().then_some(())
    });
    assert!(gone.is_some(), "still running: {left:?}");
}

/// Ends every process of this home, by its id.
pub fn end_all(home: &Path) {
    for process in of_home(home) {
        signal(process.pid, Signal::KILL);
    }
}

/// Sends a signal; a process that is gone already is no error.
pub fn signal(pid: i32, signal: Signal) {
    if let Some(pid) = Pid::from_raw(pid) {
        let _ = kill_process(pid, signal);
    }
}

/// Whether a process exists, be it as a zombie that nobody has reaped.
pub fn exists(pid: i32) -> bool {
    Pid::from_raw(pid).is_some_and(|pid| test_kill_process(pid).is_ok())
}

/// The memory of a process in KiB, where the host tells it.
pub fn memory_kib(pid: i32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// Whether a process exists and is no zombie.
pub fn runs(pid: i32) -> bool {
    let Some(id) = Pid::from_raw(pid) else { return false };
    let zombie = std::fs::read_to_string(format!("/proc/{pid}/stat"))
        .ok()
        .and_then(|stat| Some(stat.rsplit_once(") ")?.1.starts_with('Z')));
    test_kill_process(id).is_ok() && zombie != Some(true)
}
