//! Settings while a server runs: read again, changed, and written back without holding anybody up.
//!
//! Invariant: what was accepted is in force at once; a file that cannot be written is tried again until
//! the server ends, in the order of the changes.

use crate::config::{Config, Patch};
use crate::protocol::attach::message::{Integrate, IntegrationState};
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use tokio::task::{JoinHandle, spawn_blocking};

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
    /// Write a change.
    Write(Patch),
    /// Read all of it, after the changes before.
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
    while let Some(work) = waiting.recv().await {
        match work {
            Work::Write(patch) => write_at_last(&configuration, &patch).await,
            Work::Read(reply) => {
                let configuration = Arc::clone(&configuration);
                let read = spawn_blocking(move || configuration.read()).await;
                // Nobody is left to be told.
                let _ = reply.send(read.unwrap_or_else(|error| Err(error.to_string())));
            }
        }
    }
}

async fn write_at_last(configuration: &Arc<dyn Configuration>, patch: &Patch) {
    let mut pause = FIRST_PAUSE;
    while let Err(error) = write(configuration, patch).await {
        tracing::warn!(%error, "the configuration cannot be written; it is tried again");
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

async fn write(configuration: &Arc<dyn Configuration>, patch: &Patch) -> io::Result<()> {
    let (configuration, patch) = (Arc::clone(configuration), patch.clone());
    spawn_blocking(move || configuration.write(&patch)).await.map_err(io::Error::other)?
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

    #[tokio::test(start_paused = true)]
    async fn changes_are_written_in_order_however_often_it_fails() {
        let file = Arc::new(File { failures: AtomicU32::new(8), ..File::default() });
        let keeper = Keeper::start(Arc::<File>::clone(&file));
        let patches = ["allow_nested = true", "allow_nested = false"].map(|text| Patch::parse(text).unwrap());
        for patch in &patches {
            keeper.work.send(Work::Write(patch.clone())).await.unwrap();
        }
        let (reply, read) = oneshot::channel();
        keeper.work.send(Work::Read(reply)).await.unwrap();
        assert!(read.await.unwrap().is_ok());
        assert_eq!(*file.written.lock().unwrap(), patches);
    }

    #[tokio::test(start_paused = true)]
    async fn a_file_that_stays_locked_does_not_hold_the_end() {
        let file = Arc::new(File { failures: AtomicU32::new(u32::MAX), ..File::default() });
        let keeper = Keeper::start(Arc::<File>::clone(&file));
        keeper.work.send(Work::Write(Patch::parse("allow_nested = true").unwrap())).await.unwrap();
        keeper.finish().await;
        assert!(file.written.lock().unwrap().is_empty());
    }
}
