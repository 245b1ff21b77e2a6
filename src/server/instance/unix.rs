//! Folders, locks and sockets on Linux and macOS.

use super::{InstanceError, Kind, Listener, not_writable};
use interprocess::os::unix::uds_local_socket::tokio::Listener as SocketListener;
use std::fs::{self, DirBuilder, File, Metadata, OpenOptions, Permissions};
use std::io::{self, ErrorKind};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{
    DirBuilderExt as _, FileTypeExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _,
};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};

const FOLDER_MODE: u32 = 0o700;
const FILE_MODE: u32 = 0o600;

/// What stands at `path` itself, links not followed.
fn look(path: &Path) -> Result<Option<Metadata>, InstanceError> {
    match fs::symlink_metadata(path) {
        Ok(metadata) => Ok(Some(metadata)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(source) => Err(not_writable(path, source)),
    }
}

/// Refuses `path` if its last component is a link.
pub fn refuse_link(path: &Path) -> Result<(), InstanceError> {
    match look(path)? {
        Some(metadata) if metadata.is_symlink() => Err(InstanceError::Symlink(path.to_owned())),
        _ => Ok(()),
    }
}

/// Refuses what is there and is a link, something else or somebody else's. Nothing at all is fine.
pub fn refuse_other(path: &Path, kind: Kind) -> Result<Option<Metadata>, InstanceError> {
    let Some(metadata) = look(path)? else { return Ok(None) };
    if metadata.is_symlink() {
        return Err(InstanceError::Symlink(path.to_owned()));
    }
    let fits = match kind {
        Kind::Folder => metadata.is_dir(),
        Kind::File => metadata.is_file(),
        Kind::Socket => metadata.file_type().is_socket(),
    };
    match kind {
        _ if fits => refuse_foreign(path, &metadata).map(|()| Some(metadata)),
        Kind::Folder => Err(InstanceError::NotAFolder(path.to_owned())),
        Kind::File | Kind::Socket => Err(InstanceError::InTheWay(path.to_owned())),
    }
}

/// Makes `path` a folder of ours with mode 0700, whatever the umask.
pub fn prepare_folder(path: &Path) -> Result<(), InstanceError> {
    if look(path)?.is_none() {
        DirBuilder::new()
            .recursive(true)
            .mode(FOLDER_MODE)
            .create(path)
            .map_err(|source| not_writable(path, source))?;
    }
    let metadata = refuse_other(path, Kind::Folder)?;
    let Some(metadata) = metadata else { return Err(InstanceError::Moved(path.to_owned())) };
    set_mode(path, &metadata, FOLDER_MODE)
}

fn refuse_foreign(path: &Path, metadata: &Metadata) -> Result<(), InstanceError> {
    let owner = metadata.uid();
    if owner == rustix::process::geteuid().as_raw() {
        return Ok(());
    }
    Err(InstanceError::ForeignOwner { path: path.to_owned(), owner })
}

fn set_mode(path: &Path, metadata: &Metadata, mode: u32) -> Result<(), InstanceError> {
    if metadata.mode() & 0o7777 == mode {
        return Ok(());
    }
    fs::set_permissions(path, Permissions::from_mode(mode))
        .map_err(|source| InstanceError::Mode { path: path.to_owned(), source })
}

/// Opens a lock file of ours, made if it is missing. The descriptor is not inherited by children.
pub fn open_lock(path: &Path) -> Result<File, InstanceError> {
    if let Some(metadata) = refuse_other(path, Kind::File)? {
        set_mode(path, &metadata, FILE_MODE)?;
    }
    OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .mode(FILE_MODE)
        .open(path)
        .map_err(|source| not_writable(path, source))
}

/// Whether something accepts connections at `address`.
pub fn reachable(address: &Path) -> bool {
    UnixStream::connect(address).is_ok()
}

/// Makes `folder/name` a link to `executable`.
pub fn link_program(folder: &Path, name: &str, executable: &Path) -> io::Result<()> {
    crate::server::links::point(&folder.join(name), executable)
}

/// A socket file that this process made, with its listener until somebody takes it.
#[derive(Debug)]
pub struct BoundSocket {
    path: PathBuf,
    device: u64,
    inode: u64,
    listener: Option<UnixListener>,
}

impl BoundSocket {
    /// Binds a new socket file with mode 0600 at `path`. The caller holds the session's lock, so a
    /// socket that is there already and does not answer was left by a killed server.
    pub fn bind(path: &Path, alias_dir: Option<&Path>, _starting: File) -> Result<Self, InstanceError> {
        Self::bind_beside(path, alias_dir)
    }

    /// The same for a socket that no starter waits for.
    pub fn bind_beside(path: &Path, alias_dir: Option<&Path>) -> Result<Self, InstanceError> {
        if let Some(folder) = alias_dir {
            prepare_folder(folder)?;
        }
        clear_stale(path)?;
        let failed = |source| InstanceError::Bind { path: path.to_owned(), source };
        let listener = UnixListener::bind(path).map_err(failed)?;
        // Until the mode is set the folder's mode keeps others out.
        let metadata = fs::symlink_metadata(path).map_err(failed)?;
        set_mode(path, &metadata, FILE_MODE)?;
        listener.set_nonblocking(true).map_err(failed)?;
        Ok(Self {
            path: path.to_owned(),
            device: metadata.dev(),
            inode: metadata.ino(),
            listener: Some(listener),
        })
    }

    pub fn take_listener(&mut self) -> io::Result<Listener> {
        let listener = self.listener.take().ok_or_else(|| io::Error::other("the listener is in use"))?;
        SocketListener::try_from(OwnedFd::from(listener)).map(Listener::from)
    }
}

impl Drop for BoundSocket {
    fn drop(&mut self) {
        let own = fs::symlink_metadata(&self.path)
            .is_ok_and(|found| found.dev() == self.device && found.ino() == self.inode);
        if own {
            let _ = fs::remove_file(&self.path);
        }
    }
}

fn clear_stale(path: &Path) -> Result<(), InstanceError> {
    if refuse_other(path, Kind::Socket)?.is_none() {
        return Ok(());
    }
    // Somebody removed the lock file under a running server: its socket is not stale.
    if reachable(path) {
        return Err(InstanceError::AlreadyRunning);
    }
    fs::remove_file(path).map_err(|source| not_writable(path, source))
}
