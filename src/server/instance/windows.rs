//! Folders, locks and the named pipe on Windows. The user's profile keeps the folders private; the
//! pipe says so itself.

use super::{InstanceError, Kind, Listener};
use interprocess::local_socket::{GenericFilePath, ListenerOptions, Stream, prelude::*};
use interprocess::os::windows::local_socket::ListenerOptionsExt as _;
use interprocess::os::windows::security_descriptor::SecurityDescriptor;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use widestring::u16cstr;

/// Refuses `path` if its last component is a link.
pub fn refuse_link(path: &Path) -> Result<(), InstanceError> {
    if path.is_symlink() { Err(InstanceError::Symlink(path.to_owned())) } else { Ok(()) }
}

/// Refuses what is there and is a link or something else. Pipes are no files.
pub fn refuse_other(path: &Path, kind: Kind) -> Result<(), InstanceError> {
    if kind == Kind::Socket {
        return Ok(());
    }
    refuse_link(path)?;
    match fs::metadata(path) {
        Ok(found) if kind == Kind::Folder && !found.is_dir() => {
            Err(InstanceError::NotAFolder(path.to_owned()))
        }
        Ok(found) if kind == Kind::File && !found.is_file() => Err(InstanceError::InTheWay(path.to_owned())),
        _ => Ok(()),
    }
}

/// Makes `path` a folder.
pub fn prepare_folder(path: &Path) -> Result<(), InstanceError> {
    refuse_link(path)?;
    match fs::create_dir_all(path) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            Err(InstanceError::NotAFolder(path.to_owned()))
        }
        Err(source) => Err(InstanceError::NotWritable { path: path.to_owned(), source }),
    }
}

/// Opens a lock file, made if it is missing.
pub fn open_lock(path: &Path) -> Result<File, InstanceError> {
    refuse_link(path)?;
    OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(path)
        .map_err(|source| InstanceError::NotWritable { path: path.to_owned(), source })
}

/// Whether something accepts connections at `address`.
pub fn reachable(address: &Path) -> bool {
    address.to_fs_name::<GenericFilePath>().and_then(Stream::connect).is_ok()
}

/// Makes `folder/name.exe` a second name of `executable`, or a copy where that cannot be.
pub fn link_program(folder: &Path, name: &str, executable: &Path) -> io::Result<()> {
    let link = folder.join(format!("{name}.exe"));
    match fs::remove_file(&link) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    fs::hard_link(executable, &link).or_else(|_| fs::copy(executable, &link).map(drop))
}

/// The pipe's name, made when a runtime is there to listen on it. Until then it keeps the start lock.
#[derive(Debug)]
pub struct BoundSocket {
    path: PathBuf,
    starting: Option<File>,
    taken: bool,
}

impl BoundSocket {
    pub fn bind(path: &Path, _alias_dir: Option<&Path>, starting: File) -> Result<Self, InstanceError> {
        Ok(Self { path: path.to_owned(), starting: Some(starting), taken: false })
    }

    /// The same for a pipe that no starter waits for.
    pub fn bind_beside(path: &Path, _alias_dir: Option<&Path>) -> Result<Self, InstanceError> {
        Ok(Self { path: path.to_owned(), starting: None, taken: false })
    }

    pub fn take_listener(&mut self) -> io::Result<Listener> {
        if std::mem::replace(&mut self.taken, true) {
            return Err(io::Error::other("the listener is in use"));
        }
        let _starting = self.starting.take();
        // Protected: the owner and LocalSystem, nobody else. Remote clients are refused by default.
        let access = SecurityDescriptor::deserialize(u16cstr!("D:P(A;;FA;;;OW)(A;;FA;;;SY)"))?;
        ListenerOptions::new()
            .name(self.path.as_path().to_fs_name::<GenericFilePath>()?)
            .security_descriptor(access)
            .create_tokio()
    }
}
