//! Children outside any terminal: argv without a shell, both streams read to the end, a deadline, and
//! a tree that never outlives whoever wanted it.
//!
//! Invariants: who drops the future of a [`Job`] has its whole tree ended; output is kept up to a
//! bound and the rest is read and dropped, so that no child hangs on a full pipe; the callers' task
//! never starts or waits for a process itself.

mod children;
mod output;
mod program;
mod run;

pub use children::{Children, Ended};
pub use output::Output;
pub(in crate::server) use program::find as find_program;

use std::convert::Infallible;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::sync::{Semaphore, oneshot};
use tokio::time::timeout;

/// How many children run at a time: each holds three descriptors.
pub const JOBS: usize = 128;
/// How long the end of the server waits for trees that are being ended.
const LAST_WORDS: Duration = Duration::from_millis(1_000);

/// What to run.
#[derive(Debug, Clone, Default)]
pub struct Job {
    /// Program and arguments, as they are. The program is looked up in the `PATH` of `env`.
    pub argv: Vec<String>,
    /// Where it runs.
    pub cwd: PathBuf,
    /// Its whole environment.
    pub env: Vec<(String, String)>,
    /// What it reads; an empty input without.
    pub stdin: Option<Vec<u8>>,
    /// How much is kept of each stream.
    pub output_bytes: usize,
    /// When its tree is ended; zero looks once.
    pub deadline: Option<Duration>,
}

/// How a child came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// By itself, with this status.
    Exited(i32),
    /// By a signal.
    Signalled(i32),
    /// At its deadline.
    TimedOut,
}

#[cfg(unix)]
pub use crate::server::terminal::reaper::{signal_name, signal_number};

/// What came of a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Done {
    /// How it ended.
    pub end: End,
    /// What it wrote.
    pub stdout: Output,
    /// What it complained of.
    pub stderr: Output,
    /// How long it took, from the request on.
    pub elapsed: Duration,
}

/// Why nothing came of a job.
#[derive(Debug, thiserror::Error)]
pub enum ExecError {
    /// It could not be started.
    #[error("cannot start the program: {0}")]
    Start(io::Error),
    /// The system would not say how it ended.
    #[error("the program broke off: {0}")]
    Broken(io::Error),
    /// Too many run already.
    #[error("{JOBS} programs run already")]
    Busy,
    /// The server is stopping.
    #[error("the server is stopping")]
    Stopping,
}

impl ExecError {
    /// The system's number of what went wrong.
    #[must_use]
    pub fn os_error(&self) -> Option<i32> {
        match self {
            Self::Start(error) | Self::Broken(error) => error.raw_os_error(),
            Self::Busy | Self::Stopping => None,
        }
    }
}

/// Runs jobs; cheap to clone.
#[derive(Clone)]
pub struct Executor {
    runtime: Handle,
    places: Arc<Semaphore>,
    children: Children,
}

impl Executor {
    /// Children are started and read on `runtime`.
    #[must_use]
    pub fn new(runtime: Handle) -> Self {
        Self { runtime, places: Arc::new(Semaphore::new(JOBS)), children: Children::default() }
    }

    /// The children, for those who wait for one by its number.
    #[must_use]
    pub fn children(&self) -> &Children {
        &self.children
    }

    /// Runs a job to its end. Dropping the future ends the whole tree.
    ///
    /// # Errors
    /// [`ExecError`]; then nothing runs.
    pub async fn run(&self, job: Job) -> Result<Done, ExecError> {
        let place = Arc::clone(&self.places).try_acquire_owned().map_err(|_| ExecError::Busy)?;
        let (_wanted, given_up) = oneshot::channel::<Infallible>();
        let (reply, answer) = oneshot::channel();
        let children = self.children.clone();
        self.runtime.spawn(async move {
            let done = run::run(job, &children, given_up).await;
            // Before the answer: who has it may run the next one.
            drop(place);
            let _ = reply.send(done);
        });
        answer.await.unwrap_or(Err(ExecError::Stopping))
    }

    /// Starts no more jobs, and waits until the trees of those that nobody wants any more are gone,
    /// within a bound.
    pub async fn finish(&self) {
        let all = u32::try_from(JOBS).unwrap_or(u32::MAX);
        let _ = timeout(LAST_WORDS, self.places.acquire_many(all)).await;
        self.places.close();
    }
}

#[cfg(all(test, unix))]
mod tests;
