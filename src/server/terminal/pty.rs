//! [`Pty`]: one pseudo-terminal and the start of the child on it; the platform shows here.
//!
//! Both systems offer the same calls: reads and writes that never wait, and two ways to wait for
//! the next one.

#[cfg(unix)]
mod unix;
#[cfg(unix)]
pub(super) use unix::{Pty, spawn};

#[cfg(windows)]
mod windows;
#[cfg(windows)]
pub(super) use windows::{Pty, spawn};

#[cfg(any(windows, test))]
mod pipe;

use super::handle::Start;
use crate::protocol::geometry::Size;
use portable_pty::{CommandBuilder, PtySize};
use std::path::PathBuf;

/// Why a child could not be started.
#[derive(Debug, thiserror::Error)]
pub(super) enum SpawnError {
    #[error("no program was given")]
    NoProgram,
    #[error("the folder `{}` does not exist", .0.display())]
    NoFolder(PathBuf),
    #[cfg(unix)]
    #[error("`{0}` was not found")]
    NotFound(String),
    #[cfg(unix)]
    #[error("`{0}` is not executable")]
    NotExecutable(String),
    #[cfg(unix)]
    #[error("`{interpreter}`, which `{program}` needs, was not found")]
    NoInterpreter { program: String, interpreter: String },
    #[error("opening a terminal failed: {0}")]
    Terminal(String),
    #[error("{0}")]
    Start(String),
}

/// Refuses what would otherwise be papered over: portable-pty starts in the home folder when the
/// wanted one does not exist.
fn check(start: &Start) -> Result<(), SpawnError> {
    if start.argv.first().is_none_or(String::is_empty) {
        return Err(SpawnError::NoProgram);
    }
    if !start.cwd.is_dir() {
        return Err(SpawnError::NoFolder(start.cwd.clone()));
    }
    Ok(())
}

fn command(start: &Start) -> CommandBuilder {
    let mut command = CommandBuilder::from_argv(start.argv.iter().map(Into::into).collect());
    command.env_clear();
    for (name, value) in start.env.iter().chain(start.integration.iter().flatten()) {
        command.env(name, value);
    }
    command.cwd(&start.cwd);
    command
}

fn pty_size(size: Size) -> PtySize {
    PtySize { rows: size.rows, cols: size.cols, pixel_width: 0, pixel_height: 0 }
}
