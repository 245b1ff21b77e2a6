//! Reading what a server before this one has kept, and fitting it to the disk as it is now.

use super::report::{Problem, Report};
use super::screens::Screens;
use super::session::Session;
use super::store::{LoadError, Store};
use crate::protocol::ids::PaneId;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What there is to begin with.
#[derive(Debug, Default)]
pub struct Restored {
    /// The session; empty for a fresh one.
    pub session: Session,
    /// The last screens.
    pub screens: BTreeMap<PaneId, Arc<str>>,
    /// What was wrong.
    pub report: Report,
}

/// Reads the newest good snapshot. A pane whose folder is gone starts in the nearest parent. A snapshot
/// of which something is left out is copied first.
///
/// # Errors
/// [`LoadError`]: the start must be refused.
pub fn restore(store: &mut Store, screens: &Screens) -> Result<Restored, LoadError> {
    let (loaded, told) = store.load()?;
    let mut report = Report::default();
    told.into_iter().for_each(|line| report.tell(line));
    let Some(loaded) = loaded else {
        let session = Session::default();
        return Ok(Restored { screens: screens.read(&session), session, report });
    };
    report.generation = Some(loaded.generation);
    loaded.told.into_iter().for_each(|line| report.tell(line));
    if !loaded.lost.is_empty() {
        if let Err(error) = store.set_copy_aside() {
            tracing::warn!(%error, "a snapshot could not be copied");
        }
        loaded.lost.into_iter().for_each(|line| report.tell(format!("not restored: {line}")));
    }
    let mut session = loaded.session;
    let screens = screens.read(&session);
    for pane in session.panes_mut() {
        let nearest = nearest_folder(Path::new(&pane.cwd));
        if nearest == Path::new(&pane.cwd) {
            continue;
        }
        let names = [Ok(nearest.clone()), std::fs::canonicalize(&nearest)].into_iter().flatten();
        let instead = names.map(|name| name.to_string_lossy().into_owned()).collect();
        let nearest = nearest.to_string_lossy().into_owned();
        let cwd = std::mem::replace(&mut pane.cwd, nearest);
        let text = format!("pane {}: {cwd} is gone; its shell started in {}", pane.pane, pane.cwd);
        report.problems.push(Problem { pane: Some(pane.pane), text, cwd: Some(cwd), instead });
    }
    Ok(Restored { session, screens, report })
}

/// The folder itself, or the nearest one above it that is there.
#[must_use]
pub fn nearest_folder(path: &Path) -> PathBuf {
    path.ancestors().find(|folder| folder.is_dir()).unwrap_or(Path::new("/")).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_is_gone_has_a_parent() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("file"), "").expect("written");
        for gone in ["a/b/c", "file", "file/x"] {
            assert_eq!(nearest_folder(&folder.path().join(gone)), folder.path(), "{gone}");
        }
        assert_eq!(nearest_folder(folder.path()), folder.path());
        assert_eq!(nearest_folder(Path::new("nowhere")), Path::new("/"));
    }
}
