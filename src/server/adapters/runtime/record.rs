//! `runtime.port` (`runtime.md` section 2.1): where a session's listener is found, for those who may
//! read its owner's files.
//!
//! Invariants: readers find a whole record or none; a record of another server is never removed.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

const NAME: &str = "runtime.port";
const DRAFT: &str = "runtime.port.new";

/// The file of a running server; removed with it.
#[derive(Debug)]
pub struct Record {
    path: PathBuf,
    text: String,
}

impl Record {
    /// Writes the record of a server into its session's folder.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(folder: &Path, endpoint: &str, version: u64) -> io::Result<Self> {
        let record = Self { path: folder.join(NAME), text: format!("{endpoint} {version}\n") };
        let draft = folder.join(DRAFT);
        // Left behind by a server that was killed between the two steps, or put there by somebody.
        remove(&draft)?;
        write_private(&draft, &record.text)?;
        fs::rename(&draft, &record.path)?;
        Ok(record)
    }

    /// Removes what a server that was killed has left: this one does not listen.
    pub fn clear(folder: &Path) {
        let cleared = remove(&folder.join(NAME));
        if let Err(error) = cleared {
            tracing::warn!(%error, "a stale runtime.port stays");
        }
    }
}

impl Drop for Record {
    fn drop(&mut self) {
        if fs::read_to_string(&self.path).is_ok_and(|text| text == self.text) {
            let _ = fs::remove_file(&self.path);
        }
    }
}

fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

fn write_private(path: &Path, text: &str) -> io::Result<()> {
    use std::io::Write as _;
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)?.write_all(text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_private_whole_and_removed_with_its_server_only() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(NAME);
        fs::write(folder.path().join(DRAFT), "half").expect("a draft");
        let record = Record::write(folder.path(), "4000 00ff", 1).expect("written");
        assert_eq!(fs::read_to_string(&path).expect("read"), "4000 00ff 1\n");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            assert_eq!(fs::metadata(&path).expect("metadata").permissions().mode() & 0o777, 0o600);
        }
        drop(record);
        assert!(!path.exists());
        let record = Record::write(folder.path(), "4000 00ff", 1).expect("written");
        fs::write(&path, "4001 ff00 1\n").expect("another server's");
        drop(record);
        assert!(path.exists());
        Record::clear(folder.path());
        assert!(!path.exists());
    }
}
