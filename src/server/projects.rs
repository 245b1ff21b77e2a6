//! Layouts of projects on disk: reading a folder's `.luvus.toml`, and which ones the person has confirmed.
//!
//! Invariant: a folder is confirmed for one content only; what cannot be read counts as not confirmed.

use super::instance::lock_within;
use super::persist::file::{self, ReadError};
use crate::config::project::{BYTES, FILE, Project};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::fs::OpenOptions;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Confirmed folders that are remembered; the oldest ones are asked for again.
const FOLDERS: usize = 1_000;
/// A longer file is none of ours.
const STORE_BYTES: u64 = 4_194_304;
/// Another server writes for less long than this.
const PATIENCE: Duration = Duration::from_secs(2);

/// A layout that a folder has.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// The layout.
    pub project: Project,
    /// Stands for the text: SHA-256 in hexadecimal digits.
    pub digest: String,
    /// Whether the person has confirmed this very text.
    pub confirmed: bool,
    /// Whether they have confirmed another one.
    pub changed: bool,
}

/// The confirmed folders of a home.
#[derive(Debug, Clone)]
pub struct Projects {
    path: PathBuf,
}

#[derive(Serialize, Deserialize, Default)]
struct Store {
    /// The newest last.
    confirmed: Vec<Confirmed>,
}

#[derive(Serialize, Deserialize)]
struct Confirmed {
    folder: String,
    sha256: String,
}

impl Projects {
    /// Those of the state root `home`.
    #[must_use]
    pub fn new(home: &Path) -> Self {
        Self { path: home.join("projects.json") }
    }

    /// What a folder has; nothing without a file. This reads files.
    ///
    /// # Errors
    /// One line for the person.
    pub fn look(&self, folder: &str) -> Result<Option<Found>, String> {
        let text = match file::read(&Path::new(folder).join(FILE), BYTES) {
            Ok(text) => text,
            Err(ReadError::Missing) => return Ok(None),
            Err(error) => return Err(format!("{FILE}: {error}")),
        };
        let project = Project::parse(&text).map_err(|error| error.to_string())?;
        let digest = Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
        let known = self.store().confirmed.into_iter().find(|confirmed| confirmed.folder == folder);
        let confirmed = known.as_ref().is_some_and(|known| known.sha256 == digest);
        Ok(Some(Found { project, digest, confirmed, changed: known.is_some() && !confirmed }))
    }

    /// Remembers that the person has confirmed a folder with this content. This writes a file.
    ///
    /// # Errors
    /// The operating system's; the folder is asked for again then.
    pub fn confirm(&self, folder: &str, digest: &str) -> io::Result<()> {
        let lock = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(file::beside(&self.path, ".lock"))?;
        // A disk without locks, or somebody who holds one for ever: at worst another confirmation is lost.
        let _alone = lock_within(&lock, PATIENCE);
        let mut store = self.store();
        store.confirmed.retain(|confirmed| confirmed.folder != folder);
        store.confirmed.push(Confirmed { folder: folder.to_owned(), sha256: digest.to_owned() });
        let surplus = store.confirmed.len().saturating_sub(FOLDERS);
        store.confirmed.drain(..surplus);
        file::write(&self.path, &(serde_json::to_string_pretty(&store)? + "\n"))
    }

    fn store(&self) -> Store {
        let text = file::read(&self.path, STORE_BYTES).ok();
        text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_confirmation_is_of_one_folder_and_one_content() {
        let home = tempfile::tempdir().expect("a folder");
        let (a, b) = (home.path().join("a"), home.path().join("b"));
        let projects = Projects::new(home.path());
        let look = |folder: &Path| projects.look(&folder.to_string_lossy());
        for folder in [&a, &b] {
            fs::create_dir(folder).expect("a folder");
        }
        assert_eq!(look(&a), Ok(None));
        fs::write(a.join(FILE), "[[tab]]\n").expect("written");
        fs::write(b.join(FILE), "[[tab]]\n").expect("written");
        let found = look(&a).expect("readable").expect("a project");
        assert!(!found.confirmed && !found.changed);
        projects.confirm(&a.to_string_lossy(), &found.digest).expect("written");
        let again = look(&a).expect("readable").expect("a project");
        assert!(again.confirmed && !again.changed);
        assert!(!look(&b).expect("readable").expect("a project").confirmed, "the same text elsewhere");
        fs::write(a.join(FILE), "[[tab]]\nname = \"x\"\n").expect("written");
        let changed = look(&a).expect("readable").expect("a project");
        assert!(!changed.confirmed && changed.changed);
        fs::write(a.join(FILE), "[[tab").expect("written");
        assert!(look(&a).expect_err("no TOML").starts_with(".luvus.toml: line 1: "));
        fs::write(a.join(FILE), vec![b'#'; 70_000]).expect("written");
        assert!(look(&a).expect_err("too long").contains("too long"));
        fs::write(projects.path, "rubbish").expect("written");
        assert!(
            !Projects::new(home.path()).look(&b.to_string_lossy()).expect("readable").expect("one").confirmed
        );
    }
}
