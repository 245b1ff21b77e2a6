//! The snapshot's files: `session.json`, the good one before it, and what was set aside.
//!
//! Invariants: a file that cannot be used is renamed, never overwritten; of two good ones the newer counts;
//! what a newer luvus wrote is left alone.

use super::file::{self, ReadError};
use super::session::Session;
use serde::Serialize;
use serde_json::Value;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The format that this build writes, and the newest that it reads.
pub const VERSION: u32 = 1;

/// 1,024 panes with long names and paths take less; a longer file is not ours.
const FILE_BYTES: u64 = 32 * 1_048_576;

/// How many copies that were set aside before something smaller was written are kept.
const KEPT: usize = 8;

/// A snapshot that must not be touched. The message says what to do.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// A newer luvus wrote it.
    #[error(
        "{path} was written by luvus {program} (format {version}; this is luvus {ours}, which reads up to {newest}); \
         start that luvus, or move the file away to begin anew",
        ours = env!("CARGO_PKG_VERSION"),
        newest = VERSION
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its format.
        version: u64,
        /// Who wrote it.
        program: String,
    },
    /// It is there and cannot be read, which may pass.
    #[error("cannot read {path} ({source}); make it readable, or move it away to begin anew")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
}

/// A snapshot that was read.
#[derive(Debug)]
pub struct Loaded {
    /// What it says.
    pub session: Session,
    /// What of it could not be read.
    pub lost: Vec<String>,
    /// What was wrong with files, a line each.
    pub told: Vec<String>,
    /// Number of the snapshot.
    pub generation: u64,
}

#[derive(Serialize)]
struct Written<'a> {
    version: u32,
    generation: u64,
    program: &'a str,
    session: &'a Session,
}

/// Where the snapshots of a session are.
#[derive(Debug)]
pub struct Store {
    path: PathBuf,
    /// Number of the newest snapshot that was read or written.
    generation: u64,
    /// Whether the file at `path` is known to be good.
    good: bool,
}

impl Store {
    /// The files of a session's folder.
    #[must_use]
    pub fn new(session_dir: &Path) -> Self {
        Self { path: session_dir.join("session.json"), generation: 0, good: false }
    }

    /// `session.json`
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn previous(&self) -> PathBuf {
        file::beside(&self.path, ".prev")
    }

    /// Reads the newest good snapshot; `None` if there is none. A damaged one is set aside on the way.
    ///
    /// # Errors
    /// [`LoadError`]; then nothing was touched.
    pub fn load(&mut self) -> Result<(Option<Loaded>, Vec<String>), LoadError> {
        let mut told = Vec::new();
        let previous = self.previous();
        // Before anything is renamed: neither may be a newer luvus's.
        let found = [self.path.clone(), previous].map(|path| (read(&path), path));
        for (result, _) in &found {
            if let Err(Refusal::Load(_)) = result {
                let [(first, _), (second, _)] = found;
                let error = [first, second].into_iter().find_map(|result| match result {
                    Err(Refusal::Load(error)) => Some(error),
                    _ => None,
                });
                return error.map_or(Ok((None, told)), Err);
            }
        }
        let mut loaded: Option<Loaded> = None;
        for (index, (result, path)) in found.into_iter().enumerate() {
            match result {
                Ok(read) if loaded.is_none() => {
                    self.good = index == 0;
                    self.generation = read.generation;
                    loaded = Some(read);
                }
                Ok(read) => self.generation = self.generation.max(read.generation),
                Err(Refusal::File(ReadError::Missing) | Refusal::Load(_)) => {}
                Err(Refusal::File(error)) => told.push(set_aside(&path, &error)),
            }
        }
        if let Some(loaded) = loaded.as_mut().filter(|_| !self.good) {
            loaded.told.push("the snapshot before it was restored".to_owned());
        }
        Ok((loaded, told))
    }

    /// Writes a snapshot; the good one before it stays as `session.json.prev`.
    ///
    /// # Errors
    /// The operating system's; both files are as they were then.
    pub fn save(&mut self, session: &Session) -> io::Result<()> {
        let written = Written {
            version: VERSION,
            generation: self.generation.saturating_add(1),
            program: env!("CARGO_PKG_VERSION"),
            session,
        };
        let text = file::sealed(&serde_json::to_string(&written)?);
        if self.good && self.is_still_whole() {
            file::write_keeping(&self.path, &text, &self.previous())?;
        } else {
            file::write(&self.path, &text)?;
        }
        self.generation = self.generation.saturating_add(1);
        self.good = true;
        Ok(())
    }

    /// Whether the file is as it was read or written. What somebody else did to it meanwhile never takes
    /// the place of the good one before it: it is set aside.
    fn is_still_whole(&self) -> bool {
        match read(&self.path) {
            Ok(_) | Err(Refusal::Load(_)) => true,
            Err(Refusal::File(ReadError::Missing)) => false,
            Err(Refusal::File(error)) => {
                let told = set_aside(&self.path, &error);
                tracing::warn!(told, "the snapshot was damaged while the server ran");
                false
            }
        }
    }

    /// Keeps a dated copy of the present snapshot, because the next one holds less.
    ///
    /// # Errors
    /// The operating system's.
    pub fn set_copy_aside(&self) -> io::Result<()> {
        let source = if self.path.exists() { self.path.clone() } else { self.previous() };
        if !source.exists() {
            return Ok(());
        }
        file::keep_as(&source, &file::dated(&self.path, "kept", SystemTime::now()))?;
        self.forget_old_copies();
        Ok(())
    }

    fn forget_old_copies(&self) {
        let folder = self.path.parent().unwrap_or(Path::new("."));
        let ours = |name: &str| name.starts_with("session.json.kept-");
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let mut copies: Vec<PathBuf> =
            entries.filter(|entry| entry.file_name().to_str().is_some_and(ours)).map(|e| e.path()).collect();
        copies.sort();
        for old in copies.iter().rev().skip(KEPT) {
            let _ = fs::remove_file(old);
        }
    }
}

/// What a look at the snapshots of a session finds: lines that are fine, and lines with a remedy that
/// are not. Changes nothing.
#[must_use]
pub fn inspect(session_dir: &Path) -> Vec<Result<String, String>> {
    let path = session_dir.join("session.json");
    let previous = file::beside(&path, ".prev");
    let then = if read(&previous).is_ok() { " and takes the snapshot before it" } else { " and begins anew" };
    let look = |path: &Path| match read(path) {
        Ok(loaded) if loaded.lost.is_empty() => Some(Ok(format!(
            "{} is whole: snapshot {} with {} panes",
            path.display(),
            loaded.generation,
            loaded.session.panes().count()
        ))),
        Ok(loaded) => Some(Err(format!(
            "{}: not everything can be restored ({}); the next start keeps a copy of it",
            path.display(),
            loaded.lost.join("; ")
        ))),
        Err(Refusal::File(ReadError::Missing)) => None,
        Err(Refusal::File(error)) => Some(Err(format!(
            "{} cannot be used ({error}); the next start sets it aside{}",
            path.display(),
            if *path == previous { "" } else { then }
        ))),
        Err(Refusal::Load(error)) => Some(Err(error.to_string())),
    };
    let mut found: Vec<Result<String, String>> =
        [&path, &previous].into_iter().filter_map(|path| look(path)).collect();
    let aside =
        |name: &str| name.starts_with("session.json.broken-") || name.starts_with("session.json.kept-");
    let entries = fs::read_dir(session_dir).into_iter().flatten().flatten();
    let count = entries.filter(|entry| entry.file_name().to_str().is_some_and(aside)).count();
    if count > 0 {
        let shown = session_dir.display();
        found.push(Ok(if count == 1 {
            format!("an older or damaged snapshot is kept in {shown}; delete it when you like")
        } else {
            format!("{count} older or damaged snapshots are kept in {shown}; delete them when you like")
        }));
    }
    found
}

/// Renames a file that cannot be used; says so.
fn set_aside(path: &Path, error: &ReadError) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let aside = file::dated(path, "broken", SystemTime::now());
    match fs::rename(path, &aside) {
        Ok(()) => {
            let aside = aside.file_name().unwrap_or_default().to_string_lossy().into_owned();
            format!("{name} could not be used ({error}); it is kept as {aside}")
        }
        Err(renaming) => format!("{name} could not be used ({error}) nor set aside ({renaming})"),
    }
}

enum Refusal {
    File(ReadError),
    Load(LoadError),
}

fn read(path: &Path) -> Result<Loaded, Refusal> {
    let text = file::read(path, FILE_BYTES).map_err(|error| match error {
        ReadError::Unreadable(source) => {
            Refusal::Load(LoadError::Unreadable { path: path.to_owned(), source })
        }
        error => Refusal::File(error),
    })?;
    let damaged = |what| Refusal::File(ReadError::Damaged(what));
    let value: Value = serde_json::from_str(&text).map_err(|_| damaged("it is no JSON"))?;
    let version = value.get("version").and_then(Value::as_u64).ok_or_else(|| damaged("it has no version"))?;
    // Another format may have another seal, and a digit that got damaged is no other format.
    if version > u64::from(VERSION) && (file::is_whole(&text) || !file::has_seal(&text) || version > 9) {
        let program = value.get("program").and_then(Value::as_str).unwrap_or("of a later version");
        let program = program.chars().filter(|char| !char.is_control()).take(40).collect();
        return Err(Refusal::Load(LoadError::Newer { path: path.to_owned(), version, program }));
    }
    if !file::is_whole(&text) {
        return Err(damaged("its checksum does not fit"));
    }
    if !value["session"]["workspaces"].is_array() {
        return Err(damaged("it holds no session"));
    }
    let generation = value.get("generation").and_then(Value::as_u64).unwrap_or(0);
    let mut lost = Vec::new();
    let session = Session::read(value.get("session").unwrap_or(&Value::Null), &mut lost);
    Ok(Loaded { session, lost, told: Vec::new(), generation })
}

#[cfg(test)]
mod tests;
