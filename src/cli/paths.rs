//! Where a session lives: which one is meant, its files, and the address of its endpoint
//! (`product.md` section 10, `uhp.md` section 2).
//!
//! Invariant: nothing here makes, changes or opens a file; discovery depends on it.

use super::environment::Environment;
use super::error::CliError;
use crate::server::instance::InstancePaths;
use std::ffi::OsString;
use std::fmt;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::str::FromStr;

/// Path length, in bytes, from which a socket gets an alias: the smallest limit of the supported
/// systems is 104 with the final zero.
const ALIAS_FROM_BYTES: usize = 100;

const SOCKET: &str = "luvus.sock";
const SESSIONS: &str = "sessions";

/// A session's name: 1–64 of `A–Z a–z 0–9 . _ -`, not `.` or `..`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct SessionName(String);

impl SessionName {
    /// The session that needs no name.
    #[must_use]
    pub fn unnamed() -> Self {
        Self("default".into())
    }

    /// Whether it is the session that needs no name.
    #[must_use]
    pub fn is_default(&self) -> bool {
        self.0 == "default"
    }

    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for SessionName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A text that cannot name a session.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a session name has 1 to 64 letters, digits, dots, dashes or underscores, and is not `.` or `..`")]
pub struct ParseNameError;

impl FromStr for SessionName {
    type Err = ParseNameError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
        let good = (1..=64).contains(&text.len()) && text.bytes().all(allowed) && text != "." && text != "..";
        if good { Ok(Self(text.to_owned())) } else { Err(ParseNameError) }
    }
}

/// Which session is meant, and where it lives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Paths {
    /// Its name.
    pub session: SessionName,
    /// What makes its server the only one, and the logs beside.
    pub files: InstancePaths,
    /// `config.toml`, shared by all sessions.
    pub config: PathBuf,
}

impl Paths {
    /// The session that is meant: by `--session`, else by `LUVUS_SOCKET_PATH`, else by
    /// `LUVUS_SESSION`, else the default one (`spec/README.md` point 18).
    ///
    /// # Errors
    /// When a variable names no session, or there is no home folder.
    pub fn select(environment: &Environment, named: Option<&SessionName>) -> Result<Self, CliError> {
        if let Some(name) = named {
            return Self::of_session(environment, name.clone());
        }
        if let Some(socket) = environment.raw("LUVUS_SOCKET_PATH") {
            return Self::of_socket(Path::new(socket));
        }
        let name = match environment.text("LUVUS_SESSION") {
            Some(name) => {
                name.parse().map_err(|error| CliError::failed(format_args!("LUVUS_SESSION: {error}")))?
            }
            None => SessionName::unnamed(),
        };
        Self::of_session(environment, name)
    }

    /// The session with that name in the state root of the environment.
    ///
    /// # Errors
    /// When there is no state root.
    pub fn of_session(environment: &Environment, session: SessionName) -> Result<Self, CliError> {
        Self::in_home(&state_root(environment)?, session)
    }

    /// The session whose logical socket path is `socket`.
    fn of_socket(socket: &Path) -> Result<Self, CliError> {
        let wrong = || {
            CliError::failed(
                "LUVUS_SOCKET_PATH is not the path of a session's luvus.sock; unset it or use --session",
            )
        };
        if !socket.is_absolute() || socket.file_name().is_none_or(|name| name != SOCKET) {
            return Err(wrong());
        }
        let folder = socket.parent().ok_or_else(wrong)?;
        match (folder.parent(), folder.file_name().and_then(|name| name.to_str())) {
            (Some(sessions), Some(name)) if sessions.file_name().is_some_and(|name| name == SESSIONS) => {
                let home = sessions.parent().ok_or_else(wrong)?;
                Self::in_home(home, name.parse().map_err(|_| wrong())?)
            }
            _ => Self::in_home(folder, SessionName::unnamed()),
        }
    }

    fn in_home(given_home: &Path, session: SessionName) -> Result<Self, CliError> {
        let given_home = std::path::absolute(given_home).map_err(CliError::failed)?;
        let home = canonical(&given_home)?;
        let session_dir =
            if session.is_default() { home.clone() } else { home.join(SESSIONS).join(session.as_str()) };
        let socket = session_dir.join(SOCKET);
        let config = home.join("config.toml");
        let files = InstancePaths {
            address: address_of(&socket),
            lock: session_dir.join("server.lock"),
            log_dir: session_dir.join("logs"),
            bin_dir: session_dir.join("bin"),
            pane_backend: pane_address_of(&session_dir, &session),
            given_home,
            home,
            session_dir,
            socket,
        };
        Ok(Self { session, files, config })
    }

    /// The other session `name` of the same state root.
    ///
    /// # Errors
    /// As [`Self::select`].
    pub fn sibling(&self, name: SessionName) -> Result<Self, CliError> {
        Self::in_home(&self.files.given_home, name)
    }

    /// The default session and those that have a folder, by name.
    ///
    /// # Errors
    /// As [`Self::select`].
    pub fn all_sessions(&self) -> Result<Vec<Self>, CliError> {
        let mut names: Vec<SessionName> = fs::read_dir(self.files.home.join(SESSIONS))
            .into_iter()
            .flatten()
            .flatten()
            .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
            .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
            .filter(|name: &SessionName| !name.is_default())
            .collect();
        names.sort();
        std::iter::once(SessionName::unnamed()).chain(names).map(|name| self.sibling(name)).collect()
    }

    /// Whether the session was ever made. The default one always counts.
    #[must_use]
    pub fn exists(&self) -> bool {
        self.session.is_default() || self.files.session_dir.is_dir()
    }

    /// The `endpoint` member of discovery.
    #[must_use]
    pub fn endpoint(&self) -> serde_json::Value {
        let transport = if cfg!(windows) { "windows_named_pipe" } else { "unix_socket" };
        serde_json::json!({"transport": transport, "address": self.files.address.to_string_lossy()})
    }
}

/// The folder of all state: `LUVUS_HOME`, else one in the person's home folder.
fn state_root(environment: &Environment) -> Result<PathBuf, CliError> {
    if let Some(home) = environment.raw("LUVUS_HOME") {
        return Ok(home.into());
    }
    // A development build never meets the sessions that its developer works in.
    let name = if cfg!(debug_assertions) { ".luvus-dev" } else { ".luvus" };
    let home = environment.user_home.as_ref();
    home.map(|home| home.join(name))
        .ok_or_else(|| CliError::failed("there is no home folder; set LUVUS_HOME to a folder of your own"))
}

/// `path` without links, as far as it exists. Consumers refuse addresses with a link in them.
fn canonical(path: &Path) -> Result<PathBuf, CliError> {
    let mut missing: Vec<OsString> = Vec::new();
    let mut existing = path;
    loop {
        if let Ok(found) = fs::canonicalize(existing) {
            return Ok(missing.iter().rev().fold(found, |path, name| path.join(name)));
        }
        match (existing.components().next_back(), existing.parent()) {
            (Some(Component::Normal(name)), Some(parent)) => {
                missing.push(name.to_owned());
                existing = parent;
            }
            _ => {
                let path = path.display();
                return Err(CliError::failed(format_args!("{path} leads nowhere; set LUVUS_HOME anew")));
            }
        }
    }
}

/// What is bound for the logical socket path `socket`.
#[cfg(unix)]
fn address_of(socket: &Path) -> PathBuf {
    use std::os::unix::ffi::OsStrExt as _;
    let bytes = socket.as_os_str().as_bytes();
    if bytes.len() < ALIAS_FROM_BYTES {
        return socket.to_owned();
    }
    let root = if cfg!(target_os = "macos") { "/private/tmp" } else { "/tmp" };
    let user = rustix::process::geteuid().as_raw();
    PathBuf::from(format!("{root}/luvus-{user}/{:016x}-api.sock", stable_hash(bytes)))
}

/// The pipe for the logical socket path `socket`.
#[cfg(windows)]
fn address_of(socket: &Path) -> PathBuf {
    let hash = stable_hash(socket.as_os_str().as_encoded_bytes());
    PathBuf::from(format!(r"\\.\pipe\luvus-{hash:016x}-api"))
}

/// What is bound for the pane backend of a session.
#[cfg(unix)]
fn pane_address_of(session_dir: &Path, _session: &SessionName) -> PathBuf {
    address_of(&session_dir.join("pane-backend.sock"))
}

/// The pipe for the pane backend of a session.
#[cfg(windows)]
fn pane_address_of(_session_dir: &Path, session: &SessionName) -> PathBuf {
    PathBuf::from(format!(r"\\.\pipe\luvus-pane-backend-{session}"))
}

/// FNV-1a, 64 bits: the same in every build, which the hashers of the standard library do not promise.
fn stable_hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    fn select(variables: &[(&str, &str)], named: Option<&str>) -> Result<Paths, CliError> {
        let named = named.map(|name| name.parse().expect("a name"));
        Paths::select(&Environment::of(variables), named.as_ref())
    }

    #[test]
    fn names_follow_their_grammar() {
        for good in ["default", "a", "A.b_c-9", "...", &"x".repeat(64)] {
            assert!(good.parse::<SessionName>().is_ok(), "{good}");
        }
        for bad in ["", ".", "..", "a/b", "a b", "é", "a\n", &"x".repeat(65)] {
            assert!(bad.parse::<SessionName>().is_err(), "{bad}");
        }
    }

    #[test]
    fn sessions_live_at_the_root_or_below_it() {
        let paths = select(&[("LUVUS_HOME", "/nowhere/l")], None).expect("paths");
        assert_eq!(paths.files.socket, Path::new("/nowhere/l/luvus.sock"));
        assert_eq!(paths.files.address, paths.files.socket);
        assert_eq!(paths.config, Path::new("/nowhere/l/config.toml"));
        let paths = select(&[("LUVUS_HOME", "/nowhere/l")], Some("work")).expect("paths");
        assert_eq!(paths.files.socket, Path::new("/nowhere/l/sessions/work/luvus.sock"));
        assert_eq!(paths.files.lock, Path::new("/nowhere/l/sessions/work/server.lock"));
        assert_eq!(paths.config, Path::new("/nowhere/l/config.toml"));
        let paths = select(&[("HOME", "/nowhere")], None).expect("paths");
        assert_eq!(
            paths.files.home,
            Path::new(if cfg!(debug_assertions) { "/nowhere/.luvus-dev" } else { "/nowhere/.luvus" })
        );
        assert!(select(&[], None).is_err());
    }

    #[test]
    fn the_flag_beats_the_socket_which_beats_the_name() {
        let variables = [
            ("LUVUS_HOME", "/nowhere/l"),
            ("LUVUS_SOCKET_PATH", "/elsewhere/sessions/b/luvus.sock"),
            ("LUVUS_SESSION", "c"),
        ];
        assert_eq!(
            select(&variables, Some("a")).expect("paths").files.session_dir,
            Path::new("/nowhere/l/sessions/a")
        );
        let paths = select(&variables, None).expect("paths");
        assert_eq!((paths.session.as_str(), paths.files.home.as_path()), ("b", Path::new("/elsewhere")));
        assert_eq!(select(&[variables[0], variables[2]], None).expect("paths").session.as_str(), "c");
        let root = select(&[("LUVUS_SOCKET_PATH", "/elsewhere/luvus.sock")], None).expect("paths");
        assert!(root.session.is_default());
        for wrong in ["relative/luvus.sock", "/elsewhere/other.sock", "/elsewhere/sessions/a b/luvus.sock"] {
            assert!(select(&[("LUVUS_SOCKET_PATH", wrong)], None).is_err(), "{wrong}");
        }
    }

    #[test]
    fn long_paths_get_a_short_stable_alias() {
        let short = format!("/{}", "x".repeat(98));
        assert_eq!(address_of(Path::new(&short)), Path::new(&short));
        let long = format!("/{}", "x".repeat(99));
        let alias = address_of(Path::new(&long));
        let name = alias.file_name().and_then(|name| name.to_str()).expect("a name");
        let stem = name.strip_suffix("-api.sock").expect("the suffix");
        assert_eq!(stem.len(), 16);
        assert_eq!(alias, address_of(Path::new(&long)));
        // The published value of FNV-1a for this text: the alias is the same in every build.
        assert_eq!(stable_hash(b"foobar"), 0x8594_4171_f739_67e8);
    }

    #[test]
    fn addresses_have_no_links_in_them() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = fs::canonicalize(folder.path()).expect("canonical");
        fs::create_dir(root.join("real")).expect("made");
        symlink(root.join("real"), root.join("link")).expect("linked");
        let given = root.join("link/not-yet");
        let paths = select(&[("LUVUS_HOME", given.to_str().expect("text"))], None).expect("paths");
        assert_eq!(paths.files.home, root.join("real/not-yet"));
        assert_eq!(paths.files.given_home, given);
        assert!(!paths.files.home.exists());
    }

    #[test]
    fn sessions_are_those_that_have_a_folder() {
        let folder = tempfile::tempdir().expect("a folder");
        let sessions = folder.path().join("sessions");
        for name in ["b", "a", "not a name"] {
            fs::create_dir_all(sessions.join(name)).expect("made");
        }
        fs::write(sessions.join("file"), "").expect("written");
        let home = folder.path().to_str().expect("text");
        let all =
            select(&[("LUVUS_HOME", home)], None).and_then(|paths| paths.all_sessions()).expect("sessions");
        let names: Vec<_> = all.iter().map(|paths| paths.session.as_str()).collect();
        assert_eq!(names, ["default", "a", "b"]);
        assert!(all[1].exists());
    }
}
