//! Whether a session's endpoint may be talked to. What is typed at it runs in a shell, so it has to be
//! the person's own, private, and reached without links.

#[cfg(unix)]
pub use unix::{refuse_foreign, refuse_open};
#[cfg(windows)]
pub use windows::{refuse_foreign, refuse_open};

use super::paths::Paths;
use std::path::PathBuf;

/// Why an endpoint is not talked to. Each message says what to do.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum TrustError {
    /// There is none.
    #[error("nothing is there")]
    Nothing,
    /// It, or a folder of ours on the way to it, is a link.
    #[error("{0} is a symbolic link; remove the link, or set LUVUS_HOME to the folder it leads to")]
    Link(PathBuf),
    /// It, or a folder of ours on the way to it, belongs to another user.
    #[error("{path} belongs to user {owner}, not to you; set LUVUS_HOME to a folder of your own")]
    ForeignOwner {
        /// What.
        path: PathBuf,
        /// The numeric id of its owner.
        owner: u32,
    },
    /// Others could use it, or could have put it there.
    #[error("{path} is open to others (mode {mode:04o}); make it private: chmod {wanted:o} {path}")]
    Open {
        /// What.
        path: PathBuf,
        /// Its mode.
        mode: u32,
        /// The mode it should have.
        wanted: u32,
    },
}

#[cfg(unix)]
mod unix {
    use super::{Paths, TrustError};
    use std::fs::Metadata;
    use std::os::unix::fs::MetadataExt as _;
    use std::path::Path;

    /// Before a connection: refuses links and what belongs to others.
    ///
    /// # Errors
    /// [`TrustError`]; not [`TrustError::Open`].
    pub fn refuse_foreign(paths: &Paths) -> Result<(), TrustError> {
        let us = rustix::process::geteuid().as_raw();
        for path in folders(paths).chain([paths.files.address.as_path()]) {
            let found = look(path)?;
            if found.is_symlink() {
                return Err(TrustError::Link(path.to_owned()));
            }
            if found.uid() != us {
                return Err(TrustError::ForeignOwner { path: path.to_owned(), owner: found.uid() });
            }
        }
        Ok(())
    }

    /// Once something answers: refuses what others can reach. Before that a start would make it private.
    ///
    /// # Errors
    /// [`TrustError`].
    pub fn refuse_open(paths: &Paths) -> Result<(), TrustError> {
        let folders = folders(paths).map(|path| (path, 0o700));
        for (path, wanted) in folders.chain([(paths.files.address.as_path(), 0o600)]) {
            let mode = look(path)?.mode() & 0o7777;
            if mode & 0o077 != 0 {
                return Err(TrustError::Open { path: path.to_owned(), mode, wanted });
            }
        }
        Ok(())
    }

    /// The folders of ours on the way to the endpoint.
    fn folders(paths: &Paths) -> impl Iterator<Item = &Path> {
        let alias = paths.files.address.parent().filter(|_| paths.files.address != paths.files.socket);
        [paths.files.home.as_path(), paths.files.session_dir.as_path()].into_iter().chain(alias)
    }

    fn look(path: &Path) -> Result<Metadata, TrustError> {
        // What cannot be looked at cannot be connected to either.
        std::fs::symlink_metadata(path).map_err(|_| TrustError::Nothing)
    }
}

/// A pipe has an owner and no path; the server's pipe refuses others by its access list.
#[cfg(windows)]
mod windows {
    use super::{Paths, TrustError};

    /// There is no file to look at.
    ///
    /// # Errors
    /// None.
    pub fn refuse_foreign(_paths: &Paths) -> Result<(), TrustError> {
        Ok(())
    }

    /// There is no file to look at.
    ///
    /// # Errors
    /// None.
    pub fn refuse_open(_paths: &Paths) -> Result<(), TrustError> {
        Ok(())
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::cli::environment::Environment;
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    use std::os::unix::net::UnixListener;

    fn paths_in(home: &std::path::Path) -> Paths {
        let home = home.to_str().expect("text");
        Paths::select(&Environment::of(&[("LUVUS_HOME", home)]), None).expect("paths")
    }

    #[test]
    fn a_private_endpoint_of_ours_is_trusted_and_nothing_else() {
        let folder = tempfile::tempdir().expect("a folder");
        let paths = paths_in(folder.path());
        assert_eq!(refuse_foreign(&paths), Err(TrustError::Nothing));
        let _listener = UnixListener::bind(&paths.files.address).expect("bound");
        let set =
            |path: &PathBuf, mode| fs::set_permissions(path, Permissions::from_mode(mode)).expect("set");
        set(&paths.files.home, 0o700);
        set(&paths.files.address, 0o600);
        assert_eq!(refuse_foreign(&paths).and_then(|()| refuse_open(&paths)), Ok(()));
        for (path, mode, wanted) in [(&paths.files.address, 0o620, 0o600), (&paths.files.home, 0o750, 0o700)]
        {
            set(path, mode);
            let error = refuse_open(&paths).expect_err("refused");
            assert!(error.to_string().contains(&format!("chmod {wanted:o} {}", path.display())), "{error}");
            set(path, wanted);
        }
    }

    #[test]
    fn a_link_to_another_endpoint_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let paths = paths_in(folder.path());
        symlink("/elsewhere/luvus.sock", &paths.files.address).expect("a link");
        assert_eq!(refuse_foreign(&paths), Err(TrustError::Link(paths.files.address.clone())));
    }
}
