//! The task that writes: soon after a change, never twice for one change, and once more at the end.
//!
//! Invariant: a timer exists only while something is not written yet. What cannot be written is told
//! once, and tried again until it can.

use super::screens::{Activity, Screens, Taken};
use super::session::Session;
use super::store::Store;
use crate::server::configuration::disk_remedy;
use crate::server::terminal::handle::PaneHandle;
use std::future::pending;
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{oneshot, watch};
use tokio::task::{JoinHandle, spawn_blocking};
use tokio::time::{Instant, sleep_until, timeout};

/// From the first change to its write: shorter than the second that `spec/README.md` point 33 allows.
const DEBOUNCE: Duration = Duration::from_millis(300);
/// The first and the longest pause before another try.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(60);
/// From the first change of a screen to its write, and from one write to the next.
const FIRST_SCREENS: Duration = Duration::from_secs(1);
const SCREENS_APART: Duration = Duration::from_secs(30);
/// How long the end of a server waits for the disk.
const LAST_WRITE: Duration = Duration::from_millis(700);

/// What is to be kept.
#[derive(Debug, Clone, Default)]
pub struct Handed {
    /// The session.
    pub session: Arc<Session>,
    /// Whether the last screens are kept too.
    pub screens: bool,
    /// Rises when the snapshot on disk holds more than what follows, so that a copy of it is kept.
    pub copies: u32,
}

/// Told when the session cannot be kept, and when it can again.
pub type Tell = Box<dyn Fn(Option<String>) + Send + Sync>;

/// Where the session is handed over.
pub struct Outlet {
    /// Told of output.
    pub activity: Arc<Activity>,
    /// The newest one counts.
    pub handed: watch::Sender<Handed>,
    /// Says that nothing follows; the answer comes when everything is read from terminals.
    pub freeze: Option<oneshot::Sender<oneshot::Sender<()>>>,
}

/// Where it arrives.
pub struct Inlet {
    activity: Arc<Activity>,
    handed: watch::Receiver<Handed>,
    freeze: oneshot::Receiver<oneshot::Sender<()>>,
}

/// A way from the hub to a [`Saver`].
#[must_use]
pub fn wire() -> (Outlet, Inlet) {
    let (sender, handed) = watch::channel(Handed::default());
    let (freeze, frozen) = oneshot::channel();
    let activity = Arc::<Activity>::default();
    let outlet = Outlet { activity: Arc::clone(&activity), handed: sender, freeze: Some(freeze) };
    (outlet, Inlet { activity, handed, freeze: frozen })
}

/// What is asked of others.
pub struct Sources {
    /// The terminals whose screens are kept.
    pub terminals: Box<dyn Fn() -> Vec<PaneHandle> + Send + Sync>,
    /// Told when the session cannot be kept, and when it can again.
    pub tell: Tell,
}

/// Writes what is handed over.
pub struct Saver {
    task: JoinHandle<()>,
}

impl Saver {
    /// Starts to write; called inside the control runtime.
    #[must_use]
    pub fn start(store: Store, screens: Screens, inlet: Inlet, sources: Sources) -> Self {
        let Inlet { activity, handed, freeze } = inlet;
        let keeper = Keeper {
            store: Some(store),
            screens: Some(screens),
            activity,
            handed,
            sources,
            written: None,
            copies: 0,
            due: None,
            screens_due: None,
            screens_read: None,
            pause: FIRST_PAUSE,
            failing: false,
        };
        Self { task: tokio::spawn(keeper.run(freeze)) }
    }

    /// Waits for the last write, within a bound. Nothing may be handed over any more.
    pub async fn finish(self) {
        if timeout(LAST_WRITE, self.task).await.is_err() {
            tracing::warn!("the session could not be written before the end");
        }
    }
}

struct Keeper {
    /// At work in another thread while it is not here.
    store: Option<Store>,
    screens: Option<Screens>,
    activity: Arc<Activity>,
    handed: watch::Receiver<Handed>,
    sources: Sources,
    /// What is on disk.
    written: Option<Arc<Session>>,
    copies: u32,
    due: Option<Instant>,
    screens_due: Option<Instant>,
    screens_read: Option<Instant>,
    pause: Duration,
    failing: bool,
}

impl Keeper {
    async fn run(mut self, mut freeze: oneshot::Receiver<oneshot::Sender<()>>) {
        loop {
            tokio::select! {
                biased;
                frozen = &mut freeze => {
                    let taken = self.take_screens().await;
                    // Nobody waits if the hub is gone.
                    let _ = frozen.map(|frozen| frozen.send(()));
                    self.save().await;
                    self.write_screens(taken).await;
                    return;
                }
                Ok(()) = self.handed.changed() => {
                    self.due = Some(after_change(self.due, Instant::now()));
                }
                () = until(self.due) => self.save().await,
                () = until(self.screens_due) => {
                    let taken = self.take_screens().await;
                    self.write_screens(taken).await;
                }
                urgent = self.activity.wait() => self.plan_screens(urgent),
            }
        }
    }

    fn plan_screens(&mut self, urgent: bool) {
        let now = Instant::now();
        let next = self.screens_read.map_or(now, |read| read + SCREENS_APART).max(now + FIRST_SCREENS);
        self.screens_due = Some(if urgent { now } else { self.screens_due.unwrap_or(next) });
    }

    async fn take_screens(&mut self) -> Vec<Taken> {
        self.screens_due = None;
        self.screens_read = Some(Instant::now());
        self.activity.seen();
        let wanted = self.handed.borrow().screens;
        match &self.screens {
            Some(screens) if wanted => screens.take((self.sources.terminals)()).await,
            _ => Vec::new(),
        }
    }

    /// Screens that cannot be written are taken again after the next output.
    async fn write_screens(&mut self, taken: Vec<Taken>) {
        let Some(mut screens) = self.screens.take() else { return };
        let Handed { session, screens: wanted, .. } = self.handed.borrow().clone();
        let work = spawn_blocking(move || {
            let result = if wanted {
                screens.write(taken, &session)
            } else {
                screens.clear();
                Ok(())
            };
            (screens, result)
        });
        match work.await {
            Ok((screens, result)) => {
                self.screens = Some(screens);
                if let Err(error) = result {
                    tracing::warn!(%error, "the last screens cannot be written");
                }
            }
            Err(error) => tracing::error!(%error, "writing the last screens failed"),
        }
    }

    async fn save(&mut self) {
        self.due = None;
        let Handed { session, copies, .. } = self.handed.borrow_and_update().clone();
        if self.written.as_ref().is_some_and(|written| *written == session) {
            return;
        }
        let Some(store) = self.store.take() else { return };
        let copy = std::mem::replace(&mut self.copies, copies) != copies;
        let wanted = Arc::clone(&session);
        let worked = spawn_blocking(move || write(store, &wanted, copy)).await;
        let result = match worked {
            Ok((store, result)) => {
                self.store = Some(store);
                result
            }
            Err(error) => Err(io::Error::other(error)),
        };
        self.settle(session, result);
    }

    fn settle(&mut self, session: Arc<Session>, result: io::Result<()>) {
        match result {
            Ok(()) => {
                self.written = Some(session);
                self.pause = FIRST_PAUSE;
                if std::mem::take(&mut self.failing) {
                    (self.sources.tell)(None);
                }
            }
            Err(error) => {
                tracing::warn!(%error, "the session cannot be written; it is tried again");
                if !std::mem::replace(&mut self.failing, true) {
                    let text = format!("the session cannot be saved ({error}); {}", disk_remedy(&error));
                    (self.sources.tell)(Some(text));
                }
                self.due = Some(Instant::now() + self.pause);
                self.pause = (self.pause * 2).min(LONGEST_PAUSE);
            }
        }
    }
}

/// When a change is written: with what waits already, but not after the pause that follows a failure.
fn after_change(due: Option<Instant>, now: Instant) -> Instant {
    let soon = now + DEBOUNCE;
    due.map_or(soon, |due| due.min(soon))
}

fn write(mut store: Store, session: &Session, copy: bool) -> (Store, io::Result<()>) {
    if copy && let Err(error) = store.set_copy_aside() {
        return (store, Err(error));
    }
    let result = store.save(session);
    (store, result)
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
    use crate::server::persist::session::Last;
    use std::fs;
    use std::path::Path;
    use std::sync::Mutex;

    fn session(pane: u32) -> Arc<Session> {
        Arc::new(Session { last: Last { pane, ..Last::default() }, ..Session::default() })
    }

    fn on_disk(folder: &Path) -> Option<u32> {
        let loaded = Store::new(folder).load().expect("not refused").0?;
        Some(loaded.session.last.pane)
    }

    fn started(folder: &Path) -> (Outlet, Saver, Arc<Mutex<Vec<bool>>>) {
        let (outlet, inlet) = wire();
        let told = Arc::new(Mutex::new(Vec::new()));
        let telling = Arc::clone(&told);
        let tell: Tell = Box::new(move |error| telling.lock().unwrap().push(error.is_some()));
        let sources = Sources { terminals: Box::new(Vec::new), tell };
        (outlet, Saver::start(Store::new(folder), Screens::new(folder), inlet, sources), told)
    }

    /// Waits for what a file says.
    async fn wait_for(folder: &Path, pane: u32) {
        for _ in 0..10_000 {
            if on_disk(folder) == Some(pane) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        panic!("pane {pane} is not on disk: {:?}", on_disk(folder));
    }

    #[test]
    fn a_change_waits_neither_for_others_nor_for_the_pause_after_a_failure() {
        let now = Instant::now();
        assert_eq!(after_change(None, now), now + DEBOUNCE);
        assert_eq!(after_change(Some(now), now), now);
        assert_eq!(after_change(Some(now + LONGEST_PAUSE), now), now + DEBOUNCE);
    }

    #[tokio::test]
    async fn a_change_is_written_within_a_second_and_the_last_one_at_the_end() {
        let folder = tempfile::tempdir().expect("a folder");
        let (mut outlet, saver, told) = started(folder.path());
        let began = Instant::now();
        outlet.handed.send_replace(Handed { session: session(1), ..Handed::default() });
        wait_for(folder.path(), 1).await;
        assert!(began.elapsed() < Duration::from_secs(1));
        outlet.handed.send_replace(Handed { session: session(2), copies: 1, screens: true });
        let (frozen, done) = oneshot::channel();
        outlet.freeze.take().expect("once").send(frozen).expect("it listens");
        done.await.expect("an answer");
        saver.finish().await;
        assert_eq!(on_disk(folder.path()), Some(2));
        let kept = fs::read_dir(folder.path()).expect("a folder").flatten();
        assert_eq!(kept.filter(|e| e.file_name().to_string_lossy().contains(".kept-")).count(), 1);
        assert!(told.lock().unwrap().is_empty());
    }

    #[tokio::test]
    async fn a_disk_that_cannot_be_written_is_told_once_and_tried_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let home = folder.path().join("home");
        let (outlet, _saver, told) = started(&home);
        outlet.handed.send_replace(Handed { session: session(1), ..Handed::default() });
        while told.lock().unwrap().is_empty() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        fs::create_dir(&home).expect("made");
        wait_for(&home, 1).await;
        while told.lock().unwrap().len() < 2 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        assert_eq!(*told.lock().unwrap(), [true, false]);
    }
}
