//! What the black-box tests stand on: [`Home`] and [`Server`] run the real program in a folder of their
//! own, [`Terminal`] is a person's terminal, [`Peer`] a program on the socket.
//!
//! Invariant: a test waits for a condition with a deadline, never for time to pass, and leaves neither a
//! process nor a file behind.

pub mod home;
pub mod orchestrator;
pub mod pane_schemas;
pub mod peer;
pub mod processes;
pub mod runtime;
pub mod schemas;
pub mod server;
pub mod stream;
pub mod terminal;

pub use home::Home;
pub use orchestrator::Orchestrator;
pub use peer::Peer;
pub use server::Server;
pub use stream::Stream;
pub use terminal::Terminal;

use std::ffi::OsStr;
use std::path::PathBuf;
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long a test waits for what should take milliseconds: generous, since hosts are busy.
pub const PATIENCE: Duration = Duration::from_secs(15);

/// How often a condition that announces itself to nobody is looked at again.
const RETRY: Duration = Duration::from_millis(5);

/// Waits until `condition` gives a value; panics with `what` when that takes too long.
pub fn eventually<T>(what: &str, condition: impl FnMut() -> Option<T>) -> T {
    retry(condition).unwrap_or_else(|| panic!("gave up waiting: {what}"))
}

/// Waits until `condition` gives a value, or returns nothing when that takes too long. Only for facts
/// without an event of their own (a file that appears, a process that is gone).
pub fn retry<T>(mut condition: impl FnMut() -> Option<T>) -> Option<T> {
    let deadline = Instant::now() + PATIENCE;
    let (lock, never) = (Mutex::new(()), Condvar::new());
    let mut guard = lock.lock().unwrap_or_else(PoisonError::into_inner);
    loop {
        let value = condition();
        if value.is_some() || Instant::now() >= deadline {
            return value;
        }
        guard = never.wait_timeout(guard, RETRY).unwrap_or_else(PoisonError::into_inner).0;
    }
}

/// Where a program is, by the host's `PATH`.
pub fn find_program(name: impl AsRef<OsStr>) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name.as_ref())).find(|file| file.is_file())
}

/// Whether all of these programs are there; says on standard error which one keeps a test from running.
pub fn have(programs: &[&str]) -> bool {
    let missing = programs.iter().find(|name| find_program(name).is_none());
    if let Some(name) = missing {
        eprintln!("skipped: this host has no `{name}`");
    }
    missing.is_none()
}
