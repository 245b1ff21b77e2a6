//! [`Shared`]: what a terminal's handles and its tasks hold together.

use super::commands::Tracker;
use super::encode::ShiftEnter;
use super::ending::Order;
use super::engine::allowed;
use super::gauge::Gauge;
use super::handle::{InputError, RootProcess, Start, Written};
use super::input::InputQueue;
use super::process::{self, Program};
use super::pty::Pty;
use crate::protocol::geometry::Size;
use crate::protocol::ids::{PaneId, TerminalId};
use crate::protocol::scene::ExitStatus;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::{Notify, watch};

/// The least time between two reports of refused input (`uhp.md` section 11: one coalesced warning).
const REFUSALS_APART: Duration = Duration::from_secs(1);

/// One terminal's common ground.
pub(super) struct Shared {
    pub(super) pane: PaneId,
    pub(super) terminal: TerminalId,
    pub(super) shift_enter: ShiftEnter,
    /// Budget of the history.
    pub(super) history_bytes: usize,
    pub(super) gauge: Gauge,
    pub(super) input: InputQueue,
    /// What the child tells of its commands.
    pub(super) commands: Tracker,
    /// The size last asked for.
    pub(super) size: watch::Sender<Size>,
    /// Whether nobody but the child has a say in its size.
    pub(super) alone: AtomicBool,
    /// Wakes the worker to look at the flags below.
    pub(super) attention: Notify,
    /// When and how the child is to be ended, once anybody wants that.
    pub(super) order: watch::Sender<Option<Order>>,
    /// Nobody wants anything of the terminal any more.
    pub(super) end_wanted: AtomicBool,
    /// Somebody wants one more look at the processes.
    pub(super) look_wanted: AtomicBool,
    /// Input was refused and has not been reported yet.
    pub(super) refused: AtomicBool,
    /// Whether the end of the child was reported.
    pub(super) exit_reported: AtomicBool,
    /// How the child ended, once that is known.
    pub(super) status: OnceLock<ExitStatus>,
    /// The child, for ever once it ran.
    pub(super) root: OnceLock<RootProcess>,
    /// Whether the child is a person's shell.
    pub(super) shell: bool,
    /// What the child calls itself, settled at the first look at it; `None` if it could not be learnt.
    pub(super) shell_name: OnceLock<Option<String>>,
    /// What ran below the child at the last look.
    processes: Mutex<Option<Arc<[String]>>>,
    live: Mutex<Option<Arc<Pty>>>,
    /// Where the child was started.
    pub(super) started_in: PathBuf,
    /// Program and arguments.
    pub(super) argv: Vec<String>,
    /// When it was started.
    pub(super) started_at: Instant,
    /// Whether the child is gone and its last output was taken in.
    pub(super) ended: watch::Sender<bool>,
    /// What it has put out so far.
    pub(super) written: watch::Sender<Written>,
    /// The environment that it was started with.
    pub(super) environment: Arc<[(String, String)]>,
    told_directory: Mutex<Option<PathBuf>>,
    /// Where the child was at the last look.
    seen_directory: Mutex<Option<PathBuf>>,
    /// Whether output has come since that look: a child that is silent is taken to stay where it is.
    moved: AtomicBool,
    refusals: Mutex<Refusals>,
}

#[derive(Default)]
struct Refusals {
    reported: Option<Instant>,
    since: u64,
}

impl Shared {
    pub(super) fn new(start: &Start) -> Self {
        Self {
            pane: start.pane,
            terminal: start.terminal,
            shift_enter: start.shift_enter,
            history_bytes: start.history_bytes,
            gauge: Gauge::default(),
            input: InputQueue::default(),
            commands: Tracker::new(start.integration.is_some()),
            size: watch::Sender::new(allowed(start.size)),
            alone: AtomicBool::new(false),
            attention: Notify::new(),
            end_wanted: AtomicBool::new(false),
            look_wanted: AtomicBool::new(false),
            refused: AtomicBool::new(false),
            exit_reported: AtomicBool::new(false),
            status: OnceLock::new(),
            root: OnceLock::new(),
            shell: start.shell,
            shell_name: OnceLock::new(),
            processes: Mutex::default(),
            live: Mutex::default(),
            order: watch::Sender::new(None),
            started_in: start.cwd.clone(),
            argv: start.command.clone(),
            started_at: Instant::now(),
            ended: watch::Sender::new(false),
            written: watch::Sender::new(Written::nothing()),
            environment: start.env.as_slice().into(),
            told_directory: Mutex::default(),
            seen_directory: Mutex::default(),
            moved: AtomicBool::new(true),
            refusals: Mutex::default(),
        }
    }

    /// The child runs on `pty`.
    pub(super) fn open(&self, pty: &Arc<Pty>) {
        *lock(&self.live) = Some(Arc::clone(pty));
        self.tell_size();
        self.input.open(Arc::clone(pty));
    }

    /// Asks for another size. The child has it when this returns, so that input that is queued after it
    /// meets it; the grid follows before it takes in what the child puts out under the new size.
    pub(super) fn resize(&self, size: Size) {
        let size = allowed(size);
        if self.size.send_if_modified(|wanted| std::mem::replace(wanted, size) != size) {
            self.tell_size();
        }
    }

    /// Tells the child the size that was asked for last.
    pub(super) fn tell_size(&self) {
        if let Some(pty) = &*lock(&self.live)
            && let Err(error) = pty.resize(*self.size.borrow())
        {
            tracing::debug!(pane = %self.pane, %error, "resizing the terminal failed");
        }
    }

    /// The child is gone: nothing is written any more, and its PTY may close.
    pub(super) fn close(&self) {
        self.input.close();
        self.commands.close();
        *lock(&self.live) = None;
        *lock(&self.processes) = None;
    }

    /// Wants the child ended: killed after `grace` at the latest, together with what left its session
    /// if `whole`. The shortest grace and the widest reach win.
    pub(super) fn order_end(&self, grace: Duration, whole: bool) {
        let kill_at = Instant::now() + grace;
        self.order.send_if_modified(|order| {
            let wanted = match *order {
                Some(before) => Order { kill_at: before.kill_at.min(kill_at), whole: before.whole || whole },
                None => Order { kill_at, whole },
            };
            order.replace(wanted) != Some(wanted)
        });
        self.attention.notify_one();
    }

    /// The child is gone and its last output has been taken in.
    pub(super) fn is_over(&self) {
        self.written.send_modify(|written| written.over = true);
        self.ended.send_replace(true);
    }

    /// Queues input; a refusal is logged and handed to the worker for its report, at most once a second.
    pub(super) fn send(&self, action: Vec<u8>) -> Result<(), InputError> {
        // Before the child can answer it.
        self.commands.input(&action);
        let result = self.input.push(action);
        if result == Err(InputError::QueueFull)
            && let Some(refused) = self.count_refusal(Instant::now())
        {
            tracing::warn!(pane = %self.pane, terminal = %self.terminal, refused, "pty.input_rejected");
            self.refused.store(true, Ordering::Release);
            self.attention.notify_one();
        }
        result
    }

    /// Counts a refusal; how many there were since the last report if another one is due.
    fn count_refusal(&self, now: Instant) -> Option<u64> {
        let mut refusals = lock(&self.refusals);
        refusals.since += 1;
        if refusals.reported.is_some_and(|last| now.duration_since(last) < REFUSALS_APART) {
            return None;
        }
        refusals.reported = Some(now);
        Some(std::mem::take(&mut refusals.since))
    }

    /// The child told its directory; whether that is news.
    pub(super) fn tell_directory(&self, path: &str) -> bool {
        let path = Some(PathBuf::from(path));
        let mut told = lock(&self.told_directory);
        let is_news = *told != path;
        *told = path;
        is_news
    }

    #[cfg(test)]
    pub(super) fn told(&self) -> Option<PathBuf> {
        lock(&self.told_directory).clone()
    }

    /// Output came: the child may be somewhere else.
    pub(super) fn note_output(&self) {
        self.moved.store(true, Ordering::Release);
    }

    /// The best guess at where the child's foreground program is; looked up only if output came since it
    /// was last, because people ask for many terminals at once.
    pub(super) fn directory(&self) -> PathBuf {
        if !self.moved.load(Ordering::Acquire)
            && let Some(seen) = &*lock(&self.seen_directory)
        {
            return seen.clone();
        }
        self.look_at_directory()
    }

    /// The same, looked up now.
    pub(super) fn look_at_directory(&self) -> PathBuf {
        // Output that comes during the look asks for another one.
        self.moved.store(false, Ordering::Release);
        let told = lock(&self.told_directory).clone();
        let looked_up = || {
            let root = self.root.get()?.pid;
            let pty = lock(&self.live).clone()?;
            let foreground = pty.foreground().and_then(process::directory);
            foreground.or_else(|| process::directory(root))
        };
        let found = if process::DIRECTORY_IS_CHEAP { looked_up().or(told) } else { told.or_else(looked_up) };
        let found = found.unwrap_or_else(|| self.started_in.clone());
        *lock(&self.seen_directory) = Some(found.clone());
        found
    }

    /// Looks at what runs below the child; whether that is not what it was.
    pub(super) fn look_at_processes(&self) -> bool {
        let names = self.root.get().and_then(|root| process::names(root.pid));
        let mut processes = lock(&self.processes);
        let changed = *processes != names;
        *processes = names;
        changed
    }

    /// Whether the last look found nothing but the person's shell.
    pub(super) fn is_alone(&self, program: &Program) -> bool {
        let names = lock(&self.processes);
        self.shell && !program.busy && names.as_ref().is_none_or(|names| names.len() <= 1)
    }

    /// What ran below the child at the last look.
    pub(super) fn processes(&self) -> Option<Arc<[String]>> {
        lock(&self.processes).clone()
    }

    /// The foreground program; `None` without a living child.
    pub(super) fn program(&self) -> Option<Program> {
        let root = self.root.get()?.pid;
        let pty = lock(&self.live).clone()?;
        let is_own = |name: &str| self.shell_name.get().is_none_or(|own| own.as_deref() == Some(name));
        Some(Program::look(&pty, root, self.shell, is_own))
    }
}

/// These locks guard single assignments, which leave nothing half done for a poisoned lock to warn of.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    #[test]
    fn refusals_are_reported_once_a_second_with_their_number() {
        let shared = Shared::new(&super::super::tests::start(&["true"]));
        let now = Instant::now();
        assert_eq!(shared.count_refusal(now), Some(1));
        assert_eq!(shared.count_refusal(now + Duration::from_millis(10)), None);
        assert_eq!(shared.count_refusal(now + Duration::from_millis(999)), None);
        assert_eq!(shared.count_refusal(now + Duration::from_millis(1000)), Some(3));
    }
}
