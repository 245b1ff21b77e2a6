//! The task that owns one engine: requests first, then output, a bounded turn of it at a time.
//!
//! Invariants: nothing here waits for the hub or for the child to read. Whatever the child does,
//! [`Fact::Exited`] is reported once, last, and within a bound. A terminal whose child has ended
//! still answers requests, until it is ended itself or nobody holds a handle any more.

mod looking;
mod sizes;

use super::ending::GRACE;
use super::engine::{Capture, CaptureMode, CaptureRequest, Effects, Engine, Mark, Modes};
use super::handle::{Announced, Fact, Report, Start, Written};
use super::line::{Change, Line};
use super::outbox::Outbox;
use super::pace::{Announcer, LookPlan};
use super::painter::{Look, Painter};
use super::process::{self, Program};
use super::pty::{self, Pty, SpawnError};
use super::reaper::{Reaper, Status};
use super::shared::Shared;
use crate::protocol::geometry::Size;
use crate::protocol::limits::{CAPTURE_BYTES, CAPTURE_LINES};
use crate::protocol::outer::OuterColors;
use std::cell::RefCell;
use std::future::pending;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use tokio::sync::{mpsc, oneshot, watch};

/// One read: what a PTY hands out at a time is less.
const CHUNK_BYTES: usize = 16_384;
/// Bytes of one turn of output, so that many flooding panes share the threads.
const TURN_BYTES: usize = 65_536;
/// Time of one turn, looked at after each chunk: with fifty floods a key's echo waits for half of
/// them in turn, and four times this costs a third more (35 against 46 ms) for no throughput.
const TURN_TIME: Duration = Duration::from_micros(250);
/// Requests that wait for one worker; more callers wait for room.
pub(super) const REQUESTS: usize = 64;

thread_local! {
    /// A turn never waits, so that the terminals of a thread can share their buffer.
    static CHUNK: RefCell<Vec<u8>> = RefCell::new(vec![0; CHUNK_BYTES]);
}

/// What a handle asks of the worker.
pub(super) enum Request {
    /// A picture.
    Look(Look),
    /// Text.
    Capture(CaptureRequest, oneshot::Sender<(Capture, u64)>),
    /// Whether a text is in the newest lines, and at which revision.
    Contains(String, oneshot::Sender<(bool, u64)>),
    /// Looks something up in the engine, within a bound.
    Read(Box<dyn FnOnce(&Engine) + Send>),
    /// The screen for the terminal after this one, and its revision.
    Screen(oneshot::Sender<(String, u64)>),
    /// Nothing but an answer.
    Settle(oneshot::Sender<()>),
    /// Fails as an engine with a bug would.
    #[cfg(test)]
    Panic,
}

/// What a worker is made of.
pub(super) struct Parts {
    pub(super) start: Start,
    pub(super) shared: Arc<Shared>,
    pub(super) reaper: Reaper,
    pub(super) requests: mpsc::Receiver<Request>,
    pub(super) ready: watch::Sender<Announced>,
    pub(super) reports: mpsc::Sender<Report>,
    pub(super) outer: watch::Receiver<OuterColors>,
}

/// Runs a terminal from start to end.
pub(super) async fn run(parts: Parts, child: oneshot::Sender<Status>) {
    let Some(mut worker) = Worker::start(parts, child).await else { return };
    while !worker.is_over() {
        let event = worker.event().await;
        worker.handle(event);
        if worker.read_turn() {
            tokio::task::yield_now().await;
        }
        worker.settle_exit();
    }
}

/// What a worker wakes up for.
enum Event {
    Attention,
    Resize,
    Colors,
    Request(Request),
    Unreachable,
    Child(Change),
    Due,
    Delivered,
    Output,
}

struct Worker {
    engine: Engine,
    line: Option<Line>,
    announcer: Option<Announcer>,
    painter: Painter,
    /// Revision, modes and whether an update is being held back, as of the last turn.
    seen: (u64, Modes, bool),
    title: Option<String>,
    /// Whether the shell is at its prompt, by its own marks.
    at_prompt: Option<bool>,
    program: Program,
    directory: PathBuf,
    looks: LookPlan,
    shared: Arc<Shared>,
    sizes: watch::Receiver<Size>,
    outer: watch::Receiver<OuterColors>,
    requests: mpsc::Receiver<Request>,
    /// Whether nobody holds a handle any more.
    unreachable: bool,
    outbox: Outbox,
}

impl Worker {
    /// Starts the child; `None` when that failed and was reported.
    async fn start(parts: Parts, child: oneshot::Sender<Status>) -> Option<Self> {
        let Parts { start, shared, reaper, requests, ready, reports, mut outer } = parts;
        let mut outbox = Outbox::new(start.pane, start.terminal, reports);
        let mut sizes = shared.size.subscribe();
        let mut engine = Engine::new(*sizes.borrow_and_update(), start.history_bytes);
        engine.allow_checksums(start.checksum_reports);
        let _ = engine.shown_in(*outer.borrow_and_update());
        if let Some(text) = &start.recalled {
            engine.recall(text);
        }
        // What is typed before the first output is encoded under the modes of a fresh terminal.
        shared.gauge.set(&engine);
        let (pty, root, status) = match pty::spawn(&start, engine.size(), &reaper) {
            Ok(spawned) => spawned,
            Err(error) => {
                fail(&shared, &mut outbox, &error).await;
                return None;
            }
        };
        // The supervisor outlives this task.
        let _ = child.send(status.clone());
        let root = shared.root.get_or_init(|| root).clone();
        let line = Line::open(&shared, pty, root.pid, status);
        let program = Program::started(&start.argv, root.pid, start.shell);
        // A first look before anybody can ask, for children that never print anything.
        if shared.program().and_then(|program| program.name).is_some_and(|name| !process::is_unborn(&name)) {
            shared.look_at_processes();
        }
        outbox.push(Fact::Started(root));
        outbox.push(Fact::Program { name: program.name.clone(), busy: program.busy });
        // A blank screen is not output, so nobody is woken.
        ready.send_if_modified(|announced| {
            announced.revision = engine.revision();
            false
        });
        let mut looks = LookPlan::default();
        looks.output(Instant::now());
        Some(Self {
            seen: (engine.revision(), engine.modes(), false),
            engine,
            line: Some(line),
            announcer: Some(Announcer::new(ready, start.announce)),
            painter: Painter::default(),
            title: None,
            at_prompt: None,
            program,
            directory: start.cwd.clone(),
            looks,
            shared,
            sizes,
            outer,
            requests,
            unreachable: false,
            outbox,
        })
    }

    /// Where output is to be read from now.
    fn output(&self) -> Option<Arc<Pty>> {
        self.line.as_ref().and_then(Line::output).filter(|_| !self.outbox.is_full())
    }

    async fn event(&mut self) -> Event {
        let due = self.due();
        let output = self.output();
        tokio::select! {
            biased;
            () = self.shared.attention.notified() => Event::Attention,
            Ok(()) = self.sizes.changed() => Event::Resize,
            Ok(()) = self.outer.changed() => Event::Colors,
            request = self.requests.recv(), if !self.unreachable => request.map_or(Event::Unreachable, Event::Request),
            change = change(self.line.as_mut()) => Event::Child(change),
            () = sleep_until(due) => Event::Due,
            () = self.outbox.deliver() => Event::Delivered,
            () = readable(output) => Event::Output,
        }
    }

    fn handle(&mut self, event: Event) {
        match event {
            Event::Attention => self.attend(),
            Event::Resize => self.resize(),
            Event::Colors => {
                let effects = self.engine.shown_in(*self.outer.borrow_and_update());
                self.carry_out(effects, Instant::now());
            }
            Event::Request(request) => self.answer(request),
            Event::Unreachable => {
                self.unreachable = true;
                self.end();
            }
            Event::Child(change) => {
                if let Some(line) = &mut self.line {
                    if let Change::Exited(status) = &change {
                        let _ = self.shared.status.set(status.clone());
                    }
                    line.note(change, Instant::now());
                }
            }
            Event::Due => self.fire(Instant::now()),
            Event::Delivered | Event::Output => {}
        }
    }

    fn attend(&mut self) {
        if self.shared.refused.swap(false, Ordering::AcqRel) {
            self.outbox.push(Fact::InputRejected);
        }
        if self.shared.look_wanted.swap(false, Ordering::AcqRel) {
            self.looks.again(Instant::now());
        }
        if self.shared.end_wanted.load(Ordering::Acquire) {
            self.end();
        } else if self.shared.order.borrow().is_some()
            && let Some(line) = &mut self.line
        {
            line.end(self.shared.order.subscribe());
        }
    }

    fn end(&mut self) {
        self.shared.input.close();
        // Nobody waits any longer for what a child that is being ended puts out.
        self.announcer = None;
        if let Some(line) = &mut self.line {
            // Without an order nobody holds the terminal any more.
            if self.shared.order.borrow().is_none() {
                self.shared.order_end(GRACE, false);
            }
            line.end(self.shared.order.subscribe());
        }
    }

    fn answer(&mut self, request: Request) {
        // A caller that has gone needs no answer.
        match request {
            Request::Look(look) => {
                self.painter.take(look, &mut self.engine);
                self.shared.gauge.painted(self.painter.painted);
            }
            Request::Capture(request, reply) => {
                let version = self.shared.written.borrow().version;
                let _ = reply.send((self.engine.capture(request), version));
            }
            Request::Contains(text, reply) => {
                let newest = CaptureRequest {
                    mode: CaptureMode::RecentUnwrapped,
                    lines: CAPTURE_LINES,
                    ansi: false,
                    max_bytes: CAPTURE_BYTES,
                    cursor: false,
                };
                let capture = self.engine.capture(newest);
                let _ = reply.send((capture.text.contains(&text), capture.revision));
            }
            Request::Read(read) => read(&self.engine),
            Request::Screen(reply) => drop(reply.send((self.engine.last_screen(), self.engine.revision()))),
            Request::Settle(reply) => drop(reply.send(())),
            #[cfg(test)]
            Request::Panic => panic!("a test wants this"),
        }
    }

    /// Reads and parses what is there, for a turn at most; whether more may be there.
    fn read_turn(&mut self) -> bool {
        let Some(pty) = self.output() else { return false };
        let began = Instant::now();
        let mut turn_bytes = 0;
        self.engine.allow_resizing(self.shared.alone.load(Ordering::Relaxed));
        let outcome: io::Result<()> = CHUNK.with_borrow_mut(|chunk| {
            while turn_bytes < TURN_BYTES && (turn_bytes == 0 || began.elapsed() < TURN_TIME) {
                let count = pty.try_read(chunk)?;
                if count == 0 {
                    return Err(io::ErrorKind::UnexpectedEof.into());
                }
                // The child was told another size before it put this out, or at the same time.
                if self.sizes.has_changed().unwrap_or(false) {
                    self.resize();
                }
                let now = Instant::now();
                let effects = self.engine.feed(&chunk[..count], now);
                self.carry_out(effects, now);
                turn_bytes += count;
            }
            Ok(())
        });
        if turn_bytes > 0 {
            self.shared.note_output();
            let now = Instant::now();
            let at_prompt = self.at_prompt;
            self.shared.written.send_modify(|written| {
                *written = Written { version: written.version + 1, at: now, at_prompt, ..*written };
            });
            self.looks.output(now);
            self.look_for_changes();
        }
        match outcome {
            Ok(()) => true,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => false,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => true,
            // The end, or a failure that a read after it would only repeat.
            Err(_) => {
                if let Some(line) = &mut self.line {
                    line.drained(Instant::now());
                }
                false
            }
        }
    }

    fn carry_out(&mut self, effects: Effects, now: Instant) {
        if !effects.replies.is_empty() {
            // A refusal is counted and reported by the queue; the child asks and does not read.
            let _ = self.shared.send(effects.replies);
        }
        if let Some(title) = effects.title {
            let title = Some(title).filter(|title| !title.is_empty());
            if title != self.title {
                self.title.clone_from(&title);
                self.outbox.push(Fact::Title(title));
            }
        }
        if effects.bell {
            self.outbox.ring(now);
        }
        if let Some(size) = effects.size {
            self.resized_itself(size);
        }
        if let Some(path) = effects.cwd {
            // Shells tell it at every prompt.
            if self.shared.tell_directory(&path) {
                self.outbox.push(Fact::Cwd(path));
            }
        }
        if let Some(text) = effects.clipboard {
            self.outbox.push(Fact::Clipboard(text));
        }
        for mark in &effects.marks {
            match mark {
                Mark::PromptStart | Mark::PromptEnd => self.at_prompt = Some(true),
                Mark::CommandStart | Mark::CommandEnd { .. } => self.at_prompt = Some(false),
                Mark::Status(_) | Mark::Notification { .. } | Mark::Progress(_) | Mark::Reset => {}
            }
        }
        let ended =
            |mark: &Mark| matches!(mark, Mark::PromptStart | Mark::PromptEnd | Mark::CommandEnd { .. });
        if effects.marks.iter().any(ended) {
            self.look_after_command(now);
        }
        if !effects.marks.is_empty() {
            self.shared.commands.note(&effects.marks);
            self.outbox.push(Fact::Marks(effects.marks));
        }
    }

    /// After anything that may have changed the engine: tells the gauge, the waits and the viewers.
    fn look_for_changes(&mut self) {
        let now = (self.engine.revision(), self.engine.modes(), self.engine.deadline().is_some());
        if now == self.seen {
            return;
        }
        self.seen = now;
        self.shared.gauge.set(&self.engine);
        self.painter.changed(&mut self.engine);
        self.shared.gauge.painted(self.painter.painted);
        if let Some(announcer) = &mut self.announcer {
            announcer.content(now.0, Instant::now());
        }
    }

    /// The earliest of everything that is planned; `None` for a quiet terminal.
    fn due(&self) -> Option<Instant> {
        let line = self.line.as_ref();
        let plans = [
            line.and_then(Line::due),
            line.and(self.looks.due()),
            self.announcer.as_ref().and_then(Announcer::due),
            self.engine.deadline(),
        ];
        plans.into_iter().flatten().min()
    }

    fn fire(&mut self, now: Instant) {
        if let Some(announcer) = &mut self.announcer {
            announcer.fire(now);
        }
        if self.engine.deadline().is_some_and(|deadline| deadline <= now) {
            // The clock is all that is new: it releases the picture that was held back.
            let effects = self.engine.feed(&[], now);
            self.carry_out(effects, now);
            // Who waits for text had no reason to look again.
            self.shared.written.send_modify(|written| written.version += 1);
            self.look_for_changes();
        }
        if self.looks.take(now) {
            self.look_at_program(now);
        }
    }

    /// Once the child's end is known as well as it will be: closes the way to it and reports it.
    fn settle_exit(&mut self) {
        if let Some(status) = self.line.as_ref().and_then(|line| line.settled(Instant::now())) {
            self.shared.close();
            self.line = None;
            self.engine.release();
            self.look_for_changes();
            // The last output is told of before the end.
            self.announcer = None;
            self.shared.is_over();
            self.outbox.push(Fact::Exited(status));
        }
        if self.line.is_none() && self.outbox.is_empty() {
            self.shared.exit_reported.store(true, Ordering::Release);
        }
    }

    /// Whether the child's end has been reported and nothing is to be asked any more.
    fn is_over(&self) -> bool {
        let unwanted = self.unreachable || self.shared.end_wanted.load(Ordering::Acquire);
        self.line.is_none() && unwanted && self.outbox.is_empty()
    }
}

/// Tells the hub why there is no child.
async fn fail(shared: &Shared, outbox: &mut Outbox, error: &SpawnError) {
    shared.close();
    shared.is_over();
    outbox.push(Fact::StartFailed(error.to_string()));
    while !outbox.is_empty() {
        outbox.deliver().await;
    }
    shared.exit_reported.store(true, Ordering::Release);
}

async fn change(line: Option<&mut Line>) -> Change {
    match line {
        Some(line) => line.change().await,
        None => pending().await,
    }
}

async fn readable(pty: Option<Arc<Pty>>) {
    match pty {
        Some(pty) => pty.readable().await,
        None => pending().await,
    }
}

async fn sleep_until(due: Option<Instant>) {
    match due {
        Some(due) => tokio::time::sleep_until(due.into()).await,
        None => pending().await,
    }
}
