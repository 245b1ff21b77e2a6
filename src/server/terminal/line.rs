//! [`Line`]: the child and the way to it, until its end is settled.
//!
//! Invariant: the end of the output and the status of the child wait for each other, but not longer
//! than a bound: a grandchild may keep the PTY open, and a child may let go of it.

use super::ending::{Order, end_tree};
use super::pty::Pty;
use super::reaper::Status;
use super::shared::Shared;
use super::writer;
use crate::protocol::ids::TerminalId;
use crate::protocol::scene::ExitStatus;
use std::future::pending;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::watch;
use tokio::task::{AbortHandle, JoinHandle};

/// How long the end of the output and the status wait for each other.
const EXIT_BOUND: Duration = Duration::from_millis(250);

/// What became of the child.
pub(super) enum Change {
    /// It ended like this.
    Exited(ExitStatus),
    /// Its tree was ended, as far as it could be.
    TreeEnded,
}

/// A child that runs, or whose end is being settled.
pub(super) struct Line {
    pub(super) pty: Arc<Pty>,
    pid: u32,
    terminal: TerminalId,
    status: Status,
    writer: AbortHandle,
    /// Whether the last output has been read.
    drained: bool,
    /// How the child ended, once known.
    exit: Option<ExitStatus>,
    /// When to wait no longer for the one or the other.
    exit_due: Option<Instant>,
    /// The task that ends the tree, while it runs.
    ending: Option<JoinHandle<()>>,
}

impl Line {
    /// Opens the way to a child that was started, for input too.
    pub(super) fn open(shared: &Arc<Shared>, pty: Pty, pid: u32, status: Status) -> Self {
        let pty = Arc::new(pty);
        shared.open(&pty);
        let writer = tokio::spawn(writer::run(Arc::clone(shared), Arc::clone(&pty))).abort_handle();
        let terminal = shared.terminal;
        Self { pty, pid, terminal, status, writer, drained: false, exit: None, exit_due: None, ending: None }
    }

    /// The PTY while there may be output.
    pub(super) fn output(&self) -> Option<Arc<Pty>> {
        (!self.drained).then(|| Arc::clone(&self.pty))
    }

    /// The last output has been read.
    pub(super) fn drained(&mut self, now: Instant) {
        self.drained = true;
        self.exit_due.get_or_insert(now + EXIT_BOUND);
    }

    /// Begins to end the child's tree, unless that is under way or the child has ended by itself.
    pub(super) fn end(&mut self, order: watch::Receiver<Option<Order>>) {
        if self.ending.is_none() && self.exit.is_none() {
            let ending = end_tree(self.pid, self.terminal, self.pty.foreground(), self.status.clone(), order);
            self.ending = Some(tokio::spawn(ending));
        }
    }

    /// Waits for news of the child. Cancel-safe.
    pub(super) async fn change(&mut self) -> Change {
        let Self { status, exit, ending, .. } = self;
        tokio::select! {
            biased;
            status = exited(status), if exit.is_none() => Change::Exited(status),
            () = over(ending) => Change::TreeEnded,
        }
    }

    /// Takes note of news.
    pub(super) fn note(&mut self, change: Change, now: Instant) {
        match change {
            Change::Exited(status) => {
                self.exit = Some(status);
                self.exit_due.get_or_insert(now + EXIT_BOUND);
            }
            Change::TreeEnded => {
                self.ending = None;
                // A status that has not come by now will not come.
                self.exit_due.get_or_insert(now);
            }
        }
    }

    /// When [`settled`](Self::settled) is to be asked at the latest.
    pub(super) fn due(&self) -> Option<Instant> {
        self.exit_due.filter(|_| self.ending.is_none())
    }

    /// How the child ended, once that is known as well as it will be.
    pub(super) fn settled(&self, now: Instant) -> Option<ExitStatus> {
        let complete = self.drained && self.exit.is_some();
        let given_up = self.exit_due.is_some_and(|due| due <= now);
        (self.ending.is_none() && (complete || given_up))
            .then(|| self.exit.clone().unwrap_or(ExitStatus { code: None, signal: None }))
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        self.writer.abort();
    }
}

async fn exited(status: &mut watch::Receiver<Option<ExitStatus>>) -> ExitStatus {
    let known = status.wait_for(Option::is_some).await.ok().and_then(|status| status.clone());
    match known {
        Some(status) => status,
        // Nobody is left to tell.
        None => pending().await,
    }
}

async fn over(ending: &mut Option<JoinHandle<()>>) {
    match ending {
        // A failure is a panic in that task; then there is nothing to wait for either.
        Some(ending) => drop(ending.await),
        None => pending().await,
    }
}
