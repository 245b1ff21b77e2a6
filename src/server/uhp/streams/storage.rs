//! Files that clients hand over, in the session's own folder.
//!
//! Invariants: nobody but the owner can read them; a file appears under its name complete or not at
//! all, in a folder of its own so that it never replaces another; what is dropped before it was kept
//! is removed; complete files take bounded room, which the oldest make for a new one, and those that are
//! not complete are as few as there are streams. The disk is never waited for on the control runtime.

use crate::protocol::limits::{UPLOADS, UPLOADS_BYTES};
use crate::protocol::uhp::error::{ErrorCode, Failure};
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

/// How long a file stays: long enough for a conversation with an agent that refers to it.
const KEPT: Duration = Duration::from_secs(7 * 24 * 60 * 60);
/// What the folder of a file that is not complete ends with.
const PARTIAL: &str = "partial";

/// The folder of one session.
#[derive(Debug, Clone)]
pub struct Storage(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    folder: PathBuf,
    /// Bytes and number of the complete files at most.
    most: (u64, usize),
    /// Whether the folder has been made and tidied up in this server life. Held while files come and go.
    ready: Mutex<bool>,
}

impl Storage {
    /// Keeps files in `folder`, which is made when it is needed.
    #[must_use]
    pub fn new(folder: PathBuf) -> Self {
        Self::bounded(folder, (UPLOADS_BYTES, UPLOADS))
    }

    fn bounded(folder: PathBuf, most: (u64, usize)) -> Self {
        Self(Arc::new(Inner { folder, most, ready: Mutex::new(false) }))
    }

    /// Begins a file of that name.
    pub(super) async fn begin(&self, name: &str) -> Result<Partial, Failure> {
        let (inner, name) = (Arc::clone(&self.0), name.to_owned());
        away(move || inner.begin(name)).await
    }

    /// A whole file.
    pub(super) async fn store(&self, name: &str, bytes: Vec<u8>) -> Result<Stored, Failure> {
        let (inner, name) = (Arc::clone(&self.0), name.to_owned());
        away(move || {
            let mut partial = inner.begin(name)?;
            partial.file.write_all(&bytes)?;
            partial.publish()
        })
        .await
    }
}

impl Inner {
    fn begin(self: &Arc<Self>, name: String) -> io::Result<Partial> {
        self.prepare()?;
        let id = crate::server::random_128().ok_or_else(|| io::Error::other("no random numbers"))?;
        let id: String = id[..8].iter().map(|byte| format!("{byte:02x}")).collect();
        let path = self.folder.join(id).with_extension(PARTIAL);
        private_folder(&path)?;
        let folder = Folder(Some(path));
        let file = private_file(&folder.path().join(&name))?;
        Ok(Partial { file, folder, name, storage: Arc::clone(self) })
    }

    fn prepare(&self) -> io::Result<()> {
        // A flag and nothing else: it holds whatever happened to who had the lock before.
        let mut ready = self.ready.lock().unwrap_or_else(PoisonError::into_inner);
        if !*ready {
            if !self.folder.is_dir() {
                private_folder(&self.folder)?;
            }
            tidy(&self.folder, SystemTime::now());
            *ready = true;
        }
        Ok(())
    }
}

impl Inner {
    /// Gives a complete file its place.
    fn admit(&self, partial: &Path, complete: &Path, bytes: u64) -> io::Result<()> {
        let _held = self.ready.lock().unwrap_or_else(PoisonError::into_inner);
        self.make_room(bytes);
        fs::rename(partial, complete)
    }

    /// Removes the oldest complete files until another one of that size fits.
    fn make_room(&self, bytes: u64) {
        let mut files = complete_files(&self.folder);
        files.sort_unstable_by_key(|file| file.changed);
        let mut held: u64 = files.iter().map(|file| file.bytes).sum();
        let mut left = files.len();
        for file in &files {
            if held.saturating_add(bytes) <= self.most.0 && left < self.most.1 {
                return;
            }
            match fs::remove_dir_all(&file.folder) {
                Ok(()) => (held, left) = (held - file.bytes, left - 1),
                Err(error) => tracing::warn!(%error, "an old upload could not be removed"),
            }
        }
    }
}

/// A complete file in its folder.
struct Complete {
    folder: PathBuf,
    bytes: u64,
    changed: Option<SystemTime>,
}

fn complete_files(folder: &Path) -> Vec<Complete> {
    let folders = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let complete = folders.filter(|path| path.extension().is_none_or(|extension| extension != PARTIAL));
    complete
        .map(|folder| {
            let files = fs::read_dir(&folder).into_iter().flatten().flatten();
            let facts: Vec<fs::Metadata> = files.filter_map(|file| file.metadata().ok()).collect();
            let bytes = facts.iter().map(fs::Metadata::len).sum();
            Complete { folder, bytes, changed: facts.iter().filter_map(|fact| fact.modified().ok()).max() }
        })
        .collect()
}

/// Removes what an earlier server left unfinished, and what is old.
fn tidy(folder: &Path, now: SystemTime) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let age = entry.metadata().and_then(|metadata| metadata.modified()).ok();
        let age = age.and_then(|changed| now.duration_since(changed).ok()).unwrap_or_default();
        if (age > KEPT || path.extension().is_some_and(|extension| extension == PARTIAL))
            && let Err(error) = fs::remove_dir_all(&path)
        {
            tracing::debug!(%error, "an old upload could not be removed");
        }
    }
}

fn private_folder(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

fn private_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.write(true).create_new(true).open(path)
}

/// The folder of one file, removed with everything in it unless it is kept.
#[derive(Debug)]
struct Folder(Option<PathBuf>);

impl Folder {
    fn path(&self) -> &Path {
        self.0.as_deref().unwrap_or(Path::new(""))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if let Some(path) = &self.0
            && let Err(error) = fs::remove_dir_all(path)
            && error.kind() != io::ErrorKind::NotFound
        {
            tracing::warn!(%error, "an unfinished upload could not be removed");
        }
    }
}

/// A file that is not complete.
#[derive(Debug)]
pub(super) struct Partial {
    // Fields drop in this order: some systems do not remove what is open.
    file: File,
    folder: Folder,
    name: String,
    storage: Arc<Inner>,
}

impl Partial {
    /// Appends bytes; the file is gone when that fails.
    pub(super) async fn append(mut self, bytes: Vec<u8>) -> Result<Self, Failure> {
        away(move || self.file.write_all(&bytes).map(|()| self)).await
    }

    /// The file is complete.
    pub(super) async fn finish(self) -> Result<Stored, Failure> {
        away(move || self.publish()).await
    }

    /// Removes it.
    pub(super) async fn discard(self) -> Result<(), Failure> {
        away(move || {
            drop(self);
            Ok(())
        })
        .await
    }

    fn publish(self) -> io::Result<Stored> {
        let Self { file, mut folder, name, storage } = self;
        let bytes = file.metadata()?.len();
        drop(file);
        let complete = folder.path().with_extension("");
        storage.admit(folder.path(), &complete, bytes)?;
        let path = complete.join(name);
        folder.0 = Some(complete);
        Ok(Stored { folder, path })
    }
}

/// A complete file.
#[derive(Debug)]
pub(super) struct Stored {
    folder: Folder,
    path: PathBuf,
}

impl Stored {
    /// Where it is.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// It stays.
    pub(super) fn keep(mut self) {
        self.folder.0 = None;
    }
}

/// Does what waits for the disk on a thread for that.
async fn away<T: Send + 'static>(
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> Result<T, Failure> {
    let done = tokio::task::spawn_blocking(work).await.unwrap_or_else(|error| Err(io::Error::other(error)));
    done.map_err(|error| {
        tracing::warn!(%error, "a file of a client could not be stored");
        Failure::new(ErrorCode::Internal, format!("the file cannot be stored: {}", error.kind()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(folder: &Path) -> usize {
        fs::read_dir(folder).map_or(0, Iterator::count)
    }

    #[tokio::test]
    async fn a_file_appears_complete_and_private_and_never_replaces_another() {
        let home = tempfile::tempdir().expect("a folder");
        let folder = home.path().join("uploads");
        let storage = Storage::new(folder.clone());
        let partial = storage.begin("two words.txt").await.expect("a file");
        let partial = partial.append(b"one ".to_vec()).await.expect("room");
        let stored = partial.append(b"two".to_vec()).await.expect("room").finish().await.expect("a name");
        let path = stored.path().to_owned();
        assert_eq!(path.file_name().and_then(|name| name.to_str()), Some("two words.txt"));
        assert_eq!(fs::read(&path).expect("the file"), b"one two");
        stored.keep();
        let second = storage.store("two words.txt", b"other".to_vec()).await.expect("a file");
        assert_ne!(second.path(), path);
        drop(second);
        assert_eq!(entries(&folder), 1);
        assert_eq!(fs::read(&path).expect("the file"), b"one two");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = |path: &Path| fs::metadata(path).expect("it is there").permissions().mode() & 0o777;
            assert_eq!((mode(&folder), mode(&path)), (0o700, 0o600));
            assert_eq!(path.parent().map(mode), Some(0o700));
        }
    }

    #[tokio::test]
    async fn the_oldest_files_make_room_for_a_new_one() {
        let home = tempfile::tempdir().expect("a folder");
        let folder = home.path().join("uploads");
        let storage = Storage::bounded(folder.clone(), (100, 3));
        let mut kept = Vec::new();
        for (at, bytes) in [40, 40, 20, 30, 1, 1].into_iter().enumerate() {
            let stored = storage.store("a", vec![b'x'; bytes]).await.expect("a file");
            let file = File::options().append(true).open(stored.path()).expect("the file");
            // Not all file systems tell times a moment apart from each other.
            let then = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000 + at as u64);
            file.set_modified(then).expect("a time");
            kept.push(stored.path().to_owned());
            stored.keep();
        }
        let there: Vec<bool> = kept.iter().map(|path| path.exists()).collect();
        assert_eq!(
            there,
            [false, false, false, true, true, true],
            "40 for the bytes, the others for the number"
        );
        let unfinished = storage.begin("a").await.expect("a file");
        storage.store("a", vec![b'x'; 100]).await.expect("a file").keep();
        assert_eq!(entries(&folder), 2, "what is not complete stays");
        drop(unfinished);
    }

    #[tokio::test]
    async fn what_is_dropped_is_removed() {
        let home = tempfile::tempdir().expect("a folder");
        let storage = Storage::new(home.path().join("uploads"));
        let partial = storage.begin("a").await.expect("a file");
        assert_eq!(entries(&home.path().join("uploads")), 1);
        drop(partial);
        storage.begin("a").await.expect("a file").discard().await.expect("its end");
        drop(storage.begin("a").await.expect("a file").finish().await.expect("a name"));
        assert_eq!(entries(&home.path().join("uploads")), 0);
    }

    #[tokio::test]
    async fn a_new_server_removes_what_is_unfinished_or_old() {
        let home = tempfile::tempdir().expect("a folder");
        let folder = home.path().join("uploads");
        let storage = Storage::new(folder.clone());
        std::mem::forget(storage.begin("left").await.expect("a file"));
        storage.store("kept", b"x".to_vec()).await.expect("a file").keep();
        assert_eq!(entries(&folder), 2);
        tidy(&folder, SystemTime::now());
        assert_eq!(entries(&folder), 1);
        tidy(&folder, SystemTime::now() + KEPT + Duration::from_secs(60));
        assert_eq!(entries(&folder), 0);
    }
}
