//! One server per session: the folders, the lock and the socket that make it so.
//!
//! Owns the files `server.lock`, `start.lock` and the socket of a running server. Two locks, because
//! a starter has to learn two different things. `start.lock` is held only while a server comes up:
//! whoever gets it next knows that the one before either accepts connections or is gone.
//! `server.lock` is held for life: the kernel releases it however the server ends, so nothing here
//! ever becomes stale.
//!
//! Invariant: nothing that belongs to somebody else, or is not what it should be, is ever removed,
//! followed or changed; such things are refused in one line that says what to do.

#[cfg(unix)]
mod unix;
#[cfg(unix)]
use unix as platform;
#[cfg(windows)]
mod windows;
#[cfg(windows)]
use windows as platform;

#[cfg(all(test, unix))]
mod tests;

use std::fs::{File, TryLockError};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::mpsc::sync_channel;
use std::time::Duration;

pub use interprocess::local_socket::tokio::Listener;

/// How long a start waits for another start or for a server that is ending. Ending takes about two
/// seconds when children ignore the hang-up.
pub const LOCK_DEADLINE: Duration = Duration::from_secs(8);

/// Where a session keeps what makes its server the only one. All paths are absolute and free of
/// links as far as they exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstancePaths {
    /// The state root as the person named it; only its last component is looked at.
    pub given_home: PathBuf,
    /// The state root, canonical.
    pub home: PathBuf,
    /// The session's folder: the root itself or `sessions/<name>` in it.
    pub session_dir: PathBuf,
    /// Where the socket belongs.
    pub socket: PathBuf,
    /// What is bound: the socket, its short alias if the path is too long, or a pipe on Windows.
    pub address: PathBuf,
    /// The pane backend's address.
    pub pane_backend: PathBuf,
    /// `server.lock`
    pub lock: PathBuf,
    /// Folder of the log files.
    pub log_dir: PathBuf,
    /// Folder with the links `luvus` and `nebula` that leads `PATH` in panes.
    pub bin_dir: PathBuf,
}

impl InstancePaths {
    fn start_lock(&self) -> PathBuf {
        self.session_dir.join("start.lock")
    }

    /// The folder of the alias, if the socket path is too long to be bound itself.
    fn alias_dir(&self) -> Option<&Path> {
        if self.address == self.socket { None } else { self.address.parent() }
    }
}

/// Why this process cannot be the session's server. Each message says what to do.
#[derive(Debug, thiserror::Error)]
pub enum InstanceError {
    /// Another process is, and it accepts connections.
    #[error(
        "a server is already running for this session; `luvus` attaches to it, `luvus server stop` ends it"
    )]
    AlreadyRunning,
    /// Another process holds a lock for longer than any start or end takes.
    #[error("{owner} holds {path} but does not answer; end that process and try again")]
    Stuck {
        /// The lock.
        path: PathBuf,
        /// The process as it is called in a text.
        owner: String,
    },
    /// A folder or file of ours is a link.
    #[error("{0} is a symbolic link; remove the link, or set LUVUS_HOME to the folder it leads to")]
    Symlink(PathBuf),
    /// Something else has the name of a folder.
    #[error("{0} is in the way and is not a folder; move it away or set LUVUS_HOME to another folder")]
    NotAFolder(PathBuf),
    /// Something else has the name of the socket or of a lock.
    #[error("{0} is in the way and was not made by luvus; move it away")]
    InTheWay(PathBuf),
    /// It belongs to another user.
    #[error("{path} belongs to user {owner}, not to you; set LUVUS_HOME to a folder of your own")]
    ForeignOwner {
        /// What.
        path: PathBuf,
        /// The numeric id of its owner.
        owner: u32,
    },
    /// It cannot be made private.
    #[error("cannot make {path} private ({source}); set LUVUS_HOME to a folder on a disk with permissions")]
    Mode {
        /// What.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// It cannot be made or written.
    #[error("cannot write {path} ({source}); make its folder writable or set LUVUS_HOME to another folder")]
    NotWritable {
        /// What.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// There is no room for it.
    #[error(
        "cannot write {0}: its disk is full; free some space or set LUVUS_HOME to a folder on another disk"
    )]
    Full(PathBuf),
    /// The state root became another folder while it was looked at.
    #[error("{0} was replaced during the start; try again")]
    Moved(PathBuf),
    /// The socket cannot be bound.
    #[error("cannot listen on {path} ({source}); check the free space and the permissions of its folder")]
    Bind {
        /// The address.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
}

/// What a refused write means.
fn not_writable(path: &Path, source: io::Error) -> InstanceError {
    let path = path.to_owned();
    match source.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => InstanceError::Full(path),
        _ => InstanceError::NotWritable { path, source },
    }
}

/// The right to be the server of a session, with the listener that comes with it once it is bound.
/// Dropping it gives both back: the socket first, if it still is the own one, then the lock.
#[derive(Debug)]
pub struct Instance {
    // Fields drop in this order.
    socket: Option<platform::BoundSocket>,
    /// Held until the next starter would find the socket bound.
    starting: Option<File>,
    _lock: File,
    paths: InstancePaths,
}

impl Instance {
    /// Makes the folders private and takes the lock. Blocks for at most [`LOCK_DEADLINE`] per lock, and
    /// only while another process starts or ends. The next starter waits until [`bind`](Self::bind).
    ///
    /// # Errors
    /// [`InstanceError`]; [`InstanceError::AlreadyRunning`] means that a connection will succeed.
    pub fn reserve(paths: &InstancePaths) -> Result<Self, InstanceError> {
        prepare_folders(paths)?;
        let starting = take_lock(&paths.start_lock())?;
        let lock = match platform::open_lock(&paths.lock)? {
            file if try_lock(&file, &paths.lock)? => file,
            _ if platform::reachable(&paths.address) => return Err(InstanceError::AlreadyRunning),
            // It holds the lock, has finished starting, and does not listen: it is ending.
            file => wait_for_lock(file, &paths.lock)?,
        };
        note_owner(&lock, &paths.lock)?;
        Ok(Self { socket: None, starting: Some(starting), _lock: lock, paths: paths.clone() })
    }

    /// Clears the socket that a killed server left behind and binds a new one, once. Whoever reaches it
    /// finds what was made before.
    ///
    /// # Errors
    /// [`InstanceError`].
    pub fn bind(&mut self) -> Result<(), InstanceError> {
        if let Some(starting) = self.starting.take() {
            let alias = self.paths.alias_dir();
            self.socket = Some(platform::BoundSocket::bind(&self.paths.address, alias, starting)?);
        }
        Ok(())
    }

    /// Both in one.
    #[cfg(test)]
    pub fn acquire(paths: &InstancePaths) -> Result<Self, InstanceError> {
        let mut instance = Self::reserve(paths)?;
        instance.bind()?;
        Ok(instance)
    }

    /// The listener, once, for the runtime that this is called in.
    ///
    /// # Errors
    /// When it is not bound or was taken before, or the runtime cannot register it.
    pub fn take_listener(&mut self) -> io::Result<Listener> {
        let socket = self.socket.as_mut().ok_or_else(|| io::Error::other("the socket is not bound"))?;
        socket.take_listener()
    }

    /// Binds the pane backend's socket. The listener has to be taken inside the runtime.
    ///
    /// # Errors
    /// [`InstanceError`].
    pub fn bind_pane_backend(&self) -> Result<Beside, InstanceError> {
        let address = &self.paths.pane_backend;
        let alias = address.parent().filter(|folder| *folder != self.paths.session_dir);
        platform::BoundSocket::bind_beside(address, alias).map(Beside)
    }

    /// Its paths.
    #[must_use]
    pub fn paths(&self) -> &InstancePaths {
        &self.paths
    }

    /// Points the links `luvus` and `nebula` in the session's `bin` folder to `executable`.
    ///
    /// # Errors
    /// When a link can neither be kept nor made.
    pub fn link_programs(&self, executable: &Path) -> io::Result<()> {
        ["luvus", "nebula"]
            .iter()
            .try_for_each(|name| platform::link_program(&self.paths.bin_dir, name, executable))
    }
}

/// Another socket of the same server, removed on drop if it still is the own one.
#[derive(Debug)]
pub struct Beside(platform::BoundSocket);

impl Beside {
    /// The listener, once, for the runtime that this is called in.
    ///
    /// # Errors
    /// When it was taken before, or the runtime cannot register it.
    pub fn take_listener(&mut self) -> io::Result<Listener> {
        self.0.take_listener()
    }
}

/// What a start would refuse of the files in a session's folder, and of its logs. Changes nothing.
#[must_use]
pub fn obstacles(paths: &InstancePaths) -> Vec<InstanceError> {
    // The default session starts without it, the others do not.
    let sessions = [paths.home.join("sessions")];
    let folders = [paths.log_dir.clone(), paths.bin_dir.clone(), paths.session_dir.join("screens")];
    let files = [paths.lock.clone(), paths.start_lock()];
    let logs = ["server.log", "client.log"].map(|name| paths.log_dir.join(name));
    let sockets = [paths.address.clone(), paths.pane_backend.clone()];
    let of = |kind: Kind| move |path: PathBuf| platform::refuse_other(&path, kind).err();
    let folders = folders.into_iter().chain(sessions).filter_map(of(Kind::Folder));
    let files = files.into_iter().chain(logs).filter_map(of(Kind::File));
    let sockets = sockets.into_iter().filter_map(of(Kind::Socket));
    folders.chain(files).chain(sockets).collect()
}

/// What something of ours should be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Folder,
    File,
    Socket,
}

fn prepare_folders(paths: &InstancePaths) -> Result<(), InstanceError> {
    platform::refuse_link(&paths.given_home)?;
    platform::prepare_folder(&paths.home)?;
    let home = std::fs::canonicalize(&paths.home).map_err(|source| not_writable(&paths.home, source))?;
    if home != paths.home {
        return Err(InstanceError::Moved(paths.home.clone()));
    }
    if let Some(sessions) = paths.session_dir.parent().filter(|parent| parent.starts_with(&home)) {
        if sessions != home {
            platform::prepare_folder(sessions)?;
        }
        platform::prepare_folder(&paths.session_dir)?;
    }
    platform::prepare_folder(&paths.log_dir)?;
    platform::prepare_folder(&paths.bin_dir)
}

fn take_lock(path: &Path) -> Result<File, InstanceError> {
    let file = platform::open_lock(path)?;
    if try_lock(&file, path)? { Ok(file) } else { wait_for_lock(file, path) }
}

fn try_lock(file: &File, path: &Path) -> Result<bool, InstanceError> {
    match file.try_lock() {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(source)) => Err(not_writable(path, source)),
    }
}

fn wait_for_lock(file: File, path: &Path) -> Result<File, InstanceError> {
    match lock_within(&file, LOCK_DEADLINE) {
        Ok(true) => Ok(file),
        Ok(false) => Err(InstanceError::Stuck { path: path.to_owned(), owner: owner(path) }),
        Err(source) => Err(not_writable(path, source)),
    }
}

/// Locks `file`, waiting for at most `deadline`; says whether it did. The wait is the kernel's. When
/// it is given up, a thread stays behind in it: callers are about to end.
///
/// # Errors
/// When the file cannot be locked at all.
pub fn lock_within(file: &File, deadline: Duration) -> io::Result<bool> {
    match file.try_lock() {
        Ok(()) => return Ok(true),
        Err(TryLockError::Error(error)) => return Err(error),
        Err(TryLockError::WouldBlock) => {}
    }
    // A duplicate shares the lock, so that the thread takes it for us.
    let duplicate = file.try_clone()?;
    let (tx, rx) = sync_channel(1);
    std::thread::Builder::new().name("lock".into()).spawn(move || {
        let _ = tx.send(duplicate.lock());
    })?;
    match rx.recv_timeout(deadline) {
        Ok(result) => result.map(|()| true),
        Err(_) => Ok(false),
    }
}

/// Who holds a lock, as a text says it.
#[must_use]
pub fn owner(lock: &Path) -> String {
    /// More than any number has.
    const DIGITS: u64 = 20;
    let mut text = String::new();
    let read = File::open(lock).and_then(|file| file.take(DIGITS).read_to_string(&mut text));
    match read.ok().and_then(|_| text.trim().parse::<u32>().ok()) {
        Some(process) => format!("process {process}"),
        None => "another process".to_owned(),
    }
}

/// Leaves the process id in the lock file, for people who look.
fn note_owner(mut lock: &File, path: &Path) -> Result<(), InstanceError> {
    lock.set_len(0)
        .and_then(|()| writeln!(lock, "{}", std::process::id()))
        .map_err(|source| not_writable(path, source))
}
