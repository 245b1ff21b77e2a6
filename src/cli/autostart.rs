//! Starting a server that outlives its starter: the starter spawns this program again and reads one
//! line from it; the child leaves the terminal first and says when it accepts connections.
//!
//! Invariant: nobody polls. The child writes a line or its end of the pipe closes, and the one limit
//! in time belongs to a child that does neither.

use super::context::Context;
use super::error::CliError;
use super::output;
use super::paths::Paths;
use super::wire;
use crate::protocol::geometry::Size;
use crate::server::instance::LOCK_DEADLINE;
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::sync_channel;
use std::time::{Duration, Instant};

/// The child's line when it accepts connections.
const READY: &str = "ready";
/// The child's line when another server does.
const RUNNING: &str = "running";
/// How the child's line begins when it cannot start.
const ERROR: &str = "error: ";

/// The child may wait for two locks; after that it has nothing left to wait for.
const START_DEADLINE: Duration = LOCK_DEADLINE.saturating_mul(2).saturating_add(Duration::from_secs(4));

/// No message of ours is longer, paths included.
const LINE_BYTES: u64 = 16_384;

/// What a start came to; a connection will succeed either way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Started {
    /// The server is new.
    Fresh,
    /// There was one, or another start was faster.
    Already,
}

/// Starts the session's server in the background and waits until it accepts connections. A server that was
/// just killed is no server, even while its socket and its lock are still there.
///
/// # Errors
/// The child's own reason, on one line.
pub fn start(context: &Context, size: Option<Size>, folder: Option<&Path>) -> Result<Started, CliError> {
    let began = Instant::now();
    loop {
        let started = start_once(context, size, folder)?;
        if started == Started::Fresh || began.elapsed() > LOCK_DEADLINE || wire::answers(&context.paths) {
            return Ok(started);
        }
    }
}

fn start_once(context: &Context, size: Option<Size>, folder: Option<&Path>) -> Result<Started, CliError> {
    #[cfg(unix)]
    super::descriptors::keep_from_children();
    let mut child = command(context, size, folder)?
        .spawn()
        .map_err(|error| CliError::failed(format_args!("cannot start the server: {error}")))?;
    let line = first_line(&mut child);
    if let Some(line) = &line {
        match line.trim_end() {
            READY => return Ok(Started::Fresh),
            RUNNING => return Ok(Started::Already),
            _ => {}
        }
    }
    // It ended or hangs; either way it is no server.
    let _ = child.kill();
    let _ = child.wait();
    let log = server_log(&context.paths);
    Err(match line.as_deref().map(str::trim_end) {
        Some("") => {
            CliError::failed(format_args!("the server ended before it was ready; see {}", log.display()))
        }
        Some(line) => CliError::failed(line.strip_prefix(ERROR).unwrap_or(line)),
        None => CliError::failed(format_args!(
            "the server did not get ready within {} s; see {}",
            START_DEADLINE.as_secs(),
            log.display()
        )),
    })
}

/// The file that a server in the background logs to.
#[must_use]
pub fn server_log(paths: &Paths) -> PathBuf {
    paths.files.log_dir.join("server.log")
}

fn command(context: &Context, size: Option<Size>, folder: Option<&Path>) -> Result<Command, CliError> {
    let program = std::env::current_exe()
        .map_err(|error| CliError::failed(format_args!("cannot find the own program: {error}")))?;
    let mut command = Command::new(program);
    let session = &context.paths.session;
    command.args(["--session", session.as_str(), "server", "--detached-child"]);
    if let Some(size) = size {
        command.args(["--rows", &size.rows.to_string(), "--cols", &size.cols.to_string()]);
    }
    if let Some(folder) = folder {
        command.arg("--folder").arg(folder);
    }
    // The session may have been meant by its socket; the child is told by name, so it has to look
    // in the same root.
    let by_name = Paths::of_session(&context.environment, session.clone());
    if by_name.is_ok_and(|paths| paths.files.home != context.paths.files.home) {
        command.env("LUVUS_HOME", &context.paths.files.given_home);
    }
    // A server is no part of what it is started from, and outlives it.
    command.env_remove("LUVUS_TERMINAL_ID").env_remove("LUVUS_JOB_ID");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    Ok(command)
}

/// The line that the child writes; empty if it ends without one, none if it does neither in time.
fn first_line(child: &mut Child) -> Option<String> {
    let stdout = child.stdout.take()?;
    let (tx, rx) = sync_channel(1);
    let reader = std::thread::Builder::new().name("starter".into()).spawn(move || {
        let mut line = String::new();
        let _ = BufReader::new(stdout.take(LINE_BYTES)).read_line(&mut line);
        let _ = tx.send(line);
    });
    reader.ok()?;
    rx.recv_timeout(START_DEADLINE).ok()
}

/// In the child: leaves the session, the process group and the terminal of the starter, so that
/// none of their ends reaches it. It fails only for a process that leads its group, which a child
/// of [`start`] never does.
#[cfg(unix)]
pub fn leave_terminal() {
    let _ = rustix::process::setsid();
}

/// In the child: a process without a console has nothing to leave.
#[cfg(windows)]
pub fn leave_terminal() {}

/// In the child: says that it accepts connections.
pub fn report_ready() {
    report(READY);
}

/// In the child: says that another server does.
pub fn report_running() {
    report(RUNNING);
}

/// In the child: says why it cannot start.
pub fn report_error(message: &str) {
    report(&format!("{ERROR}{}", wire::one_line(&output::printable(message))));
}

fn report(line: &str) {
    // A starter that has gone wants no line; the server goes on.
    let mut out = io::stdout().lock();
    let _ = writeln!(out, "{line}").and_then(|()| out.flush());
    close_stdout();
}

/// Ends the starter's wait for more, and keeps the number of the descriptor out of other hands.
#[cfg(unix)]
fn close_stdout() {
    if let Ok(null) = std::fs::File::options().write(true).open("/dev/null") {
        let _ = rustix::stdio::dup2_stdout(null);
    }
}

/// The starter reads one line only.
#[cfg(windows)]
fn close_stdout() {}
