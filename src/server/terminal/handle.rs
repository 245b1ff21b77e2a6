//! [`PaneHandle`]: the only thing that other floors hold of a terminal; cheap to clone.

use super::encode::ShiftEnter;
use super::engine::{Capture, CaptureRequest, Modes, View};
use crate::protocol::attach::message::ScrollTo;
use crate::protocol::frame::Frame;
use crate::protocol::geometry::Size;
use crate::protocol::ids::{PaneId, TerminalId};
use crate::protocol::key::{KeyEvent, MouseEvent};
use crate::protocol::scene::ExitStatus;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::{mpsc, watch};

/// The process at the root of a terminal (`uhp.md` section 4).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RootProcess {
    /// Process id, also the id of its process group and session.
    pub pid: u32,
    /// Opaque mark of its start, against pid reuse (`linux:<start time in ticks>`).
    pub start_marker: Option<String>,
}

/// What to start.
#[derive(Debug, Clone)]
pub struct Start {
    /// For which pane.
    pub pane: PaneId,
    /// The terminal's new id.
    pub terminal: TerminalId,
    /// Program and arguments, not empty.
    pub argv: Vec<String>,
    /// Whether `argv` is the person's shell: at its prompt it counts as idle.
    pub shell: bool,
    /// Working directory.
    pub cwd: PathBuf,
    /// The whole environment of the child.
    pub env: Vec<(String, String)>,
    /// First size.
    pub size: Size,
    /// Budget of the history.
    pub history_bytes: usize,
    /// What a legacy child gets for Shift+Enter.
    pub shift_enter: ShiftEnter,
}

/// What a terminal noticed.
#[derive(Debug, Clone, PartialEq)]
pub enum Fact {
    /// The child runs.
    Started(RootProcess),
    /// The child could not be started; the text says why. Nothing follows.
    StartFailed(String),
    /// The child's title changed (`None`: cleared).
    Title(Option<String>),
    /// The child rang the bell. At most one per 100 ms.
    Bell,
    /// The child told its directory (OSC 7).
    Cwd(String),
    /// The foreground program changed. Looked at after output only, never on a timer of its own.
    Program {
        /// Its name.
        name: Option<String>,
        /// Whether it is something other than the shell at its prompt.
        busy: bool,
    },
    /// The child wrote the clipboard.
    Clipboard(String),
    /// Input was refused because the child does not read. Coalesced to one a second.
    InputRejected,
    /// The child ended and its last output has been parsed (or a short bound ran out). Sent once, last.
    Exited(ExitStatus),
}

/// A fact with its pane.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// Which pane.
    pub pane: PaneId,
    /// Which terminal: a late report of an earlier terminal must not be taken for the present one's.
    pub terminal: TerminalId,
    /// What.
    pub fact: Fact,
}

/// Why input was not queued; then not a byte of it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InputError {
    /// The child does not read.
    #[error("the pane's input queue is full")]
    QueueFull,
    /// The child is gone.
    #[error("the pane's terminal is gone")]
    Closed,
}

/// The terminal is gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the pane's terminal is gone")]
pub struct Gone;

/// The means to start terminals: the runtime that their tasks run on, the reaper of their children
/// and the channel of their reports.
#[derive(Clone)]
pub struct Terminals {}

impl Terminals {
    /// Tasks run on `runtime`; reports go to `reports` (the hub), which panes may wait for.
    /// Called inside the control runtime.
    pub fn new(_runtime: tokio::runtime::Handle, _reports: mpsc::Sender<Report>) -> std::io::Result<Self> {
        unimplemented!("skeleton")
    }
    /// Starts a terminal. Returns at once; [`Fact::Started`] or [`Fact::StartFailed`] follows.
    #[must_use]
    pub fn start(&self, _start: Start) -> PaneHandle {
        unimplemented!("skeleton")
    }
}

/// One terminal, seen from outside.
#[derive(Clone)]
pub struct PaneHandle {}

impl PaneHandle {
    /// The pane it was started for.
    pub fn pane(&self) -> PaneId {
        unimplemented!("skeleton")
    }
    /// Its id.
    pub fn terminal(&self) -> TerminalId {
        unimplemented!("skeleton")
    }
    /// The child, once started.
    pub fn root(&self) -> Option<RootProcess> {
        unimplemented!("skeleton")
    }
    /// Present modes (one atomic load).
    pub fn modes(&self) -> Modes {
        unimplemented!("skeleton")
    }
    /// Present content revision (one atomic load).
    pub fn revision(&self) -> u64 {
        unimplemented!("skeleton")
    }
    /// The size last asked for.
    pub fn size(&self) -> Size {
        unimplemented!("skeleton")
    }
    /// The child's live directory: of the foreground process, else what it told by OSC 7, else where it started.
    pub fn cwd(&self) -> PathBuf {
        unimplemented!("skeleton")
    }
    /// Whether something other than the shell at its prompt runs (looked up now: `tcgetpgrp`).
    pub fn is_busy(&self) -> bool {
        unimplemented!("skeleton")
    }
    /// Asks for another size; the latest wins.
    pub fn resize(&self, _size: Size) {
        unimplemented!("skeleton")
    }
    /// Queues a key, encoded under the present modes; all or nothing, like the following.
    pub fn key(&self, _event: KeyEvent) -> Result<(), InputError> {
        unimplemented!("skeleton")
    }
    /// Queues a mouse event, if the child asked for it.
    pub fn mouse(&self, _event: MouseEvent) -> Result<(), InputError> {
        unimplemented!("skeleton")
    }
    /// Queues a paste.
    pub fn paste(&self, _text: &str) -> Result<(), InputError> {
        unimplemented!("skeleton")
    }
    /// Queues a focus report, if the child asked for it.
    pub fn focus(&self, _focused: bool) -> Result<(), InputError> {
        unimplemented!("skeleton")
    }
    /// Queues text as it is.
    pub fn text(&self, _text: &str) -> Result<(), InputError> {
        unimplemented!("skeleton")
    }
    /// Queues a paste and Enter as one action.
    pub fn submit(&self, _text: &str) -> Result<(), InputError> {
        unimplemented!("skeleton")
    }
    /// The newest content revision that was announced: at once after quiet, then at most every
    /// 16 ms (`spec/README.md` point 22). Closes when the terminal is gone. Waits build on it.
    pub fn ready(&self) -> watch::Receiver<u64> {
        unimplemented!("skeleton")
    }
    /// Captures text, from one instant.
    pub async fn capture(&self, _request: CaptureRequest) -> Result<Capture, Gone> {
        unimplemented!("skeleton")
    }
    /// Whether `text` is in the newest 300 logical lines, and the revision at which that was looked up.
    pub async fn contains(&self, _text: &str) -> Result<(bool, u64), Gone> {
        unimplemented!("skeleton")
    }
    /// A new viewer; it first shows the live screen.
    pub fn viewer(&self) -> Viewer {
        unimplemented!("skeleton")
    }
    /// Ends the child's process tree (hang-up, then kill after a grace period of 500 ms) and the terminal's tasks.
    /// [`Fact::Exited`] still follows.
    pub fn end(&self) {
        unimplemented!("skeleton")
    }
}

/// One screen that shows a terminal. The worker paints only while somebody waits for a picture.
pub struct Viewer {}

impl Viewer {
    /// Waits for a picture newer than the last one returned, at this viewer's place in the history;
    /// the first call returns at once. `None` when the terminal is gone and nothing new came.
    /// Cancel-safe.
    pub async fn next(&mut self) -> Option<Arc<Frame>> {
        unimplemented!("skeleton")
    }
    /// Looks elsewhere; the next [`next`](Self::next) returns that picture at once.
    pub fn scroll(&mut self, _to: ScrollTo) {
        unimplemented!("skeleton")
    }
    /// The present place.
    pub fn view(&self) -> View {
        unimplemented!("skeleton")
    }
}
