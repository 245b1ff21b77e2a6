//! Notes of worktrees that are being made: a server that is killed meanwhile leaves its note behind,
//! and the next fork takes back by it what was half made.
//!
//! Invariant: a note is there before anything is made and gone when it is whole or taken back.

use super::{Git, Worktree, take_back};
use crate::protocol::ids::ServerGeneration;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Where the notes of a session are.
#[derive(Debug, Clone)]
pub struct Notes {
    folder: PathBuf,
    /// What the names of own notes begin with. No process id: after a reboot another server can have it.
    own: String,
    count: Arc<AtomicU64>,
}

/// One note. It stays when it is dropped without being done.
#[derive(Debug)]
pub struct Note(PathBuf);

impl Notes {
    /// In that folder, which is made when there is something to note.
    #[must_use]
    pub fn new(folder: PathBuf) -> Self {
        let mut life = [0; 16];
        if getrandom::fill(&mut life).is_err() {
            life[..4].copy_from_slice(&std::process::id().to_be_bytes());
        }
        Self { folder, own: format!("{}-", ServerGeneration(life)), count: Arc::default() }
    }

    /// Notes what is about to be made. Without a note it is made all the same: then a person has to
    /// take back what a killed server leaves.
    pub(super) async fn begin(&self, worktree: &Worktree) -> Note {
        let number = self.count.fetch_add(1, Ordering::Relaxed);
        let path = self.folder.join(format!("{}{number}.json", self.own));
        let (folder, file) = (self.folder.clone(), path.clone());
        let text = serde_json::to_vec(worktree).unwrap_or_default();
        let noted = super::blocking(move || fs::create_dir_all(folder).and_then(|()| fs::write(file, text)));
        if let Err(error) = noted.await {
            tracing::warn!(%error, "a worktree is made without a note");
        }
        Note(path)
    }

    /// Takes back what servers that are gone have left half made.
    pub async fn settle(&self, git: &Git) {
        for (path, worktree) in self.left() {
            if let Some(worktree) = worktree
                && !take_back(git, &worktree).await
            {
                tracing::warn!(path = worktree.path, branch = worktree.branch, "a half-made worktree stays");
            }
            let _ = fs::remove_file(path);
        }
    }

    /// The notes of other servers: the session has one at a time, so they are gone.
    fn left(&self) -> Vec<(PathBuf, Option<Worktree>)> {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let foreign = entries.filter(|entry| !entry.file_name().to_string_lossy().starts_with(&self.own));
        let read = |path: PathBuf| {
            let worktree = fs::read(&path).ok().and_then(|text| serde_json::from_slice(&text).ok());
            (path, worktree)
        };
        foreign.map(|entry| read(entry.path())).collect()
    }
}

impl Note {
    /// It is whole, or nothing is left of it.
    pub(super) async fn done(self) {
        let _ = super::blocking(move || fs::remove_file(self.0)).await;
    }
}
