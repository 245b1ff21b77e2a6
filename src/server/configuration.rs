//! Settings while a server runs: read again, changed, and written back without holding anybody up.
//!
//! Invariant: what was accepted is in force at once; a file that cannot be written is tried again until
//! the server ends, in the order of the changes.

use crate::config::{Config, Patch};
use crate::protocol::attach::message::{Integrate, IntegrationState};
use std::collections::VecDeque;
use std::future::pending;
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use tokio::task::{JoinHandle, spawn_blocking};
use tokio::time::{Instant, sleep_until};

/// Work that may wait for the file; more is refused.
const WAITING: usize = 16;
/// The first and the longest pause before another try.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(60);
/// How long the end of a server waits for the file.
const LAST_WRITE: Duration = Duration::from_secs(1);

/// A configuration that was read, and one line for each setting that keeps its default because
/// something is wrong with it.
pub type Read = (Config, Vec<String>);

/// Where settings are kept. These calls read and write files.
pub trait Configuration: Send + Sync {
    /// Reads all settings.
    ///
    /// # Errors
    /// When the file is there and cannot be understood; the text says where.
    fn read(&self) -> Result<Read, String>;

    /// Writes some of them, in one step for whoever reads.
    ///
    /// # Errors
    /// When the file cannot be written, or has become something else than settings.
    fn write(&self, patch: &Patch) -> io::Result<()>;

    /// The person's shell with these settings.
    fn shell(&self, config: &Config) -> String;

    /// The person's own agent manifests, as names and texts of their files; none where none can be read.
    fn manifests(&self) -> Vec<(String, String)> {
        Vec::new()
    }

    /// The agents that can be made to tell which conversation runs in their pane.
    fn integrations(&self) -> Vec<IntegrationState> {
        Vec::new()
    }

    /// Adds our entry to an agent's own settings, or takes it away.
    ///
    /// # Errors
    /// A line for the person; nothing changed then.
    fn integrate(&self, change: &Integrate) -> Result<(), String> {
        Err(format!("`{}` has no integration", change.agent))
    }
}

/// What is to be done with the file.
pub enum Work {
    /// Write a change; told why the first try failed, if it does.
    Write(Patch, oneshot::Sender<String>),
    /// Read all of it, with the changes before.
    Read(oneshot::Sender<Result<Read, String>>),
}

/// Works on the file, one thing after another.
pub struct Keeper {
    work: mpsc::Sender<Work>,
    working: JoinHandle<()>,
}

impl Keeper {
    /// Starts to work; called inside the control runtime.
    #[must_use]
    pub fn start(configuration: Arc<dyn Configuration>) -> Self {
        let (work, waiting) = mpsc::channel(WAITING);
        Self { work, working: tokio::spawn(keep(configuration, waiting)) }
    }

    /// The way for work.
    #[must_use]
    pub fn work(&self) -> mpsc::Sender<Work> {
        self.work.clone()
    }

    /// Writes what still waits, within a bound. All other ways for work must be closed by then.
    pub async fn finish(self) {
        drop(self.work);
        if tokio::time::timeout(LAST_WRITE, self.working).await.is_err() {
            tracing::warn!("the configuration could not be written before the end");
        }
    }
}

async fn keep(configuration: Arc<dyn Configuration>, mut waiting: mpsc::Receiver<Work>) {
    let mut unwritten = Unwritten { configuration, changes: VecDeque::new(), pause: FIRST_PAUSE, due: None };
    let mut open = true;
    while open || !unwritten.changes.is_empty() {
        tokio::select! {
            biased;
            work = waiting.recv(), if open && unwritten.changes.len() < WAITING => match work {
                Some(Work::Write(patch, failed)) => unwritten.add(patch, failed),
                // Nobody is left to be told.
                Some(Work::Read(reply)) => drop(reply.send(unwritten.read().await)),
                None => open = false,
            },
            () = until(unwritten.due) => unwritten.write().await,
        }
    }
}

/// The changes that are in force and not in the file yet.
struct Unwritten {
    configuration: Arc<dyn Configuration>,
    changes: VecDeque<(Patch, Option<oneshot::Sender<String>>)>,
    pause: Duration,
    /// When the first of them is tried (again).
    due: Option<Instant>,
}

impl Unwritten {
    fn add(&mut self, patch: Patch, failed: oneshot::Sender<String>) {
        self.changes.push_back((patch, Some(failed)));
        // One that has failed goes first.
        self.due = self.due.or(Some(Instant::now()));
    }

    /// Tries all of them, in order, until one cannot be written.
    async fn write(&mut self) {
        self.due = None;
        while let Some((patch, failed)) = self.changes.front_mut() {
            if let Err(error) = write(&self.configuration, patch).await {
                tracing::warn!(%error, "the configuration cannot be written; it is tried again");
                // Nobody is left to be told.
                let _ = failed.take().map(|failed| failed.send(told(&error)));
                self.due = Some(Instant::now() + self.pause);
                self.pause = (self.pause * 2).min(LONGEST_PAUSE);
                return;
            }
            self.changes.pop_front();
            self.pause = FIRST_PAUSE;
        }
    }

    /// The file as it is. What cannot be written into it yet stays in force.
    async fn read(&mut self) -> Result<Read, String> {
        self.write().await;
        let configuration = Arc::clone(&self.configuration);
        let read = spawn_blocking(move || configuration.read()).await;
        let (config, warnings) = read.unwrap_or_else(|error| Err(error.to_string()))?;
        let patched = |config: Config, (patch, _): &(Patch, _)| config.patched(patch).unwrap_or(config);
        Ok((self.changes.iter().fold(config, patched), warnings))
    }
}

/// Why a change is not in the file, with what to do about it.
fn told(error: &io::Error) -> String {
    let remedy = match error.kind() {
        io::ErrorKind::InvalidData => "mend that file, `luvus config check` says where",
        _ => disk_remedy(error),
    };
    format!("this change is in force, and config.toml cannot be written ({error}); {remedy}")
}

/// What to do about a file that cannot be written.
#[must_use]
pub fn disk_remedy(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => "free some space on its disk",
        io::ErrorKind::NotADirectory | io::ErrorKind::AlreadyExists | io::ErrorKind::IsADirectory => {
            "move away what is there"
        }
        _ => "make its folder writable",
    }
}

async fn write(configuration: &Arc<dyn Configuration>, patch: &Patch) -> io::Result<()> {
    let (configuration, patch) = (Arc::clone(configuration), patch.clone());
    spawn_blocking(move || configuration.write(&patch)).await.map_err(io::Error::other)?
}

async fn until(due: Option<Instant>) {
    match due {
        Some(due) => sleep_until(due).await,
        None => pending().await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicU32, Ordering};

    /// A file that fails some times before it can be written.
    #[derive(Default)]
    struct File {
        failures: AtomicU32,
        written: Mutex<Vec<Patch>>,
    }

    impl Configuration for File {
        fn read(&self) -> Result<Read, String> {
            Ok((Config::default(), Vec::new()))
        }

        fn write(&self, patch: &Patch) -> io::Result<()> {
            if self
                .failures
                .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1))
                .is_ok()
            {
                return Err(io::ErrorKind::PermissionDenied.into());
            }
            self.written.lock().unwrap().push(patch.clone());
            Ok(())
        }

        fn shell(&self, _: &Config) -> String {
            String::new()
        }
    }

    fn change(text: &str) -> (Work, oneshot::Receiver<String>) {
        let (failed, heard) = oneshot::channel();
        (Work::Write(Patch::parse(text).unwrap(), failed), heard)
    }

    #[tokio::test(start_paused = true)]
    async fn changes_are_written_in_order_however_often_it_fails() {
        let file = Arc::new(File { failures: AtomicU32::new(8), ..File::default() });
        let keeper = Keeper::start(Arc::<File>::clone(&file));
        let texts = ["allow_nested = true", "theme = \"nord\""];
        let mut heard = Vec::new();
        for text in texts {
            let (work, failed) = change(text);
            keeper.work.send(work).await.unwrap();
            heard.push(failed);
        }
        // A reader does not wait for the disk, and what was changed stays in force for it.
        let (reply, read) = oneshot::channel();
        keeper.work.send(Work::Read(reply)).await.unwrap();
        let (config, _) = read.await.unwrap().unwrap();
        assert!(config.allow_nested && config.theme == "nord");
        assert!(file.written.lock().unwrap().is_empty());
        let why = heard.remove(0).await.unwrap();
        assert!(why.contains("cannot be written") && why.ends_with("make its folder writable"), "{why}");
        assert!(heard.remove(0).await.is_err(), "the second is written at once");
        assert_eq!(*file.written.lock().unwrap(), texts.map(|text| Patch::parse(text).unwrap()));
    }

    #[tokio::test(start_paused = true)]
    async fn a_file_that_stays_locked_does_not_hold_the_end() {
        let file = Arc::new(File { failures: AtomicU32::new(u32::MAX), ..File::default() });
        let keeper = Keeper::start(Arc::<File>::clone(&file));
        keeper.work.send(change("allow_nested = true").0).await.unwrap();
        keeper.finish().await;
        assert!(file.written.lock().unwrap().is_empty());
    }
}
