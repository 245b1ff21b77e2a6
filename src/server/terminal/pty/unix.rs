//! Unix: the PTY's master is a non-blocking descriptor driven by the runtime, so that an idle pane
//! costs neither a thread nor a wake-up.

use super::{SpawnError, check, command, pty_size};
use crate::protocol::geometry::Size;
use crate::server::terminal::handle::{RootProcess, Start};
use crate::server::terminal::process;
use crate::server::terminal::reaper::{Reaper, Status};
use portable_pty::{MasterPty, PtyPair, native_pty_system};
use rustix::fs::{Access, OFlags};
use rustix::termios::{InputModes, OptionalActions, Winsize};
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

/// The length of a script's first line that Linux reads.
const INTERPRETER_BYTES: usize = 256;

/// The master's end of a pseudo-terminal.
pub(in super::super) struct Pty {
    master: AsyncFd<OwnedFd>,
}

/// Starts the child: in a session of its own, the PTY its controlling terminal. Called on the
/// runtime that is to drive the PTY.
pub(in super::super) fn spawn(
    start: &Start,
    size: Size,
    reaper: &Reaper,
) -> Result<(Pty, RootProcess, Status), SpawnError> {
    check(start)?;
    check_program(start)?;
    let terminal = |error: io::Error| SpawnError::Terminal(error.to_string());
    let PtyPair { slave, master } = native_pty_system()
        .openpty(pty_size(size))
        .map_err(|error| SpawnError::Terminal(format!("{error:#}")))?;
    let pty = Pty::new(&*master).map_err(terminal)?;
    let child =
        slave.spawn_command(command(start)).map_err(|error| SpawnError::Start(format!("{error:#}")))?;
    let pid = child.process_id().ok_or_else(|| SpawnError::Start("the child has no process id".into()))?;
    // A child that ended already can be marked until it is reaped.
    let root = RootProcess { pid, start_marker: process::start_marker(pid) };
    Ok((pty, root, reaper.watch(pid)))
}

impl Pty {
    fn new(master: &(dyn MasterPty + Send)) -> io::Result<Self> {
        let owned = duplicate(master)?;
        let flags = rustix::fs::fcntl_getfl(&owned)?;
        rustix::fs::fcntl_setfl(&owned, flags | OFlags::NONBLOCK)?;
        // The kernel's line editor then erases whole characters. Not every system knows the flag.
        if let Ok(mut termios) = rustix::termios::tcgetattr(&owned) {
            termios.input_modes |= InputModes::IUTF8;
            let _ = rustix::termios::tcsetattr(&owned, OptionalActions::Now, &termios);
        }
        Ok(Self { master: register(owned)? })
    }

    /// Reads what is there: nothing left is [`io::ErrorKind::WouldBlock`], the end is 0 bytes.
    pub(in super::super) fn try_read(&self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.master.try_io(Interest::READABLE, |master| {
            rustix::io::read(master, &mut *buffer).map_err(io::Error::from)
        });
        match read {
            // Linux: no process holds the other end any more.
            Err(error) if error.raw_os_error() == Some(rustix::io::Errno::IO.raw_os_error()) => Ok(0),
            read => read,
        }
    }

    /// Waits until a read may give something.
    pub(in super::super) async fn readable(&self) {
        // An error means that the runtime shuts down; then the read fails too, and says so.
        if let Ok(mut guard) = self.master.readable().await {
            guard.retain_ready();
        }
    }

    /// Writes what fits at present.
    pub(in super::super) fn try_write(&self, bytes: &[u8]) -> io::Result<usize> {
        rustix::io::write(self.master.get_ref(), bytes).map_err(io::Error::from)
    }

    /// Calls `write` whenever the child may take bytes, until it fails with something else than
    /// [`io::ErrorKind::WouldBlock`] or succeeds.
    pub(in super::super) async fn write_with<T>(
        &self,
        mut write: impl FnMut(&Self) -> io::Result<T>,
    ) -> io::Result<T> {
        self.master.async_io(Interest::WRITABLE, |_| write(self)).await
    }

    /// Tells the kernel and thereby the child (SIGWINCH).
    pub(in super::super) fn resize(&self, size: Size) -> io::Result<()> {
        let size = Winsize { ws_row: size.rows, ws_col: size.cols, ws_xpixel: 0, ws_ypixel: 0 };
        rustix::termios::tcsetwinsize(self.master.get_ref(), size).map_err(io::Error::from)
    }

    /// The process group in the foreground.
    pub(in super::super) fn foreground(&self) -> Option<u32> {
        let group = rustix::termios::tcgetpgrp(self.master.get_ref()).ok()?;
        u32::try_from(group.as_raw_nonzero().get()).ok()
    }
}

#[expect(
    deprecated,
    reason = "`new` is deprecated because it takes types that may close or change their descriptor; an \
              `OwnedFd` does neither, and its successor would only add an unsafe block that says so"
)]
fn register(master: OwnedFd) -> io::Result<AsyncFd<OwnedFd>> {
    AsyncFd::new(master)
}

/// A descriptor of our own for the master's end, closed on exec.
#[allow(unsafe_code)]
fn duplicate(master: &(dyn MasterPty + Send)) -> io::Result<OwnedFd> {
    let raw = master.as_raw_fd().ok_or(io::ErrorKind::Unsupported)?;
    // SAFETY: `master` owns this descriptor, lives longer than the borrow and does not close it
    // meanwhile. portable-pty offers it only as a number.
    let borrowed = unsafe { BorrowedFd::borrow_raw(raw) };
    Ok(rustix::io::fcntl_dupfd_cloexec(borrowed, 0)?)
}

/// Finds out beforehand whether the program can be executed: portable-pty's child closes the pipe
/// over which a failed exec would be reported.
fn check_program(start: &Start) -> Result<(), SpawnError> {
    let program = &start.argv[0];
    let not_executable = || Err(SpawnError::NotExecutable(program.clone()));
    if program.contains('/') {
        let path = start.cwd.join(program);
        return match path.metadata() {
            Err(_) => Err(SpawnError::NotFound(program.clone())),
            Ok(_) if is_executable(&path) => check_interpreter(program, &path),
            Ok(_) => not_executable(),
        };
    }
    let path = start.env.iter().rev().find(|(name, _)| name == "PATH").map_or("", |(_, value)| value);
    let candidates: Vec<PathBuf> =
        std::env::split_paths(path).map(|folder| start.cwd.join(folder).join(program)).collect();
    if let Some(path) = candidates.iter().find(|path| is_executable(path)) {
        check_interpreter(program, path)
    } else if candidates.iter().any(|path| path.is_file()) {
        not_executable()
    } else {
        Err(SpawnError::NotFound(program.clone()))
    }
}

/// A script names what runs it in its first line.
fn check_interpreter(program: &str, path: &Path) -> Result<(), SpawnError> {
    let mut head = [0; INTERPRETER_BYTES];
    // What cannot be read may still be executed.
    let count = File::open(path).and_then(|mut file| file.read(&mut head)).unwrap_or(0);
    let Some(line) = head[..count].strip_prefix(b"#!") else { return Ok(()) };
    let line = String::from_utf8_lossy(line.split(|&byte| byte == b'\n').next().unwrap_or_default());
    match line.split_ascii_whitespace().next() {
        Some(interpreter) if !Path::new(interpreter).exists() => {
            let (program, interpreter) = (program.to_owned(), interpreter.to_owned());
            Err(SpawnError::NoInterpreter { program, interpreter })
        }
        _ => Ok(()),
    }
}

fn is_executable(path: &Path) -> bool {
    path.is_file() && rustix::fs::access(path, Access::EXEC_OK).is_ok()
}
