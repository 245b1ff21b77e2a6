//! The last screens: one private file for each pane, written when its text has changed, read once.
//!
//! Invariant: a file that is damaged, or of a pane that the session does not have, is never shown.

use super::file;
use super::session::Session;
use crate::protocol::ids::{PaneId, TerminalId};
use crate::server::terminal::handle::PaneHandle;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::timeout;

/// A longer file is none of ours.
const FILE_BYTES: u64 = 4 * 1_048_576;
/// How long one terminal may take to tell its screen.
const ONE: Duration = Duration::from_millis(200);

/// Says that a screen may have changed; costs one atomic operation, and wakes its reader once.
#[derive(Debug, Default)]
pub struct Activity {
    changed: AtomicBool,
    urgent: AtomicBool,
    notify: Notify,
}

impl Activity {
    /// Some terminal shows something else.
    pub fn touch(&self) {
        if !self.changed.swap(true, Ordering::AcqRel) {
            self.notify.notify_one();
        }
    }

    /// Now is a good time to read the screens.
    pub fn press(&self) {
        self.urgent.store(true, Ordering::Release);
        self.notify.notify_one();
    }

    /// Waits for either; whether it is urgent.
    pub(super) async fn wait(&self) -> bool {
        self.notify.notified().await;
        self.urgent.swap(false, Ordering::AcqRel)
    }

    /// What has changed before is about to be read.
    pub(super) fn seen(&self) {
        self.changed.store(false, Ordering::Release);
    }
}

#[derive(Serialize, Deserialize)]
struct Screen {
    version: u32,
    text: String,
}

/// Where the screens are.
#[derive(Debug)]
pub struct Screens {
    folder: PathBuf,
    /// What the files show: of which terminal, at which revision.
    written: BTreeMap<PaneId, (TerminalId, u64)>,
}

/// A screen to be written.
pub(super) type Taken = (PaneId, TerminalId, u64, String);

impl Screens {
    /// The screens in a session's folder.
    #[must_use]
    pub fn new(session_dir: &Path) -> Self {
        Self { folder: session_dir.join("screens"), written: BTreeMap::new() }
    }

    /// Reads the screens of a session's panes, and removes those of no pane.
    #[must_use]
    pub fn read(&self, session: &Session) -> BTreeMap<PaneId, Arc<str>> {
        let panes: BTreeSet<PaneId> = session.panes().map(|pane| pane.pane).collect();
        self.forget_others(&panes);
        let screen = |pane: PaneId| Some((pane, self.read_one(pane)?));
        panes.into_iter().filter_map(screen).collect()
    }

    fn read_one(&self, pane: PaneId) -> Option<Arc<str>> {
        let text = file::read(&self.path(pane), FILE_BYTES).ok().filter(|text| file::is_whole(text))?;
        let screen: Screen = serde_json::from_str(&text).ok()?;
        (screen.version == 1).then(|| screen.text.into())
    }

    fn path(&self, pane: PaneId) -> PathBuf {
        self.folder.join(format!("{pane}.json"))
    }

    /// Takes the screens that differ from what is written.
    pub(super) async fn take(&self, terminals: Vec<PaneHandle>) -> Vec<Taken> {
        let mut taken = Vec::new();
        for handle in terminals {
            let (pane, terminal) = (handle.pane(), handle.terminal());
            if self.written.get(&pane) == Some(&(terminal, handle.revision())) {
                continue;
            }
            if let Ok(Ok((text, revision))) = timeout(ONE, handle.last_screen()).await {
                taken.push((pane, terminal, revision, text));
            }
        }
        taken
    }

    /// Writes them, and removes those of panes that are not kept any more.
    pub(super) fn write(&mut self, taken: Vec<Taken>, session: &Session) -> io::Result<()> {
        if !taken.is_empty() {
            make_private(&self.folder)?;
        }
        for (pane, terminal, revision, text) in taken {
            let text = serde_json::to_string(&Screen { version: 1, text })?;
            file::write_unsynced(&self.path(pane), &file::sealed(&text))?;
            self.written.insert(pane, (terminal, revision));
        }
        let panes = session.panes().map(|pane| pane.pane).collect();
        self.forget_others(&panes);
        self.written.retain(|pane, _| panes.contains(pane));
        Ok(())
    }

    /// Removes all of them.
    pub(super) fn clear(&mut self) {
        self.written.clear();
        self.forget_others(&BTreeSet::new());
        let _ = fs::remove_dir(&self.folder);
    }

    /// Removes our files of other panes; what else is there, or behind a link, is somebody's.
    fn forget_others(&self, panes: &BTreeSet<PaneId>) {
        if self.folder.is_symlink() {
            return;
        }
        for entry in fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let Some(stem) =
                name.to_str().and_then(|name| name.trim_end_matches(".new").strip_suffix(".json"))
            else {
                continue;
            };
            let half = entry.path().extension().is_some_and(|end| end == "new");
            if stem.parse().is_ok_and(|pane: PaneId| half || !panes.contains(&pane)) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

fn make_private(folder: &Path) -> io::Result<()> {
    if folder.is_symlink() {
        return Err(io::Error::other(format!("{} is a symbolic link", folder.display())));
    }
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_ours_is_ever_removed() {
        let folder = tempfile::tempdir().expect("a folder");
        let screens = Screens::new(folder.path());
        let inside = |name: &str| folder.path().join("screens").join(name);
        fs::create_dir(folder.path().join("screens")).expect("made");
        for name in ["7.json", "7.json.new", "notes.txt", "notes.json"] {
            fs::write(inside(name), "precious").expect("written");
        }
        let _ = screens.read(&Session::default());
        let there = |name: &&&str| inside(name).exists();
        let names = ["7.json", "7.json.new", "notes.txt", "notes.json"];
        assert_eq!(names.iter().filter(there).collect::<Vec<_>>(), [&"notes.txt", &"notes.json"]);
        // Nor anything behind a link.
        fs::rename(folder.path().join("screens"), folder.path().join("elsewhere")).expect("moved");
        fs::write(folder.path().join("elsewhere/7.json"), "precious").expect("written");
        std::os::unix::fs::symlink("elsewhere", folder.path().join("screens")).expect("linked");
        let _ = screens.read(&Session::default());
        assert!(inside("7.json").exists());
        assert!(make_private(&folder.path().join("screens")).is_err());
    }
}
