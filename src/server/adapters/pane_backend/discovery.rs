//! The files that tell where the pane backend listens (`pane-backend.md` 1.2).
//!
//! Invariants: a file that leads to another living program is never overwritten, and only what still
//! leads here is removed.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::time::timeout;

/// The longest content that could be an address.
const ADDRESS_BYTES: u64 = 4_096;
/// How long a program may take to accept a connection before it counts as busy, not as gone.
const ANSWER: Duration = Duration::from_millis(500);

/// The files of one server.
#[derive(Debug)]
pub struct Discovery {
    address: String,
    written: Vec<PathBuf>,
}

impl Discovery {
    /// Writes the session's own file, and the one in `folder` unless somebody else's is there. A file
    /// that cannot be written is logged: programs still find the server by their environment.
    pub async fn announce(address: String, session_dir: &Path, folder: Option<&Path>, session: &str) -> Self {
        let mut discovery = Self { address, written: Vec::new() };
        discovery.write(session_dir.join("pane-backend.pipe"));
        if let Some(folder) = folder {
            let file = folder.join(format!("{session}.pipe"));
            match present(&file) {
                Some(other) if other != discovery.address && answers(&other).await => {
                    tracing::warn!("another program is announced in the home folder and left alone");
                }
                _ => match make_folder(folder) {
                    Ok(()) => discovery.write(file),
                    Err(error) => tracing::warn!(%error, "the pane backend is not announced"),
                },
            }
        }
        discovery
    }

    fn write(&mut self, file: PathBuf) {
        match replace(&file, &self.address) {
            Ok(()) => self.written.push(file),
            Err(error) => tracing::warn!(%error, "the pane backend is not announced in a file"),
        }
    }
}

impl Drop for Discovery {
    fn drop(&mut self) {
        for file in &self.written {
            if present(file).as_ref() == Some(&self.address) {
                let _ = fs::remove_file(file);
            }
        }
    }
}

/// The address in a file.
fn present(file: &Path) -> Option<String> {
    let small = fs::metadata(file).is_ok_and(|found| found.is_file() && found.len() <= ADDRESS_BYTES);
    let text = fs::read_to_string(file).ok().filter(|_| small)?;
    Some(text.trim_end().to_owned())
}

/// Whether something listens there, or may.
#[cfg(unix)]
async fn answers(address: &str) -> bool {
    match timeout(ANSWER, tokio::net::UnixStream::connect(address)).await {
        Ok(connected) => connected.is_ok(),
        Err(_) => true,
    }
}

/// Whether something listens there, or may.
#[cfg(windows)]
async fn answers(address: &str) -> bool {
    use interprocess::local_socket::tokio::{Stream, prelude::*};
    use interprocess::local_socket::{GenericFilePath, ToFsName as _};
    let Ok(name) = Path::new(address).to_fs_name::<GenericFilePath>() else { return false };
    match timeout(ANSWER, Stream::connect(name)).await {
        Ok(connected) => connected.is_ok(),
        Err(_) => true,
    }
}

fn make_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Writes a file of the owner's in one step: who reads it finds the old content or the new.
fn replace(file: &Path, content: &str) -> io::Result<()> {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let fresh = file.with_file_name(format!(".{name}.{}", std::process::id()));
    let _ = fs::remove_file(&fresh);
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let written = options.open(&fresh).and_then(|mut file| file.write_all(content.as_bytes()));
    written.and_then(|()| fs::rename(&fresh, file)).inspect_err(|_| drop(fs::remove_file(&fresh)))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    #[tokio::test]
    async fn a_file_is_written_privately_and_removed_if_it_is_still_ours() {
        let folder = tempfile::tempdir().unwrap();
        let (own, home) = (folder.path().join("own"), folder.path().join("home"));
        fs::create_dir(&own).unwrap();
        let announce = |address: &str| {
            let (address, own, home) = (address.to_owned(), own.clone(), home.clone());
            async move { Discovery::announce(address, &own, Some(&home), "default").await }
        };
        let file = home.join("default.pipe");
        let first = announce("/nowhere/a.sock").await;
        assert_eq!(fs::read(&file).unwrap(), b"/nowhere/a.sock");
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        let second = announce("/nowhere/b.sock").await;
        assert_eq!(fs::read(&file).unwrap(), b"/nowhere/b.sock", "nobody answers at the old address");
        drop(first);
        assert_eq!(fs::read(&file).unwrap(), b"/nowhere/b.sock", "it is not the first one's any more");
        drop(second);
        assert!(!file.exists() && !own.join("pane-backend.pipe").exists());
    }

    #[tokio::test]
    async fn a_living_program_keeps_its_file() {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("other.sock");
        let _other = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        let file = folder.path().join("default.pipe");
        fs::write(&file, socket.to_str().unwrap()).unwrap();
        let announced =
            Discovery::announce("/nowhere/a.sock".into(), folder.path(), Some(folder.path()), "default")
                .await;
        assert_eq!(fs::read_to_string(&file).unwrap(), socket.to_str().unwrap());
        drop(announced);
        assert!(file.exists());
    }
}
