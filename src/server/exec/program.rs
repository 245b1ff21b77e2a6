//! Finding the program that a name means, as `execvp` would, in the child's folder and `PATH`.

use std::io;
use std::path::{Path, PathBuf};

/// The file that `name` means.
///
/// # Errors
/// As the system would have said: not found, or not to be executed.
pub(in crate::server) fn find(name: &str, cwd: &Path, env: &[(String, String)]) -> io::Result<PathBuf> {
    if is_path(name) {
        return Ok(cwd.join(name));
    }
    let path = env.iter().rev().find(|(key, _)| key == "PATH").map_or("", |(_, value)| value.as_str());
    let candidates =
        || std::env::split_paths(path).map(|folder| cwd.join(folder)).flat_map(|folder| files(&folder, name));
    if let Some(found) = candidates().find(|file| is_executable(file)) {
        return Ok(found);
    }
    let is_there = candidates().any(|file| file.is_file());
    Err(io::Error::from_raw_os_error(if is_there { code::NOT_ALLOWED } else { code::NOT_FOUND }))
}

#[cfg(unix)]
mod code {
    pub(super) const NOT_FOUND: i32 = rustix::io::Errno::NOENT.raw_os_error();
    pub(super) const NOT_ALLOWED: i32 = rustix::io::Errno::ACCESS.raw_os_error();
}

#[cfg(windows)]
mod code {
    pub(super) const NOT_FOUND: i32 = 2;
    pub(super) const NOT_ALLOWED: i32 = 5;
}

#[cfg(unix)]
fn is_path(name: &str) -> bool {
    name.contains('/')
}

#[cfg(windows)]
fn is_path(name: &str) -> bool {
    name.contains(['/', '\\', ':'])
}

#[cfg(unix)]
fn files(folder: &Path, name: &str) -> Vec<PathBuf> {
    vec![folder.join(name)]
}

/// A name without an extension means any of the usual ones.
#[cfg(windows)]
fn files(folder: &Path, name: &str) -> Vec<PathBuf> {
    let with = |extension: &str| folder.join(format!("{name}{extension}"));
    ["", ".exe", ".com", ".bat", ".cmd"].map(with).to_vec()
}

#[cfg(unix)]
fn is_executable(path: &Path) -> bool {
    path.is_file() && rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok()
}

#[cfg(windows)]
fn is_executable(path: &Path) -> bool {
    path.extension().is_some() && path.is_file()
}
