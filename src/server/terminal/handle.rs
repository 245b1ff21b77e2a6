//! [`PaneHandle`]: the only thing that other floors hold of a terminal; cheap to clone.

use super::encode::{self, ShiftEnter};
use super::ending::GRACE;
use super::engine::{Capture, CaptureRequest, Mark, Modes};
use super::process;
use super::shared::Shared;
use super::worker::Request;
use crate::protocol::geometry::Size;
use crate::protocol::ids::{PaneId, TerminalId};
use crate::protocol::key::{KeyCode, KeyEvent, Modifiers, MouseEvent};
use crate::protocol::scene::ExitStatus;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use tokio::sync::{mpsc, oneshot, watch};

pub use super::process::Process;
pub use super::terminals::Terminals;
pub use super::viewer::Viewer;

/// The process at the root of a terminal (`uhp.md` section 4).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RootProcess {
    /// Process id, also the id of its process group and session.
    pub pid: u32,
    /// Opaque mark of its start, against pid reuse (`linux:<start time in ticks>`).
    pub start_marker: Option<String>,
}

/// How much of the rows that left a screen is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HistorySize {
    /// Rows.
    pub rows: u64,
    /// Bytes that they take.
    pub held_bytes: u64,
    /// Bytes that they may take.
    pub budget_bytes: usize,
}

/// What a terminal has done so far besides parsing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Work {
    /// Pictures painted for viewers.
    pub pictures: u64,
    /// Looks at its programs.
    pub looks: u64,
}

/// What is told of output before anybody is woken by it: takes the revision and returns the number of
/// the event that tells of it, or nothing once nobody is to hear of the terminal any more.
#[derive(Clone)]
pub struct Announce(Arc<dyn Fn(u64) -> Option<u64> + Send + Sync>);

impl Announce {
    /// Calls `tell`, which must not wait.
    pub fn new(tell: impl Fn(u64) -> Option<u64> + Send + Sync + 'static) -> Self {
        Self(Arc::new(tell))
    }

    pub(super) fn tell(&self, revision: u64) -> Option<u64> {
        (self.0)(revision)
    }
}

impl std::fmt::Debug for Announce {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Announce")
    }
}

/// Content that was announced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Announced {
    /// The content revision.
    pub revision: u64,
    /// The number of the event that told of it.
    pub sequence: u64,
}

/// What a child has put out so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Written {
    /// Counts batches of output that were applied (`data_version` of `pane-backend.md`), and synchronized
    /// updates that ran out of time: never a resize.
    pub version: u64,
    /// When the last one was.
    pub at: Instant,
    /// Whether its shell is at its prompt, by its own marks (OSC 133); nothing before the first mark.
    pub at_prompt: Option<bool>,
    /// Whether the child is gone and nothing will follow.
    pub over: bool,
}

impl Written {
    pub(super) fn nothing() -> Self {
        Self { version: 0, at: Instant::now(), at_prompt: None, over: false }
    }
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
    /// The same as it was asked for, without what luvus adds for itself.
    pub command: Vec<String>,
    /// Whether `argv` is the person's shell: at its prompt it counts as idle.
    pub shell: bool,
    /// Working directory.
    pub cwd: PathBuf,
    /// The whole environment of the child.
    pub env: Vec<(String, String)>,
    /// First size.
    pub size: Size,
    /// The last screen of the terminal before this one.
    pub recalled: Option<Arc<str>>,
    /// Budget of the history.
    pub history_bytes: usize,
    /// Whether the child may ask for checksums of the screen (DECRQCRA).
    pub checksum_reports: bool,
    /// What a legacy child gets for Shift+Enter.
    pub shift_enter: ShiftEnter,
    /// What makes the child mark its prompts and commands (OSC 133), if it was made to: variables that it
    /// alone gets.
    pub integration: Option<Vec<(String, String)>>,
    /// Told of output, paced.
    pub announce: Announce,
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
    /// The child's directory changed: told (OSC 7), or seen in a look at the foreground program.
    Cwd(String),
    /// The foreground program changed. Looked at after output only, never on a timer of its own.
    Program {
        /// Its name.
        name: Option<String>,
        /// Whether it is something other than the shell at its prompt.
        busy: bool,
    },
    /// Output came and the shell is at its prompt, as before: a command too short to be seen may have
    /// run. Looked at like [`Fact::Program`].
    AtPrompt,
    /// The processes were looked at; told with every look.
    Scanned {
        /// Whether there is nothing but the person's shell. Never of a pane that runs a command of its own.
        alone: bool,
    },
    /// The child has given itself another size, where it may.
    Resized(Size),
    /// The child wrote the clipboard.
    Clipboard(String),
    /// What the child marked and told in passing, in order and without gaps: output is not read on while
    /// too many wait.
    Marks(Vec<Mark>),
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

/// One terminal, seen from outside. When the last handle is dropped the terminal ends.
#[derive(Clone)]
pub struct PaneHandle {
    pub(super) shared: Arc<Shared>,
    pub(super) requests: mpsc::Sender<Request>,
    pub(super) ready: watch::Receiver<Announced>,
}

impl PaneHandle {
    /// The pane it was started for.
    pub fn pane(&self) -> PaneId {
        self.shared.pane
    }
    /// Its id.
    pub fn terminal(&self) -> TerminalId {
        self.shared.terminal
    }
    /// The child, once started.
    pub fn root(&self) -> Option<RootProcess> {
        self.shared.root.get().cloned()
    }
    /// Present modes (one atomic load).
    pub fn modes(&self) -> Modes {
        self.shared.gauge.modes()
    }
    /// Present content revision (one atomic load).
    pub fn revision(&self) -> u64 {
        self.shared.gauge.revision()
    }
    /// How much history there is (atomic loads).
    pub fn history_size(&self) -> HistorySize {
        let rows = self.shared.gauge.history();
        HistorySize {
            rows: rows.end - rows.start,
            held_bytes: self.shared.gauge.history_bytes(),
            budget_bytes: self.shared.history_bytes,
        }
    }
    /// What it has done so far (atomic loads).
    pub fn work(&self) -> Work {
        let (pictures, looks) = self.shared.gauge.work();
        Work { pictures, looks }
    }
    /// The size last asked for.
    pub fn size(&self) -> Size {
        *self.shared.size.borrow()
    }
    /// The child's live directory: of the foreground process, else what it told by OSC 7, else where it
    /// started. Where looking it up is dear (not Linux) what it told comes first.
    pub fn cwd(&self) -> PathBuf {
        self.shared.directory()
    }
    /// What the child has put out so far, and every change of that.
    pub fn written(&self) -> watch::Receiver<Written> {
        self.shared.written.subscribe()
    }
    /// Waits until the child is gone and its last output has been taken in.
    pub async fn over(&self) {
        // Whoever asks holds the sender.
        let _ = self.shared.ended.subscribe().wait_for(|ended| *ended).await;
    }
    /// Program and arguments that were asked for.
    pub fn argv(&self) -> &[String] {
        &self.shared.argv
    }
    /// When that was.
    pub fn started_at(&self) -> Instant {
        self.shared.started_at
    }
    /// Whether somebody wanted the child ended.
    pub fn was_ended(&self) -> bool {
        self.shared.order.borrow().is_some()
    }
    /// The directory that the child told last (OSC 7).
    #[cfg(test)]
    pub(super) fn told(&self) -> Option<PathBuf> {
        self.shared.told()
    }
    /// Where the child was started.
    pub fn started_in(&self) -> &Path {
        &self.shared.started_in
    }
    /// The environment that the child was started with.
    pub fn environment(&self) -> &Arc<[(String, String)]> {
        &self.shared.environment
    }
    /// Whether something other than the shell at its prompt runs (looked up now: `tcgetpgrp`).
    pub fn is_busy(&self) -> bool {
        self.shared.program().is_some_and(|program| program.busy)
    }
    /// Names of the programs that ran below the child, itself included, at the last look (after output,
    /// like [`Fact::Program`]); `None` if there was none or the system does not tell.
    pub fn processes(&self) -> Option<Arc<[String]>> {
        self.shared.processes()
    }
    /// The processes below the child, itself first, looked up now; `None` without a living child.
    pub fn process_tree(&self) -> Option<Vec<Process>> {
        self.shared.status.get().is_none().then(|| process::list(self.shared.root.get()?.pid)).flatten()
    }
    /// The base names of the scripts that some of these processes run, in their order. They are looked up
    /// now, and kept nowhere. Reads files.
    pub fn scripts_of(
        &self,
        processes: &[Process],
        runs_scripts: impl Fn(&str) -> bool,
    ) -> Vec<Option<String>> {
        let script = |process: &Process| runs_scripts(&process.name).then(|| process::script(process.pid));
        processes.iter().map(|process| script(process).flatten()).collect()
    }
    /// Asks for one more look at the processes, a little later.
    pub fn look_again(&self) {
        self.shared.look_wanted.store(true, Ordering::Release);
        self.shared.attention.notify_one();
    }
    /// Base names of the scripts that run below the child, of those programs that run scripts. They are
    /// looked up now, and kept nowhere. Reads files.
    pub fn scripts(&self, runs_scripts: impl Fn(&str) -> bool) -> Vec<String> {
        self.root().map(|root| process::scripts(root.pid, runs_scripts)).unwrap_or_default()
    }
    /// How the child ended, as soon as that is known: before its last output has been parsed.
    pub fn status(&self) -> Option<ExitStatus> {
        self.shared.status.get().cloned()
    }
    /// Asks for another size; the latest wins.
    pub fn resize(&self, size: Size) {
        self.shared.resize(size);
    }
    /// Whether nobody but the child has a say in its size: then it may choose another one.
    pub fn leave_alone(&self, alone: bool) {
        self.shared.alone.store(alone, Ordering::Relaxed);
    }
    /// Waits until the grid has the size that was asked for last.
    pub async fn settle(&self) -> Result<(), Gone> {
        // the worker looks for a new size before it looks for requests
        self.ask(Request::Settle).await
    }
    /// Queues a key, encoded under the present modes; all or nothing, like the following.
    pub fn key(&self, event: KeyEvent) -> Result<(), InputError> {
        self.shared.send(self.encode_key(event))
    }
    /// Queues a key that is pressed and let go, as one action.
    pub fn tap(&self, code: KeyCode, modifiers: Modifiers) -> Result<(), InputError> {
        self.shared.send(encode::tap(code, modifiers, self.modes(), self.shared.shift_enter))
    }
    /// Queues several such keys as one action.
    pub fn taps(&self, keys: &[(KeyCode, Modifiers)]) -> Result<(), InputError> {
        let modes = self.modes();
        let tap = |(code, modifiers): &(KeyCode, Modifiers)| {
            encode::tap(*code, *modifiers, modes, self.shared.shift_enter)
        };
        self.shared.send(keys.iter().flat_map(tap).collect())
    }
    /// Queues a mouse event, if the child asked for it.
    pub fn mouse(&self, event: MouseEvent) -> Result<(), InputError> {
        self.shared.send(encode::mouse(event, self.modes()))
    }
    /// Queues a paste.
    pub fn paste(&self, text: &str) -> Result<(), InputError> {
        self.shared.send(encode::paste(text, self.modes()))
    }
    /// Queues a focus report, if the child asked for it.
    pub fn focus(&self, focused: bool) -> Result<(), InputError> {
        self.shared.send(encode::focus(focused, self.modes()))
    }
    /// Queues text as it is.
    pub fn text(&self, text: &str) -> Result<(), InputError> {
        self.shared.send(text.as_bytes().to_vec())
    }
    /// Queues bytes as they are.
    pub fn bytes(&self, bytes: Vec<u8>) -> Result<(), InputError> {
        self.shared.send(bytes)
    }
    /// Queues a paste and Enter as one action.
    pub fn submit(&self, text: &str) -> Result<(), InputError> {
        let modes = self.modes();
        let mut action = encode::paste(text, modes);
        action.extend(encode::tap(KeyCode::Enter, Modifiers::NONE, modes, self.shared.shift_enter));
        self.shared.send(action)
    }
    /// Queues a line of text as it is and Enter, as one action.
    pub fn enter(&self, line: &str) -> Result<(), InputError> {
        let mut action = line.as_bytes().to_vec();
        action.extend(encode::tap(KeyCode::Enter, Modifiers::NONE, self.modes(), self.shared.shift_enter));
        self.shared.send(action)
    }
    /// Queues a key that is pressed and let go so many times, as one action; whether the child gets
    /// anything for it under its present modes.
    pub fn tap_times(&self, code: KeyCode, modifiers: Modifiers, times: usize) -> Result<bool, InputError> {
        let tap = encode::tap(code, modifiers, self.modes(), self.shared.shift_enter);
        self.shared.send(tap.repeat(times))?;
        Ok(!tap.is_empty())
    }
    /// The place of the last action in the input queue.
    pub fn queued(&self) -> u64 {
        self.shared.input.place()
    }
    /// Whether everything up to that place has been written to the child.
    pub fn is_written(&self, place: u64) -> bool {
        self.shared.input.is_written(place)
    }
    /// The newest content that was announced: at once after quiet, then at most every 16 ms
    /// (`spec/README.md` point 22), each time after its event. What was announced before counts as
    /// seen. Closes when the child's end has been settled or its end was asked for. Waits build on it.
    pub fn ready(&self) -> watch::Receiver<Announced> {
        let mut ready = self.ready.clone();
        ready.mark_unchanged();
        ready
    }
    /// Captures text, from one instant.
    pub async fn capture(&self, request: CaptureRequest) -> Result<Capture, Gone> {
        self.capture_versioned(request).await.map(|(capture, _)| capture)
    }
    /// [`capture`](Self::capture), with the version of the output at that instant.
    pub async fn capture_versioned(&self, request: CaptureRequest) -> Result<(Capture, u64), Gone> {
        self.ask(|reply| Request::Capture(request, reply)).await
    }
    /// Whether `text` is in the newest 300 logical lines, and the revision at which that was looked up.
    pub async fn contains(&self, text: &str) -> Result<(bool, u64), Gone> {
        self.ask(|reply| Request::Contains(text.to_owned(), reply)).await
    }
    /// The screen for the terminal after this one, and its revision.
    pub async fn last_screen(&self) -> Result<(String, u64), Gone> {
        self.ask(Request::Screen).await
    }
    /// A new viewer; it first shows the live screen.
    pub fn viewer(&self) -> Viewer {
        Viewer::new(Arc::clone(&self.shared), self.requests.downgrade())
    }
    /// Ends the child's process tree (hang-up, then kill after a grace period of 500 ms) and the terminal's tasks.
    /// [`Fact::Exited`] still follows.
    pub fn end(&self) {
        self.shared.order_end(GRACE, false);
        self.shared.end_wanted.store(true, Ordering::Release);
        self.shared.attention.notify_one();
    }

    /// Ends the child with everything that came of it: asks it, and kills what is left after `grace`. The
    /// terminal lives until then. Of several calls the shortest grace counts.
    pub fn end_within(&self, grace: Duration) {
        self.shared.order_end(grace, true);
    }

    /// Makes the worker panic.
    #[cfg(test)]
    pub(super) async fn break_worker(&self) {
        let _ = self.requests.send(Request::Panic).await;
    }

    fn encode_key(&self, event: KeyEvent) -> Vec<u8> {
        encode::key(event, self.modes(), self.shared.shift_enter)
    }

    pub(super) async fn ask<T>(
        &self,
        request: impl FnOnce(oneshot::Sender<T>) -> Request,
    ) -> Result<T, Gone> {
        let (reply, answer) = oneshot::channel();
        self.requests.send(request(reply)).await.map_err(|_| Gone)?;
        answer.await.map_err(|_| Gone)
    }
}
