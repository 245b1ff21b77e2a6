//! Windows: a pseudo-console offers blocking ends only, so a pane has a reader and a writer thread.

use super::pipe::Pipe;
use super::{SpawnError, check, command, pty_size};
use crate::protocol::geometry::Size;
use crate::server::terminal::handle::{RootProcess, Start};
use crate::server::terminal::process;
use crate::server::terminal::reaper::{Reaper, Status};
use portable_pty::{MasterPty, PtyPair, native_pty_system};
use std::io::{self, Read, Write};
use std::sync::{Arc, Mutex, PoisonError};

/// Bytes that a thread moves at a time.
const CHUNK_BYTES: usize = 16_384;

/// A pseudo-console with its two threads.
pub(in super::super) struct Pty {
    output: Arc<Pipe>,
    input: Arc<Pipe>,
    console: Mutex<Box<dyn MasterPty + Send>>,
}

/// Starts the child in a pseudo-console.
pub(in super::super) fn spawn(
    start: &Start,
    size: Size,
    reaper: &Reaper,
) -> Result<(Pty, RootProcess, Status), SpawnError> {
    check(start)?;
    let text = |error: &dyn std::fmt::Display| SpawnError::Terminal(format!("{error:#}"));
    let PtyPair { slave, master } =
        native_pty_system().openpty(pty_size(size)).map_err(|error| text(&error))?;
    let reader = master.try_clone_reader().map_err(|error| text(&error))?;
    let writer = master.take_writer().map_err(|error| text(&error))?;
    let child =
        slave.spawn_command(command(start)).map_err(|error| SpawnError::Start(format!("{error:#}")))?;
    let pid = child.process_id().ok_or_else(|| SpawnError::Start("the child has no process id".into()))?;
    let pty = Pty { output: Arc::default(), input: Arc::default(), console: Mutex::new(master) };
    let output = Arc::clone(&pty.output);
    let input = Arc::clone(&pty.input);
    let start_failed = |error: io::Error| SpawnError::Terminal(error.to_string());
    std::thread::Builder::new()
        .name("pty-reader".into())
        .spawn(move || read(reader, &output))
        .map_err(start_failed)?;
    std::thread::Builder::new()
        .name("pty-writer".into())
        .spawn(move || write(writer, &input))
        .map_err(start_failed)?;
    let status = reaper.watch(pid, child).map_err(start_failed)?;
    Ok((pty, RootProcess { pid, start_marker: process::start_marker(pid) }, status))
}

fn read(mut console: Box<dyn Read + Send>, output: &Pipe) {
    let mut buffer = vec![0; CHUNK_BYTES];
    while let Ok(count @ 1..) = console.read(&mut buffer) {
        if !output.write_all(&buffer[..count]) {
            return;
        }
    }
    output.end();
}

fn write(mut console: Box<dyn Write + Send>, input: &Pipe) {
    let mut buffer = vec![0; CHUNK_BYTES];
    loop {
        let count = input.read(&mut buffer);
        if count == 0 || console.write_all(&buffer[..count]).is_err() {
            return input.end();
        }
    }
}

impl Pty {
    /// Reads what is there: nothing left is [`io::ErrorKind::WouldBlock`], the end is 0 bytes.
    pub(in super::super) fn try_read(&self, buffer: &mut [u8]) -> io::Result<usize> {
        self.output.try_read(buffer)
    }

    /// Waits until a read may give something.
    pub(in super::super) async fn readable(&self) {
        self.output.readable().await;
    }

    /// Writes what fits at present.
    pub(in super::super) fn try_write(&self, bytes: &[u8]) -> io::Result<usize> {
        self.input.try_write(bytes)
    }

    /// Calls `write` whenever the child may take bytes, until it fails with something else than
    /// [`io::ErrorKind::WouldBlock`] or succeeds.
    pub(in super::super) async fn write_with<T>(
        &self,
        mut write: impl FnMut(&Self) -> io::Result<T>,
    ) -> io::Result<T> {
        loop {
            match write(self) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => self.input.writable().await,
                result => return result,
            }
        }
    }

    /// Tells the console and thereby the child.
    pub(in super::super) fn resize(&self, size: Size) -> io::Result<()> {
        let console = self.console.lock().unwrap_or_else(PoisonError::into_inner);
        console.resize(pty_size(size)).map_err(|error| io::Error::other(format!("{error:#}")))
    }

    /// Windows has no foreground group.
    pub(in super::super) fn foreground(&self) -> Option<u32> {
        None
    }
}

impl Drop for Pty {
    fn drop(&mut self) {
        self.output.end();
        self.input.end();
    }
}
